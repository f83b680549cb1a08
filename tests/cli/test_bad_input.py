"""What the tool must survive: one line, the stated exit code, nothing half-written."""

import json

import numpy as np
import pytest


def save(path, **arrays):
    np.savez(path, **arrays)
    return path


def refuse(run, code, words, *arguments):
    found, out, err = run(
        "extrapolate", *arguments, "--to", 100, "--method", "gaussian"
    )
    assert found == code, err
    assert out == ""
    assert err.count("\n") == 1, err
    assert words in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.npy", None, "missing.npy"),
        ("empty.npy", b"", "empty"),
        ("text.npy", b"1,2,3\n4,5,6\n", "text.npy"),
        ("model.pkl", b"\x80\x04.", ".save("),
        ("weights.pt", b"PK\x03\x04", ".save("),
        ("ragged.csv", b"truth,a,b\na,1,2\nb,1\n", "line 3"),
        ("words.csv", b"truth,a,b\na,1,x\nb,1,2\n", "line 2"),
        ("hole.csv", b"truth,a,b\na,1,\nb,1,2\n", "line 2"),
        ("twice.csv", b"truth,a,a\na,1,2\nb,1,2\n", "a"),
        ("only.csv", b"truth,a,b\n", "only.csv"),
        ("nan.csv", b"truth,a,b\na,1,nan\nb,1,2\n", "drop-nonfinite"),
        ("comma.csv", b"truth;a;b\na;1,5;2,5\nb;1,0;2,0\n", "--decimal"),
    ],
)
def test_files_that_are_not_what_they_should_be(run, tmp_path, name, content, words):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    refuse(
        run, 3, words, path, *(["--label-column", "truth"] if ".csv" in name else [])
    )


def test_a_folder_is_not_a_file(run, tmp_path):
    refuse(run, 3, "director", tmp_path)


@pytest.mark.parametrize(
    ("scores", "labels", "code", "words"),
    [
        (np.full((4, 3), np.nan), [0, 1, 2, 0], 3, "finite"),
        (np.array([[1.0, np.inf], [0.0, 1.0]]), [0, 1], 3, "finite"),
        (np.zeros((4, 3), complex), [0, 1, 2, 0], 3, "complex"),
        (np.zeros(6), [0, 1, 2, 0, 1, 2], 3, "matrix"),
        (np.zeros((2, 2, 2)), [0, 1], 3, "matrix"),
        (np.zeros((4, 3)), [0, 1, 2], 3, "4"),
        (np.zeros((3, 5)), [0, 1, 2, 3, 4], 3, "transposed"),
        (np.zeros((4, 3)), [0, 1, 2, 7], 3, "7"),
        (np.zeros((4, 3)), [0, 1, 2, -1], 3, "-1"),
        (np.zeros((4, 3)), [0.5, 1, 2, 0], 3, "0.5"),
        (np.zeros((0, 3)), [], 3, ""),
        (np.zeros((3, 1)), [0, 0, 0], 3, "at least two"),
        (np.eye(3)[[0, 0, 0]], [0, 0, 0], 4, "one class"),
    ],
)
def test_arrays_that_cannot_be_scores(run, tmp_path, scores, labels, code, words):
    path = save(tmp_path / "x.npz", scores=scores, labels=np.array(labels))
    refuse(run, code, words, path)


def test_labels_that_do_not_fit_are_blamed_on_their_file(run, tmp_path):
    scores = save(tmp_path / "x.npz", scores=np.eye(4))
    (tmp_path / "truth.csv").write_text("label\n0\n1\n2\n9\n")
    (tmp_path / "names.csv").write_text("name\n0\n1\n")
    task = ("extrapolate", scores, "--labels", tmp_path / "truth.csv", "--to", 9)
    code, _, err = run(*task)
    assert (code, err.count("\n")) == (3, 1)
    assert "truth.csv: 1 of 4 labels lie outside" in err
    code, _, err = run(*task, "--classes", tmp_path / "names.csv")
    assert (code, err.count("\n")) == (3, 1)
    assert "names.csv: " in err


def test_a_header_is_not_blamed_where_no_file_can_have_one(run, tmp_path):
    path = save(tmp_path / "x.npz", scores=np.eye(4), labels=np.arange(3))
    code, _, err = run("extrapolate", path, "--to", 9)
    assert (code, "one label per row" in err, "--no-header" in err) == (3, True, False)


def test_text_is_called_text(run, tmp_path):
    scores = np.eye(4).astype(str)
    path = save(tmp_path / "x.npz", scores=scores, labels=np.arange(4))
    refuse(run, 3, "it holds text where numbers are expected", path)


def test_several_arrays_none_of_them_named_so(run, tmp_path):
    path = save(tmp_path / "x.npz", first=np.eye(3), second=np.eye(4))
    refuse(run, 3, "--key", path)


