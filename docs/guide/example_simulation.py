"""Data with a known truth, in Python: the guide to simulation quotes this.

Usage: cd AN_EMPTY_FOLDER && python docs/guide/example_simulation.py
"""

import numpy as np

import scorecast as sc


def heading(text):
    print(f"\n== {text} ==")


heading("python")
# [python]
data = sc.simulate.classification(
    200,
    500,
    n_classes=3,
    std=1,
    informative=0.02,
    skew=sc.simulate.Skew(share=0.3),
    random_state=1,
)
print(data.summary())
print(data.truth.informative)
data.save("cases.npz")  # and cases.truth.json beside it
# [end]

heading("components")
# [components]
mixed = sc.simulate.classification(
    300,
    20,
    n_classes=2,
    mixing="value",
    distribution=[
        sc.simulate.Normal(0, 2),
        [sc.simulate.Normal(1, 2), sc.simulate.Poisson(4)],
    ],
    noise=0.1,
)
known = mixed.truth.bayes_error
print(f"{known.value:.4f} ({known.low:.4f} to {known.high:.4f}), {known.method}")
# [end]

heading("curve")
# [curve]
task = sc.simulate.recognition(50, 5, population="uniform", n_features=3)
print(task.truth.population.accuracy([10, 1000, 100_000]).round(4))
# [end]

heading("hidden")
# [hidden]
matrix = sc.simulate.biclusters(100, 30, pattern="multiplicative")
first = matrix.truth.biclusters[0]
block = matrix.X[np.ix_(first.rows, first.columns)]
print(first.pattern, block.shape, np.allclose(block, first.values))
# [end]
heading("end")
