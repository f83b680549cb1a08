"""``scorecast information``: how much probabilistic forecasts really know."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.options import (
    Whole,
    amount_options,
    case_options,
    max_seconds_option,
    output_options,
)

if TYPE_CHECKING:
    from scorecast.cli.cases import LoadedCases
    from scorecast.information import ApparentInformation

__all__ = ["check_information", "command"]

_MANY_GROUPS = 5  # from which the simulations of groups take most of the time


@click.command(name="information")
@case_options
@amount_options("intervals")
@click.option(
    "--floor",
    type=click.FloatRange(min=0, min_open=True),
    help="Raise smaller forecast chances to this one, below 1; stated in the answer.",
)
@click.option(
    "--tails",
    type=click.Choice(["all", "mixture"]),
    default="all",
    show_default=True,
    help="Views of the tails that the interval holds.",
)
@click.option(
    "--quick",
    is_flag=True,
    help="At once: the plain mean with its t interval, widened by Pareto tails.",
)
@click.option(
    "--prior-scale",
    type=click.FloatRange(min=0, min_open=True),
    metavar="FACTOR",
    help="Widen the prior of j so many times (it expects J within 2.6 nats of 0).",
)
@click.option("--chains", type=Whole(min=1), help="Number of compiled chains.")
@click.option("--draws", type=Whole(min=10), help="Draws kept per compiled chain.")
@max_seconds_option
@click.option(
    "--max-cases",
    type=Whole(min=1),
    default=50_000,
    show_default=True,
    help="Most cases for the posterior; of more, a random choice.",
)
@click.option(
    "--allow-unconverged",
    is_flag=True,
    help="Answer, with a stamp, where the chains disagree.",
)
@click.option(
    "--checkpoint",
    metavar="FILE",
    help="Keep the state of the run here; the same command goes on from it.",
)
@click.option(
    "--fail-below",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the information is lower, in --units.",
)
@click.option(
    "--fail-below-low",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the lower end of the interval is lower, in --units.",
)
@output_options
def command(**options: Any) -> None:
    """Say how much forecasts know beyond a prior, and how sure that is.

    TABLE has one row per case (.csv, .csv.gz, .parquet, .npz). Name the columns with
    what forecast and prior gave to what happened: --log-q and --log-p, or --q and --p,
    or their log-ratio --j. Or give the probability of every class (--probability, may
    be repeated as COL or COL=LABEL, or a matrix in TABLE), which class it was
    (--label-column or --labels), and a class prior: --prior, --train-labels or
    --leave-one-out.
    """
    from scorecast._core.progress import computing
    from scorecast.cli.cases import load_cases
    from scorecast.cli.faults import interrupted
    from scorecast.cli.inputs import collected_warnings
    from scorecast.cli.outputs import check_outputs, deliver
    from scorecast.io import check_writable

    check_outputs(options)
    with collected_warnings() as lines:
        loaded = load_cases(options)
        check_outputs(options, loaded.files)
        if options["checkpoint"]:
            check_writable(options["checkpoint"], force=True, inputs=loaded.files)
        try:
            with computing():
                _say_at_once(loaded, options)
                result = _answer(loaded, options)
        except KeyboardInterrupt as stop:
            kept = options["checkpoint"]
            raise interrupted(kept if kept and os.path.exists(kept) else None) from stop
        files = loaded.fingerprints()
    notes = [*loaded.notes, *(x for x in lines if x not in result.warnings)]
    deliver(result, options, files=files, notes=notes)
    check_information(result, options)


def _say_at_once(loaded: LoadedCases, options: dict[str, Any]) -> None:
    """Tell, before the work begins, first figures and what will make it long."""
    from scorecast._core.progress import say
    from scorecast.cli.outputs import note

    if options["quiet"]:
        return
    cases, most = loaded.cases, options["max_cases"]
    if loaded.other is None and not options["quick"]:
        say(_first_figures(loaded, options))
    if cases.n > most:
        note(
            f"{cases.n:,} cases: the posterior is simulated from {most:,} drawn at "
            "random; mean and normal interval use all (--max-cases: time grows with it)"
        )
    n_groups = len(set(cases.groups or ()))
    if _MANY_GROUPS <= n_groups <= 40:
        note(
            f"{n_groups} groups: each takes a simulation of its own; --quick, or "
            "fewer groups, make it shorter"
        )


def _first_figures(loaded: LoadedCases, options: dict[str, Any]) -> str:
    """Say what needs no simulation: zeros first, then the mean and plain intervals."""
    from scorecast.information.first_figures import first_figures
    from scorecast.information.units import UNITS
    from scorecast.information.wording import (
        amount,
        amount_span,
        decimals_for,
        without_zeros,
    )

    cases, unit = loaded.cases, options["units"]
    if options["floor"] is not None:
        cases = cases.with_floor(options["floor"])
    found = first_figures(cases.j / UNITS[unit], options["level"])
    lines = []
    if found.n_infinite:
        lines.append(
            f"In {found.n_infinite:,} of {found.n:,} cases the forecast gave "
            "probability 0 to what happened: the information is minus infinity."
        )
    if found.n == found.n_infinite:
        return ""  # the error says it
    low, high = found.t_interval
    digits = decimals_for(high - low)
    level = f"{100 * options['level']:g} %"
    others = f"{without_zeros(found.n_infinite)}, " if found.n_infinite else ""
    said = f"First figures: {others}mean {amount(found.mean, digits)} {unit} per case"
    if not math.isnan(low):  # one case has no interval
        said += f"; {level} by t {amount_span(low, high, digits)}"
    if found.bootstrap_interval is not None:
        span = amount_span(*found.bootstrap_interval, digits)
        said += f", by the Bayesian bootstrap {span}"
    return "\n".join([*lines, said])


def _answer(loaded: LoadedCases, options: dict[str, Any]) -> ApparentInformation:
    from scorecast.cli.inputs import blamed_on
    from scorecast.information import apparent_information, compare_information
    from scorecast.mixtures import Prior, Sampling

    given = {
        "n_chains": options["chains"],
        "n_draws": options["draws"],
    }
    lengths = {k: v for k, v in given.items() if v is not None}
    sampling = None
    if lengths:
        sampling = Sampling(**lengths, max_seconds=options["max_seconds"])
    scale = options["prior_scale"]
    settings: dict[str, Any] = {
        "units": options["units"],
        "level": options["level"],
        "floor": options["floor"],
        "sampling": sampling,
        "mixture_prior": None if scale is None else Prior.information().scaled(scale),
        "max_seconds": options["max_seconds"],
        "quick": options["quick"],
        "tails": options["tails"],
        "max_cases": options["max_cases"],
        "allow_unconverged": options["allow_unconverged"],
        "random_state": options["seed"],
        "n_jobs": options["n_jobs"],
        "checkpoint": options["checkpoint"],
    }
    with blamed_on(" with ".join(dict.fromkeys(loaded.files))):
        if loaded.other is not None:
            return compare_information(
                loaded.cases, loaded.other, names=loaded.names, **settings
            )
        return apparent_information(loaded.cases, **settings)


def check_information(result: ApparentInformation, options: dict[str, Any]) -> None:
    """Hold the information and the lower end of its interval against the gates.

    Parameters
    ----------
    result : ApparentInformation
        The answer.
    options : dict
        Of the verb: ``fail_below`` and ``fail_below_low``, in the units of the answer.
    """
    from scorecast.cli.outputs import Gate

    found = result.posterior
    lost = float("-inf") if result.n_infinite else None
    unit = f"{result.units} per case"
    Gate(
        option="--fail-below",
        least=options["fail_below"],
        value=found.median if lost is None else lost,
        subject="the information",
        unit=unit,
    ).check()
    Gate(
        option="--fail-below-low",
        least=options["fail_below_low"],
        value=found.low if lost is None else lost,
        subject="the lower end of the interval",
        unit=unit,
    ).check()
