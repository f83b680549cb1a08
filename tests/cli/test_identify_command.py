"""``scorecast identify`` as the shell sees it."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from tests.snapshot import assert_snapshot, page_text

import scorecast as sc
from scorecast.identification import Identification, IdentificationSettings


@pytest.fixture
def folder(tmp_path):
    """Scores of two decoders, labels, stimuli, responses, groups."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 8)) * 0.7
    y = x + rng.normal(size=(40, 8))
    whole = y @ x.T - (x**2).sum(axis=1) / 2
    part = y[:, :3] @ x[:, :3].T - (x[:, :3] ** 2).sum(axis=1) / 2
    np.save(tmp_path / "whole.npy", whole)
    np.save(tmp_path / "part.npy", part)
    np.savez(tmp_path / "both.npz", whole=whole, part=part)
    np.save(tmp_path / "order.npy", whole[::-1])
    np.save(tmp_path / "labels.npy", np.arange(40)[::-1])
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    (tmp_path / "runs.txt").write_text("".join(f"run{i // 4}\n" for i in range(40)))
    names = ",".join(f"s{i}" for i in range(40))
    rows = [",".join(repr(float(v)) for v in row) for row in whole]
    (tmp_path / "whole.csv").write_text("\n".join([names, *rows]) + "\n")
    return tmp_path


@pytest.fixture
def fake_model(monkeypatch):
    """Stand in for the encoding model, which has tests of its own."""

    class Model:
        def fit(self, stimuli, responses):
            self.coef = np.linalg.lstsq(stimuli, responses, rcond=None)[0]
            return self

        def log_posterior(self, responses, candidates):
            centre = candidates @ self.coef
            return responses @ centre.T - (centre**2).sum(axis=1) / 2

    monkeypatch.setattr("scorecast.identification.encoding.EncodingModel", Model)


def test_the_answer_and_its_page_are_these(run, folder):
    page = folder / "a.html"
    code, out, err = run(
        "identify", "--scores", folder / "whole.npy", "--to", 1000, "--report", page
    )
    assert code == 0
    assert "belong together" in err
    assert_snapshot("identify", out.replace(str(page), "a.html"))
    shown = page_text(page.read_text()).replace(str(folder), "")
    assert_snapshot("identify_page", shown[: shown.index("Command")])


def test_two_decoders_and_their_page_are_these(run, folder):
    page = folder / "b.html"
    code, out, _ = run(
        "identify", "--scores", f"all={folder}/whole.npy", "--scores",
        folder / "part.npy", "--report", page,
    )  # fmt: skip
    assert code == 0
    assert_snapshot("identify_decoders", out.replace(str(page), "b.html"))
    shown = page_text(page.read_text()).replace(str(folder), "")
    assert_snapshot("identify_decoders_page", shown[: shown.index("Command")])


def test_every_way_to_give_the_scores_says_the_same(run, folder):
    ways = {
        "square": ["--scores", folder / "whole.npy"],
        "labels": ["--scores", folder / "order.npy", "--labels", folder / "labels.npy"],
        "key": ["--scores", f"{folder}/both.npz::whole"],
        "csv": ["--scores", folder / "whole.csv"],
    }
    found = {}
    for name, options in ways.items():
        code, out, err = run("identify", *options, "--json", "-")
        assert code == 0, err
        found[name] = json.loads(out)["result"]["implied"]["value"]
    assert len({round(value, 12) for value in found.values()}) == 1


def test_text_labels_are_matched_by_classes_and_never_silently(run, folder):
    names = [f"s{i}" for i in range(40)]
    (folder / "names.txt").write_text("\n".join(names) + "\n")
    given = ["--scores", folder / "whole.npy", "--labels", folder / "names.txt"]
    code, out, _ = run("identify", *given)
    assert code == 0
    assert "matched to the columns in sorted order" in " ".join(out.split())
    code, out, _ = run("identify", *given, "--classes", folder / "names.txt")
    assert code == 0
    assert "sorted order" not in out
    plain = run("identify", "--scores", folder / "whole.npy")[1]
    assert out.splitlines()[:3] == plain.splitlines()[:3]


