"""Whether a fitted density describes the data, and samples that it has not seen.

Draws of the density are compared with the data by energy distance and maximum mean
discrepancy. Both are quadratic forms w' M w of a matrix of pairs, where w is 1/n on the
first sample and -1/m on the second: a permutation only changes w, so that all of them
are one matrix product.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import (
    check_count,
    check_flag,
    check_matrix,
    check_n_jobs,
    check_share,
    check_times,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import map_tasks, one_blas_thread
from scorecast._core.progress import say_unless_over
from scorecast._core.registry import Method, Registry
from scorecast._core.result import INPUT, OPTION, SHARE, Note, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import BoolArray, FloatArray, IntArray, RandomState
from scorecast.evaluation.intervals import corrected_t, normal, student
from scorecast.evaluation.multiple_testing import adjust_p_values
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

_LEAST = 5  # samples to fit, and to test
_FEW = 5  # values of a feature that is a code rather than a measurement
_ENOUGH = 30  # samples from which that can be told
_REFITS, _SHUFFLES = 99, 199  # unless a level asks for more
_SPLITS = 5  # of a density that is fitted here
_DRAWS = 5  # for every sample, as far as that is not too many
_AS_FAR = 20  # refits as far off, after which no more are needed
_BLOCK = 25  # refits between two looks
_MOST_FAILED = 0.2  # of all refits
_LONGEST_FAILURE = 100  # letters of what an estimator says
_AT_ONCE = 64  # permutations per product


# Statistics ------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class DensityStatistic(Method):
    """A distance between two samples.

    Attributes
    ----------
    form : callable
        From distances of all pairs to the matrix whose quadratic form it is.
    """

    form: Callable[[FloatArray], FloatArray]


DENSITY_STATISTICS: Registry[DensityStatistic] = Registry()
DENSITY_STATISTICS.add(
    DensityStatistic(
        name="energy",
        title="energy distance",
        summary="distances between the samples less those within them",
        reference="G. J. Szekely and M. L. Rizzo (2013). Energy statistics: a class of "
        "statistics based on distances. Journal of Statistical Planning and Inference "
        "143.",
        form=lambda between: -between,
    )
)


def _gaussian_kernel(between: FloatArray) -> FloatArray:
    # The median of pooled distances: the same for every permutation.
    upper = between[np.triu_indices(between.shape[0], 1)]
    positive = upper[upper > 0]
    width = float(np.median(positive)) if positive.size else 1.0
    kernel: FloatArray = np.exp(-(between**2) / (2 * width**2))
    return kernel


DENSITY_STATISTICS.add(
    DensityStatistic(
        name="mmd",
        title="maximum mean discrepancy",
        summary="with a Gaussian kernel of the median distance, squared",
        reference="A. Gretton, K. M. Borgwardt, M. J. Rasch, B. Schoelkopf and A. "
        "Smola (2012). A kernel two-sample test. Journal of Machine Learning Research "
        "13.",
        form=_gaussian_kernel,
    )
)


def pair_distances(points: FloatArray) -> FloatArray:
    """Return Euclidean distances of all pairs of rows."""
    squares = (points**2).sum(axis=1)
    between = squares[:, None] + squares[None, :] - 2 * (points @ points.T)
    np.fill_diagonal(between, 0.0)
    result: FloatArray = np.sqrt(np.maximum(between, 0.0))
    return result


def two_sample_p(
    between: FloatArray,
    n_first: int,
    statistic: str,
    *,
    n_permutations: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return a statistic, and the share of assignments to samples that is as large.

    The first `n_first` rows of the distances are the first sample; the real assignment
    is counted.
    """
    form = DENSITY_STATISTICS[statistic].form(between)
    labels = np.arange(between.shape[0]) < n_first
    observed = float(_quadratic(form, labels[None, :])[0])
    n_as_large, left = 1, n_permutations
    slack = 1e-10 * float(np.abs(form).max())
    while left > 0:
        batch = np.tile(labels, (min(left, _AT_ONCE), 1))
        drawn = _quadratic(form, rng.permuted(batch, axis=1))
        n_as_large += int((drawn >= observed - slack).sum())
        left -= batch.shape[0]
    return observed, n_as_large / (1 + n_permutations)


def _quadratic(form: FloatArray, is_first: BoolArray) -> FloatArray:
    """Return the statistic for every row of assignments."""
    n = is_first.sum(axis=1, keepdims=True)
    weights = np.where(is_first, 1.0 / n, -1.0 / (is_first.shape[1] - n))
    values: FloatArray = np.einsum("ij,ij->i", weights @ form, weights)
    return values


# Results ---------------------------------------------------------------------------


class DensityNote(StrEnum):
    """Codes of what the reader of a test must know."""

    SAMPLES_LEFT_OUT = "samples-left-out"
    IMPOSSIBLE_SAMPLES = "impossible-samples"
    REFITS_FAILED = "refits-failed"
    CODED_FEATURES = "coded-features"


