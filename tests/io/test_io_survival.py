"""Times, events and covariates from a table."""

import numpy as np
import pytest

from scorecast.exceptions import InvalidInputError
from scorecast.io import FileLayout, read_survival

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
    found = read_survival(
        table(), "t", "seen", covariates=["log:psa", "kind=b", "psa"], folds="part"
    )
    assert found.time.tolist() == [2.5, 4.0, 3.0]
    assert found.event.tolist() == [1.0, 0.0, 1.0]
    assert found.names == ("log:psa", "kind=b", "psa")
    expected = [[np.log(8), 0, 8], [np.nan, 1, np.nan], [np.log(2.5), np.nan, 2.5]]
    np.testing.assert_allclose(found.X, expected)
    assert found.folds.tolist() == ["x", "y", "x"]


def test_all_other_columns_are_covariates_by_default(table):
    found = read_survival(
        table(), "t", "seen", layout=FileLayout(drop=["kind", "part"])
    )
    assert found.names == ("psa",)


@pytest.mark.parametrize(
    ("covariates", "words"),
    [
        (["kind"], "column 'kind', line 2: 'a' is not a number.*'kind=b'"),
        (["kind=z"], "never holds 'z'"),
        (["age"], "column 'age': there is no such"),
        (["psa", "psa"], "twice"),
        (["t"], "the time or the event"),
    ],
)
def test_bad_covariates_are_refused(table, covariates, words):
    with pytest.raises(InvalidInputError, match=words):
        read_survival(table(), "t", "seen", covariates=covariates)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            TABLE.replace("2.5,1,", ",1,"),
            "'t', line 2: the time is missing. Give how long",
        ),
        (
            TABLE.replace("2.5,1,", "NA,1,"),
            "'t', line 2: the time is missing. Give how long",
        ),
        (TABLE.replace("2.5,1,8", "2.5,1,-8"), "-8 has no logarithm"),
    ],
)
def test_bad_cells_are_named(table, text, words):
    with pytest.raises(InvalidInputError, match=words):
        read_survival(table(text), "t", "seen", covariates=["log:psa"])


def test_other_files_and_empty_choices_are_refused(table):
    with pytest.raises(InvalidInputError, match="Name a table"):
        read_survival(table("1\n", "cases.txt"), "t", "seen")
    with pytest.raises(InvalidInputError, match="no column is left"):
        read_survival(table("t,seen\n1,1\n2,0\n"), "t", "seen")


MANY = "t,seen,n,kind\n" + "".join(
    f"{i + 1.5},{i % 2},{i},{'ab'[i % 2]}\n" for i in range(20)
)


@pytest.mark.parametrize("words", [("yes", "no"), ("True", "False"), ("1.0", "0.0")])
def test_events_may_be_words_of_yes_and_no(table, words):
    text = f"t,seen,a\n1,{words[0]},3\n2,{words[1]},4\n"
    assert read_survival(table(text), "t", "seen").event.tolist() == [1.0, 0.0]


def test_log1p_takes_counts_with_zeros(table):
    found = read_survival(table(MANY), "t", "seen", covariates=["log1p:n"])
    np.testing.assert_allclose(found.X[:, 0], np.log1p(np.arange(20)))


@pytest.mark.parametrize(
    ("change", "covariates", "words"),
    [
        (("5.5,0", "-5,0"), ["n"], "column 't', line 6: a time must be above zero.*-5"),
        (("5.5,0", "0,0"), ["n"], "column 't', line 6: a time must be above zero"),
        (("5.5,0", "inf,0"), ["n"], "column 't', line 6: inf is no time"),
        (("5.5,0", "6y,0"), ["n"], "column 't', line 6: '6y'.* a number, all in one"),
        (("5.5,0", "5.5,2"), ["n"], "column 'seen', line 6.*'2'.*competing risk"),
        (("5.5,0", "5.5,maybe"), ["n"], "line 6.*'maybe'. Code the event 1 and 0"),
        (("5.5,0", "5.5,"), ["n"], "column 'seen', line 6: the event is missing"),
        (("5.5,0,4", "5.5,0,inf"), ["n"], "column 'n', line 6: inf is infinite"),
        (
            ("5.5,0,4", "5.5,0,four"),
            ["n"],
            "line 6.*'four' is not a num.*, and nearly",
        ),
        (("", ""), ["log:n"], "column 'n', line 2: 0 has no log.*log1p:n"),
        (("", ""), ["kind=B"], "Did you mean 'kind=b'"),
        (("", ""), ["kind"], "Leave the column out, or name 'kind=b': a category"),
    ],
)
def test_faults_name_the_line_and_the_way_out(table, change, covariates, words):
    with pytest.raises(InvalidInputError, match=words) as caught:
        read_survival(
            table(MANY.replace(*change, 1)), "t", "seen", covariates=covariates
        )
    assert "cases.csv" in str(caught.value)


def test_events_of_one_and_two_are_recognised(table):
    text = "t,seen,a\n1,1,3\n2,2,4\n3,1,5\n"
    with pytest.raises(InvalidInputError, match=r"line 3.*Subtract one"):
        read_survival(table(text), "t", "seen")


def test_empty_cells_of_a_parquet_table_are_missing_values(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "cases.parquet"
    columns = {"t": [1.0, 2.0, 3.0], "seen": [1, 0, 1], "a": [4.0, None, 6.0]}
    parquet.write_table(pa.table(columns), path)
    found = read_survival(path, "t", "seen")
    np.testing.assert_array_equal(found.X[:, 0], [4.0, np.nan, 6.0])
    parquet.write_table(pa.table(columns | {"t": [1.0, None, 3.0]}), path)
    with pytest.raises(InvalidInputError, match="the time is missing"):
        read_survival(path, "t", "seen")


def test_a_column_of_names_or_dates_is_to_be_left_out(table):
    dates = "".join(f"{i + 1},{i % 2},2020-01-{i + 1:02}\n" for i in range(28))
    with pytest.raises(InvalidInputError, match=r"column 'day'.*28 different words"):
        read_survival(table(f"t,seen,day\n{dates}"), "t", "seen")
