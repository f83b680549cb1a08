"""Whether a fitted density describes the data, and cases that it has not seen."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtr, stdtrit

from scorecast._core.checks import check_level, check_matrix, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import map_tasks
from scorecast._core.results import Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, Json, RandomState
from scorecast.evaluation.two_sample import (
    STATISTICS,
    distances,
    two_sample_p,
    two_sample_values,
)
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

__all__ = [
    "DensityComparison",
    "DensityPair",
    "DensityTest",
    "TwoSampleTest",
    "compare_densities",
    "density_test",
]

_LEAST = 5
_FEW = 5  # values of a feature that is a code rather than a measurement
_ENOUGH = 30  # cases from which that can be told
_REFITS, _SHUFFLES = 99, 199  # unless a level asks for more
_SPLITS = 5  # of a density that is fitted here
_DRAWS = 5  # for every case, as far as that is not too many
_AS_FAR = 20  # refits as far off, after which no more are needed
_BLOCK = 25  # refits between two looks
_MOST_FAILED = 0.2  # of all refits
_LONGEST_FAILURE = 100  # letters of what an estimator says


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
        Small where the density is wrong: the share of refits to draws of its own, or of
        permutations where it came fitted, that lie as far apart.
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
        Cases that each split fits it to; 0 if it came fitted.
    n_tested, n_draws : int
        Cases, and draws, that were compared by the tests: all cases where p allows for
        the fit, else those held out.
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
    n_splits : int
        Splits into cases to fit and cases held out, over which the log-likelihood is
        averaged; 1 where nothing was fitted.
    n_refits : int
        Samples that were drawn from the density fitted to all cases and fitted anew,
        for p; 0 where p is of permutations, about the density as it is.
    n_failed : int
        Further samples that could not be fitted, or whose fit did not converge though
        that of the data did; they are left out of p, and others drawn for them.
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
    n_splits: int = 1
    n_refits: int = 0
    n_failed: int = 0

    @property
    def p(self) -> float:
        """The smaller p-value, times the number of tests."""
        return min(1.0, min(x.p for x in self.tests) * len(self.tests))

    @property
    def is_rejected(self) -> bool:
        """Whether a test rejects the density, allowing for the number of tests."""
        return self.p <= self.alpha + 1e-12

    def summary(self) -> str:
        """Say the answer in a sentence or two."""
        each = ", ".join(f"{x.statistic} p = {x.p:.3f}" for x in self.tests)
        verdict = (
            "does not describe" if self.is_rejected else "is not shown to misdescribe"
        )
        size = f"{self.n_tested:,} {'' if self.n_refits else 'held-out '}cases"
        allowed = ", allowing for the fit" if self.n_refits else ""
        said = (
            f"{self.density} {verdict} {size} ({each}; {self.alpha:g} over "
            f"{len(self.tests)} tests{allowed})."
        )
        if self.n_impossible:
            said += (
                f" Log-likelihood minus infinity: the density of {self.n_impossible:,} "
                "held-out cases is 0"
            )
        elif math.isfinite(self.log_likelihood):
            said += (
                f" {self._likelihood_name} {self.log_likelihood:,.2f} nats per case "
                f"({100 * self.level:g} %: {self.low:,.2f} to {self.high:,.2f})"
            )
        if math.isfinite(self.gain):
            said += (
                f", {self.gain:+,.2f} ({self.gain_low:+,.2f} to "
                f"{self.gain_high:+,.2f}) beyond independent normals"
            )
        return said if said.endswith(".") else f"{said}."

    @property
    def _likelihood_name(self) -> str:
        if self.n_splits == 1:
            return "Log-likelihood"
        return f"Log-likelihood of cases held out, mean of {self.n_splits} splits,"

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per test."""
        names = ("statistic", "value", "p", "smallest_p")
        return {name: [getattr(x, name) for x in self.tests] for name in names}

    def _parts(self) -> tuple[Json, Json, Json]:
        facts = {k: v for k, v in vars(self).items() if k not in {"tests", "options"}}
        inputs = {k: facts.pop(k) for k in ("n_fitted", "n_tested", "n_draws",
                                            "n_features", "n_splits")}  # fmt: skip
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
    as_fitted: bool = False,
    test_size: float = 0.5,
    n_splits: int | None = None,
    n_refits: int | None = None,
    n_permutations: int | None = None,
    max_cases: int = 1000,
    standardise: bool = True,
    level: float = 0.95,
    alpha: float = 0.05,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> DensityTest:
    """Test whether a density describes the data, and what it gives to cases held out.

    A fitted density is never quite right, were its family the right one: it is rejected
    if it lies farther from the cases than it would on data of its own. Samples are
    drawn from the density fitted to all cases, fitted anew and compared like the data
    (parametric bootstrap). A density that came fitted, or `as_fitted`, is held against
    cases it has not seen as it is, by permutations. The log-likelihood is of cases held
    out, always.

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
    as_fitted : bool, default=False
        Whether the question is about the density as it was fitted to one part of the
        cases, errors of that fit included: exact, and rejects the right family, too,
        where cases are few. One split.
    test_size : float, default=0.5
        Share of the cases that is held out.
    n_splits : int, optional
        Random splits that the log-likelihood is averaged over; 5 by default where the
        density is fitted here.
    n_refits : int, optional
        Most samples that are drawn and fitted anew, 99 by default; fewer are where 20
        of them lie as far off before. As many at least as let one of both tests reject,
        39 at an `alpha` of 0.05. Samples that cannot be fitted, or do not converge
        (``converged_``) though the data do, are left out, counted, and replaced.
    n_permutations : int, optional
        Permutations of each test where nothing is fitted anew, 199 by default; 39 at
        least, as above.
    max_cases : int, default=1000
        Most held-out cases, and draws, that are compared; others are left out at
        random, of the tests only.
    standardise : bool, default=True
        Whether features are divided by their pooled standard deviation first.
    level, alpha : float, default=0.95 and 0.05
        Level of intervals, and of the tests together.
    random_state : int, Generator or None, default=0
        Seed of everything.
    n_jobs : int, optional
        Workers that fit anew; the answer does not depend on it.

    Returns
    -------
    DensityTest
        Two tests, and the log-likelihood of held-out cases where the density has one.

    Raises
    ------
    InsufficientDataError
        If there are too few cases, or more than a fifth of the samples that are drawn
        from the density cannot be fitted.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> X = np.random.default_rng(0).normal(size=(100, 1))
    >>> density_test(norm(), X).is_rejected
    False
    >>> density_test(norm(2.0), X).is_rejected
    True
    """
    setting = _Setting.of(
        test_size=test_size, n_splits=n_splits, n_refits=n_refits,
        n_permutations=n_permutations, max_cases=max_cases, standardise=standardise,
        level=level, alpha=alpha, seed=seed_number(random_state), as_fitted=as_fitted,
        n_jobs=n_jobs,
    )  # fmt: skip
    cases = np.asarray(check_matrix(X, "X"), dtype=np.float64)
    return _tested(density, cases, setting, as_generator(random_state), prefit)[0]


