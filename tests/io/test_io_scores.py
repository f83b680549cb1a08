"""Scores with labels, in all the layouts that users hold."""

from __future__ import annotations

import numpy as np
import pytest

from scorecast.io import FileLayout, read_scores

SCORES = np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0]])


@pytest.fixture
def table(tmp_path):
    """Write a table and return its path."""

    def write(content: str, name: str = "scores.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode())
        return path

    return write


# Arrays


@pytest.mark.parametrize(
    "name", ["scores", "logits", "probs", "log_probs", "values", "S", "X"]
)
@pytest.mark.parametrize("label_name", ["labels", "y", "y_true", "targets"])
def test_usual_names_in_one_archive(name, label_name, tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, **{name: SCORES, label_name: [0, 1]})
    scores = read_scores(path)
    assert np.array_equal(scores.values, SCORES)
    assert scores.y_true.tolist() == [0, 1]
    assert scores.classes is None
    assert scores.n_dropped == 0
    assert scores.sources == (f"{path}::{name}", f"{path}::{label_name}")


@pytest.mark.parametrize("name", ["classes", "class_names"])
@pytest.mark.parametrize("names", [["a", "b", "c"], [10, 20, 30]])
def test_class_names_in_the_archive(name, names, tmp_path):
    np.savez(tmp_path / "a.npz", scores=SCORES, y=["b", "c"], **{name: names})
    assert read_scores(tmp_path / "a.npz").classes == tuple(names)


def test_labels_from_another_file(tmp_path):
    np.save(tmp_path / "s.npy", SCORES)
    np.save(tmp_path / "y.npy", np.array([2, 1]))
    (tmp_path / "y.txt").write_text("c\nb\n")
    np.savez(tmp_path / "y.npz", other=[2, 1], more=[0, 0])
    path = tmp_path / "s.npy"
    assert read_scores(path, labels=tmp_path / "y.npy").y_true.tolist() == [2, 1]
    assert read_scores(path, labels=tmp_path / "y.txt").y_true.tolist() == ["c", "b"]
    picked = read_scores(path, labels=f"{tmp_path / 'y.npz'}::other")
    assert picked.sources[1].endswith("y.npz::other")


def test_what_an_archive_lacks_is_said(tmp_path, refusal):
    np.savez(tmp_path / "a.npz", scores=SCORES, z=[0, 1])
    error = refusal(read_scores, tmp_path / "a.npz")
    assert "scores: float64 (2, 3) and z: int64 (2,)" in error.problem
    assert (error.parameter, error.option) == ("y_true", "labels")
    np.savez(tmp_path / "b.npz", foo=SCORES, y=[0, 1])
    error = refusal(read_scores, tmp_path / "b.npz")
    assert "foo: float64 (2, 3)" in error.problem
    assert error.option == "key"
    assert read_scores(
        tmp_path / "b.npz", layout=FileLayout(key="foo")
    ).y_true.tolist() == [0, 1]
    assert read_scores(f"{tmp_path / 'b.npz'}::foo").values.shape == (2, 3)
    np.save(tmp_path / "c.npy", SCORES)
    assert refusal(read_scores, tmp_path / "c.npy").option == "labels"
    error = refusal(read_scores, tmp_path / "a.npz", prefix="logit_")
    assert error.option == "prefix"


# Tables


@pytest.mark.parametrize("label", ["label", "y", "y_true", "target", "class", "True"])
def test_label_column_is_recognised(label, table):
    scores = read_scores(table(f"cat,{label},dog\n1,dog,2\n-1,NA,0.5\n"))
    assert scores.classes == ("cat", "dog")
    assert scores.y_true.tolist() == ["dog", "NA"]
    assert scores.values.tolist() == [[1, 2], [-1, 0.5]]


def test_label_column_is_named(table, refusal):
    path = table("kind,cat,dog\ncat,1,2\n")
    error = refusal(read_scores, path)
    assert "kind, cat and dog" in error.problem
    assert (error.parameter, error.option) == ("y_true", "label_column")
    assert read_scores(path, label_column="kind").y_true.tolist() == ["cat"]
    assert refusal(read_scores, path, label_column="x").location.column == "x"
    error = refusal(read_scores, table("label,target,a,b\n1,1,1,2\n"))
    assert "several columns" in error.problem


def test_table_without_header(table, refusal):
    path = table("cat,1,2\ndog,3,4\n")
    bare = FileLayout(header=False)
    assert refusal(read_scores, path, layout=bare).option == "label_column"
    scores = read_scores(path, layout=FileLayout(header=False), label_column="1")
    assert scores.y_true.tolist() == ["cat", "dog"]
    assert scores.classes is None


@pytest.mark.parametrize("prefix", ["logit_", "prob_", "log_prob_", "score_"])
def test_usual_prefix_is_removed_and_other_columns_noted(prefix, table):
    path = table(f"file,label,{prefix}cat,{prefix}dog\nx.jpg,cat,1,2\n")
    scores = read_scores(path)
    assert scores.classes == ("cat", "dog")
    assert "'file'" in scores.notes[0].problem


def test_prefix_can_be_given(table, refusal):
    path = table("label,m1:cat,m1:dog,m2:cat,m2:dog\ncat,1,2,3,4\n")
    scores = read_scores(path, prefix="m2:")
    assert scores.classes == ("cat", "dog")
    assert scores.values.tolist() == [[3, 4]]
    assert refusal(read_scores, path, prefix="x").option == "prefix"


def test_two_kinds_of_scores_are_not_guessed_between(table, refusal):
    path = table("label,logit_a,logit_b,prob_a,prob_b\na,1,2,.3,.7\n")
    assert refusal(read_scores, path).option == "prefix"
    assert read_scores(path, prefix="prob_").values.tolist() == [[0.3, 0.7]]


@pytest.mark.parametrize("name", ["id", "Index", "filename", "y_true"])
def test_row_numbers_do_not_pass_for_a_class(name, table, tmp_path, refusal):
    path = table(f"{name},cat,dog\n7,1,2\n")
    np.save(tmp_path / "y.npy", np.array([0]))
    error = refusal(read_scores, path, labels=tmp_path / "y.npy")
    assert (error.location.column, error.option) == (name, "drop")
    kept = read_scores(path, labels=tmp_path / "y.npy", layout=FileLayout(drop=[name]))
    assert kept.classes == ("cat", "dog")
    every = read_scores(path, labels=tmp_path / "y.npy", prefix="")
    assert every.classes == (name, "cat", "dog")


@pytest.mark.parametrize(
    "header",
    [
        "filename,index_0,label_0,prob_0",
        "filename,index_0,index_1,prob_0,prob_1",
        "label,index_0,index_1,logit_0,logit_1",
        "filename,index,label,prob",
    ],
)
def test_best_few_classes_are_not_enough(header, table, refusal):
    cells = ",".join("1" for _ in header.split(","))
    remedy = refusal(read_scores, table(f"{header}\n{cells}\n")).remedy
    assert "--topk 0 --results-separate-col --output-type logit" in remedy


def test_full_output_of_timm_is_read(table, tmp_path):
    (tmp_path / "y.txt").write_text("1\n0\n")
    path = table("filename,logit_0,logit_1\na.jpg,1,2\nb.jpg,2,1\n")
    scores = read_scores(path, labels=tmp_path / "y.txt")
    assert scores.classes == ("0", "1")
    assert scores.y_true.tolist() == ["1", "0"]


def test_key_of_a_table_is_refused(table, refusal):
    path = table("label,a,b\na,1,2\n")
    assert "no arrays to pick" in refusal(read_scores, f"{path}::a").problem


def test_decimal_comma_with_labels(table, refusal):
    path = table("label;a;b\nx,y;1,5;2\nz.w;0,5;1\n")
    assert refusal(read_scores, path).option == "decimal"
    scores = read_scores(path, layout=FileLayout(decimal=","))
    assert scores.values.tolist() == [[1.5, 2], [0.5, 1]]
    assert scores.y_true.tolist() == ["x,y", "z.w"]


def test_text_file_is_no_scores(table, refusal):
    assert ".csv" in refusal(read_scores, table("1\n", "a.txt")).remedy


# Class names from the caller


def test_classes_name_columns_or_pick_them(table, tmp_path, refusal):
    np.savez(tmp_path / "a.npz", scores=SCORES, y=[0, 1])
    (tmp_path / "classes.txt").write_text("x\ny\nz\n")
    path = tmp_path / "a.npz"
    assert read_scores(path, classes=["x", "y", "z"]).classes == ("x", "y", "z")
    named = read_scores(path, classes=tmp_path / "classes.txt")
    assert named.classes == ("x", "y", "z")
    error = refusal(read_scores, path, classes=["x", "y"])
    assert "3 columns" in error.problem
    assert "2 class names" in error.problem
    assert "repeated" in refusal(read_scores, path, classes=["x", "y", "x"]).problem
    path = table("label,a,b,c\na,1,2,3\n")
    picked = read_scores(path, classes=["c", "a"])
    assert picked.classes == ("c", "a")
    assert picked.values.tolist() == [[3, 1]]
    assert "not for 'q'" in refusal(read_scores, path, classes=["a", "q"]).problem
    assert read_scores(path, classes=["p", "q", "r"]).classes == ("p", "q", "r")


# Shapes


def test_row_32_numbers_of_rows_and_labels_are_compared(tmp_path, refusal):
    np.savez(tmp_path / "a.npz", scores=np.ones((5, 3)), y=np.zeros(7, int))
    error = refusal(read_scores, tmp_path / "a.npz")
    assert "5 rows" in error.problem
    assert "7 labels" in error.problem
    assert "transposed" not in error.remedy


def test_row_33_transposed_matrix_is_recognised(tmp_path, refusal):
    np.savez(tmp_path / "a.npz", scores=np.ones((3, 5)), y=np.zeros(5, int))
    assert "transposed" in refusal(read_scores, tmp_path / "a.npz").remedy


def test_header_taken_for_data_is_hinted_at(tmp_path, refusal):
    np.save(tmp_path / "s.npy", np.ones((3, 2)))
    (tmp_path / "y.csv").write_text("a\nb\nc\n")
    error = refusal(read_scores, tmp_path / "s.npy", labels=tmp_path / "y.csv")
    assert error.option == "header"


@pytest.mark.parametrize("shape", [(4,), (2, 2, 2), (0, 3), (3, 0), (4, 1)])
def test_rows_33_and_34_other_shapes_are_refused(shape, tmp_path, refusal):
    n_rows = shape[0]
    np.savez(tmp_path / "a.npz", scores=np.ones(shape), y=np.zeros(n_rows or 1, int))
    refusal(read_scores, tmp_path / "a.npz")


@pytest.mark.parametrize("shape", [(1, 2), (1, 5), (3, 2)])
def test_row_34_one_row_and_two_classes_work(shape, tmp_path):
    np.savez(tmp_path / "a.npz", scores=np.ones(shape), y=np.zeros(shape[0], int))
    assert read_scores(tmp_path / "a.npz").values.shape == shape


def test_table_with_one_column_of_scores_is_refused(table, refusal):
    assert "at least two" in refusal(read_scores, table("label,a\na,1\n")).problem


def test_rows_35_to_37_are_left_to_the_methods(table):
    """Absent classes, a single class and ties are for the statistics to judge."""
    scores = read_scores(table("label,a,b,c\na,1,1,1\na,1,1,1\n"))
    assert scores.y_true.tolist() == ["a", "a"]


# What is not finite


@pytest.mark.parametrize("cell", ["nan", "NaN", "inf", "1e999", "Infinity"])
def test_rows_19_and_25_are_refused_or_dropped(cell, table, refusal):
    path = table(f"label,a,b\nx,1,2\ny,{cell},2\nz,1,{cell}\n")
    error = refusal(read_scores, path)
    assert (error.location.line, error.location.column) == (3, "a")
    assert "such values in 2 of 3 rows" in error.problem
    assert error.option == "drop_nonfinite"
    scores = read_scores(path, drop_nonfinite=True)
    assert scores.n_dropped == 2
    assert scores.y_true.tolist() == ["x"]
    assert "2 of 3 rows" in scores.notes[-1].problem


@pytest.mark.parametrize("cell", ["", " ", "NA", "null"])
def test_scores_that_are_missing_are_dropped_as_nan_is(cell, table, refusal):
    path = table(f"label,a,b\nx,1,2\ny,{cell},2\nz,1,{cell}\n")
    error = refusal(read_scores, path)
    assert (error.location.line, error.location.column) == (3, "a")
    assert error.option == "drop_nonfinite"
    scores = read_scores(path, drop_nonfinite=True)
    assert (scores.n_dropped, scores.y_true.tolist()) == (2, ["x"])


def test_missing_scores_of_arrow_are_dropped_too(tmp_path, refusal):
    pa = pytest.importorskip("pyarrow", reason="needs the extra [io]")
    from pyarrow import parquet

    path = tmp_path / "s.parquet"
    columns = {"label": ["x", "y"], "a": [1.0, None], "b": [2.0, 3.0]}
    parquet.write_table(pa.table(columns), path)
    assert refusal(read_scores, path).option == "drop_nonfinite"
    assert read_scores(path, drop_nonfinite=True).y_true.tolist() == ["x"]


def test_row_26_minus_infinity_is_a_score(tmp_path, refusal):
    inf = np.inf
    np.savez(tmp_path / "a.npz", scores=[[0, -inf], [-inf, 1]], y=[0, 1])
    assert read_scores(tmp_path / "a.npz").values[0, 1] == -inf
    np.savez(tmp_path / "b.npz", scores=[[0, -inf], [-inf, -inf]], y=[0, 1])
    error = refusal(read_scores, tmp_path / "b.npz")
    assert error.location.row == 2
    assert "every score is -inf" in error.problem
    scores = read_scores(tmp_path / "b.npz", drop_nonfinite=True)
    assert (scores.n_dropped, scores.y_true.tolist()) == (1, [0])


def test_dropping_every_row_is_refused(table, refusal):
    path = table("label,a,b\nx,nan,2\n")
    error = refusal(read_scores, path, drop_nonfinite=True)
    assert "no row is left" in error.remedy


def test_flaws_are_found_in_every_block(tmp_path, monkeypatch, refusal):
    from scorecast.io import arrays

    monkeypatch.setattr(arrays, "_CELLS_AT_ONCE", 4)
    values = np.ones((9, 2))
    values[7, 1] = np.nan
    values[8] = -np.inf
    np.savez(tmp_path / "a.npz", scores=values, y=np.zeros(9, int))
    error = refusal(read_scores, tmp_path / "a.npz")
    assert (error.location.row, error.location.column) == (8, "2")
    assert read_scores(tmp_path / "a.npz", drop_nonfinite=True).n_dropped == 2


def test_sum_that_overflows_is_no_flaw(tmp_path):
    np.savez(tmp_path / "a.npz", scores=np.full((2, 2), 1e308), y=[0, 1])
    assert read_scores(tmp_path / "a.npz").n_dropped == 0


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_binary_tables(suffix, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"label": ["NA", "b"], "logit_NA": [1, 2], "logit_b": [3, 4]})
    path = tmp_path / f"a{suffix}"
    frame.to_parquet(path) if suffix == ".parquet" else frame.to_feather(path)
    scores = read_scores(path)
    assert scores.classes == ("NA", "b")
    assert scores.y_true.tolist() == ["NA", "b"]
    assert scores.values.tolist() == [[1, 3], [2, 4]]


