"""How much the forecasts know: from cases to an answer."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scorecast._core.checks import (
    NATS_PER,
    check_count,
    check_n_jobs,
    check_one_of,
    check_share,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.progress import stage, stages
from scorecast._core.result import Note
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import InvalidInputError, NotConvergedError, UsageError
from scorecast.information.columns import check_column, check_same_length
from scorecast.information.forecasts import Forecasts, like_probabilities
from scorecast.information.groups import (
    MOST_GROUP_RUNS,
    GroupDraws,
    GroupInformation,
    groups_of,
    n_groups,
)
from scorecast.information.influence import Influence, influence_of, worst_cases
from scorecast.information.notes import (
    FLOOR,
    InformationNote,
    warn_of,
    without_impossible,
)
from scorecast.information.population import check_group_weights, population_of
from scorecast.information.posterior import (
    InformationPosterior,
    count_shared,
    has_lone_case,
    has_long_tail,
    pareto_means,
    plain_means,
    posterior_of,
    spread_ties,
)
from scorecast.information.prior_of_j import (
    PriorCandidate,
    prior_by_evidence,
    prior_of_j,
)
from scorecast.information.reliability import reliability_of
from scorecast.information.result import (
    ApparentInformation,
    NormalInterval,
    betting_of,
    spread_of,
    verdict_of,
)
from scorecast.mixtures import (
    MixturePosterior,
    Prior,
    Sampling,
    can_sample,
    sample_posterior,
    sample_short_chains,
)

EVIDENCE = "evidence"
MOST_CASES = 10_000  # that a mixture is fitted to unasked: of more it moves nothing
_MOST_DRAWN = 50_000  # that one is fitted to where chains are asked for
_OTHER_DRAWS = 8000
_MANY_TIES = 0.1  # share of the cases
_APART = 0.5  # of the spread of the mixture's posterior, from which views part


@dataclass(frozen=True, kw_only=True)
class PosteriorSettings:
    """The rarer settings of a posterior of J.

    Parameters
    ----------
    prior : scorecast.mixtures.Prior or "evidence", optional
        Prior of the distribution of j (N = 1); by default the paper's,
        ``Prior.information()``, which expects J within 2.6 nats of zero;
        ``Prior.information().scaled(4)`` is four times as wide. ``"evidence"`` looks
        which of five widths foretells the cases best, which takes a minute or two and
        needs the compiler, and leaves the paper's unless another is clearly ahead.
    sampling : Sampling, optional
        Number and length of compiled chains. By default many short chains, which need
        no compiler, up to 5,000 cases, and compiled ones beyond.
    max_samples : int, optional
        Most cases for the mixture; of more, a random choice is used, with a warning. By
        default it is fitted to all of up to 10,000 cases and to none of more, whose
        plain mean and Pareto tails settle what J is; 50,000 where `sampling` is given.
    max_seconds : float, default=60
        How long the chains of one posterior may go on beyond what was planned while
        they disagree.
    allow_unconverged : bool, default=False
        Whether to answer, with a stamp, where the chains disagree.
    influence : bool, default=True
        Whether to say what the answer would be without its most influential case,
        which may take as long again.

    Examples
    --------
    >>> PosteriorSettings(max_samples=2000, influence=False).max_seconds
    60.0
    """

    prior: Prior | str | None = None
    sampling: Sampling | None = None
    max_samples: int | None = None
    max_seconds: float = 60.0
    allow_unconverged: bool = False
    influence: bool = True

    def __post_init__(self) -> None:
        if self.max_samples is not None:
            check_count(self.max_samples, "max_samples")
        if not isinstance(self.max_seconds, numbers.Real) or not self.max_seconds >= 0:
            problem = f"must be a number of seconds from 0; got {self.max_seconds!r}"
            raise UsageError(problem, parameter="max_seconds")
        if self.prior not in (None, EVIDENCE) and not isinstance(self.prior, Prior):
            problem = f"must be a Prior or {EVIDENCE!r}; got {self.prior!r}"
            raise UsageError(problem, parameter="prior")


@checked_keywords
def apparent_information(
    forecasts: Forecasts | ArrayLike,
    log_p: ArrayLike | None = None,
    *,
    groups: Iterable[Hashable] | None = None,
    group_weights: Mapping[Any, float] | None = None,
    units: str = "bits",
    confidence_level: float = 0.95,
    tails: str = "all",
    quick: bool = False,
    settings: PosteriorSettings | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> ApparentInformation:
    r"""Say how much forecasts know beyond a prior, and how sure that is.

    The apparent Shannon information of a case is

    .. math:: j = \log Q(\text{what happened}) - \log P(\text{what happened}).

    Its mean over all cases there might be, J, is what forecasts are worth. Since j has
    long tails, J gets a posterior from a mixture of skew-Student distributions, and the
    interval holds other views of the tails as well.

    Parameters
    ----------
    forecasts : Forecasts or array-like of shape (n,)
        Made by one of the constructors of `Forecasts`; or natural log-probabilities
        (or log-densities) that the forecast gave to what happened.
    log_p : array-like of shape (n,), optional
        The same of the prior; not needed with `Forecasts`.
    groups : iterable of hashable, optional
        Group of every case.
    group_weights : mapping of group to float, optional
        How frequent every group is where forecasts will be used, as shares or counts:
        J of that population is the weighted sum of the J of groups.
    units : {"bits", "nats"}, default="bits"
        Units of all amounts in the answer.
    confidence_level : float, default=0.95
        Level of the intervals.
    tails : {"all", "mixture"}, default="all"
        Whether the interval holds those of other views of the tails as well: Pareto
        tails learned from the far cases alone, and the normal approximation. The
        mixture by itself is too sure where one tail is long.
    quick : bool, default=False
        Whether to leave the mixture out: the plain mean, with an interval that holds
        Student's t and that of Pareto tails. At once, and marked.
    settings : PosteriorSettings, optional
        Prior, chains, limits of cases and time.
    random_state : int, Generator or None, default=0
        Seed of the chains.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.
    checkpoint : str or path-like, optional
        File that keeps the state of a long run, from which the same call goes on.

    Returns
    -------
    ApparentInformation
        Mean, posterior, worst cases, betting view and more.

    Raises
    ------
    NotConvergedError
        If the chains disagree and that was not allowed.
    InvalidInputError
        If the input holds NaN, or cases the prior rules out.

    References
    ----------
    R. Sewell (2024). Assessment of the quality of a prediction.

    J. Pickands (1975). Statistical inference using extreme order statistics. Annals of
    Statistics 3, 119-131.

    Examples
    --------
    >>> happened = np.random.default_rng(0).random(80) < 0.7
    >>> chance = np.where(happened, 0.7, 0.3)
    >>> forecasts = Forecasts.from_probabilities(chance, np.full(80, 0.5))
    >>> answer = apparent_information(forecasts, quick=True)
    >>> round(answer.mean, 3), str(answer.verdict)
    (0.134, 'very-probably-better')
    """
    given = _as_forecasts(forecasts, log_p)
    question = _Question(
        units,
        confidence_level,
        tails,
        quick,
        settings,
        random_state,
        n_jobs,
        checkpoint,
    )
    grouped = given if groups is None else given.with_groups(groups)
    return question.answer(grouped, group_weights=group_weights)


@checked_keywords
def compare_information(
    first: Forecasts | ArrayLike,
    second: Forecasts | ArrayLike,
    *,
    names: tuple[str, str] | None = None,
    groups: Iterable[Hashable] | None = None,
    group_weights: Mapping[Any, float] | None = None,
    units: str = "bits",
    confidence_level: float = 0.95,
    tails: str = "all",
    quick: bool = False,
    settings: PosteriorSettings | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> ApparentInformation:
    r"""Say how much one forecaster knows beyond another, case by case.

    The relative information of a case is :math:`\log Q_1 - \log Q_0`. It is what the
    first knows beyond any prior, less what the second knows: in every sample, exactly.

    Parameters
    ----------
    first, second : Forecasts or array-like of shape (n,)
        Forecasts of the same cases in the same order; or natural log-probabilities (or
        log-densities) that the two gave to what happened.
    names : tuple of two str, optional
        What the answer calls the two forecasters.
    groups, group_weights, units, confidence_level, tails, quick, settings : optional
        As for `apparent_information`.
    random_state : int, Generator or None, default=0
        Seed of the chains.
    n_jobs : int, optional
        Number of workers.
    checkpoint : str or path-like, optional
        File that keeps the state of a long run.

    Returns
    -------
    ApparentInformation
        Positive where the first knows more.

    Raises
    ------
    InvalidInputError
        If they are not of the same cases, or the second gave no chance to what
        happened.

    References
    ----------
    R. Sewell (2024). Assessment of the quality of a prediction.

    Examples
    --------
    >>> happened = np.random.default_rng(0).random(200) < 0.7
    >>> good, poor = (np.log(np.where(happened, q, 1 - q)) for q in (0.7, 0.4))
    >>> answer = compare_information(good, poor, quick=True)
    >>> round(answer.mean, 2), str(answer.verdict)
    (0.15, 'very-probably-better')
    """
    if names is not None and len(names) != 2:
        problem = f"must be the names of two forecasters; got {names!r}"
        raise UsageError(problem, parameter="names")
    given = _relative(first, second)
    question = _Question(
        units,
        confidence_level,
        tails,
        quick,
        settings,
        random_state,
        n_jobs,
        checkpoint,
    )
    named = None if names is None else (str(names[0]), str(names[1]))
    grouped = given if groups is None else given.with_groups(groups)
    return question.answer(grouped, named, group_weights=group_weights)


def _as_forecasts(given: Forecasts | ArrayLike, log_p: ArrayLike | None) -> Forecasts:
    if isinstance(given, Forecasts):
        if log_p is None:
            return given
        problem = "forecasts hold their prior already: leave it out"
        raise UsageError(problem, parameter="log_p")
    if log_p is None:
        problem = "information is relative to a prior: give its logarithms as well"
        raise UsageError(problem, parameter="log_p")
    return Forecasts.from_logs(given, log_p)


def _relative(first: Forecasts | ArrayLike, second: Forecasts | ArrayLike) -> Forecasts:
    """Hold forecasts, or their logarithms, against one another."""
    given = {"first": first, "second": second}
    are_arrays = [not isinstance(x, Forecasts) for x in given.values()]
    made = {
        name: x if isinstance(x, Forecasts) else _of_logs(x, name)
        for name, x in given.items()
    }
    if any(are_arrays) and any(x.log_q is None for x in made.values()):
        problem = "log-ratios compare with those of others against the same prior only"
        raise UsageError(problem, parameter="second")
    check_same_length(first=made["first"].j, second=made["second"].j)
    notes: tuple[Note, ...] = ()
    if all(are_arrays):
        notes = like_probabilities(first=made["first"].j, second=made["second"].j)
        warn_of(notes)
    relative = made["first"].relative_to(made["second"])
    return replace(relative, notes=(*relative.notes, *notes))


def _of_logs(log_q: ArrayLike, parameter: str) -> Forecasts:
    """Take logarithms as forecasts against a certain prior, which cancels."""
    q = check_column(log_q, parameter, allow_negative_infinity=True)
    return Forecasts(j=q, log_q=q, log_p=np.zeros_like(q))


class _Question:
    """What is asked of forecasts, and how the answer is put together."""

    def __init__(
        self,
        units: str,
        confidence_level: float,
        tails: str,
        quick: bool,
        settings: PosteriorSettings | None,
        random_state: RandomState,
        n_jobs: int | None,
        checkpoint: str | os.PathLike[str] | None,
    ) -> None:
        self.units = check_one_of(units, "units", tuple(NATS_PER))
        self.unit = NATS_PER[units]
        self.level = check_share(confidence_level, "confidence_level", is_open=True)
        self.is_quick = quick
        self.settings = settings or PosteriorSettings()
        self.seed = seed_number(random_state)
        given = self.settings.prior
        if quick and given == EVIDENCE:
            problem = "has no say in a quick look, which has no mixture"
            raise UsageError(problem, parameter="prior", remedy="leave it out")
        self.simulation = Simulation(
            settings=self.settings,
            prior=given if isinstance(given, Prior) else Prior.information(),
            tails=check_one_of(tails, "tails", ("all", "mixture")),
            seeds=_seeds(as_generator(random_state)),
            n_jobs=check_n_jobs(n_jobs),
            checkpoint=None if checkpoint is None else Path(checkpoint),
        )

    def answer(
        self,
        forecasts: Forecasts,
        names: tuple[str, str] | None = None,
        *,
        group_weights: Mapping[Any, float] | None = None,
    ) -> ApparentInformation:
        """Put the answer together.

        Seeds are drawn one after the other: for the choice of cases, the chains, other
        views, the case left out, groups, J before any case, the sum of groups.
        """
        weights = None
        if group_weights is not None:
            weights = check_group_weights(group_weights, forecasts.groups)
        possible = forecasts.j[forecasts.is_possible]
        if not possible.size:
            raise InvalidInputError(
                "the forecast gave no chance to what happened in all "
                f"{forecasts.n:,} cases: the information is minus infinity and nothing "
                "more can be said",
                parameter="forecasts",
                remedy=f"a floor of {FLOOR:g} would raise every smaller chance to "
                f"{FLOOR:g}",
                option="floor",
            )
        unit = self.unit
        is_quick = self.is_quick and bool(np.ptp(possible) > 0)
        has_mixture = not is_quick and self.simulation.has_mixture(possible)
        if not (is_quick or has_mixture):
            self._refuse_mixture(possible.size)
        parts = {
            "choice of the prior": 30.0 * (self.settings.prior == EVIDENCE),
            "posterior of J": 1.0,
            "without one case": 0.5 * self._asks_influence,
            "groups": n_groups(forecasts),
        }
        with stages(parts):
            with stage("choice of the prior"):
                candidates = self._choose_prior(possible)
            simulation = self.simulation
            notes = self._input_notes(forecasts, possible, has_mixture=has_mixture)
            drawn = simulation.drawn(possible)
            normal = _normal(possible / unit, self.level)
            with stage("posterior of J"):
                found = simulation.run(possible[drawn]) if has_mixture else None
                notes += self._doubts(found, forecasts, normal)
            posterior = posterior_of(
                None if found is None else found.means / unit,
                self.level,
                others=simulation.other_views(possible / unit, is_quick=is_quick),
                is_lone=has_lone_case(possible),
                is_long_tailed=has_long_tail(possible),
            )
            influence: Influence | None = None
            if self._asks_influence:
                with stage("without one case"):
                    influence = influence_of(forecasts, found, simulation, unit, drawn)
            groups: tuple[GroupInformation, ...] = ()
            draws: tuple[GroupDraws, ...] = ()
            if forecasts.groups:
                with stage("groups"):
                    groups, draws = groups_of(
                        forecasts, simulation, self.level, unit, is_quick=is_quick
                    )
        pairs, censored = forecasts.calibration, forecasts.is_censored
        spread = spread_of(possible, found, unit)
        before = None
        if found is not None:
            rng = np.random.default_rng(next(simulation.seeds))
            before = prior_of_j(simulation.prior, self.level, unit, rng, candidates)
        population = None
        if weights is not None:
            rng = np.random.default_rng(next(simulation.seeds))
            population = population_of(groups, draws, weights, self.level, rng)
        is_flat = spread.least == spread.greatest
        return ApparentInformation(
            n=forecasts.n,
            n_censored=0 if censored is None else int(censored.sum()),
            prior_source=forecasts.prior_source,
            names=names,
            units=self.units,
            confidence_level=self.level,
            floor=forecasts.floor,
            tails=simulation.tails,
            is_quick=is_quick,
            mixture_prior=simulation.prior.name,
            sampling=self.settings.sampling,
            max_samples=self.settings.max_samples,
            max_seconds=float(self.settings.max_seconds),
            allow_unconverged=self.settings.allow_unconverged,
            random_state=self.seed,
            mean=float(forecasts.j.mean()) / unit,
            n_impossible=forecasts.n_impossible,
            n_floored=forecasts.n_floored,
            n_posterior=possible.size if found is None else found.n_cases,
            verdict=verdict_of(posterior, normal, n=forecasts.n, is_flat=is_flat),
            is_converged=found is None or found.diagnostics.passed,
            normal=normal,
            posterior=posterior,
            prior=before,
            diagnostics=None
            if found is None
            else replace(found.diagnostics, mcse=found.diagnostics.mcse / unit),
            spread=spread,
            worst=worst_cases(forecasts, unit),
            influence=influence,
            betting=betting_of(forecasts.j, unit),
            reliability=None if pairs is None else reliability_of(pairs, self.level),
            groups=groups,
            population=population,
            notes=(*notes, *_parting(posterior)),
            forecasts=forecasts,
        )

    def _refuse_mixture(self, n: int) -> None:
        """Refuse what only a mixture can answer, where none is fitted."""
        if self.settings.prior is not None:
            parameter = "settings.prior"
        elif self.simulation.tails != "all":
            parameter = "tails"
        else:
            return
        raise UsageError(
            f"is about the mixture, which is not fitted to {n:,} cases unasked",
            parameter=parameter,
            remedy=f"leave it out, or fit one to {MOST_CASES:,} cases at random",
            option="max_samples",
        )

    def _choose_prior(self, possible: FloatArray) -> tuple[PriorCandidate, ...]:
        """Let evidence choose the width of the prior, if it is to."""
        if self.settings.prior != EVIDENCE:
            return ()
        rng = np.random.default_rng(next(self.simulation.seeds))
        n_jobs = self.simulation.n_jobs
        prior, candidates = prior_by_evidence(possible, rng, n_jobs)
        self.simulation = replace(self.simulation, prior=prior)
        return candidates

    @property
    def _asks_influence(self) -> bool:
        return self.settings.influence

    def _input_notes(
        self, forecasts: Forecasts, possible: FloatArray, *, has_mixture: bool
    ) -> tuple[Note, ...]:
        """List, and warn of, what the reader must know before using the numbers."""
        found = []
        if forecasts.n_impossible:
            found.append(
                Note(
                    code=InformationNote.IMPOSSIBLE,
                    names=(forecasts.name(int(np.argmin(forecasts.j))),),
                    count=forecasts.n_impossible,
                    total=forecasts.n,
                )
            )
        if forecasts.n_floored:
            found.append(
                Note(
                    code=InformationNote.FLOORED,
                    count=forecasts.n_floored,
                    value=forecasts.floor,
                )
            )
        if possible.size == 1:
            found.append(Note(code=InformationNote.SINGLE))
        elif np.ptp(possible) == 0:
            found.append(Note(code=InformationNote.FLAT))
        most, groups = self.simulation.most_drawn, n_groups(forecasts)
        crowded = []
        if has_mixture and possible.size > most:
            code = InformationNote.SUBSAMPLED
            crowded.append(Note(code=code, count=most, total=possible.size))
        if groups > MOST_GROUP_RUNS:
            crowded.append(Note(code=InformationNote.MANY_GROUPS, count=groups))
        warn_of([*found, *crowded], units=self.units)
        notes = (*found, *forecasts.notes, *crowded)
        if has_mixture:
            return (*notes, *_ties(possible), *self._reach(possible))
        if not self.is_quick:
            notes += (Note(code=InformationNote.NO_MIXTURE, count=possible.size),)
        return notes

    def _reach(self, possible: FloatArray) -> tuple[Note, ...]:
        """Note where cases lie beyond what the prior of the mixture expects."""
        prior = self.simulation.prior
        # 95 % of the prior of J lie within 2.57 of such widths (tests hold it to that).
        reach = 2.57 / math.sqrt(float(prior.centre_precision[0, 0]))
        away = abs(float(possible.mean()) - float(prior.centre[0]))
        if away <= reach:
            return ()
        code = InformationNote.BEYOND_PRIOR
        factor = math.ceil(2 * away / reach)
        return (Note(code=code, count=factor, value=reach / self.unit),)

    def _doubts(
        self,
        found: MixturePosterior | None,
        forecasts: Forecasts,
        normal: NormalInterval,
    ) -> tuple[Note, ...]:
        """Note what is wrong with the chains; where that ends it, say so."""
        if found is None or found.diagnostics.passed:
            return ()
        reasons = found.diagnostics.reasons
        if self.simulation.may_use(found):
            return (Note(code=InformationNote.NOT_CONVERGED, names=reasons),)
        plain = (
            f"the plain mean is {normal.mean:.3g} {self.units} per case (normal "
            f"{100 * self.level:g} % interval {normal.low:.3g} to {normal.high:.3g})"
        )
        if forecasts.n_impossible:
            plain = (
                f"{forecasts.n_impossible:,} of {forecasts.n:,} cases had no chance "
                "under the forecast, so the information is minus infinity, and "
                f"{without_impossible(forecasts.n_impossible)} {plain}"
            )
        seconds = 4 * max(self.settings.max_seconds, 15)
        raise NotConvergedError(
            "the simulation of the posterior of J did not converge "
            f"({'; '.join(reasons)}), so its answer is withheld; {plain}",
            "; ".join(reasons),
            diagnostics=found.diagnostics,
            remedy=f"give it more time, such as {seconds:g} seconds, or ask for its "
            "answer all the same",
            option="max_seconds",
        )


def _parting(posterior: InformationPosterior) -> tuple[Note, ...]:
    """Note that the views part, where they do, and which gives the centre."""
    mixture, pareto = posterior.view("mixture"), posterior.view("pareto")
    if mixture is None or pareto is None:
        return ()
    if abs(mixture.median - pareto.median) <= _APART * mixture.sd:
        return ()
    if posterior.centre == "mixture":
        return (Note(code=InformationNote.LONE_CASE),)
    return (Note(code=InformationNote.VIEWS_PART, names=(posterior.centre,)),)


def _ties(possible: FloatArray) -> tuple[Note, ...]:
    n_shared = count_shared(possible)
    if n_shared <= _MANY_TIES * possible.size or np.ptp(possible) == 0:
        return ()
    return (Note(code=InformationNote.TIED, count=n_shared, total=possible.size),)


def _normal(values: FloatArray, level: float) -> NormalInterval:
    mean, n = float(values.mean()), values.size
    stderr = float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    half = float(scipy.special.ndtri(0.5 + level / 2)) * stderr
    return NormalInterval(mean=mean, stderr=stderr, low=mean - half, high=mean + half)


# Asking the sampler ------------------------------------------------------------------


def _seeds(rng: np.random.Generator) -> Iterator[int]:
    """Yield one seed per run, the same for the same generator."""
    while True:
        yield int(rng.integers(2**62))


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulation:
    """How posteriors are simulated.

    Attributes
    ----------
    settings : PosteriorSettings
        Chains, limits of cases and time.
    prior : Prior
        Prior of the distribution of j.
    tails : str
        ``"all"`` for other views of the tails as well, ``"mixture"`` for none.
    seeds : iterator of int
        One for every run.
    n_jobs : int or None
        Number of workers.
    checkpoint : Path or None
        Where the first run keeps its state.
    """

    settings: PosteriorSettings
    prior: Prior
    tails: str
    seeds: Iterator[int] = field(repr=False)
    n_jobs: int | None = None
    checkpoint: Path | None = None

    def apart(self) -> Simulation:
        """Return the same for a further run, which keeps no state."""
        return replace(self, checkpoint=None)

    def may_use(self, found: MixturePosterior) -> bool:
        """Tell whether chains agree, or their answer is wanted all the same."""
        return found.diagnostics.passed or self.settings.allow_unconverged

    @property
    def most_drawn(self) -> int:
        """Most cases for a mixture."""
        return self.settings.max_samples or _MOST_DRAWN

    def has_mixture(self, values: FloatArray) -> bool:
        """Tell whether a mixture is fitted: to not too many cases, or if asked for.

        Nothing shows how equal cases would spread: that is always left to it.
        """
        given = self.settings
        is_asked = given.max_samples is not None or given.sampling is not None
        return is_asked or values.size <= MOST_CASES or not np.ptp(values) > 0

    def drawn(self, values: FloatArray) -> IntArray:
        """Return the places of the values to use: all, or of too many a random choice.

        Their order does not matter to which are chosen.
        """
        most = self.most_drawn
        if values.size <= most or not self.has_mixture(values):
            return np.arange(values.size)
        rng = np.random.default_rng(next(self.seeds))
        chosen = rng.choice(values.size, most, replace=False)
        return np.sort(np.argsort(values, kind="stable")[chosen])

    def run(self, values: FloatArray) -> MixturePosterior:
        """Simulate the distribution from which finite values of j, in nats, come.

        They are sorted before use, so that their order does not matter; ties are
        spread.
        """
        chosen = spread_ties(np.sort(values[self.drawn(values)]))
        seed = next(self.seeds)
        sampling, seconds = self.settings.sampling, self.settings.max_seconds
        if sampling is None and can_sample(chosen.size, self.prior):
            return sample_short_chains(
                chosen, prior=self.prior, max_seconds=seconds, random_state=seed
            )
        return sample_posterior(
            chosen,
            prior=self.prior,
            sampling=sampling or Sampling(max_seconds=seconds),
            random_state=seed,
            n_jobs=self.n_jobs,
            checkpoint=self.checkpoint,
        )

    def other_views(
        self, values: FloatArray, *, is_quick: bool = False
    ) -> dict[str, FloatArray]:
        """Draw J under other views of the tails; none where that was not asked for.

        Where nothing else is looked at the plain view is Student's t: a normal
        approximation of few cases is too sure, and no mixture beside it makes up for
        that. All values are used, in their units; one seed is drawn in any case.
        """
        rng = np.random.default_rng(next(self.seeds))
        is_alone = self.tails == "mixture"
        if (is_alone and not is_quick) or np.ptp(values) == 0:
            return {}
        plain = plain_means(values, n_draws=_OTHER_DRAWS, by_t=is_quick)
        views = {"t" if is_quick else "normal": plain}
        if is_alone:
            return views
        pareto = pareto_means(values, n_draws=_OTHER_DRAWS, rng=rng)
        return {"pareto": pareto} | views if pareto.size else views
