from .conditional import ConditionalMixture as ConditionalMixture
from .diagnostics import (
    MOST_RHAT as MOST_RHAT,
    MOST_RHAT_COMPONENTS as MOST_RHAT_COMPONENTS,
    Check as Check,
    Diagnostics as Diagnostics,
    Judged as Judged,
)
from .ensemble import (
    can_sample as can_sample,
    sample_short_chains as sample_short_chains,
)
from .evidence import (
    Evidence as Evidence,
    ladder as ladder,
    log_evidence as log_evidence,
)
from .mixture import SkewStudentMixture as SkewStudentMixture
from .observations import Noise as Noise, Observations as Observations
from .posterior import MixturePosterior as MixturePosterior
from .prior import Prior as Prior
from .prior_predictive import (
    sample_prior as sample_prior,
    sample_prior_means as sample_prior_means,
)
from .pro_gamma import ProGamma as ProGamma
from .sampler import sample_posterior as sample_posterior
from .sampling import Sampling as Sampling
from .skew_student import (
    SkewStudent as SkewStudent,
    log_half_normal_integral as log_half_normal_integral,
)
