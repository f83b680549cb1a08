"""What holds of models over many settings: data, losses, sampling, parameters."""

from scorecast.guarantees.settings.assess_settings import assess_settings
from scorecast.guarantees.settings.design import DESIGNS
from scorecast.guarantees.settings.difficulty import DifficultyGroup
from scorecast.guarantees.settings.estimate import SettingEstimate
from scorecast.guarantees.settings.factor_views import FactorView
from scorecast.guarantees.settings.pooling import SettingBound
from scorecast.guarantees.settings.result import SettingsAssessment
from scorecast.guarantees.settings.superiority import Superiority

__all__ = [
    "DESIGNS",
    "DifficultyGroup",
    "FactorView",
    "SettingBound",
    "SettingEstimate",
    "SettingsAssessment",
    "Superiority",
    "assess_settings",
]
