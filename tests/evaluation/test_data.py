"""Features and targets as they came: what is refused, and where it is said to be."""

import numpy as np
import pandas as pd
import pytest

from scorecast.evaluation import check_data
from scorecast.exceptions import InvalidInputError


def test_a_feature_whose_square_is_no_number_is_refused_by_its_name():
    X, y = np.zeros((6, 3)), np.arange(6) % 2
    X[2, 1] = -1e308
    told = r"'g2', row 3: -1e\+308 is too large"
    with pytest.raises(InvalidInputError, match=told):
        check_data(X, y, feature_names=["g1", "g2", "g3"])
    with pytest.raises(InvalidInputError, match=told):
        check_data(pd.DataFrame(X, columns=["g1", "g2", "g3"]), y)


def test_an_infinite_feature_is_refused_in_a_frame_too():
    X, y = np.zeros((6, 3)), np.arange(6) % 2
    X[2, 1] = np.inf
    with pytest.raises(InvalidInputError, match="infinite"):
        check_data(pd.DataFrame(X), y)


def test_a_missing_feature_is_left_to_the_model():
    X, y = np.zeros((6, 3)), np.arange(6) % 2
    X[2, 1] = np.nan
    assert np.isnan(check_data(X, y).X[2, 1])
