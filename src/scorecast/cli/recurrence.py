"""``scorecast recurrence``: when events come, and what knowing it is worth."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.information import information_gates
from scorecast.cli.new_cases import (
    check_new_cases,
    new_case_options,
    predicted_cases,
    read_new_cases,
    save_predicted,
)
from scorecast.cli.options import Share, Whole, max_seconds_option, output_options

if TYPE_CHECKING:
    from scorecast.io import NewSamplesFile, SurvivalFile
    from scorecast.recurrence import (
        CaseCurves,
        Cohort,
        HyperparameterChoice,
        Recurrence,
        RecurrenceModel,
    )

__all__ = ["command"]

PRINTED_GROWTH = 0.09  # of the paper
FEW = " seen: predictions lean on the prior"  # what every fit with few events says
LONGER = " Give a `sampling` with more draws."
MOST_GROWTH = 0.9  # beyond, hundreds of components make a run endless
# How long fits take beside what was planned: those of folds, which may go on once, and
# that to all cases before folds have shown whether it will go on.
_GONE_ON, _PLANNED_FITS = 1.4, 2.8


def _parted(texts: Sequence[str]) -> list[str]:
    """Cut at commas."""
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _rows_named(_: Any, option: click.Parameter, texts: Sequence[str]) -> list[int]:
    rows = _parted(texts)
    for text in rows:
        if not (text.isascii() and text.isdigit() and int(text) > 0):
            msg = f"{text!r} is not the number of a row, from 1."
            raise click.BadParameter(msg, param=option)
    return [int(text) for text in rows]


@click.command(name="recurrence")
@click.argument("data", metavar="DATA")
@click.option("--time", required=True, metavar="COL", help="Column of times, above 0.")
@click.option(
    "--event",
    required=True,
    metavar="COL",
    help="Column: 1 (or yes, true) where the event was seen, 0 where not yet.",
)
@click.option(
    "--covariates",
    multiple=True,
    metavar="A,B,...",
    help="Columns to predict from, with commas or repeated; log:COL takes the "
    "logarithm, log1p:COL that of 1 plus it, COL=VALUE is 1 where COL holds VALUE. "
    "[default: all others]",
)
@click.option(
    "--drop",
    multiple=True,
    metavar="A,B,...",
    help="Columns that are no covariates, with commas or repeated.",
)
@click.option(
    "--time-unit",
    default="",
    metavar="TEXT",
    help="Unit of time, such as days: shown in tables and figures.",
)
@click.option(
    "--prior",
    type=click.Choice(["exponential", "weibull", "lognormal", "kaplan-meier", "model"]),
    default="exponential",
    show_default=True,
    help="What is known of all cases alike; 'model' is the model without covariates.",
)
@click.option(
    "--cv",
    type=Whole(min=2),
    default=10,
    show_default=True,
    help="Folds to hold out in turn.",
)
@click.option(
    "--repeats",
    type=Whole(min=1),
    default=1,
    show_default=True,
    help="How often cases are dealt into folds.",
)
@click.option("--folds", metavar="COL", help="Column of folds of your own.")
@click.option(
    "--compare",
    "rivals",
    multiple=True,
    type=click.Choice(["cox", "weibull", "lognormal", "none"]),
    help="Models to compare with on the same folds; may be repeated. [default: all]",
)
@click.option(
    "--case",
    "cases",
    multiple=True,
    callback=_rows_named,
    metavar="ROW,...",
    help="Cases to draw, by their rows from 1, with commas or repeated. "
    "[default: three]",
)
@new_case_options
@click.option(
    "--growth",
    type=click.FloatRange(0, MOST_GROWTH, min_open=True),
    default=PRINTED_GROWTH,
    show_default=True,
    help="kappa_C of the prior: how readily components are added.",
)
@click.option(
    "--candidate",
    "candidates",
    multiple=True,
    metavar="NAME=VALUE,...",
    help="Hyperparameters whose evidence is computed beside those of the paper; may be "
    "repeated. Its chains have a length of their own, whatever --chains and --draws.",
)
@click.option(
    "--noise",
    type=click.FloatRange(min=0, min_open=True),
    default=0.1,
    show_default=True,
    help="Typical error of log time, and of covariates in their standard deviations.",
)
@click.option(
    "--units",
    type=click.Choice(["bits", "nats"]),
    default="bits",
    show_default=True,
    help="Units of information.",
)
@click.option(
    "--level",
    type=Share(is_open=True),
    default=0.95,
    show_default=True,
    help="Level of intervals.",
)
@click.option(
    "--quick",
    is_flag=True,
    help="In seconds: a lognormal regression in the place of the model, with plain "
    "intervals; no cases are drawn, and only models named by --compare stand beside.",
)
@click.option(
    "--chains",
    type=Whole(min=1),
    help="Chains of every fit. [default: 4]",
)
@click.option(
    "--draws",
    type=Whole(min=10),
    help="Draws of every chain of a fit; not of the posteriors of J, nor of the "
    "evidence of --candidate. [default: 1000]",
)
@max_seconds_option
@click.option(
    "--allow-unconverged",
    is_flag=True,
    help="Answer, with a stamp, where the chains of the posterior of J disagree.",
)
@click.option(
    "--checkpoint",
    metavar="FILE",
    help="Append what is finished (folds, posteriors of J, shown cases, predictions, "
    "evidence of candidates) here; the same command goes on from it.",
)
@click.option("--delimiter", help="Between the fields of a CSV file.")
@click.option("--decimal", default=".", help="Decimal mark of a CSV file.")
@click.option("--no-header", is_flag=True, help="The CSV file begins with data.")
@click.option(
    "--fail-below",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the information beyond the prior, the first figure of the "
    "answer, is lower, in --units.",
)
@click.option(
    "--fail-below-low",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the lower end of the interval is lower, in --units.",
)
@output_options
def command(**options: Any) -> None:
    """Predict when events come, and say in bits what the predictions are worth.

    DATA has one row per case (.csv, .csv.gz, .parquet): how long it was followed,
    whether the event was then seen, and numbers to predict from; empty cells and NA are
    missing values. Every case is predicted by a model that did not learn from it.
    """
    from scorecast._core.progress import computing
    from scorecast.cli.faults import interrupted
    from scorecast.cli.inputs import collected_warnings, file_prints
    from scorecast.cli.outputs import check_outputs, deliver
    from scorecast.io import check_writable

    check_outputs(options)
    check_new_cases(options, [])
    if "none" in options["rivals"] and len(set(options["rivals"])) > 1:
        msg = "--compare none is for no comparison: leave it out, or the others."
        raise click.UsageError(msg)
    _check_folds(options)
    _check_quick(options)
    with collected_warnings() as lines:
        data = _read(options)
        new = read_new_cases(data, options)
        sources = [data.source, *([] if new is None else [new.source])]
        check_outputs(options, sources)
        check_new_cases(options, sources)
        if options["checkpoint"]:
            check_writable(options["checkpoint"], force=True, inputs=sources)
        with computing():
            try:
                result = _answer(data, new, options)
            except KeyboardInterrupt as stop:
                n = _n_folds(data, options)
                raise interrupted(options["checkpoint"], n_folds=n) from stop
        files = file_prints(sources)
    # The model speaks of few events at every fit; the answer does so once.
    told = [x for x in lines if x not in result.warnings and FEW not in x]
    read = {str(x): x for x in (*data.notes, *(() if new is None else new.notes))}
    notes = [*read.values(), *dict.fromkeys(map(_in_options, told))]
    save_predicted(result.predicted, options)
    deliver(result, options, files=files, notes=notes)
    for gate in information_gates(result.information, options):
        gate.check()


def _n_folds(data: SurvivalFile, options: dict[str, Any]) -> int:
    """Return how many folds are held out in all."""
    if data.folds is not None:
        return len(set(data.folds.tolist()))
    return int(options["cv"] * options["repeats"])


def _check_folds(options: dict[str, Any]) -> None:
    """Refuse numbers of folds beside folds that are given."""
    from click.core import ParameterSource

    source = click.get_current_context().get_parameter_source
    idle = [name for name in ("cv", "repeats")
            if source(name) is not ParameterSource.DEFAULT]  # fmt: skip
    if options["folds"] and idle:
        msg = (
            f"--{idle[0]} has no say where --folds names the folds: leave out one of "
            "the two."
        )
        raise click.UsageError(msg)


def _check_quick(options: dict[str, Any]) -> None:
    """Refuse what only the model itself can say."""
    if not options["quick"]:
        return
    asked = {
        "--prior model": options["prior"] == "model",
        "--case": options["cases"],
        "--predict": options["predict"],
        "--candidate": options["candidates"],
        "--chains": options["chains"],
        "--draws": options["draws"],
    }
    for name, given in asked.items():
        if given:
            msg = f"{name} is about the model, which --quick leaves out: drop one."
            raise click.UsageError(msg)


def _in_options(message: str) -> str:
    """Say a line of the library in words of the command line."""
    from scorecast.cli.faults import in_options

    # The length of the chains of evidence is no option.
    return in_options(message, command).removesuffix(LONGER)


def _read(options: dict[str, Any]) -> SurvivalFile:
    from scorecast.cli.inputs import file_layout
    from scorecast.io import read_survival

    return read_survival(
        options["data"],
        options["time"],
        options["event"],
        covariates=_parted(options["covariates"]),
        folds=options["folds"],
        layout=file_layout(options, drop=_parted(options["drop"])),
    )


def _answer(
    data: SurvivalFile, new: NewSamplesFile | None, options: dict[str, Any]
) -> Recurrence:
    import numpy as np

    from scorecast._core.progress import revise, stage, stages
    from scorecast.cli.worths import judged_posteriors
    from scorecast.recurrence import (
        check_candidates,
        check_shown,
        evaluate_recurrence,
        recurrence_of,
    )

    frame = _Named(data)
    cohort = _checked(frame, data, options)
    which = check_shown(cohort.event, [row - 1 for row in options["cases"]])
    candidates = _candidates(options)
    check_candidates(candidates, 1 + cohort.X.shape[1])
    rivals, told = _rivals(options)
    asked: dict[str, Any] = {
        "cv": options["cv"], "repeats": options["repeats"], "folds": data.folds,
        "prior": options["prior"], "random_state": options["seed"],
    }  # fmt: skip
    model = _model(options)
    if not options["quick"]:
        _say_first(frame, data, cohort, asked, options)
    n_folds = _n_folds(data, options)
    weights = _weights(cohort, n_folds, len(rivals), candidates, options)
    with stages(weights):
        with stage("holding out"):
            found = evaluate_recurrence(
                model, frame, data.time, data.event, rivals=rivals,
                checkpoint=options["checkpoint"], quick=options["quick"], **asked,
            )  # fmt: skip
        revise(_longer_fits(weights, found.diagnostics))
        with stage("what they are worth"):
            information, judged = judged_posteriors(found, options, _in_options)
        lasting = _model(options, longer=True)
        with stage("cases to show"):
            curves, notes = _shown(
                lasting, cohort, which or found.typical_cases(), data.names, options
            )
        predicted, more = predicted_cases(lasting, cohort, data, new, options)
        with stage("evidence"):
            choice = _choice(model, data, candidates, options)
    lacking = np.isnan(cohort.X).sum(axis=0).tolist()
    return recurrence_of(
        found,
        information,
        **judged,
        curves=curves,
        covariates=data.names,
        notes=[*told, *notes, *more],
        missing=dict(zip(data.names, lacking, strict=True)),
        time_unit=options["time_unit"].strip(),
        choice=choice,
        predicted=predicted,
    )


def _rivals(options: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the models to compare with, and why there are none.

    Those that nobody asked for are left out where the extra is missing.
    """
    from importlib.util import find_spec

    from scorecast.recurrence import RIVALS

    if options["rivals"] or options["quick"]:
        return [r for r in options["rivals"] if r != "none"], []
    if find_spec("lifelines") is None:
        return [], [
            "No other model stands beside this one: that needs an extra, pip install "
            "'scorecast[survival]'."
        ]
    return list(RIVALS), []


