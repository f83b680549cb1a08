import json

import numpy as np
import pytest

import scorecast as sc
from scorecast.extrapolation import Extrapolation

QUICK = ("--method", "gaussian")


def predictions(path):
    data = json.loads(path.read_text())
    return [p["accuracy"] for p in data["result"]["predictions"]]


def test_the_answer_is_printed_and_saved(run, files):
    code, out, err = run(
        "extrapolate", files / "both.npz", "--to", 100, "--to", 1000, *QUICK,
        "--json", files / "out.json", "--report", files / "out.html",
    )  # fmt: skip
    assert code == 0
    assert "12 classes, 60 examples" in out
    assert "100 classes" in out
    assert "Traceback" not in err
    assert "<!doctype html>" in (files / "out.html").read_text().lower()
    assert len(predictions(files / "out.json")) == 2


def test_several_guesses_may_be_allowed(run, files):
    task = ("extrapolate", files / "both.npz", "--to", 100)
    code, out, err = run(*task, "--top", 3, "--json", files / "three.json")
    assert code == 0, err
    assert "within 3 guesses" in out
    run(*task, "--method", "bayesian", "--json", files / "one.json")
    assert predictions(files / "three.json") > predictions(files / "one.json")
    code, _, err = run(*task, "--top", 3, "--method", "polynomial")
    assert code == 2
    assert "these can: regression, bayesian" in err
    code, out, err = run(*task, "--top", "1,3", "--mrr", "--json", files / "all.json")
    assert code == 0, err
    assert "MRR" in out
    assert list(sc.load(files / "all.json").measures) == ["top-1", "top-3", "mrr"]
    code, _, err = run(*task, "--top", "1,x")
    assert (code, "is no whole number" in err) == (2, True)


def test_every_way_of_giving_scores_gives_the_same_answer(run, files, problem):
    scores, _ = problem
    both = files / "both.npz"
    np.save(files / "distances.npy", -scores)
    ways = {
        "npz": [both],
        "npz key": [f"{both}::scores", "--labels", f"{both}::labels"],
        "npy": [files / "scores.npy", "--labels", files / "labels.csv"],
        "csv": [files / "table.csv", "--label-column", "truth", "--prefix", "logit_"],
        "distances": [
            files / "distances.npy",
            "--labels",
            files / "labels.csv",
            "--lower-is-better",
        ],
    }
    answers = {}
    for name, way in ways.items():
        out = files / f"{name}.json"
        code, _, err = run("extrapolate", *way, "--to", 90, *QUICK, "--json", out)
        assert code == 0, err
        answers[name] = predictions(out)[0]
    assert max(answers.values()) - min(answers.values()) < 1e-9


def test_embeddings_are_read_from_files(run, tmp_path):
    rng = np.random.default_rng(0)
    gallery = rng.normal(size=(15, 4))
    y = np.arange(45) % 15
    np.save(tmp_path / "g.npy", gallery)
    np.save(tmp_path / "p.npy", gallery[y] + 0.3 * rng.normal(size=(45, 4)))
    np.save(tmp_path / "y.npy", y)
    names = "\n".join(f"class {i}" for i in range(15))
    (tmp_path / "names.txt").write_text(names + "\n")
    (tmp_path / "truth.txt").write_text("\n".join(f"class {i}" for i in y) + "\n")
    base = ("--gallery", tmp_path / "g.npy", "--probes", tmp_path / "p.npy")
    code, out, err = run(
        "extrapolate", *base, "--labels", tmp_path / "y.npy", "--to", 60, *QUICK
    )
    assert code == 0, err
    named = (
        "--labels", tmp_path / "truth.txt", "--gallery-labels", tmp_path / "names.txt"
    )  # fmt: skip
    code, again, err = run("extrapolate", *base, *named, "--to", 60, *QUICK)
    assert code == 0, err
    assert again == out


def test_json_on_standard_output_is_alone_there(run, files):
    code, out, _ = run(
        "extrapolate", files / "both.npz", "--to", 24, *QUICK, "--json", "-"
    )
    assert code == 0
    data = json.loads(out)
    assert Extrapolation.from_dict(data).predictions[0].classes == 24


