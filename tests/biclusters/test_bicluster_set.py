"""Whatever holds biclusters is understood, or refused in one line."""

import json
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import scorecast as sc
from scorecast.biclusters import (
    ScoringNote,
    as_bicluster_set,
    assess_biclustering,
)
from scorecast.biclusters.scoring import choose_heat_map
from scorecast.exceptions import (
    DataWarning,
    InsufficientDataError,
    InvalidInputError,
    UsageError,
)

PAIRS = [([0, 2], [1]), ([1], [0, 2, 3])]


def same(first, second):
    return np.array_equal(first.rows, second.rows) and np.array_equal(
        first.columns, second.columns
    )


def test_every_form_gives_the_same_set():
    plain = as_bicluster_set(PAIRS, shape=(4, 5))
    assert plain.areas.tolist() == [2, 3]
    forms = [
        plain,
        [(np.array(r), np.array(c)) for r, c in PAIRS],
        [{"rows": r, "columns": c} for r, c in PAIRS],
        {"biclusters": {"0": {"X": [0, 2], "Y": [1]}, "1": {"X": [1], "Y": [0, 2, 3]}}},
        {"biclusters": [{"X": r, "Y": c} for r, c in PAIRS]},
        SimpleNamespace(rows_=plain.rows, columns_=plain.columns),
        (plain.rows, plain.columns),
        (plain.rows.astype(int), plain.columns.astype(int)),
        json.loads(json.dumps(plain.to_dict())),
        (pair for pair in PAIRS),
    ]
    for form in forms:
        assert same(as_bicluster_set(form, shape=(4, 5)), plain)