def _weights(
    cohort: Cohort,
    n_folds: int,
    n_rivals: int,
    candidates: Collection[str],
    options: dict[str, Any],
) -> dict[str, float | None]:
    """Say how long the parts of a run take, in seconds of some machine."""
    from scorecast.cli.worths import n_posteriors
    from scorecast.recurrence import SAMPLING

    n, n_dims = cohort.n, 1 + cohort.X.shape[1]
    n_worths = n_posteriors(options["prior"], n_rivals)
    if options["quick"]:
        return {
            "holding out": n_folds * (0.05 + 0.25 * n_rivals),
            "what they are worth": 0.1 * n_worths,
            "cases to show": 0.0, "new cases": 0.0, "evidence": 0.0,
        }  # fmt: skip
    chains = options["chains"] or SAMPLING.n_chains
    sweeps = SAMPLING.n_warmup + (options["draws"] or SAMPLING.n_draws)
    # Most chains go on for half as long again.
    fit = _GONE_ON * chains * sweeps * (1.3e-4 + n * (2.5e-7 + 7e-9 * n_dims**2))
    fits = fit * (2 if options["prior"] == "model" else 1) + 0.08 * n_rivals
    return {
        "holding out": n_folds * fits + 3e-2 * n * options["repeats"],
        "what they are worth": (n_worths + 0.5) * (0.4 + 1.6e-3 * n),
        "cases to show": _PLANNED_FITS * fit / _GONE_ON + 1e-2 * n,
        "new cases": _PLANNED_FITS * fit / _GONE_ON if options["predict"] else 0.0,
        "evidence": None if candidates else 0.0,
    }


