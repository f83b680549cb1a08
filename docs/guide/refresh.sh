#!/bin/sh
# Run the example again and keep what it printed; the guide quotes these files.
# Usage, from the root of a clone: sh docs/guide/refresh.sh
set -eu
bin="$PWD/.venv/bin"
here="$PWD/docs/guide"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONWARNINGS=ignore "$bin/python" "$here/example_characters.py" "$work/characters" \
    >"$here/example_characters.txt"
cd "$work/characters"
PATH="$bin:$PATH" sh "$here/example_commands.sh" >"$here/example_commands.txt"
"$bin/python" "$here/example_figure.py" answer.json "$here/../_static/forecast.svg"
"$bin/python" "$here/example_json.py" answer.json >"$here/../reference/answer.txt"
PYTHONWARNINGS=ignore "$bin/python" "$here/example_information.py" \
    >"$here/example_information.txt"
cp "$here/../../src/scorecast/io/examples/world_cups.csv" .
PATH="$bin:$PATH" sh "$here/example_information.sh" \
    >"$here/example_information_commands.txt"
"$bin/python" "$here/example_identification.py" "$work/identification" \
    >"$here/example_identification.txt"
cd "$work/identification"
PATH="$bin:$PATH" sh "$here/example_identification.sh" \
    >"$here/example_identification_commands.txt"
mkdir "$work/simulation"
cd "$work/simulation"
"$bin/python" "$here/example_simulation.py" >"$here/example_simulation.txt"
rm -f cases.*
PATH="$bin:$PATH" sh "$here/example_simulation.sh" \
    >"$here/example_simulation_commands.txt"
PYTHONWARNINGS=ignore "$bin/python" "$here/example_settings.py" \
    >"$here/example_settings.txt"
PATH="$bin:$PATH" sh "$here/example_settings.sh" \
    >"$here/example_settings_commands.txt"
# The colon data are not shipped; without them the page keeps what it has.
colon="${SCORECAST_DATA:-$here/../../../shared/data}/microarray_colon.npz"
if [ -f "$colon" ]; then
    mkdir "$work/assessment"
    cp "$colon" "$work/assessment"
    cd "$work/assessment"
    PATH="$bin:$PATH" sh "$here/example_assessment.sh" \
        >"$here/example_assessment_commands.txt"
fi
# Nor are the prostate data.
prostate="${SCORECAST_DATA:-$here/../../../shared/data}/surv_stagec_prostate.csv.gz"
if [ -f "$prostate" ]; then
    mkdir "$work/recurrence"
    gzip -dc "$prostate" >"$work/recurrence/stagec.csv"
    cd "$work/recurrence"
    PATH="$bin:$PATH" sh "$here/example_recurrence.sh" \
        >"$here/example_recurrence_commands.txt"
    PYTHONWARNINGS=ignore "$bin/python" "$here/example_recurrence.py" >printed.txt
fi
PYTHONWARNINGS=ignore "$bin/python" "$here/example_biclusters.py" "$work/biclusters" \
    >"$here/example_biclusters.txt"
cd "$work/biclusters"
PATH="$bin:$PATH" sh "$here/example_biclusters.sh" \
    >"$here/example_biclusters_commands.txt"
PYTHONWARNINGS=ignore "$bin/python" "$here/example_comparison.py" "$work/comparison" \
    >"$here/example_comparison.txt"
cd "$work/comparison"
PATH="$bin:$PATH" sh "$here/example_comparison.sh" \
    >"$here/example_comparison_commands.txt"
"$bin/python" "$here/inline.py"
