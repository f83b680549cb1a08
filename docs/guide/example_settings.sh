#!/bin/sh
# The commands of the guide to settings.
# Usage: cd A_FOLDER_WITH_cases.csv && sh docs/guide/example_settings.sh
run() {
    printf '\n== %s ==\n$ scorecast %s\n' "$1" "$2"
    eval "scorecast $2" && code=0 || code=$?
    printf '(exit code %s)\n' "$code"
}
exec 2>&1
run hand 'settings cases.csv --target y --model naive-bayes --model nearest-centroid \
    --vary n=30,60,100 --vary noise=0,0.3 --sets 5'
printf '\n== end ==\n'
