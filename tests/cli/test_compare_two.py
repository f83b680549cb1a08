"""The verb ``compare`` for two models, case by case."""

import json

import numpy as np
import pytest

import scorecast as sc

RNG = np.random.default_rng(0)
N = 60
TRUTH = np.arange(N) % 2
GROUP = np.repeat(np.arange(12), 5)
SCORES = {"old": TRUTH + RNG.normal(0, 2, N), "new": TRUTH + RNG.normal(0, 0.8, N)}
SAID = {name: (score > 0.5) * 1 for name, score in SCORES.items()}


@pytest.fixture
def write(tmp_path):
    """Return a function that writes columns and gives the path."""

    def write(**columns):
        lines = [",".join(columns)]
        lines += [
            ",".join(map(str, row)) for row in zip(*columns.values(), strict=True)
        ]
        path = tmp_path / "table.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def answer(run, *words):
    code, out, err = run("compare", *words, "--seed", "0", "--json", "-")
    assert code == 0, err
    return json.loads(out)


def same(found, expected):
    """Compare all but what names the file."""
    wanted = json.loads(json.dumps(expected.to_dict()))
    assert found["result"] == wanted["result"]
    assert found["options"] == wanted["options"]


TWO = ("--model", "old", "--model", "new")
NAMES = {"names": ("old", "new"), "random_state": 0}


def test_areas_by_delong(run, write):
    path = write(ill=TRUTH, **SCORES)
    found = answer(run, path, "--pairs", "delong", "--truth", "ill")
    wanted = sc.compare_pair(*SCORES.values(), y_true=TRUTH, test="delong", **NAMES)
    same(found, wanted)
    same(answer(run, path, "--truth", "ill"), sc.compare_pair(
        *SCORES.values(), y_true=TRUTH, **NAMES))  # fmt: skip


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "paired-t", "wilcoxon"])
def test_labels_by_group(run, write, test):
    path = write(ill=TRUTH, patient=GROUP, **SAID)
    found = answer(run, path, "--pairs", test, "--truth", "ill", "--group", "patient")
    assert found["inputs"]["n_units"] == 12
    same(found, sc.compare_pair(
        *SAID.values(), y_true=TRUTH, groups=GROUP, test=test, **NAMES))  # fmt: skip


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_areas_by_group(run, write, test):
    path = write(ill=TRUTH, patient=GROUP, **SCORES)
    words = ("--pairs", test, "--metric", "auc", "--truth", "ill", "--group", "patient")
    found = answer(run, path, *words)
    wanted = sc.compare_pair(
        *SCORES.values(), y_true=TRUTH, groups=GROUP, test=test, metric="auc", **NAMES
    )
    same(found, wanted)
    assert found["options"]["metric"] == "auc"
    assert found["inputs"]["n_units"] == 12


def test_a_loss_is_better_when_less_without_being_told(run, write):
    chances = {name: 1 / (1 + np.exp(0.5 - x)) for name, x in SCORES.items()}
    path = write(ill=TRUTH, **chances)
    words = ("--metric", "brier", "--truth", "ill")
    found = answer(run, path, *words)
    assert found["options"]["greater_is_better"] is False
    assert answer(run, path, *words, "--minimise")["result"] == found["result"]
    code, _, err = run("compare", path, "--metric", "auc", "--truth", "ill",
                       "--minimise")  # fmt: skip
    assert code == 2
    assert "Of the metric auc, greater is better" in err


@pytest.mark.parametrize(
    "test", ["mcnemar", "mcnemar-exact", "mcnemar-corrected", "mcnemar-plain"]
)
def test_labels_of_text(run, write, test):
    words = np.array(["no", "yes"])
    path = write(ill=words[TRUTH], **{k: words[v] for k, v in SAID.items()})
    found = answer(run, path, "--pairs", test, "--truth", "ill")
    same(found, sc.compare_pair(
        *SAID.values(), y_true=TRUTH, test=test, **NAMES))  # fmt: skip


@pytest.mark.parametrize("test", ["5x2cv-t", "5x2cv-f", "paired-t"])
def test_results_of_folds(run, write, test):
    values = RNG.normal(0.8, 0.05, (2, 10))
    found = answer(run, write(old=values[0], new=values[1]), "--pairs", test)
    shape = (2, 10) if test == "paired-t" else (2, 5, 2)
    same(found, sc.compare_pair(*values.reshape(shape), test=test, **NAMES))


