"""Who waits for two seconds is told something: a first figure, or how long it takes."""

import numpy as np
import pytest

from scorecast._core import progress


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((30, 5))
    own = np.repeat(np.arange(30), 3)
    found = centres[own] + 0.6 * rng.standard_normal((90, 5))
    scores = -((found[:, None] - centres) ** 2).sum(axis=2)
    np.savez("run.npz", scores=scores, labels=own)
    np.savez("other.npz", scores=scores + rng.standard_normal(scores.shape), labels=own)
    np.savetxt("matrix.csv", found, delimiter=",", header="a,b,c,d,e", comments="")


COMMANDS = {
    "extrapolate run.npz --to 300": "First figures: it is right",
    "extrapolate run.npz --to 300 --top 3": "in 3 guesses",
    "extrapolate run.npz other.npz --to 300": "First figures: other is right",
    "size --classes 300 --accuracy 0.8 --margin 0.2": "First figures: with 25 classes",
    "density matrix.csv --density sklearn.mixture:GaussianMixture": (
        "First figures: mean log-density"
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_first_figure_comes_with_the_first_line(command, data, run, monkeypatch):
    # As if everything took longer than a moment.
    monkeypatch.setattr(progress, "_MOMENT", 0.0)
    code, _, err = run(*command.split())
    assert code == 0
    assert COMMANDS[command] in err
    assert run(*command.split(), "--quiet")[::2] == (0, "")


def test_names_of_recognisers_do_not_speak_to_the_terminal(data, run, monkeypatch):
    monkeypatch.setattr(progress, "_MOMENT", 0.0)
    command = ["extrapolate", "a\x1b[31mb=run.npz", "b=other.npz", "--to", 300]
    code, out, err = run(*command)
    assert code == 0
    assert "First figures: a" in err
    assert "\x1b" not in out + err


def test_a_back_test_counts_the_whole_of_its_hidings(data, run, monkeypatch):
    lines = []
    monkeypatch.setattr(progress, "_LEAST_TIME", 0.0)
    step = progress._Display.leave

    def watched(display, piece):
        step(display, piece)
        lines.append(display.line())

    monkeypatch.setattr(progress._Display, "leave", watched)
    command = "backtest run.npz --method bayesian --method gaussian --repeats 4"
    assert run(*command.split())[0] == 0
    # What is still to come after the first number shown is counted in.
    before = lines[: next(i for i, line in enumerate(lines) if "8 shown" in line)]
    assert any(line.startswith("15 shown") and "left" in line for line in before)
