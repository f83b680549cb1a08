"""Dirichlet mixtures of skew-Student distributions, in any number of dimensions.

The distribution, the hierarchical prior, a sampler of the posterior that lets the
number of components vary, and its diagnostics. Knows nothing of predictions.
"""

from __future__ import annotations

from scorecast.mixtures.diagnostics import Diagnostics
from scorecast.mixtures.mixture import SkewStudentMixture
from scorecast.mixtures.posterior import MixturePosterior
from scorecast.mixtures.prior import Prior
from scorecast.mixtures.pro_gamma import ProGamma
from scorecast.mixtures.sampler import Sampling, sample_posterior
from scorecast.mixtures.skew_student import SkewStudent, log_half_normal_integral

__all__ = [
    "Diagnostics",
    "MixturePosterior",
    "Prior",
    "ProGamma",
    "Sampling",
    "SkewStudent",
    "SkewStudentMixture",
    "log_half_normal_integral",
    "sample_posterior",
]
