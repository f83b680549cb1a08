"""No share that is not 0 or 1 is written as 0 % or 100 %."""

from dataclasses import replace

import numpy as np
import pytest

import scorecast as sc
from scorecast.comparison import RopePosterior
from scorecast.report import render
from scorecast.report.formats import (
    metric_span,
    metric_value,
    percent,
    percent_number,
    percent_span,
)

NEAR = (1e-12, 0.0004, 0.0049, 0.9951, 0.9996, 1 - 1e-12)


@pytest.mark.parametrize("share", NEAR)
def test_what_is_nearly_certain_is_not_called_certain(share):
    written = [
        percent(share),
        percent(share, 1),
        percent_number(share),
        metric_value("accuracy", share),
        metric_value("error_rate", share),
    ]
    for text in written:
        assert text.removesuffix(" %") not in ("0", "0.0", "0.00", "100", "100.0")
    for text in (
        percent_span(share, 0.5).split("-")[0],
        percent_span(0.5, share).removesuffix(" %").split("-")[1],
        metric_span("accuracy", share, share).removesuffix(" %").split("-")[1],
    ):
        assert text not in ("0", "0.0", "0.00", "100", "100.0")


@pytest.mark.parametrize("share", [0, 1])
def test_certainty_is_written_as_such(share):
    assert percent(share) == f"{100 * share} %"
    assert percent_number(share) == f"{100 * share}"


def test_chances_of_a_comparison():
    rng = np.random.default_rng(0)
    scores = rng.uniform(0.6, 0.9, size=(12, 1)) + rng.normal(0, 0.01, (12, 3))
    table = dict(zip("abc", scores.T, strict=True))
    found = sc.compare(table, rope=0.01)
    chances = (
        RopePosterior(first_lower=0.9996, equal=0.0004, first_higher=0.0),
        RopePosterior(first_lower=0.0, equal=0.0, first_higher=1.0),
    )
    pairs = [
        replace(pair, posterior=chance)
        for pair, chance in zip(found.pairs, chances, strict=False)
    ]
    text = render(replace(found, pairs=(*pairs, *found.pairs[2:])))
    cells = {" ".join(line.split()[-6:]) for line in text.splitlines()}
    assert cells & {">99 % <1 % 0 %", "0 % <1 % >99 %"}
    assert cells & {"0 % 0 % 100 %", "100 % 0 % 0 %"}


def test_an_accuracy_curve_of_one_mistake_in_thousands():
    own = np.arange(3000) % 4
    scores = np.eye(4)[own]
    scores[0] = 1 - scores[0]
    curve = sc.accuracy_curve(scores, own)
    assert "right 99.97 % of the time (standard error 0.03 %" in curve.summary()
    assert "99.97 %" in render(curve)


def test_a_forecast_of_one_mistake_in_thousands(make):
    result = make.design_example()
    sure = replace(result.predictions[0], accuracy=0.9996, low=0.9, high=0.99999)
    methods = tuple(replace(m, targets=m.targets[:1]) for m in result.methods)
    text = render(replace(result, predictions=(sure,), methods=methods))
    assert "99.96 %" in text
    assert "90\N{EN DASH}>99 %" in text
    assert " 100 %" not in text
