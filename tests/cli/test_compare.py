"""The verb ``compare``: tables of many models, and two sample by sample."""

import json
import subprocess
import sys

import numpy as np
import pytest
from tests.snapshot import assert_snapshot, page_text

import scorecast as sc

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
    _, down, _ = run("compare", path, "--lower-is-better", "--json", "-")
    ranks = [json.loads(text)["result"]["ranks"] for text in (up, down)]
    for name in NAMES:
        assert ranks[0][name] + ranks[1][name] == pytest.approx(4)
    assert ranks[0]["tree"] == 3


def test_every_option_reaches_the_answer(run, write):
    path = write(rows())
    code, out, err = run(
        "compare", path, "--control", "tree", "--post-hoc", "finner", "--test", "sign",
        "--omnibus", "quade", "--confidence-level", "0.9", "--json", "-",
    )  # fmt: skip
    assert code == 0, err
    data = json.loads(out)
    wanted = {
        "control": "tree",
        "post_hoc": "finner",
        "test": "sign",
        "confidence_level": 0.9,
    }
    assert wanted.items() <= data["options"].items()
    assert data["result"]["omnibus"][0]["test"] == "quade"


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
    assert data["inputs"]["n_rows"] == same["inputs"]["n_rows"] == 11
    (note,) = same["result"]["notes"]
    assert (note["code"], note["count"], note["total"]) == ("rows-left-out", 1, 12)
    code, _, err = run("compare", wide, "--nan-policy", "raise")
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
    assert json.loads(out)["inputs"]["n_rows"] == 11