def test_the_json_contract(run, files):
    run("extrapolate", files / "both.npz", "--to", 100, "--json", files / "o.json")
    data = json.loads((files / "o.json").read_text())
    assert list(data) == ["kind", "schema", "scorecast", "inputs", "options", "result"]
    assert data["kind"] == "extrapolation"
    assert data["schema"] == 2
    assert data["inputs"]["n_samples"] == 60
    assert data["inputs"]["n_classes"] == 12
    assert data["inputs"]["files"][0]["path"].endswith("both.npz")
    assert len(data["inputs"]["files"][0]["sha256"]) == 64
    options = data["options"]
    assert options["method"] == "auto"
    assert options["ties"] == "random"
    assert options["average"] == "macro"
    assert options["confidence_level"] == 0.95
    assert options["random_state"] == 0
    assert options["settings"] == {}
    observed = data["result"]["observed"]
    assert observed["classes"] == list(range(2, 13))
    assert len(observed["accuracy"]) == len(observed["stderr"]) == 11
    assert observed["stderr"][-1] is None
    (prediction,) = data["result"]["predictions"]
    assert prediction["classes"] == 100
    assert 0 <= prediction["low"] <= prediction["accuracy"] <= prediction["high"] <= 1
    assert {"notes", "curve", "methods", "backtest", "pooling", "bandwidth"} <= set(
        data["result"]
    )


def test_the_same_seed_gives_the_same_bytes_for_any_number_of_workers(run, files):
    texts = []
    for jobs in (1, 2):
        out = files / f"jobs{jobs}.json"
        run(
            "extrapolate", files / "both.npz", "--to", 50, "--jobs", jobs, "--json", out
        )
        texts.append(out.read_text())
    assert texts[0] == texts[1]


@pytest.mark.parametrize(("floor", "expected"), [(0.01, 0), (0.999, 5)])
def test_a_gate_decides_the_exit_code_after_everything_is_written(
    run, files, floor, expected
):
    out = files / "gate.json"
    code, _, err = run(
        "extrapolate", files / "both.npz", "--to", 100, *QUICK,
        "--fail-below", floor, "--json", out,
    )  # fmt: skip
    assert code == expected
    assert out.exists()
    assert ("fail-below" in err) == (expected == 5)


def test_a_gate_on_the_lower_end_asks_to_be_sure(run, files):
    out = files / "low.json"
    words = ("extrapolate", files / "both.npz", "--to", 100, *QUICK, "--force")
    assert run(*words, "--json", out)[0] == 0
    (p,) = json.loads(out.read_text())["result"]["predictions"]
    between = (p["low"] + p["accuracy"]) / 2
    assert run(*words, "--fail-below", between)[0] == 0
    code, _, err = run(*words, "--fail-below-low", between)
    assert code == 5
    assert "--fail-below-low" in err
    assert run(*words, "--fail-below-low", p["low"] / 2)[0] == 0


def test_quiet_prints_nothing(run, files):
    code, out, err = run(
        "extrapolate", files / "both.npz", "--to", 24, *QUICK, "--quiet"
    )
    assert (code, out, err) == (0, "", "")


def test_a_method_takes_settings(run, files):
    task = ("extrapolate", files / "both.npz", "--to", 50, "--method", "regression")
    given = ("--method-option", "bandwidth=0.3", "--method-option", "form=simplex")
    out = files / "set.json"
    code, _, err = run(*task, *given, "--json", out)
    assert code == 0, err
    options = json.loads(out.read_text())["options"]
    assert options["settings"] == {"bandwidth": 0.3, "form": "simplex"}
    code, _, err = run(*task, "--method-option", "bandwith=0.3")
    assert (code, "Try 'bandwidth'" in err) == (2, True)
    code, _, err = run(*task, "--method-option", "bandwidth")
    assert (code, "NAME=VALUE" in err) == (2, True)


def test_far_targets_carry_a_caveat_and_near_ones_are_observed(run, files):
    code, out, _ = run(
        "extrapolate", files / "both.npz", "--to", 5, "--to", 12, "--to", 10**12, *QUICK
    )
    assert code == 0
    assert "rough guide" in " ".join(out.split())