@dataclass(frozen=True, kw_only=True)
class TwoSampleTest:
    """One test of samples against draws of the density.

    Attributes
    ----------
    statistic : str
        One of `DENSITY_STATISTICS`.
    value : float
        Energy distance, or squared maximum mean discrepancy.
    p_value : float
        Small where the density is wrong: the share of refits to draws of its own, or of
        permutations where it came fitted, that lie as far apart.
    min_p_value : float
        Least value it can take.
    """

    statistic: str
    value: float
    p_value: float = field(metadata=SHARE)
    min_p_value: float = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DensityTest(Result):
    """Whether a density describes samples it has not seen.

    Attributes
    ----------
    n_fitted : int
        Samples that each split fits it to; 0 if it came fitted.
    n_tested, n_draws : int
        Samples, and draws, that were compared by the tests: all samples where p allows
        for the fit, else those held out.
    n_features : int
        Number of features.
    n_splits : int
        Splits into samples to fit and samples held out, over which the log-likelihood
        is averaged; 1 where nothing was fitted.
    density : str
        Name of the class, with the parameters of an estimator.
    confidence_level, alpha : float
        Of intervals, and of the tests together.
    seed : int or None
        The random state, where it was a number.
    n_permutations : int
        Permutations of each test; 0 where samples were fitted anew.
    standardize : bool
        Whether features were divided by their pooled standard deviation.
    tests : tuple of TwoSampleTest
        One per statistic.
    p_value : float
        The smaller p-value, times the number of tests.
    is_rejected : bool
        Whether a test rejects the density, allowing for their number.
    log_likelihood, low, high : float
        Mean log-density of held-out samples in nats per sample, with its interval; NaN
        if the density gives none.
    gain, gain_low, gain_high : float
        The same beyond independent normals fitted to the same samples.
    n_impossible : int
        Held-out samples of density 0; with any, the log-likelihood is minus infinity.
    n_refits : int
        Samples that were drawn from the density fitted to all samples and fitted anew,
        for p; 0 where p is of permutations, about the density as it is.
    n_failed : int
        Further draws that could not be fitted, or whose fit did not converge though
        that of the data did; they are left out of p, and others drawn for them.
    first_failure : str
        What the estimator said of the first of these.
    notes : tuple of Note
        Codes of `DensityNote`.
    """

    kind: ClassVar[str] = "density-test"

    n_fitted: int = field(metadata=INPUT)
    n_tested: int = field(metadata=INPUT)
    n_draws: int = field(metadata=INPUT)
    n_features: int = field(metadata=INPUT)
    n_splits: int = field(metadata=INPUT)
    density: str = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    alpha: float = field(metadata=OPTION | SHARE)
    seed: int | None = field(metadata=OPTION)
    n_permutations: int = field(metadata=OPTION)
    standardize: bool = field(metadata=OPTION)
    tests: tuple[TwoSampleTest, ...]
    p_value: float = field(metadata=SHARE)
    is_rejected: bool
    log_likelihood: float
    low: float
    high: float
    gain: float
    gain_low: float
    gain_high: float
    n_impossible: int
    n_refits: int
    n_failed: int
    first_failure: str
    notes: tuple[Note, ...]

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per test."""
        names = ("statistic", "value", "p_value", "min_p_value")
        return {name: [getattr(x, name) for x in self.tests] for name in names}


@dataclass(frozen=True, kw_only=True)
class DensityPair:
    """The difference of two densities in held-out log-likelihood.

    Attributes
    ----------
    a, b : str
        The densities.
    difference, low, high : float
        Mean log-density of held-out samples in nats per sample, `a` less `b`, with the
        interval of this pair alone; NaN where both give a sample density 0.
    p_value, p_adjusted : float
        Two-sided p-value of a t-test over samples, and the same adjusted for all pairs
        after Holm; NaN where it is unknown.
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    p_value: float = field(metadata=SHARE)
    p_adjusted: float = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DensityComparison(Result):
    """Several densities of the same samples.

    Attributes
    ----------
    densities : tuple of str
        Their names, in the order given.
    confidence_level, alpha : float
        Of intervals, and of all tests together.
    seed : int or None
        The random state, where it was a number.
    order : tuple of str
        The densities from the highest held-out log-likelihood to the lowest.
    best : str
        The first of them.
    rejected : tuple of str
        Densities that are rejected, allowing for the tests of all (Holm).
    tests : dict of str to DensityTest
        The test of each.
    pairs : tuple of DensityPair
        All pairs.
    """

    kind: ClassVar[str] = "density-comparison"

    densities: tuple[str, ...] = field(metadata=INPUT)
    confidence_level: float = field(metadata=OPTION | SHARE)
    alpha: float = field(metadata=OPTION | SHARE)
    seed: int | None = field(metadata=OPTION)
    order: tuple[str, ...]
    best: str
    rejected: tuple[str, ...]
    tests: dict[str, DensityTest]
    pairs: tuple[DensityPair, ...]

    def beats(self, a: str, b: str) -> bool:
        """Tell whether a density is told apart from another, as the more likely."""
        for pair in self.pairs:
            if {pair.a, pair.b} == {a, b}:
                gap = pair.difference if pair.a == a else -pair.difference
                return pair.p_adjusted <= self.alpha + 1e-12 and gap > 0
        return False

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per pair."""
        rows = [vars(pair) for pair in self.pairs]
        return {name: [row[name] for row in rows] for name in rows[0]}


# Functions -------------------------------------------------------------------------


@checked_keywords
def density_test(
    density: Any,
    X: ArrayLike,
    *,
    prefit: bool = False,
    as_fitted: bool = False,
    test_size: float = 0.5,
    n_splits: int | None = None,
    n_refits: int | None = None,
    n_permutations: int | None = None,
    max_samples: int = 1000,
    standardize: bool = True,
    confidence_level: float = 0.95,
    alpha: float = 0.05,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> DensityTest:
    r"""Test whether a density describes the data, and what it gives to held-out ones.

    Draws :math:`Y` of the density are compared with samples :math:`X` by the energy
    distance [1]_

    .. math:: 2 E|X - Y| - E|X - X'| - E|Y - Y'|

    and the maximum mean discrepancy [2]_. A fitted density is never quite right, were
    its family the right one: it is rejected if it lies farther from the samples than it
    would on data of its own. Data are drawn from the density fitted to all samples,
    fitted anew and compared like the real ones (parametric bootstrap [3]_), until 20 of
    them lie as far off [4]_. A density that came fitted, or `as_fitted`, is held
    against samples it has not seen as it is, by permutations. The log-likelihood is of
    samples held out, always.

    Parameters
    ----------
    density : object
        With ``fit`` and ``sample`` (as scikit-learn's GaussianMixture and
        KernelDensity) and perhaps ``score_samples``; or a frozen distribution of SciPy
        with ``rvs`` and ``logpdf``; or a function ``draw(n, rng)``. The last two count
        as fitted.
    X : array-like of shape (n_samples, n_features)
        The samples.
    prefit : bool, default=False
        Whether the density was fitted to other samples: then all of `X` is tested.
    as_fitted : bool, default=False
        Whether the question is about the density as it was fitted to one part of the
        samples, errors of that fit included: exact, and rejects the right family, too,
        where samples are few. One split.
    test_size : float, default=0.5
        Share of the samples that is held out.
    n_splits : int, optional
        Random splits that the log-likelihood is averaged over; 5 by default where the
        density is fitted here.
    n_refits : int, optional
        Most data sets that are drawn and fitted anew, 99 by default; fewer are where 20
        of them lie as far off before. As many at least as let one of both tests reject,
        39 at an `alpha` of 0.05. Those that cannot be fitted, or do not converge
        (``converged_``) though the data do, are left out, counted, and replaced.
    n_permutations : int, optional
        Permutations of each test where nothing is fitted anew, 199 by default; 39 at
        least, as above.
    max_samples : int, default=1000
        Most held-out samples, and draws, that are compared; others are left out at
        random, of the tests only.
    standardize : bool, default=True
        Whether features are divided by their pooled standard deviation first.
    confidence_level : float, default=0.95
        Level of intervals.
    alpha : float, default=0.05
        Level of the tests together.
    random_state : int, Generator or None, default=0
        Seed of everything.
    n_jobs : int, optional
        Workers that fit anew; the answer does not depend on it.

    Returns
    -------
    DensityTest
        Two tests, and the log-likelihood of held-out samples where the density has one.

    Raises
    ------
    UsageError
        If what is given is no density, or cannot be fitted.
    InsufficientDataError
        If there are too few samples, or more than a fifth of the data sets that are
        drawn from the density cannot be fitted.

    References
    ----------
    .. [1] G. J. Szekely and M. L. Rizzo (2013). Energy statistics: a class of
       statistics based on distances. Journal of Statistical Planning and Inference 143.
    .. [2] A. Gretton, K. M. Borgwardt, M. J. Rasch, B. Schoelkopf and A. Smola (2012).
       A kernel two-sample test. Journal of Machine Learning Research 13.
    .. [3] W. Stute, W. Gonzalez Manteiga and M. Presedo Quindimil (1993). Bootstrap
       based goodness-of-fit tests. Metrika 40.
    .. [4] J. Besag and P. Clifford (1991). Sequential Monte Carlo p-values. Biometrika
       78.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> X = np.random.default_rng(0).normal(size=(100, 1))
    >>> density_test(norm(), X).is_rejected
    False
    >>> density_test(norm(2.0), X).is_rejected
    True
    """
    as_fitted = check_flag(as_fitted, "as_fitted")
    if as_fitted and (n_splits or 1) > 1:
        raise UsageError(
            "a density as it was fitted is that of one split",
            parameter="n_splits",
            remedy="leave the splits out",
        )
    config = _check_config(
        n_tests=len(DENSITY_STATISTICS),
        as_fitted=as_fitted,
        test_size=test_size,
        n_splits=1 if as_fitted else n_splits,
        n_refits=n_refits,
        n_permutations=n_permutations,
        max_samples=max_samples,
        standardize=standardize,
        confidence_level=confidence_level,
        alpha=alpha,
        seed=seed_number(random_state),
        n_jobs=n_jobs,
    )
    samples = np.asarray(check_matrix(X, parameter="X"), dtype=np.float64)
    with one_blas_thread():  # in how many parts sums are made must not show
        return _test(density, samples, config, as_generator(random_state), prefit)[0]


@checked_keywords
def compare_densities(
    densities: Mapping[str, Any] | Sequence[Any],
    X: ArrayLike,
    *,
    test_size: float = 0.5,
    n_splits: int | None = None,
    n_refits: int | None = None,
    n_permutations: int | None = None,
    max_samples: int = 1000,
    standardize: bool = True,
    confidence_level: float = 0.95,
    alpha: float = 0.05,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> DensityComparison:
    """Test several densities, and say which of them gives held-out samples most.

    Parameters
    ----------
    densities : mapping of str to object, or sequence of object
        As `density_test` takes them, each with log-densities; by their names, or named
        after themselves. Those that can be fitted are, to the same splits.
    X : array-like of shape (n_samples, n_features)
        The samples.
    test_size, n_splits, n_refits, n_permutations, max_samples, standardize : optional
        As for `density_test`.
    confidence_level : float, default=0.95
        Level of intervals.
    alpha : float, default=0.05
        Level of all tests of all densities together, and of all differences together.
    random_state : int, Generator or None, default=0
        Seed of everything.
    n_jobs : int, optional
        Workers that fit anew; the answer does not depend on it.

    Returns
    -------
    DensityComparison
        The test of each, and differences in log-likelihood between all pairs.

    Raises
    ------
    UsageError
        If there are not two densities at least, or one has no log-density.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> X = np.random.default_rng(0).normal(size=(100, 1))
    >>> found = compare_densities({"near": norm(), "far": norm(2.0)}, X)
    >>> found.best, found.rejected
    ('near', ('far',))
    """
    named = _name_densities(densities)
    config = _check_config(
        n_tests=len(DENSITY_STATISTICS) * len(named),
        as_fitted=False,
        test_size=test_size,
        n_splits=n_splits,
        n_refits=n_refits,
        n_permutations=n_permutations,
        max_samples=max_samples,
        standardize=standardize,
        confidence_level=confidence_level,
        alpha=alpha,
        seed=seed_number(random_state),
        n_jobs=n_jobs,
    )
    samples = np.asarray(check_matrix(X, parameter="X"), dtype=np.float64)
    # One seed for all: the same splits, so that the same samples are compared.
    seed = int(as_generator(random_state).integers(2**63))
    tests: dict[str, DensityTest] = {}
    values: list[FloatArray] = []
    for name, density in named.items():
        rng = np.random.default_rng(seed)
        with one_blas_thread():
            found, own = _test(density, samples, config, rng, False, split_all=True)
        if own is None:
            raise UsageError(
                f"{name} gives no log-density, by which densities are compared",
                parameter="densities",
                remedy="test it alone: that looks at its draws",
            )
        tests[name] = replace(found, density=name)
        values.append(own)
    adjusted = adjust_p_values([test.p_value for test in tests.values()])
    order = sorted(tests, key=lambda name: -tests[name].log_likelihood)
    return DensityComparison(
        densities=tuple(tests),
        confidence_level=config.confidence_level,
        alpha=config.alpha,
        seed=config.seed,
        order=tuple(order),
        best=order[0],
        rejected=tuple(
            name
            for name, p in zip(tests, adjusted, strict=True)
            if p <= config.alpha + 1e-12
        ),
        tests=tests,
        pairs=_compare_pairs(list(tests), values, config.confidence_level),
    )


@dataclass(frozen=True, kw_only=True)
class _Config:
    """How densities are tested, checked."""

    as_fitted: bool
    test_size: float
    n_splits: int
    n_refits: int
    n_permutations: int
    max_samples: int
    standardize: bool
    confidence_level: float
    alpha: float
    seed: int | None
    n_jobs: int | None


def _check_config(
    *,
    n_tests: int,
    n_splits: int | None,
    n_refits: int | None,
    n_permutations: int | None,
    **given: Any,
) -> _Config:
    """Check arguments that both functions share, and fill in what is usual."""
    for name in ("confidence_level", "alpha", "test_size"):
        given[name] = check_share(given[name], name, is_open=True)
    # The smallest p, times the number of tests, must be able to reach alpha.
    enough = math.ceil(n_tests / given["alpha"] - 1e-9) - 1
    return _Config(
        n_permutations=max(_SHUFFLES, enough)
        if n_permutations is None
        else check_times(n_permutations, "n_permutations", least=enough),
        n_refits=max(_REFITS, enough)
        if n_refits is None
        else check_times(n_refits, "n_refits", least=enough),
        n_splits=_SPLITS if n_splits is None else check_times(n_splits, "n_splits"),
        max_samples=check_count(given.pop("max_samples"), "max_samples", least=_LEAST),
        standardize=check_flag(given.pop("standardize"), "standardize"),
        n_jobs=check_n_jobs(given.pop("n_jobs")),
        **given,
    )


def _test(
    density: Any,
    samples: FloatArray,
    config: _Config,
    rng: np.random.Generator,
    prefit: bool,
    *,
    split_all: bool = False,
) -> tuple[DensityTest, FloatArray | None]:
    """Test one density; also return log-densities, NaN where not held out."""
    needs_fit = not prefit and hasattr(density, "fit")
    n = samples.shape[0]
    split_rng, fit_rng, test_rng, refit_rng = rng.spawn(4)
    held: list[IntArray] = [np.arange(n)]
    if needs_fit or split_all:
        held = _draw_splits(n, config, split_rng)
    elif n < _LEAST:
        problem = f"too few samples to test a density: {n}; {_LEAST} at least"
        raise InsufficientDataError(problem, parameter="X")
    fitted = [density]
    if needs_fit:
        fitted = [
            _fit(density, np.delete(samples, out, axis=0), fit_rng) for out in held
        ]
    n_held = held[0].size if needs_fit else n
    own, likelihood = _likelihood(fitted, samples, held, needs_fit, config)
    if own is not None and np.isfinite(own).any():
        what = "held out" if needs_fit else "of the data"
        first = float(np.mean(own[np.isfinite(own)]))
        say_unless_over(f"First figures: mean log-density {what} {first:.3g}")
    if needs_fit and not config.as_fitted:
        anew = _test_by_refits(density, samples, config, refit_rng)
        n_compared = n
    else:
        of = samples[held[0]] if needs_fit else samples
        anew = _Anew(tests=_test_by_permutations(fitted[0], of, config, test_rng))
        n_compared = n_held
    n_used = min(n_compared, config.max_samples)
    p = min(1.0, min(x.p_value for x in anew.tests) * len(anew.tests))
    n_impossible = 0 if own is None else int((own == -math.inf).sum())
    found = DensityTest(
        n_fitted=n - n_held if needs_fit else 0,
        n_tested=n_used,
        n_draws=_n_draws(n_used, config) if anew.n_refits else n_used,
        n_features=samples.shape[1],
        n_splits=len(held) if needs_fit else 1,
        density=_name_of(density),
        confidence_level=config.confidence_level,
        alpha=config.alpha,
        seed=config.seed,
        n_permutations=0 if anew.n_refits else config.n_permutations,
        standardize=config.standardize,
        tests=anew.tests,
        p_value=p,
        is_rejected=p <= config.alpha + 1e-12,
        **likelihood,
        n_impossible=n_impossible,
        n_refits=anew.n_refits,
        n_failed=len(anew.failures),
        first_failure=anew.failures[0] if anew.failures else "",
        notes=_make_notes(samples, anew, n_compared - n_used, n_impossible, n_held),
    )
    return found, own


def _make_notes(
    samples: FloatArray, anew: _Anew, n_lost: int, n_impossible: int, n_held: int
) -> tuple[Note, ...]:
    notes = []
    if n_lost:
        notes.append(Note(code=DensityNote.SAMPLES_LEFT_OUT, count=n_lost))
    if n_impossible:
        code = DensityNote.IMPOSSIBLE_SAMPLES
        notes.append(Note(code=code, count=n_impossible, total=n_held))
    if anew.failures:
        n_failed = len(anew.failures)
        code, total = DensityNote.REFITS_FAILED, anew.n_refits + n_failed
        first = (anew.failures[0],)
        notes.append(Note(code=code, names=first, count=n_failed, total=total))
    if samples.shape[0] >= _ENOUGH:
        # Labels or codes rather than measurements, which no smooth density describes.
        kinds = [np.unique(column).size for column in samples.T]
        coded = tuple(str(i + 1) for i, k in enumerate(kinds) if 1 < k <= _FEW)
        if coded:
            code = DensityNote.CODED_FEATURES
            notes.append(Note(code=code, names=coded, total=_FEW))
    return tuple(notes)


def _name_densities(densities: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Return densities by their names."""
    named: dict[str, Any] = {}
    if isinstance(densities, Mapping):
        named = {str(name): density for name, density in densities.items()}
    elif isinstance(densities, list | tuple):
        names = [_name_of(density) for density in densities]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise UsageError(
                f"two are called {twice[0]}",
                parameter="densities",
                remedy="name them in a dictionary",
            )
        named = dict(zip(names, densities, strict=True))
    if len(named) < 2:
        problem = "a comparison needs two at least, in a list or a dictionary"
        raise UsageError(problem, parameter="densities")
    return named


