#!/bin/sh
# The commands of the guide to comparison, on what its example saved.
# Usage: cd FOLDER_OF_THE_EXAMPLE && sh docs/guide/example_comparison.sh
run() {
    printf '\n== %s ==\n$ scorecast %s\n' "$1" "$2"
    eval "scorecast $2" && code=0 || code=$?
    printf '(exit code %s)\n' "$code"
}
exec 2>&1
run table 'compare results.csv --report compare.html --json compare.json --latex compare.tex'
run refused 'compare results.csv --nan-policy raise'
run delong 'compare scores.csv --truth ill --drop patient --test delong'
run patients 'compare scores.csv --truth ill --groups patient --scoring roc_auc --seed 0'
printf '\n== end ==\n'
