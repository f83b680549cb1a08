"""Long runs: time limits, and files from which they go on."""

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import scorecast as sc
from scorecast.exceptions import InvalidInputError, UsageError

QUICK = {
    "n_permutations": 6, "n_null_data": 2, "n_resamples": 50, "sampling": "cv4",
    "with_bias_variance": False,
}  # fmt: skip


def sleeper(first):
    """Return a classifier that never comes back if its first case is another one."""

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
    options = {**QUICK, "n_permutations": 0}
    found = sc.assess(sleeper(easy[0][0, 0]), *easy, time_limit=6, **options)
    model = found.models[0]
    assert model.failures == ("failed: stopped after 6 s",)
    assert np.isfinite(model.losses[0].folds).sum() == 3


def test_a_limit_that_is_not_reached_changes_nothing(easy):
    options = {**QUICK, "n_permutations": 0}
    free = sc.assess("tree", *easy, **options)
    limited = sc.assess("tree", *easy, time_limit=60, **options)
    assert limited.to_dict() == free.to_dict()


def test_an_interrupted_run_goes_on_and_ends_the_same(easy, tmp_path):
    path = tmp_path / "run.jsonl"
    whole = sc.assess("tree", *easy, checkpoint=path, **QUICK).to_dict()
    lines = path.read_text().splitlines()
    assert len(lines) == 1 + 4 + 6 + 2
    assert whole == sc.assess("tree", *easy, **QUICK).to_dict()
    # Stopped in the middle of a line.
    path.write_text("\n".join(lines[:6]) + "\n" + lines[6][:20])
    assert sc.assess("tree", *easy, checkpoint=path, **QUICK).to_dict() == whole
    # What is noted is not done again: a forged value comes through.
    rows = [json.loads(line) for line in lines[1:]]
    forged = next(row for row in rows if row["part"] == "tree/permuted")
    forged["value"] = [[1.0] * 4]
    path.write_text("\n".join([lines[0], *map(json.dumps, rows)]) + "\n")
    again = sc.assess("tree", *easy, checkpoint=path, **QUICK).to_dict()
    assert again != whole


@pytest.mark.parametrize(
    "change", [{"random_state": 1}, {"sampling": "cv5"}, {"n_permutations": 7}]
)
def test_the_checkpoint_of_another_run_is_refused(easy, tmp_path, change):
    path = tmp_path / "run.jsonl"
    sc.assess("naive-bayes", *easy, checkpoint=path, **QUICK)
    kept = path.read_bytes()
    with pytest.raises(InvalidInputError, match="another run"):
        sc.assess("naive-bayes", *easy, checkpoint=path, **{**QUICK, **change})
    with pytest.raises(InvalidInputError, match="another run"):
        sc.assess("naive-bayes", easy[0] + 1, easy[1], checkpoint=path, **QUICK)
    assert path.read_bytes() == kept


def test_other_files_are_no_checkpoints(easy, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InvalidInputError, match="not a checkpoint"):
        sc.assess("naive-bayes", *easy, checkpoint=path, **QUICK)
    assert path.read_text() == "a,b\n1,2\n"


def test_a_limit_must_be_positive(easy):
    with pytest.raises(UsageError, match="time_limit"):
        sc.assess("naive-bayes", *easy, time_limit=0, **QUICK)
