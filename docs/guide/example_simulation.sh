#!/bin/sh
# The commands of the guide to simulation.
# Usage: cd AN_EMPTY_FOLDER && sh docs/guide/example_simulation.sh
run() {
    printf '\n== %s ==\n$ scorecast %s\n' "$1" "$2"
    eval "scorecast $2" && code=0 || code=$?
    printf '(exit code %s)\n' "$code"
}
exec 2>&1
run classification 'simulate classification --n-samples 100 --n-features 50 \
    --n-classes 2 --std 2 --informative 0.1 --noise 0.1 --imbalance 0.4 --out cases.csv'
run assess 'assess cases.csv --target y --model naive-bayes --permutations 50'
run recognition 'simulate recognition --n-classes 100 --population heavy-tailed --out scores.npz'
run extrapolate 'extrapolate scores.npz --to 1000 --to 10000'
run biclusters 'simulate biclusters --n-rows 500 --n-columns 60 --pattern additive \
    --noise 0.05 --missing 0.01 --out matrix.npz'
run forecasts 'simulate forecasts --n-samples 500 --sharpness 2 --out forecasts.csv'
printf '\n== end ==\n'