def test_columns_that_are_no_stimuli_are_left_out(run, folder):
    lines = (folder / "whole.csv").read_text().splitlines()
    named = ["id," + lines[0], *(f"r{i},{x}" for i, x in enumerate(lines[1:]))]
    (folder / "id.csv").write_text("\n".join(named) + "\n")
    code, _, err = run("identify", "--scores", folder / "id.csv")
    assert code == 3
    assert "--drop" in err
    code, out, _ = run("identify", "--scores", folder / "id.csv", "--drop", "id")
    assert code == 0
    plain = run("identify", "--scores", folder / "whole.npy")[1]
    assert out.splitlines()[:3] == plain.splitlines()[:3]


def test_embeddings_say_what_their_scores_say(run, folder):
    x, y = np.load(folder / "x.npy"), np.load(folder / "y.npy")
    np.save(folder / "far.npy", ((y[:, None] - x) ** 2).sum(axis=2))
    np.save(folder / "own.npy", np.arange(40))
    code, out, err = run(
        "identify", "--gallery", folder / "x.npy", "--probes", folder / "y.npy",
        "--labels", folder / "own.npy",
    )  # fmt: skip
    assert code == 0, err
    far = run("identify", "--scores", folder / "far.npy", "--lower-is-better")[1]
    assert out.splitlines()[:3] == far.splitlines()[:3]


def test_probes_that_find_themselves_are_named(run, folder):
    np.save(folder / "own.npy", np.arange(40))
    code, out, _ = run(
        "identify", "--gallery", folder / "x.npy", "--probes", folder / "x.npy",
        "--labels", folder / "own.npy",
    )  # fmt: skip
    assert code == 0
    assert "40 of 40 probes are vectors of the gallery" in " ".join(out.split())


def test_an_array_called_x_is_not_taken_for_scores_without_a_word(run, folder):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), 5)
    np.savez(folder / "faces.npz", X=rng.normal(size=(50, 64)), y=y)
    code, _, err = run("identify", "--scores", folder / "faces.npz")
    assert code == 3
    assert "64 columns for 10 distinct labels" in err
    assert "--gallery" in err
    assert run("identify", "--scores", f"{folder}/faces.npz::X")[0] == 0
    scores = rng.normal(size=(50, 10)) + 2 * np.eye(10)[y]
    np.savez(folder / "fine.npz", X=scores, y=y)
    code, _, err = run("identify", "--scores", folder / "fine.npz")
    assert code == 0
    assert "scores from X, labels from y" in err


def test_json_and_report_are_written_and_read_back(run, folder):
    code, _, _ = run(
        "identify", "--scores", folder / "whole.npy", "--units", "nats", "--quiet",
        "--json", folder / "a.json", "--report", folder / "a.html",
    )  # fmt: skip
    assert code == 0
    data = json.loads((folder / "a.json").read_text())
    assert data["kind"] == "identification"
    assert data["inputs"]["files"][0]["sha256"]
    assert isinstance(sc.load(folder / "a.json"), Identification)
    code, _, _ = run("report", folder / "a.json", "-o", folder / "again.html")
    assert code == 0


def test_several_scores_are_compared(run, folder):
    code, out, _ = run(
        "identify", "--scores", f"all={folder}/whole.npy", "--scores",
        folder / "part.npy", "--report", folder / "b.html", "--json", folder / "b.json",
        "--weights", "variance", "--bound-sizes", "3,9",
    )  # fmt: skip
    assert code == 0
    assert "Of 2 decoders 'all' implies most" in out
    assert "part.npy" in out
    data = json.loads((folder / "b.json").read_text())
    assert data["kind"] == "decoder-comparison"
    assert [row["name"] for row in data["result"]["rows"]] == ["all", "part.npy"]
    assert data["options"]["weights"] == ["variance"]
    assert data["options"]["bound_sizes"] == [3, 9]


