"""Question one: how it will do with many more classes."""

# Methods are imported in the order of help, comparisons and random streams.
# isort: off
from scorecast.extrapolation.regression import Regression
from scorecast.extrapolation.gaussian import Gaussian
from scorecast.extrapolation.bayesian import Bayesian
from scorecast.extrapolation.kde import FixedKde, Kde, kernel_favourability
from scorecast.extrapolation.spline import Spline
from scorecast.extrapolation.polynomial import Polynomial
from scorecast.extrapolation.tail import Objection, Tail, TailLaw
from scorecast.extrapolation.likelihood import PseudoLikelihood
from scorecast.extrapolation.auto import Auto, Pooling, PoolPart

# isort: on
from scorecast.extrapolation.backtest import Backtest, BacktestRow, backtest
from scorecast.extrapolation.bandwidths import (
    BANDWIDTH_RULES,
    bandwidth,
    wrong_class_bandwidths,
)
from scorecast.extrapolation.extrapolate import extrapolate
from scorecast.extrapolation.extrapolator import (
    EXTRAPOLATORS,
    Extrapolator,
    Fit,
    Law,
    RankExtrapolator,
)
from scorecast.extrapolation.forecast import (
    BandwidthForecast,
    Discriminability,
    Extrapolation,
    ForecastCurve,
    MeasureForecast,
    MethodForecast,
    MethodRole,
    Prediction,
    Reach,
    observed_band,
)
from scorecast.extrapolation.intervals import IntervalKind, perfect_bound
from scorecast.extrapolation.measures import (
    MatchCurve,
    MeasureCurve,
    MeasurePrediction,
)
from scorecast.extrapolation.notes import FAR, ForecastNote, note_text, objection_text
from scorecast.extrapolation.observed import ObservedClasses, RankHistogram
from scorecast.extrapolation.planning import RequiredClasses, required_classes
from scorecast.extrapolation.points import (
    CURVE_METHODS,
    CurveExtrapolation,
    CurveMethod,
    CurveNote,
    PointDesign,
    PublishedCurve,
    curve_note_text,
    extrapolate_curve,
)
from scorecast.extrapolation.recognisers import (
    Crossing,
    RecogniserComparison,
    RecogniserDifference,
)
from scorecast.extrapolation.risk import (
    RISK_METHODS,
    CostInterval,
    RiskExtrapolation,
    RiskFactor,
    RiskPrediction,
)

__all__ = [
    "BANDWIDTH_RULES",
    "CURVE_METHODS",
    "EXTRAPOLATORS",
    "FAR",
    "RISK_METHODS",
    "Auto",
    "Backtest",
    "BacktestRow",
    "BandwidthForecast",
    "Bayesian",
    "CostInterval",
    "Crossing",
    "CurveExtrapolation",
    "CurveMethod",
    "CurveNote",
    "Discriminability",
    "Extrapolation",
    "Extrapolator",
    "Fit",
    "FixedKde",
    "ForecastCurve",
    "ForecastNote",
    "Gaussian",
    "IntervalKind",
    "Kde",
    "Law",
    "MatchCurve",
    "MeasureCurve",
    "MeasureForecast",
    "MeasurePrediction",
    "MethodForecast",
    "MethodRole",
    "Objection",
    "ObservedClasses",
    "PointDesign",
    "Polynomial",
    "PoolPart",
    "Pooling",
    "Prediction",
    "PseudoLikelihood",
    "PublishedCurve",
    "RankExtrapolator",
    "RankHistogram",
    "Reach",
    "RecogniserComparison",
    "RecogniserDifference",
    "Regression",
    "RequiredClasses",
    "RiskExtrapolation",
    "RiskFactor",
    "RiskPrediction",
    "Spline",
    "Tail",
    "TailLaw",
    "backtest",
    "bandwidth",
    "curve_note_text",
    "extrapolate",
    "extrapolate_curve",
    "kernel_favourability",
    "note_text",
    "objection_text",
    "observed_band",
    "perfect_bound",
    "required_classes",
    "wrong_class_bandwidths",
]
