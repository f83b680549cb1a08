"""Tables as text, and in the formats of Arrow."""

from __future__ import annotations

import gzip
import locale
import time

import numpy as np
import pytest

from scorecast.exceptions import UsageError
from scorecast.io import (
    FileLayout,
    delimited,
    read_labels,
    read_matrix,
    read_results,
)
from scorecast.io.delimited import is_number

MIB = 2**20


@pytest.fixture
def table(tmp_path):
    """Write a table and return its path."""

    def write(content: str | bytes, name: str = "a.csv"):
        path = tmp_path / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
@pytest.mark.parametrize(
    "content",
    [
        pytest.param("a,b\n1,2.5\n-3,4e2\n", id="plain"),
        pytest.param("a,b\n1,2.5\n-3,4e2", id="no-last-newline"),
        pytest.param("a,b\n1,2.5\n-3,4e2\n\n\n", id="blank-lines-at-the-end"),
        pytest.param("\ufeffa,b\n1,2.5\n-3,4e2\n", id="15-bom"),
        pytest.param("a,b\r\n1,2.5\r\n-3,4e2\r\n", id="15-crlf"),
        pytest.param("a,b\r1,2.5\r-3,4e2\r", id="15-cr"),
        pytest.param("a;b\n1;2.5\n-3;4e2\n", id="15-semicolon"),
        pytest.param("a\tb\n1\t2.5\n-3\t4e2\n", id="tab"),
        pytest.param('"a","b"\n"1","2.5"\n"-3","4e2"\n', id="all-quoted"),
        pytest.param('a,b\n" 1 ",2.5\n -3 ,"4e2\n"\n', id="blanks-around"),
    ],
)
def test_usual_dialects_are_read(content, name, table):
    matrix = read_matrix(table(content, name))
    assert matrix.values.tolist() == [[1, 2.5], [-3, 400]]
    assert matrix.columns == ("a", "b")


@pytest.mark.parametrize(
    "content",
    [
        "a;b\n1;2,5\n-3;4,0\n",
        "a\tb\n1\t2,5\n-3\t4,0\n",
        'a,b\n1,"2,5"\n-3,"4,0"\n',
    ],
)
def test_row_15_decimal_comma_works_when_asked_for(content, table, refusal):
    path = table(content)
    error = refusal(read_matrix, path)
    assert (error.location.line, error.location.column) == (2, "b")
    assert "'2,5'" in error.problem
    assert error.option == "decimal"
    matrix = read_matrix(path, layout=FileLayout(decimal=","))
    assert matrix.values.tolist() == [[1, 2.5], [-3, 4]]


def test_point_is_not_taken_for_a_thousands_mark(table, refusal):
    path = table("a;b\n1,5;1.234\n")
    error = refusal(read_matrix, path, layout=FileLayout(decimal=","))
    assert (error.option, error.location.line) == ("decimal", 2)


def test_tsv_ending_means_tabs(table):
    path = table("a,1\tb\n1\t2\n", "a.tsv")
    assert read_matrix(path).columns == ("a,1", "b")


def test_delimiter_can_be_given(table, refusal):
    path = table("a b\n1 2\n")
    assert refusal(read_matrix, path).option == "delimiter"
    assert read_matrix(path, layout=FileLayout(delimiter=" ")).values.tolist() == [
        [1, 2]
    ]
    assert read_matrix(
        table("a|b\n1|2\n"), layout=FileLayout(delimiter="|")
    ).columns == ("a", "b")


@pytest.mark.parametrize("delimiter", ["", ";;", "a", "1", '"', "\n", "."])
def test_impossible_delimiters_are_usage_errors(delimiter, table):
    with pytest.raises(UsageError):
        read_matrix(table("a,b\n1,2\n"), layout=FileLayout(delimiter=delimiter))


def test_impossible_decimal_marks_are_usage_errors(table):
    with pytest.raises(UsageError):
        read_matrix(table("a,b\n1,2\n"), layout=FileLayout(decimal="'"))
    with pytest.raises(UsageError):
        read_matrix(table("a,b\n1,2\n"), layout=FileLayout(decimal=",", delimiter=","))


