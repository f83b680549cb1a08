"""Draw a saved forecast as an SVG file that stands on its own.

Usage: python example_figure.py RESULT.json FILE.svg
"""

import json
import sys
from pathlib import Path

import matplotlib as mpl

import scorecast as sc

mpl.use("svg")
mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "scorecast"})
answer = sc.Extrapolation.from_dict(json.loads(Path(sys.argv[1]).read_text()))
figure = sc.plot(answer).figure
figure.savefig(
    sys.argv[2], metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
)