def _compare_pairs(
    names: list[str], values: list[FloatArray], level: float
) -> tuple[DensityPair, ...]:
    """Compare log-densities of the same samples, pair by pair."""
    rows = []
    for i, j in zip(*np.triu_indices(len(names), 1), strict=True):
        is_held = ~np.isnan(values[i]) & ~np.isnan(values[j])
        with np.errstate(invalid="ignore"):
            gaps = values[i][is_held] - values[j][is_held]
        rows.append((names[i], names[j], *_difference(gaps, level)))
    adjusted = adjust_p_values([row[-1] for row in rows])
    return tuple(
        DensityPair(
            a=a, b=b, difference=gap, low=low, high=high, p_value=p, p_adjusted=q
        )
        for (a, b, gap, low, high, p), q in zip(rows, adjusted.tolist(), strict=True)
    )


def _difference(gaps: FloatArray, level: float) -> tuple[float, float, float, float]:
    """Return the mean of differences, its interval and its p-value."""
    if not np.isfinite(gaps).all():
        return math.nan, math.nan, math.nan, math.nan
    mean = float(gaps.mean())
    error = float(gaps.std(ddof=1)) / math.sqrt(gaps.size)
    if error <= 1e-12 * abs(mean) or error == 0:
        return mean, mean, mean, 1.0 if mean == 0 else math.nan
    return mean, *student(gaps, level), corrected_t(gaps, 0.0)[1]


