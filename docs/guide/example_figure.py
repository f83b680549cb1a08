"""Draw a saved forecast as an SVG file that stands on its own.

Usage: python example_figure.py RESULT.json FILE.svg
"""

import io
import re
import sys
from pathlib import Path

import matplotlib as mpl

import scorecast as sc

mpl.use("svg")
mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "scorecast"})
answer = sc.load(sys.argv[1])
figure = sc.plot(answer).figure
text = io.StringIO()
nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
figure.savefig(text, format="svg", metadata=nothing)
drawing = text.getvalue()
drawing = drawing[drawing.index("<svg") :]  # without the address of a DTD
drawing = re.sub(r"font-family: [^;]*", "font-family: sans-serif", drawing)
drawing = re.sub(r"\d+\.\d+", lambda n: f"{float(n[0]):.1f}", drawing)
Path(sys.argv[2]).write_text(drawing)