@pytest.mark.parametrize(
    ("content", "place", "words"),
    [
        pytest.param("a,b\n1,2\n3\n", (3, None), "1 cells where 2", id="16-short"),
        pytest.param("a,b\n1,2\n3,4,5\n", (3, None), "3 cells where 2", id="16-long"),
        pytest.param(
            "a,b\n0,5,0,6\n0,5,0,6\n", (2, None), "4 cells where 2", id="16-commas"
        ),
        pytest.param("a,b\n1,2\n3,\n", (3, "b"), "is empty", id="16"),
        pytest.param("a,b\n1,2\n ,4\n", (3, "a"), "is empty", id="16-blank"),
        pytest.param("a,b\nx,2\n3,4\n", (2, "a"), "'x'", id="16-first-row"),
        pytest.param("a,b\n1,2\n3,x\n5,y\n", (3, "b"), "'x'", id="16-text"),
        pytest.param('a,b\n1,2\n3,"4,5"\n', (3, "b"), "'4,5'", id="16-quote"),
        pytest.param('a,b\n1,2\n3,"4\n5"\n', (3, "b"), "'4 5'", id="16-newline"),
        pytest.param("a,b\n1,1_000\n", (2, "b"), "'1_000' is not", id="16-underscore"),
        pytest.param("a,b\n1,\u0661\n", (2, "b"), "is not a number", id="16-arabic"),
        pytest.param("a,b\n1,0x10\n", (2, "b"), "'0x10' is not a", id="16-hexadecimal"),
        pytest.param("a,b\n1,2\n\n3,4\n", (3, None), "is empty", id="16-empty-line"),
        pytest.param('a\n1\n""\n3\n', (3, "a"), "is empty", id="16-quoted-nothing"),
        pytest.param("a\n1\n  \n3\n", (3, "a"), "is empty", id="16-blank-alone"),
        pytest.param('a,b\n1,2\n3,"4\n', (3, None), "broken", id="16-open-quote"),
        pytest.param('a,b\n1,2\n3,"4"x\n', (3, None), "broken", id="16-text-after"),
        pytest.param("1,2\n3,4\n", (1, None), "column names", id="17-no-header"),
        pytest.param("0.1;0.2;0.7\n1;2;3\n", (1, None), "names", id="17-semicolon"),
        pytest.param("cat,0.1,0.9\ndog,1,2\n", (1, None), "names", id="17-label-first"),
        pytest.param("0,1\n0.5,0.5\n", (1, None), "names", id="17-two-ids"),
        pytest.param("a,b\n", (None, None), "header but no rows", id="17-header-only"),
        pytest.param("a,b", (None, None), "header but no rows", id="17-no-newline"),
        pytest.param("\na,b\n1,2\n", (1, None), "is empty", id="17-empty-first"),
        pytest.param("a,b,a\n1,2,3\n", (1, None), "repeated column name", id="18"),
        pytest.param(",a\n0,1\n", (1, None), "no name", id="18-pandas-index"),
        pytest.param("a,b\n1,nan\nnan,1\n", (2, "b"), "nan", id="19-nan"),
        pytest.param("a,b\n1,2\n1e999,1\n", (3, "a"), "inf", id="19-1e999"),
        pytest.param("a,b\n1,2\n-inf,1\n", (3, "a"), "finite (1 such", id="19-inf"),
        pytest.param(b"a,b\n1,\xe9\n", (2, None), "not UTF-8", id="latin1"),
        pytest.param(
            "a,b\n1,2\n".encode("utf-16"), (None, None), "UTF-16", id="utf-16"
        ),
        pytest.param("a,b\n1,2\n".encode("utf-16-le"), (1, None), "null", id="no-bom"),
        pytest.param(b"a,b\n1,2\n3,\x004\n", (3, None), "a null byte", id="null"),
        pytest.param(gzip.compress(b"a,b\n1,2\n"), (None, None), "gzip", id="gzip"),
        pytest.param(b"PK\x03\x04....", (None, None), "zip archive", id="zip"),
    ],
)
def test_bad_tables_are_refused(content, place, words, table, refusal):
    path = table(content)
    error = refusal(read_matrix, path)
    assert words in error.problem
    assert error.location.file == str(path)
    assert (error.location.line, error.location.column) == place