def test_a_population_is_recorded_and_counts(run, folder):
    call = ["identify", "--scores", folder / "whole.npy", "--json", "-"]
    free, some = (
        json.loads(run(*call, *more)[1])["result"]
        for more in ([], ["--population", 50])
    )
    proved = [r["bound"] for r in (free, some)]
    assert [p["population"] for p in proved] == [None, 50]
    assert proved[1]["value"] != proved[0]["value"]
    assert proved[1]["uncorrected"][-1] < np.log2(50)
    assert some["assumptions"][0]["count"] == 50


@pytest.mark.usefixtures("fake_model")
def test_rows_drawn_by_chance_are_candidates_that_tie(run, folder):
    x, y = np.load(folder / "x.npy"), np.load(folder / "y.npy")
    np.save(folder / "xx.npy", np.tile(x[:10], (4, 1)))
    np.save(folder / "yy.npy", y + np.tile(x[:10], (4, 1)) - x)
    given = ["--stimuli", folder / "xx.npy", "--responses", folder / "yy.npy"]
    quick = ["--n-splits", 2, "--test-size", 0.5]
    code, out, _ = run("identify", *given, *quick)
    assert code == 0
    assert "takes repeats for design" in " ".join(out.split())
    code, out, _ = run("identify", *given, *quick, "--duplicates", "draws")
    assert code == 0
    assert "among 20" in out


@pytest.mark.usefixtures("fake_model")
def test_stimuli_and_responses_are_split_and_fitted(run, folder):
    given = ["--stimuli", folder / "x.npy", "--responses", folder / "y.npy"]
    quick = ["--n-splits", 3, "--test-size", 0.5]
    code, out, _ = run("identify", *given, *quick)
    assert code == 0
    assert "in each of 3 random splits" in out
    made = [
        run("identify", *given, *quick, "--json", "-", "--seed", seed, "--jobs", jobs)[
            1
        ]
        for seed, jobs in ((0, 1), (0, 2), (1, 1))
    ]
    assert made[0] == made[1]
    assert made[0] != made[2]
    code, out, _ = run(
        "identify", *given, *quick, "--groups", folder / "runs.txt", "--json", "-"
    )
    assert code == 0
    assert len(json.loads(out)["result"]["assumptions"]) == 3


def _real(folder, responses):
    np.save(folder / "r.npy", responses)
    return ["identify", "--stimuli", folder / "x.npy", "--responses",
            folder / "r.npy", "--n-splits", 4, "--test-size", 0.5]  # fmt: skip


def test_the_encoding_model_itself_takes_awkward_responses(run, folder):
    y = np.load(folder / "y.npy")
    rng = np.random.default_rng(1)
    wide = np.hstack([y, rng.normal(size=(40, 60))])  # more columns than rows
    twice = np.hstack([y, y])  # a singular covariance
    rare = np.hstack([y, (np.arange(40) == 3)[:, None]])  # constant in some splits
    for seed, responses in enumerate((wide, twice, rare, rare, rare)):
        code, out, err = run(*_real(folder, responses), "--seed", seed)
        assert code == 0, err
        assert out.startswith("The right stimulus among 20")
    code, out, err = run(*_real(folder, np.hstack([y, np.ones((40, 1))])))
    assert code == 0, err
    said = " ".join(out.split())
    assert "1 of 9 columns of the responses never change and were left out: 9." in said


