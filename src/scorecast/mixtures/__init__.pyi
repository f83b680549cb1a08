from .conditional import ConditionalMixture as ConditionalMixture
from .diagnostics import (
    LEAST_ESS_OF_SHORT_CHAINS as LEAST_ESS_OF_SHORT_CHAINS,
    MOST_RHAT as MOST_RHAT,
    MOST_RHAT_COMPONENTS as MOST_RHAT_COMPONENTS,
    Check as Check,
    Diagnostics as Diagnostics,
    Judged as Judged,
)
from .distributions import (
    KeptMixture as KeptMixture,
    SkewStudent as SkewStudent,
    SkewStudentMixture as SkewStudentMixture,
    log_half_normal_integral as log_half_normal_integral,
)
from .evidence import (
    LogEvidence as LogEvidence,
    ladder as ladder,
    log_evidence as log_evidence,
    thermodynamic_integral as thermodynamic_integral,
)
from .observations import Noise as Noise, Observations as Observations
from .posterior import MixturePosterior as MixturePosterior
from .prior import (
    Prior as Prior,
    sample_prior as sample_prior,
    sample_prior_means as sample_prior_means,
)
from .pro_gamma import ProGamma as ProGamma
from .sampler import Sampling as Sampling, sample_posterior as sample_posterior
from .univariate import (
    can_sample as can_sample,
    draw_prior_means as draw_prior_means,
    sample_short_chains as sample_short_chains,
)