def test_the_page_and_the_text_are_made(run, write, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    path = write(name=[f"case {i}" for i in range(N)], ill=TRUTH, **SCORES)
    page = tmp_path / "a.html"
    code, out, err = run("compare", path, "--truth", "ill", "--report", page)
    assert code == 0, err
    assert "DeLong's test" in " ".join(out.split())
    assert "DeLong" in page.read_text()


def test_rows_that_lack_something_are_left_out_and_told(run, write):
    cells = [*map(str, TRUTH)]
    cells[3] = ""
    path = write(ill=cells, **SAID)
    found = answer(run, path, "--truth", "ill")
    assert found["inputs"]["n"] == N - 1
    assert found["result"]["warnings"][0].startswith(
        "1 of 60 rows lacks something, and was"
    )
    code, _, err = run("compare", path, "--truth", "ill", "--missing", "refuse")
    assert code == 3
    assert "1 of 60 rows" in err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--truth", "sick"), 3, "no column 'sick'"),
        (("--truth", "ill", "--control", "old", *TWO), 2, "--control is for tables of"),
        (("--truth", "ill", "--control", "old"), 2, "'patient' predicts numbers"),
        (("--truth", "ill", "--post-hoc", "holm", *TWO), 2, "--post-hoc is for tables"),
        (("--truth", "ill", "--pairs", "ranks"), 2, "takes no --truth"),
        (("--pairs", "paired-t"), 2, "compares two models; got ill, patient, old, new"),
        (("--pairs", "delong", "--model", "old", "--model", "new"), 2, "needs --truth"),
        (("--truth", "ill", "--group", "patient", "--pairs", "mcnemar"), 2, "--group"),
        (
            ("--truth", "ill", "--group", "patient", "--pairs", "delong"),
            2,
            "use 'permutation' or 'bootstrap' with --metric auc",
        ),
        (("--metric", "auc", "--model", "old", "--model", "new"), 2, "with --truth"),
        (
            (
                "--metric",
                "auc",
                "--truth",
                "ill",
                "--group",
                "patient",
                "--pairs",
                "sign",
            ),
            2,
            "does not go with --metric auc: use bootstrap or permutation",
        ),
        (("--metric", "eval(1)", "--truth", "ill"), 2, "'eval(1)' is not one of"),
    ],
)
def test_what_two_models_do_not_take_is_refused(run, write, words, code, said):
    path = write(ill=TRUTH, patient=GROUP, **SAID)
    found, _, err = run("compare", path, *words)
    assert found == code
    assert said in " ".join(err.split())


def test_rows_of_one_name_are_no_further_cases(run, write):
    path = write(item=[f"q{i}" for i in GROUP], ill=TRUTH, **SAID)
    found = answer(run, path, "--truth", "ill")
    assert found["inputs"]["n_units"] == 12
    assert any("repeats of one item" in x for x in found["result"]["warnings"])
    code, _, err = run("compare", path, "--truth", "ill", "--pairs", "mcnemar")
    assert code == 2
    assert "cannot allow for" in err
    right = {name: (said == TRUTH) * 1 for name, said in SAID.items()}
    path = write(item=[f"q{i}" for i in GROUP], **right)
    found = answer(run, path)
    assert found["inputs"]["n"] == 12
    assert any("is there 5 times" in x for x in found["result"]["warnings"])


def test_many_models_by_group(run, write):
    said = {**SAID, "third": (RNG.normal(size=N) > 0) * 1}
    path = write(item=[f"q{i}" for i in range(N)], ill=TRUTH, patient=GROUP, **said)
    found = answer(run, path, "--truth", "ill", "--group", "patient")
    right = {name: (x == TRUTH) * 1 for name, x in said.items()}
    wanted = sc.compare(right, groups=GROUP, rows="cases", random_state=0)
    same(found, wanted)
    assert found["inputs"]["n_units"] == 12
    path = write(item=[f"q{i}" for i in range(N)], patient=GROUP, **right)
    same(answer(run, path, "--group", "patient"), sc.compare(
        right, groups=GROUP, random_state=0))  # fmt: skip
    code, out, err = run("compare", path, "--group", "patient")
    assert code == 0, err
    assert "60 cases in 12 groups" in " ".join(out.split())
    assert "95 %, pair alone" in out
    code, _, err = run("compare", path, "--group", "patient", "--pairs", "wilcoxon")
    assert code == 2
    assert "compares two models" in err


def test_a_metric_of_cases_for_many_models(run, write):
    chances = {name: 1 / (1 + np.exp(0.5 - x)) for name, x in SCORES.items()}
    chances["half"] = np.full(N, 0.5)
    path = write(ill=TRUTH, patient=GROUP, **chances)
    found = answer(run, path, "--truth", "ill", "--group", "patient", "--metric",
                   "brier")  # fmt: skip
    losses = {name: (x - TRUTH) ** 2 for name, x in chances.items()}
    wanted = sc.compare(losses, groups=GROUP, greater_is_better=False)
    assert [x["p"] for x in found["result"]["pairs"]] == pytest.approx(
        [x.p for x in wanted.pairs]
    )
    code, _, err = run("compare", path, "--truth", "ill", "--group", "patient",
                       "--metric", "auc")  # fmt: skip
    assert code == 2
    assert "--metric auc compares two models; got old, new, half" in err
    code, _, err = run("compare", path, "--truth", "ill")
    assert code == 2
    assert "need a --metric that" in " ".join(err.split())


def test_long_tables_by_group(run, write):
    right = {name: (x == TRUTH) * 1 for name, x in SAID.items()}
    columns = {
        "item": [f"q{i}" for i in range(N)] * 2,
        "patient": [*GROUP, *GROUP],
        "model": ["old"] * N + ["new"] * N,
        "right": [*right["old"], *right["new"]],
    }
    path = write(**columns)
    words = ("--long", "item", "model", "right", "--group", "patient")
    found = answer(run, path, *words)
    same(found, sc.compare(right, groups=GROUP, random_state=0))
    code, _, err = run("compare", path, *words, "--truth", "right")
    assert code == 2
    assert "do not go with --long" in " ".join(err.split())
    code, _, err = run("compare", path, "--long", "item", "model", "right", "--group",
                       "ward")  # fmt: skip
    assert code == 3
    assert "no column 'ward'" in err
