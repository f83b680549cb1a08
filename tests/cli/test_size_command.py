"""The verb ``size``: how many test cases are enough."""

import json

import pytest


def test_an_interval_as_narrow_as_asked(run, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    code, out, err = run(
        "size", "--expect", "0.9", "--width", "0.1", "--json", tmp_path / "n.json",
        "--report", tmp_path / "n.html",
    )  # fmt: skip
    assert code == 0, err
    assert out.startswith("141 test cases give a 95 % interval")
    data = json.loads((tmp_path / "n.json").read_text())
    assert (data["kind"], data["result"]["n"]) == ("required-test-size", 141)
    assert "141 test cases" in (tmp_path / "n.html").read_text()


def test_two_models_told_apart(run):
    code, out, _ = run("size", "--expect", "0.9", "--versus", "0.8", "--quiet")
    assert (code, out) == (0, "")
    code, out, _ = run(
        "size", "--expect", "0.6", "--versus", "0.5", "--method", "independent"
    )
    assert code == 0
    assert out.startswith("388 test cases")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--expect", "0.9"), "--width"),
        (("--expect", "0.9", "--width", "0.1", "--power", "0.9"), "--versus"),
        (("--expect", "0.9", "--width", "0.1", "--disagreement", "0.1"), "--versus"),
        (("--expect", "0.9", "--width", "0.1", "--versus", "0.8"), "either"),
        (("--expect", "90", "--width", "0.1"), "did you mean 0.90"),
        (("--width", "0.1"), "--expect"),
        (("--expect", "0.9", "--width", "0.1", "--method", "guess"), "one of"),
        (("--expect", "0.9", "--versus", "0.9"), "the same"),
        (("--expect", "0.9", "--versus", "0.8", "--disagreement", "0.01"), "between"),
    ],
)
def test_bad_questions_have_one_line_and_exit_2(run, arguments, said):
    code, out, err = run("size", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_the_least_disagreement_is_allowed_however_it_is_rounded(run):
    code, out, err = run(
        "size", "--expect", "0.9", "--versus", "0.85", "--disagreement", "0.05"
    )
    assert code == 0, err
    assert "test cases" in out


def test_a_comparison_says_which_test_and_how_many_cases_in_all(run):
    call = ("size", "--expect", "0.9", "--versus", "0.85")
    _, paired, _ = run(*call)
    said = " ".join(paired.split())
    assert "both models have the same 722 cases; McNemar's exact test" in said
    assert "right in 22 % of cases, as if they were right independently" in said
    _, apart, _ = run(*call, "--method", "independent")
    said = " ".join(apart.split())
    assert "686 cases of its own, 1,372 in all" in said
    assert "normal approximation" in said
    _, given, _ = run(*call, "--disagreement", "0.07")
    assert "as if they were right" not in " ".join(given.split())


def test_groups_and_repeats(run, tmp_path):
    words = ("size", "--expect", "0.9", "--width", "0.1", "--group-size", "10")
    code, out, err = run(*words, "--correlation", "0.2", "--json", "-")
    assert code == 0, err
    data = json.loads(out)
    assert (data["result"]["n"], data["result"]["n_groups"]) == (420, 42)
    assert data["result"]["design_effect"] == pytest.approx(2.8)
    code, out, _ = run(*words, "--correlation", "0.2")
    assert out.startswith("420 test cases in 42 groups of 10 give a 95 % interval")
    assert "groups" in out.splitlines()[3]
    code, out, err = run(
        "size", "--expect", "0.6", "--versus", "0.5", "--repeats", "4",
        "--repeat-correlation", "0.7",
    )  # fmt: skip
    assert code == 0, err
    assert "each answered 4 times" in " ".join(out.split())
    code, _, err = run(*words)
    assert code == 2
    assert "--group-size and --correlation go together" in " ".join(err.split())
