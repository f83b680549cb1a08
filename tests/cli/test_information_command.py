"""``scorecast information`` as the shell sees it."""

import gzip
import json
import re

import numpy as np
import pytest

from scorecast.information import ApparentInformation, PriorCandidate
from scorecast.mixtures import Check, Prior

pytestmark = pytest.mark.usefixtures("quick_posterior")

N = 60


@pytest.fixture
def table(tmp_path):
    """A table of forecasts in every form, as .csv, .csv.gz, .npz and .parquet."""
    rng = np.random.default_rng(0)
    yes = rng.random(N) < 0.6
    chance = np.clip(rng.beta(4, 3, N), 0.05, 0.95)
    q, p = np.where(yes, chance, 1 - chance), np.where(yes, 0.6, 0.4)
    columns = {
        "q": q,
        "p": p,
        "log_q": np.log(q),
        "log_p": np.log(p),
        "bits_q": np.log2(q),
        "j": np.log(q / p),
        "worse": np.full(N, 0.5),
        "yes": chance,
        "no": 1 - chance,
    }
    outcome = np.where(yes, "yes", "no")
    names = np.array([f"case {i}" for i in range(N)])
    half = np.where(np.arange(N) < N // 2, "early", "late")
    header = ",".join([*columns, "outcome", "name", "half"])
    rows = [
        ",".join([*(repr(float(x[i])) for x in columns.values()), outcome[i], names[i],
                  half[i]])
        for i in range(N)
    ]  # fmt: skip
    text = "\n".join([header, *rows]) + "\n"
    (tmp_path / "t.csv").write_text(text)
    with gzip.open(tmp_path / "t.csv.gz", "wt") as file:
        file.write(text)
    np.savez(tmp_path / "t.npz", **columns, outcome=outcome, name=names, half=half)
    np.save(tmp_path / "m.npy", np.column_stack([1 - chance, chance]))
    np.save(tmp_path / "y.npy", yes.astype(int))
    (tmp_path / "prior.csv").write_text("class,probability\nyes,0.6\nno,0.4\n")
    (tmp_path / "train.txt").write_text("yes\nno\nyes\nno\nyes\n")
    return tmp_path


def mean_of(path):
    return json.loads(path.read_text())["result"]["mean"]


def test_every_form_of_forecasts_gives_the_same_answer(run, table):
    classes = ("--probability", "yes", "--probability", "no")
    named = (*classes, "--label-column", "outcome")
    ways = {
        "logs": ["t.csv", "--log-q", "log_q", "--log-p", "log_p"],
        "gz": ["t.csv.gz", "--log-q", "log_q", "--log-p", "log_p"],
        "npz": ["t.npz", "--log-q", "log_q", "--log-p", "log_p"],
        "bases": ["t.csv", "--log-q", "bits_q", "--log-p", "log_p", "--base", "2",
                  "--base-p", "e"],
        "chances": ["t.csv", "--q", "q", "--p", "p"],
        "j": ["t.csv", "--j", "j"],
        "prior": ["t.csv", *named, "--prior", table / "prior.csv"],
        "train": ["t.csv", *named, "--train-labels", table / "train.txt"],
        "labelled": ["t.npz", "--probability", "no=no", "--probability", "yes=yes",
                     "--label-column", "outcome", "--prior", table / "prior.csv"],
    }  # fmt: skip
    found = {}
    for name, (file, *options) in ways.items():
        out = table / f"{name}.json"
        code, _, err = run("information", table / file, *options, "--json", out)
        assert code == 0, err
        found[name] = mean_of(out)
    assert max(found.values()) - min(found.values()) < 1e-12


@pytest.mark.parametrize("prior", [[[0.4, 0.6]], [0.4, 0.6], [[0.4], [0.6]]])
def test_a_matrix_with_labels(run, table, prior):
    np.save(table / "prior.npy", np.array(prior))
    code, _, err = run(
        "information", table / "m.npy", "--labels", table / "y.npy",
        "--prior", table / "prior.npy", "--json", table / "o.json",
    )  # fmt: skip
    assert code == 0, err
    code, _, err = run(
        "information", table / "t.csv", "--j", "j", "--json", table / "j.json"
    )
    assert mean_of(table / "o.json") == pytest.approx(mean_of(table / "j.json"))


def test_the_answer_comes_first_and_units_are_said(run, table):
    code, out, err = run(
        "information", table / "t.csv", "--q", "q", "--p", "p", "--id", "name",
        "--groups", "half", "--report", table / "o.html", "--json", table / "o.json",
    )  # fmt: skip
    assert code == 0, err
    assert out.startswith("The forecasts carry ")
    assert "bits per case" in out.splitlines()[0]
    for words in ("early", "late", "Worst", "case ", "normal interval", "Prior"):
        assert words in out
    assert all(len(line) <= 88 for line in out.splitlines() if "/" not in line)
    page = (table / "o.html").read_text()
    for words in ("A stake laid", "The cases that cost most", "By group", "assumes"):
        assert words in page
    data = json.loads((table / "o.json").read_text())
    assert ApparentInformation.from_dict(data).units == "bits"
    assert data["inputs"]["files"][0]["sha256"]
    code, _, err = run("report", table / "o.json", "--out", table / "p.html")
    assert code == 0, err


def test_two_forecasters_are_compared(run, table):
    page = table / "two.html"
    code, out, err = run(
        "information", table / "t.csv", "--q", "q", "--versus", "worse"
    )
    assert code == 0, err
    assert "Forecast 'q' carries" in out
    assert "beyond forecast 'worse'" in out
    code, _, err = run(
        "information", table / "t.csv", "--q", "q", "--versus", "worse",
        "--report", page,
    )  # fmt: skip
    assert code == 0, err
    # Whoever compares two forecasters has no prior: the page must not speak of one.
    for text in (out, page.read_text()):
        assert " prior" not in text.lower()
        assert "Against" in text
    code, both, _ = run(
        "information", table / "t.csv", "--q", "q", "--p", "p", "--versus", "worse"
    )
    assert both == out


def test_the_gate(run, table):
    arguments = ("information", table / "t.csv", "--q", "q", "--p", "p")
    code, _, err = run(*arguments, "--fail-below", "0.9")
    assert code == 5
    assert "bits per case" in err
    assert run(*arguments, "--fail-below", "-5")[0] == 0


def test_a_gate_on_the_lower_end(run, table, tmp_path):
    arguments = ("information", table / "t.csv", "--q", "q", "--p", "p", "--quiet")
    path = tmp_path / "out.json"
    assert run(*arguments, "--json", path)[0] == 0
    found = json.loads(path.read_text())["result"]["posterior"]
    between = (found["low"] + found["median"]) / 2
    assert run(*arguments, "--fail-below", between)[0] == 0
    code, _, err = run(*arguments, "--fail-below-low", between)
    assert code == 5
    assert "lower end" in err
    assert run(*arguments, "--fail-below-low", found["low"] - 0.1)[0] == 0


def test_chains_that_disagree_exit_with_4(run, table, quick_posterior):
    quick_posterior.failed = (Check.RHAT,)
    arguments = ("information", table / "t.csv", "--q", "q", "--p", "p")
    code, out, err = run(*arguments)
    assert (code, out) == (4, "")
    assert "R-hat 1.5" in err
    code, out, err = run(*arguments, "--allow-unconverged")
    assert code == 0
    assert "did not converge" in out


def write(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "options", "code", "words"),
    [
        ("q,p\n0.5,0.5\nnan,0.5\n", ["--q", "q", "--p", "p"], 3, "line 3"),
        ("q,p\n0.5,0.5\n1e999,0.5\n", ["--q", "q", "--p", "p"], 3, "line 3"),
        ("q,p\n0.5,0.5\n,0.5\n", ["--q", "q", "--p", "p"], 3, "line 3"),
        ("q,p\n0.5,0.5\nx,0.5\n", ["--q", "q", "--p", "p"], 3, "line 3"),
        ("q,p\n0.5,0.5\n1.5,0.5\n", ["--q", "q", "--p", "p"], 3, "outside [0, 1]"),
        ("q,p\n0.5,0.5\n1.5,0.5\n", ["--q", "q", "--p", "p"], 3,
         "t.csv, column 'q', line 3: has 1 value(s) outside [0, 1]; the first is 1.5"),
        ("a,b,y\n0.5,0.5,a\n-0.5,1.5,b\n", ["--probability", "a", "--probability",
         "b", "--label-column", "y", "--leave-one-out"], 3, "column 'a', line 3: "),
        ("q,p\n0.5,0.5\n0,0\n", ["--q", "q", "--p", "p"], 3, "under the prior"),
        ("q,p\n0.5,0.5\n0.3,0\n", ["--q", "q", "--p", "p"], 3, "under the prior"),
        ("q,p\n-1,-1\n-2,-1\n", ["--q", "q", "--p", "p"], 3, "logarithms"),
        ("q,p\n0,0.5\n0,0.5\n", ["--q", "q", "--p", "p"], 3, "all 2 cases"),
        ("q,p\n0.5,0.5\n", ["--q", "z", "--p", "p"], 3, "no such column"),
        ("q,p\n0.5,0.5\n", ["--q", "q"], 2, "--log-q"),
        ("q,p\n0.5,0.5\n", [], 2, "--log-q"),
        ("q,p\n0.5,0.5\n", ["--q", "q", "--p", "p", "--j", "q"], 2, "--log-q"),
        ("q,p\n0.5,0.5\n", ["--q", "q", "--p", "p", "--base", "2"], 2, "--base"),
        ("q,p\n0.5,0.5\n", ["--q", "q"], 2, "--p is missing"),
        ("q,p\n0.5,0.5\n", ["--log-p", "p"], 2, "--log-q is missing"),
        ("q,p\n0.5,0.5\n", ["--q", "q", "--p", "p", "--prior", "x"], 2, "--prior"),
        ("j\n0.5\n0.1\n", ["--j", "j", "--floor", "0.1"], 2, "floor"),
        ("q,p\n0.5,0.5\n", ["--q", "q", "--p", "p", "--floor", "0"], 2, "--floor"),
        ("a,b,y\n0.5,0.6,a\n", ["--probability", "a", "--probability", "b",
         "--label-column", "y", "--leave-one-out"], 3, "--normalize"),
        ("a,b,y\n0.5,0.5,a\n", ["--probability", "a", "--probability", "b",
         "--label-column", "y"], 2, "--train-labels"),
        ("a,b,y\n0.5,0.5,c\n", ["--probability", "a", "--probability", "b",
         "--label-column", "y", "--leave-one-out"], 3, "(--probability)"),
        ("a,b,y\n70,30,a\n", ["--probability", "a", "--probability", "b",
         "--label-column", "y", "--leave-one-out"], 3, "percentages"),
        ("a,b,y\n0.3,0.2,a\n0.5,0.4,b\n", ["--probability", "a", "--probability",
         "b", "--label-column", "y", "--leave-one-out"], 3, "class missing"),
        ("a,b,y\n0.33,0.66,a\n0.5,0.5,b\n", ["--probability", "a", "--probability",
         "b", "--label-column", "y", "--leave-one-out"], 3, "rounded to 2 digits"),
        ("a,b,y\n-1,-1,a\n-2,-0.415,b\n", ["--probability", "a", "--probability",
         "b", "--label-column", "y", "--leave-one-out"], 3, "base 2"),
        ("q,p\n0.5,0.5\n0.6,0.5\n", ["--q", "q", "--p", "p", "--floor", "1"], 2,
         "below 1"),
        ("j\n0.5\n0.1\n", ["--j", "j", "--base-p", "2"], 2, "--base-p"),
        ("q,p\n0.5,0.5\n", ["--q", "q", "--p", "p", "--key", "x"], 2, "--key"),
        ("a,b,y\n0.5,0.5,a\n0.5,0.5,b\n", ["--probability", "a", "--probability", "b",
         "--label-column", "y", "--leave-one-out"], 4,
         "needs at least 2 cases of every class that occurs, 4 in all"),
        ("p,y\n0.5,0\n0.6,1\n", ["--probability", "p", "--label-column", "y",
         "--leave-one-out"], 4, "class '0' occurs once among 2 cases,"),
        ("p,y\n0.5,1\n", ["--probability", "p", "--label-column", "y",
         "--leave-one-out"], 4, "class '1' occurs once among 1 case,"),
        ("p,y\n0.5,0\n0.6,1\n", ["--probability", "p", "--label-column", "y",
         "--prior", ".3"], 2, "--prior takes a file, not the number .3: one with the "
         "lines 'class,probability', '0,0.7', '1,0.3'; or pass --train-labels FILE or "
         "--leave-one-out."),
        ("a,b,y\n0.5,0.5,a\n0.5,0.5,b\n", ["--probability", "a", "--probability", "b",
         "--label-column", "y", "--prior", "0.4,0.6"], 2, "'a,0.4', 'b,0.6'"),
        ("a,b,c,y\n0.5,0.25,0.25,a\n", ["--probability", "a", "--probability", "b",
         "--probability", "c", "--label-column", "y", "--prior", "0.5"], 2,
         "'a,...', 'b,...', 'c,...'"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_a_code(run, tmp_path, text, options, code, words):
    path = write(tmp_path / "t.csv", text)
    found, out, err = run("information", path, *options)
    assert found == code, err
    assert out == ""
    assert err.count("\n") == 1, err
    assert words in err
    assert "Traceback" not in err


def test_arrays_that_are_no_columns(run, tmp_path):
    np.savez(tmp_path / "t.npz", q=np.ones(3), p=np.ones(4), m=np.eye(3), s=["a"] * 3)
    for options, words in (
        (["--q", "q", "--p", "p"], "differ in length"),
        (["--q", "m", "--p", "q"], "one number per sample"),
        (["--q", "s", "--p", "q"], "numbers"),
        (["--q", "none", "--p", "q"], "no array"),
    ):
        code, _, err = run("information", tmp_path / "t.npz", *options)
        assert code == 3
        assert words in err


def test_half_precision_and_impossible_cases_are_told(run, tmp_path):
    q = np.array([0.7, 1e-9, 0.5, 0.6], np.float16)
    np.savez(tmp_path / "t.npz", q=q, p=np.full(4, 0.5, np.float16))
    code, out, _ = run("information", tmp_path / "t.npz", "--q", "q", "--p", "p")
    assert code == 0
    assert "float16" in out
    assert "minus infinity" in out
    said = " ".join(out.split())
    assert "A floor of 0.001 would raise every smaller forecast chance" in said
    assert "Without the case that was given probability 0" in said
    code, out, _ = run(
        "information", tmp_path / "t.npz", "--q", "q", "--p", "p", "--floor", "1e-6"
    )
    assert code == 0
    assert "floor 1e-06, 1 raised" in out
    code, _, err = run(
        "information", tmp_path / "t.npz", "--q", "q", "--p", "p", "--fail-below", "-9"
    )
    assert code == 5
    assert "minus infinity bits per case, below" in err


def test_what_looks_wrong_is_in_the_answer_and_on_the_page(run, table, tmp_path):
    log_q = np.random.default_rng(0).normal(-1, 0.1, N)
    np.savez(tmp_path / "t.npz", q=log_q, p=np.full(N, np.log10(0.5)))
    out, page = table / "odd.json", table / "odd.html"
    code, _, err = run(
        "information", tmp_path / "t.npz", "--log-q", "q", "--log-p", "p",
        "--json", out, "--report", page,
    )  # fmt: skip
    assert code == 0, err
    notes = json.loads(out.read_text())["result"]["notes"]
    assert ["log_p", "10"] in [note["names"] for note in notes]
    assert "base 10" in page.read_text()


def test_no_message_names_an_option_that_is_missing_here(run, tmp_path):
    path = write(tmp_path / "t.csv", "q,p\n0.5,0.5\nx,0.5\n")
    _, _, first = run("information", path, "--q", "q", "--p", "p")
    write(tmp_path / "y.txt", "0\n1\n")
    _, _, second = run(
        "information", path, "--labels", tmp_path / "y.txt", "--leave-one-out"
    )
    pytest.importorskip("pyarrow", reason="needs the extra [io]")
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({"q": ["a", "b"], "p": [0.5, 0.5]})
    parquet.write_table(table, tmp_path / "t.parquet")
    _, _, third = run("information", tmp_path / "t.parquet", "--q", "q", "--p", "p")
    for err, words in (
        (first, "another column"), (second, "--probability"), (third, "another column")
    ):  # fmt: skip
        assert words in err
        assert "--drop" not in err
        assert "--classes" not in err


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_a_matrix_of_little_precision_is_held_to_its_own_rounding(run, tmp_path, kind):
    rng = np.random.default_rng(0)
    exact = rng.dirichlet(np.ones(5), 200)
    np.save(tmp_path / "m.npy", exact.astype(kind))
    np.save(tmp_path / "y.npy", rng.integers(5, size=200))
    assert abs(exact.astype(kind).astype(float).sum(axis=1) - 1).max() > 1e-8
    arguments = ("--labels", tmp_path / "y.npy", "--leave-one-out")
    code, _, err = run("information", tmp_path / "m.npy", *arguments)
    assert code == 0, err
    np.save(tmp_path / "m.npy", (0.99 * exact).astype(kind))
    code, _, err = run("information", tmp_path / "m.npy", *arguments)
    assert code == 3
    assert "--normalize" in err
    assert run("information", tmp_path / "m.npy", *arguments, "--normalize")[0] == 0


def test_one_file_with_a_matrix_and_its_labels(run, table):
    names = {"probs": np.load(table / "m.npy"), "labels": np.load(table / "y.npy")}
    np.savez(table / "both.npz", **names)
    np.savez(table / "odd.npz", chances=names["probs"], labels=names["labels"])
    code, out, err = run("information", table / "both.npz", "--leave-one-out")
    assert code == 0, err
    apart = ("--labels", table / "y.npy", "--leave-one-out")
    assert run("information", table / "m.npy", *apart)[1] == out
    for arguments in (
        (table / "odd.npz", "--key", "chances"), (f"{table / 'odd.npz'}::chances",)
    ):  # fmt: skip
        code, found, err = run("information", *arguments, "--leave-one-out")
        assert code == 0, err
        assert found == out
    code, _, err = run("information", table / "both.npz")
    assert code == 2
    assert "prior" in err


def test_an_interrupt_says_how_to_go_on(run, table, monkeypatch):
    def stop(*_, checkpoint=None, **__):
        if checkpoint is not None:
            checkpoint.write_bytes(b"state")
        raise KeyboardInterrupt

    monkeypatch.setattr("scorecast.information.apparent.sample_posterior", stop)
    arguments = ("information", table / "t.csv", "--q", "q", "--p", "p")
    arguments += ("--chains", "4")  # compiled chains
    code, _, err = run(*arguments)
    assert code == 130
    assert "interrupted; " in err
    assert "--checkpoint FILE" in err
    kept = table / "state.npz"
    code, _, err = run(*arguments, "--checkpoint", kept)
    assert code == 130
    assert f"same command to go on from {kept}" in err


def test_what_takes_long_is_said_before_it_begins(run, table, monkeypatch):
    arguments = ("information", table / "t.csv", "--j", "j", "--groups", "name")
    _, out, err = run(*arguments, "--max-samples", "50")
    assert err.count("50 drawn at random") == 1
    assert "plain mean and its normal interval rest on all" in " ".join(out.split())
    assert "60 cases" in err
    few = [str(i // 10) for i in range(N)]
    lines = (table / "t.csv").read_text().splitlines()
    rows = [f"{line},{x}" for line, x in zip(lines, ["few", *few], strict=True)]
    (table / "u.csv").write_text("\n".join(rows))
    _, _, err = run("information", table / "u.csv", "--j", "j", "--groups", "few")
    assert "6 groups" in err
    assert "--quick" in err
    _, _, err = run(*arguments, "--max-samples", "50", "--quiet")
    assert err == ""


def test_cases_without_names_are_rows(run, table):
    code, out, _ = run("information", table / "t.csv", "--q", "q", "--p", "p")
    assert code == 0
    worst = next(line for line in out.splitlines() if line.startswith("Worst"))
    assert "row " in worst


def test_hostile_names_do_no_harm(run, tmp_path):
    text = 'q,p,who\n0.2,0.5,"</script><script>alert(1)</script>"\n0.6,0.5,=1+1\n'
    path = write(tmp_path / "t.csv", text)
    page = tmp_path / "o.html"
    code, _, err = run(
        "information", path, "--q", "q", "--p", "p", "--id", "who", "--groups", "who",
        "--report", page,
    )  # fmt: skip
    assert code == 0, err
    assert "<script" not in page.read_text()


def test_a_checkpoint_never_replaces_an_input(run, table):
    path = table / "t.csv"
    before = path.read_text()
    code, _, err = run(
        "information", path, "--q", "q", "--p", "p", "--checkpoint", path
    )
    assert code == 3, err
    assert path.read_text() == before


def test_chances_that_cannot_be_are_blamed_on_their_file(run, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("q,p\n0.5,0.5\n1.5,0.5\n0.3,0.2\n")
    code, _, err = run("information", path, "--q", "q", "--p", "p")
    assert code == 3
    assert "odd.csv, column 'q', line 3: has 1 value(s) outside [0, 1]" in err
    np.save(tmp_path / "odd.npy", np.array([[0.5, 0.5], [1.5, -0.5]]))
    (tmp_path / "y.csv").write_text("label\n0\n1\n")
    code, _, err = run(
        "information", tmp_path / "odd.npy", "--labels", tmp_path / "y.csv",
        "--leave-one-out",
    )  # fmt: skip
    assert code == 3
    assert "odd.npy, column '1', row 2: " in err


@pytest.mark.parametrize(
    ("option", "text", "words"),
    [
        ("--prior", "class,probability\nyes,0.6\nno,0.1\n", "add up to one"),
        ("--prior", "class,probability\nyes,60\nno,40\n", "outside [0, 1]"),
        ("--prior", "class,probability\nyes,0.6\nmaybe,0.4\n", "name every class"),
        ("--train-labels", "yes\nyes\nyes\n", "not among the 3 training labels"),
    ],
)
def test_what_is_wrong_with_the_prior_is_blamed_on_its_file(
    run, table, option, text, words
):
    name = "before.csv" if option == "--prior" else "before.txt"
    path = write(table / name, text)
    code, _, err = run(
        "information", table / "t.csv", "--probability", "yes", "--probability", "no",
        "--label-column", "outcome", option, path,
    )  # fmt: skip
    assert code == 3
    assert f"{name}: " in err
    assert words in err
    assert "t.csv" not in err


def test_numbers_that_differ_look_so_and_one_case_is_a_case(run, tmp_path):
    j = np.random.default_rng(0).normal(0.1, 0.5, 4000)
    np.savez(tmp_path / "t.npz", j=j)
    _, out, _ = run("information", tmp_path / "t.npz", "--j", "j")
    old, new = re.search(
        r"mean moves from (\S+) to ([\d.-]+\d)", " ".join(out.split())
    ).groups()
    assert old != new
    np.savez(tmp_path / "one.npz", j=j[:1])
    _, out, _ = run("information", tmp_path / "one.npz", "--j", "j")
    assert "after 1 case" in out
    assert "after 1 cases" not in out


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("", "line 11: the label is missing (1 such)"),
        ("maybe", "line 11: 'maybe' is none of"),
    ],
)
def test_a_label_that_is_no_class_is_found_by_its_line(run, table, label, words):
    rows = (table / "t.csv").read_text().splitlines()
    cells = rows[10].split(",")
    named = ["--probability", "yes", "--probability", "no", "--leave-one-out"]
    labels = [row.split(",")[-3] for row in rows]
    labels[10] = cells[-3] = label
    rows[10] = ",".join(cells)
    path = write(table / "odd.csv", "\n".join(rows) + "\n")
    code, _, err = run("information", path, *named, "--label-column", "outcome")
    assert code == 3
    assert "odd.csv" in err
    assert words in err
    beside = write(table / "odd.txt", "\n".join(labels[1:]) + "\n")
    code, _, err = run("information", table / "t.csv", *named, "--labels", beside)
    assert code == 3
    assert f"odd.txt, {words.replace('11', '10')}" in err  # without a header
    headed = write(table / "odd_labels.csv", "\n".join(labels) + "\n")
    code, _, err = run("information", table / "t.csv", *named, "--labels", headed)
    assert code == 3
    if label:  # a table of one column has no empty lines
        assert f"odd_labels.csv, {words}" in err


@pytest.mark.parametrize("written", [("0", "1"), ("FALSE", "TRUE"), ("no", "yes")])
def test_training_labels_may_write_yes_and_no_otherwise(run, tmp_path, written):
    won = np.random.default_rng(0).random(40) < 0.5
    lines = [f"{0.3 + 0.01 * i},{str(x).lower()}" for i, x in enumerate(won)]
    (tmp_path / "t.csv").write_text("p,won\n" + "\n".join(lines) + "\n")
    past = [written[int(x)] for x in won[:30]]
    (tmp_path / "past.csv").write_text("won\n" + "\n".join(past) + "\n")
    path = tmp_path / "out.json"
    code, _, err = run(
        "information", tmp_path / "t.csv", "--probability", "p", "--label-column",
        "won", "--train-labels", tmp_path / "past.csv", "--quick", "--json", path,
    )  # fmt: skip
    assert code == 0, err
    chance = np.where(won, 0.3 + 0.01 * np.arange(40), 0.7 - 0.01 * np.arange(40))
    before = np.where(won, won[:30].mean(), 1 - won[:30].mean())
    found = json.loads(path.read_text())["result"]["mean"]
    assert found == pytest.approx(np.log2(chance / before).mean())


def test_groups_have_the_weights_of_their_use(run, table):
    path = table / "w.csv"
    path.write_text("group,weight\nlate,3\nearly,1\n")
    call = ("information", table / "t.csv", "--j", "j", "--groups", "half", "--quick")
    code, out, err = run(*call, "--group-weights", path, "--json", table / "o.json")
    assert code == 0, err
    assert "\nin use " in out
    data = json.loads((table / "o.json").read_text())
    assert data["result"]["population"]["weights"] == {"early": 0.25, "late": 0.75}
    assert str(path) in [one["path"] for one in data["inputs"]["files"]]
    first, second = (x["mean"] for x in data["result"]["groups"])
    mean = data["result"]["population"]["mean"]
    assert mean == pytest.approx(0.25 * first + 0.75 * second)
    code, _, err = run(
        "information", table / "t.csv", "--j", "j", "--group-weights", path
    )
    assert code == 2
    assert "--group-weights: weighs groups" in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("group,weight\nlate,3\n", "lacks the group 'early'"),
        ("group,weight\nlate,3\nearly,-1\n", "line 3"),
        ("group,weight\nlate,3\nearly,x\n", "line 3"),
        ("group,weight\nlate,3\nearly,1\nnoon,1\n", "line 4"),
        ("group,weight\nlate,3\nearly,1\nlate,1\n", "line 4"),
        ("group,share\nlate,3\nearly,1\n", "column 'weight': there is no such column"),
        ("group,weight\nlate,0\nearly,0\n", "all 0"),
    ],
)
def test_weights_that_cannot_be_are_found_by_their_line(run, table, text, words):
    path = table / "w.csv"
    path.write_text(text)
    code, out, err = run(
        "information", table / "t.csv", "--j", "j", "--groups", "half",
        "--group-weights", path,
    )  # fmt: skip
    assert (code, out) == (3, "")
    assert "w.csv" in err
    assert words in err
    assert len(err.splitlines()) == 1


def test_the_width_of_the_prior_is_told(run, table):
    call = ("information", table / "t.csv", "--j", "j")
    code, out, err = run(*call, "--prior-scale", "4", "--report", table / "o.html")
    assert code == 0, err
    assert "Prior of J  4 times as wide as in the paper" in out
    assert "Before any case" in (table / "o.html").read_text()
    code, out, _ = run(*call)
    assert "Prior of J" not in out


def test_the_width_of_the_prior_may_be_left_to_evidence(run, table, monkeypatch):
    asked = []

    def choose(values, rng, n_jobs):
        asked.append(len(values))
        candidate = PriorCandidate(
            scale=2.0, log_evidence=-3.0, stderr=0.5, is_settled=True
        )
        own = PriorCandidate(scale=1.0, log_evidence=-9.0, stderr=0.5, is_settled=True)
        return Prior.information().scaled(2), (candidate, own)

    monkeypatch.setattr("scorecast.information.apparent.prior_by_evidence", choose)
    call = ("information", table / "t.csv", "--j", "j", "--prior-scale", "evidence")
    code, out, err = run(*call)
    assert code == 0, err
    assert asked == [N]
    said = " ".join(out.split())
    assert "2 times as wide as in the paper" in said
    assert "chosen by evidence, ahead of the paper's (+6" in said
    code, out, err = run(*call, "--quick")
    assert (code, out) == (2, "")
    assert "--prior-scale: has no say in a quick look" in err


@pytest.mark.parametrize("word", ["0", "-1", "inf", "nan", "wide", ""])
def test_a_width_of_the_prior_is_a_number_above_zero(run, table, word):
    call = ("information", table / "t.csv", "--j", "j", "--prior-scale", word)
    code, out, err = run(*call)
    assert (code, out) == (2, "")
    assert "--prior-scale" in err


def test_of_very_many_cases_no_mixture_is_fitted_unasked(run, table, monkeypatch):
    monkeypatch.setattr("scorecast.information.apparent.MOST_CASES", 20)
    arguments = ("information", table / "t.csv", "--j", "j")
    code, out, err = run(*arguments)
    assert code == 0
    assert "no mixture was fitted; with at most 10,000" in " ".join(out.split())
    assert "drawn at random" not in err
    for more in ("--prior-scale=2", "--tails=mixture"):
        code, _, err = run(*arguments, more)
        assert code == 2
        assert f"{more.partition('=')[0]}: is about the mixture" in err
        assert "(--max-samples)" in err