def _longer_fits(
    weights: Mapping[str, float | None], diagnostics: Mapping[str, Any]
) -> dict[str, float | None]:
    """Say how long the fits to all cases take, once folds have shown how chains mix.

    Where they agreed, a fit takes what was planned; where they did not, it goes on
    until it has taken as long as the plan allows.
    """
    from scorecast.recurrence import SAMPLING

    n_fits = diagnostics["n_fits"]
    share = diagnostics["n_unconverged"] / n_fits if n_fits else 0.0
    most = 1.5 ** (SAMPLING.n_extensions or 0)  # each goes on for half as long again
    factor = (1.0 + share * (most - 1.0)) / _PLANNED_FITS
    return {
        name: weight and weight * factor
        for name, weight in weights.items()
        if name in ("cases to show", "new cases")
    }


def _say_first(
    frame: _Named,
    data: SurvivalFile,
    cohort: Cohort,
    asked: dict[str, Any],
    options: dict[str, Any],
) -> None:
    """Say what needs no simulation, before the work begins."""
    from scorecast._core.checks import NATS_PER
    from scorecast._core.progress import say
    from scorecast.exceptions import ScorecastError
    from scorecast.information.first_figures import first_figures
    from scorecast.recurrence import evaluate_recurrence, median_time
    from scorecast.report.formats import decimals_for, fixed, fixed_end

    if options["quiet"]:
        return
    unit = options["time_unit"].strip()
    half = median_time(cohort.time, cohort.event)
    when = (
        "more than half still waiting at the end"
        if half is None
        else f"half of them by {half:,.4g}{f' {unit}' if unit else ''}"
    )
    n_events = int(cohort.event.sum())
    events = f"{n_events:,} event{'' if n_events == 1 else 's'}"
    line = f"First figures: {cohort.n:,} cases, {events}, {when} (Kaplan and Meier)."
    say(click.wrap_text(line, width=88))
    if options["prior"] == "model":
        return
    try:
        found = evaluate_recurrence(
            _model(options), frame, data.time, data.event, quick=True, **asked
        )
    except (ScorecastError, ArithmeticError):
        return  # what is wrong the work itself will say
    told = first_figures(found.j / NATS_PER[options["units"]], options["level"])
    low, high = told.t_interval
    digits = decimals_for(high - low)
    line = (
        f"A lognormal regression knows {fixed(told.mean, digits)} {options['units']} "
        f"per case beyond the prior ({100 * options['level']:g} % by t "
        f"{fixed_end(low, digits)} to {fixed_end(high, digits)}), on cases it "
        "did not learn from; now the model."
    )
    say(click.wrap_text(line, width=88))