def test_a_gate(run, folder):
    call = ["identify", "--scores", folder / "whole.npy", "--quiet", "--fail-below"]
    assert run(*call, 0.1)[0] == 0
    code, _, err = run(*call, 50)
    assert code == 5
    assert "below --fail-below 50" in err
    code, _, err = run(*call[:-1], "--fail-below-low", 50)
    assert code == 5
    assert "lower end" in err
    assert run(*call[:-1], "--fail-below-low", 0.001)[0] == 0


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ([], 2, "both --stimuli and"),
        (["--stimuli", "x.npy"], 2, "both --stimuli and"),
        (["--scores", "whole.npy", "--stimuli", "x.npy", "--responses", "y.npy"], 2,
         "both --stimuli and"),
        (["--scores", "whole.npy", "--groups", "runs.txt"], 2, "--groups: has no say"),
        (["--stimuli", "x.npy", "--responses", "y.npy", "--labels", "labels.npy"], 2,
         "--labels: has no say"),
        (["--scores", "whole.npy", "--scores", "whole.npy"], 2, "NAME=FILE"),
        (["--scores", "whole.npy", "--bound-sizes", "41"], 2, "from 2 to 40"),
        (["--scores", "whole.npy", "--scores", "part.npy", "--to", "99"], 2,
         "--to: has no say where decoders"),
        (["--scores", "whole.npy", "--confidence-level", "95"], 2, "0.95"),
        (["--scores", "whole.npy", "--population", "39"], 2, "cannot have given 40"),
        (["--scores", "whole.npy", "--duplicates", "draws"], 2, "has no say"),
        (["--scores", "absent.npy"], 3, "absent.npy"),
        (["--scores", "x.npy"], 3, "labels"),
        (["--scores", "nan.npy"], 3, "finite"),
        (["--stimuli", "nan.npy", "--responses", "y.npy"], 3, "finite"),
        (["--stimuli", "x.npy", "--responses", "short.npy"], 3, "belong together"),
        (["--stimuli", "same.npy", "--responses", "y.npy"], 4,
         "same.npy: 1 distinct stimuli cannot be split"),
        (["--stimuli", "x.npy", "--responses", "flat.npy"], 4,
         "flat.npy: no column ever changes"),
        (["--scores", "one.npy"], 4, "one stimulus only"),
        (["--scores", "whole.npy", "--labels", "single.npy"], 4,
         "single.npy: one stimulus only"),
        (["--scores", "ties.npy"], 4, "ties.npy: all scores are equal"),
        (["--stimuli", "x9.npy", "--responses", "y9.npy"], 4,
         "x9.npy: 2 tested stimuli are too few"),
        (["--stimuli", "x.npy", "--responses", "y.npy", "--groups", "halves.txt"], 4,
         "--test-size"),
        (["whole.npy"], 2, "use --scores"),
        (["--scores", "whole.npy", "--classes", "runs.txt"], 3, "without labels"),
        (["--scores", "whole.npy", "--labels", "labels.npy", "--classes", "runs.txt"],
         3, "runs.txt: "),
        (["--stimuli", "x.npy", "--responses", "y.npy", "--classes", "runs.txt"], 2,
         "--classes: has no say"),
        (["--gallery", "x.npy"], 2, "--gallery and --probes"),
        (["--stimuli", "x.npy", "--responses", "short.npy"], 3, "short.npy has 7 rows"),
        (["--stimuli", "x.npy", "--responses", "y.npy", "--groups", "runs39.txt"], 3,
         "runs39.txt has 39 groups"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("fake_model")
def test_bad_input_ends_with_a_code_and_one_line(run, folder, options, code, words):
    nan = np.load(folder / "whole.npy")
    nan[3, 4] = np.nan
    np.save(folder / "nan.npy", nan)
    (folder / "runs39.txt").write_text("run\n" * 39)
    np.save(folder / "short.npy", np.load(folder / "y.npy")[:7])
    np.save(folder / "same.npy", np.ones((40, 3)))
    np.save(folder / "flat.npy", np.ones((40, 3)))
    np.save(folder / "ties.npy", np.ones((40, 40)))
    np.save(folder / "x9.npy", np.load(folder / "x.npy")[:9])
    np.save(folder / "y9.npy", np.load(folder / "y.npy")[:9])
    (folder / "halves.txt").write_text("a\n" * 38 + "b\n" * 2)
    np.save(folder / "one.npy", np.ones((1, 1)))
    np.save(folder / "single.npy", np.zeros(40, dtype=int))
    placed = [
        folder / o if o.endswith((".npy", ".txt")) else o for o in map(str, options)
    ]
    found, out, err = run("identify", *placed)
    assert found == code, err
    assert out == ""
    assert words in err
    assert len(err.splitlines()) == 1


def test_repeated_stimuli_and_perfect_scores_are_answered_with_a_warning(run, folder):
    whole = np.load(folder / "whole.npy")
    np.save(folder / "twice.npy", np.tile(whole, (2, 2)))
    np.save(folder / "perfect.npy", np.eye(30))
    np.save(folder / "equal.npy", np.zeros((30, 30)))
    code, out, _ = run("identify", "--scores", folder / "twice.npy")
    assert code == 0
    assert "Are stimuli repeated?" in " ".join(out.split())
    code, out, _ = run("identify", "--scores", folder / "perfect.npy")
    assert code == 0
    assert "infinite" in out
    assert "nan" not in out.lower().replace("and", "")
    code, out, _ = run("identify", "--scores", folder / "perfect.npy", "--json", "-")
    result = json.loads(out)["result"]
    assert result["implied"]["value"] == "Infinity"
    assert result["bound"]["value"] > 0
    code, _, err = run("identify", "--scores", folder / "equal.npy")
    assert code == 4
    assert "all scores are equal" in err


def test_names_of_decoders_do_no_harm(run, folder):
    name = "<script>alert(1)</script>\x1b[31m"
    code, out, _ = run(
        "identify", "--scores", f"{name}={folder}/whole.npy", "--scores",
        folder / "part.npy", "--report", folder / "c.html",
    )  # fmt: skip
    assert code == 0
    assert "\x1b" not in out
    page = (folder / "c.html").read_text()
    assert "<script>" not in page
    assert "\x1b" not in page


def test_what_looks_wrong_is_in_the_answer_and_on_the_page(run, tmp_path):
    np.save(tmp_path / "far.npy", -np.eye(30))
    out, page = tmp_path / "odd.json", tmp_path / "odd.html"
    code, shown, err = run(
        "identify", "--scores", tmp_path / "far.npy", "--json", out, "--report", page
    )
    assert code == 0, err
    notes = json.loads(out.read_text())["result"]["notes"]
    assert notes[0]["code"] == "looks-like-distances"
    assert "are these distances" in page.read_text()
    assert "are these distances" in " ".join(shown.split())
    assert "are these distances" not in err  # said once


def test_minus_infinity_is_a_score_and_other_rows_can_be_dropped(run, folder):
    scores = np.load(folder / "whole.npy")
    scores[3, 7], scores[5, 5] = -np.inf, np.nan  # a loser that has no chance; a flaw
    np.save(folder / "flaws.npy", scores)
    code, _, err = run("identify", "--scores", folder / "flaws.npy")
    assert code == 3
    assert "column '6', row 6: nan" in err
    code, out, err = run(
        "identify", "--scores", folder / "flaws.npy", "--drop-nonfinite", "--json", "-"
    )
    assert code == 0, err
    assert "1 of 40 rows were dropped" in err
    assert json.loads(out)["inputs"]["n_responses"] == 39
    scores[3] = -np.inf  # every stimulus impossible: no answer to that row
    np.save(folder / "flaws.npy", scores)
    code, _, err = run("identify", "--scores", folder / "flaws.npy", "--drop-nonfinite")
    assert code == 0
    assert "2 of 40 rows were dropped" in err
    scores[:] = np.nan
    np.save(folder / "flaws.npy", scores)
    code, _, err = run("identify", "--scores", folder / "flaws.npy", "--drop-nonfinite")
    assert code == 3
    assert "no row is left" in err


def test_probes_without_labels_belong_to_the_gallery_row_by_row(run, folder):
    vectors = ["--gallery", folder / "x.npy", "--probes", folder / "y.npy"]
    np.save(folder / "rows.npy", np.arange(40))
    found = []
    for more in ([], ["--labels", folder / "rows.npy"]):
        code, out, err = run("identify", *vectors, *more, "--json", "-")
        assert code == 0, err
        assert ("belong together" in err) == (not more)
        found.append(json.loads(out)["result"])
    assert found[0] == found[1]


def test_probes_that_do_not_pair_need_labels(run, folder):
    np.save(folder / "few.npy", np.load(folder / "y.npy")[:30])
    vectors = ["--gallery", folder / "x.npy", "--probes", folder / "few.npy"]
    code, _, err = run("identify", *vectors)
    assert code == 2
    assert "40 rows" in err
    assert "--labels" in err
    (folder / "names.txt").write_text("".join(f"s{i}\n" for i in range(40)))
    code, _, err = run("identify", *vectors, "--gallery-labels", folder / "names.txt")
    assert code == 2
    assert "--labels is missing" in err
    code, _, err = run("extrapolate", *vectors, "--to", 100)  # row by row is a guess
    assert code == 2
    assert "--labels is missing" in err


@pytest.mark.usefixtures("fake_model")
def test_what_to_do_about_repeats_is_said_in_options(run, folder):
    x, y = np.load(folder / "x.npy"), np.load(folder / "y.npy")
    np.save(folder / "x2.npy", np.tile(x, (2, 1)))
    np.save(folder / "y2.npy", np.vstack([y, y[::-1]]))
    data = ["--stimuli", folder / "x2.npy", "--responses", folder / "y2.npy"]
    code, out, err = run("identify", *data, "--json", "-")
    assert code == 0, err
    codes = [note["code"] for note in json.loads(out)["result"]["notes"]]
    assert codes[:2] == ["repeated-rows", "repeats-by-design"]
    code, _, err = run("identify", *data, "--duplicates", "draws", "--population", "90")
    assert code == 2
    assert "--population" in err


def test_few_fixed_classes_are_said_beside_stimuli_at_large(run, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(100) % 4
    scores = rng.normal(size=(100, 4))
    scores[np.arange(100), y] += 2.5
    np.savez(tmp_path / "s.npz", scores=scores, labels=y)
    code, out, err = run("identify", "--scores", tmp_path / "s.npz")
    assert code == 0, err
    assert "proved of these 4 alone, if fixed" in out
    code, out, _ = run("identify", "--scores", tmp_path / "s.npz", "--json", "-")
    proved = json.loads(out)["result"]["bound"]
    assert proved["value"] == 0
    assert 0.5 < proved["for_these"] < 2


# --- an accuracy alone ---------------------------------------------------------------


def test_an_accuracy_alone_says_what_the_library_says(run):
    given = ("--accuracy", "0.9,0.8", "--classes", "10,50", "--tests", "10")
    code, out, err = run(
        "identify", *given, "--n-classifiers", 7, "--units", "nats", "--json", "-"
    )
    assert code == 0, err
    expected = sc.mutual_information_bound(
        [0.9, 0.8], n_classes=[10, 50], n_tests=10, n_classifiers=7, units="nats"
    )
    assert json.loads(out)["result"] == expected.to_dict()["result"]
    each = ",".join(["12", "9", *["10"] * 48])
    code, out, _ = run(
        "identify", "--accuracy", 0.8, "--classes", 50, "--tests", each, "--json", "-"
    )
    counts = [12, 9, *[10] * 48]
    expected = sc.mutual_information_bound(0.8, n_classes=50, n_tests=counts)
    assert json.loads(out)["result"] == expected.to_dict()["result"]


def test_the_gate_of_an_accuracy_is_on_what_is_proved(run):
    given = ("identify", "--accuracy", 0.8, "--classes", 50, "--tests", 10)
    assert run(*given, "--fail-below", 3.9)[0] == 0
    code, _, err = run(*given, "--fail-below", 4)
    assert code == 5
    assert "proved" in err


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        (["--classes", 50], 2, "--tests"),
        (["--classes", 50, "--tests", 10, "--to", 100], 2, "--to"),
        (["--classes", "names.txt", "--tests", 10], 2, "--classes"),
        (["--classes", "50,10", "--tests", 10], 2, "--accuracy"),
        (["--classes", 50, "--tests", "10,10"], 2, "--tests"),
        (["--classes", 1, "--tests", 10], 2, "--classes"),
        (["--classes", 50, "--tests", 0], 2, "--tests"),
        (["--classes", 50, "--tests", 10, "--stimuli", "x.npy"], 2, "either"),
    ],
)
def test_an_accuracy_without_its_numbers_is_refused(run, options, code, text):
    found, _, err = run("identify", "--accuracy", 0.8, *options)
    assert found == code, err
    assert text in err