@pytest.mark.parametrize(
    ("content", "options", "code", "said"),
    [
        ("a,b\n0.1,0.2\n0.3,0.5\n", (), 4, "at least 6"),
        ("set,a,b,c\nx,0.1,0.2,0.4\n", (), 4, "at least 3"),
        ("a\n1\n2\n", (), 3, "two models"),
        ("a,b\n1,2\n3,x\n", (), 3, "column 'b', line 3: 'x' is no number"),
        ("a,b\n1,2\n3,inf\n", (), 3, "infinite"),
        ("a,b,c\n1,2,3\n", ("--control", "z"), 3, "control"),
        ("a,b\n1,2\n", ("--drop", "z"), 3, "column 'z': there is no such"),
        ("a,b\n1,2\n", ("--model", "z"), 3, "'z'"),
        ("a,b\n1,2\n", ("--long", "a", "b", "z"), 3, "'z'"),
        ("a,a\n1,2\n", (), 3, "repeated"),
        ("", (), 3, "empty"),
        ("a,b\n1,2\n", ("--post-hoc", "best"), 2, "best"),
        ("a,b\n1,2\n", ("--confidence-level", "95"), 2, "0.95"),
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
    assert "column 'dataset': looks like no model (counts" in " ".join(err.split())
    for way in (("--row-names", "dataset"), ("--drop", "dataset")):
        code, out, err = run("compare", path, *way)
        assert code == 0, err
        assert "of 3 models on 12 data sets" in out


def test_numbers_of_rows_and_groups_are_no_models(run, save):
    right = {name: (x == TRUTH) * 1 for name, x in SAID.items()}
    ids, epochs = np.repeat(np.arange(1, N // 5 + 1), 5), np.tile(np.arange(5), N // 5)
    for columns, words, named in (
        ({"id": ids, "epoch": epochs}, (), "columns 'id', 'epoch' look like no models"),
        ({"i": ids, "t": epochs}, (), "columns 'i', 't' look like no models"),
        ({"i": ids + 1000}, (), "column 'i': looks like no model"),
        ({"code": 1001 + np.arange(N)}, (), "column 'code': looks like no model"),
        ({"subject": ids % 12}, (), "column 'subject': looks like no model"),
        ({"area": RNG.permutation(ids % 12)}, (), "column 'area': looks like no model"),
        ({"i": np.arange(N), "subject": ids}, ("--groups", "subject"), "column 'i'"),
        ({"i": np.arange(N), "epoch": epochs}, ("--row-names", "i"), "column 'epoch'"),
        ({"i": np.arange(N), "epoch": epochs}, ("--drop", "i"), "column 'epoch'"),
    ):
        path = save(**columns, **right)
        code, out, err = run("compare", path, *words)
        assert (code, out) == (3, ""), (columns, err)
        assert named in err
        assert "(--model, --row-names, --groups, --drop)" in err
        assert len(err.strip().splitlines()) == 1
        assert run("compare", path, *words, *TWO)[0] == 0
    path = save(id=ids, old=right["old"], subject=ids)
    code, _, err = run("compare", path, "--groups", "subject")
    assert (code, "column 'id'" in err) == (3, True)


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
    assert "75.1%' is no number. Leave out the % sign" in " ".join(err.split())


def test_several_columns_of_text_are_told_of_both_forms(run, tmp_path):
    wide = tmp_path / "wide.csv"
    wide.write_text("patient,case,a,b\np1,c1,0.3,0.4\np1,c2,0.5,0.4\np2,c3,0.3,0.6\n")
    code, _, err = run("compare", wide)
    assert code == 3
    assert "wide table" in err
    assert "(--model, --row-names, --groups, --drop, --long)" in err
    code, _, err = run("compare", wide, "--row-names", "case")
    assert code == 3
    assert "column 'patient': holds text" in err
    assert "(--model, --groups, --drop)" in err
    assert "'case'" not in err
    code, _, err = run(
        "compare", wide, "--long", "case", "patient", "a", "--truth", "b"
    )
    assert code == 2
    assert "wide table" in err


# Two models, and many sample by sample

RNG = np.random.default_rng(0)
N = 60
TRUTH = np.arange(N) % 2
GROUP = np.repeat(np.arange(12), 5)
SCORES = {"old": TRUTH + RNG.normal(0, 2, N), "new": TRUTH + RNG.normal(0, 0.8, N)}
SAID = {name: (score > 0.5) * 1 for name, score in SCORES.items()}


@pytest.fixture
def save(tmp_path):
    """Return a function that writes columns and gives the path."""

    def save(**columns):
        lines = [",".join(columns)]
        lines += [
            ",".join(map(str, row)) for row in zip(*columns.values(), strict=True)
        ]
        path = tmp_path / "table.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    return save


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
TWO_NAMES = {"names": ("old", "new"), "random_state": 0}


def test_areas_by_delong(run, save):
    path = save(ill=TRUTH, **SCORES)
    found = answer(run, path, "--test", "delong", "--truth", "ill")
    wanted = sc.compare_pair(*SCORES.values(), y_true=TRUTH, test="delong", **TWO_NAMES)
    same(found, wanted)
    same(answer(run, path, "--truth", "ill"), sc.compare_pair(
        *SCORES.values(), y_true=TRUTH, **TWO_NAMES))  # fmt: skip


@pytest.mark.parametrize("said", [SAID, SCORES])
@pytest.mark.parametrize(
    "column", [{"id": 1000 + np.arange(N)}, {"i": np.arange(N)}, {"epoch": GROUP}]
)
def test_numbers_of_rows_are_no_predictions(run, save, said, column):
    path = save(ill=TRUTH, **column, **said)
    (name,) = column
    code, out, err = run("compare", path, "--truth", "ill")
    assert (code, out) == (3, "")
    said_so = " ".join(err.split())
    assert f"column '{name}': looks like no model" in said_so
    assert "--drop" in said_so
    assert run("compare", path, "--truth", "ill", "--drop", name)[0] == 0
    assert run("compare", path, "--truth", "ill", *TWO)[0] == 0


def test_labels_that_count_are_predictions(run, save):
    truth = np.arange(N)
    path = save(person=truth, old=truth, new=np.roll(truth, 3), far=truth[::-1])
    assert run("compare", path, "--truth", "person")[0] == 0


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "paired-t", "wilcoxon"])
def test_labels_by_group(run, save, test):
    path = save(ill=TRUTH, patient=GROUP, **SAID)
    found = answer(run, path, "--test", test, "--truth", "ill", "--groups", "patient")
    assert found["inputs"]["n_groups"] == 12
    same(found, sc.compare_pair(
        *SAID.values(), TRUTH, groups=GROUP, test=test, **TWO_NAMES))  # fmt: skip


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_areas_by_group(run, save, test):
    path = save(ill=TRUTH, patient=GROUP, **SCORES)
    words = (
        "--test",
        test,
        "--scoring",
        "roc_auc",
        "--truth",
        "ill",
        "--groups",
        "patient",
    )
    found = answer(run, path, *words, "--test", test)
    wanted = sc.compare_pair(
        *SCORES.values(),
        y_true=TRUTH,
        groups=GROUP,
        test=test,
        scoring="roc_auc",
        **TWO_NAMES,
    )
    same(found, wanted)
    assert found["options"]["metric"] == "roc_auc"
    assert found["inputs"]["n_groups"] == 12


def test_a_loss_is_better_when_less_without_being_told(run, save):
    chances = {name: 1 / (1 + np.exp(0.5 - x)) for name, x in SCORES.items()}
    path = save(ill=TRUTH, **chances)
    words = ("--scoring", "brier_score", "--truth", "ill")
    found = answer(run, path, *words)
    assert found["options"]["greater_is_better"] is False
    assert answer(run, path, *words, "--lower-is-better")["result"] == found["result"]
    code, _, err = run("compare", path, "--scoring", "roc_auc", "--truth", "ill",
                       "--lower-is-better")  # fmt: skip
    assert code == 2
    assert "of roc_auc, greater is better" in err


@pytest.mark.parametrize(
    "test", ["mcnemar-mid-p", "mcnemar-exact", "mcnemar-corrected", "mcnemar-plain"]
)
def test_labels_of_text(run, save, test):
    words = np.array(["no", "yes"])
    path = save(ill=words[TRUTH], **{k: words[v] for k, v in SAID.items()})
    found = answer(run, path, "--test", test, "--truth", "ill")
    same(found, sc.compare_pair(
        *SAID.values(), y_true=TRUTH, test=test, **TWO_NAMES))  # fmt: skip


@pytest.mark.parametrize("test", ["5x2cv-t", "5x2cv-f", "paired-t"])
def test_results_of_folds(run, save, test):
    values = RNG.normal(0.8, 0.05, (2, 10))
    found = answer(run, save(old=values[0], new=values[1]), "--test", test)
    shape = (2, 10) if test == "paired-t" else (2, 5, 2)
    same(found, sc.compare_pair(*values.reshape(shape), test=test, **TWO_NAMES))


def test_the_page_and_the_text_are_made(run, save, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    path = save(name=[f"case {i}" for i in range(N)], ill=TRUTH, **SCORES)
    page = tmp_path / "a.html"
    code, out, err = run("compare", path, "--truth", "ill", "--report", page)
    assert code == 0, err
    assert "DeLong's test" in " ".join(out.split())
    assert "DeLong" in page.read_text()


def test_rows_that_lack_something_are_left_out_and_told(run, save):
    cells = [*map(str, TRUTH)]
    cells[3] = ""
    path = save(ill=cells, **SAID)
    found = answer(run, path, "--truth", "ill")
    assert found["inputs"]["n_rows"] == N - 1
    (note,) = found["result"]["notes"]
    assert (note["code"], note["count"], note["total"]) == ("samples-left-out", 1, N)
    code, _, err = run("compare", path, "--truth", "ill", "--nan-policy", "raise")
    assert code == 3
    assert "column 'ill', row 4" in err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--truth", "sick"), 3, "column 'sick': there is no such column"),
        (("--truth", "ill", "--control", "old", *TWO), 2, "--control: has no say"),
        (("--truth", "ill", "--control", "old"), 3, "'patient': looks like no"),
        (("--truth", "ill", "--post-hoc", "holm", *TWO), 2, "--post-hoc: has no say"),
        (("--truth", "ill", "--test", "ranks"), 2, "takes no truth"),
        (("--test", "5x2cv-t"), 2, "two models; got ill, patient, old and new"),
        (("--test", "delong", *TWO), 2, "--truth: is needed"),
        (("--truth", "ill", "--groups", "patient", "--test", "mcnemar"), 2,
         "column 'patient': the mcnemar-mid-p test cannot allow for groups"),
        (("--truth", "ill", "--groups", "patient", "--test", "delong"), 2,
         "Use permutation or bootstrap with roc_auc"),
        (("--scoring", "auc", *TWO), 2, "--truth: is needed"),
        (("--scoring", "auc", "--truth", "ill", "--groups", "patient", "--test",
          "sign"), 2, "does not go with roc_auc"),
        (("--scoring", "eval(1)", "--truth", "ill"), 2, "'eval(1)' is not one of"),
        (("--interval", "exact", "--groups", "patient", "--drop", "ill", "--model",
          "old", "--model", "new", "--model", "third"), 3, "third"),
    ],
)  # fmt: skip
def test_what_two_models_do_not_take_is_refused(run, save, words, code, said):
    path = save(ill=TRUTH, patient=GROUP, **SAID)
    found, _, err = run("compare", path, *words)
    assert found == code
    assert said in " ".join(err.split())


def test_rows_of_one_name_are_no_further_cases(run, save):
    path = save(item=[f"q{i}" for i in GROUP], ill=TRUTH, **SAID)
    found = answer(run, path, "--truth", "ill")
    assert found["inputs"]["n_groups"] == 12
    assert found["result"]["notes"][0]["code"] == "repeated-names-grouped"
    code, _, err = run("compare", path, "--truth", "ill", "--test", "mcnemar")
    assert code == 2
    assert "cannot allow for" in err
    right = {name: (said == TRUTH) * 1 for name, said in SAID.items()}
    path = save(item=[f"q{i}" for i in GROUP], **right)
    code, _, err = run("compare", path)
    assert code == 3
    assert "column 'item': repeats 12 names on 60 rows of right and wrong" in err
    assert "(--groups, --row-names, --drop)" in err
    assert answer(run, path, "--groups", "item")["inputs"]["n_groups"] == 12
    found = answer(run, path, "--row-names", "item")
    assert found["inputs"]["n_rows"] == 12
    assert found["result"]["notes"][0]["code"] == "repeated-names-averaged"


def test_many_models_by_group(run, save):
    said = {**SAID, "third": (RNG.normal(size=N) > 0) * 1}
    path = save(item=[f"q{i}" for i in range(N)], ill=TRUTH, patient=GROUP, **said)
    found = answer(run, path, "--truth", "ill", "--groups", "patient")
    right = {name: (x == TRUTH) * 1 for name, x in said.items()}
    wanted = sc.compare(right, groups=GROUP, rows="samples", random_state=0)
    same(found, wanted)
    assert found["inputs"]["n_groups"] == 12
    path = save(item=[f"q{i}" for i in range(N)], patient=GROUP, **right)
    same(answer(run, path, "--groups", "patient"), sc.compare(
        right, groups=GROUP, random_state=0))  # fmt: skip
    code, out, err = run("compare", path, "--groups", "patient")
    assert code == 0, err
    assert "60 samples in 12 groups" in " ".join(out.split())
    assert "95 %, pair alone" in out
    code, _, err = run("compare", path, "--groups", "patient", "--test", "wilcoxon")
    assert code == 2
    assert "compares two models" in err


def test_a_metric_of_cases_for_many_models(run, save):
    chances = {name: 1 / (1 + np.exp(0.5 - x)) for name, x in SCORES.items()}
    chances["half"] = np.full(N, 0.5)
    path = save(ill=TRUTH, patient=GROUP, **chances)
    found = answer(run, path, "--truth", "ill", "--groups", "patient", "--scoring",
                   "brier_score")  # fmt: skip
    losses = {name: (x - TRUTH) ** 2 for name, x in chances.items()}
    wanted = sc.compare(losses, groups=GROUP, greater_is_better=False)
    assert [x["p_value"] for x in found["result"]["pairs"]] == pytest.approx(
        [x.p_value for x in wanted.pairs]
    )
    code, _, err = run("compare", path, "--truth", "ill", "--groups", "patient",
                       "--scoring", "roc_auc")  # fmt: skip
    assert code == 2
    assert "roc_auc compares two models; got old, new and half" in err
    code, _, err = run("compare", path, "--truth", "ill", "--drop", "patient")
    assert code == 2
    assert "--scoring: " in err


def test_long_tables_by_group(run, save):
    right = {name: (x == TRUTH) * 1 for name, x in SAID.items()}
    columns = {
        "item": [f"q{i}" for i in range(N)] * 2,
        "patient": [*GROUP, *GROUP],
        "model": ["old"] * N + ["new"] * N,
        "right": [*right["old"], *right["new"]],
    }
    path = save(**columns)
    words = ("--long", "item", "model", "right", "--groups", "patient")
    found = answer(run, path, *words)
    same(found, sc.compare(right, groups=GROUP, random_state=0))
    code, _, err = run("compare", path, *words, "--truth", "right")
    assert code == 2
    assert "wide table" in " ".join(err.split())
    code, _, err = run("compare", path, "--long", "item", "model", "right", "--groups",
                       "ward")  # fmt: skip
    assert code == 3
    assert "column 'ward': there is no such column" in err


@pytest.mark.parametrize("n_groups", [3, 12])
def test_wide_and_long_tables_by_group_have_one_answer(run, save, n_groups):
    right = {name: (x == TRUTH) * 1 for name, x in SAID.items()}
    subject = np.arange(N) % n_groups
    path = save(subject=subject, **right)
    wide = answer(run, path, "--groups", "subject")
    code, _, err = run("compare", path, "--groups", "subject", "--test", "permutation")
    if n_groups == 3:
        assert code == 4
        assert "column 'subject': 3 groups cannot tell two models apart" in err
        assert "Use clustered-t, which takes two (--test)." in err
        assert [x["code"] for x in wide["result"]["notes"]] == ["few-groups"]
    else:
        assert (code, err) == (0, "")
    path = save(
        item=[*range(N)] * 2,
        subject=[*subject, *subject],
        model=["old"] * N + ["new"] * N,
        right=[*right["old"], *right["new"]],
    )
    words = ("--long", "item", "model", "right", "--groups", "subject")
    (pair,) = answer(run, path, *words)["result"]["pairs"]
    found = wide["result"]
    assert wide["options"]["test"] == "clustered-t"
    assert found["p_value"] == pytest.approx(pair["p_value"], rel=1e-9)
    for end in ("low", "high"):
        assert found["effect"][end] == pytest.approx(pair["effect"][end], rel=1e-9)


# What people read


def shown(run, tmp_path, path, *words):
    """Return the answer in the terminal, and the words of the page."""
    page = tmp_path / "a.html"
    code, out, err = run("compare", path, *words, "--report", page)
    assert code == 0, err
    answer = out.split("\nReport ")[0]
    assert max(map(len, answer.splitlines())) <= 88
    text = page_text(page.read_text())
    return answer, text[: text.index("scorecast compare")]


def test_the_answer_about_many_models_reads_like_this(run, write, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    path = write(rows(), missing={(2, 1)})
    answer, page = shown(run, tmp_path, path, "--rope", "0.01")
    assert_snapshot("compare", answer)
    assert_snapshot("compare_page", page)


def test_the_answer_about_two_models_reads_like_this(run, save, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    path = save(ill=TRUTH, **SAID)
    answer, page = shown(run, tmp_path, path, "--truth", "ill", "--rope", "0.01")
    assert_snapshot("compare_two", answer)
    assert_snapshot("compare_two_page", page)


@pytest.mark.parametrize("words", [("--help",), ("t.csv",), ("s.csv", "--truth", "y")])
def test_little_is_loaded(tmp_path, words):
    (tmp_path / "t.csv").write_text(
        "a,b\n" + "".join(f".{i},.{i + 2}\n" for i in range(9))
    )
    (tmp_path / "s.csv").write_text("y,a,b\n" + "1,1,0\n0,0,0\n" * 9)
    code = (
        "import sys; from scorecast.cli import main; sys.argv[1:] = sys.argv[1:]\n"
        "try: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "compare", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    heavy = {"sklearn", "scipy.stats", "pandas", "numba", "matplotlib", "jinja2"}
    if words == ("--help",):
        heavy |= {"scipy.special", "rich"}
    loaded = set(done.stderr.split())
    assert not heavy & loaded
    assert sum(name.startswith("scorecast.") for name in loaded) < 120
