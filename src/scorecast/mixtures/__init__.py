"""Dirichlet mixtures of skew-Student distributions, in any number of dimensions.

The distribution, the hierarchical prior, a sampler of the posterior that lets the
number of components vary, and its diagnostics. Knows nothing of predictions.
"""

from __future__ import annotations

from scorecast.mixtures.conditional import ConditionalMixture
from scorecast.mixtures.diagnostics import Diagnostics
from scorecast.mixtures.evidence import Evidence, ladder, log_evidence
from scorecast.mixtures.mixture import SkewStudentMixture
from scorecast.mixtures.observations import Noise, Observations
from scorecast.mixtures.posterior import MixturePosterior
from scorecast.mixtures.prior import Prior
from scorecast.mixtures.prior_predictive import sample_prior, sample_prior_means
from scorecast.mixtures.pro_gamma import ProGamma
from scorecast.mixtures.sampler import sample_posterior
from scorecast.mixtures.sampling import Sampling
from scorecast.mixtures.skew_student import SkewStudent, log_half_normal_integral

__all__ = [
    "ConditionalMixture",
    "Diagnostics",
    "Evidence",
    "MixturePosterior",
    "Noise",
    "Observations",
    "Prior",
    "ProGamma",
    "Sampling",
    "SkewStudent",
    "SkewStudentMixture",
    "ladder",
    "log_evidence",
    "log_half_normal_integral",
    "sample_posterior",
    "sample_prior",
    "sample_prior_means",
]
