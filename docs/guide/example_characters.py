"""The worked example of the guide, from end to end.

Usage: python docs/guide/example_characters.py [FOLDER]

Prints everything the guide quotes, and writes the files that the commands of
example_commands.sh read into FOLDER (by default a new folder `characters`).
"""

import sys
import warnings
from pathlib import Path

# [imports]
import numpy as np
from sklearn.linear_model import LogisticRegression

import scorecast as sc
from scorecast.extrapolation import Extrapolation, Regression
from scorecast.io import load_characters
from scorecast.report import render_text
# [end]


def heading(text):
    print(f"\n== {text} ==")


# [load]
known = load_characters()  # 242 characters, 10 drawings of each to recognise
names = np.array(known.names)
truth = names[known.labels]  # the name of the character in each drawing

chosen = np.sort(np.random.default_rng(0).permutation(242)[:60])
seen = np.isin(known.labels, chosen)

gallery, gallery_names = known.gallery[chosen], names[chosen]
probes, y_true = known.probes[seen], truth[seen]
# [end]

heading("load")
print(gallery.shape, probes.shape, gallery_names[:2], y_true[:2])

# [forecast]
vectors = sc.Embeddings(gallery, probes, metric="cosine", gallery_labels=gallery_names)
answer = sc.extrapolate(vectors, y_true, to=[242, 1623])
# [end]

heading("forecast")
print(render_text(answer))

heading("sentence")
print(answer.summary())

heading("frame")
print(answer.to_frame().round(3).to_string(index=False))

heading("methods")
for method in answer.methods:
    at_242, at_1623 = method.targets
    print(
        f"{method.name:<11}{method.weight:6.2f}{at_242:8.3f}{at_1623:8.3f}  {method.role}"
    )

# [truth]
everything = sc.Embeddings(
    known.gallery, known.probes, metric="cosine", gallery_labels=names
)
exact = sc.accuracy_curve(everything, truth, sizes=[60, 242])
# [end]

heading("truth")
print(exact.classes.tolist(), exact.accuracy.round(4).tolist())

# [curve]
curve = sc.accuracy_curve(vectors, y_true, sizes=[2, 10, 30, 59, 60])
top_5 = sc.accuracy_curve(vectors, y_true, sizes=[30, 60], top=5)
# [end]

heading("curve")
for k, accuracy, error in zip(*curve.to_columns().values(), strict=True):
    print(f"{k:3d} classes  {accuracy:.4f}  standard error {error:.4f}")
print("among the best five:", top_5.accuracy.round(4).tolist())

# [top]
best_five = sc.extrapolate(vectors, y_true, to=242, top=5)
exact_five = sc.accuracy_curve(everything, truth, sizes=242, top=5)
# [end]

heading("top")
print(best_five.summary())
print(f"With all 242 characters: {exact_five.accuracy[0]:.3f}.")

heading("ties")


# [ties]
def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


similarity = unit(probes) @ unit(gallery).T  # the same scores, as a matrix
coarse = similarity.round(1)  # as if scores were stored with one digit
named = sc.Scores(coarse, y_true, classes=gallery_names)
for ties in ("optimistic", "random", "pessimistic"):
    rule = sc.accuracy_curve(named, sizes=60, ties=ties)
    print(ties, rule.accuracy.round(4))
# [end]

heading("average")
# [average]
number = np.searchsorted(gallery_names, y_true)
drawing = np.arange(600) % 10
kept = (number % 2 == 0) | (drawing == 0)  # one drawing of every other character
unequal = sc.Scores(similarity[kept], y_true[kept], classes=gallery_names)
for average in ("macro", "micro"):
    print(sc.accuracy_curve(unequal, average=average).summary())
# [end]

heading("distances")
# [distances]
distance = np.linalg.norm(unit(probes)[:, None] - unit(gallery)[None], axis=2)
for scores, bigger in ((similarity, True), (distance, False)):
    table = sc.Scores(scores, y_true, classes=gallery_names, greater_is_better=bigger)
    for name in ("gaussian", "kde-ucv", "auto"):
        said = sc.extrapolate(table, to=242, method=name, compare=False, backtest=0)
        expected = said.predictions[0].accuracy
        print(f"{said.observed_accuracy:.4f} {name:<9}{expected:.4f}")
# [end]

heading("backtest")
# [backtest]
test = sc.backtest(vectors, y_true, ratios=[2, 4], n_repeats=20)
print(render_text(test))
# [end]

heading("risk")
# [risk]
alphabet = np.array([name.split("/")[0] for name in gallery_names])
cost = np.where(alphabet[:, None] == alphabet[None, :], 0.2, 1.0)
np.fill_diagonal(cost, 0)  # cost[l, i]: deciding for l where i is true

risk = sc.extrapolate(vectors, y_true, cost=cost, to=242)
print(risk.summary())
# [end]
alphabets = np.array([name.split("/")[0] for name in names])
costs = np.where(alphabets[:, None] == alphabets[None, :], 0.2, 1.0)
np.fill_diagonal(costs, 0)
found = sc.risk_curve(everything, truth, cost=costs, sizes=242, standard_errors=False)
print(f"With all 242: {found.risk[0]:.4g}.")

heading("perfect")
# [perfect]
right = (similarity.argmax(axis=1) == number).reshape(60, 10).all(axis=1)
easy = np.flatnonzero(right)[:12]  # twelve characters that are never mistaken
mine = np.isin(number, easy)
faultless = sc.Scores(
    similarity[mine][:, easy], y_true[mine], classes=gallery_names[easy]
)
bound = sc.extrapolate(faultless, to=[24, 242])
print(render_text(bound))
# [end]

heading("non-marginal")
# [non-marginal]
first_half = drawing < 5
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    learnt = sc.scores_from(
        LogisticRegression(C=100, max_iter=2000),
        probes[first_half],
        y_true[first_half],
        probes[~first_half],
        y_true[~first_half],
    )
print(caught[0].category.__name__, "-", caught[0].message)
print(sc.extrapolate(learnt, to=242).summary())
# [end]
half = np.arange(2420) % 10 < 5
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    model = LogisticRegression(C=100, max_iter=2000)
    whole = sc.scores_from(
        model, known.probes[half], truth[half], known.probes[~half], truth[~half]
    )
print("Trained on all 242:", sc.accuracy_curve(whole, sizes=242).accuracy.round(3))

heading("estimator")
# [estimator]
regression = Regression(form="simplex")  # a method with settings of its own
said = sc.extrapolate(vectors, y_true, to=242, method=regression)
(p,) = said.predictions
print(said.bandwidth, round(p.accuracy, 3), round(p.low, 3), round(p.high, 3))
# [end]

heading("saved")
# [saved]
again = Extrapolation.from_dict(answer.to_dict())
print(again.predictions == answer.predictions)
# [end]

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "characters")
folder.mkdir(parents=True, exist_ok=True)
np.save(folder / "gallery.npy", gallery)
np.save(folder / "probes.npy", probes)
np.savez(folder / "run.npz", scores=similarity, labels=number)
np.save(folder / "distances.npy", distance)
np.save(folder / "cost.npy", cost)
(folder / "names.csv").write_text("\n".join(["name", *gallery_names]) + "\n")
(folder / "labels.csv").write_text("\n".join(["label", *y_true]) + "\n")
