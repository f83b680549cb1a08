"""``biclusters``: from files to an answer."""

import json

import numpy as np
import pytest

SPECTRAL = "sklearn.cluster:SpectralBiclustering(n_clusters=2)"


@pytest.fixture
def files(tmp_path):
    """A matrix with two biclusters, what is hidden in it, and what was found."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 24))
    hidden = [(list(range(15)), list(range(6))), (list(range(20, 34)), [8, 9, 10, 11])]
    for rows, columns in hidden:
        X[np.ix_(rows, columns)] += 4
    np.save(tmp_path / "X.npy", X)
    np.savetxt(tmp_path / "X.csv", X, delimiter=",", header=",".join(
        f"c{i}" for i in range(24)), comments="")  # fmt: skip
    (tmp_path / "truth.json").write_text(json.dumps({
        "biclusters": {str(i): {"X": r, "Y": c} for i, (r, c) in enumerate(hidden)}
    }))  # fmt: skip
    (tmp_path / "found.json").write_text(
        json.dumps([*hidden, [[40, 41, 42], [20, 21]]])
    )
    return tmp_path


def test_the_answer_is_printed_saved_and_reported(run, files):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    code, out, err = run(
        "biclusters", files / "X.npy", "--found", files / "found.json",
        "--truth", files / "truth.json", "--json", files / "a.json",
        "--report", files / "a.html",
    )  # fmt: skip
    assert code == 0, err
    assert "recovery 1.00" in out
    assert "consensus" in out
    assert all(len(line) <= 88 for line in out.splitlines()[:-2])
    data = json.loads((files / "a.json").read_text())
    assert data["kind"] == "bicluster-scores"
    assert data["result"]["agreement"]["recovery"]["value"] == 1
    assert [f["path"] for f in data["inputs"]["files"]] == [
        str(files / name) for name in ("X.npy", "found.json", "truth.json")
    ]
    page = (files / "a.html").read_text()
    assert "Where they lie" in page
    assert "Against the hidden biclusters" in page
    code, out, err = run("report", files / "a.json", "-o", files / "b.html")
    assert code == 0, err


def test_without_a_truth_and_from_a_table(run, files):
    code, out, err = run(
        "biclusters", files / "X.csv", "--found", files / "found.json", "--json", "-"
    )
    assert code == 0, err
    data = json.loads(out)
    assert data["inputs"]["n_hidden"] is None
    assert data["result"]["n_significant"] == 2
    code, out, _ = run(
        "biclusters", files / "X.csv", "--found", files / "found.json",
        "--named-beforehand", "--permutations", "39",
    )  # fmt: skip
    assert code == 0
    assert "shuffled within columns" in " ".join(out.split())


def test_missing_values_may_be_marked(run, files):
    X = np.load(files / "X.npy")
    X[3, 2] = -99
    np.save(files / "holes.npy", X)
    code, out, _ = run(
        "biclusters", files / "holes.npy", "--found", files / "found.json",
        "--missing-value", "-99",
    )  # fmt: skip
    assert code == 0
    assert "missing (NaN)" in out


def test_nan_is_missing_and_infinity_is_refused(run, files):
    X = np.load(files / "X.npy")
    X[3, 2] = np.nan
    np.save(files / "holes.npy", X)
    asked = ("--found", files / "found.json")
    code, out, err = run("biclusters", files / "holes.npy", *asked)
    assert code == 0, err
    assert "1 of 1,440 values is missing (NaN)" in " ".join(out.split())
    code, _, err = run(
        "biclusters", files / "holes.npy", "--model", SPECTRAL, "--repeats", 2
    )
    assert code == 4
    assert "NaN" in err
    assert len(err.splitlines()) == 1
    X[5, 1] = np.inf
    np.save(files / "holes.npy", X)
    code, _, err = run("biclusters", files / "holes.npy", *asked)
    assert code == 3
    assert "column '2', row 6: inf is not finite (1 such)" in err


def test_finders_are_assessed_on_subsamples(run, files):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    code, out, err = run(
        "biclusters", files / "X.npy", "--model", SPECTRAL,
        "--truth", files / "truth.json", "--repeats", "4", "--report", files / "e.html",
        "--json", files / "e.json",
    )  # fmt: skip
    assert code == 0, err
    assert "delete-d" in out
    assert "random biclusters" in out
    data = json.loads((files / "e.json").read_text())
    assert list(data["result"]["models"]) == ["SpectralBiclustering(n_clusters=2)"]
    assert "Is it better than chance?" in (files / "e.html").read_text()


def test_without_a_truth_all_outputs_say_that_it_is_stability(run, files):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    asked = ("biclusters", files / "X.npy", "--model", SPECTRAL, "--repeats", "4",
             "--force", "--json", files / "e.json",
             "--report", files / "e.html")  # fmt: skip
    for truth in ((), ("--truth", files / "truth.json")):
        code, out, err = run(*asked, *truth)
        assert code == 0, err
        data = json.loads((files / "e.json").read_text())
        inputs = data["inputs"]
        assert (inputs["n_rows"], inputs["n_columns"]) == (60, 24)
        assert (inputs["subsample"], inputs["has_truth"]) == (0.8, bool(truth))
        codes = [note["code"] for note in data["result"]["notes"]]
        assert ("measures-stability" in codes) == (not truth)
        page = (files / "e.html").read_text()
        for said in (" ".join(out.split()), page):
            assert ("how stable an algorithm is" in said) == (not truth)
            assert ("its own result on all rows" in said) == (not truth)
    # What the command line adds does not keep a saved answer from being read.
    code, _, err = run("report", files / "e.json", "-o", files / "again.html")
    assert code == 0, err


def test_gates(run, files):
    given = ("biclusters", files / "X.npy", "--found", files / "found.json")
    truth = ("--truth", files / "truth.json")
    assert run(*given, *truth, "--fail-below", "0.5")[0] == 0
    code, _, err = run(*given, *truth, "--fail-below", "0.9")
    assert code == 5
    assert "the consensus is" in err
    code, out, err = run(*given, "--fail-below", "0.9", "--json", files / "no.json")
    assert code == 2
    assert "--truth" in err
    assert not out
    assert not (files / "no.json").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty"),
        ("{", "not JSON"),
        ("[]", "no biclusters"),
        ("{}", "found.json: a mapping"),
        ("[[[0],[99]]]", "found.json: bicluster 1: column 99"),
        ("[[[0],[]]]", "no columns"),
        ("[[[0,0],[1]]]", "row 0 twice"),
        ('{"biclusters": {"0": {"X": [1]}}}', "'columns'"),
        ('{"#DatasetRows": 5, "#DatasetColumns": 5, "biclusters": []}', "5 x 5 matrix"),
    ],
)
def test_bad_files_are_refused_in_one_line(run, files, content, said):
    (files / "found.json").write_text(content)
    code, out, err = run("biclusters", files / "X.npy", "--found", files / "found.json")
    assert code == (4 if content == "[]" else 3)
    assert said in err
    assert err.count("\n") == 1
    assert not out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--found", "f", "--model", SPECTRAL), "either --found or --model"),
        (("--truth", "t.json"), "either --found or --model"),
        (("--model", "nonsense"), "must be a class with its module"),
        (("--model", SPECTRAL, "--model", SPECTRAL), "is given twice"),
    ],
)
def test_what_does_not_go_together(run, files, arguments, said):
    code, _, err = run("biclusters", files / "X.npy", *arguments)
    assert code == 2
    assert said in err


IN_A_FILE = ("--found", "found.json")


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("svm", 'such as "sklearn.cluster:SpectralCoclustering(n_clusters=3)"'),
        ("SpectralBiclustering", '"sklearn.cluster:SpectralBiclustering(n_clusters=3'),
        ("spectralcoclustering(4)", "SpectralCoclustering(n_clusters=4)"),
        ("sklearn.svm:SVC()", "SVC() finds no biclusters. Take a class that does"),
        ("sklearn.cluster:KMeans", "KMeans finds no biclusters"),
    ],
)
def test_what_finds_no_biclusters_is_refused_before_it_runs(run, files, model, said):
    code, out, err = run("biclusters", files / "X.npy", "--model", model)
    assert (code, out) == (2, "")
    assert err.startswith("scorecast: --model: ")
    assert said in err
    assert "naive-bayes" not in err


BY_A_MODEL = ("--model", SPECTRAL)


@pytest.mark.parametrize(
    ("asked", "option"),
    [
        (IN_A_FILE, ("--repeats", "20")),
        (IN_A_FILE, ("--subsample", "0.8")),
        (IN_A_FILE, ("--confidence-level", "0.95")),
        (IN_A_FILE, ("--relaxed-alpha", "0.2")),
        (BY_A_MODEL, ("--pattern", "auto")),
        (BY_A_MODEL, ("--named-beforehand",)),
        (BY_A_MODEL, ("--permutations", "9")),
        (BY_A_MODEL, ("--random-sets", "9")),
        (BY_A_MODEL, ("--assign-by", "overlap")),
    ],
    ids=lambda part: part[0],
)
def test_options_that_would_be_ignored_are_refused(run, files, asked, option):
    # Given as it is by default, too: whoever gives it believes that it counts.
    code, out, err = run("biclusters", files / "X.npy", *asked, *option)
    assert code == 2
    assert f"{option[0]}: has no say" in err
    assert not out


def test_the_relaxed_level_reaches_the_verdict(run, files):
    code, out, err = run(
        "biclusters", files / "X.npy", *BY_A_MODEL, "--repeats", "2", "--relaxed-alpha",
        "0.3", "--json", "-",
    )  # fmt: skip
    assert code == 0, err
    assert json.loads(out)["options"]["relaxed_alpha"] == 0.3


def test_an_empty_list_of_biclusters_is_named_by_its_file(run, tmp_path):
    np.save(tmp_path / "X.npy", np.random.default_rng(0).normal(size=(30, 8)))
    (tmp_path / "none.json").write_text("[]")
    code, _, err = run(
        "biclusters", tmp_path / "X.npy", "--found", tmp_path / "none.json"
    )
    assert (code, "none.json: no biclusters were found" in err) == (4, True), err


def test_an_option_without_its_value_points_to_the_help_of_the_verb(run):
    code, _, err = run("biclusters", "X.npy", "--truth")
    assert (code, "See 'scorecast biclusters --help'" in err) == (2, True), err


def test_the_verb_reads_terms(run, tmp_path):
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=(12, 4))]).round(3).tolist()
    lines = ["gene,a,b,c,d"] + [
        ",".join([f"g{i}", *map(str, row)]) for i, row in enumerate(table)
    ]
    (tmp_path / "x.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "found.json").write_text(json.dumps([[[0, 1, 2], [0, 1]]]))
    (tmp_path / "names.csv").write_text("term,row\nT,g0\nT,g1\nT,g2\nU,g3\nU,g9\n")
    (tmp_path / "numbers.csv").write_text("term,row\nT,0\nT,1\nT,2\nU,3\nU,9\n")
    shared = ["biclusters", tmp_path / "x.csv", "--found", tmp_path / "found.json"]
    answers = []
    for given in (
        ["--row-names", "gene", "--annotations", tmp_path / "names.csv"],
        ["--drop", "gene", "--annotations", tmp_path / "numbers.csv"],
    ):
        code, out, err = run(*shared, *given, "--json", "-")
        assert code == 0, err
        answers.append(json.loads(out)["result"]["enrichments"])
    assert answers[0] == answers[1]
    assert answers[0]["rows"][0]["term"] == "T"
    code, _, err = run(
        *shared, "--drop", "gene", "--annotations", tmp_path / "names.csv"
    )
    assert code == 3
    assert "--row-names" in err
    assert "names.csv" in err
    # Names of rows are no values, whatever is asked about them.
    by_model = ["--model", "sklearn.cluster:SpectralCoclustering(n_clusters=2)"]
    for given in (shared, [*shared[:2], *by_model, "--repeats", "3"]):
        code, _, err = run(*given, "--row-names", "gene")
        assert code == 0, err


MADE = ("--simulate", "--model", "sklearn.cluster:SpectralCoclustering(n_clusters=2)")
SMALL = ("--fix", "n-biclusters=1", "--fix", "rows=10", "--fix", "columns=6")


def test_matrices_are_made_over_settings(run, tmp_path):
    call = ("biclusters", *MADE, *SMALL, "--repeats", 3, "--vary", "size=30x20,40x20")
    call = (*call, "--vary", "signal=3,30", "--design", "one-at-a-time")
    call = (*call, "--measure", "consensus", "--measure", "relevance-rows")
    answer, page = tmp_path / "a.json", tmp_path / "a.html"
    code, out, err = run(*call, "--json", answer, "--report", page)
    assert code == 0, err
    assert out.startswith("Consensus over 3 settings: ")
    data = json.loads(answer.read_text())
    assert data["kind"] == "bicluster-settings"
    assert data["options"]["measures"] == ["consensus", "relevance-rows"]
    rows = data["result"]["settings"]
    sizes = [(x["n_rows"], x["n_columns"]) for x in rows]
    assert sizes == [(30, 20), (40, 20), (30, 20)]
    assert "Relevance-rows by setting" in page.read_text()
    code, out, err = run("report", answer, "-o", tmp_path / "b.html")
    assert code == 0, err
    code, _, err = run(*call, "--fail-below", 1)
    assert code == 5
    assert "in its hardest setting" in err


def test_a_single_made_setting_is_assessed_as_one(run):
    call = ("biclusters", *MADE, *SMALL, "--fix", "n-rows=30", "--repeats", 3)
    code, out, err = run(*call, "--json", "-")
    assert code == 0, err
    data = json.loads(out)
    assert data["kind"] == "estimate-assessment"
    assert data["inputs"]["repeats"] == "simulated"
    assert data["inputs"]["n_rows"] == 30


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--simulate"], "Give --model"),
        (["X.npy", *MADE], "either DATA, or --simulate"),
        ([*MADE, "--truth", "t.json"], "--truth: has no say with --simulate"),
        ([*MADE, "--subsample", "0.5"], "--subsample: has no say with --simulate"),
        ([*MADE, "--vary", "nois=1"], "data are made with size, n_rows"),
        ([*MADE, "--vary", "noise=1", "--fix", "noise=0"], "both varied and fixed"),
        ([*MADE, "--fix", "noise=0,1"], "is given 2 values"),
        ([*MADE, "--vary", "size=30by20"], "must read ROWSxCOLUMNS"),
        ([*MADE, "--vary", "size=30x20", "--fix", "n-rows=3"], "size says n_rows"),
        ([*MADE, "--design", "grid"], "without --vary"),
        ([*MADE, "--vary", "size=33x21"], "setting 'size 33x21'"),
        ([*MADE, "--measure", "consens"], "Did you mean 'consensus'?"),
        (
            [*MADE, "--measure", "rnia", "--fail-below", ".5"],
            "which is not measured",
        ),
        (["X.npy", "--found", "f.json", "--vary", "noise=0,1"], "without --simulate"),
        (["X.npy", "--found", "f.json", "--measure", "rnia"], "with --found"),
    ],
    ids=str,
)
def test_what_does_not_go_with_made_matrices_is_refused(run, words, said):
    code, out, err = run("biclusters", *words)
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())