def test_outputs_are_refused_before_anything_is_computed(run, files):
    source = files / "both.npz"
    for path, words in (
        (files / "no" / "out.json", "out.json"),
        (files, str(files.name)),
        (source, "both.npz"),
    ):
        found, _, err = run(
            "extrapolate", source, "--to", 50, "--json", path, "--force"
        )
        assert found == 3, err
        assert words in err
    assert np.load(source)["scores"].shape == (60, 12)


def test_nothing_is_overwritten_without_force(run, files):
    out = files / "out.json"
    out.write_text("mine")
    arguments = ("extrapolate", files / "both.npz", "--to", 50, "--method", "gaussian")
    code, _, err = run(*arguments, "--json", out)
    assert code == 3
    assert "--force" in err
    assert out.read_text() == "mine"
    assert run(*arguments, "--json", out, "--force")[0] == 0
    assert out.read_text() != "mine"


def test_a_failed_run_leaves_no_files_behind(run, files):
    before = sorted(p.name for p in files.iterdir())
    bad = files / "scores.npy"
    run(
        "extrapolate",
        bad,
        "--to",
        50,
        "--json",
        files / "o.json",
        "--report",
        files / "o.html",
    )
    assert sorted(p.name for p in files.iterdir()) == before


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (np.eye(4)[np.arange(40) % 8 // 2].repeat(2, axis=1), "ties"),
        (10 * np.eye(8)[np.arange(40) % 8], "Every example is right"),
        (-10 * np.eye(8)[np.arange(40) % 8] + np.arange(8), "classes"),
        (np.eye(2)[np.arange(40) % 2], "Every example is right"),
    ],
)
def test_odd_but_valid_scores_get_an_answer(run, tmp_path, scores, words):
    own = np.arange(40) % scores.shape[1]
    path = save(tmp_path / "x.npz", scores=scores, labels=own)
    code, out, err = run("extrapolate", path, "--to", 10**6)
    assert code == 0, err
    assert words in out + err
    assert "nan" not in out
    assert "100 %" not in out.split("expect")[1].split("Method")[0].split("-")[0]


def test_hostile_class_names_are_shown_as_text(run, tmp_path):
    names = [
        "</script><script>alert(1)</script>",
        "=HYPERLINK(1)",
        "$x_{$",
        "_h",
        "a\nb",
    ]
    own = np.arange(50) % 5
    scores = np.random.default_rng(0).normal(size=(50, 5)) + 2 * np.eye(5)[own]
    path = save(
        tmp_path / "x.npz",
        scores=scores,
        labels=np.array(names)[own],
        classes=np.array(names),
    )
    page = tmp_path / "o.html"
    code, _, err = run("extrapolate", path, "--to", 50, "--report", page)
    assert code == 0, err
    assert "<script" not in page.read_text()


def test_near_duplicate_class_names_are_kept_apart_and_named(run, tmp_path):
    names = np.array(["Anna", "anna ", "Bert"])
    own = np.arange(30) % 3
    path = save(
        tmp_path / "x.npz",
        scores=np.random.default_rng(0).normal(size=(30, 3)) + 2 * np.eye(3)[own],
        labels=names[own],
        classes=names,
    )
    code, out, err = run("extrapolate", path, "--to", 50, "--method", "gaussian")
    assert code == 0
    assert "nearly agree" in " ".join((out + err).split())


@pytest.mark.parametrize(
    ("option", "given", "meant"),
    [
        ("--fail-below", "80", "0.80"),
        ("--confidence-level", "90", "0.90"),
        ("--confidence-level", "99.9", "0.999"),
        ("--confidence-level", "95%", "0.95"),
    ],
)
def test_who_writes_a_percentage_is_told_the_share(run, files, option, given, meant):
    code, _, err = run("extrapolate", files / "both.npz", "--to", 24, option, given)
    assert code == 2
    assert f"did you mean {meant}?" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("given", ["-0.1", "101", "much", "nan", "0", "1"])
def test_what_is_no_share_is_refused(run, files, given):
    task = ("extrapolate", files / "both.npz", "--to", 24)
    code, _, err = run(*task, "--confidence-level", given)
    assert code == 2
    assert "level" in err
    assert "did you mean" not in err


CELLS = "truth,{}a,b\n" + "".join(
    f"{'ab'[i % 2]},{{}}{i / 7:.2f},{1 - i / 9:.2f}\n" for i in range(12)
)


@pytest.mark.parametrize("name", ["image_id", "sampleId", "Image ID", "row-index"])
def test_a_column_of_names_is_not_taken_for_a_class(run, tmp_path, name):
    path = tmp_path / "s.csv"
    numbers = (f"{1000 + i}," for i in range(12))
    path.write_text(CELLS.format(f"{name},", *numbers))
    words = f"column '{name}': this does not look like the scores of a class"
    refuse(run, 3, words, path, "--label-column", "truth")