# --- encoding models and sets of features --------------------------------------------


def test_features_and_models_are_compared_in_the_same_splits(run, folder):
    x, y = np.load(folder / "x.npy"), np.load(folder / "y.npy")
    np.save(folder / "few.npy", x[:, :4])
    code, out, err = run(
        "identify", "--features", folder / "x.npy", "--features",
        f"some={folder}/few.npy", "--responses", folder / "y.npy", "--model", "ridge",
        "--model", "sklearn.linear_model:LinearRegression()", "--penalty", "0.1,10",
        "--shrinkage", "0.5", "--test-size", 0.5, "--n-splits", 2, "--json", "-",
    )  # fmt: skip
    assert code == 0, err
    rows = json.loads(out)["result"]["rows"]
    ours = sc.EncodingModel(alphas=[0.1, 10], shrinkage=0.5)
    asked = {"test_size": 0.5, "n_splits": 2}
    expected = {
        "x, ridge": sc.identify(x, y, model=ours, **asked),
        "x, LinearRegression": sc.identify(x, y, model=LinearRegression(), **asked),
        "some, ridge": sc.identify(x[:, :4], y, model=ours, **asked),
        "some, LinearRegression": sc.identify(
            x[:, :4], y, model=LinearRegression(), **asked
        ),
    }
    assert [row["name"] for row in rows] == list(expected)
    for row, answer in zip(rows, expected.values(), strict=True):
        assert row["implied"] == pytest.approx(answer.implied.value, rel=1e-12)
        assert row["unpaired"] is None


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--model", "rigde"], "'ridge'"),
        (["--model", "sklearn.linear_model:Nothing()"], "Nothing"),
        (["--model", "sklearn.linear_model:RidgeCV()", "--penalty", "1"], "--penalty"),
        (["--model", "ridge", "--shrinkage", "much"], "--shrinkage"),
        (["--penalty", "1,-2"], "--penalty"),
        (["--penalty", "-1"], "--penalty"),
        (["--shrinkage", "3"], "--shrinkage"),
        (["--ensemble-sizes", "3,900"], "--ensemble-sizes"),
        (["--model", "ridge", "--model", "lasso", "--to", 9], "--to"),
    ],
)
def test_models_that_are_none_are_refused(run, folder, options, text):
    code, _, err = run(
        "identify", "--stimuli", folder / "x.npy", "--responses", folder / "y.npy",
        *options,
    )  # fmt: skip
    assert code == 2, err
    assert text in err


