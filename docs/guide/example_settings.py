"""Models over many settings: the guide to settings quotes this.

Usage: python docs/guide/example_settings.py
"""

import warnings

# [imports]
from functools import partial

import scorecast as sc
from scorecast.report import render_text
# [end]

warnings.simplefilter("ignore")


def heading(text):
    print(f"\n== {text} ==")


heading("grid")
# [grid]
make = partial(
    sc.simulate.SIMULATORS["classification"].make,
    n_samples=100,
    n_features=60,
    informative=0.2,
    std=1,
    with_bayes_error=False,
)
answer = sc.assess_settings(
    ["naive-bayes", "tree"],
    make,
    settings={"noise": [0, 0.1, 0.4], "skew_share": [0, 0.6]},
    n_sets=5,
)
print(render_text(answer))
# [end]

heading("factors")
# [factors]
for view in answer.views:
    if view.model == "naive-bayes":
        print(view.factor, view.value, f"{view.estimate:.3f}", f"{view.spread:.3f}")
# [end]
heading("end")