def test_scikit_learn_estimators():
    from sklearn.cluster import SpectralBiclustering, SpectralCoclustering

    rng = np.random.default_rng(0)
    X = rng.random((30, 20)) + 1
    for model in (SpectralCoclustering(3, random_state=0), SpectralBiclustering(2)):
        model.fit(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            found = as_bicluster_set(model)
        assert found.shape == (30, 20)
        full = model.rows_.any(axis=1) & model.columns_.any(axis=1)
        assert len(found) == full.sum()
        answer = sc.score_biclusters(model, truth=found, data=X, n_random=0)
        assert answer.agreement["consensus"].value == 1


def test_what_an_algorithm_left_empty_is_left_out_and_said():
    rows = np.array([[1, 0, 1], [0, 1, 0]], dtype=bool)
    columns = np.array([[1, 1], [0, 0]], dtype=bool)
    with pytest.warns(DataWarning, match="1 biclusters"):
        found = as_bicluster_set((rows, columns))
    assert found.names == ("1",)


def test_names_of_g_bic_are_kept_and_its_size_is_believed():
    data = {
        "#DatasetRows": 9,
        "#DatasetColumns": 7,
        "biclusters": {"7": {"X": [0], "Y": [1, 2], "%Noise": "0", "Data": [["1"]]}},
    }
    found = as_bicluster_set(data)
    assert found.names == ("7",)
    assert found.shape == (9, 7)
    with pytest.raises(InvalidInputError) as caught:
        as_bicluster_set(data, shape=(7, 9))
    assert "transpose" in caught.value.remedy


def test_simulated_data_are_understood_and_their_truth_is_perfect(tmp_path):
    data = sc.simulate.biclusters(pattern=["constant", "additive"], random_state=1)
    hidden = as_bicluster_set(data.truth, shape=data.X.shape)
    assert len(hidden) == 3
    answer = sc.score_biclusters(data.truth, truth=hidden, data=data.X, n_random=0)
    assert answer.agreement["consensus"].value == 1
    saved = data.to_dict()
    again = as_bicluster_set(json.loads(json.dumps(saved)), shape=data.X.shape)
    assert same(hidden, again)
    found = assess_biclustering(
        {"first": lambda X: [(range(10), range(5))]},
        simulator=lambda rng: sc.simulate.biclusters(random_state=rng),
        n_repeats=2,
        with_nulls=False,
    )
    folds = found.models["first"].metrics["consensus"].folds
    assert (np.array(folds) < 0.5).all()


def test_without_a_shape_both_sets_share_the_larger_one():
    answer = sc.score_biclusters([([0], [0])], truth=[([4], [6])], n_random=0)
    assert (answer.n_rows, answer.n_columns) == (5, 7)


@pytest.mark.parametrize(
    ("found", "named"),
    [
        ([([], [0])], "bicluster 1"),
        ([([0], [])], "bicluster 1"),
        ([([0, 4], [0])], "row 4"),
        ([([-1], [0])], "row -1"),
        ([([0], [0]), ([0], [5])], "bicluster 2: column 5"),
        ([([0, 1, 1], [0])], "row 1 twice"),
        ([([0.5], [0])], "row 0.5"),
        ([([float("nan")], [0])], "row nan"),
        ([(["a"], [0])], "rows"),
        ([("01", [0])], "rows"),
        ([(0, [0])], "rows"),
        ([([True, False], [0])], "2 flags for 4 rows"),
        ([[0, 1, 2]], "pair"),
        (["ab"], "pair"),
        ([{"rows": [0]}], "columns"),
        ({"clusters": []}, "'clusters'"),
        ("found.json", "str"),
        (3, "int"),
        ((np.ones((2, 4)), np.ones((3, 5))), "columns of 3"),
        ((np.full((1, 4), 2), np.ones((1, 5))), "flags"),
        ((np.ones((1, 5)), np.ones((1, 4))), "5 x 4"),
    ],
    ids=str,
)
def test_bad_biclusters_are_refused_in_one_line(found, named):
    with pytest.raises(InvalidInputError) as caught:
        as_bicluster_set(found, shape=(4, 5))
    assert caught.value.parameter == "found"
    assert named in caught.value.problem
    assert "\n" not in str(caught.value)
    # As a truth, it is the truth that is blamed.
    with pytest.raises(InvalidInputError) as caught:
        sc.score_biclusters(PAIRS, truth=found, shape=(4, 5), n_random=0)
    assert caught.value.parameter == "truth"


HOLED = np.ones((4, 5))
HOLED[2, 1] = np.nan
ENDLESS = np.where(np.isnan(HOLED), np.inf, HOLED)


@pytest.mark.parametrize(
    ("options", "error", "parameter"),
    [
        ({}, UsageError, "found"),
        ({"truth": []}, InsufficientDataError, "truth"),
        ({"found": [], "data": np.ones((4, 5))}, InsufficientDataError, "found"),
        ({"data": HOLED}, InvalidInputError, "data"),
        ({"data": ENDLESS, "nan_policy": "omit"}, InvalidInputError, "data"),
        ({"data": np.ones(4)}, InvalidInputError, "data"),
        ({"data": np.ones((0, 5))}, InvalidInputError, "data"),
        ({"data": np.array([["a", "b"]])}, InvalidInputError, "data"),
        ({"data": np.ones((4, 5)), "pattern": "aditive"}, UsageError, "pattern"),
        ({"truth": PAIRS, "n_random": -1}, UsageError, "n_random"),
        ({"truth": PAIRS, "assign_by": "cells"}, UsageError, "assign_by"),
        ({"truth": PAIRS, "alpha": 5}, UsageError, "alpha"),
    ],
    ids=str,
)
def test_what_cannot_be_scored_is_refused(options, error, parameter):
    with pytest.raises(error) as caught:
        sc.score_biclusters(**{"found": PAIRS, **options})
    assert caught.value.parameter == parameter


def test_the_place_of_a_value_that_is_missing_is_known():
    with pytest.raises(InvalidInputError) as caught:
        sc.score_biclusters(PAIRS, data=HOLED)
    assert (caught.value.location.row, caught.value.location.column) == (3, "2")


def test_repeated_biclusters_are_noted():
    answer = sc.score_biclusters([*PAIRS, PAIRS[0]], truth=PAIRS, n_random=0)
    (note,) = answer.notes
    assert (note.code, note.count) == (ScoringNote.REPEATED_FOUND, 1)


def test_the_picture_does_not_depend_on_level_and_unit_of_columns():
    rng = np.random.default_rng(0)
    matrix, found = rng.normal(size=(4, 5)), as_bicluster_set(PAIRS, shape=(4, 5))
    picture = choose_heat_map(matrix, found)
    moved = 8 * matrix + [0, 5, -40, 200, 1]
    assert np.allclose(choose_heat_map(moved, found).values, picture.values, atol=0.011)
    for column in np.transpose(picture.values):
        assert np.median(column) == pytest.approx(0, abs=0.011)
        assert np.median(np.abs(column)) == pytest.approx(0.67, abs=0.02)
