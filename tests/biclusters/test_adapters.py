"""Whatever holds biclusters is understood, or refused in one line."""

import json
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import scorecast as sc
from scorecast.biclusters import biclusters_to_json
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
    plain = sc.biclusters_from(PAIRS, shape=(4, 5))
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
        json.loads(json.dumps(biclusters_to_json(plain))),
        (pair for pair in PAIRS),
    ]
    for form in forms:
        assert same(sc.biclusters_from(form, shape=(4, 5)), plain)


def test_scikit_learn_estimators():
    from sklearn.cluster import SpectralBiclustering, SpectralCoclustering

    rng = np.random.default_rng(0)
    X = rng.random((30, 20)) + 1
    for model in (SpectralCoclustering(3, random_state=0), SpectralBiclustering(2)):
        model.fit(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            found = sc.biclusters_from(model)
        assert found.shape == (30, 20)
        full = model.rows_.any(axis=1) & model.columns_.any(axis=1)
        assert len(found) == full.sum()
        answer = sc.score_biclusters(model, truth=found, data=X, n_random=0)
        assert answer.value("consensus") == 1


def test_what_an_algorithm_left_empty_is_left_out_and_said():
    rows = np.array([[1, 0, 1], [0, 1, 0]], dtype=bool)
    columns = np.array([[1, 1], [0, 0]], dtype=bool)
    with pytest.warns(DataWarning, match="1 biclusters without rows or columns"):
        found = sc.biclusters_from((rows, columns))
    assert found.names == ("1",)


def test_names_of_g_bic_are_kept_and_its_size_is_believed():
    data = {
        "#DatasetRows": 9,
        "#DatasetColumns": 7,
        "biclusters": {"7": {"X": [0], "Y": [1, 2], "%Noise": "0", "Data": [["1"]]}},
    }
    found = sc.biclusters_from(data)
    assert found.names == ("7",)
    assert found.shape == (9, 7)
    with pytest.raises(InvalidInputError, match=r"9 x 7 .* it is 7 x 9.*trans"):
        sc.biclusters_from(data, shape=(7, 9))


def test_simulated_data_are_understood_and_their_truth_is_perfect(tmp_path):
    data = sc.simulate.biclusters(pattern=["constant", "additive"], random_state=1)
    hidden = sc.biclusters_from(data.truth, shape=data.X.shape)
    assert len(hidden) == 3
    answer = sc.score_biclusters(data.truth, truth=hidden, data=data.X, n_random=0)
    assert answer.value("consensus") == 1
    saved = data.to_dict()
    again = sc.biclusters_from(json.loads(json.dumps(saved)), shape=data.X.shape)
    assert same(hidden, again)
    found = sc.bicluster_estimates(
        {"first": lambda X: [(range(10), range(5))]},
        generator=lambda rng: sc.simulate.biclusters(random_state=rng),
        n_repeats=2,
        with_nulls=False,
    )
    assert (np.array(found.table("consensus")["first"]) < 0.5).all()


def test_without_a_shape_both_sets_share_the_larger_one():
    answer = sc.score_biclusters([([0], [0])], truth=[([4], [6])], n_random=0)
    assert (answer.n_rows, answer.n_columns) == (5, 7)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([([], [0])], "Bicluster 1 has no rows"),
        ([([0], [])], "Bicluster 1 has no columns"),
        ([([0, 4], [0])], "row 4 is out of range.*4 rows, counted from 0 to 3"),
        ([([-1], [0])], "row -1 is out of range"),
        ([([0], [0]), ([0], [5])], "Bicluster 2: column 5 is out of range"),
        ([([0, 1, 1], [0])], "Bicluster 1 names row 1 twice"),
        ([([0.5], [0])], "row 0.5 is not a whole number"),
        ([([float("nan")], [0])], "row nan is not a whole number"),
        ([(["a"], [0])], "must be a list of numbers"),
        ([("01", [0])], "must be a list of numbers"),
        ([(0, [0])], "must be a list of numbers"),
        ([([True, False], [0])], "2 flags for 4 rows"),
        ([[0, 1, 2]], "must be a pair of rows and columns"),
        (["ab"], "must be a pair of rows and columns"),
        ([{"rows": [0]}], "needs 'rows' and 'columns'"),
        ({"clusters": []}, "needs the key 'biclusters'"),
        ("found.json", "must be a list of pairs"),
        (3, "must be a list of pairs"),
        ((np.ones((2, 4)), np.ones((3, 5))), "Rows of 2 biclusters but columns of 3"),
        ((np.full((1, 4), 2), np.ones((1, 5))), "must be flags"),
        ((np.ones((1, 5)), np.ones((1, 4))), "5 x 4 matrix, but it is 4 x 5.*trans"),
    ],
)
def test_bad_biclusters_are_refused_in_one_line(found, said):
    with pytest.raises(InvalidInputError, match=said) as caught:
        sc.biclusters_from(found, shape=(4, 5))
    assert "\n" not in str(caught.value)


def test_bad_data_and_nothing_to_compare():
    with pytest.raises(UsageError, match="Give `truth`, `data`"):
        sc.score_biclusters(PAIRS)
    with pytest.raises(InsufficientDataError, match="truth holds no biclusters"):
        sc.score_biclusters(PAIRS, truth=[])
    with pytest.raises(InsufficientDataError, match="No biclusters were found"):
        sc.score_biclusters([], data=np.ones((4, 5)))
    broken = np.ones((4, 5))
    broken[2, 1] = np.nan
    with pytest.raises(InvalidInputError, match=r"row 3, column 2.*missing"):
        sc.score_biclusters(PAIRS, data=broken)
    broken[2, 1] = np.inf
    with pytest.raises(InvalidInputError, match="not finite"):
        sc.score_biclusters(PAIRS, data=broken, missing="omit")
    for data in (np.ones(4), np.ones((0, 5)), np.array([["a", "b"]])):
        with pytest.raises(InvalidInputError, match="matrix of numbers"):
            sc.score_biclusters(PAIRS, data=data)
    with pytest.raises(UsageError, match="Did you mean 'additive'"):
        sc.score_biclusters(PAIRS, data=np.ones((4, 5)), pattern="aditive")
    with pytest.raises(UsageError, match="n_random"):
        sc.score_biclusters(PAIRS, truth=PAIRS, n_random=-1)


def test_repeated_biclusters_are_said():
    answer = sc.score_biclusters([*PAIRS, PAIRS[0]], truth=PAIRS, n_random=0)
    assert any("repeat another one" in text for text in answer.warnings)
