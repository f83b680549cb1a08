"""Does a fitted density describe the data? On cases it has not seen."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from scorecast._core.checks import check_level, check_matrix
from scorecast._core.keywords import checked_keywords
from scorecast._core.results import Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, Json, RandomState
from scorecast.biclusters.two_sample import STATISTICS, distances, two_sample_p
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

__all__ = ["DensityTest", "TwoSampleTest", "density_test"]

_LEAST = 5
_FEW = 5  # values of a feature that is a code rather than a measurement
_ENOUGH = 30  # cases from which that can be told


@dataclass(frozen=True, kw_only=True)
class TwoSampleTest:
    """One test of the held-out cases against draws of the density.

    Attributes
    ----------
    statistic : str
        ``"energy"`` or ``"mmd"``.
    value : float
        Energy distance, or squared maximum mean discrepancy.
    p : float
        Permutation p-value: small where the density is wrong.
    smallest_p : float
        Least value it can take.
    """

    statistic: str
    value: float
    p: float
    smallest_p: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DensityTest(Result):
    """Whether a density describes cases it has not seen.

    Attributes
    ----------
    tests : tuple of TwoSampleTest
        One per statistic.
    log_likelihood, low, high : float
        Mean log-density of held-out cases in nats per case, with its interval; NaN if
        the density gives none.
    gain, gain_low, gain_high : float
        The same beyond independent normals fitted to the same cases.
    n_fitted : int
        Cases it was fitted to; 0 if it came fitted.
    n_tested, n_draws : int
        Held-out cases, and draws, that were compared.
    n_features : int
        Number of features.
    level, alpha : float
        Of intervals, and of the tests after Holm.
    seed : int or None
        The random state, where it was a number.
    density : str
        Name of the class, with the parameters of an estimator.
    warnings : tuple of str
        What the reader must know.
    n_impossible : int
        Held-out cases of density 0; with any, the log-likelihood is minus infinity.
    """

    kind: ClassVar[str] = "density-test"

    tests: tuple[TwoSampleTest, ...]
    log_likelihood: float
    low: float
    high: float
    gain: float
    gain_low: float
    gain_high: float
    n_fitted: int
    n_tested: int
    n_draws: int
    n_features: int
    level: float
    alpha: float
    seed: int | None
    density: str
    options: Json = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    n_impossible: int = 0

    @property
    def is_rejected(self) -> bool:
        """Whether a test rejects the density, allowing for the number of tests."""
        return min(x.p for x in self.tests) * len(self.tests) <= self.alpha + 1e-12

    def summary(self) -> str:
        """Say the answer in a sentence or two."""
        each = ", ".join(f"{x.statistic} p = {x.p:.3f}" for x in self.tests)
        verdict = (
            "does not describe" if self.is_rejected else "is not shown to misdescribe"
        )
        said = (
            f"{self.density} {verdict} {self.n_tested:,} held-out cases ({each}; "
            f"{self.alpha:g} over {len(self.tests)} tests)."
        )
        if self.n_impossible:
            said += (
                f" Log-likelihood minus infinity: the density of {self.n_impossible:,} "
                "held-out cases is 0"
            )
        elif math.isfinite(self.log_likelihood):
            said += (
                f" Log-likelihood {self.log_likelihood:,.2f} nats per case "
                f"({100 * self.level:g} %: {self.low:,.2f} to {self.high:,.2f})"
            )
        if math.isfinite(self.gain):
            said += (
                f", {self.gain:+,.2f} ({self.gain_low:+,.2f} to "
                f"{self.gain_high:+,.2f}) beyond independent normals"
            )
        return said if said.endswith(".") else f"{said}."

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per test."""
        names = ("statistic", "value", "p", "smallest_p")
        return {name: [getattr(x, name) for x in self.tests] for name in names}

    def _parts(self) -> tuple[Json, Json, Json]:
        facts = {k: v for k, v in vars(self).items() if k not in {"tests", "options"}}
        inputs = {k: facts.pop(k) for k in ("n_fitted", "n_tested", "n_draws",
                                            "n_features")}  # fmt: skip
        options = {k: facts.pop(k) for k in ("level", "alpha", "seed", "density")}
        result = {"tests": [asdict(x) for x in self.tests], **facts}
        return inputs, {**options, **self.options}, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        own = ("level", "alpha", "seed", "density")
        numbers_of: Json = {
            k: math.nan if v is None else v
            for k, v in result.items()
            if k not in {"tests", "warnings"}
        }
        if result.get("n_impossible"):
            # JSON has no infinity.
            numbers_of["log_likelihood"] = -math.inf
            if inputs["n_fitted"]:
                numbers_of["gain"] = -math.inf
        return cls(
            tests=tuple(TwoSampleTest(**row) for row in result["tests"]),
            warnings=tuple(result["warnings"]),
            **inputs,
            **{k: options[k] for k in own},
            options={k: v for k, v in options.items() if k not in own},
            **numbers_of,
        )


