"""What an assessment warns of."""

import numpy as np
import pytest

import scorecast as sc
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
