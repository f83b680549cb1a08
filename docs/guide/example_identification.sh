#!/bin/sh
# The commands of the guide to identification, on what its example saved.
# Usage: cd FOLDER_OF_THE_EXAMPLE && sh docs/guide/example_identification.sh
run() {
    printf '\n== %s ==\n$ scorecast %s\n' "$1" "$2"
    eval "scorecast $2" && code=0 || code=$?
    printf '(exit code %s)\n' "$code"
}
exec 2>&1
run scores 'identify --scores scores.npy --to 10000 --report identify.html --json identify.json'
run gate 'identify --scores scores.npy --fail-below 12 --quiet'
run labels 'identify --scores stimuli.npy'
printf '\n== end ==\n'
