"""The verb ``size``: how many test samples are enough."""

import json

import numpy as np
import pytest

import scorecast as sc


def test_it_says_what_python_says(run):
    for words, call in (
        ("--width 0.1", {"width": 0.1}),
        ("--width 0.1 --interval clopper-pearson", {"width": 0.1, "interval": "exact"}),
        ("--versus 0.8 --power 0.9", {"versus": 0.8, "power": 0.9}),
        ("--versus 0.8 --disagreement 0.15", {"versus": 0.8, "disagreement": 0.15}),
        (
            "--versus 0.8 --design independent --confidence-level 0.99",
            {"versus": 0.8, "design": "independent", "confidence_level": 0.99},
        ),
        (
            "--width 0.1 --group-size 10 --correlation 0.2 --size-spread 0.5",
            {"width": 0.1, "group_size": 10, "correlation": 0.2, "size_spread": 0.5},
        ),
        (
            "--width 0.1 --repeats 4 --repeat-correlation 0.7 "
            "--interval clustered-wilson-t",
            {"width": 0.1, "n_repeats": 4, "repeat_correlation": 0.7},
        ),
    ):
        code, out, err = run("size", "--accuracy", 0.9, *words.split(), "--json", "-")
        assert code == 0, err
        wanted = sc.required_test_size(0.9, **call).to_dict()
        data = json.loads(out)
        assert [data[x] for x in ("kind", "options", "result")] == [
            wanted[x] for x in ("kind", "options", "result")
        ]


def test_the_answer_is_printed_kept_and_laid_out(run, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    words = ("size", "--accuracy", "0.9", "--width", "0.1")
    files = ("--json", tmp_path / "n.json", "--report", tmp_path / "n.html")
    code, out, err = run(*words, *files)
    assert code == 0, err
    assert out.startswith(sc.render(sc.required_test_size(0.9, width=0.1)))
    assert json.loads((tmp_path / "n.json").read_text())["result"]["n_samples"] == 141
    assert sc.load(tmp_path / "n.json").n_samples == 141
    assert "141 test samples" in (tmp_path / "n.html").read_text()
    assert run(*words, "--quiet")[:2] == (0, "")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("--accuracy 0.9", "--width"),
        ("--accuracy 0.9 --width 0.1 --power 0.9", "--power"),
        ("--accuracy 0.9 --width 0.1 --disagreement 0.1", "--disagreement"),
        ("--accuracy 0.9 --width 0.1 --design paired", "--design"),
        ("--accuracy 0.9 --versus 0.8 --interval wilson", "--interval"),
        ("--accuracy 0.9 --width 0.1 --versus 0.8", "--width"),
        ("--accuracy 90 --width 0.1", "did you mean 0.90"),
        ("--width 0.1", "--accuracy"),
        ("--accuracy 0.9 --width 0.1 --interval guess", "--interval"),
        ("--accuracy 0.9 --versus 0.9", "--versus"),
        ("--accuracy 0.9 --versus 0.8 --disagreement 0.01", "--disagreement"),
        ("--accuracy 0.9 --width 0.1 --group-size 10", "--group-size"),
        ("--accuracy 0.9 --width 0.1 --repeats 4", "--repeats"),
    ],
)
def test_bad_questions_have_one_line_and_exit_2(run, words, option):
    code, out, err = run("size", *words.split())
    assert (code, out) == (2, "")
    assert option in err
    assert err.count("\n") == 1


def test_classes_to_test_are_planned_as_in_python(run, tmp_path):
    words = ("size", "--classes", "300", "--accuracy", "0.9", "--margin", "0.2")
    code, out, err = run(*words, "--json", tmp_path / "n.json")
    assert code == 0, err
    plan = sc.required_classes(0.9, to=300, margin=0.2)
    assert sc.load(tmp_path / "n.json").n_classes == plan.n_classes
    assert out.startswith(sc.render(plan))


def test_a_pilot_may_say_how_good_it_is(run, tmp_path):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(40, 40)) + 4 * np.eye(40)
    np.savez(tmp_path / "pilot.npz", scores=scores, labels=np.arange(40))
    words = ("size", "--classes", "300", "--margin", "0.3")
    code, out, err = run(*words, "--pilot", tmp_path / "pilot.npz")
    assert code == 0, err
    assert "as in the pilot" in " ".join(out.split())
    code, _, err = run(*words, "--pilot", tmp_path / "pilot.npz", "--accuracy", "0.9")
    assert code == 2
    code, _, err = run(*words, "--pilot", tmp_path / "none.npz")
    assert (code, "none.npz" in err) == (3, True)


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("--classes 300", "--accuracy"),
        ("--classes 300 --accuracy 0.9 --width 0.1", "--width"),
        ("--classes 300 --accuracy 0.9 --versus 0.8", "--versus"),
        ("--classes 300 --accuracy 0.9 --margin 5", "--margin"),
        ("--classes 5 --accuracy 0.9", "--classes"),
        ("--accuracy 0.9 --width 0.1 --margin 0.1", "--margin"),
        ("--accuracy 0.9 --width 0.1 --examples 3", "--examples"),
        ("--width 0.1", "--accuracy"),
    ],
)
def test_options_of_other_plans_are_refused(run, words, option):
    code, _, err = run("size", *words.split())
    assert code == 2
    assert option in err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((), ("--accuracy", "--width", "--versus", "--classes", "--rule")),
        (("--accuracy", "0.9"), ("--width", "--versus", "--classes")),
        (("--accuracy", "0.9", "--power", "0.9"), ("--width", "--versus")),
    ],
)
def test_all_that_is_lacking_is_named_at_once(run, words, named):
    code, out, err = run("size", *words)
    assert (code, out) == (2, "")
    assert all(option in err for option in named)


def test_samples_to_learn_from_are_what_python_says(run):
    words = ("--rule", "selected", "--distance", "3", "--features", "500")
    more = ("--informative", "4", "--excess", "0.03", "--json", "-")
    code, out, err = run("size", *words, *more)
    assert code == 0, err
    found = sc.required_training_size(
        "selected", distance=3, n_features=500, n_informative=4, max_excess=0.03
    )
    assert json.loads(out)["result"] == found.to_dict()["result"]


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("--rule linear --distance 2", "--features"),
        ("--rule linear --features 2", "--distance"),
        ("--rule linear --distance 2 --features 2 --accuracy 0.9", "--accuracy"),
        ("--rule linear --distance 2 --features 2 --informative 2", "--informative"),
        ("--accuracy 0.9 --width 0.1 --distance 2", "--distance"),
        ("--accuracy 0.9 --width 0.1 --excess 0.1", "--excess"),
    ],
)
def test_what_is_learned_does_not_go_with_what_is_tested(run, words, option):
    code, _, err = run("size", *words.split())
    assert (code, option in err) == (2, True)


def test_what_guessing_reaches_needs_no_samples(run):
    words = "--rule linear --features 20 --distance"
    code, out, _ = run("size", *words.split(), 0.01)
    assert code == 0
    assert "too alike" in out.splitlines()[0]
    code, out, _ = run("size", *words.split(), 2)
    assert code == 0
    assert "are enough for" in out