@pytest.mark.parametrize(
    "target", ["0", "1", "-3", "1.5", "1e-6", "many", "10000000000000"]
)
def test_impossible_targets_are_a_matter_of_usage(run, files, target):
    code, _, err = run("extrapolate", files / "both.npz", "--to", target)
    assert code == 2
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["extrapolate"],
        ["extrapolate", "--to", "5"],
        ["extrapolate", "both.npz"],
        ["extrapolate", "both.npz", "--gallery", "g.npy", "--to", "5"],
        ["extrapolate", "--gallery", "g.npy", "--to", "5"],
        ["extrapolate", "both.npz", "--to", "5", "--method", "magic"],
        ["extrapolate", "both.npz", "--to", "5", "--confidence-level", "90"],
        ["extrapolate", "both.npz", "--to", "5", "--metod", "auto"],
        [
            "extrapolate",
            "both.npz",
            "--to",
            "5",
            "--method",
            "spline",
            "--method-option",
            "form=risk",
        ],
        ["extrapolate", "both.npz", "--to", "5", "--jobs", "0"],
        ["extrapolat"],
    ],
)
def test_wrong_usage_exits_with_2_and_one_line(run, files, monkeypatch, arguments):
    monkeypatch.chdir(files)
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1


def test_costs_turn_the_forecast_into_one_of_risk(run, files):
    np.save(files / "cost.npy", 1 - np.eye(12))
    out, page = files / "risk.json", files / "risk.html"
    code, text, err = run(
        "extrapolate", files / "both.npz", "--cost", files / "cost.npy", "--to", 60,
        "--json", out, "--report", page,
    )  # fmt: skip
    assert code == 0, err
    assert "a decision costs" in text
    data = json.loads(out.read_text())
    assert data["kind"] == "risk-extrapolation"
    assert 0 < data["result"]["predictions"][0]["risk"] < 1
    assert [f["path"].split("/")[-1] for f in data["inputs"]["files"]] == [
        "both.npz",
        "cost.npy",
    ]
    assert "<svg" in page.read_text()
    np.save(files / "bad.npy", np.eye(5))
    code, _, err = run(
        "extrapolate", files / "both.npz", "--cost", files / "bad.npy", "--to", 60
    )
    assert code == 3
    assert "bad.npy: it holds 5 x 5 costs" in err
    assert "12 x 12" in err
    assert data["options"]["method"] == "auto"
    assert data["result"]["cost_interval"] == "constant"


def test_costs_take_a_method_but_no_gate(run, files):
    np.save(files / "cost.npy", 1 - np.eye(12))
    task = ("extrapolate", files / "both.npz", "--to", 60)
    costs = (*task, "--cost", files / "cost.npy")
    code, text, err = run(*costs, "--method", "spline")
    assert code == 0, err
    assert "spline; the chance of a mistake times" in text
    code, text, err = run(*costs, "--method", "moments")
    assert code == 0, err
    assert "moments:" in text
    code, _, err = run(*costs, "--fail-below", 0.5)
    assert (code, err.count("\n")) == (2, 1)
    code, _, err = run(*task, "--method", "moments")
    assert (code, err.count("\n")) == (2, 1)
    assert "costs" in err


def test_plain_labels_need_no_header_and_scores_may_have_one(run, files, problem):
    scores, own = problem
    np.savetxt(files / "plain.csv", own, fmt="%d")
    header = ",".join(f"logit_{i}" for i in range(12))
    np.savetxt(files / "s.csv", scores, delimiter=",", header=header, comments="")
    task = ("--to", 50, "--method", "gaussian", "--json", "-")
    _, wanted, _ = run(
        "extrapolate", files / "scores.npy", "--labels", files / "labels.csv", *task
    )
    for name in ("scores.npy", "s.csv"):
        code, out, err = run(
            "extrapolate", files / name, "--labels", files / "plain.csv", *task
        )
        assert code == 0, err
        assert "plain.csv: the first line, '0', was taken as a label" in err
        assert json.loads(out)["result"] == json.loads(wanted)["result"]


def test_costs_are_matched_by_name_or_by_order(run, files):
    names = [f"c{i}" for i in range(12)]
    costs = np.abs(np.subtract.outer(np.arange(12), 2 * np.arange(12)))
    order = np.random.default_rng(0).permutation(12)
    lines = ["answer," + ",".join(names[i] for i in order)]
    lines += [f"{names[i]}," + ",".join(map(str, costs[i, order])) for i in order[::-1]]
    (files / "named.csv").write_text("\n".join(lines) + "\n")
    np.savetxt(files / "bare.csv", costs, fmt="%d", delimiter=",")
    task = ("extrapolate", files / "table.csv", "--to", 40, *QUICK, "--cost")
    code, named, err = run(*task, files / "named.csv")
    assert code == 0, err
    assert "matched by name; a row for every answer" in named
    code, bare, err = run(*task, files / "bare.csv")
    assert code == 0, err
    assert "matched by column order" in bare
    assert named.replace("by name", "by column order") == bare


