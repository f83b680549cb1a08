#!/bin/sh
# The command of the guide to recurrence, on the prostate data (not shipped: 146 men).
# Usage: cd FOLDER_WITH_stagec.csv && sh docs/guide/example_recurrence.sh
run() {
    printf '\n== %s ==\n$ scorecast %s\n' "$1" "$2"
    eval "scorecast $2" >answer.txt 2>notes.txt && code=0 || code=$?
    # How far the run was says nothing once it is over.
    grep -v '^progress: ' notes.txt
    cat answer.txt
    rm -f notes.txt answer.txt
    printf '(exit code %s)\n' "$code"
}
exec 2>&1
run prostate 'recurrence stagec.csv --time pgtime --event pgstat \
    --covariates age,eet,g2,grade,gleason,ploidy=tetraploid,ploidy=aneuploid \
    --cv 5 --report out.html'
printf '\n== end ==\n'
