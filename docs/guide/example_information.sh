#!/bin/sh
# The commands of the guide to information, on the matches that ship with the package.
# Usage: cd FOLDER_WITH_world_cups.csv && sh docs/guide/example_information.sh
run() {
    printf '\n== %s ==\n$ scorecast %s\n' "$1" "$2"
    eval "scorecast $2" && code=0 || code=$?
    printf '(exit code %s)\n' "$code"
}
exec 2>&1
run classes 'information world_cups.csv --probability team1 --probability draw \
    --probability team2 --label-column outcome --leave-one-out --group cup --id match \
    --report matches.html --json matches.json'
run gate 'information world_cups.csv --probability team1 --probability draw \
    --probability team2 --label-column outcome --leave-one-out --fail-below 0.5 --quiet'
run prior 'information world_cups.csv --probability team1 --probability draw \
    --probability team2 --label-column outcome'
printf '\n== end ==\n'
