"""What is read is held to what its fields say: shares, and ends of intervals."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from scorecast._core.codec import decode, encode
from scorecast._core.result import SHARE
from scorecast.exceptions import InvalidInputError


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimate:
    """An estimate with its interval, once and along a curve."""

    share: float = field(metadata=SHARE)
    low: float
    high: float
    curve: NDArray[np.float64] = field(metadata=SHARE)
    survival_low: NDArray[np.float64]
    survival_high: NDArray[np.float64]
    bound: float | None = field(default=None, metadata=SHARE)


USUAL = {
    "share": 0.5,
    "low": -3.0,
    "high": 7.5,
    "curve": [0.0, 1.0, None],
    "survival_low": [0.1, 0.2],
    "survival_high": [0.1, 0.3],
    "bound": None,
}


def test_shares_and_intervals_come_back():
    found = decode(USUAL, Estimate)
    assert encode(found) == USUAL
    # What is there through rounding only is no fault.
    assert decode({**USUAL, "share": 1 + 1e-12}, Estimate).share > 1
    assert np.isnan(decode({**USUAL, "share": None, "low": None}, Estimate).share)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"share": 7.5}, "$.share"),
        ({"share": -0.01}, "$.share"),
        ({"share": "Infinity"}, "$.share"),
        ({"bound": 1.2}, "$.bound"),
        ({"curve": [0.0, 1.0, 1.5]}, "$.curve[2]"),
        ({"low": 8.0}, "$.low"),
        ({"survival_low": [0.1, 0.31]}, "$.survival_low[1]"),
    ],
)
def test_numbers_that_cannot_be_are_refused_with_their_place(change, place):
    with pytest.raises(InvalidInputError) as caught:
        decode({**USUAL, **change}, Estimate)
    assert caught.value.location.field == place