@pytest.mark.parametrize(
    ("content", "option"),
    [
        ("a,b\n1,2\n3,4,5\n", "delimiter"),
        ("a,b\n0,5,0,6\n0,5,0,6\n", "decimal"),
        ("1,2\n3,4\n", "header"),
        ("a,b\n1,2\n3,x\n", "drop"),
        (",a\n0,1\n", "drop"),
    ],
)
def test_the_way_out_names_what_asks_for_it(content, option, table, refusal):
    assert refusal(read_matrix, table(content)).option == option


def test_place_of_the_fault_is_right_far_down(table, refusal):
    """`numpy.loadtxt` reads in blocks; the line must not depend on them."""
    lines = ["a,b", *("1,2" for _ in range(60_000)), "1,oops", "1,2"]
    error = refusal(read_matrix, table("\n".join(lines)))
    assert (error.location.line, error.location.column) == (60_002, "b")
    assert "'oops'" in error.problem


def test_lines_are_counted_through_quoted_newlines(table, refusal):
    content = 'a,b,c\n1,"x\ny\nz",2\n3,t,nan\n'
    error = refusal(read_matrix, table(content), layout=FileLayout(drop=["b"]))
    assert (error.location.line, error.location.column) == (5, "c")


def test_table_without_header(table, refusal):
    path = table("1,2\n3,4\n")
    matrix = read_matrix(path, layout=FileLayout(header=False))
    assert matrix.columns is None
    assert matrix.values.tolist() == [[1, 2], [3, 4]]
    bare = FileLayout(header=False)
    error = refusal(read_matrix, table("1,2\n3,x\n"), layout=bare)
    assert (error.location.line, error.location.column) == (2, "2")
    assert refusal(read_matrix, table("a,b\n3,4\n"), layout=bare).option == "header"


def test_class_ids_make_a_header(table):
    assert read_matrix(table("0,1,2\n.1,.2,.7\n")).columns == ("0", "1", "2")


@pytest.mark.parametrize("name", ["1e5", "007", "NA", "nan", "TRUE", "3.11"])
def test_names_like_numbers_are_names(name, table):
    assert read_matrix(table(f"label,{name}\n1,2\n")).columns == ("label", name)


def test_columns_are_dropped_or_picked_by_name(table, refusal):
    path = table("file,a,b\nx.jpg,1,2\ny.jpg,3,4\n")
    assert refusal(read_matrix, path).option == "drop"
    assert read_matrix(path, layout=FileLayout(drop=["file"])).columns == ("a", "b")
    assert read_matrix(f"{path}::b").values.tolist() == [[2], [4]]
    assert read_matrix(path, layout=FileLayout(key="a")).columns == ("a",)
    error = refusal(read_matrix, path, layout=FileLayout(drop=["z"]))
    assert (error.location.column, error.option) == ("z", "drop")
    assert "file, a and b" in error.problem
    every = FileLayout(drop=["file", "a", "b"])
    assert "every column is dropped" in refusal(read_matrix, path, layout=every).problem


def test_minus_infinity_is_allowed_on_request(table):
    path = table("a,b\n-inf,-inf\n")
    values = read_matrix(path, nonfinite="negative-infinity").values
    assert np.all(values == -np.inf)


def test_locale_never_matters(table, monkeypatch):
    monkeypatch.setattr(locale, "localeconv", lambda: {"decimal_point": ","})
    assert read_matrix(table("a,b\n1.5,2\n")).values[0, 0] == 1.5


def test_small_archive_of_a_giant_table_is_refused(table, refusal, memory_below):
    path = table("a,b\n" + "0,0\n" * MIB, "a.csv.gz")
    assert path.stat().st_size < 100_000
    with memory_below(8 * MIB):
        error = refusal(read_matrix, path, layout=FileLayout(max_bytes=MIB))
        assert error.option == "max_bytes"


def test_endless_line_is_refused(table, refusal, memory_below):
    path = table("a,b\n" + "0," * (8 * MIB), "a.csv.gz")
    with memory_below(16 * MIB):
        refusal(read_matrix, path, layout=FileLayout(max_bytes=MIB))


def test_numbers_count_towards_the_limit(table, refusal):
    path = table("a,b\n" + "0,0\n" * 10_000)
    refusal(read_matrix, path, layout=FileLayout(max_bytes=100_000))


