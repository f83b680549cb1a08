"""Results made by hand, so that these tests need no fitting."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from scorecast._core.result import Note
from scorecast.extrapolation import (
    Backtest,
    BacktestRow,
    Discriminability,
    Extrapolation,
    ForecastCurve,
    IntervalKind,
    MethodForecast,
    MethodRole,
    Prediction,
)
from scorecast.scores import AccuracyCurve, Marginality, ScoreNote

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
HOSTILE = (
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "</title></style><svg onload=document.title='owned'>",
    "javascript:document.title='owned'",
    '"><b>bold</b>',
    "{{ 7 * 7 }}{% raw %}",
    "$x_{$",
    "_hidden",
    "[/]",
    "family \N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN} \N{GRINNING FACE}",
    "\N{HEBREW LETTER ALEF}\N{RIGHT-TO-LEFT OVERRIDE}abc",
    "line\nbreak\rand\x1b[31m bell\x07 null\x00",
    "lone \ud800 surrogate",
    "x" * 10_000,
    "",
)


def accuracy_of(shift, spread, classes):
    """Accuracy where favourability is ndtr(shift + spread * normal)."""
    u = ndtr(shift + spread * NODES)
    powers = u ** (np.asarray(classes, dtype=float)[:, None] - 1)
    return powers @ WEIGHTS / WEIGHTS.sum()


def make_curve(n_classes=20, shift=3.375, spread=0.864, **changes) -> AccuracyCurve:
    classes = np.arange(2, n_classes + 1)
    stderr = 0.017 * np.sqrt(classes / n_classes)
    stderr[-1] = np.nan
    fields: dict[str, Any] = {
        "classes": classes,
        "accuracy": accuracy_of(shift, spread, classes),
        "stderr": stderr,
        "covariance": np.full((classes.size, classes.size), np.nan),
        "n_samples": 1000,
        "n_classes": n_classes,
        "n_groups": n_classes,
        "ties": "random",
        "average": "macro",
        "top": 1,
        "largest_stderr": stderr[-2] if stderr.size > 1 else np.nan,
        "largest_stderr_classes": n_classes - 1,
    }
    return AccuracyCurve(**fields | changes)


def make_rows(tasks=((10, 20),), methods=None) -> tuple[BacktestRow, ...]:
    methods = methods or {
        "auto": (0.004, 0.021),
        "gaussian": (0.001, 0.019),
        "regression": (-0.018, 0.032),
        "kde-bcv": (0.022, 0.029),
        "kde-ucv": (0.031, 0.047),
    }
    return tuple(
        BacktestRow(
            method=name,
            from_classes=shown,
            to_classes=hidden,
            n_repeats=6,
            truth=0.933,
            prediction=0.933 + bias * hidden / shown / 2,
            bias=bias * hidden / shown / 2,
            rmse=rmse * hidden / shown / 2,
            coverage=0.9 if name == "auto" else None,
        )
        for shown, hidden in tasks
        for name, (bias, rmse) in methods.items()
    )


def make_backtest(**changes) -> Backtest:
    fields: dict[str, Any] = {
        "rows": make_rows(((5, 20), (10, 20))),
        "n_samples": 1000,
        "n_classes": 20,
        "confidence_level": 0.9,
        "random_state": 0,
        "ties": "random",
        "average": "macro",
        "top": 1,
    }
    return Backtest(**fields | changes)


def make_extrapolation(
    targets=(400, 10_000), n_classes=20, shift=3.375, spread=0.864, **changes
) -> Extrapolation:
    """Build a forecast of a mixture of four methods."""
    members = {
        "gaussian": (0.5, 0.0, 0.0),
        "regression": (0.3, -0.1, 0.12),
        "kde-bcv": (0.2, 0.1, -0.15),
        "kde-ucv": (0.0, 0.3, -0.3),
    }
    top = max(2 * n_classes, *targets)
    sizes = np.unique(np.geomspace(n_classes, top, 48).round().astype(int))
    both = np.concatenate([sizes, targets])
    said = {
        name: accuracy_of(shift + a, spread + b, both)
        for name, (_, a, b) in members.items()
    }
    mean = sum(members[name][0] * values for name, values in said.items())
    width = 0.03 + 0.07 * np.log10(both / n_classes)
    low, high = np.clip(mean - width, 0, 1), np.clip(mean + width, 0, 1)
    n = sizes.size
    u = 1 - np.concatenate([np.geomspace(1, 1e-6, 97), [0.0]])
    with np.errstate(invalid="ignore"):
        d = ndtr((ndtri(u) - shift) / spread)
    fields: dict[str, Any] = {
        "predictions": tuple(
            Prediction(
                classes=int(k),
                accuracy=float(mean[n + i]),
                low=float(low[n + i]),
                high=float(high[n + i]),
                chance=1 / k,
                is_far=k > 20 * n_classes,
            )
            for i, k in enumerate(targets)
        ),
        "observed": make_curve(n_classes, shift, spread),
        "observed_low": float(low[0]),
        "observed_high": float(high[0]),
        "curve": ForecastCurve(
            classes=sizes, accuracy=mean[:n], low=low[:n], high=high[:n]
        ),
        "methods": tuple(
            MethodForecast(
                name=name,
                role=MethodRole.PART if weight else MethodRole.COMPARED,
                weight=weight,
                targets=said[name][n:],
                curve=said[name][:n],
            )
            for name, (weight, _, _) in members.items()
        ),
        "backtest": make_rows(),
        "discriminability": Discriminability(u=u, d=d),
        "interval_kind": IntervalKind.POOLED,
        "n_samples": 1000,
        "n_classes": n_classes,
        "marginality": Marginality.UNKNOWN,
        "method": "auto",
        "settings": {},
        "ties": "random",
        "average": "macro",
        "top": 1,
        "confidence_level": 0.9,
        "random_state": 0,
    }
    return Extrapolation(**fields | changes)


def make_design_example() -> Extrapolation:
    """Build the example of DESIGN.md, section 3, number by number."""
    result = make_extrapolation()
    curve = replace(
        result.observed, accuracy=np.append(result.observed.accuracy[:-1], 0.933)
    )
    predictions = (
        Prediction(classes=400, accuracy=0.67, low=0.58, high=0.75, chance=0.0025),
        Prediction(
            classes=10_000,
            accuracy=0.41,
            low=0.22,
            high=0.60,
            chance=0.0001,
            is_far=True,
        ),
    )
    return replace(
        result,
        observed=curve,
        observed_low=0.902,
        observed_high=0.956,
        predictions=predictions,
    )


def make_hostile() -> Extrapolation:
    """Put hostile text everywhere that text can come from."""
    result = make_extrapolation()
    methods = tuple(
        replace(m, name=name)
        for m, name in zip(
            result.methods, ("$x_{$", "_hidden", HOSTILE[0], "x" * 10_000), strict=True
        )
    )
    rows = make_rows(methods=dict.fromkeys(HOSTILE, (0.01, 0.02)))
    return replace(
        result,
        notes=(
            Note(code=ScoreNote.SIMILAR_NAMES, names=HOSTILE[:14], count=7),
            Note(code=ScoreNote.ORDER_ASSUMED, names=HOSTILE[:2]),
        ),
        methods=methods,
        method=HOSTILE[0],
        backtest=rows,
        settings={HOSTILE[1]: HOSTILE[2]},
    )


@pytest.fixture
def make() -> SimpleNamespace:
    """Functions that make results."""
    return SimpleNamespace(
        extrapolation=make_extrapolation,
        design_example=make_design_example,
        hostile=make_hostile,
        backtest=make_backtest,
        curve=make_curve,
        rows=make_rows,
    )


@pytest.fixture
def forecast() -> Extrapolation:
    return make_extrapolation()


@pytest.fixture
def hostile_texts() -> tuple[str, ...]:
    return HOSTILE


@pytest.fixture
def provenance() -> dict[str, Any]:
    return {
        "command": "scorecast extrapolate scores.npz --to 400",
        "inputs": [{"path": "scores.npz", "sha256": "9f86" * 16, "bytes": 160128}],
        "date": "2026-11-15",
    }


@pytest.fixture
def no_matplotlib(monkeypatch) -> None:
    """Let every import of matplotlib fail, as where the extra is not installed."""
    for name in [n for n in sys.modules if n.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
