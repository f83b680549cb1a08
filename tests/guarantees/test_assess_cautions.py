"""What an assessment warns of."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import scorecast as sc
from scorecast.exceptions import UsageError
from scorecast.guarantees import Sampling
from scorecast.report import render_html
from scorecast.report.html import Report

QUICK = {"n_permutations": 0, "n_resamples": 0, "with_bias_variance": False}


def warned(y, **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(len(y), 3))
    found = sc.assess("nearest-centroid", X, y, regularities=False, **QUICK, **options)
    return " ".join(found.warnings)


def test_a_class_of_one_case_is_named():
    said = warned(["a", "b"] * 8 + ["rare"], sampling="loo")
    assert "a class with 1 case (rare) cannot be both learned and tested" in said
    assert "with 1 case" not in warned(["a", "b"] * 8 + ["rare"] * 2, sampling="loo")


def test_splits_of_one_case_are_counted_in_good_english():
    assert "16 splits of 1 case each say little" in warned([0, 1] * 8, sampling="loo")
    assert "3 splits of 5.33 cases each" in warned([0, 1] * 8, sampling="cv3")


@pytest.mark.parametrize(
    "sampling", ["boot1", Sampling(kind="mc", n_folds=2, test_size=0.1)]
)
def test_cases_that_were_never_tested_are_not_counted(easy, sampling):
    found = sc.assess(
        "naive-bayes", *easy, sampling=sampling, n_permutations=0, n_resamples=0,
        with_bias_variance=False,
    )  # fmt: skip
    tested = found.models[0].n_tested
    assert 0 < tested < 40
    assert f"on {tested} of 40 cases" in found.summary()
    assert f"tested on {tested} of 40 cases" in render_html(Report(results=(found,)))


def test_an_error_that_a_model_states_itself_is_said_to_need_calibration(easy):
    call = {"n_permutations": 0, "n_resamples": 0, "with_bias_variance": False}
    losses = ["error", "posterior-error"]
    found = sc.assess("naive-bayes", *easy, losses=losses, **call)
    assert any("calibrated" in text for text in found.warnings)
    assert "calibrated" in render_html(Report(results=(found,)))
    plain = sc.assess("naive-bayes", *easy, losses="error", **call)
    assert not any("calibrated" in text for text in plain.warnings)


class Triple(GaussianNB):
    """States three times what it believes."""

    def predict_proba(self, X):
        return 3 * super().predict_proba(X)


def test_rows_that_do_not_add_up_are_no_probabilities(easy):
    losses = ["accuracy", "auc", "log-loss"]
    found = sc.assess({"three": Triple()}, *easy, losses=losses, **QUICK)
    model = found.models[0]
    assert [x.loss for x in model.losses] == ["accuracy", "auc"]
    said = " ".join(model.warnings)
    assert "a sum of 3" in said
    assert "log-loss needs probabilities" in said
    right = sc.assess({"one": GaussianNB()}, *easy, losses=losses, **QUICK).models[0]
    assert [x.loss for x in right.losses] == losses


def test_luck_of_a_selection_for_numbers_is_said_to_be_unknown(easy):
    X, _ = easy
    found = sc.assess("ridge", X, X[:, 0], selection=2, **QUICK)
    assert any("luck" in text for text in found.warnings)
    assert not any(
        "luck" in text for text in sc.assess("ridge", X, X[:, 0], **QUICK).warnings
    )


def test_bias_and_variance_that_cannot_be_had_do_not_stop_the_rest(easy):
    # A group per class: whatever a bootstrap sample leaves out, it holds one class.
    X, _ = easy
    groups = np.arange(40) // 20
    call = QUICK | {"with_bias_variance": True, "sampling": "group2"}
    found = sc.assess("naive-bayes", X, groups, groups=groups, **call)
    assert found.models[0].bias_variance == ()
    assert any("no bias and variance" in text for text in found.warnings)


@pytest.mark.parametrize("start", [0, 1])
def test_a_column_that_counts_the_rows_is_named(start):
    import pandas as pd

    rng, y = np.random.default_rng(0), np.arange(16) % 2
    table = pd.DataFrame(rng.normal(size=(16, 2)), columns=["a", "b"])
    call = {"n_permutations": 0, "with_bias_variance": False, "sampling": "cv4"}
    plain = " ".join(sc.assess("naive-bayes", table, y, **call).warnings)
    assert "counts the rows" not in plain
    table.insert(1, "no", np.arange(16) + start)
    said = " ".join(sc.assess("naive-bayes", table, y, **call).warnings)
    assert "'no' counts the rows" in said
    assert "--drop 'no'" in said
    matrix = table.to_numpy(dtype=float)
    said = " ".join(sc.assess("naive-bayes", matrix, y, **call).warnings)
    assert "'feature 2' counts the rows" in said
    # What pandas writes where an index had no name, in whatever order.
    table = table.rename(columns={"no": "Unnamed: 0"}).sample(frac=1, random_state=0)
    said = " ".join(sc.assess("naive-bayes", table, y, **call).warnings)
    assert "--drop 'Unnamed: 0'" in said


def test_draws_that_show_nothing_are_refused():
    X, y = np.random.default_rng(0).normal(size=(16, 2)), np.arange(16) % 2
    for name in ("n_permutations", "n_null_data"):
        with pytest.raises(UsageError, match=r"at least 2.*takes 19 at least"):
            sc.assess("naive-bayes", X, y, **{name: 1})
    with pytest.raises(UsageError, match="regressors have none"):
        sc.assess("ridge", X, X[:, 0], null_data="shuffle")
