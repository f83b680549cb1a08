#!/bin/sh
# The commands of the guide to simulation.
# Usage: cd AN_EMPTY_FOLDER && sh docs/guide/example_simulation.sh
run() {
    printf '\n== %s ==\n$ scorecast %s\n' "$1" "$2"
    eval "scorecast $2" && code=0 || code=$?
    printf '(exit code %s)\n' "$code"
}
exec 2>&1
run labelled 'simulate labelled --n 100 --m 50 --classes 2 --sd 2 --informative 0.1 \
    --noise 0.1 --imbalance 0.4 --out cases.csv'
run assess 'assess cases.csv --target y --model naive-bayes --permutations 50'
run classes 'simulate classes --classes 100 --population heavy-tailed --out scores.npz'
run extrapolate 'extrapolate scores.npz --to 1000 --to 10000'
run biclusters 'simulate biclusters --rows 500 --columns 60 --pattern additive \
    --noise 0.05 --missing 0.01 --out matrix.npz'
run forecasts 'simulate forecasts --n 500 --sharpness 2 --out forecasts.csv'
printf '\n== end ==\n'
