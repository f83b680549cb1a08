"""Split the error into what is wrong on average and what varies between fits.

The noise of the targets cannot be told from bias with one target per sample: it is
taken as zero and stays in the bias.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.parallel import Run
from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.evaluation.estimates import Estimates, collect_estimates
from scorecast.evaluation.metrics import Task
from scorecast.evaluation.splits import Splitter, draw_splits

N_EXTRA_FITS = 50  # to bootstrap samples, where no sample is tested twice


@dataclass(frozen=True, kw_only=True)
class BiasVariance:
    """One decomposition: `error` is `bias` + `variance` + `noise`.

    Attributes
    ----------
    method : str
        One of `BIAS_VARIANCE`.
    error : float
        Mean error of the fits. Not that of the assessment where these are others.
    bias : float
        What stays wrong on average.
    variance : float
        What changes from fit to fit; for Domingos, net of what it mends.
    noise : float
        Taken as zero, so that bias holds it.
    n_samples : int
        Samples that at least two fits were tested on.
    n_fits : float
        Mean number of fits per sample.
    n_extra : int
        Bootstrap fits made for this alone; 0 where fits of the assessment would do.
    """

    method: str
    error: float
    bias: float
    variance: float
    noise: float
    n_samples: int
    n_fits: float
    n_extra: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class RepeatedTests:
    """Samples that several fits were tested on.

    Attributes
    ----------
    truth : ndarray of shape (n,)
        Codes of classes, or numbers.
    n_fits : ndarray of shape (n,)
        Fits per sample, two at least.
    shares : ndarray of shape (n, n_classes)
        Share of fits that name every class; no columns for numbers.
    mean, variance : ndarray of shape (n,)
        Of the predictions, the variance unbiased; empty for classes.
    """

    truth: NDArray[Any]
    n_fits: FloatArray
    shares: FloatArray
    mean: FloatArray
    variance: FloatArray


@dataclass(frozen=True, kw_only=True)
class Decomposition(Method):
    """A way to divide the error; its parts add up to it.

    Attributes
    ----------
    task : Task
        What is predicted.
    parts : callable
        From `RepeatedTests` to bias and variance of every sample.
    """

    task: Task
    parts: Callable[[RepeatedTests], tuple[FloatArray, FloatArray]]


BIAS_VARIANCE: Registry[Decomposition] = Registry()


def kohavi_wolpert(
    truth: FloatArray, said: FloatArray, n_fits: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return squared bias and variance of every sample for 0-1 loss.

    Parameters
    ----------
    truth : ndarray of shape (n, n_classes)
        Chance of every class; one and zeros where the target is taken as certain.
    said : ndarray of shape (n, n_classes)
        Share of fits that name every class.
    n_fits : ndarray of shape (n,)
        Fits per sample, two at least.

    Returns
    -------
    tuple of ndarray
        Corrected for the finite number of fits; a bias may be slightly negative.
    """
    excess = 0.5 * (said * (1 - said)).sum(axis=1) / (n_fits - 1)
    bias: FloatArray = 0.5 * ((truth - said) ** 2).sum(axis=1) - excess
    variance: FloatArray = 0.5 * (1 - (said**2).sum(axis=1)) + excess
    return bias, variance


BIAS_VARIANCE.add(
    Decomposition(
        name="kohavi-wolpert",
        title="Kohavi and Wolpert",
        summary="squared distances of the shares of answers from the truth",
        reference="R. Kohavi and D. H. Wolpert (1996). Bias plus variance "
        "decomposition for zero-one loss functions. International Conference on "
        "Machine Learning 13.",
        task=Task.CLASSIFICATION,
        parts=lambda tests: kohavi_wolpert(
            np.eye(tests.shares.shape[1])[tests.truth], tests.shares, tests.n_fits
        ),
    )
)


