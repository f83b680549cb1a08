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
from tests.assessing import assess_bare, only

from scorecast.evaluation import NULL_DATA, AssessmentNote, check_data
from scorecast.evaluation.estimators import FeatureModeClassifier
from scorecast.evaluation.null_data import draw_null_data
from scorecast.exceptions import InvalidInputError, Location

RNG = np.random.default_rng
TESTED = {"n_permutations": 6, "n_null_data": 2, "n_resamples": 50, "cv": 4}


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas", reason="needs the extra [frame]")


@pytest.fixture
def patients(pandas):
    """Ages, some missing, and a word; the word tells most."""
    rng = RNG(0)
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
    found = assess_bare(by_column(), *patients, **TESTED)
    model = only(found)
    assert not model.failures
    assert found.n_features == 2
    assert model.main.estimate > 0.7
    assert model.null_tests.null_data.n_draws == 2
    assert np.isfinite(model.null_tests.null_model.p_value)


@pytest.mark.parametrize("kind", NULL_DATA)
def test_null_data_of_a_table_keep_its_form(patients, kind):
    X, y = patients
    drawn = draw_null_data(check_data(X, y), kind, RNG(1))
    assert list(drawn.columns) == list(X.columns)
    assert drawn.index.equals(X.index)
    for code in (0, 1):
        own = y == code
        assert sorted(drawn["word"][own]) == sorted(X["word"][own])
        assert drawn["age"][own].isna().sum() == X["age"][own].isna().sum()
    assert not drawn["age"].equals(X["age"])
    numbers = check_data(X[["age"]].fillna(50.0), y)
    assert list(draw_null_data(numbers, kind, RNG(1))) == ["age"]


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
    assert not only(assess_bare(model, X, y, **TESTED)).failures


@pytest.mark.parametrize("is_table", [True, False])
def test_missing_values_are_refused_with_their_place_otherwise(easy, is_table, pandas):
    X = easy[0].copy()
    X[7, 2] = np.nan
    data = pandas.DataFrame(X, columns=list("abcdef")) if is_table else X
    with pytest.raises(InvalidInputError, match="1 such") as caught:
        assess_bare("nearest-centroid", data, easy[1])
    column = "c" if is_table else "3"
    assert caught.value.location == Location(row=8, column=column)
    assert "imputer" in caught.value.remedy
    assert "\n" not in str(caught.value)


def test_infinite_and_empty_tables_are_refused(easy, pandas):
    X = pandas.DataFrame(easy[0].copy(), columns=list("abcdef"))
    X.loc[4, "b"] = np.inf
    with pytest.raises(InvalidInputError, match="infinite") as caught:
        assess_bare("naive-bayes", X, easy[1])
    assert caught.value.location == Location(row=5, column="b")
    with pytest.raises(InvalidInputError, match="empty"):
        assess_bare("naive-bayes", X[[]], easy[1])


def test_a_table_of_numbers_gives_the_answer_of_the_array(easy, pandas):
    table = pandas.DataFrame(easy[0], columns=list("abcdef"))
    one, other = (assess_bare("tree", X, easy[1], **TESTED) for X in (table, easy[0]))
    assert one.to_dict() == other.to_dict()
    quick = assess_bare("naive-bayes", table, easy[1], cv=4, n_permutations=None)
    assert only(quick).null_tests.permuted.n_draws == 1000


def test_a_checkpoint_knows_its_table(patients, tmp_path):
    call = TESTED | {"checkpoint": tmp_path / "run.jsonl"}
    whole = assess_bare(by_column(), *patients, **call).to_dict()
    assert assess_bare(by_column(), *patients, **call).to_dict() == whole
    other = patients[0].assign(word="low")
    with pytest.raises(InvalidInputError, match="another run"):
        assess_bare(by_column(), other, patients[1], **call)


def test_the_feature_mode_classifier_lets_text_and_gaps_abstain(patients):
    X, y = patients
    mode = FeatureModeClassifier().fit(X, y)
    assert mode.means_.shape == (2, 1)
    assert mode.predict_proba(X)[3] == pytest.approx(mode.prior_)


def test_repeated_samples_are_counted(easy, pandas):
    X = easy[0].copy()
    X[5] = X[4]
    for data in (X, pandas.DataFrame(X)):
        (note,) = assess_bare("naive-bayes", data, easy[1]).notes
        assert (note.code, note.count) == (AssessmentNote.REPEATED_ROWS, 1)
