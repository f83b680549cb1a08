"""The worked example about information, from end to end.

Usage: python docs/guide/example_information.py
"""

import warnings

# [imports]
import numpy as np

import scorecast as sc
from scorecast.io import load_matches
from scorecast.report import render_text
# [end]

warnings.simplefilter("ignore")


def heading(text):
    print(f"\n== {text} ==")


# [load]
known = load_matches()  # 279 matches, chances of win, draw and loss
cases = sc.cases_from_classes(
    known.probabilities,
    known.outcome,
    classes=known.classes,
    prior="leave-one-out",
    ids=known.matches,
    groups=known.cups,
)
# [end]

# [answer]
answer = sc.apparent_information(cases, units="bits")
# [end]

heading("answer")
print(render_text(answer))
heading("frame")
print(answer.to_frame().round(3).to_string(index=False))

heading("compare")
# [compare]
softened = 0.5 * known.probabilities + 0.5 / 3  # half way to one third each
other = sc.cases_from_classes(
    softened, known.outcome, classes=known.classes, prior="leave-one-out"
)
beyond = sc.compare_information(cases, other, units="bits")
print(beyond.summary())
print(np.allclose(beyond.cases.j + other.j, cases.j))
# [end]

heading("zero")
# [zero]
certain = (known.probabilities == known.probabilities.max(axis=1, keepdims=True)) * 1.0
boaster = sc.cases_from_classes(
    certain, known.outcome, classes=known.classes, prior="leave-one-out"
)
print(sc.apparent_information(boaster, units="bits").summary())
print(sc.apparent_information(boaster, units="bits", floor=0.01).summary())
# [end]

heading("end")