@pytest.mark.slow
def test_table_of_50_megabytes_is_read_in_seconds(tmp_path):
    import time

    path = tmp_path / "a.csv"
    row = ",".join(f"{value:.16f}" for value in np.linspace(-1, 1, 500))
    header = "label," + ",".join(f"c{i}" for i in range(500))
    path.write_text("\n".join([header, *(f"cat,{row}" for _ in range(5000))]))
    start = time.process_time()
    assert read_scores(path).values.shape == (5000, 500)
    assert time.process_time() - start < 6


# Names of classes in an archive


@pytest.mark.parametrize("key", ["classes", "class_names", "target_names", "names"])
def test_names_of_classes_in_an_archive_are_used(tmp_path, key):
    scores = np.eye(3)
    names = np.array(["wolf", "ant", "bee"])  # not in sorted order
    path = tmp_path / "run.npz"
    np.savez(path, scores=scores, labels=names, **{key: names})
    found = read_scores(path)
    assert found.classes == ("wolf", "ant", "bee")
    assert found.y_true.tolist() == ["wolf", "ant", "bee"]
    np.savez(path, scores=scores, labels=np.arange(3), **{key: names})
    found = read_scores(path)
    assert found.classes == ("wolf", "ant", "bee")
    assert found.y_true.tolist() == ["wolf", "ant", "bee"]
    assert any("numbers of columns" in note.problem for note in found.notes)


def test_names_that_are_not_of_columns_are_left_alone(tmp_path):
    path = tmp_path / "run.npz"
    images = np.array(["a.png", "b.png", "c.png", "d.png"])
    np.savez(path, scores=np.eye(4)[:, :3], labels=[0, 1, 2, 2], names=images)
    found = read_scores(path)
    assert found.classes is None
    assert found.y_true.tolist() == [0, 1, 2, 2]