def test_backtest_says_that_it_takes_no_costs(run, files):
    code, _, err = run("backtest", files / "both.npz", "--cost", files / "cost.csv")
    assert code == 2
    assert "Costs have no back-test" in err
    assert "--jobs" not in err
    code, text, _ = run("backtest", "--help")
    assert code == 0
    assert "there is no --cost" in " ".join(text.split())


@pytest.mark.parametrize("options", [("--top", 12), ("--top", 0)])
def test_too_many_guesses_are_called_as_the_option_is(run, files, options):
    code, _, err = run("extrapolate", files / "both.npz", "--to", 50, *options)
    assert code == 2
    assert "--top" in err


# Whole numbers however they are written, and advice that is not in a circle


def named_scores(tmp_path, greater=True):
    rng = np.random.default_rng(0)
    names = np.array([f"c{i}" for i in range(8)])
    y = np.arange(120) % 8
    scores = rng.normal(size=(120, 8))
    scores[np.arange(120), y] += 2
    path = tmp_path / "run.npz"
    np.savez(path, scores=scores if greater else -scores, labels=y, classes=names)
    return path


@pytest.mark.parametrize("text", ["1e3", "1_000", "1000", "1E+3"])
def test_a_whole_number_however_it_is_written(run, tmp_path, text):
    path = named_scores(tmp_path)
    code, out, err = run("extrapolate", path, "--to", text, "--method", "kde-bcv")
    assert code == 0, err
    assert "1,000 classes" in out


def test_targets_may_be_listed_repeated_or_both(run, tmp_path):
    path = named_scores(tmp_path)
    rules = ("--method", "kde-bcv", "--backtest", "0", "--quiet", "--json")
    found = []
    for i, targets in enumerate(
        (["400,1000", "2e3"], ["400", "1000, 2000"], ["400", "1000", "2000"])
    ):
        given = [part for target in targets for part in ("--to", target)]
        code, _, err = run("extrapolate", path, *given, *rules, tmp_path / f"{i}.json")
        assert code == 0, err
        answer = json.loads((tmp_path / f"{i}.json").read_text())
        found.append([p["classes"] for p in answer["result"]["predictions"]])
    assert found == [[400, 1000, 2000]] * 3


@pytest.mark.parametrize(
    ("text", "said"),
    [("1,000", "write 1000"), ("1,050,200", "write 1050200"),
     ("1 000", "write 1000"), ("10.5", "no whole number"),
     ("1e-3", "no whole number"), ("many", "'many' is no whole number")],
)  # fmt: skip
def test_what_is_no_whole_number_is_said(run, tmp_path, text, said):
    code, _, err = run("extrapolate", named_scores(tmp_path), "--to", text)
    assert code == 2
    assert said in " ".join(err.split())


def test_who_passed_lower_is_better_is_not_told_to_pass_it(run, tmp_path):
    path = named_scores(tmp_path)
    words = ("extrapolate", path, "--to", "20", "--method", "kde-bcv")
    code, out, err = run(*words, "--lower-is-better")
    said = " ".join((out + err).split())
    assert code == 0
    assert "--lower-is-better: the true class has the highest" in said
    code, out, err = run(*words[:1], named_scores(tmp_path, greater=False), *words[2:])
    said = " ".join((out + err).split())
    assert "--lower-is-better: the true class has the lowest" in said


def test_who_named_the_gallery_is_not_told_to_name_it(run, tmp_path):
    rng = np.random.default_rng(0)
    gallery = rng.normal(size=(6, 4))
    y = np.arange(30) % 6
    np.save(tmp_path / "g.npy", gallery)
    np.save(tmp_path / "p.npy", gallery[y] + 0.1 * rng.normal(size=(30, 4)))
    (tmp_path / "y.txt").write_text("\n".join(f"n{i}" for i in y))
    (tmp_path / "g.txt").write_text("\n".join(f"m{i}" for i in range(6)))
    words = ["extrapolate", "--to", "9"]
    for name, file in (("gallery", "g.npy"), ("probes", "p.npy"), ("labels", "y.txt")):
        words += [f"--{name}", tmp_path / file]
    code, _, err = run(*words, "--gallery-labels", tmp_path / "g.txt")
    assert code == 3
    assert "Name the gallery" not in err
    assert "Use the same names" in " ".join(err.split())
    code, _, err = run(*words)
    assert "Name the gallery vectors" in " ".join(err.split())


