"""Question one: how it will do with many more classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scorecast.classes.backtest import DEFAULT_METHODS, Backtest, backtest
from scorecast.classes.backtest_row import BacktestRow
from scorecast.classes.extrapolate import extrapolate
from scorecast.classes.extrapolation import (
    Extrapolation,
    ForecastCurve,
    MethodForecast,
    Prediction,
)
from scorecast.classes.methods import METHODS, make_method
from scorecast.classes.risk import RISK_METHODS, extrapolate_risk
from scorecast.classes.risk_extrapolation import RiskExtrapolation, RiskPrediction

if TYPE_CHECKING:
    from scorecast.classes.extrapolators import (
        AutoExtrapolator,
        BayesianExtrapolator,
        GaussianExtrapolator,
        KdeExtrapolator,
        PolynomialExtrapolator,
        RegressionExtrapolator,
        SplineExtrapolator,
    )

__all__ = [
    "DEFAULT_METHODS",
    "METHODS",
    "RISK_METHODS",
    "AutoExtrapolator",
    "Backtest",
    "BacktestRow",
    "BayesianExtrapolator",
    "Extrapolation",
    "ForecastCurve",
    "GaussianExtrapolator",
    "KdeExtrapolator",
    "MethodForecast",
    "PolynomialExtrapolator",
    "Prediction",
    "RegressionExtrapolator",
    "RiskExtrapolation",
    "RiskPrediction",
    "SplineExtrapolator",
    "backtest",
    "extrapolate",
    "extrapolate_risk",
    "make_method",
]


def __getattr__(name: str) -> Any:
    # The estimators bring scikit-learn along, which the rest does without.
    if name.endswith("Extrapolator"):
        from scorecast.classes import extrapolators

        return getattr(extrapolators, name)
    msg = f"module 'scorecast.classes' has no attribute {name!r}"
    raise AttributeError(msg)
