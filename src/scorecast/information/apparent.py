"""How much the forecasts know: from cases to an answer."""

from __future__ import annotations

import math
import numbers
import os
import warnings
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_choice, check_level, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.progress import stage, stages
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import (
    DataWarning,
    InvalidInputError,
    NotConvergedError,
    UsageError,
)
from scorecast.information.betting import betting_of
from scorecast.information.cases import CaseInformation
from scorecast.information.components import Components, components_of
from scorecast.information.forecasts import reliability_of
from scorecast.information.influence import Influence, influence_of, worst_cases
from scorecast.information.logs import cases_from_logs
from scorecast.information.pareto_tails import has_long_tail
from scorecast.information.posterior import (
    InformationPosterior,
    has_lone_case,
    posterior_of,
)
from scorecast.information.result import ApparentInformation, NormalInterval
from scorecast.information.simulation import (
    Simulation,
    check_converged,
    describe_diagnostics,
    sampling_of,
    seeds_from,
)
from scorecast.information.spread import spread_of
from scorecast.information.subgroups import GroupInformation, groups_of
from scorecast.information.ties import count_shared
from scorecast.information.units import UNITS
from scorecast.information.wording import (
    amount,
    amount_span,
    decimals_for,
    without_zeros,
)
from scorecast.mixtures import (
    MOST_RHAT_COMPONENTS,
    MixturePosterior,
    Prior,
    Sampling,
)

__all__ = ["answer_of", "apparent_information", "simulation_of"]

_MANY_TIES = 0.1  # share of the cases
_FLOOR = 0.001  # as an example
_LONGEST_NAME = 60  # of a case, in a warning
_APART = 0.5  # of the spread of the mixture's posterior, from which views part

ASSUMPTIONS = (
    "the cases are independent of one another, and new ones will be like them",
    "every forecast was made without knowing what then happened",
    "forecasts and {reference} are probabilities (or densities) of the same thing",
)