# Densities -------------------------------------------------------------------------


def _name_of(density: Any) -> str:
    if hasattr(density, "get_params"):  # how many components, what bandwidth
        return " ".join(repr(density).split())
    frozen = getattr(getattr(density, "dist", None), "name", None)
    return str(frozen or getattr(density, "__name__", type(density).__name__))


def _draw_splits(n: int, config: _Config, rng: np.random.Generator) -> list[IntArray]:
    """Draw the samples that each split holds out."""
    n_held = round(config.test_size * n)
    if min(n_held, n - n_held) < _LEAST:
        problem = (
            f"{n} samples leave {n - n_held} to fit and {n_held} to test; {_LEAST} of "
            "each at least"
        )
        raise InsufficientDataError(problem, parameter="X")
    return [rng.permutation(n)[:n_held] for _ in range(config.n_splits)]


def _fit(density: Any, samples: FloatArray, rng: np.random.Generator) -> Any:
    from sklearn.base import clone  # slow to load

    fresh = clone(density)
    _reseed(fresh, rng)
    try:
        return fresh.fit(samples)
    except Exception as error:
        problem = (
            f"{_name_of(density)} cannot be fitted to {samples.shape[0]:,} samples"
        )
        raise UsageError(f"{problem}: {error}", parameter="density") from error


