#!/bin/sh
# The commands of the guide, on the files that example_characters.py wrote.
# Usage: cd characters && sh ../docs/guide/example_commands.sh
run() {
    printf '\n== %s ==\n$ scorecast %s\n' "$1" "$2"
    eval "scorecast $2" && code=0 || code=$?
    printf '(exit code %s)\n' "$code"
}
exec 2>&1
run embeddings 'extrapolate --gallery gallery.npy --gallery-labels names.csv \
    --probes probes.npy --labels labels.csv --metric cosine --to 242 --to 1623 \
    --json answer.json --report answer.html'
run matrix "extrapolate run.npz --to 242"
run distances 'extrapolate distances.npy --lower-is-better --labels labels.csv \
    --classes names.csv --to 242 --backtest 0'
run backtest 'backtest run.npz --method auto --method gaussian --ratio 2'
run gate "extrapolate run.npz --to 242 --fail-below 0.7 --quiet"
run direction 'extrapolate distances.npy --labels labels.csv --classes names.csv \
    --to 242 --backtest 0'
run costs "extrapolate run.npz --cost cost.npy --to 242"
run missing "extrapolate distances.npy --to 242"
run exists "extrapolate run.npz --to 242 --json answer.json --quiet"
run page "report answer.json --out page.html --title 'Handwritten characters'"
