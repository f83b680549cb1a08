"""The verb ``assess --right``: the accuracy of one model from its answers."""

import json

import numpy as np
import pytest

import scorecast as sc

RNG = np.random.default_rng(0)
UNIT = np.repeat(np.arange(12), RNG.choice([1, 2, 3, 14], 12))
RIGHT = (RNG.random(UNIT.size) < RNG.beta(4, 1, 12)[UNIT]).astype(int)


@pytest.fixture
def table(tmp_path):
    lines = ["text,right"] + [f"{i},{x}" for i, x in zip(UNIT, RIGHT, strict=True)]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_it_says_what_python_says(run, table):
    words = ("assess", table, "--right", "right", "--json", "-")
    for more, groups in (((), None), (("--groups", "text"), UNIT)):
        code, out, err = run(*words, *more)
        assert code == 0, err
        wanted = sc.evaluation.proportion_interval(RIGHT, groups=groups).to_dict()
        assert json.loads(out)["result"] == wanted["result"]


def test_the_gate_looks_at_the_lower_end(run, table):
    low = sc.evaluation.proportion_interval(RIGHT, groups=UNIT).low
    words = ("assess", table, "--right", "right", "--groups", "text", "--fail-below")
    assert run(*words, str(low - 0.001))[0] == 0
    code, _, err = run(*words, str(low + 0.001))
    assert code == 5
    assert "--fail-below" in err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--right", "wrong"), 3, "column 'wrong': there is no such column"),
        (("--right", "text"), 3, "1 (right) or 0 (wrong)"),
        (
            ("--right", "right", "--groups", "page"),
            3,
            "column 'page': there is no such column",
        ),
        (("--right", "right", "--target", "text"), 2, "has no say with --right"),
    ],
)
def test_bad_input_is_one_line(run, table, words, code, said):
    found, _, err = run("assess", table, *words)
    assert found == code
    assert said in err