@checked_keywords
def density_test(
    density: Any,
    X: ArrayLike,
    *,
    prefit: bool = False,
    test_size: float = 0.5,
    n_permutations: int = 199,
    max_cases: int = 1000,
    standardise: bool = True,
    level: float = 0.95,
    alpha: float = 0.05,
    random_state: RandomState = 0,
) -> DensityTest:
    """Test whether a density describes the data, on cases it was not fitted to.

    Parameters
    ----------
    density : object
        With ``fit`` and ``sample`` (as scikit-learn's GaussianMixture and
        KernelDensity) and perhaps ``score_samples``; or a frozen distribution of SciPy
        with ``rvs`` and ``logpdf``; or a function ``draw(n, rng)``. The last two count
        as fitted.
    X : array-like of shape (n, m)
        The cases.
    prefit : bool, default=False
        Whether the density was fitted to other cases: then all of `X` is tested.
    test_size : float, default=0.5
        Share of the cases that is held out.
    n_permutations : int, default=199
        Permutations of each test: as many at least as let one of both tests reject,
        39 at an `alpha` of 0.05.
    max_cases : int, default=1000
        Most held-out cases, and draws, that are compared; others are left out at
        random, of the tests only.
    standardise : bool, default=True
        Whether features are divided by their pooled standard deviation first.
    level, alpha : float, default=0.95 and 0.05
        Level of intervals, and of the tests together.
    random_state : int, Generator or None, default=0
        Seed of everything.

    Returns
    -------
    DensityTest
        Two tests, and the log-likelihood of held-out cases where the density has one.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> X = np.random.default_rng(0).normal(size=(100, 1))
    >>> density_test(norm(), X).is_rejected
    False
    >>> density_test(norm(2.0), X).is_rejected
    True
    """
    level, alpha = check_level(level), check_level(alpha, "alpha")
    check_level(test_size, "test_size")
    # The smallest p, times the number of tests, must be able to reach alpha.
    enough = math.ceil(len(STATISTICS) / alpha - 1e-9) - 1
    _check_count("n_permutations", n_permutations, enough, f" at `alpha` {alpha:g}")
    _check_count("max_cases", max_cases, _LEAST)
    cases = np.asarray(check_matrix(X, "X"), dtype=np.float64)
    rng = as_generator(random_state)
    needs_fit = not prefit and hasattr(density, "fit")
    fitted, train, held = _fitted(density, cases, needs_fit, test_size, rng)
    draw, log_density = _abilities(fitted)
    n = min(held.shape[0], int(max_cases))
    drawn = _checked_draws(draw(n, rng), n, cases.shape[1])
    kept = held[rng.choice(held.shape[0], n, replace=False)]
    tests = _tests(kept, drawn, standardise, int(n_permutations), rng)
    mean = _likelihood(log_density, train, held, level)
    lost = held.shape[0] - n
    return DensityTest(
        tests=tests,
        **mean,
        n_fitted=train.shape[0],
        n_tested=n,
        n_draws=n,
        n_features=cases.shape[1],
        level=level,
        alpha=alpha,
        seed=seed_number(random_state),
        density=_name_of(density),
        options={"n_permutations": int(n_permutations), "standardise": standardise},
        warnings=(
            *_warned(lost, int(mean["n_impossible"]), held.shape[0]),
            *_coded_said(cases),
        ),
    )


