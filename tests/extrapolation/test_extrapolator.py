"""Every method keeps what it claims, and a new one needs nothing but itself."""

import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.random import default_rng

from scorecast._core.registry import Method
from scorecast.cli.main import scorecast as shell
from scorecast.exceptions import UsageError
from scorecast.extrapolation import (
    EXTRAPOLATORS,
    FixedKde,
    Kde,
    ObservedClasses,
    RankExtrapolator,
    extrapolate,
)
from scorecast.extrapolation.extrapolator import ProbitMixture, UncertainLaw
from scorecast.scores import Scores

ROOT = Path(__file__).parents[2]
OWN = np.arange(80) % 16
SCORES = default_rng(0).normal(size=(80, 16)) + 2 * np.eye(16)[OWN]
KS = np.array([16, 64, 1000])
CASES = [pytest.param(method, id=name) for name, method in EXTRAPOLATORS.items()]


def ready(method):
    return FixedKde(bandwidth=0.4) if method.name == "kde-fixed" else method


def fitted(method, scores=SCORES, seed=0):
    observed = ObservedClasses.of(Scores(scores, OWN))
    return ready(method).fit(observed, default_rng(seed))


@pytest.mark.parametrize("method", CASES)
def test_only_methods_that_say_so_look_beyond_ranks(method):
    # Increasing in every row, and far from linear.
    bent = np.exp(SCORES / 2)
    plain, other = (fitted(method, s).law.accuracy(KS) for s in (SCORES, bent))
    is_same = bool(np.allclose(plain, other, rtol=0, atol=1e-12))
    assert is_same != method.uses_scores


@pytest.mark.parametrize("method", CASES)
def test_only_methods_that_say_so_know_their_spread(method):
    fit = fitted(method)
    assert isinstance(fit.law, UncertainLaw) == method.has_own_spread
    if not method.has_own_spread:
        observed = ObservedClasses.of(Scores(SCORES, OWN))
        laws = fit.tuned.fit_left_out(observed, fit)
        assert len(laws) == observed.ranking.n_groups


@pytest.mark.parametrize("method", CASES)
def test_methods_that_handle_guesses_are_right_more_often_with_more(method):
    law = fitted(method).law
    if not method.handles_top:
        with pytest.raises(NotImplementedError):
            law.accuracy(KS, 3)
        return
    assert (law.accuracy(KS, 3) >= law.accuracy(KS)).all()
    assert law.accuracy(np.array([3]), 3)[0] == 1


@pytest.mark.parametrize("method", CASES)
def test_methods_say_what_they_are(method):
    assert method.title
    assert method.summary
    assert "\n" not in method.summary
    names = {f.name for f in fields(method)} - {f.name for f in fields(Method)}
    assert ready(method).settings().keys() <= names
    assert EXTRAPOLATORS.choose(method.name, parameter="method") is method


def test_a_rule_for_bandwidths_names_its_method():
    assert Kde(rule="bcv").name == "kde-bcv"
    assert Kde(rule="nrd0").settings() == {"rule": "nrd0"}
    with pytest.raises(UsageError, match="rule"):
        FixedKde(rule="bcv", bandwidth=1.0)


@dataclass(frozen=True, kw_only=True)
class Toy(RankExtrapolator):
    """Take every sample for one of the same favourability."""

    name: str = "toy"
    title: str = "a toy"
    summary: str = "one favourability for all"
    shift: float = 0.0

    def fit_ranks(self, ranks, start=None):
        pair = float(ranks.curve(np.array([2]))[0])
        mean = np.array([2.0 * pair + self.shift])
        return ProbitMixture(means=mean, sds=np.array([0.1]), weights=np.ones(1))


@pytest.fixture
def toy():
    method = EXTRAPOLATORS.add(Toy())
    yield method
    del EXTRAPOLATORS["toy"]


def test_a_new_method_is_one_object(toy):
    answer = extrapolate(SCORES, OWN, to=64, method="toy", backtest=4)
    assert answer.method == "toy"
    assert answer.predictions[0].low <= answer.predictions[0].accuracy
    assert answer.backtest[0].method == "toy"
    moved = extrapolate(SCORES, OWN, to=64, method=Toy(shift=0.5), backtest=0)
    assert moved.settings == {"shift": 0.5}
    assert moved.predictions[0].accuracy > answer.predictions[0].accuracy
    assert "toy" in str(answer)


SHOWN = """
import importlib.util, sys
from click.testing import CliRunner
from tests.extrapolation.test_extrapolator import EXTRAPOLATORS, Toy, shell

EXTRAPOLATORS.add(Toy())
call = ["extrapolate", sys.argv[1], "--to", "64", "--method", "toy", "--backtest", "0"]
for more in (["--method-option", "shift=.5"], ["--help"]):
    print(CliRunner().invoke(shell, call + more).output)
place = importlib.util.spec_from_file_location("pages", "docs/write_reference.py")
pages = importlib.util.module_from_spec(place)
place.loader.exec_module(pages)
print(pages._verbs(), pages._room("extrapolation"))
"""


def test_a_new_method_shows_in_shell_help_and_reference(tmp_path):
    # A process of its own: which methods there are is read when a verb is first used.
    np.savez(tmp_path / "run.npz", scores=SCORES, labels=OWN)
    call = [sys.executable, "-c", SHOWN, str(tmp_path / "run.npz")]
    done = subprocess.run(
        call, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    for words in ("Method toy;", "toy one favourability", "| toy | a toy | one"):
        assert words in said


def test_help_lists_the_methods_of_the_registry():
    text = " ".join(CliRunner().invoke(shell, ["extrapolate", "--help"]).output.split())
    for name in EXTRAPOLATORS:
        assert name in text.replace("- ", "-")


def test_a_law_without_components_is_right_as_often_as_it_always_is():
    none = np.zeros(2)
    law = ProbitMixture(means=none, sds=none + 1, weights=none, always_right=0.25)
    ks = np.array([2, 10, 1000])
    assert law.accuracy(ks).tolist() == [0.25] * 3
    assert law.accuracy(ks, top=2).tolist() == [1, 0.25, 0.25]