@pytest.mark.parametrize("option", [("--penalty", "-1"), ("--shrinkage", "3")])
def test_bad_strengths_are_refused_before_a_file_is_looked_for(run, tmp_path, option):
    nowhere = tmp_path / "nowhere.npy"
    words = ("--stimuli", nowhere, "--responses", nowhere)
    code, _, err = run("identify", *words, *option)
    assert (code, option[0] in err) == (2, True)
    assert run("identify", *words)[0] == 3


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (("--accuracy", "0.8", "--classes", "10", "--tests", "5", "--scores", "a.npy"),
         ("--accuracy", "--scores", "two questions")),
        (("--scores", "a.npy", "--stimuli", "b.npy", "--responses", "c.npy"),
         ("--scores", "--stimuli with --responses")),
        (("--scores", "a.npy", "--probes", "b.npy"), ("--scores", "--probes")),
    ],
)  # fmt: skip
def test_two_ways_to_ask_are_named(run, words, texts):
    code, _, err = run("identify", *words)
    assert code == 2
    assert all(text in err for text in texts)
    assert "give either" in err


def test_every_model_and_set_of_features_grows_by_itself(run, folder, tmp_path):
    x, y = np.load(folder / "x.npy"), np.load(folder / "y.npy")
    np.save(folder / "few.npy", x[:, :4])
    page = tmp_path / "all.html"
    code, out, err = run(
        "identify", "--stimuli", folder / "x.npy", "--stimuli",
        f"some={folder}/few.npy", "--responses", folder / "y.npy",
        "--model", "ridge", "--model", "sklearn.linear_model:LinearRegression()",
        "--ensemble-sizes", "4,8", "--ensemble-draws", 2, "--n-splits", 2,
        "--test-size", 0.5, "--units", "nats", "--json", "-",
    )  # fmt: skip
    assert code == 0, err
    rows = json.loads(out)["result"]["rows"]
    assert len(rows) == 4
    settings = IdentificationSettings(ensemble_sizes=(4, 8), ensemble_draws=2)
    alone = sc.identify(
        x[:, :4], y, model=LinearRegression(), test_size=0.5, n_splits=2,
        units="nats", settings=settings,
    )  # fmt: skip
    assert [one["n_responses"] for one in rows[0]["ensembles"]] == [4, 8]
    for seen, own in zip(rows[3]["ensembles"], alone.ensembles, strict=True):
        assert seen["implied"] == pytest.approx(own.implied)
    code, out, err = run(
        "identify", "--stimuli", folder / "x.npy", "--responses", folder / "y.npy",
        "--model", "ridge", "--model", "lasso", "--ensemble-sizes", "4",
        "--ensemble-draws", 1, "--n-splits", 1, "--report", page,
    )  # fmt: skip
    assert code == 0, err
    assert "responses  implied, bits" in out
    assert "How each grows with the number of responses" in page.read_text()