def _check_count(name: str, value: object, least: int, when: str = "") -> None:
    if not isinstance(value, numbers.Integral) or value < least:
        msg = f"`{name}` must be a whole number from {least}{when}; got {value!r}."
        raise UsageError(msg)


def _warned(lost: int, n_impossible: int, n_held: int) -> tuple[str, ...]:
    said = []
    if lost:
        said.append(f"{lost:,} held-out cases were left out of the tests.")
    if n_impossible:
        said.append(
            f"The density of {n_impossible:,} of {n_held:,} held-out cases is 0: their "
            "log-likelihood is minus infinity, whatever the others say."
        )
    return tuple(said)


def _coded_said(cases: FloatArray) -> tuple[str, ...]:
    """Tell which features are labels or codes rather than measurements."""
    if cases.shape[0] < _ENOUGH:
        return ()
    kinds = [np.unique(column).size for column in cases.T]
    coded = [str(i + 1) for i, n in enumerate(kinds) if 1 < n <= _FEW]
    if not coded:
        return ()
    named = ", ".join(coded[:5]) + (", ..." if len(coded) > 5 else "")
    one = len(coded) == 1
    return (
        f"{'Feature' if one else 'Features'} {named} (counted from 1) "
        f"{'takes' if one else 'take'} {_FEW} values or fewer, which no smooth density "
        "describes; leave out labels and codes.",
    )


def _name_of(density: Any) -> str:
    if hasattr(density, "get_params"):  # how many components, what bandwidth
        return " ".join(repr(density).split())
    frozen = getattr(getattr(density, "dist", None), "name", None)
    return str(frozen or getattr(density, "__name__", type(density).__name__))


def _fitted(
    density: Any,
    cases: FloatArray,
    needs_fit: bool,
    test_size: float,
    rng: np.random.Generator,
) -> tuple[Any, FloatArray, FloatArray]:
    """Return the density, the cases it was fitted to, and the others."""
    n = cases.shape[0]
    if not needs_fit:
        if n < _LEAST:
            msg = f"{n} cases are too few to test a density; {_LEAST} at least."
            raise InsufficientDataError(msg)
        return density, cases[:0], cases
    n_held = round(test_size * n)
    if min(n_held, n - n_held) < _LEAST:
        msg = (
            f"{n} cases leave {n - n_held} to fit and {n_held} to test; {_LEAST} of "
            "each at least."
        )
        raise InsufficientDataError(msg)
    order = rng.permutation(n)
    held, train = cases[order[:n_held]], cases[order[n_held:]]
    from sklearn.base import clone  # slow to load

    copy = clone(density)
    if "random_state" in copy.get_params():
        copy.set_params(random_state=int(rng.integers(2**31)))
    try:
        return copy.fit(train), train, held
    except Exception as error:
        msg = (
            f"{_name_of(density)} cannot be fitted to {train.shape[0]:,} cases: {error}"
        )
        raise UsageError(msg) from error


def _abilities(
    density: Any,
) -> tuple[Callable[[int, np.random.Generator], Any], Any]:
    """Say how to draw from a density, and how to ask it for log-densities."""
    if hasattr(density, "rvs"):
        log_density = getattr(density, "logpdf", None)
        return lambda n, rng: density.rvs(size=n, random_state=rng), log_density
    if hasattr(density, "sample"):
        return lambda n, rng: _sampled(density, n, rng), getattr(
            density, "score_samples", None
        )
    if callable(density):
        return density, None
    msg = (
        "A density must have `sample` or `rvs`, or be a function draw(n, rng); got "
        f"{type(density).__name__}."
    )
    raise UsageError(msg)