def _reseed(density: Any, rng: np.random.Generator) -> None:
    """Give an estimator new luck; what it draws would else be the same every time."""
    if hasattr(density, "get_params") and "random_state" in density.get_params():
        density.set_params(random_state=int(rng.integers(2**31)))


def _abilities(
    density: Any,
) -> tuple[Callable[[int, np.random.Generator], Any], Any]:
    """Say how to draw from a density, and how to ask it for log-densities."""
    if hasattr(density, "rvs"):
        log_density = getattr(density, "logpdf", None)
        return lambda n, rng: density.rvs(size=n, random_state=rng), log_density
    if hasattr(density, "sample"):
        log_density = getattr(density, "score_samples", None)
        return lambda n, rng: _sampled(density, n, rng), log_density
    if callable(density):
        return density, None
    raise UsageError(
        "must have `sample` or `rvs`, or be a function of n and a generator; got "
        f"{type(density).__name__}",
        parameter="density",
    )


def _sampled(density: Any, n: int, rng: np.random.Generator) -> Any:
    if "random_state" in inspect.signature(density.sample).parameters:
        return density.sample(n, random_state=int(rng.integers(2**31)))
    drawn = density.sample(n)
    # A mixture also says which component each draw came from.
    return drawn[0] if isinstance(drawn, tuple) else drawn