def _checked(frame: _Named, data: SurvivalFile, options: dict[str, Any]) -> Cohort:
    """Check the cases; faults name the file, and the way out on the command line."""
    from scorecast.exceptions import InsufficientDataError, InvalidInputError
    from scorecast.recurrence import check_cohort

    try:
        cohort = check_cohort(frame, data.time, data.event)
    except InvalidInputError as error:
        said = str(error).replace("leave it out.", "leave it out with --drop.")
        said = said.replace("; drop one.", "; leave one out with --drop.")
        msg = f"{data.source}: {said}"
        raise InvalidInputError(msg) from error
    if cohort.time.min() == cohort.time.max():
        msg = (
            f"{data.source}, column '{options['time']}': the time is "
            f"{cohort.time[0]:g} in every row, so nothing shows how times spread; is "
            "it the right column?"
        )
        raise InsufficientDataError(msg)
    if not cohort.event.any():
        msg = (
            f"{data.source}, column '{options['event']}': 0 events in {cohort.n:,} "
            "cases, so nothing can be learned of when they come; is it the right "
            "column?"
        )
        raise InsufficientDataError(msg)
    return cohort


def _shown(
    model: RecurrenceModel,
    cohort: Cohort,
    which: list[int],
    names: Sequence[str],
    options: dict[str, Any],
) -> tuple[tuple[CaseCurves, ...], list[str]]:
    """Return the curves of some cases, and what to watch in all of them."""
    from scorecast.cli.inputs import collected_warnings
    from scorecast.recurrence import cohort_cautions, shown_cases, wide_intervals

    X, time, event = cohort.X, cohort.time, cohort.event
    level = options["level"]  # one for what is shown and for what is warned of
    chosen = bool(options["covariates"])
    notes = cohort_cautions(X, time, event, names, chosen=chosen)
    if options["quick"]:
        return (), [*notes]
    with collected_warnings() as lines:
        curves, ends = shown_cases(
            model, X, time, event, which, level=level,
            shares=(0.5 - level / 2, 0.5 + level / 2),
            checkpoint=options["checkpoint"],
        )  # fmt: skip
    wide = wide_intervals(
        ends[:, 0], ends[:, 1], X, names, longest=float(time.max()), level=level
    )
    return curves, [*dict.fromkeys(map(_in_options, lines)), *notes, *wide]


