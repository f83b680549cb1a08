"""Evidence of candidate hyperparameters."""

import dataclasses
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import DataWarning, UsageError
from scorecast.mixtures import LogEvidence, Sampling, ladder
from scorecast.recurrence import (
    Candidate,
    HyperparameterChoice,
    hyperparameter_evidence,
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*the ladder is too coarse")
@pytest.mark.filterwarnings("ignore:.*the two chains disagree")  # they are short
def test_candidates_come_best_first_with_their_errors(cohort):
    X, time, event = cohort(n=30)
    found = hyperparameter_evidence(
        sc.RecurrenceModel(), X, time, event,
        {"absurd": {"centre": np.full(3, 40.0)}, "as printed": {}},
        betas=ladder(6), sampling=Sampling(n_warmup=60, n_draws=60, starts=(1,)),
    )  # fmt: skip
    assert list(found) == ["as printed", "absurd"]
    assert all(one.stderr > 0 for one in found.values())


def test_no_candidate_is_refused(cohort):
    with pytest.raises(UsageError, match="at least one"):
        hyperparameter_evidence(sc.RecurrenceModel(), *cohort(n=30), {})


def test_finished_candidates_are_noted_with_what_they_warned_of(
    cohort, tmp_path, monkeypatch
):
    done = []

    def tell(given, *, prior, **_):
        done.append(prior.name)
        warnings.warn(f"{prior.name}: coarse", DataWarning, stacklevel=2)
        at = np.linspace(0, 1, 3)
        return LogEvidence(-5.0 - len(done), 0.1, 0.2, at, at, at, prior.name, at, 0.0)

    monkeypatch.setattr("scorecast.recurrence.evidence.log_evidence", tell)
    given = (sc.RecurrenceModel(), *cohort(n=30))
    path = tmp_path / "run.jsonl"
    two = {"as printed": {}, "more": {"growth": 0.5}}
    for asked, wanted in ((two, 2), (two, 2), ({**two, "less": {"growth": 0.05}}, 3)):
        with pytest.warns(DataWarning) as said:
            found = hyperparameter_evidence(*given, asked, checkpoint=path)
        assert len(done) == wanted
        assert {str(w.message) for w in said} == {f"{name}: coarse" for name in asked}
        assert found["as printed"].value == -6.0
    assert isinstance(found["more"].betas, np.ndarray)
    with pytest.warns(DataWarning):
        hyperparameter_evidence(*given, two, checkpoint=path, random_state=1)
    assert len(done) == 5  # another seed


def evidence(value, stderr=0.2, correction=0.1):
    """Make up an evidence."""
    return SimpleNamespace(value=value, stderr=stderr, correction=correction)


@pytest.fixture
def known(monkeypatch):
    """Let the evidence be known, and note what was asked for."""
    asked = {}

    def tell(model, X, time, event, candidates, **_):
        asked.update(candidates)
        return {"growth=0.9": evidence(-11.0), "as printed": evidence(-14.0)}

    monkeypatch.setattr("scorecast.recurrence.choice.hyperparameter_evidence", tell)
    return asked


def test_the_choice_is_said_with_its_error(cohort, known):
    found = sc.choose_hyperparameters(
        sc.RecurrenceModel(), *cohort(n=30), {"growth=0.9": {"growth": 0.9}}
    )
    assert known == {"as printed": {}, "growth=0.9": {"growth": 0.9}}
    assert found.sentence() == (
        "Of 2 sets of hyperparameters, growth=0.9 foretells the data best (log "
        "evidence -11.0 ± 0.2 nats), 3.0 ± 0.3 nats ahead of the "
        "paper's hyperparameters."
    )
    assert found.to_columns()["behind"] == [0.0, 3.0]
    again = sc.HyperparameterChoice.from_dict(found.to_dict())
    assert again == found
    assert again.best.settings == {"growth": 0.9}


@pytest.mark.parametrize(("stderr", "correction"), [(1.0, 0.1), (0.1, -5.0)])
def test_a_lead_that_errors_explain_decides_nothing(stderr, correction):
    rows = [
        Candidate(name=name, settings={}, log_evidence=value, stderr=stderr,
                  correction=correction)
        for name, value in (("a", -11.0), ("b", -14.0))
    ]  # fmt: skip
    found = HyperparameterChoice(candidates=tuple(rows))
    assert not found.is_decided
    assert "none surely" in found.sentence()
    assert found.sentence().endswith("nats ahead of b, less than three errors.")
    own = dataclasses.replace(rows[0], name="as printed")
    said = HyperparameterChoice(candidates=(own, rows[1])).sentence()
    assert "best: the paper's hyperparameters (log evidence -11.0" in said
    assert "nats) are 3.0" in said
    alone = HyperparameterChoice(candidates=tuple(rows[:1]))
    assert alone.sentence().startswith("The hyperparameters a have log evidence -11.0")


def test_impossible_candidates_are_refused(cohort, known):
    model = sc.RecurrenceModel()
    for bad in ({"nonsense": 1.0}, {"growth": 2.0}, {"centre": np.zeros(7)}):
        with pytest.raises(UsageError, match="'bad'"):
            sc.choose_hyperparameters(model, *cohort(n=30), {"bad": bad})
    assert known == {}