@pytest.mark.parametrize("name", ["TRUE", "class", "y", "id"])
@pytest.mark.parametrize("given", [(), ("--label-column", "truth"), ("--prefix", "")])
def test_a_class_may_have_the_name_of_a_label_column(run, tmp_path, name, given):
    path = tmp_path / "s.csv"
    plain, strange = (
        CELLS.format("", *("" for _ in range(12))).replace("a", word)
        for word in ("c", name)
    )
    job = ("extrapolate", path, "--to", 100, "--backtest", 0, "--method", "gaussian")
    path.write_text(plain)
    code, expected, _ = run(*job, "--json", "-")
    assert code == 0
    path.write_text(strange)
    code, found, err = run(*job, *given, "--json", "-")
    assert code == 0, err
    expected, found = (json.loads(x)["result"] for x in (expected, found))
    assert found == expected


def test_an_empty_prefix_takes_every_column(run, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(CELLS.format("id,", *("2.5," for _ in range(12))))
    job = ("extrapolate", path, "--to", 100, "--backtest", 0, "--method", "gaussian")
    refuse(run, 3, "every column is a class by an empty prefix, or leave it out", path)
    code, _, err = run(*job, "--prefix", "")
    assert code == 0, err
    assert "no label names column 'id', taken for a class without examples" in err


def test_a_column_that_no_label_names_is_named(run, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(CELLS.format("height,", *("2.5," for _ in range(12))))
    job = ("extrapolate", path, "--label-column", "truth", "--to", 100, "--backtest", 0)
    code, _, err = run(*job, "--method", "gaussian")
    assert code == 0, err
    assert "no label names column 'height', taken for a class without examples" in err
    path.write_text(CELLS.format("", *("" for _ in range(12))))
    assert "no label names" not in run(*job, "--method", "gaussian")[2]


def test_a_delimiter_that_is_not_there_is_told_from_the_one_that_is(run, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(CELLS.format("", *("" for _ in range(12))))
    words = "no ';' in it, but ',' in every line. Leave the delimiter"
    refuse(run, 3, words, path, "--label-column", "truth", "--delimiter", ";")


def test_parameters_are_options_in_the_terminal(run, tmp_path):
    path = tmp_path / "q.csv"
    path.write_text("a,b,won\n" + "0.2,0.7,a\n0.6,0.3,b\n" * 20)
    job = ("information", path, "--probability", "a", "--probability", "b",
           "--label-column", "won", "--leave-one-out")  # fmt: skip
    code, _, err = run(*job)
    assert code == 3
    assert err.endswith("divide by the sum (--normalize).\n")


def test_a_file_with_other_marks_between_its_fields_is_told_how_to_be_read(
    run, tmp_path
):
    (tmp_path / "d.csv").write_text("a|b|kind\n1|2|x\n3|4|y\n")
    words = ("assess", tmp_path / "d.csv", "--target", "kind", "--model", "tree")
    code, _, err = run(*words)
    assert code == 3
    assert "Is '|' between the fields?" in err
    assert "--delimiter" in err


def test_of_which_label_one_column_is_the_chance_must_be_clear(run, tmp_path):
    rows = "\n".join(f"{1 + i % 2},{0.2 + 0.5 * (i % 2)}" for i in range(12))
    (tmp_path / "d.csv").write_text(f"y,p\n{rows}\n")
    words = ("information", tmp_path / "d.csv", "--label-column", "y", "--quick")
    code, _, err = run(*words, "--leave-one-out", "--probability", "p")
    assert code == 3
    assert "--probability p=LABEL" in err
    code, out, err = run(*words, "--leave-one-out", "--probability", "p=2")
    assert code == 0, err
    assert "how sure it is that J" in " ".join(out.split())


def test_a_missing_label_is_found_by_its_line(run, tmp_path):
    rows = ["truth,a,b", "a,2,1", ",1,2", "b,1,2"]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows) + "\n")
    code, _, err = run("extrapolate", path, "--label-column", "truth", "--to", "9")
    assert code == 3
    assert "line 3: the label is missing (1 such). Fill it" in err
    path.write_text("\n".join([*rows[:2], "zz,1,2", rows[3]]) + "\n")
    code, _, err = run("extrapolate", path, "--label-column", "truth", "--to", "9")
    assert code == 3
    assert "scores.csv, line 3: labels that name no class" in err
    (tmp_path / "labels.txt").write_text("a\n\nb\n")
    np.save(tmp_path / "scores.npy", np.arange(6.0).reshape(3, 2))
    given = (tmp_path / "scores.npy", "--labels", tmp_path / "labels.txt")
    code, _, err = run("extrapolate", *given, "--to", "9")
    assert code == 3
    assert "labels.txt, line 2: the label is missing" in err