def _draw(density: Any, n: int, m: int, rng: np.random.Generator) -> FloatArray:
    """Draw n points of m features, checked."""
    points = np.asarray(_abilities(density)[0](n, rng), dtype=np.float64)
    points = points.reshape(n, -1) if points.shape[:1] == (n,) else points
    if points.shape != (n, m) or not np.isfinite(points).all():
        raise InvalidInputError(
            f"must draw {n} finite samples of {m} features; got shape {points.shape}",
            parameter="density",
        )
    return points


# Tests -----------------------------------------------------------------------------


def _between(held: FloatArray, drawn: FloatArray, standardize: bool) -> FloatArray:
    """Return distances of all pairs, those of held-out samples first."""
    pooled = np.vstack([held, drawn])
    if standardize:
        spread = pooled.std(axis=0)
        pooled = pooled / np.where(spread > 0, spread, 1.0)
    return pair_distances(pooled - pooled.mean(axis=0))


def _choose(held: FloatArray, config: _Config, rng: np.random.Generator) -> FloatArray:
    n = min(held.shape[0], config.max_samples)
    kept: FloatArray = held[rng.choice(held.shape[0], n, replace=False)]
    return kept


def _n_draws(n_held: int, config: _Config) -> int:
    """Draw several times as many points as there are samples: draws are luck, too."""
    return max(n_held, min(_DRAWS * n_held, config.max_samples))


