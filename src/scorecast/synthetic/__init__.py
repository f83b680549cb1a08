"""Data with a known truth: `sc.simulate`.

`labelled` makes cases with labels, `biclusters` matrices with hidden biclusters,
`classes` recognition tasks whose accuracy is known at every number of classes, and
`forecasts` forecasts that know a stated amount. Each returns the data, the truth, the
options and the seed, and saves the truth beside the data.
"""

from scorecast.synthetic.bayes_error import BayesError
from scorecast.synthetic.bicluster_data import (
    TABLE_6,
    BiclusterData,
    BiclusterTruth,
    biclusters,
)
from scorecast.synthetic.bivariate import BivariateNormal
from scorecast.synthetic.case_population import MIXINGS
from scorecast.synthetic.class_data import ClassData, ClassTruth, classes
from scorecast.synthetic.class_distributions import DISTRIBUTIONS
from scorecast.synthetic.components import Component, Normal, Poisson, Uniform
from scorecast.synthetic.forecast_data import (
    FORECASTERS,
    ForecastData,
    ForecastTruth,
    forecasts,
)
from scorecast.synthetic.labelled_data import LabelledData, LabelledTruth, labelled
from scorecast.synthetic.patterns import PATTERNS, PlantedBicluster
from scorecast.synthetic.populations import (
    POPULATIONS,
    GaussianClasses,
    IsotropicClasses,
)
from scorecast.synthetic.simulated import Simulated, truth_path
from scorecast.synthetic.skew import SKEWS

__all__ = [
    "DISTRIBUTIONS",
    "FORECASTERS",
    "MIXINGS",
    "PATTERNS",
    "POPULATIONS",
    "SKEWS",
    "TABLE_6",
    "BayesError",
    "BiclusterData",
    "BiclusterTruth",
    "BivariateNormal",
    "ClassData",
    "ClassTruth",
    "Component",
    "ForecastData",
    "ForecastTruth",
    "GaussianClasses",
    "IsotropicClasses",
    "LabelledData",
    "LabelledTruth",
    "Normal",
    "PlantedBicluster",
    "Poisson",
    "Simulated",
    "Uniform",
    "biclusters",
    "classes",
    "forecasts",
    "labelled",
    "truth_path",
]
