"""The worked example about comparing models, from end to end.

Usage: python docs/guide/example_comparison.py FOLDER
"""

import csv
import sys
import warnings
from pathlib import Path
from textwrap import fill

# [imports]
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import scorecast as sc
# [end]

warnings.simplefilter("ignore")
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def heading(text):
    print(f"\n== {text} ==")


# [data]
models = {
    "logistic": LogisticRegression(),
    "naive Bayes": GaussianNB(),
    "neighbours": KNeighborsClassifier(),
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "stump": DecisionTreeClassifier(max_depth=1),
}


def data_set(seed):
    rng = np.random.default_rng(seed)
    return make_classification(
        n_samples=150,
        n_features=int(rng.integers(5, 20)),
        n_informative=4,
        n_redundant=0,
        class_sep=rng.uniform(0.4, 1.2),
        flip_y=rng.uniform(0, 0.15),
        random_state=seed,
    )


results = {name: [] for name in models}
for seed in range(20):
    X, y = data_set(seed)
    for name, model in models.items():
        results[name].append(cross_val_score(model, X, y, cv=5).mean())
# [end]

heading("answer")
# [answer]
answer = sc.compare(results)
print(answer)
# [end]

heading("paragraph")
# [paragraph]
print(fill(sc.render(answer, "paragraph"), 88))
# [end]

heading("latex")
# [latex]
print(sc.render(answer, "latex"))
# [end]

heading("classic")
# [classic]
classic = sc.compare(results, post_hoc="nemenyi")
print(fill(classic.summary(), 88))
print(f"critical difference {classic.critical_difference:.2f}")
print(*classic.cliques, sep="\n")
sharper = sc.compare(results, post_hoc="bergmann-hommel")
print("by Bergmann and Hommel:")
print(*sharper.cliques, sep="\n")
# [end]

heading("control")
# [control]
against = sc.compare(results, control="naive Bayes")
print(fill(against.summary(), 88))
# [end]

heading("splits")
# [splits]
X, y = data_set(3)
folds = {n: cross_val_score(models[n], X, y, cv=10) for n in ("logistic", "tree")}
found = sc.compare_pair(
    folds["logistic"],
    folds["tree"],
    test_ratio=1 / 9,  # ten folds: one sample tested for nine trained on
    names=("logistic", "tree"),
    rope=0.02,
)
print(found)
# [end]

heading("cases")
# [cases]
said = {n: cross_val_predict(models[n], X, y, cv=10) for n in ("logistic", "tree")}
found = sc.compare_pair(
    said["logistic"], said["tree"], y, names=("logistic", "tree")
)
print(fill(found.summary(), 88))
# [end]

heading("areas")
# [areas]
chance = {
    n: cross_val_predict(models[n], X, y, cv=10, method="predict_proba")[:, 1]
    for n in ("logistic", "tree")
}
found = sc.compare_pair(
    chance["logistic"], chance["tree"], y, names=("logistic", "tree")
)
print(fill(found.summary(), 88))
# [end]

heading("groups")
# [groups]
patient = np.repeat(np.arange(50), 3)  # three visits each
found = sc.compare_pair(
    chance["logistic"],
    chance["tree"],
    y,
    groups=patient,
    scoring="roc_auc",
    names=("logistic", "tree"),
    random_state=0,
)
print(fill(found.summary(), 88))
# [end]

heading("few")
# [few]
try:
    sc.compare_pair(results["tree"][:5], results["stump"][:5])
except sc.exceptions.InsufficientDataError as refusal:
    print(refusal)
# [end]

heading("end")
with open(folder / "results.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["data set", *results])
    for i, row in enumerate(zip(*results.values(), strict=True)):
        cells = [f"{x:.4f}" for x in row]
        if i == 7:
            cells[2] = ""  # a run that failed
        writer.writerow([f"set {i}", *cells])
with open(folder / "scores.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["ill", "patient", *chance])
    for row in zip(y, patient, *chance.values(), strict=True):
        writer.writerow([*row[:2], *(f"{x:.4f}" for x in row[2:])])