def test_a_packed_file_of_nothing_is_empty(table, refusal):
    error = refusal(read_matrix, table("", "a.csv.gz"))
    assert "is empty" in error.problem
    assert error.location.line is None


@pytest.mark.parametrize("cut", [5, 20, -4])
def test_cut_gzip_is_refused(cut, tmp_path, refusal):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n3,4\n" * 10)[:cut])
    assert "gzip" in refusal(read_matrix, path).problem


def test_text_that_claims_to_be_gzip_is_refused(tmp_path, refusal):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(b"a,b\n1,2\n")
    assert "but text" in refusal(read_matrix, path).problem


def test_text_file_is_no_matrix(table, refusal):
    assert ".csv" in refusal(read_matrix, table("1 2\n", "a.txt")).remedy


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a,b", "1,2"], ","),
        (["a;b", "1,5;2,5"], ";"),
        (["a;b,c", "1,1;2,2"], ";"),
        (["1,5;2,5"], ";"),
        (["a\tb", "1\t2"], "\t"),
        (['"x;y","z"', "1,2"], ","),
        (["label", "cat"], ","),
        (["a,b", "1,2", "1"], ","),
        ([""], ","),
    ],
)
def test_delimiter_is_found_out(lines, expected):
    assert delimited.detect_delimiter(lines, ".csv") == expected


# Arrow


@pytest.fixture(params=["parquet", "feather", "arrow", "stream"])
def save(request, tmp_path):
    """Write a pyarrow table in one of the formats."""
    pa = pytest.importorskip("pyarrow")

    def write(columns, names=None):
        made = pa.table(columns, names=names) if names else pa.table(columns)
        path = tmp_path / f"a.{request.param.replace('stream', 'arrow')}"
        if request.param == "parquet":
            from pyarrow import parquet

            parquet.write_table(made, path)
        elif request.param == "stream":
            with pa.ipc.new_stream(path, made.schema) as writer:
                writer.write_table(made)
        else:
            with pa.ipc.new_file(path, made.schema) as writer:
                writer.write_table(made)
        return path

    return write


def test_arrow_tables_are_read(save):
    columns = {"a": [1, 2], "b.c": [0.5, -1.0], "d": [True, False]}
    matrix = read_matrix(save(columns))
    assert matrix.values.tolist() == [[1, 0.5, 1], [2, -1, 0]]
    assert matrix.columns == ("a", "b.c", "d")


def test_faults_of_arrow_tables_are_refused(save, refusal):
    error = refusal(read_matrix, save({"a": [1, 2], "b": [1.0, None]}))
    assert (error.location.row, error.location.column) == (2, "b")
    error = refusal(read_matrix, save({"a": [1, 2], "f": ["x", "y"]}))
    assert error.location.column == "f"
    assert "holds string" in error.problem
    error = refusal(read_matrix, save({"e": [[1.0, 2.0], [3.0, 4.0]]}))
    assert "np.stack" in error.remedy
    error = refusal(read_matrix, save({"a": [1.0, float("nan")]}))
    assert (error.location.row, error.location.column) == (2, "a")
    assert "0 rows" in refusal(read_matrix, save({"a": []})).problem
    error = refusal(read_matrix, save([[1], [2]], names=["a", "a"]))
    assert "repeated" in error.problem
    small = FileLayout(max_bytes=60_000)
    error = refusal(read_matrix, save({"a": [1.0] * 10_000}), layout=small)
    assert error.option == "max_bytes"


def test_arrow_labels_are_text_or_whole_numbers(save, refusal):
    pa = pytest.importorskip("pyarrow")
    names = ["NA", "", "007"]
    path = save({"s": names, "i": [1, 2, 3], "f": [1.0, 2.0, 3.0], "b": [True] * 3})
    assert read_labels(f"{path}::s").values.tolist() == names
    assert read_labels(f"{path}::i").values.dtype == np.int64
    assert read_labels(f"{path}::f").values.tolist() == [1, 2, 3]
    assert "no labels" in refusal(read_labels, f"{path}::b").problem
    encoded = pa.array(names).dictionary_encode()
    assert read_labels(save({"y": encoded})).values.tolist() == names
    error = refusal(read_labels, save({"y": ["a", None]}))
    assert (error.location.row, error.location.column) == (2, "y")