@checked_keywords
def compare_densities(
    densities: Mapping[str, Any] | Sequence[Any],
    X: ArrayLike,
    *,
    test_size: float = 0.5,
    n_splits: int | None = None,
    n_refits: int | None = None,
    n_permutations: int | None = None,
    max_cases: int = 1000,
    standardise: bool = True,
    level: float = 0.95,
    alpha: float = 0.05,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> DensityComparison:
    """Test several densities, and say which of them gives held-out cases most.

    Parameters
    ----------
    densities : mapping of str to object, or sequence of object
        As `density_test` takes them, each with log-densities; by their names, or named
        after themselves. Those that can be fitted are, to the same splits.
    X : array-like of shape (n, m)
        The cases.
    test_size, n_splits, n_refits, n_permutations, max_cases, standardise : optional
        As for `density_test`.
    level, alpha : float, default=0.95 and 0.05
        Level of intervals; of all tests of all densities together, and of all
        differences together.
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
    """
    named = _named(densities)
    setting = _Setting.of(
        test_size=test_size, n_splits=n_splits or _SPLITS, n_refits=n_refits,
        n_permutations=n_permutations, max_cases=max_cases, standardise=standardise,
        level=level, alpha=alpha, seed=seed_number(random_state), as_fitted=False,
        n_jobs=n_jobs, n_tests=len(STATISTICS) * len(named),
    )  # fmt: skip
    cases = np.asarray(check_matrix(X, "X"), dtype=np.float64)
    # One seed for all: the same splits, so that the same cases are compared.
    seed = int(as_generator(random_state).integers(2**63))
    tests, values = [], []
    for name, density in named.items():
        rng = np.random.default_rng(seed)
        found, own = _tested(density, cases, setting, rng, False, split_all=True)
        if own is None:
            msg = (
                f"{name} gives no log-density, by which densities are compared; "
                "density_test looks at its draws alone."
            )
            raise UsageError(msg)
        tests.append(replace(found, density=name))
        values.append(own)
    return DensityComparison(
        tests=tuple(tests),
        pairs=_pairs(list(named), values, setting.level),
        level=setting.level,
        alpha=setting.alpha,
        seed=setting.seed,
    )


@dataclass(frozen=True, kw_only=True)
class DensityPair:
    """The difference of two densities in held-out log-likelihood.

    Attributes
    ----------
    a, b : str
        The densities.
    difference, low, high : float
        Mean log-density of held-out cases in nats per case, `a` less `b`, with the
        interval of this pair alone; NaN where both give a case density 0.
    p, p_adjusted : float
        Two-sided p-value of a t-test over cases, and the same adjusted for all pairs
        after Holm; NaN where it is unknown.
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DensityComparison(Result):
    """Several densities of the same cases.

    Attributes
    ----------
    tests : tuple of DensityTest
        The test of each, in the order given.
    pairs : tuple of DensityPair
        All pairs.
    level, alpha : float
        Of intervals, and of all tests together.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "density-comparison"

    tests: tuple[DensityTest, ...]
    pairs: tuple[DensityPair, ...]
    level: float
    alpha: float
    seed: int | None

    @property
    def order(self) -> tuple[str, ...]:
        """The densities from the highest held-out log-likelihood to the lowest."""
        ordered = sorted(self.tests, key=lambda x: -x.log_likelihood)
        return tuple(x.density for x in ordered)

    @property
    def best(self) -> str:
        """The first in `order`."""
        return self.order[0]

    @property
    def rejected(self) -> tuple[str, ...]:
        """Densities that are rejected, allowing for the tests of all (Holm)."""
        p = _holm(np.array([x.p for x in self.tests]))
        return tuple(
            x.density
            for x, q in zip(self.tests, p, strict=True)
            if q <= self.alpha + 1e-12
        )

    def test(self, name: str) -> DensityTest:
        """Return the test of one density.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        DensityTest
            The test.

        Raises
        ------
        UsageError
            If there is none of that name.
        """
        for found in self.tests:
            if found.density == name:
                return found
        known = ", ".join(x.density for x in self.tests)
        msg = f"There is no density {name!r} but {known}."
        raise UsageError(msg)

    def beats(self, a: str, b: str) -> bool:
        """Tell whether a density is told apart from another, as the more likely."""
        for pair in self.pairs:
            if {pair.a, pair.b} == {a, b}:
                gap = pair.difference if pair.a == a else -pair.difference
                return pair.p_adjusted <= self.alpha + 1e-12 and gap > 0
        return False

    def summary(self) -> str:
        """Say the answer in a few sentences."""
        first = self.test(self.best)
        value = "minus infinity"
        if math.isfinite(first.log_likelihood):
            value = f"{first.log_likelihood:,.2f} nats per case"
        said = (
            f"Of {len(self.tests)} densities {self.best} gives held-out cases the "
            f"highest log-likelihood ({value})."
        )
        others = self.order[1:]
        told = [x for x in others if self.beats(self.best, x)]
        rest = [x for x in others if x not in told]
        if told:
            said += f" It is above {_listed(told)}."
        if rest:
            said += f" It is not told apart from {_listed(rest)}."
        rejected = self.rejected
        verdict = "None is shown to misdescribe them"
        if rejected:
            verb = "does" if len(rejected) == 1 else "do"
            verdict = f"{_listed(rejected)} {verb} not describe them"
        return f"{said} {verdict} ({self.alpha:g} over all tests)."

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader must know, each once."""
        said = (text for test in self.tests for text in test.warnings)
        return tuple(dict.fromkeys(said))

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per pair."""
        rows = [asdict(pair) for pair in self.pairs]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {"densities": [x.density for x in self.tests]}
        options = {"level": self.level, "alpha": self.alpha, "seed": self.seed}
        result = {
            "best": self.best,
            "rejected": list(self.rejected),
            "tests": [x.to_dict() for x in self.tests],
            "pairs": [asdict(x) for x in self.pairs],
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        del inputs
        return cls(
            tests=tuple(DensityTest.from_dict(x) for x in result["tests"]),
            pairs=tuple(_pair_from(x) for x in result["pairs"]),
            **options,
        )


def _pair_from(row: Json) -> DensityPair:
    known: Json = {k: math.nan if v is None else v for k, v in row.items()}
    return DensityPair(**known)


@dataclass(frozen=True, kw_only=True)
class _Setting:
    """How densities are tested, checked."""

    test_size: float
    n_splits: int
    n_refits: int
    n_permutations: int
    max_cases: int
    standardise: bool
    level: float
    alpha: float
    seed: int | None
    as_fitted: bool
    n_jobs: int | None

    @classmethod
    def of(
        cls,
        *,
        n_splits: int | None,
        as_fitted: bool,
        n_jobs: int | None,
        n_tests: int = len(STATISTICS),
        **given: Any,
    ) -> Self:
        level = check_level(given.pop("level"))
        alpha = check_level(given.pop("alpha"), "alpha")
        check_level(given["test_size"], "test_size")
        # The smallest p, times the number of tests, must be able to reach alpha.
        enough = math.ceil(n_tests / alpha - 1e-9) - 1
        for name, usual in (("n_refits", _REFITS), ("n_permutations", _SHUFFLES)):
            if given[name] is None:
                given[name] = max(usual, enough)
            _check_count(name, given[name], enough, f" at `alpha` {alpha:g}")
        _check_count("max_cases", given["max_cases"], _LEAST)
        if n_splits is not None:
            _check_count("n_splits", n_splits, 1)
        if as_fitted and (n_splits or 1) > 1:
            msg = "`as_fitted` is about the density of one split: leave out `n_splits`."
            raise UsageError(msg)
        splits = 1 if as_fitted else int(n_splits or _SPLITS)
        return cls(
            level=level, alpha=alpha, n_splits=splits, as_fitted=as_fitted,
            n_jobs=check_n_jobs(n_jobs), **given,
        )  # fmt: skip


def _tested(
    density: Any,
    cases: FloatArray,
    setting: _Setting,
    rng: np.random.Generator,
    prefit: bool,
    *,
    split_all: bool = False,
) -> tuple[DensityTest, FloatArray | None]:
    """Test one density; also return log-densities of cases, NaN where not held out."""
    needs_fit = not prefit and hasattr(density, "fit")
    n = cases.shape[0]
    split_rng, fit_rng, test_rng, refit_rng = rng.spawn(4)
    held: list[IntArray] = [np.arange(n)]
    if needs_fit or split_all:
        held = _splits(n, setting, split_rng)
    elif n < _LEAST:
        msg = f"{n} cases are too few to test a density; {_LEAST} at least."
        raise InsufficientDataError(msg)
    fitted = _fits(density, cases, held, fit_rng) if needs_fit else [density]
    if needs_fit and not setting.as_fitted:
        anew = _by_refits(density, cases, setting, refit_rng)
        tests, n_refits = anew.tests, anew.n_refits
    else:
        of = cases[held[0]] if needs_fit else cases
        anew, n_refits = None, 0
        tests = _by_permutations(fitted[0], of, setting, test_rng)
    own, mean = _likelihood(fitted, cases, held, needs_fit, setting.level)
    n_held = held[0].size if needs_fit else n
    n_compared = n if n_refits else n_held
    used = min(n_compared, int(setting.max_cases))
    found = DensityTest(
        tests=tests,
        **mean,
        n_fitted=n - n_held if needs_fit else 0,
        n_tested=used,
        n_draws=_n_draws(used, setting) if n_refits else used,
        n_features=cases.shape[1],
        level=setting.level,
        alpha=setting.alpha,
        seed=setting.seed,
        density=_name_of(density),
        options={
            "n_permutations": 0 if n_refits else int(setting.n_permutations),
            "standardise": setting.standardise,
        },
        warnings=(
            *_warned(n_compared - used, int(mean["n_impossible"]), n_held),
            *([] if anew is None else _failures_said(anew)),
            *_coded_said(cases),
        ),
        n_splits=len(held) if needs_fit else 1,
        n_refits=n_refits,
        n_failed=0 if anew is None else anew.n_failed,
    )
    return found, own


def _named(densities: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Return densities by their names."""
    if isinstance(densities, Mapping):
        named = {str(name): density for name, density in densities.items()}
    elif isinstance(densities, list | tuple):
        names = [_name_of(density) for density in densities]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            msg = f"Two densities are called {twice[0]}: name them in a dictionary."
            raise UsageError(msg)
        named = dict(zip(names, densities, strict=True))
    else:
        named = {}
    if len(named) < 2:
        msg = "A comparison needs two densities at least: a list, or a dictionary."
        raise UsageError(msg)
    return named


def _listed(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _holm(p: FloatArray) -> FloatArray:
    """Adjust p-values so that the chance of any false claim is held."""
    known = np.where(np.isnan(p), 1.0, p)
    order = np.argsort(known)
    steps = known[order] * np.arange(p.size, 0, -1)
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return np.where(np.isnan(p), np.nan, adjusted)


def _pairs(
    names: list[str], values: list[FloatArray], level: float
) -> tuple[DensityPair, ...]:
    """Compare log-densities of the same cases, pair by pair."""
    rows = []
    for i, j in zip(*np.triu_indices(len(names), 1), strict=True):
        held = ~np.isnan(values[i]) & ~np.isnan(values[j])
        with np.errstate(invalid="ignore"):
            gaps = values[i][held] - values[j][held]
        rows.append((names[i], names[j], *_difference(gaps, level)))
    adjusted = _holm(np.array([row[-1] for row in rows]))
    return tuple(
        DensityPair(a=a, b=b, difference=gap, low=low, high=high, p=p, p_adjusted=q)
        for (a, b, gap, low, high, p), q in zip(rows, adjusted.tolist(), strict=True)
    )


def _difference(gaps: FloatArray, level: float) -> tuple[float, float, float, float]:
    if not np.isfinite(gaps).all():
        return math.nan, math.nan, math.nan, math.nan
    mean, n = float(gaps.mean()), gaps.size
    error = float(gaps.std(ddof=1)) / math.sqrt(n)
    if error <= 1e-12 * abs(mean) or error == 0:
        return mean, mean, mean, 1.0 if mean == 0 else math.nan
    half = float(stdtrit(n - 1, 0.5 + level / 2)) * error
    p = min(1.0, 2 * float(stdtr(n - 1, -abs(mean) / error)))
    return mean, mean - half, mean + half, p


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


def _splits(n: int, setting: _Setting, rng: np.random.Generator) -> list[IntArray]:
    """Draw the cases that each split holds out."""
    n_held = round(setting.test_size * n)
    if min(n_held, n - n_held) < _LEAST:
        msg = (
            f"{n} cases leave {n - n_held} to fit and {n_held} to test; {_LEAST} of "
            "each at least."
        )
        raise InsufficientDataError(msg)
    return [rng.permutation(n)[:n_held] for _ in range(setting.n_splits)]


def _fits(
    density: Any, cases: FloatArray, held: list[IntArray], rng: np.random.Generator
) -> list[Any]:
    """Fit the density to the cases that each split leaves."""
    found = []
    for out in held:
        kept = np.ones(cases.shape[0], dtype=bool)
        kept[out] = False
        found.append(_fit(density, cases[kept], rng))
    return found


def _fit(density: Any, cases: FloatArray, rng: np.random.Generator) -> Any:
    from sklearn.base import clone  # slow to load

    copy = clone(density)
    _reseed(copy, rng)
    try:
        return copy.fit(cases)
    except Exception as error:
        msg = (
            f"{_name_of(density)} cannot be fitted to {cases.shape[0]:,} cases: {error}"
        )
        raise UsageError(msg) from error


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


def _drawn(density: Any, n: int, m: int, rng: np.random.Generator) -> FloatArray:
    return _checked_draws(_abilities(density)[0](n, rng), n, m)


def _between(held: FloatArray, drawn: FloatArray, standardise: bool) -> FloatArray:
    """Return distances of all pairs, those of held-out cases first."""
    pooled = np.vstack([held, drawn])
    if standardise:
        spread = pooled.std(axis=0)
        pooled = pooled / np.where(spread > 0, spread, 1.0)
    return distances(pooled - pooled.mean(axis=0))


def _some(held: FloatArray, setting: _Setting, rng: np.random.Generator) -> FloatArray:
    n = min(held.shape[0], int(setting.max_cases))
    kept: FloatArray = held[rng.choice(held.shape[0], n, replace=False)]
    return kept


def _n_draws(n_held: int, setting: _Setting) -> int:
    """Draw several times as many cases as there are: draws are luck, too."""
    return max(n_held, min(_DRAWS * n_held, int(setting.max_cases)))


def _by_permutations(
    density: Any, held: FloatArray, setting: _Setting, rng: np.random.Generator
) -> tuple[TwoSampleTest, ...]:
    """Test a density as it is: exact."""
    draws_rng, *streams = rng.spawn(1 + len(STATISTICS))
    kept = _some(held, setting, draws_rng)
    drawn = _drawn(density, kept.shape[0], held.shape[1], draws_rng)
    between = _between(kept, drawn, setting.standardise)
    count = int(setting.n_permutations)
    rows = []
    for name, stream in zip(STATISTICS, streams, strict=True):
        value, p = two_sample_p(
            between, kept.shape[0], name, n_permutations=count, rng=stream
        )
        least = 1 / (1 + count)
        rows.append(TwoSampleTest(statistic=name, value=value, p=p, smallest_p=least))
    return tuple(rows)


@dataclass(frozen=True, kw_only=True)
class _Refit:
    """One sample of the density fitted to all cases, to be treated like them."""

    density: Any
    whole: Any
    shape: tuple[int, int]
    setting: _Setting


class _Refitted(NamedTuple):
    """Distances of one sample, or why it has none."""

    values: FloatArray | None
    failure: str = ""


@dataclass(frozen=True, kw_only=True)
class _Anew:
    """What samples that were fitted anew say."""

    tests: tuple[TwoSampleTest, ...]
    n_refits: int
    n_failed: int
    first_failure: str


def _failures_said(anew: _Anew) -> tuple[str, ...]:
    if not anew.n_failed:
        return ()
    n_all, one = anew.n_refits + anew.n_failed, anew.n_failed == 1
    return (
        f"{anew.n_failed:,} of {n_all:,} samples drawn from the density could not be "
        f"fitted ({'' if one else 'the first: '}{anew.first_failure}): p leaves "
        f"{'it' if one else 'them'} out.",
    )


def _by_refits(
    density: Any,
    cases: FloatArray,
    setting: _Setting,
    rng: np.random.Generator,
) -> _Anew:
    """Test a family: whether its fit is farther off than on samples of its own.

    The density is fitted to all cases and held against them: that it lies closer to
    them than to others is so of every refit, too, and leaves more to be seen of a
    wrong family than cases held out do.

    Refits end once both statistics were as far off often enough (Besag and Clifford
    1991): p is then the share of them so far, and the test keeps its level.

    The data could be fitted, so they are held against samples that can be: those that
    fail are neither far off nor near. Others are drawn for them, up to a fifth of all.
    """
    wanted = int(setting.n_refits)
    own_rng, whole_rng, *streams = rng.spawn(2 + wanted + wanted // 4)
    whole = _fit(density, cases, whole_rng)
    seen = _distances_of(whole, cases, setting, own_rng)
    _refuse_same(whole, cases.shape, whole_rng)
    task = _Refit(density=density, whole=whole, shape=cases.shape, setting=setting)
    drawn: list[FloatArray] = []
    failures: list[str] = []
    while len(drawn) < wanted:
        taken = len(drawn) + len(failures)
        block = streams[taken : taken + min(_BLOCK, wanted - len(drawn))]
        found = map_tasks(
            _refitted, [task] * len(block), rng=block, n_jobs=setting.n_jobs,
            what="fitting anew",
        )  # fmt: skip
        drawn += [one.values for one in found if one.values is not None]
        failures += [one.failure for one in found if one.values is None]
        far = np.array(drawn).reshape(-1, seen.size) >= seen * (1 - 1e-12)
        if len(failures) > wanted // 4 or (far.sum(axis=0) >= _AS_FAR).all():
            break
    _refuse_failures(density, len(drawn), failures)
    rows = []
    for place, name in enumerate(STATISTICS):
        times = np.cumsum(far[:, place])
        p = (1 + int(times[-1])) / (1 + len(drawn))
        if times[-1] >= _AS_FAR:
            p = _AS_FAR / (1 + int(np.argmax(times >= _AS_FAR)))
        rows.append(
            TwoSampleTest(
                statistic=name, value=float(seen[place]), p=min(p, 1.0),
                smallest_p=1 / (1 + wanted),
            )
        )  # fmt: skip
    return _Anew(
        tests=tuple(rows), n_refits=len(drawn), n_failed=len(failures),
        first_failure=failures[0] if failures else "",
    )  # fmt: skip


def _refuse_failures(density: Any, n_drawn: int, failures: list[str]) -> None:
    """Refuse a p from what little could be fitted."""
    n_all = n_drawn + len(failures)
    if len(failures) <= _MOST_FAILED * n_all:
        return
    msg = (
        f"{len(failures):,} of {n_all:,} samples drawn from {_name_of(density)} could "
        f"not be fitted (the first: {failures[0]}), which is more than a fifth: too "
        "few are left to hold the data against. Give it more iterations or fewer "
        "parameters, or pass as_fitted=True (--as-fitted)."
    )
    raise InsufficientDataError(msg)


def _refuse_same(whole: Any, shape: tuple[int, int], rng: np.random.Generator) -> None:
    """Refuse a density of which every sample is the same."""
    drawn = []
    for _ in range(2):
        _reseed(whole, rng)
        drawn.append(_drawn(whole, *shape, rng))
    if np.array_equal(drawn[0], drawn[1]):
        msg = (
            "The density draws the same cases every time: give it a `random_state` "
            "that can be set, or let `sample` take one."
        )
        raise InvalidInputError(msg)


def _refitted(task: _Refit, rng: np.random.Generator) -> _Refitted:
    """Return the distances of one sample, or why it cannot be fitted."""
    from copy import copy

    whole = copy(task.whole)
    _reseed(whole, rng)
    cases = _drawn(whole, *task.shape, rng)[rng.permutation(task.shape[0])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said of the data, not of samples like them
        try:
            fitted = _fit(task.density, cases, rng)
            # Where the data did not converge either, samples are treated like them.
            if _converged(task.whole) and not _converged(fitted):
                return _Refitted(None, "it did not converge")
            values = _distances_of(fitted, cases, task.setting, rng)
        except (ValueError, ArithmeticError) as error:
            cause = error.__cause__ or error
            return _Refitted(None, " ".join(str(cause).split())[:_LONGEST_FAILURE])
    return _Refitted(values)


def _converged(fitted: Any) -> bool:
    """Tell whether a fit converged, of an estimator that says so."""
    return bool(getattr(fitted, "converged_", True))


def _distances_of(
    density: Any, cases: FloatArray, setting: _Setting, rng: np.random.Generator
) -> FloatArray:
    """Return both statistics between cases and draws of a density."""
    kept = _some(cases, setting, rng)
    _reseed(density, rng)
    drawn = _drawn(density, _n_draws(kept.shape[0], setting), cases.shape[1], rng)
    between = _between(kept, drawn, setting.standardise)
    return two_sample_values(between, kept.shape[0])


def _likelihood(
    fitted: list[Any],
    cases: FloatArray,
    held: list[IntArray],
    needs_fit: bool,
    level: float,
) -> tuple[FloatArray | None, Json]:
    """Return log-densities of cases, mean over the splits that held them out."""
    names = ("log_likelihood", "low", "high", "gain", "gain_low", "gain_high")
    if _abilities(fitted[0])[1] is None:
        return None, {**dict.fromkeys(names, math.nan), "n_impossible": 0}
    total, base = np.zeros((2, cases.shape[0]))
    times = np.zeros(cases.shape[0])
    for place, out in enumerate(held):
        density = fitted[place] if needs_fit else fitted[0]
        total[out] += _log_densities(_abilities(density)[1], cases[out])
        times[out] += 1
        if needs_fit:
            kept = np.ones(cases.shape[0], dtype=bool)
            kept[out] = False
            base[out] += _normal_log_density(cases[kept], cases[out])
    seen = times > 0
    own = total[seen] / times[seen]
    parts = [*_mean_interval(own, level)]
    if needs_fit:
        parts += _mean_interval(own - base[seen] / times[seen], level)
    else:
        parts += [math.nan] * 3
    impossible = int((own == -math.inf).sum())
    every = np.full(cases.shape[0], math.nan)
    every[seen] = own
    return every, {**dict(zip(names, parts, strict=True)), "n_impossible": impossible}


def _log_densities(log_density: Any, held: FloatArray) -> FloatArray:
    points = held[:, 0] if _is_univariate(log_density, held) else held
    values = np.asarray(log_density(points), dtype=np.float64)
    own: FloatArray = values.reshape(held.shape[0], -1).sum(axis=1)
    unknown = int((np.isnan(own) | (own == math.inf)).sum())
    if unknown:
        msg = (
            f"The density gives no number as the log-density of {unknown:,} of "
            f"{own.size:,} held-out cases."
        )
        raise InvalidInputError(msg)
    return own


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
