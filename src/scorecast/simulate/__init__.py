"""Data with a known truth: `sc.simulate`.

`classification` makes samples with labels, `regression` with numbers to predict,
`biclusters` matrices with hidden biclusters, `recognition` recognition tasks whose
accuracy is known at every number of classes, `forecasts` forecasts that know a stated
amount, and `survival` times until an event whose covariates tell a stated amount. Each
returns the data, the truth, the options and the seed, and saves the truth beside the
data.
"""

from scorecast.simulate.bayes_error import BayesError, BayesErrorKind
from scorecast.simulate.biclusters import (
    PLANTED_PATTERNS,
    PUBLISHED_SIZES,
    BiclusterData,
    BiclusterTruth,
    PlantedBicluster,
    PlantedPattern,
    biclusters,
)
from scorecast.simulate.bivariate import BivariateNormal
from scorecast.simulate.classification import (
    ClassificationData,
    ClassificationTruth,
    Correlation,
    LocalPatterns,
    class_shares,
    class_sizes,
    classification,
)
from scorecast.simulate.distributions import (
    DISTRIBUTIONS,
    SKEWS,
    Component,
    Distribution,
    Normal,
    Poisson,
    Skew,
    SkewMethod,
    Uniform,
)
from scorecast.simulate.forecasts import (
    FORECASTERS,
    ForecastData,
    Forecaster,
    ForecastTruth,
    forecasts,
)
from scorecast.simulate.measurement import Measurement
from scorecast.simulate.population import Mixing
from scorecast.simulate.recognition import (
    POPULATIONS,
    CentrePopulation,
    GaussianClasses,
    IsotropicClasses,
    RecognitionData,
    RecognitionTruth,
    recognition,
)
from scorecast.simulate.regression import (
    RegressionData,
    RegressionTruth,
    regression,
)
from scorecast.simulate.simulation import (
    SIMULATORS,
    Factor,
    Simulation,
    Simulator,
    truth_path,
)
from scorecast.simulate.survival import (
    CENSORINGS,
    TIME_LAWS,
    Censoring,
    SurvivalCohort,
    SurvivalTruth,
    TimeLaw,
    survival,
)

__all__ = [
    "CENSORINGS",
    "DISTRIBUTIONS",
    "FORECASTERS",
    "PLANTED_PATTERNS",
    "POPULATIONS",
    "PUBLISHED_SIZES",
    "SIMULATORS",
    "SKEWS",
    "TIME_LAWS",
    "BayesError",
    "BayesErrorKind",
    "BiclusterData",
    "BiclusterTruth",
    "BivariateNormal",
    "Censoring",
    "CentrePopulation",
    "ClassificationData",
    "ClassificationTruth",
    "Component",
    "Correlation",
    "Distribution",
    "Factor",
    "ForecastData",
    "ForecastTruth",
    "Forecaster",
    "GaussianClasses",
    "IsotropicClasses",
    "LocalPatterns",
    "Measurement",
    "Mixing",
    "Normal",
    "PlantedBicluster",
    "PlantedPattern",
    "Poisson",
    "RecognitionData",
    "RecognitionTruth",
    "RegressionData",
    "RegressionTruth",
    "Simulation",
    "Simulator",
    "Skew",
    "SkewMethod",
    "SurvivalCohort",
    "SurvivalTruth",
    "TimeLaw",
    "Uniform",
    "biclusters",
    "class_shares",
    "class_sizes",
    "classification",
    "forecasts",
    "recognition",
    "regression",
    "survival",
    "truth_path",
]
