"""One convention of costs everywhere: a row for every answer, a column for every truth.

One asymmetric matrix goes through every door that takes costs, in Python and on the
command line, and each must charge the same decisions the same. The transposed matrix
gives another sum, so that a door with its rows and columns exchanged would show.
"""

import json

import numpy as np
import pytest
from tests.assessing import assess_bare, only

from scorecast.evaluation import Predictions, cost_metric
from scorecast.extrapolation import extrapolate
from scorecast.io import read_costs
from scorecast.scores import risk_curve

NAMES = ("cat", "dog", "eel")
COST = np.array([[0.0, 1.0, 30.0], [7.0, 0.0, 2.0], [100.0, 4.0, 0.0]])
TRUTH = np.repeat([0, 1, 2], 8)
ANSWER = np.array([int(a) for a in "000011121111110222222200"])
ALWAYS = "strategy='constant', constant='cat'"
QUIET = "ignore::scorecast.exceptions.ScorecastWarning"


@pytest.fixture
def cost_file(tmp_path):
    rows = [
        f"{name},{','.join(map(str, row))}"
        for name, row in zip(NAMES, COST, strict=True)
    ]
    path = tmp_path / "cost.csv"
    path.write_text("\n".join([",".join(("answer", *NAMES)), *rows]) + "\n")
    return path


def scores():
    noise = np.random.default_rng(0).random((TRUTH.size, 3))
    return noise + 5 * np.eye(3)[ANSWER]


def paid(cost, answer):
    """Charge decisions: this line is the convention."""
    return cost[answer, TRUTH].mean()


def told_by_the_metric(_path, _run):
    predictions = Predictions(truth=TRUTH, predicted=ANSWER, n_classes=3)
    return cost_metric(COST).measure(predictions), ANSWER


def told_by_assess(_path, _run):
    found = assess_bare(
        f"sklearn.dummy:DummyClassifier({ALWAYS})",
        np.arange(24.0)[:, None],
        np.array(NAMES)[TRUTH],
        scoring=cost_metric(COST),
        cv=4,
    )
    return only(found).main.estimate, np.zeros(24, dtype=int)


def told_by_the_verb_assess(path, run):
    table = path.parent / "cases.csv"
    rows = [f"{i},{NAMES[t]}" for i, t in enumerate(TRUTH)]
    table.write_text("\n".join(["x,kind", *rows]) + "\n")
    code, out, err = run(
        "assess", table, "--target", "kind", "--cost", path, "--cv", "4",
        "--model", f"sklearn.dummy:DummyClassifier({ALWAYS})", "--json", "-",
        "--permutations", 0,
    )  # fmt: skip
    assert code == 0, err
    (model,) = json.loads(out)["result"]["models"].values()
    return np.mean(model["metrics"]["cost"]["samples"]), np.zeros(24, dtype=int)


def told_by_risk_curve(_path, _run):
    return risk_curve(scores(), TRUTH, cost=COST, sizes=3, average="micro").risk[
        0
    ], ANSWER


def told_by_extrapolate(_path, _run):
    found = extrapolate(scores(), TRUTH, cost=COST, to=3, average="micro")
    return found.predictions[0].risk, ANSWER


def told_by_the_file(path, _run):
    return paid(read_costs(path, NAMES).values, ANSWER), ANSWER


def told_by_the_verb_extrapolate(path, run):
    (path.parent / "names.txt").write_text("\n".join(NAMES) + "\n")
    (path.parent / "labels.txt").write_text("\n".join(NAMES[t] for t in TRUTH) + "\n")
    np.save(path.parent / "s.npy", scores())
    code, out, err = run(
        "extrapolate", path.parent / "s.npy", "--labels", path.parent / "labels.txt",
        "--classes", path.parent / "names.txt", "--cost", path, "--to", 3,
        "--average", "micro", "--json", "-",
    )  # fmt: skip
    assert code == 0, err
    return json.loads(out)["result"]["predictions"][0]["risk"], ANSWER


DOORS = {
    name.removeprefix("told_by_"): door
    for name, door in list(globals().items())
    if name.startswith("told_by_")
}


@pytest.mark.filterwarnings(QUIET)
@pytest.mark.parametrize("door", DOORS)
def test_a_row_is_an_answer_and_a_column_a_truth(door, cost_file, run):
    found, answer = DOORS[door](cost_file, run)
    assert abs(paid(COST.T, answer) - paid(COST, answer)) > 1
    assert found == pytest.approx(paid(COST, answer))