def domingos(truth: IntArray, said: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return bias and net variance of every sample for 0-1 loss, without noise.

    Parameters
    ----------
    truth : ndarray of int of shape (n,)
        Codes.
    said : ndarray of shape (n, n_classes)
        Share of fits that name every class.

    Returns
    -------
    tuple of ndarray
        Bias is 1 where most fits are wrong. Variance hurts where most are right, and
        mends where most are wrong: there it is negative.
    """
    main = said.argmax(axis=1)
    rows = np.arange(truth.size)
    bias = (main != truth).astype(np.float64)
    net = np.where(bias == 0, 1 - said[rows, main], -said[rows, truth])
    return bias, net


BIAS_VARIANCE.add(
    Decomposition(
        name="domingos",
        title="Domingos",
        summary="whether most fits are wrong, and what the others change",
        reference="P. Domingos (2000). A unified bias-variance decomposition and its "
        "applications. International Conference on Machine Learning 17.",
        task=Task.CLASSIFICATION,
        parts=lambda tests: domingos(tests.truth, tests.shares),
    )
)


def squared(
    truth: FloatArray, mean: FloatArray, variance: FloatArray, n_fits: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return squared bias and variance of every sample for squared loss.

    Parameters
    ----------
    truth, mean : ndarray of shape (n,)
        Target, and mean prediction of the fits.
    variance : ndarray of shape (n,)
        Unbiased variance of the predictions.
    n_fits : ndarray of shape (n,)
        Fits per sample.

    Returns
    -------
    tuple of ndarray
        The variance of the mean is taken from the bias; that of one fit is returned.
    """
    bias: FloatArray = (truth - mean) ** 2 - variance / n_fits
    return bias, variance


BIAS_VARIANCE.add(
    Decomposition(
        name="squared",
        title="squared error",
        summary="squared error of the mean prediction, and variance about it",
        reference="S. Geman, E. Bienenstock and R. Doursat (1992). Neural networks "
        "and the bias/variance dilemma. Neural Computation 4.",
        task=Task.REGRESSION,
        parts=lambda tests: squared(
            tests.truth, tests.mean, tests.variance, tests.n_fits
        ),
    )
)


def bias_variance(
    truth: NDArray[np.generic],
    predicted: NDArray[np.generic],
    rows: IntArray,
    n_classes: int,
) -> tuple[BiasVariance, ...]:
    """Decompose the errors of many fits, each tested on some of the samples.

    Parameters
    ----------
    truth, predicted : ndarray of shape (n_tests,)
        Codes of classes, or numbers.
    rows : ndarray of int of shape (n_tests,)
        Which sample each test is of.
    n_classes : int
        Number of classes; 0 for numbers.

    Returns
    -------
    tuple of BiasVariance
        Both ways for classes, one for numbers; empty if no sample was tested twice.

    References
    ----------
    R. Kohavi and D. H. Wolpert (1996). Bias plus variance decomposition for zero-one
    loss functions. International Conference on Machine Learning.

    P. Domingos (2000). A unified bias-variance decomposition. International Conference
    on Machine Learning.

    Examples
    --------
    >>> truth, rows = np.array([1.0, 1.0]), np.array([0, 0])
    >>> (found,) = bias_variance(truth, np.array([0.5, 0.7]), rows, 0)
    >>> round(found.bias, 2), round(found.variance, 2)
    (0.15, 0.02)
    """
    _, first, sample = np.unique(rows, return_index=True, return_inverse=True)
    times = np.bincount(sample).astype(np.float64)
    kept = times >= 2
    if not kept.any():
        return ()
    task = Task.CLASSIFICATION if n_classes else Task.REGRESSION
    make = _of_classes if n_classes else _of_numbers
    tests = make(truth[first], predicted, sample, times, kept, n_classes)
    found = []
    for name in BIAS_VARIANCE.select(task=task):
        bias, variance = BIAS_VARIANCE[name].parts(tests)
        found.append(
            BiasVariance(
                method=name,
                error=float(np.mean(bias + variance)),
                bias=float(bias.mean()),
                variance=float(variance.mean()),
                noise=0.0,
                n_samples=int(kept.sum()),
                n_fits=float(times[kept].mean()),
            )
        )
    return tuple(found)


def decompose_errors(
    estimator: Any,
    estimates: Estimates,
    *,
    rng: np.random.Generator,
    run: Run,
    part: str = "bias",
) -> tuple[BiasVariance, ...]:
    """Decompose the errors of a model; on more fits if no sample was tested twice.

    Parameters
    ----------
    estimator : estimator
        The model.
    estimates : Estimates
        Its tests.
    rng : numpy.random.Generator
        For bootstrap fits.
    run : Run
        How they are run.
    part : str
        Their name in a checkpoint.

    Returns
    -------
    tuple of BiasVariance
        Empty if no fit worked, or no sample was tested twice.

    Raises
    ------
    InsufficientDataError
        If bootstrap samples cannot be split.
    """
    n_extra, rows = 0, estimates.tested()
    if rows.size < 2 * np.unique(rows).size:
        n_extra = N_EXTRA_FITS
        splitter = Splitter(kind="boot", n_splits=n_extra)
        estimates = collect_estimates(
            estimator,
            estimates.data,
            draw_splits(splitter, estimates.data, rng),
            rng=rng,
            run=run,
            part=part,
            what="bias and variance",
        )
    if estimates.is_empty:
        return ()
    pooled = estimates.pooled()
    found = bias_variance(
        pooled.truth, pooled.predicted, estimates.tested(), pooled.n_classes
    )
    return tuple(replace(one, n_extra=n_extra) for one in found)


def _of_classes(
    truth: NDArray[Any],
    predicted: NDArray[Any],
    sample: IntArray,
    times: FloatArray,
    kept: BoolArray,
    n_classes: int,
) -> RepeatedTests:
    """Count how often every class is named."""
    named = np.zeros((times.size, n_classes))
    np.add.at(named, (sample, predicted.astype(np.int64)), 1)
    return RepeatedTests(
        truth=truth.astype(np.int64)[kept],
        n_fits=times[kept],
        shares=(named / times[:, None])[kept],
        mean=np.empty(0),
        variance=np.empty(0),
    )


def _of_numbers(
    truth: NDArray[Any],
    predicted: NDArray[Any],
    sample: IntArray,
    times: FloatArray,
    kept: BoolArray,
    n_classes: int,
) -> RepeatedTests:
    """Return mean and variance of what is predicted."""
    numbers = predicted.astype(np.float64)
    mean = np.bincount(sample, weights=numbers) / times
    total = np.bincount(sample, weights=(numbers - mean[sample]) ** 2)
    return RepeatedTests(
        truth=truth.astype(np.float64)[kept],
        n_fits=times[kept],
        shares=np.empty((int(kept.sum()), n_classes)),
        mean=mean[kept],
        variance=total[kept] / (times[kept] - 1),
    )
