"""What holds of models over many settings: data, metrics, splits, parameters."""

from scorecast.evaluation.settings.assess_settings import (
    SettingsAssessment,
    SettingsNote,
    SettingsPooling,
    assess_settings,
)
from scorecast.evaluation.settings.collected import (
    COLLECTIONS,
    Collection,
    SettingParts,
    SettingRecall,
    SettingTest,
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
    "COLLECTIONS",
    "DESIGNS",
    "POOLING",
    "VARIED",
    "About",
    "Collection",
    "Design",
    "DifficultyGroup",
    "Dominance",
    "FactorEffect",
    "PooledInterval",
    "PoolingMethod",
    "Relation",
    "SettingEstimate",
    "SettingParts",
    "SettingRecall",
    "SettingTest",
    "SettingsAssessment",
    "SettingsNote",
    "SettingsPooling",
    "assess_settings",
]