class _Named:
    """A matrix that knows the names of its columns, for messages."""

    def __init__(self, data: SurvivalFile) -> None:
        self.columns, self.values = data.names, data.X

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.values if dtype is None else self.values.astype(dtype)


def _model(options: dict[str, Any], *, longer: bool = False) -> RecurrenceModel:
    """Return the model; with chains that go on for longer where one fit is all."""
    from dataclasses import replace

    from scorecast.cli.worths import lengths_of
    from scorecast.recurrence import FOLD_SAMPLING, SAMPLING, RecurrenceModel

    planned = SAMPLING if longer else FOLD_SAMPLING
    return RecurrenceModel(
        hyperparameters={"growth": options["growth"]},
        noise_sd=options["noise"],
        sampling=replace(planned, **lengths_of(options)),
        random_state=options["seed"],
        n_jobs=options["n_jobs"],
    )


def _candidates(options: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Read what candidates set otherwise than the paper."""
    from scorecast.exceptions import UsageError

    found = {}
    for text in options["candidates"]:
        pairs = [part.partition("=") for part in text.split(",")]
        try:
            found[text] = {name.strip(): float(value) for name, _, value in pairs}
        except ValueError as error:
            msg = f"--candidate needs NAME=VALUE,... with numbers; got {text!r}."
            raise UsageError(msg) from error
        if not 0.0 < found[text].get("growth", MOST_GROWTH) <= MOST_GROWTH:
            msg = (
                f"--candidate {text}: growth must be above 0 and at most "
                f"{MOST_GROWTH:g}, as --growth."
            )
            raise UsageError(msg)
    used = f"growth={options['growth']:g}"
    if found and options["growth"] != PRINTED_GROWTH:
        found.setdefault(used, {"growth": options["growth"]})
    return found


def _choice(
    model: RecurrenceModel,
    data: SurvivalFile,
    candidates: dict[str, dict[str, float]],
    options: dict[str, Any],
) -> HyperparameterChoice | None:
    """Compute the evidence of candidates, if there are any."""
    from scorecast.recurrence import choose_hyperparameters

    if not candidates:
        return None
    return choose_hyperparameters(
        model, _Named(data), data.time, data.event, candidates,
        random_state=options["seed"], checkpoint=options["checkpoint"],
    )  # fmt: skip