def _test_by_permutations(
    density: Any, held: FloatArray, config: _Config, rng: np.random.Generator
) -> tuple[TwoSampleTest, ...]:
    """Test a density as it is: exact."""
    draws_rng, *streams = rng.spawn(1 + len(DENSITY_STATISTICS))
    kept = _choose(held, config, draws_rng)
    drawn = _draw(density, kept.shape[0], held.shape[1], draws_rng)
    between = _between(kept, drawn, config.standardize)
    count = config.n_permutations
    rows = []
    for name, stream in zip(DENSITY_STATISTICS, streams, strict=True):
        value, p = two_sample_p(
            between, kept.shape[0], name, n_permutations=count, rng=stream
        )
        least = 1 / (1 + count)
        rows.append(
            TwoSampleTest(statistic=name, value=value, p_value=p, min_p_value=least)
        )
    return tuple(rows)


@dataclass(frozen=True, kw_only=True)
class _Refit:
    """One data set of the density fitted to all samples, to be treated like them."""

    density: Any
    whole: Any
    shape: tuple[int, int]
    config: _Config


class _Refitted(NamedTuple):
    """Distances of one data set, or why it has none."""

    values: FloatArray | None
    failure: str = ""


@dataclass(frozen=True, kw_only=True)
class _Anew:
    """Tests, and what data sets that were fitted anew say."""

    tests: tuple[TwoSampleTest, ...]
    n_refits: int = 0
    failures: tuple[str, ...] = ()


