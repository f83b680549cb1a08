"""Times, events and covariates from a table."""

import numpy as np
import pytest

from scorecast.exceptions import InvalidInputError
from scorecast.io import read_cohort

TABLE = "t,seen,psa,kind,part\n2.5,1,8,a,x\n4,0,NA,b,y\n3,1,2.5,,x\n"


@pytest.fixture
def table(tmp_path):
    """Write a table and return its path."""

    def write(text=TABLE, name="cases.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_columns_logarithms_and_values_are_read(table):
    found = read_cohort(
        table(), "t", "seen", ["log:psa", "kind=b", "psa"], folds="part"
    )
    assert found.time.tolist() == [2.5, 4.0, 3.0]
    assert found.event.tolist() == [1.0, 0.0, 1.0]
    assert found.names == ("log:psa", "kind=b", "psa")
    expected = [[np.log(8), 0, 8], [np.nan, 1, np.nan], [np.log(2.5), np.nan, 2.5]]
    np.testing.assert_allclose(found.X, expected)
    assert found.folds.tolist() == ["x", "y", "x"]


def test_all_other_columns_are_covariates_by_default(table):
    found = read_cohort(table(), "t", "seen", drop=["kind", "part"])
    assert found.names == ("psa",)


@pytest.mark.parametrize(
    ("covariates", "words"),
    [
        (["kind"], "line 2, column 'kind': 'a' is not a number; .*'kind=b'"),
        (["kind=z"], "never holds 'z'"),
        (["age"], "no column 'age'"),
        (["psa", "psa"], "twice"),
        (["t"], "the time or the event"),
    ],
)
def test_bad_covariates_are_refused(table, covariates, words):
    with pytest.raises(InvalidInputError, match=words):
        read_cohort(table(), "t", "seen", covariates)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TABLE.replace("2.5,1,", ",1,"), "'t': the time is missing; give how long"),
        (TABLE.replace("2.5,1,", "NA,1,"), "'t': the time is missing; give how long"),
        (TABLE.replace("2.5,1,8", "2.5,1,-8"), "-8 has no logarithm"),
    ],
)
def test_bad_cells_are_named(table, text, words):
    with pytest.raises(InvalidInputError, match=words):
        read_cohort(table(text), "t", "seen", ["log:psa"])


def test_other_files_and_empty_choices_are_refused(table):
    with pytest.raises(InvalidInputError, match="a table is needed"):
        read_cohort(table("1\n", "cases.txt"), "t", "seen")
    with pytest.raises(InvalidInputError, match="no column is left"):
        read_cohort(table("t,seen\n1,1\n2,0\n"), "t", "seen")


MANY = "t,seen,n,kind\n" + "".join(
    f"{i + 1.5},{i % 2},{i},{'ab'[i % 2]}\n" for i in range(20)
)


@pytest.mark.parametrize("words", [("yes", "no"), ("True", "False"), ("1.0", "0.0")])
def test_events_may_be_words_of_yes_and_no(table, words):
    text = f"t,seen,a\n1,{words[0]},3\n2,{words[1]},4\n"
    assert read_cohort(table(text), "t", "seen").event.tolist() == [1.0, 0.0]


def test_log1p_takes_counts_with_zeros(table):
    found = read_cohort(table(MANY), "t", "seen", ["log1p:n"])
    np.testing.assert_allclose(found.X[:, 0], np.log1p(np.arange(20)))


@pytest.mark.parametrize(
    ("change", "covariates", "words"),
    [
        (("5.5,0", "-5,0"), ["n"], "line 6, column 't': a time must be above zero.*-5"),
        (("5.5,0", "0,0"), ["n"], "line 6, column 't': a time must be above zero"),
        (("5.5,0", "inf,0"), ["n"], "line 6, column 't': inf is no time"),
        (("5.5,0", "6y,0"), ["n"], "line 6, column 't': '6y'.* a number, all in one"),
        (("5.5,0", "5.5,2"), ["n"], "line 6, column 'seen'.*'2'.*competing risk"),
        (("5.5,0", "5.5,maybe"), ["n"], "line 6.*'maybe'; code the event 1 and 0"),
        (("5.5,0", "5.5,"), ["n"], "line 6, column 'seen': the event is missing"),
        (("5.5,0,4", "5.5,0,inf"), ["n"], "line 6, column 'n': inf is infinite"),
        (
            ("5.5,0,4", "5.5,0,four"),
            ["n"],
            "line 6.*'four' is not a num.*, and nearly",
        ),
        (("", ""), ["log:n"], "line 2, column 'n': 0 has no log.*log1p:n"),
        (("", ""), ["kind=B"], "did you mean --covariates 'kind=b'"),
        (("", ""), ["kind"], "a category needs.*'kind=b' among.*or.*--drop 'kind'"),
    ],
)
def test_faults_name_the_line_and_the_way_out(table, change, covariates, words):
    with pytest.raises(InvalidInputError, match=words) as caught:
        read_cohort(table(MANY.replace(*change, 1)), "t", "seen", covariates)
    assert "cases.csv" in str(caught.value)


def test_events_of_one_and_two_are_recognised(table):
    text = "t,seen,a\n1,1,3\n2,2,4\n3,1,5\n"
    with pytest.raises(InvalidInputError, match=r"line 3.*subtract one"):
        read_cohort(table(text), "t", "seen")


def test_empty_cells_of_a_parquet_table_are_missing_values(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "cases.parquet"
    columns = {"t": [1.0, 2.0, 3.0], "seen": [1, 0, 1], "a": [4.0, None, 6.0]}
    parquet.write_table(pa.table(columns), path)
    found = read_cohort(path, "t", "seen")
    np.testing.assert_array_equal(found.X[:, 0], [4.0, np.nan, 6.0])
    parquet.write_table(pa.table(columns | {"t": [1.0, None, 3.0]}), path)
    with pytest.raises(InvalidInputError, match="the time is missing; give how long"):
        read_cohort(path, "t", "seen")


def test_a_column_of_names_or_dates_is_to_be_left_out(table):
    dates = "".join(f"{i + 1},{i % 2},2020-01-{i + 1:02}\n" for i in range(28))
    with pytest.raises(
        InvalidInputError, match=r"28 different words: leave .*'day'.*da"
    ):
        read_cohort(table(f"t,seen,day\n{dates}"), "t", "seen")