@pytest.mark.parametrize("target", [0, -3])
def test_targets_are_called_as_the_option_is(run, files, target):
    code, _, err = run("extrapolate", files / "both.npz", "--to", target)
    assert code == 2
    assert "--to" in err
    assert "`to`" not in err
    code, _, err = run("extrapolate", files / "both.npz", "--to", 10**13)
    assert (code, "--to" in err) == (2, True)


def test_constant_scores_are_not_enough_for_a_forecast(run, tmp_path):
    np.save(tmp_path / "same.npy", np.ones((40, 8)))
    np.save(tmp_path / "y.npy", np.arange(40) % 8)
    for verb in (["extrapolate", "--to", 100], ["backtest"]):
        code, out, err = run(
            *verb, tmp_path / "same.npy", "--labels", tmp_path / "y.npy"
        )
        assert code == 4
        assert not out
        assert err.count("\n") == 1
        assert "nothing is told apart" in err


def test_labels_off_by_one_are_told(run, tmp_path, problem):
    scores, own = problem
    fits = own < 11
    np.savez(tmp_path / "x.npz", scores=scores[fits], labels=own[fits] + 1)
    code, out, _ = run("extrapolate", tmp_path / "x.npz", "--to", 100, *QUICK)
    assert code == 0
    said = " ".join(out.split())
    assert "With 1 taken from every label" in said


def test_what_earlier_versions_saved_is_refused_in_a_line(run, tmp_path):
    own = np.arange(60) % 12
    np.savez(tmp_path / "x.npz", scores=5 * np.eye(12)[own] + own[:, None], labels=own)
    saved = tmp_path / "a.json"
    code, _, _ = run("extrapolate", tmp_path / "x.npz", "--to", 100, "--json", saved)
    assert code == 0
    data = json.loads(saved.read_text())
    data["schema"] = 1
    saved.write_text(json.dumps(data))
    code, out, err = run("report", saved, "-o", tmp_path / "a.html")
    assert (code, out) == (3, "")
    assert err.count("\n") == 1
    assert "saved by an earlier version" in err
    assert not (tmp_path / "a.html").exists()


@pytest.mark.parametrize(
    ("method", "setting"),
    [
        ("bayesian", "n_effective=many"),
        ("kde-fixed", "bandwidth=wide"),
        ("polynomial", "degree=high"),
        ("regression", "bandwidth=wide"),
        ("regression", "bandwidth=11"),
        ("regression", "bandwidths=1,wide"),
        ("regression", "constrained=maybe"),
        ("regression", "n_subsamples=many"),
        ("regression", "size_weights=heavy"),
        ("regression", "sizes=all"),
        ("spline", "n_knots=many"),
        ("tail", "excesses=many"),
        ("tail", "excesses=0"),
    ],
)
def test_settings_of_a_wrong_kind_are_named_as_they_are_given(
    run, files, method, setting
):
    task = ("extrapolate", files / "both.npz", "--to", 100, "--method", method)
    code, _, err = run(*task, "--method-option", setting)
    name = setting.partition("=")[0]
    assert (code, f"--method-option {name}: must be" in err) == (2, True), err


def test_one_number_of_excesses_needs_no_tuple(run, files):
    saved = files / "out.json"
    code, _, err = run(
        "extrapolate", files / "both.npz", "--to", 100, "--backtest", 0,
        "--method", "tail", "--method-option", "excesses=5", "--json", saved,
    )  # fmt: skip
    assert code == 0, err
    assert json.loads(saved.read_text())["options"]["settings"] == {"excesses": [5]}


@pytest.mark.parametrize("verb", ["extrapolate", "backtest"])
def test_a_misspelt_method_is_told_the_nearest(run, files, verb):
    to = ("--to", 100) if verb == "extrapolate" else ()
    code, _, err = run(verb, files / "both.npz", *to, "--method", "Regresion")
    assert (code, "Did you mean 'regression'?" in err) == (2, True)


