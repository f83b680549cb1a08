"""Whether a measured curve rises, and how sure its means are."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtr

from scorecast._core.types import FloatArray, IntArray

__all__ = ["repeat_variance", "slope_p"]


def slope_p(sizes: IntArray, scores: FloatArray, test_ratio: float) -> float:
    """Test whether scores grow with the logarithm of the size.

    Parameters
    ----------
    sizes : ndarray of shape (k,)
        Sizes.
    scores : ndarray of shape (k, r)
        Scores, more is better; a column per repeat.
    test_ratio : float
        Cases tested per case learned from, where repeats share cases.

    Returns
    -------
    float
        One-tailed; 0 or 1 where repeats all agree.
    """
    x = np.log(sizes.astype(float))
    x -= x.mean()
    slopes = x @ scores
    slope, repeats = float(slopes.mean()), slopes.size
    if repeats > 1:
        share = 1 / repeats + test_ratio / 2
        error, freedom = float(slopes.std(ddof=1)) * math.sqrt(share), repeats - 1
    else:
        y = scores[:, 0] - scores[:, 0].mean()
        rest = y - x * float(x @ y) / float(x @ x)
        freedom = x.size - 2
        error = math.sqrt(float(rest @ rest) / freedom * float(x @ x))
    if error <= 1e-12:  # nothing but rounding
        return 0.0 if slope > 1e-12 else 1.0
    return float(stdtr(freedom, -slope / error))


def repeat_variance(table: FloatArray) -> FloatArray:
    """Return the variance of one repeat at every size.

    Few repeats know their own variance badly: it leans on what all sizes share.

    Parameters
    ----------
    table : ndarray of shape (k, r)
        A column per repeat, at least two.

    Returns
    -------
    ndarray of shape (k,)
        Zero everywhere if no repeat differs from another.
    """
    repeats = table.shape[1]
    own = table.var(axis=1, ddof=1)
    found: FloatArray = ((repeats - 1) * own + 2 * own.mean()) / (repeats + 1)
    return found
