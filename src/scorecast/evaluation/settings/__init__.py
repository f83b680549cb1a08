"""What holds of models over many settings: data, metrics, splits, parameters."""

from scorecast.evaluation.settings.assess_settings import (
    Pooling,
    SettingsAssessment,
    SettingsNote,
    assess_settings,
)
from scorecast.evaluation.settings.design import DESIGNS, VARIED, Design
from scorecast.evaluation.settings.estimates import SettingEstimate
from scorecast.evaluation.settings.pooling import (
    POOLING,
    About,
    DifficultyGroup,
    Dominance,
    FactorEffect,
    PooledInterval,
    PoolingMethod,
    Relation,
)

__all__ = [
    "DESIGNS",
    "POOLING",
    "VARIED",
    "About",
    "Design",
    "DifficultyGroup",
    "Dominance",
    "FactorEffect",
    "PooledInterval",
    "Pooling",
    "PoolingMethod",
    "Relation",
    "SettingEstimate",
    "SettingsAssessment",
    "SettingsNote",
    "assess_settings",
]
