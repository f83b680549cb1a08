"""Long runs: time limits, and files from which they go on."""

import json
import subprocess
import sys
import time
from copy import deepcopy
from functools import partial

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectKBest, chi2, f_classif
from tests.assessing import assess_bare, only

from scorecast._core.identity import identity_of
from scorecast.evaluation import (
    METRICS,
    FailureKind,
    check_data,
    cost_metric,
    smoothed_error,
)
from scorecast.evaluation.fitting import check_missing
from scorecast.evaluation.intervals import capacity_intervals
from scorecast.exceptions import (
    CheckpointError,
    DataWarning,
    FitFailedError,
    InvalidInputError,
    UsageError,
)

TESTED = {"n_permutations": 6, "n_null_data": 2, "n_resamples": 50, "cv": 4}


def sleeper(first):
    """Return a classifier that never comes back if its first sample is another one."""

    class Sleeper(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            import time

            import numpy as np

            self.classes_ = np.unique(y)
            if X[0, 0] != first:
                time.sleep(60)
            return self

        def predict(self, X):
            import numpy as np

            return np.full(len(X), self.classes_[0])

    return Sleeper()


def test_a_fit_that_hangs_is_stopped_and_the_rest_goes_on(easy):
    found = only(assess_bare(sleeper(easy[0][0, 0]), *easy, cv=4, time_limit=6))
    (failure,) = found.failures
    assert (failure.kind, failure.seconds) == (FailureKind.TIMEOUT, 6)
    assert np.isfinite(found.main.folds).sum() == 3


def test_a_fit_that_kills_its_process_is_said_to_have_died(easy):
    class Killer(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            import os

            os._exit(9)

        def predict(self, X):
            """Never come here."""

    with pytest.raises(FitFailedError, match=r"its process died \(exit code 9"):
        assess_bare(Killer(), *easy, time_limit=60, cv=2)


class Slow(ClassifierMixin, BaseEstimator):
    """Hangs on all forty samples, and on no fewer."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if len(y) == 40:
            time.sleep(100)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_fits_beside_the_splits_are_limited_in_time(easy):
    start = time.monotonic()
    with pytest.raises(FitFailedError, match=r"stopped after 0\.5 s"):
        capacity_intervals(
            Slow(),
            check_data(*easy),
            [METRICS["accuracy"]],
            3.0,
            level=0.95,
            rng=np.random.default_rng(0),
            time_limit=0.5,
        )
    X = easy[0].copy()
    X[1, 2] = np.nan
    # It may still learn from fewer, so that it is not refused.
    check_missing({"slow": Slow()}, check_data(X, easy[1]), 0.5)
    assert time.monotonic() - start < 90


def test_a_limit_that_is_not_reached_changes_nothing(easy):
    free, limited = (
        assess_bare("tree", *easy, cv=4, time_limit=limit) for limit in (None, 60)
    )
    assert limited.to_dict() == free.to_dict()


def test_an_interrupted_run_goes_on_and_ends_the_same(easy, tmp_path):
    path = tmp_path / "run.jsonl"
    whole = assess_bare("tree", *easy, checkpoint=path, **TESTED).to_dict()
    lines = path.read_text().splitlines()
    assert len(lines) == 1 + 4 + 6 + 2
    assert whole == assess_bare("tree", *easy, **TESTED).to_dict()
    # Stopped in the middle of a line.
    path.write_text("\n".join(lines[:6]) + "\n" + lines[6][:20])
    with pytest.warns(DataWarning, match="the last line was cut off"):
        again = assess_bare("tree", *easy, checkpoint=path, **TESTED)
    assert again.to_dict() == whole
    assert path.read_text().splitlines() == lines
    # A value that was altered is not believed.
    first = next(i for i, line in enumerate(lines) if "tree/permuted" in line)
    row = json.loads(lines[first])
    lines[first] = json.dumps(row | {"value": [[1.0] * 4]})
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(CheckpointError, match=f"run.jsonl, line {first + 1}: damaged"):
        assess_bare("tree", *easy, checkpoint=path, **TESTED)


def test_what_workers_find_is_kept_too(easy, tmp_path):
    path, other = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    whole = assess_bare("tree", *easy, checkpoint=path, **TESTED).to_dict()
    parallel = assess_bare("tree", *easy, checkpoint=other, n_jobs=2, **TESTED)
    assert parallel.to_dict() == whole
    one, two = ({_part(x) for x in p.read_text().splitlines()} for p in (path, other))
    assert one == two
    assert assess_bare("tree", *easy, checkpoint=other, **TESTED).to_dict() == whole


def _part(line):
    row = json.loads(line)
    return row.get("part"), row.get("number")


@pytest.mark.parametrize(
    "change", [{"random_state": 1}, {"cv": 5}, {"n_permutations": 7}]
)
def test_the_checkpoint_of_another_run_is_refused(easy, tmp_path, change):
    path = tmp_path / "run.jsonl"
    assess_bare("naive-bayes", *easy, checkpoint=path, **TESTED)
    kept = path.read_bytes()
    with pytest.raises(InvalidInputError, match="another run"):
        assess_bare("naive-bayes", *easy, checkpoint=path, **{**TESTED, **change})
    with pytest.raises(InvalidInputError, match="another run"):
        assess_bare("naive-bayes", easy[0] + 1, easy[1], checkpoint=path, **TESTED)
    assert path.read_bytes() == kept


SELECTING = """
import numpy as np
from scorecast.evaluation import Diagnostics, assess
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

X = np.random.default_rng(0).normal(size=(24, 5))
assess(
    make_pipeline(SelectKBest(f_classif, k=K), GaussianNB()), X, np.arange(24) % 2,
    cv=3, tests=None, checkpoint=PATH,
    diagnostics=Diagnostics(bias_variance=False, data_profile=False, n_resamples=0),
)
"""


def test_a_run_that_selects_features_goes_on_in_another_process(tmp_path):
    path = str(tmp_path / "run.jsonl")
    script = f"PATH, K = {path!r}, 2\n{SELECTING}"
    subprocess.run([sys.executable, "-c", script], check=True)
    kept = (tmp_path / "run.jsonl").read_bytes()
    exec(SELECTING, {"PATH": path, "K": 2})
    assert (tmp_path / "run.jsonl").read_bytes() == kept
    with pytest.raises(InvalidInputError, match="another run"):
        exec(SELECTING, {"PATH": path, "K": 3})


def test_what_tells_runs_apart_is_what_values_hold():
    def by(table):
        return lambda row: table[row]

    pairs = [
        (cost_metric([[0, 1], [1, 0]]), cost_metric([[0, 1], [9, 0]])),
        (smoothed_error(0.1), smoothed_error(0.3)),
        (SelectKBest(f_classif), SelectKBest(chi2)),
        (partial(sorted, reverse=True), partial(sorted, reverse=False)),
        (np.zeros(3), np.zeros(3, dtype=np.float32)),
        (np.arange(2000), np.r_[:1000, 0, 1001:2000]),
        (np.random.default_rng(0), np.random.default_rng(1)),
        ({1, 2}, {1, 3}),
        (by([1]), by([2])),
    ]
    for one, other in pairs:
        assert identity_of(one) == identity_of(deepcopy(one))
        assert identity_of(one) != identity_of(other)
        assert " at 0x" not in identity_of(one)
    endless = []
    endless.append(endless)
    assert identity_of(endless)


def test_other_metrics_and_groups_are_another_run(easy, tmp_path):
    splits = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]
    path, groups = tmp_path / "run.jsonl", np.arange(40) // 2

    def run(cost, groups):
        scoring = ["accuracy", cost_metric(cost)]
        call = {"scoring": scoring, "groups": groups, "checkpoint": path}
        return assess_bare("naive-bayes", *easy, cv=splits, **call)

    cost = [[0, 1], [5, 0]]
    whole = run(cost, groups)
    assert run(cost, groups).to_dict() == whole.to_dict()
    for other in (([[0, 1], [2, 0]], groups), (cost, np.arange(40) // 4)):
        with pytest.raises(InvalidInputError, match="another run"):
            run(*other)


def test_other_files_are_no_checkpoints(easy, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InvalidInputError, match="not a checkpoint"):
        assess_bare("naive-bayes", *easy, checkpoint=path)
    assert path.read_text() == "a,b\n1,2\n"


def test_a_limit_must_be_positive(easy):
    with pytest.raises(UsageError) as caught:
        assess_bare("naive-bayes", *easy, time_limit=0)
    assert caught.value.parameter == "time_limit"
