"""One-tailed tests of values of folds against those of a null setting.

All take errors: smaller is better, whatever the loss was.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace

import numpy as np
from scipy.special import stdtr

from scorecast._core.types import FloatArray, Json

__all__ = [
    "NullTest",
    "density_p",
    "drawn_test",
    "in_units",
    "null_test_from",
    "null_test_parts",
    "paired_test",
    "rank_p",
    "unknown",
]

_MOST_DRAWS = 10_000  # in a file


@dataclass(frozen=True, kw_only=True)
class NullTest:
    """How the model compares with one null setting.

    Attributes
    ----------
    setting : str
        The null setting.
    p : float
        One-tailed p-value of the t-test: small where the model is better.
    p_rank : float
        Share of draws of the null setting that are as good, the observed one counted;
        NaN where nothing was drawn.
    smallest_p : float
        Least value that `p_rank` can take with so many draws; NaN likewise.
    null_value : float
        Mean value of the loss in the null setting.
    gap : float
        By how much the model is better, in units of the loss.
    stderr : float
        Standard error of the gap.
    n_draws : int
        How often the null setting was drawn.
    note : str
        What the reader should know; often empty.
    observed : float
        Value of the model, as the draws are counted: the mean of its folds, or of
        all tests together.
    draws : tuple of float
        The same of every draw that did not fail: the null distribution. Empty where
        nothing was drawn, and in files that leave it out.
    """

    setting: str
    p: float
    p_rank: float
    smallest_p: float
    null_value: float
    gap: float
    stderr: float
    n_draws: int
    note: str = ""
    observed: float = math.nan
    draws: tuple[float, ...] = ()

    @property
    def worst_p(self) -> float:
        """The larger of the p-values that are known."""
        known = [p for p in (self.p, self.p_rank) if not math.isnan(p)]
        return max(known, default=math.nan)


def rank_p(observed: float, drawn: FloatArray) -> tuple[float, float]:
    """Return the share of draws as small as the observed, and the least possible.

    The observed value counts as a draw, so that the answer is never zero. A draw that
    is infinite is a draw, and worse; one that failed (NaN) counts as one that is as
    good: what is unknown is held against the model.

    Examples
    --------
    >>> perm = np.array([.5, .4, .3, .6, .45, .52, .38, .2])
    >>> [round(p, 4) for p in rank_p(0.3, perm)]
    [0.3333, 0.1111]
    """
    as_good = int((~(drawn > observed * (1 + 1e-12 * np.sign(observed)))).sum())
    return (1 + as_good) / (1 + drawn.size), 1 / (1 + drawn.size)


def density_p(observed: float, drawn: FloatArray) -> tuple[float, float]:
    """Return the permutation density of all folds at the observed mean (Eq. 2).

    Parameters
    ----------
    observed : float
        Mean error of the model.
    drawn : ndarray of shape (n_permutations, n_splits)
        Errors on permuted data.

    Returns
    -------
    tuple of float
        As a p-value with the observed counted, and the least possible one.
    """
    return rank_p(observed, drawn.ravel())


def drawn_test(
    setting: str,
    observed: FloatArray,
    drawn: FloatArray,
    test_ratio: float,
    own: tuple[float, int] | None = None,
) -> NullTest:
    """Compare values of folds with those of a null setting that was drawn repeatedly.

    The mean of the folds is known only up to its own error, corrected for the training
    cases that folds share, and if there were nothing to learn it would vary as the null
    means do: the larger of both spreads is used.

    Parameters
    ----------
    setting : str
        The null setting.
    observed : ndarray of shape (n_splits,)
        Errors of the model; NaN where undefined.
    drawn : ndarray of shape (n_draws, n_splits)
        Errors in the null setting.
    test_ratio : float
        Cases tested per case learned from.
    own : tuple of float and int, optional
        Variance of the mean and its degrees of freedom, where it does not come from
        the spread of folds.

    Returns
    -------
    NullTest
        p-values and what they rest on.
    """
    if np.isinf(observed).any():
        return unknown(setting, _infinite(observed))
    known = observed[np.isfinite(observed)]
    every = _row_means(drawn)
    # An infinite draw has its rank, but neither a mean nor a spread. Without it the
    # null looks better, so that the t-test errs on the safe side.
    means = every[np.isfinite(every)]
    if known.size < 1 or means.size < 2:
        return unknown(setting, "too few values to compare")
    mean, null = float(known.mean()), float(means.mean())
    spread = _variance(known) * (1 / known.size + test_ratio)
    variance, free = (spread, known.size - 1) if own is None else own
    between = _variance(means)
    degrees = free if variance >= between else means.size - 1
    stderr = math.sqrt(max(variance, between) + between / means.size)
    share, least = rank_p(mean, every)
    # Without any spread there is no t; the rank has to decide.
    t_test = _one_tailed(null - mean, stderr, max(degrees, 1)) if stderr else math.nan
    return NullTest(
        setting=setting,
        p=t_test,
        p_rank=share,
        smallest_p=least,
        null_value=null,
        gap=null - mean,
        stderr=stderr,
        n_draws=every.size,
        note=""
        if means.size == every.size
        else f"{every.size - means.size} infinite draws count in the rank only",
        observed=mean,
        draws=tuple(every.tolist()),
    )


def paired_test(
    setting: str, observed: FloatArray, other: FloatArray, test_ratio: float
) -> NullTest:
    """Compare two models on the same folds by the corrected resampled t-test.

    Parameters
    ----------
    setting : str
        The other model.
    observed, other : ndarray of shape (n_splits,)
        Errors of the model and of the other one.
    test_ratio : float
        Cases tested per case learned from.

    Returns
    -------
    NullTest
        Without a rank: nothing is drawn.
    """
    if np.isinf(observed).any():
        return unknown(setting, _infinite(observed))
    both = np.isfinite(observed) & np.isfinite(other)
    if both.sum() < 2:
        return unknown(setting, "too few values to compare")
    gaps = other[both] - observed[both]
    gap, spread = float(gaps.mean()), _variance(gaps)
    stderr = math.sqrt(spread * (1 / gaps.size + test_ratio))
    note = ""
    if stderr > 0:
        p = _one_tailed(gap, stderr, gaps.size - 1)
    else:
        # Every fold says the same: a sign test is all that is left.
        p = 0.5**gaps.size if gap > 0 else 1.0
        note = "all folds differ alike: sign test of the folds"
    return NullTest(
        setting=setting,
        p=p,
        p_rank=math.nan,
        smallest_p=math.nan,
        null_value=float(other[both].mean()),
        gap=gap,
        stderr=stderr,
        n_draws=1,
        note=note,
        observed=float(observed[both].mean()),
    )


def _row_means(drawn: FloatArray) -> FloatArray:
    rows = drawn[~np.isnan(drawn).all(axis=1)]
    means: FloatArray = np.nanmean(rows, axis=1) if rows.size else np.empty(0)
    return means


def _infinite(observed: FloatArray) -> str:
    return f"{int(np.isinf(observed).sum())} of {observed.size} splits are infinite"


def _variance(values: FloatArray) -> float:
    if values.size < 2 or np.ptp(values) <= 1e-12 * np.abs(values).max():
        return 0.0
    return float(np.var(values, ddof=1))


def _one_tailed(gap: float, stderr: float, degrees: int) -> float:
    return float(stdtr(degrees, -gap / stderr))


def in_units(test: NullTest, sign: float) -> NullTest:
    """Turn values back into those of the loss.

    Parameters
    ----------
    test : NullTest
        Of errors.
    sign : float
        -1 where greater is better, else 1.

    Returns
    -------
    NullTest
        Gaps stay: they say by how much the model is better.
    """
    if sign > 0:
        return test
    return replace(
        test,
        null_value=0.0 - test.null_value,
        observed=0.0 - test.observed,
        # Adding nought turns minus nought into nought.
        draws=tuple(0.0 - x for x in test.draws),
    )


def null_test_parts(test: NullTest) -> Json:
    """Return plain values; more than 10,000 draws are left out."""
    few = len(test.draws) <= _MOST_DRAWS
    return {**asdict(test), "draws": list(test.draws) if few else []}


def null_test_from(row: Json) -> NullTest:
    """Rebuild from `null_test_parts`; files of old may lack the draws."""
    words = {"setting", "note", "n_draws"}
    facts: Json = {
        k: v if k in words else _float(v) for k, v in row.items() if k != "draws"
    }
    return NullTest(**facts, draws=tuple(_float(x) for x in row.get("draws", ())))


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)


def unknown(setting: str, note: str) -> NullTest:
    """Say that a test cannot be made, and why."""
    nan = math.nan
    return NullTest(
        setting=setting, p=nan, p_rank=nan, smallest_p=nan, null_value=nan,
        gap=nan, stderr=nan, n_draws=0, note=note,
    )  # fmt: skip
