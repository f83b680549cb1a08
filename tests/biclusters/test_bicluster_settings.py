"""Over many settings of made matrices: each is what it is alone, and truth is found."""

import json
from functools import partial

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.result import result_from_dict
from scorecast.biclusters import (
    assess_biclustering,
    assess_biclustering_settings,
    score_biclusters,
    simulated_matrix,
)
from scorecast.exceptions import FitFailedError, UsageError


class Above:
    """Rows and columns in which much is far from the middle; can be asked for less."""

    def __init__(self, cut=3.0):
        self.cut = cut

    def get_params(self, deep=True):
        return {"cut": self.cut}

    def set_params(self, **own):
        (name,) = own
        if name != "cut":
            raise ValueError(name)
        self.cut = own[name]
        return self

    def fit(self, X):
        far = np.abs(X) > self.cut
        self.rows_ = [far.sum(axis=1) >= 3]
        self.columns_ = [far.sum(axis=0) >= 3]
        return self


ONE = {"n_biclusters": 1, "rows": 10, "columns": 6}
make = partial(simulated_matrix, **ONE)
CALL = {"simulator": make, "n_repeats": 6}


@pytest.fixture(scope="module")
def answer():
    """One hidden bicluster, plain to see and not."""
    factors = {"signal": [1.0, 40.0], "size": ["40x20", "60x30"]}
    return assess_biclustering_settings({"above": Above()}, factors, **CALL)


def test_what_stands_out_is_found_and_what_does_not_is_not(answer):
    found = {
        tuple(one.factors.values()): one.models["above"].metrics["consensus"]
        for one in answer.settings
    }
    assert found[40.0, "40x20"].low > found[1.0, "40x20"].high
    assert [(one.n_rows, one.n_columns) for one in answer.settings] == [
        (40, 20),
        (60, 30),
    ] * 2
    plain = answer.settings[2].models["above"].null_tests
    assert max(t.p_value for t in plain.null_models.values()) < 0.05


def test_a_value_is_the_mean_of_scores_counted_one_by_one():
    """Against the same matrices, made and scored by hand."""
    found = assess_biclustering_settings(
        {"above": Above()}, {"signal": [20.0]}, with_nulls=False, **CALL
    )
    seen = []

    def remember(*, random_state, **factors):
        made = make(random_state=random_state, **factors)
        seen.append(made)
        return made

    call = CALL | {"simulator": remember}
    again = assess_biclustering_settings(
        {"above": Above()}, {"signal": [20.0]}, with_nulls=False, **call
    )
    assert again.settings[0].models == found.settings[0].models
    by_hand = [
        score_biclusters(
            Above().fit(one.X), truth=one.truth, shape=one.X.shape, n_random=0
        ).agreement["consensus"]
        for one in seen
    ]
    metric = found.settings[0].models["above"].metrics["consensus"]
    assert metric.folds == pytest.approx([score.value for score in by_hand])
    assert metric.estimate == pytest.approx(np.mean([x.value for x in by_hand]))


def test_a_setting_alone_is_assessed_the_same():
    (stream,) = np.random.default_rng(3).spawn(1)
    alone = assess_biclustering(
        {"above": Above()},
        simulator=lambda rng: make(signal=20.0, random_state=rng),
        n_repeats=6,
        random_state=stream,
    )
    (one,) = assess_biclustering_settings(
        {"above": Above()}, {"signal": [20.0]}, random_state=3, **CALL
    ).settings
    assert one.models == alone.models


def test_parameters_of_models_are_factors():
    factors = {"signal": [40.0], "above__cut": [3.0, 1e6]}
    found = assess_biclustering_settings({"above": Above()}, factors, **CALL)
    values = [
        one.models["above"].metrics["recovery"].estimate for one in found.settings
    ]
    assert values[0] > values[1] == 0.0


def test_it_comes_back_and_is_shown(answer):
    data = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    again = result_from_dict(data)
    assert sc.render(again) == sc.render(answer)
    assert sc.render(answer).startswith("Consensus over 4 settings: above ")
    page = sc.render(answer, "html")
    for said in ("Consensus by setting", "Better than chance?", "size 60x30"):
        assert said in page
    columns = answer.to_columns()
    assert {"signal", "size", "model", "measure", "estimate"} <= set(columns)
    assert len(columns["low"]) == 4 * 4


def test_some_failures_are_noted():
    def brittle(X):
        if X[0, 0] > 1:
            raise ValueError("no")
        return [(range(5), range(4))]

    found = assess_biclustering_settings(
        {"b": brittle}, {"noise": [0.0, 0.1]}, **CALL | {"n_repeats": 20}
    )
    assert "b failed on" in sc.render(found)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"factors": {}}, "one value or more"),
        ({"factors": {"nois": [1]}}, "noise"),
        ({"factors": {"size": ["40 by 20"]}}, "ROWSxCOLUMNS"),
        ({"factors": {"size": ["40x20"], "n_rows": [4]}}, "at once"),
        ({"factors": {"noise": [7]}}, "noise"),
        ({"factors": {"noise": [0.1]}, "design": "gird"}, "Try 'grid'"),
        ({"factors": {"noise": [0.1]}, "measures": "consens"}, "must be among"),
        ({"factors": {"noise": [0.1]}, "n_repeats": 1}, "n_repeats"),
        ({"factors": {"noise": [0.1]}, "simulator": 3}, "function"),
        ({"factors": {"above__cat": [1]}}, "no parameter"),
        ({"factors": {"scoring": ["accuracy"]}}, "no factor 'scoring'"),
    ],
)
def test_what_cannot_be_is_refused(options, said):
    call = CALL | options
    with pytest.raises(UsageError, match=said):
        assess_biclustering_settings({"above": Above()}, **call)


def test_a_setting_in_which_all_fails_is_named():
    def never(X):
        raise ValueError("no")

    with pytest.raises(FitFailedError) as found:
        assess_biclustering_settings({"never": never}, {"noise": [0.1]}, **CALL)
    assert found.value.location.setting == "noise 0.1"
