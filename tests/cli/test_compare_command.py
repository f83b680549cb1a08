"""The verb ``compare``: from a table to an answer."""

import json

import numpy as np
import pytest

NAMES = ("tree", "forest", "boosting")


def rows(n=12, seed=0):
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.5, 0.8, (n, 1))
    return level + np.array([0, 0.05, 0.055]) + rng.normal(0, 0.01, (n, 3))


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a table and gives its path."""

    def write(values, name="table.csv", missing=()):
        lines = ["data set," + ",".join(NAMES[: values.shape[1]])]
        for i, row in enumerate(values):
            cells = ["" if (i, j) in missing else f"{x:.6f}" for j, x in enumerate(row)]
            lines.append(f"set {i}," + ",".join(cells))
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def test_the_answer_is_printed_saved_and_reported(run, write, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    path = write(rows())
    code, out, err = run(
        "compare", path, "--json", tmp_path / "a.json", "--report", tmp_path / "a.html",
        "--latex", tmp_path / "a.tex", "--rope", "0.01",
    )  # fmt: skip
    assert code == 0, err
    assert "ranks best of 3 models on 12 data sets" in out.splitlines()[0]
    answer = out.split("\nJSON ")[0]  # paths may be long
    assert all(len(line) <= 88 for line in answer.splitlines())
    data = json.loads((tmp_path / "a.json").read_text())
    assert data["kind"] == "comparison"
    assert data["inputs"]["files"][0]["path"] == str(path)
    page = (tmp_path / "a.html").read_text()
    for heading in ("Mean ranks", "Wins and losses", "Every pair", "For a paper"):
        assert heading in page
    assert r"\toprule" in (tmp_path / "a.tex").read_text()
    assert f"LaTeX     {tmp_path / 'a.tex'}" in out
    again = tmp_path / "b.html"
    code, _, err = run("report", tmp_path / "a.json", "-o", again)
    assert code == 0, err
    assert "Wins and losses" in again.read_text()


def test_minimising_ranks_the_other_way(run, write):
    path = write(rows())
    _, up, _ = run("compare", path, "--json", "-")
    _, down, _ = run("compare", path, "--minimise", "--json", "-")
    ranks = [json.loads(text)["result"]["ranks"] for text in (up, down)]
    for name in NAMES:
        assert ranks[0][name] + ranks[1][name] == pytest.approx(4)
    assert ranks[0]["tree"] == 3


def test_every_option_reaches_the_answer(run, write):
    path = write(rows())
    code, out, err = run(
        "compare", path, "--control", "tree", "--post-hoc", "finner", "--pairs", "sign",
        "--omnibus", "quade", "--level", "0.9", "--zeros", "split", "--json", "-",
    )  # fmt: skip
    assert code == 0, err
    data = json.loads(out)
    wanted = {
        "control": "tree",
        "post_hoc": "finner",
        "pair_test": "sign",
        "level": 0.9,
    }
    assert wanted.items() <= data["options"].items()
    assert data["result"]["omnibus"]["test"] == "quade"


def test_long_tables_and_missing_cells(run, write, tmp_path):
    values = rows()
    path = tmp_path / "long.csv"
    lines = ["set,model,score"]
    lines += [
        f"{i},{name},{x:.6f}"
        for i, row in enumerate(values)
        for name, x in zip(NAMES, row, strict=True)
        if (i, name) != (2, "forest")
    ]
    path.write_text("\n".join(lines) + "\n")
    long = ("--long", "set", "model", "score")
    code, out, err = run("compare", path, *long, "--json", "-")
    assert code == 0, err
    data = json.loads(out)
    wide = write(values, missing={(2, 1)})
    _, out, _ = run("compare", wide, "--json", "-")
    same = json.loads(out)
    assert data["result"]["ranks"] == same["result"]["ranks"]
    assert data["inputs"]["n"] == same["inputs"]["n"] == 11
    assert "1 of 12 rows" in same["result"]["warnings"][0]
    code, _, err = run("compare", wide, "--missing", "refuse")
    assert code == 3
    assert "1 of 12 rows" in err


def test_parquet_with_empty_cells(run, write, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="needs the extra [io]")
    from pyarrow import parquet

    values = rows()
    columns = {n: values[:, i].tolist() for i, n in enumerate(NAMES)}
    columns["tree"][4] = None
    table = pa.table({"data": [f"s{i}" for i in range(12)], **columns})
    parquet.write_table(table, tmp_path / "t.parquet")
    code, out, err = run("compare", tmp_path / "t.parquet", "--json", "-")
    assert code == 0, err
    assert json.loads(out)["inputs"]["n"] == 11


@pytest.mark.parametrize(
    ("content", "options", "code", "said"),
    [
        ("a,b\n0.1,0.2\n0.3,0.5\n", (), 4, "at least 6"),
        ("set,a,b,c\nx,0.1,0.2,0.4\n", (), 4, "at least 3"),
        ("a\n1\n2\n", (), 3, "two models"),
        ("a,b\n1,2\n3,x\n", (), 3, "line 3, column 'b': 'x' is no number"),
        ("a,b\n1,2\n3,inf\n", (), 3, "infinite"),
        ("a,b,c\n1,2,3\n", ("--control", "z"), 3, "control"),
        ("a,b\n1,2\n", ("--drop", "z"), 3, "no column 'z'"),
        ("a,b\n1,2\n", ("--model", "z"), 3, "'z'"),
        ("a,b\n1,2\n", ("--long", "a", "b", "z"), 3, "'z'"),
        ("a,a\n1,2\n", (), 3, "repeated"),
        ("", (), 3, "empty"),
        ("a,b\n1,2\n", ("--post-hoc", "best"), 2, "best"),
        ("a,b\n1,2\n", ("--level", "95"), 2, "0.95"),
        ("a,b\n" + "1.5,2\n" * 9, ("--rows", "splits"), 2, "--test-ratio"),
    ],
)
def test_bad_input_gets_one_line_and_its_code(
    run, tmp_path, content, options, code, said
):
    path = tmp_path / "t.csv"
    path.write_text(content)
    found, out, err = run("compare", path, *options, "--json", tmp_path / "x.json")
    assert found == code, err
    assert said in err
    assert len(err.strip().splitlines()) == 1
    assert not out
    assert not (tmp_path / "x.json").exists()


def test_hostile_names_are_shown_as_text(run, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    names = ["</script><b>", "$x_{$", "cow\u202e", "_hidden"]
    values = np.random.default_rng(0).random((9, 4))
    lines = [",".join(names)] + [",".join(f"{x:.4f}" for x in row) for row in values]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    code, out, err = run("compare", path, "--report", tmp_path / "a.html")
    assert code == 0, err
    assert "\u202e" not in out
    page = (tmp_path / "a.html").read_text()
    assert "<b>" not in page
    assert "\u202e" not in page


def test_a_column_of_numbers_names_the_rows_where_told_so(run, tmp_path):
    lines = [f"{i + 1}," + ",".join(map(str, row)) for i, row in enumerate(rows())]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["dataset," + ",".join(NAMES), *lines]) + "\n")
    code, _, err = run("compare", path)
    assert code == 3
    assert "'dataset' counts the rows" in " ".join(err.split())
    assert err.count("--model") == err.count("--names") == err.count("--drop") == 1
    for way in (("--names", "dataset"), ("--drop", "dataset")):
        code, out, err = run("compare", path, *way)
        assert code == 0, err
        assert "of 3 models on 12 data sets" in out


@pytest.mark.parametrize("other", ["--json", "--report"])
def test_one_file_for_two_outputs_is_refused_before_the_first(
    run, write, tmp_path, other
):
    path = write(rows())
    target = tmp_path / "same.html"
    code, out, err = run(
        "compare", path, "--latex", target, other, f"{tmp_path}/./same.html"
    )
    assert code == 2
    assert f"{other} and --latex both name" in err
    assert not out
    assert not target.exists()


def test_a_share_in_percent_is_said_to_be_one(run, write):
    path = write(rows())
    lines = path.read_text().splitlines()
    cells = lines[5].split(",")
    lines[5] = ",".join([*cells[:-1], "75.1%"])
    path.write_text("\n".join(lines) + "\n")
    code, _, err = run("compare", path)
    assert code == 3
    assert "75.1%' is no number; leave out the % sign" in " ".join(err.split())


def test_several_columns_of_text_are_told_of_both_forms(run, tmp_path):
    wide = tmp_path / "wide.csv"
    wide.write_text("patient,case,a,b\np1,c1,0.3,0.4\np1,c2,0.5,0.4\np2,c3,0.3,0.6\n")
    code, _, err = run("compare", wide)
    assert code == 3
    for said in ("wide table", "--model", "--group", "--long"):
        assert said in err
    code, _, err = run(
        "compare", wide, "--long", "case", "patient", "a", "--truth", "b"
    )
    assert code == 2
    assert "wide table" in err
    assert "without --long" in err
