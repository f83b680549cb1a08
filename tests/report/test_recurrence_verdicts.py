"""What an answer on predicted times claims, and what it leaves open."""

import dataclasses

import numpy as np
import pytest
from tests.recurrence.test_recurrence_answer import made_up, worth_of

from scorecast.recurrence.accuracy import integrated_brier
from scorecast.recurrence.follow_up import follow_up_of
from scorecast.recurrence.told import verdict
from scorecast.report import render_text
from scorecast.report.information import chance_text


@pytest.fixture(scope="module")
def answer():
    """A model whose covariates are noise, beside the curve and Cox's model."""
    return worth_of(made_up("noise"), covariates=["a"])


def said_of(answer):
    return " ".join(render_text(answer).split())


def with_row(answer, place, **changes):
    rows = list(answer.comparison)
    rows[place] = dataclasses.replace(rows[place], **changes)
    return dataclasses.replace(answer, comparison=tuple(rows))


def with_chances(answer, *chances):
    told = answer.information
    first = told.posterior.views[0]
    views = [dataclasses.replace(first, probability_positive=c) for c in chances]
    posterior = dataclasses.replace(
        told.posterior, views=tuple(views), centre=first.tails, probability_positive=0.5
    )
    told = dataclasses.replace(told, posterior=posterior)
    return dataclasses.replace(answer, information=told)


def test_the_first_sentence_always_has_one_verdict(answer):
    curve = "the curve of all cases alike"
    words = f"not told apart from {curve} by these cases"
    first = with_row(answer, 0, verdict=words).sentence().split(". Beyond")[0]
    assert first.endswith(f"); {words}")
    same = verdict(answer.information).replace("the prior", curve)
    said = with_row(answer, 0, verdict=same).sentence()
    first, second = said.split(". Beyond")
    assert first.endswith(f"; {verdict(answer.information)}")
    assert second.endswith(f"; {same}.")


def test_a_model_that_does_better_is_named(answer):
    worse = {"verdict": "very probably worse than Cox's model", "beyond": -0.05,
             "low": -0.08, "high": -0.02}  # fmt: skip
    said = said_of(with_row(answer, 1, **worse))
    assert "Beyond Cox's model: -0.05 bits (95 %: -0.08 to -0.02); this model" in said
    assert "this model is very probably worse than Cox's model." in said
    better = with_row(answer, 1, **(worse | {"verdict": "surely better than Cox's"}))
    assert "this model is" not in said_of(better)


def test_views_that_disagree_give_no_chance(answer):
    split = with_chances(answer, 0.755, 0.021, 0.51)
    words = "cannot be told: the views of the tails disagree (2 % to 76 %)"
    assert words in said_of(split)
    assert words in " ".join(str(split.information).split())
    assert "50.0 %" not in said_of(split)
    agreed = with_chances(answer, 0.6, 0.9).information.posterior
    assert chance_text(agreed) == "50.0 %"
    nearly = with_chances(answer, 0.9997, 0.0002, 0.51)
    assert "(< 0.1 % to > 99.9 %)" in said_of(nearly)


def test_few_events_are_not_judged_by(answer):
    enough = said_of(answer)
    assert "its standard error, of 11,175 pairs of cases" in enough
    assert "9 degrees of freedom)" in enough
    few = dataclasses.replace(answer, n_events=2)
    said = said_of(few)
    assert said.count("too few events to judge (2 events; at least 10 are needed)") == 2
    assert "as even as chance" not in said
    assert "its standard error" not in said
    none = dataclasses.replace(answer.calibration, degrees=0, p=1.0)
    said = said_of(dataclasses.replace(answer, calibration=none))
    assert "too few events in any tenth of it to judge" in said
    assert "as even as chance" not in said


def test_the_legend_explains_what_is_there(answer):
    unknown = {"worth": 0.1, "worth_low": 0.0, "worth_high": 0.2}
    known = {"beyond": 0.1, "low": 0.0, "high": 0.2}
    told = with_row(with_row(answer, 0, **unknown), 1, **unknown, **known)
    said = said_of(told)
    assert "n/a:" not in said
    assert "plain mean:" not in said
    assert "medians of separate posteriors need not subtract" in said
    nan = float("nan")
    said = said_of(with_row(told, 1, worth=nan, reason="too long a story"))
    assert "plain mean: without a posterior, see the warnings" in said
    assert "n/a:" not in said
    assert "n/a: could not be said" in said_of(with_row(told, 1, beyond=nan))


def test_the_end_of_the_brier_score_is_that_of_the_score():
    # At time 5 the events leave first: of the 31 then left, 30 are censored.
    time = np.array([1.0, 2.0, 3.0, *[5.0] * 48, 9.0])
    event = np.array([True] * 21 + [False] * 30 + [True])
    at = np.unique(time[event])
    curves = np.exp(-at / 9.0) * np.ones((len(time), 1))
    model = dataclasses.replace(made_up("noise").predictions["model"], survival=curves)
    found = dataclasses.replace(
        made_up("noise"), time=time, event=event, times=at, predictions={"model": model}
    )
    assert follow_up_of(found).horizon == 3.0
    whole = integrated_brier(time, event, at, curves)
    assert whole == pytest.approx(integrated_brier(time, event, at[:3], curves[:, :3]))
