"""Shared by the tests of information."""

import numpy as np
import pytest


@pytest.fixture
def dense():
    """The whole matrix of a residual covariance, from its parts."""

    def whole(covariance):
        if covariance.standard is None:
            unit = covariance.factor @ covariance.factor.T
        else:
            unit = covariance.standard.T @ covariance.standard
            unit *= 1 - covariance.weight
            unit[np.diag_indices_from(unit)] += covariance.weight
        return unit * np.outer(covariance.spread, covariance.spread)

    return whole