def test_options_of_the_other_kind_of_input_are_refused(run, files):
    task = ("extrapolate", files / "both.npz", "--to", 100)
    code, _, err = run(*task, "--metric", "cosine")
    assert (code, "--metric: has no say where scores are given" in err) == (2, True)
    vectors = ("--gallery", "g.npy", "--probes", "p.npy", "--labels", "y.npy")
    code, _, err = run("extrapolate", *vectors, "--to", 9, "--lower-is-better")
    assert (code, "--lower-is-better: has no say where vectors" in err) == (2, True)


def test_as_many_guesses_as_classes_are_refused_alike(run, files):
    both = files / "both.npz"
    for task in (("extrapolate", both, "--to", 100), ("backtest", both)):
        code, _, err = run(*task, "--top", 12)
        assert (code, "among 12 observed classes" in err) == (2, True), err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--to", "1"], "1 is not in the range x>=2"),
        (["--to", "0"], "--to"),
        (["--to", "2.5"], "'2.5' is no whole number"),
        (["--until", "0.9999"], "--until: with 12 classes the accuracy is"),
        (["--until", "90"], "did you mean 0.90?"),
        (["--to", "50", "--top", "0"], "--top"),
        (["--to", "50", "--top", "1,12"], "within 12 guesses everything is right"),
        ([], "how many classes there will be is needed (--to), or an accuracy to hold"),
    ],
)
def test_questions_that_have_no_answer_are_refused(run, files, more, said):
    code, _, err = run("extrapolate", files / "both.npz", *more)
    assert code == 2
    assert said in err


def test_all_that_is_lacking_is_named_at_once(run):
    code, out, err = run("extrapolate")
    assert (code, out) == (2, "")
    said = " ".join(err.split())
    assert "SCORES (or --gallery and --probes, or --curve) are needed, and how" in said
    assert "(--to), or an accuracy to hold (--until)" in said


def test_up_to_the_observed_classes_the_exact_value_is_given_and_marked(run, files):
    saved = files / "o.json"
    code, out, _ = run(
        "extrapolate", files / "both.npz", "--to", "12", "--to", "5", "--json", saved
    )
    assert code == 0
    answer = sc.load(saved)
    assert all(p.is_observed for p in answer.predictions)
    assert "observed: the" in out
    at_hand = dict(
        zip(answer.observed.classes.tolist(), answer.observed.accuracy, strict=True)
    )
    for p in answer.predictions:
        assert p.accuracy == pytest.approx(at_hand[p.classes])


def test_recognisers_that_were_not_tested_alike_are_refused(run, tmp_path, problem):
    scores, own = problem
    np.savez(tmp_path / "a.npz", scores=scores, labels=own)
    np.savez(tmp_path / "fewer.npz", scores=scores[:-1], labels=own[:-1])
    np.savez(tmp_path / "other.npz", scores=scores, labels=np.roll(own, 1))
    np.savez(
        tmp_path / "narrow.npz", scores=scores[own < 11][:, :11], labels=own[own < 11]
    )
    for name, said in (
        ("fewer", "fewer was tested on 59 samples, a on 60"),
        ("other", "is of class"),
        ("narrow", "narrow was tested on 11 classes that are not the 12 of a"),
    ):
        code, _, err = run(
            "extrapolate", tmp_path / "a.npz", tmp_path / f"{name}.npz", "--to", "50"
        )
        assert code == 3, name
        assert said in err


def test_names_of_files_lose_their_endings_unless_that_makes_them_alike():
    from scorecast.cli.inputs import named_files

    assert [n for n, _ in named_files(["d/a.npz", "b.npy", "x=c.npz"])] == [
        "a",
        "b",
        "x",
    ]
    assert [n for n, _ in named_files(["a.npz", "a.npy"])] == ["a.npz", "a.npy"]


@pytest.mark.parametrize("text", ["1,623", "12,345", "200,400", "1,234,567"])
def test_a_comma_that_may_divide_thousands_is_asked_about(run, files, text):
    code, _, err = run("extrapolate", files / "both.npz", "--to", text)
    assert code == 2
    assert text.replace(",", "") in err
    assert text.replace(",", ", ") in err


def test_numbers_with_a_space_behind_the_comma_are_several(run, files):
    code, out, err = run("extrapolate", files / "both.npz", "--to", "200, 400", *QUICK)
    assert code == 0, err
    rows = [line.split()[:1] for line in out.splitlines() if "%" in line]
    assert ["200"] in rows
    assert ["400"] in rows