@checked_keywords
def apparent_information(
    log_q: ArrayLike | CaseInformation,
    log_p: ArrayLike | None = None,
    *,
    groups: Iterable[Hashable] | None = None,
    units: str = "nats",
    level: float = 0.95,
    floor: float | None = None,
    mixture_prior: Prior | None = None,
    sampling: Sampling | None = None,
    tails: str = "all",
    max_cases: int = 50_000,
    max_seconds: float = 60.0,
    allow_unconverged: bool = False,
    quick: bool = False,
    influence: bool = True,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> ApparentInformation:
    """Say how much forecasts know beyond a prior, and how sure that is.

    The apparent Shannon information of a case is j = log Q - log P of what happened.
    Its mean over all cases there might be, J, is what forecasts are worth. Since j has
    long tails, J gets a posterior from a mixture of skew-Student distributions.

    Parameters
    ----------
    log_q : array-like of shape (n,) or CaseInformation
        Natural log-probability (or log-density) that the forecast gave to what
        happened; or cases made by one of the ``cases_from_...`` functions.
    log_p : array-like of shape (n,), optional
        The same of the prior; not needed with cases.
    groups : iterable of hashable, optional
        Group of every case.
    units : {"nats", "bits"}, default="nats"
        Units of all amounts in the answer.
    level : float, default=0.95
        Level of the intervals.
    floor : float, optional
        Raise smaller forecast chances to this one; stated in the answer. By default
        nothing is raised, and a chance of zero costs minus infinity.
    mixture_prior : scorecast.mixtures.Prior, optional
        Prior of the distribution of j (N = 1); by default the paper's,
        ``Prior.information()``, which expects J within 2.6 nats of zero;
        ``Prior.information().scaled(4)`` is four times as wide.
    sampling : Sampling, optional
        Number and length of compiled chains. By default many short chains, which need
        no compiler, up to 5,000 cases, and compiled ones beyond.
    tails : {"all", "mixture"}, default="all"
        Whether the interval holds those of other views of the tails as well: Pareto
        tails learned from the far cases alone, and the normal approximation. The
        mixture by itself is too sure where one tail is long.
    max_cases : int, default=50000
        Most cases for the posterior; of more, a random choice is used, with a warning.
    max_seconds : float, default=60
        How long the chains of one posterior may go on beyond what was planned while
        they disagree.
    allow_unconverged : bool, default=False
        Whether to answer, with a stamp, where the chains disagree.
    quick : bool, default=False
        Whether to leave the mixture out: the plain mean, with an interval that holds
        Student's t and that of Pareto tails. At once, and marked.
    influence : bool, default=True
        Whether to say what the answer would be without its most influential case,
        which may take as long again.
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

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> happened = rng.random(80) < 0.7
    >>> log_q, log_p = np.log(np.where(happened, 0.7, 0.3)), np.full(80, np.log(0.5))
    >>> answer = apparent_information(log_q, log_p, units="bits")  # doctest: +SKIP
    >>> print(answer.summary())  # doctest: +SKIP
    """
    cases = _as_cases(log_q, log_p)
    if groups is not None:
        cases = cases.with_groups(groups)
    if floor is not None:
        cases = cases.with_floor(floor)
    return answer_of(
        cases,
        units=units,
        level=level,
        simulation=simulation_of(
            mixture_prior,
            sampling,
            tails,
            max_cases,
            allow_unconverged,
            random_state,
            n_jobs,
            checkpoint,
            max_seconds,
        ),
        seed=seed_number(random_state),
        quick=quick,
        influence=influence,
    )


def _as_cases(
    log_q: ArrayLike | CaseInformation, log_p: ArrayLike | None
) -> CaseInformation:
    if isinstance(log_q, CaseInformation):
        if log_p is None:
            return log_q
        msg = "Cases hold their prior already: leave out `log_p`."
        raise UsageError(msg)
    if log_p is None:
        msg = "Information is relative to a prior: give `log_p` as well."
        raise UsageError(msg)
    return cases_from_logs(log_q, log_p)


def simulation_of(
    mixture_prior: Prior | None,
    sampling: Sampling | None,
    tails: str,
    max_cases: int,
    allow_unconverged: bool,
    random_state: RandomState,
    n_jobs: int | None,
    checkpoint: str | os.PathLike[str] | None,
    max_seconds: float = 60.0,
) -> Simulation:
    """Say how to sample.

    Parameters
    ----------
    mixture_prior, sampling, tails, max_cases, allow_unconverged : object
        As for `apparent_information`.
    random_state, n_jobs, checkpoint, max_seconds : object
        As well.

    Returns
    -------
    Simulation
        Checked.

    Raises
    ------
    UsageError
        If `max_cases` is no count.
    """
    if not isinstance(max_cases, numbers.Integral) or max_cases < 1:
        msg = f"`max_cases` must be a whole number from 1; got {max_cases!r}."
        raise UsageError(msg)
    if not isinstance(max_seconds, numbers.Real) or not max_seconds >= 0:
        msg = f"`max_seconds` must be a number of seconds from 0; got {max_seconds!r}."
        raise UsageError(msg)
    return Simulation(
        prior=Prior.information() if mixture_prior is None else mixture_prior,
        sampling=sampling,
        tails=check_choice(tails, "tails", ("all", "mixture")),
        max_cases=int(max_cases),
        allow_unconverged=allow_unconverged,
        seeds=seeds_from(as_generator(random_state)),
        n_jobs=check_n_jobs(n_jobs),
        checkpoint=None if checkpoint is None else Path(checkpoint),
        max_seconds=float(max_seconds),
    )


def answer_of(
    cases: CaseInformation,
    *,
    units: str,
    level: float,
    simulation: Simulation,
    seed: int | None,
    forecast: str = "The forecasts",
    reference: str = "the prior",
    quick: bool = False,
    influence: bool = True,
) -> ApparentInformation:
    """Put the answer together.

    Parameters
    ----------
    cases : CaseInformation
        The cases.
    units : str
        Units of the answer.
    level : float
        Level of the intervals.
    simulation : Simulation
        How to sample.
    seed : int or None
        For the record.
    forecast, reference : str
        What is compared with what, in words.
    quick : bool
        Whether to leave the mixture out.
    influence : bool
        Whether to say what a single case can do.

    Returns
    -------
    ApparentInformation
        The answer.

    Raises
    ------
    InvalidInputError
        If no case is finite.
    """
    unit = UNITS[check_choice(units, "units", tuple(UNITS))]
    check_level(level)
    finite = cases.j[cases.is_finite]
    if not finite.size:
        msg = (
            f"The forecast gave no chance to what happened in all {cases.n:,} cases: "
            "the information is minus infinity and nothing more can be said. "
            f"{_way_out(cases)}"
        )
        raise InvalidInputError(msg)
    # Nothing shows how equal cases would spread: that is left to the mixture.
    quick = quick and bool(np.ptp(finite) > 0)
    cautions = _cautions(cases, simulation, unit, units)
    drawn = simulation.drawn(finite)
    n_groups = len(set(cases.groups or ()))
    parts = {"posterior of J": 1.0, "without one case": 0.5 * influence}
    with stages(parts | {"groups": n_groups}):
        with stage("posterior of J"):
            found = None if quick else simulation.run(finite[drawn])
            doubt = _doubt(found, simulation, cases, unit, level, units)
        posterior = posterior_of(
            None if found is None else found.means / unit,
            level,
            others=simulation.other_views(finite / unit, quick=quick),
            lone=has_lone_case(finite),
            long_tail=has_long_tail(finite),
        )
        most: Influence | None = None
        if influence:
            with stage("without one case"):
                most = influence_of(cases, found, simulation, unit, drawn)
        groups: tuple[GroupInformation, ...] = ()
        if cases.groups:
            with stage("groups"):
                groups = groups_of(cases, simulation, level, unit, quick=quick)
    return ApparentInformation(
        **_of_cases(cases, unit, level),
        posterior=posterior,
        n_posterior=finite.size if found is None else found.n_cases,
        spread=spread_of(finite, found, unit),
        influence=most,
        components=_trusted_components(found),
        diagnostics={"passed": True}
        if found is None
        else describe_diagnostics(found, unit),
        groups=groups,
        quick=quick,
        units=units,
        level=level,
        seed=seed,
        converged=not doubt,
        forecast=forecast,
        reference=reference,
        assumptions=tuple(x.format(reference=reference) for x in ASSUMPTIONS),
        warnings=tuple(filter(None, (*cautions, doubt, _parting_said(posterior)))),
        options=_options(simulation),
    )


def _trusted_components(found: MixturePosterior | None) -> Components | None:
    """Return the number of components where the chains agree about it, else nothing.

    Short chains never do: it moves too slowly, and J does not depend on it.
    """
    if found is None or found.n_groups is not None:
        return None
    if not found.diagnostics.rhat_components <= MOST_RHAT_COMPONENTS:
        return None
    return components_of(np.asarray(found.n_components))


def _doubt(
    found: MixturePosterior | None,
    simulation: Simulation,
    cases: CaseInformation,
    unit: float,
    level: float,
    units: str,
) -> str:
    """Say what is wrong with the chains; where that ends it, what needs no chains."""
    if found is None:
        return ""
    try:
        return check_converged(found, simulation)
    except NotConvergedError as error:
        usual = _normal(cases.j[cases.is_finite] / unit, level)
        digits = decimals_for(usual.high - usual.low)
        span = amount_span(usual.low, usual.high, digits)
        plain = (
            f"the plain mean is {amount(usual.mean, digits)} {units} per case (normal "
            f"{100 * level:g} % interval {span})"
        )
        first = "T" + plain[1:]
        if cases.n_infinite:
            first = f"{_zeros_said(cases)} Without these cases {plain}"
        msg = f"{error} {first}."
        raise NotConvergedError(msg, error.reasons) from None


def _zeros_said(cases: CaseInformation) -> str:
    """Say what a chance of zero costs."""
    name = cases.name(int(np.argmin(cases.j)))[:_LONGEST_NAME]
    return (
        f"{cases.n_infinite:,} of {cases.n:,} cases had no chance under the forecast "
        f"(the first: {name}), so the information is minus infinity."
    )


def _way_out(cases: CaseInformation) -> str:
    """Say how to get an answer all the same."""
    given = "" if cases.log_q is not None else "Given chances in the place of j, "
    return (
        f"{given}floor={_FLOOR:g} (--floor {_FLOOR:g}) would raise every smaller "
        f"forecast chance to {_FLOOR:g}, judge all cases, and say how many were raised."
    )


def _parting_said(posterior: InformationPosterior) -> str:
    """Say why the views part, where they do."""
    views = {view.tails: view for view in posterior.views}
    if not {"mixture", "pareto"} <= views.keys():
        return ""
    mixture, pareto = views["mixture"], views["pareto"]
    if abs(mixture.median - pareto.median) <= _APART * mixture.sd:
        return ""
    if posterior.centre == "mixture":
        return (
            "A single case lies far from all others. The mixture, which gives the "
            "centre, takes it to be rarer than one in these cases; Pareto tails and "
            "the plain mean take it as it came."
        )
    centre = "that of Pareto tails, which learn from the far cases alone"
    if posterior.centre == "normal":
        centre = "the plain mean, which takes them as they came"
    return (
        "The views of the tails part: the mixture takes the far cases to be rarer than "
        f"they were here. The centre is {centre}."
    )


def _reach_said(finite: FloatArray, prior: Prior, unit: float, units: str) -> str:
    """Warn where cases lie beyond what the prior of the mixture expects."""
    mean = float(finite.mean())
    # 95 % of the prior of J lie within 2.57 of such widths (tests hold it to that).
    reach = 2.57 / math.sqrt(float(prior.centre_precision[0, 0]))
    away = abs(mean - float(prior.centre[0]))
    if away <= reach:
        return ""
    factor = math.ceil(2 * away / reach)
    return (
        f"The mean lies beyond the reach of the prior of J ({amount(reach / unit, 1)} "
        f"{units} from zero), which pulls the mixture back. A prior {factor} times as "
        f"wide: mixture_prior=Prior.information().scaled({factor}) (--prior-scale "
        f"{factor})."
    )


def _of_cases(cases: CaseInformation, unit: float, level: float) -> dict[str, Any]:
    """Return the parts of the answer that need no simulation."""
    trust = cases.forecasts
    return {
        "cases": cases,
        "n": cases.n,
        "n_infinite": cases.n_infinite,
        "mean": float(cases.j.mean()) / unit,
        "normal": _normal(cases.j[cases.is_finite] / unit, level),
        "worst": worst_cases(cases, unit),
        "betting": betting_of(cases.j, unit),
        "reliability": None if trust is None else reliability_of(trust, level),
        "prior": cases.prior,
        "n_censored": 0 if cases.censored is None else int(cases.censored.sum()),
        "floor": cases.floor,
        "n_floored": cases.n_floored,
    }


def _options(simulation: Simulation) -> dict[str, Any]:
    return {
        "mixture_prior": simulation.prior.name,
        "tails": simulation.tails,
        "max_cases": simulation.max_cases,
        "max_seconds": simulation.max_seconds,
        "allow_unconverged": simulation.allow_unconverged,
        "sampling": sampling_of(simulation.sampling),
    }


def _normal(values: FloatArray, level: float) -> NormalInterval:
    mean, n = float(values.mean()), values.size
    stderr = float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    from scipy.special import ndtri  # not before it is needed: it is slow to load

    half = float(ndtri(0.5 + level / 2)) * stderr
    return NormalInterval(mean=mean, stderr=stderr, low=mean - half, high=mean + half)


def _cautions(
    cases: CaseInformation, simulation: Simulation, unit: float, units: str
) -> list[str]:
    """Say, and warn of, what the reader must know before using the numbers."""
    finite = cases.j[cases.is_finite]
    lines = []
    if cases.n_infinite:
        rest = f"All other figures are {without_zeros(cases.n_infinite)}."
        lines.append(f"{_zeros_said(cases)} {rest} {_way_out(cases)}")
    if cases.n_floored:
        lines.append(
            f"{cases.n_floored:,} forecast chance(s) below the floor of "
            f"{cases.floor:g} were raised to it."
        )
    if finite.size == 1:
        lines.append("One case: the posterior is hardly more than its prior.")
    elif np.ptp(finite) == 0:
        lines.append(
            "All cases have the same j: nothing shows how others would spread, so the "
            "posterior is that of a single case."
        )
    for line in lines:
        warnings.warn(line, DataWarning, stacklevel=4)
    reach = _reach_said(finite, simulation.prior, unit, units)
    subsample = simulation.warn_subsample(finite.size)
    return [*lines, *cases.notes, subsample, _ties_said(finite), reach]


def _ties_said(finite: FloatArray) -> str:
    shared = count_shared(finite)
    if shared <= _MANY_TIES * finite.size or np.ptp(finite) == 0:
        return ""
    return (
        f"{shared:,} of {finite.size:,} cases share their j with others; for the "
        "simulation they were spread by a hundredth of the spread of all."
    )