def _sampled(density: Any, n: int, rng: np.random.Generator) -> Any:
    import inspect

    if "random_state" in inspect.signature(density.sample).parameters:
        return density.sample(n, random_state=int(rng.integers(2**31)))
    drawn = density.sample(n)
    # A mixture also says which component each draw came from.
    return drawn[0] if isinstance(drawn, tuple) else drawn


def _checked_draws(drawn: Any, n: int, m: int) -> FloatArray:
    points = np.asarray(drawn, dtype=np.float64)
    points = points.reshape(n, -1) if points.shape[:1] == (n,) else points
    if points.shape != (n, m) or not np.isfinite(points).all():
        msg = (
            f"The density must draw {n} finite cases of {m} features; got shape "
            f"{points.shape}."
        )
        raise InvalidInputError(msg)
    return points


def _tests(
    held: FloatArray,
    drawn: FloatArray,
    standardise: bool,
    n_permutations: int,
    rng: np.random.Generator,
) -> tuple[TwoSampleTest, ...]:
    pooled = np.vstack([held, drawn])
    if standardise:
        spread = pooled.std(axis=0)
        pooled = pooled / np.where(spread > 0, spread, 1.0)
    between = distances(pooled - pooled.mean(axis=0))
    rows = []
    for name, stream in zip(STATISTICS, rng.spawn(len(STATISTICS)), strict=True):
        value, p = two_sample_p(
            between, held.shape[0], name, n_permutations=n_permutations, rng=stream
        )
        least = 1 / (1 + n_permutations)
        rows.append(TwoSampleTest(statistic=name, value=value, p=p, smallest_p=least))
    return tuple(rows)


def _likelihood(
    log_density: Any, train: FloatArray, held: FloatArray, level: float
) -> Json:
    names = ("log_likelihood", "low", "high", "gain", "gain_low", "gain_high")
    if log_density is None:
        return {**dict.fromkeys(names, math.nan), "n_impossible": 0}
    points = held[:, 0] if _is_univariate(log_density, held) else held
    values = np.asarray(log_density(points), dtype=np.float64)
    own = values.reshape(held.shape[0], -1).sum(axis=1)
    unknown = int((np.isnan(own) | (own == math.inf)).sum())
    if unknown:
        msg = (
            f"The density gives no number as the log-density of {unknown:,} of "
            f"{own.size:,} held-out cases."
        )
        raise InvalidInputError(msg)
    parts = [*_mean_interval(own, level)]
    if train.shape[0]:
        parts += _mean_interval(own - _normal_log_density(train, held), level)
    else:
        parts += [math.nan] * 3
    impossible = int((own == -math.inf).sum())
    return {**dict(zip(names, parts, strict=True)), "n_impossible": impossible}


def _is_univariate(log_density: Any, held: FloatArray) -> bool:
    return held.shape[1] == 1 and getattr(log_density, "__name__", "") == "logpdf"


def _mean_interval(values: FloatArray, level: float) -> tuple[float, float, float]:
    mean = float(values.mean())
    if not np.isfinite(values).all():
        return mean, math.nan, math.nan
    error = float(values.std(ddof=1)) / math.sqrt(values.size)
    half = float(ndtri(0.5 + level / 2)) * error
    return mean, mean - half, mean + half


def _normal_log_density(train: FloatArray, held: FloatArray) -> FloatArray:
    spread = train.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    z = (held - train.mean(axis=0)) / spread
    values: FloatArray = (-0.5 * z**2 - np.log(spread) - 0.5 * np.log(2 * np.pi)).sum(
        axis=1
    )
    return values
