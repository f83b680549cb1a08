"""Evidence of candidate hyperparameters."""

from types import SimpleNamespace

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.codec import decode, encode
from scorecast.exceptions import UsageError
from scorecast.mixtures import Sampling, ladder
from scorecast.survival import (
    AS_PRINTED,
    Candidate,
    HyperparameterChoice,
    choose_hyperparameters,
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*the ladder is too coarse")
@pytest.mark.filterwarnings("ignore:.*the two chains disagree")  # they are short
def test_candidates_come_best_first_with_their_errors(cohort):
    found = choose_hyperparameters(
        sc.SurvivalModel(), *cohort(n=30),
        {"absurd": {"centre": np.full(3, 40.0)}},
        betas=ladder(6), sampling=Sampling(n_warmup=60, n_draws=60, starts=(1,)),
    )  # fmt: skip
    assert [one.name for one in found.candidates] == [AS_PRINTED, "absurd"]
    assert all(one.stderr > 0 for one in found.candidates)


@pytest.fixture
def told(monkeypatch):
    """Let the evidence be known, and note whose was asked for."""
    done = []

    def tell(given, *, prior, **_):
        done.append(prior.name)
        value = -11.0 if prior.growth > 0.8 else -14.0
        return SimpleNamespace(value=value, stderr=0.2, correction=0.1)

    monkeypatch.setattr("scorecast.survival.hyperparameters.log_evidence", tell)
    return done


def test_finished_candidates_are_taken_from_the_checkpoint(cohort, tmp_path, told):
    given = (sc.SurvivalModel(), *cohort(n=30))
    path = tmp_path / "run.jsonl"
    one = {"more": {"growth": 0.5}}
    for asked, n_done in ((one, 2), (one, 2), ({**one, "less": {"growth": 0.05}}, 3)):
        found = choose_hyperparameters(*given, asked, checkpoint=path)
        assert len(told) == n_done
        assert len(found.candidates) == 1 + len(asked)
    choose_hyperparameters(*given, one, checkpoint=path, random_state=1)
    assert len(told) == 5  # another seed


def test_the_choice_has_its_lead_and_error(cohort, told):
    found = choose_hyperparameters(
        sc.SurvivalModel(), *cohort(n=30), {"growth=0.9": {"growth": 0.9}}
    )
    assert told == [AS_PRINTED, "growth=0.9"]
    assert found.best.settings == {"growth": 0.9}
    assert found.is_decided
    assert found.to_columns()["behind"] == [0.0, 3.0]
    assert found.ahead(found.candidates[1])[1] == pytest.approx(np.hypot(0.2, 0.2))
    assert decode(encode(found), HyperparameterChoice) == found


@pytest.mark.parametrize(("stderr", "correction"), [(1.0, 0.1), (0.1, -5.0)])
def test_a_lead_that_errors_explain_decides_nothing(stderr, correction):
    rows = [
        Candidate(name=name, settings={}, log_evidence=value, stderr=stderr,
                  correction=correction)
        for name, value in (("a", -11.0), ("b", -14.0))
    ]  # fmt: skip
    assert not HyperparameterChoice(candidates=tuple(rows)).is_decided
    assert HyperparameterChoice(candidates=tuple(rows[:1])).is_decided


def test_impossible_candidates_are_refused(cohort, told):
    model = sc.SurvivalModel()
    for bad in ({"nonsense": 1.0}, {"growth": 2.0}, {"centre": np.zeros(7)}):
        with pytest.raises(UsageError, match="candidates"):
            choose_hyperparameters(model, *cohort(n=30), {"bad": bad})
    assert told == []