def _test_by_refits(
    density: Any,
    samples: FloatArray,
    config: _Config,
    rng: np.random.Generator,
) -> _Anew:
    """Test a family: whether its fit is farther off than on data of its own.

    The density is fitted to all samples and held against them: that it lies closer to
    them than to others is so of every refit, too, and leaves more to be seen of a wrong
    family than samples held out do.

    Refits end once both statistics were as far off often enough (Besag and Clifford
    1991): p is then the share of them so far, and the test keeps its level.

    The data could be fitted, so they are held against data sets that can be: those that
    fail are neither far off nor near. Others are drawn for them, up to a fifth of all.
    """
    wanted = config.n_refits
    own_rng, whole_rng, *streams = rng.spawn(2 + wanted + wanted // 4)
    whole = _fit(density, samples, whole_rng)
    seen = _statistics(whole, samples, config, own_rng)
    shape = (samples.shape[0], samples.shape[1])
    _refuse_same_draws(whole, shape, whole_rng)
    task = _Refit(density=density, whole=whole, shape=shape, config=config)
    drawn: list[FloatArray] = []
    failures: list[str] = []
    while len(drawn) < wanted:
        taken = len(drawn) + len(failures)
        block = streams[taken : taken + min(_BLOCK, wanted - len(drawn))]
        found = map_tasks(
            _refitted,
            [task] * len(block),
            rng=block,
            n_jobs=config.n_jobs,
            what="fitting anew",
        )
        drawn += [one.values for one in found if one.values is not None]
        failures += [one.failure for one in found if one.values is None]
        is_far = np.array(drawn).reshape(-1, seen.size) >= seen * (1 - 1e-12)
        if len(failures) > wanted // 4 or (is_far.sum(axis=0) >= _AS_FAR).all():
            break
    _refuse_failures(density, len(drawn), failures)
    rows = []
    for place, name in enumerate(DENSITY_STATISTICS):
        times = np.cumsum(is_far[:, place])
        p = (1 + int(times[-1])) / (1 + len(drawn))
        if times[-1] >= _AS_FAR:
            p = _AS_FAR / (1 + int(np.argmax(times >= _AS_FAR)))
        rows.append(
            TwoSampleTest(
                statistic=name,
                value=float(seen[place]),
                p_value=min(p, 1.0),
                min_p_value=1 / (1 + wanted),
            )
        )
    return _Anew(tests=tuple(rows), n_refits=len(drawn), failures=tuple(failures))


def _refuse_failures(density: Any, n_drawn: int, failures: list[str]) -> None:
    """Refuse a p from what little could be fitted."""
    n_all = n_drawn + len(failures)
    if len(failures) <= _MOST_FAILED * n_all:
        return
    raise InsufficientDataError(
        f"{len(failures):,} of {n_all:,} data sets drawn from {_name_of(density)} "
        f"could not be fitted (the first: {failures[0]}), which is more than a fifth: "
        "too few are left to hold the data against",
        parameter="density",
        remedy="give it more iterations or fewer parameters, or test it as it was "
        "fitted to one part",
    )


def _refuse_same_draws(
    whole: Any, shape: tuple[int, int], rng: np.random.Generator
) -> None:
    """Refuse a density of which every draw is the same."""
    drawn = []
    for _ in range(2):
        _reseed(whole, rng)
        drawn.append(_draw(whole, *shape, rng))
    if np.array_equal(drawn[0], drawn[1]):
        raise InvalidInputError(
            "draws the same samples every time",
            parameter="density",
            remedy="give it a `random_state` that can be set, or let `sample` take one",
        )


def _refitted(task: _Refit, rng: np.random.Generator) -> _Refitted:
    """Return the distances of one data set, or why it cannot be fitted."""
    whole = copy(task.whole)
    _reseed(whole, rng)
    samples = _draw(whole, *task.shape, rng)[rng.permutation(task.shape[0])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said of the data, not of draws like them
        try:
            fitted = _fit(task.density, samples, rng)
            # Where the data did not converge either, draws are treated like them.
            if _is_converged(task.whole) and not _is_converged(fitted):
                return _Refitted(None, "it did not converge")
            values = _statistics(fitted, samples, task.config, rng)
        except (ValueError, ArithmeticError) as error:
            cause = error.__cause__ or error
            return _Refitted(None, " ".join(str(cause).split())[:_LONGEST_FAILURE])
    return _Refitted(values)


def _is_converged(fitted: Any) -> bool:
    """Tell whether a fit converged, of an estimator that says so."""
    return bool(getattr(fitted, "converged_", True))


def _statistics(
    density: Any, samples: FloatArray, config: _Config, rng: np.random.Generator
) -> FloatArray:
    """Return all statistics between samples and draws of a density."""
    kept = _choose(samples, config, rng)
    _reseed(density, rng)
    n = kept.shape[0]
    drawn = _draw(density, _n_draws(n, config), samples.shape[1], rng)
    between = _between(kept, drawn, config.standardize)
    is_first = (np.arange(between.shape[0]) < n)[None, :]
    return np.array(
        [
            float(_quadratic(statistic.form(between), is_first)[0])
            for statistic in DENSITY_STATISTICS.values()
        ]
    )


# Log-likelihood --------------------------------------------------------------------


def _likelihood(
    fitted: list[Any],
    samples: FloatArray,
    held: list[IntArray],
    needs_fit: bool,
    config: _Config,
) -> tuple[FloatArray | None, dict[str, float]]:
    """Return log-densities of samples, mean over the splits that held them out."""
    names = ("log_likelihood", "low", "high", "gain", "gain_low", "gain_high")
    if _abilities(fitted[0])[1] is None:
        return None, dict.fromkeys(names, math.nan)
    n = samples.shape[0]
    total, base, times = np.zeros((3, n))
    for place, out in enumerate(held):
        density = fitted[place] if needs_fit else fitted[0]
        total[out] += _log_densities(_abilities(density)[1], samples[out])
        times[out] += 1
        if needs_fit:
            kept = np.delete(samples, out, axis=0)
            base[out] += _normal_log_density(kept, samples[out])
    is_seen = times > 0
    own = total[is_seen] / times[is_seen]
    parts = [*_mean_interval(own, config.confidence_level)]
    if needs_fit:
        gain = own - base[is_seen] / times[is_seen]
        parts += _mean_interval(gain, config.confidence_level)
    else:
        parts += [math.nan] * 3
    every = np.full(n, math.nan)
    every[is_seen] = own
    return every, dict(zip(names, parts, strict=True))


def _log_densities(log_density: Any, held: FloatArray) -> FloatArray:
    is_univariate = getattr(log_density, "__name__", "") == "logpdf"
    points = held[:, 0] if held.shape[1] == 1 and is_univariate else held
    values = np.asarray(log_density(points), dtype=np.float64)
    own: FloatArray = values.reshape(held.shape[0], -1).sum(axis=1)
    n_unknown = int((np.isnan(own) | (own == math.inf)).sum())
    if n_unknown:
        raise InvalidInputError(
            f"gives no number as the log-density of {n_unknown:,} of {own.size:,} "
            "held-out samples",
            parameter="density",
        )
    return own


def _mean_interval(values: FloatArray, level: float) -> tuple[float, float, float]:
    mean = float(values.mean())
    if not np.isfinite(values).all():
        return mean, math.nan, math.nan
    return mean, *normal(values, level)


def _normal_log_density(train: FloatArray, held: FloatArray) -> FloatArray:
    """Return log-densities of independent normals."""
    spread = train.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    z = (held - train.mean(axis=0)) / spread
    logs = -0.5 * z**2 - np.log(spread) - 0.5 * np.log(2 * np.pi)
    values: FloatArray = logs.sum(axis=1)
    return values