def test_tables_saved_by_pandas_are_read(tmp_path):
    pd = pytest.importorskip("pandas")
    columns = {"y": ["a", "b"], "x": [1.0, 2.0]}
    pd.DataFrame(columns, index=["r", "s"]).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame(columns).to_feather(tmp_path / "b.feather")
    for name in ("a.parquet", "b.feather"):
        assert read_labels(tmp_path / name, column="y").values.tolist() == ["a", "b"]
        assert read_matrix(
            tmp_path / name, layout=FileLayout(drop=["y"])
        ).values.tolist() == [[1], [2]]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather"])
@pytest.mark.parametrize(
    "content", [b"a,b\n1,2\n", b"PAR1PAR1", b"ARROW1\0\0", b"FEA1"]
)
def test_damaged_arrow_tables_are_refused(suffix, content, tmp_path, refusal):
    pytest.importorskip("pyarrow")
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    assert "damaged" in refusal(read_matrix, path).problem


LONG = ("1" * 40_000 + "x", "1." + "2" * 40_000 + "x", " " * 40_000 + "x",
        "1e" + "9" * 40_000 + "x", "1" * 40_000 + "," + "1" * 40_000 + "x")  # fmt: skip


@pytest.mark.parametrize("cell", LONG)
def test_a_long_cell_takes_time_in_proportion(cell):
    start = time.process_time()
    assert not is_number(cell)
    assert is_number("1" * 40_000)
    assert delimited._DECIMAL_COMMA.fullmatch(cell) is None
    # Two minutes where every digit is tried with every other.
    assert time.process_time() - start < 1


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_cell_that_is_too_long_is_refused_with_its_place(quote, table, refusal):
    short, long = "0." + "1" * 9_998, quote + "1" * 40_000 + quote
    error = refusal(read_matrix, table(f"a,b\n1,2\n3,{long}\n"))
    assert (error.location.line, error.location.column) == (3, "b")
    assert "40,000 characters, of which at most 10,000" in error.problem
    error = refusal(read_labels, table(f"a\nx\n{long}\n"))
    assert (error.location.line, error.location.column) == (3, "1")
    # What is not read may be as long as it likes; wide tables have long lines.
    read = read_matrix(table(f"a,b\n{short},{long}\n"), layout=FileLayout(drop=["b"]))
    assert read.values.shape == (1, 1)
    wide = ",".join(["1.25"] * 5_000)
    header = ",".join(f"c{i}" for i in range(5_000))
    assert read_matrix(table(f"{header}\n{wide}\n")).values.shape == (1, 5_000)


@pytest.mark.parametrize(
    ("cell", "decimal", "said"),
    [
        ("0,97", ".", "say that the decimal mark is a comma"),
        ("1.000,5", ".", "comma, as it seems to be, and leave out the points"),
        ("1.000", ",", "leave out the points if they part thousands"),
        ("12.345.678", ",", "leave out the points if they part thousands"),
        ("0.97", ",", "leave the decimal mark a point, as it is here"),
    ],
)
def test_another_decimal_mark_is_told_alike_by_every_reader(
    cell, decimal, said, table, refusal
):
    path = table(f"a;b\n{cell};{cell}\n{cell};{cell}\n")
    layout = FileLayout(decimal=decimal)
    for read in (read_matrix, read_results):
        error = refusal(read, path, layout=layout)
        assert (error.option, error.location.line) == ("decimal", 2)
        assert said in error.remedy
        assert repr(cell) in error.problem


def test_one_comma_among_points_is_told_too(table, refusal):
    error = refusal(read_results, table("a;b\n0.9;0.8\n0,9;0.7\n"))
    assert (error.option, error.location.line) == ("decimal", 3)


def test_names_with_commas_are_names(table):
    path = table("set;a;b\n1,5;0.9;0.8\nx;0.7;0.6\n")
    assert read_results(path).columns["set"] == ["1,5", "x"]
    path = table("set;a;b\n1,5;0.9;0.8\n2,5;0.7;0.6\n")
    assert read_results(path, texts=["set"]).columns["set"] == ["1,5", "2,5"]
