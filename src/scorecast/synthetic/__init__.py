"""Data with a known truth, for tests, documentation and benchmarks."""

from scorecast.synthetic.bivariate import BivariateNormal
from scorecast.synthetic.populations import GaussianClasses

__all__ = ["BivariateNormal", "GaussianClasses"]
