"""Numbers that only rounding tells apart."""

import numpy as np
import pytest

from scorecast._core.rounding import steady


@pytest.mark.parametrize("power", [-9, -3, 0, 2, 8])
def test_one_decimal_number_is_one_float_at_any_scale(power):
    written = np.array([float(f"{digits}e{power}") for digits in (0.3, 0.7, 1.23, 9.1)])
    nearly = written * (1 + np.array([2, -3, 1, -2]) * np.finfo(float).eps)
    for scale in (1.0, 30.0, 1e3):
        found = steady(nearly, np.array([scale * 10.0**power]))
        assert found.tolist() == written.tolist()


def test_the_twelfth_digit_of_the_scale_is_kept_and_the_thirteenth_is_not():
    values = np.array([0.5, 0.5 + 1e-12, 0.5 + 1e-13])
    first, twelfth, thirteenth = steady(values, np.array([1.0]))
    assert first == thirteenth
    assert twelfth > first
