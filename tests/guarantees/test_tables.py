"""Tables and missing values: for models that can deal with them."""

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import scorecast as sc
from scorecast.exceptions import InvalidInputError
from scorecast.guarantees.feasibility import NULL_DATA, draw_null_data
from scorecast.guarantees.feasibility.null_models import FeatureModeClassifier
from scorecast.guarantees.problem import check_problem

QUICK = {
    "n_permutations": 6, "n_null_data": 2, "n_resamples": 50, "sampling": "cv4",
    "with_bias_variance": False,
}  # fmt: skip


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas", reason="needs the extra [frame]")


@pytest.fixture
def patients(pandas):
    """Ages, some missing, and a word; the word tells most."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    age = rng.normal(50, 10, 40) + 5 * y
    age[[3, 20]] = np.nan
    word = np.where(rng.random(40) < 0.85, y, 1 - y)
    return pandas.DataFrame(
        {"age": age, "word": np.array(["low", "high"])[word]},
        index=[f"p{i}" for i in range(40)],
    ), y


def by_column():
    chosen = make_column_transformer(
        (SimpleImputer(), ["age"]), (OneHotEncoder(), ["word"])
    )
    return make_pipeline(chosen, LogisticRegression())


def test_a_table_reaches_the_model_as_it_is(patients):
    found = sc.assess(by_column(), *patients, **QUICK)
    model = found.models[0]
    assert not model.failures
    assert found.m == 2
    assert model.losses[0].estimate > 0.7
    assert model.feasibility.null_data.n_draws == 2
    assert np.isfinite(model.feasibility.null_model.p)


@pytest.mark.parametrize("kind", NULL_DATA)
def test_null_data_of_a_table_keep_its_form(patients, kind):
    X, y = patients
    drawn = draw_null_data(check_problem(X, y), kind, np.random.default_rng(1))
    assert list(drawn.columns) == list(X.columns)
    assert drawn.index.equals(X.index)
    for code in (0, 1):
        own = y == code
        assert sorted(drawn["word"][own]) == sorted(X["word"][own])
        assert drawn["age"][own].isna().sum() == X["age"][own].isna().sum()
    assert not drawn["age"].equals(X["age"])
    numbers = check_problem(X[["age"]].fillna(50.0), y)
    assert list(draw_null_data(numbers, kind, np.random.default_rng(1))) == ["age"]


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(SimpleImputer(), NearestCentroid()),
        HistGradientBoostingClassifier(max_iter=5, random_state=0),
    ],
)
def test_missing_values_are_for_models_that_can(easy, model):
    X, y = easy[0].copy(), easy[1]
    X[[1, 7], [0, 3]] = np.nan
    found = sc.assess(model, X, y, **QUICK)
    assert not found.models[0].failures


@pytest.mark.parametrize("as_table", [True, False])
def test_missing_values_are_refused_with_their_place_otherwise(easy, as_table, pandas):
    X = easy[0].copy()
    X[7, 2] = np.nan
    data = pandas.DataFrame(X, columns=list("abcdef")) if as_table else X
    place = "row 8, column c" if as_table else "row 8, column 3"
    with pytest.raises(InvalidInputError, match="1 missing values") as caught:
        sc.assess("nearest-centroid", data, easy[1], **QUICK)
    said = str(caught.value)
    assert place in said
    assert "SimpleImputer" in said
    assert "\n" not in said


def test_infinite_and_empty_tables_are_refused(easy, pandas):
    X = pandas.DataFrame(easy[0].copy(), columns=list("abcdef"))
    X.loc[4, "b"] = np.inf
    with pytest.raises(InvalidInputError, match="row 5 of column b"):
        sc.assess("naive-bayes", X, easy[1], **QUICK)
    with pytest.raises(InvalidInputError, match="empty"):
        sc.assess("naive-bayes", X[[]], easy[1], **QUICK)


def test_a_table_of_numbers_gives_the_answer_of_the_array(easy, pandas):
    table = pandas.DataFrame(easy[0], columns=list("abcdef"))
    one, other = (sc.assess("tree", X, easy[1], **QUICK) for X in (table, easy[0]))
    assert one.to_dict() == other.to_dict()
    quick = sc.assess(
        "naive-bayes", table, easy[1], **{**QUICK, "n_permutations": None}
    )
    assert quick.models[0].feasibility.permuted.n_draws == 1000


def test_a_checkpoint_knows_its_table(patients, tmp_path):
    path = tmp_path / "run.jsonl"
    whole = sc.assess(by_column(), *patients, checkpoint=path, **QUICK).to_dict()
    assert (
        sc.assess(by_column(), *patients, checkpoint=path, **QUICK).to_dict() == whole
    )
    other = patients[0].assign(word="low")
    with pytest.raises(InvalidInputError, match="another run"):
        sc.assess(by_column(), other, patients[1], checkpoint=path, **QUICK)


def test_the_feature_mode_classifier_lets_text_and_gaps_abstain(patients):
    X, y = patients
    mode = FeatureModeClassifier().fit(X, y)
    assert mode.means_.shape == (2, 1)
    gap = mode.predict_proba(X)[3]
    assert gap == pytest.approx(mode.prior_)


def test_repeated_cases_are_counted(easy, pandas):
    X = easy[0].copy()
    X[5] = X[4]
    for data in (X, pandas.DataFrame(X)):
        found = sc.assess(
            "naive-bayes", data, easy[1], **{**QUICK, "n_permutations": 0}
        )
        assert any(line.startswith("1 cases repeat") for line in found.warnings)