def test_the_growth_with_responses_is_shown(run, folder):
    page = folder / "grow.html"
    code, out, err = run(
        "identify", "--stimuli", folder / "x.npy", "--responses", folder / "y.npy",
        "--n-splits", 2, "--ensemble-sizes", "2,8", "--ensemble-draws", 3, "--report",
        page,
    )  # fmt: skip
    assert code == 0, err
    table = out[out.index("responses  implied") :].splitlines()
    ends = [(row.split()[0], row.split()[-1]) for row in table[1:3]]
    assert ends == [("2", "3"), ("8", "1")]
    assert "grows with the number of responses" in page_text(page.read_text())


def test_sets_of_features_with_other_repeats_are_refused(run, folder):
    np.save(folder / "coarse.npy", np.round(np.load(folder / "x.npy")[:, :1]))
    given = (
        "identify", "--features", folder / "x.npy", "--features",
        folder / "coarse.npy", "--responses", folder / "y.npy", "--n-splits", 2,
    )  # fmt: skip
    code, _, err = run(*given)
    assert code == 3
    assert "--duplicates" in err
    assert run(*given, "--duplicates", "draws")[0] == 0


def test_options_of_ensembles_and_models_given_twice_are_not_ignored(run, folder):
    given = ("identify", "--stimuli", folder / "x.npy", "--responses", folder / "y.npy")
    assert run(*given, "--ensemble-draws", 9)[0] == 2
    assert run(*given, "--model", "ridge", "--model", "ridge")[0] == 2


def test_several_targets_are_given_at_once_or_one_by_one(run, folder):
    call = ["identify", "--scores", folder / "whole.npy", "--json", "-", "--to"]
    code, together, _ = run(*call, "100,1e3")
    assert code == 0
    _, apart, _ = run(*call, 100, "--to", 1000)
    assert json.loads(apart)["result"] == json.loads(together)["result"]
