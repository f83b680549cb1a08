"""``scorecast information``: how much probabilistic forecasts really know."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from scorecast._core.near_names import near_name
from scorecast.cli.options import (
    Whole,
    level_option,
    max_seconds_option,
    output_options,
    table_options,
    units_option,
)
from scorecast.cli.verb import Verb, option
from scorecast.exceptions import (
    DataWarning,
    InvalidInputError,
    Location,
    NotConvergedError,
    ScorecastError,
    UsageError,
    listed,
    quoted,
)

if TYPE_CHECKING:
    _ParamType = click.ParamType[Any]
else:
    _ParamType = click.ParamType  # not generic before click 8.2

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scorecast.cli.outputs import Gate, Loaded
    from scorecast.information import ApparentInformation, Forecasts
    from scorecast.io import Columns

_USUAL = (
    "--q",
    "--p",
    "--log-q",
    "--log-p",
    "--probability",
    "--label-column",
    "--prior",
    "--versus",
    "--report",
    "--json",
)
_ALIASES = {
    "settings.prior": "--prior-scale",
    "n_chains": "--chains",
    "n_draws": "--draws",
    "proba": "--probability",
    "y_true": "--label-column",
    "y_train": "--train-labels",
    "second": "--versus",
    "ids": "--id",
    "classes": "--probability",
}
_FORMS = (
    "say what TABLE holds: --log-q and --log-p, or --q and --p, or --j, or class "
    "probabilities with --label-column or --labels (an .npz may hold both) and a prior"
)
_COLUMNS = {"log": ("log_q", "log_p"), "chance": ("q", "p"), "j": ("j", "")}
_CLASS_PRIORS = ("prior", "train_labels", "leave_one_out")
_BASE = click.Choice(["e", "2", "10"])
_MANY_GROUPS = (5, 40)  # between which their simulations take most of the time
_EVIDENCE = "evidence"
_YES = frozenset({"1", "1.0", "true", "yes"})
_NO = frozenset({"0", "0.0", "false", "no"})


class PriorScale(_ParamType):
    """How many times as wide the prior is: a number above 0, or by evidence."""

    name = "factor"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        """Return the number, or the word."""
        if value == _EVIDENCE:
            return _EVIDENCE
        try:
            factor = float(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor {_EVIDENCE}.", param, ctx)
        if not 0 < factor < math.inf:
            self.fail(f"{value} is no number above 0.", param, ctx)
        return factor


@click.command(name="information", cls=Verb, usual=_USUAL, aliases=_ALIASES)
@click.argument("table", metavar="TABLE")
@option(
    "Input",
    "--log-q",
    metavar="COL",
    help="Log-probability (or log-density) that the forecast gave to what happened.",
)
@option("Input", "--log-p", metavar="COL", help="The same of the prior.")
@option(
    "Input",
    "--q",
    metavar="COL",
    help="Probability that the forecast gave to what happened.",
)
@option("Input", "--p", metavar="COL", help="The same of the prior.")
@option("Input", "--j", metavar="COL", help="log q - log p, computed already.")
@option(
    "Question",
    "--versus",
    metavar="COL",
    help="Another forecaster, in the form of the first: say what the first knows "
    "beyond it.",
)
@option("Input", "--base", type=_BASE, help="Base of logarithms. [default: e]")
@option("Input", "--base-p", type=_BASE, help="Base of --log-p, if it is another one.")
@option(
    "Input",
    "--probability",
    "probabilities",
    multiple=True,
    metavar="COL[=LABEL]",
    help="Column with the probability of a class; once for each.",
)
@option(
    "Input",
    "--label-column",
    metavar="COL",
    help="Column that says which class it was.",
)
@option(
    "Input",
    "--labels",
    metavar="FILE",
    help="File that says which class it was; not needed if TABLE is an .npz with "
    "'probs' (or the like) and 'labels'.",
)
@option(
    "Input",
    "--prior",
    metavar="FILE",
    help="Class prior: columns 'class' and 'probability', or one number per class.",
)
@option(
    "Input",
    "--train-labels",
    metavar="FILE",
    help="Labels of the training cases: their frequencies are the prior.",
)
@option(
    "Input",
    "--leave-one-out",
    is_flag=True,
    help="Prior: frequencies among all other cases, of other groups too.",
)
@option(
    "Input",
    "--normalize",
    is_flag=True,
    help="Divide rows of class probabilities by their sum.",
)
@option(
    "Input", "--groups", metavar="COL", help="Column of groups to look at one by one."
)
@option(
    "Input",
    "--group-weights",
    metavar="FILE",
    help="How frequent groups are where forecasts will be used: columns 'group' and "
    "'weight' (shares or counts).",
)
@option(
    "Input", "--id", "id_column", metavar="COL", help="Column that names the cases."
)
@option("File layout", "--key", help="Name of the matrix in an .npz file.")
@table_options
@units_option()
@level_option()
@option(
    "Question",
    "--floor",
    type=click.FloatRange(min=0, min_open=True),
    help="Raise smaller forecast chances to this one, below 1; stated in the answer.",
)
@option(
    "Question",
    "--fail-below",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the information is lower, in --units.",
)
@option(
    "Question",
    "--fail-below-low",
    type=float,
    metavar="VALUE",
    help="Exit with 5 if the lower end of the interval is lower, in --units.",
)
@option(
    "Method",
    "--quick",
    is_flag=True,
    help="At once: the plain mean with its t interval, widened by Pareto tails.",
)
@option(
    "Method",
    "--tails",
    type=click.Choice(["all", "mixture"]),
    default="all",
    help="What the interval allows for: any of three models of heavy tails (a mixture, "
    "Pareto tails, none), or the mixture alone.",
)
@option(
    "Method",
    "--prior-scale",
    type=PriorScale(),
    metavar="FACTOR",
    help="Widen the prior so many times (it expects the mean information, J, within "
    "2.6 nats of 0); or evidence: as wide as foretells the cases best, in a minute or "
    "two.",
)
@option("Method", "--chains", type=Whole(min=1), help="Number of compiled chains.")
@option("Method", "--draws", type=Whole(min=10), help="Draws kept per compiled chain.")
@max_seconds_option
@option(
    "Method",
    "--max-samples",
    type=Whole(min=1),
    help="Most cases for the mixture; of more, a random choice. By default it is "
    "fitted to all of up to 10,000 cases, and to none of more.",
)
@option(
    "Method",
    "--allow-unconverged",
    is_flag=True,
    help="Answer all the same, marked as not converged, where the chains disagree.",
)
@option(
    "Method",
    "--checkpoint",
    metavar="FILE",
    help="Keep the state of the run here; the same command goes on from it.",
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
    from scorecast.cli.outputs import run

    run(options, _load, _answer, gates=information_gates)


def _answer(options: dict[str, Any], loaded: Loaded) -> ApparentInformation:
    from scorecast.cli.outputs import interrupted

    if not options["quiet"]:
        _say_at_once(loaded.arguments, options)
    try:
        return _ask(options, loaded.arguments)
    except NotConvergedError as error:
        error.problem += "; --quick gives the like without a simulation"
        raise
    except KeyboardInterrupt as stop:
        kept = options["checkpoint"]
        raise interrupted(kept if kept and os.path.exists(kept) else None) from stop


def _ask(options: dict[str, Any], given: Mapping[str, Any]) -> ApparentInformation:
    from scorecast.information import (
        PosteriorSettings,
        apparent_information,
        compare_information,
    )
    from scorecast.mixtures import Prior, Sampling

    lengths = {"n_chains": options["chains"], "n_draws": options["draws"]}
    known = {name: value for name, value in lengths.items() if value is not None}
    seconds, scale = options["max_seconds"], options["prior_scale"]
    prior: Prior | str | None = scale
    if isinstance(scale, float):
        prior = Prior.information().scaled(scale)
    elif scale is not None and options["quick"]:
        problem = "has no say in a quick look, which has no mixture"
        raise UsageError(problem, parameter="prior_scale", remedy="leave it out")
    settings = PosteriorSettings(
        prior=prior,
        sampling=Sampling(**known, max_seconds=seconds) if known else None,
        max_samples=options["max_samples"],
        max_seconds=seconds,
        allow_unconverged=options["allow_unconverged"],
    )
    names = ("units", "confidence_level", "tails", "quick", "n_jobs", "checkpoint")
    asked: dict[str, Any] = {name: options[name] for name in names}
    asked |= {"settings": settings, "random_state": options["seed"]}
    asked["group_weights"] = given.get("group_weights")
    if given["second"] is None:
        return apparent_information(given["forecasts"], **asked)
    return compare_information(
        given["forecasts"], given["second"], names=given["names"], **asked
    )


def information_gates(
    result: ApparentInformation, options: dict[str, Any]
) -> Iterator[Gate]:
    """Hold the information and the lower end of its interval against the gates."""
    from scorecast.cli.outputs import Gate

    is_lost, unit = result.n_impossible > 0, f"{result.units} per case"
    for name, value, subject in (
        ("fail_below", result.posterior.median, "the information"),
        ("fail_below_low", result.posterior.low, "the lower end of the interval"),
    ):
        yield Gate(
            option=f"--{name.replace('_', '-')}",
            least=options[name],
            value=-math.inf if is_lost else value,
            subject=subject,
            unit=unit,
        )


# What is said before the work begins -------------------------------------------------


def _say_at_once(given: Mapping[str, Any], options: dict[str, Any]) -> None:
    """Tell first figures and what will make the work long."""
    from scorecast._core.progress import say
    from scorecast.cli.outputs import note

    forecasts, most = given["forecasts"], options["max_samples"]
    if given["second"] is None and not options["quick"]:
        say(_first_figures(forecasts, options))
    if most is not None and forecasts.n > most and not options["quick"]:
        note(
            f"{forecasts.n:,} cases: the posterior is simulated from {most:,} drawn at "
            "random; mean and normal interval use all (--max-samples: time grows with "
            "it)"
        )
    n_groups = len(set(forecasts.groups or ()))
    if _MANY_GROUPS[0] <= n_groups <= _MANY_GROUPS[1] and not options["quick"]:
        note(
            f"{n_groups} groups: each takes a simulation of its own; --quick, or "
            "fewer groups, make it shorter"
        )


def _first_figures(forecasts: Forecasts, options: dict[str, Any]) -> str:
    """Say what needs no simulation: zeros first, then the mean and plain intervals."""
    from scorecast._core.checks import NATS_PER
    from scorecast.information.first_figures import first_figures
    from scorecast.information.notes import without_impossible
    from scorecast.report.formats import decimals_for, fixed, fixed_span, level

    unit = options["units"]
    found = first_figures(forecasts.j / NATS_PER[unit], options["confidence_level"])
    if found.n == found.n_impossible:
        return ""  # the error says it
    lines, others = [], ""
    if found.n_impossible:
        lines.append(
            f"In {found.n_impossible:,} of {found.n:,} cases the forecast gave "
            "probability 0 to what happened: the information is minus infinity."
        )
        others = f"{without_impossible(found.n_impossible)}, "
    low, high = found.t_interval
    digits = decimals_for(high - low)
    said = f"First figures: {others}mean {fixed(found.mean, digits)} {unit} per case"
    if not math.isnan(low):  # one case has no interval
        by_t = fixed_span(low, high, digits)
        said += f"; {level(options['confidence_level'])} by t {by_t}"
    if found.bootstrap_interval is not None:
        span = fixed_span(*found.bootstrap_interval, digits)
        said += f", by the Bayesian bootstrap {span}"
    return "\n".join([*lines, said])


# Reading -----------------------------------------------------------------------------


def _load(options: dict[str, Any]) -> Loaded:
    """Read what the options name."""
    forms = {
        "log": bool(options["log_q"] or options["log_p"]),
        "chance": bool(options["q"] or options["p"]),
        "j": bool(options["j"]),
        "class": bool(
            options["probabilities"] or options["labels"] or options["label_column"]
        ),
    }
    if not any(forms.values()):
        forms["class"] = _may_hold_both(options)
    if sum(forms.values()) != 1:
        raise click.UsageError(f"{_FORMS[0].upper()}{_FORMS[1:]}.")
    with warnings.catch_warnings():
        # What looks odd about forecasts the answer says, among its notes.
        warnings.simplefilter("ignore", DataWarning)
        if options["group_weights"] and not options["groups"]:
            problem = "weighs groups, and no column of them is named"
            raise UsageError(
                problem, parameter="group_weights", remedy="name it with --groups"
            )
        if forms["class"]:
            _refuse(options, ("versus", "base", "base_p"), "with class probabilities")
            loaded = _load_classes(options)
        else:
            others = (*_CLASS_PRIORS, "normalize", "key")
            _refuse(options, others, "with one column of chances")
            form = next(name for name, is_given in forms.items() if is_given)
            loaded = _load_columns(options, form)
        return _with_weights(options, loaded) if options["group_weights"] else loaded


def _with_weights(options: dict[str, Any], loaded: Loaded) -> Loaded:
    """Add the weights of groups, held against the groups that there are."""
    from scorecast.information.population import check_group_weights
    from scorecast.io import read_columns

    path = options["group_weights"]
    table = read_columns(path, ["weight"], ["group"])
    names = [str(x) for x in table.texts["group"].tolist()]
    groups = loaded.arguments["forecasts"].groups
    known = {str(group) for group in groups or names}
    for row, name in enumerate(names):
        if name not in known:
            near = near_name(name, known)
            raise InvalidInputError(
                f"{quoted(name)} is no group of these cases",
                location=table.place(row, "group"),
                remedy=f"did you mean {quoted(near)}?" if near else None,
            )
        if name in names[:row]:
            raise InvalidInputError(
                f"{quoted(name)} is there twice", location=table.place(row, "group")
            )
    weights = dict(zip(names, table.numbers["weight"].tolist(), strict=True))
    with _placed({"group_weights": _column_place(table, "weight")}):
        check_group_weights(weights, groups)
    return replace(
        loaded,
        arguments={**loaded.arguments, "group_weights": weights},
        files=(*loaded.files, table.source),
    )


def _may_hold_both(options: dict[str, Any]) -> bool:
    """Tell whether TABLE may hold a matrix and its labels, a prior being stated."""
    path = options["table"].split("::")[0].lower()
    is_archive = path.endswith((".npz", ".safetensors"))
    return is_archive and any(options[name] for name in _CLASS_PRIORS)


def _refuse(options: dict[str, Any], names: tuple[str, ...], where: str) -> None:
    for name in names:
        if options[name]:
            raise UsageError(f"has no say {where}: leave it out", parameter=name)


@contextmanager
def _placed(places: Mapping[str, Callable[[Location], Location]]) -> Iterator[None]:
    """Say where in its file that stands which an error found wrong."""
    try:
        yield
    except ScorecastError as error:
        place = places.get(error.parameter or "")
        if place is None or isinstance(error, UsageError):
            raise
        found = error.located(Location())
        found.location = place(error.location)
        raise found from error


def _column_place(table: Columns, column: str) -> Callable[[Location], Location]:
    """Return what turns a row of a column into a line of its file."""

    def place(found: Location) -> Location:
        if found.row is None:
            return Location(file=table.source, column=column)
        return table.place(found.row - 1, column)

    return place


def _load_columns(options: dict[str, Any], form: str) -> Loaded:
    """Read columns of what happened, of one forecaster or of two."""
    from scorecast.cli.outputs import Loaded
    from scorecast.information import Forecasts

    first, second = _COLUMNS[form]
    against = "versus" if options["versus"] else second
    wanted = [name for name in (first, second, "versus") if name and options[name]]
    needed = [first] if form == "j" else [first, against]
    missing = [f"--{n.replace('_', '-')}" for n in needed if not options[n]]
    if missing:
        msg = (
            f"{' and '.join(missing)} is missing: {_FORMS}. With --versus COL in place "
            "of a prior, two are compared."
        )
        raise click.UsageError(msg)
    if form == "j":
        _refuse(options, ("base_p",), "with log-ratios, which have one base")
    if form == "chance":
        _refuse(options, ("base", "base_p"), "with probabilities")
    table = _read_columns(options, [options[name] for name in wanted])
    column = {name: table.numbers[options[name]] for name in wanted}
    settings = _names_of_cases(options, table)
    if form != "chance":
        settings["base"] = options["base"] or "e"
    if form == "log":
        settings["base_p"] = options["base_p"]

    def made(name: str) -> Forecasts:
        """Make forecasts of a column; errors name it."""
        of = {first: name, second: second, "forecasts": name}
        places = {k: _column_place(table, options[v]) for k, v in of.items() if v}
        with _placed(places):
            if form == "j":
                return Forecasts.from_log_ratios(column[name], **settings)
            before = column.get(second)
            if before is None:  # two forecasters need no prior: it cancels
                before = column[name] * 0 + (1.0 if form == "chance" else 0.0)
            make = (
                Forecasts.from_probabilities
                if form == "chance"
                else Forecasts.from_logs
            )
            return make(column[name], before, **settings)

    pair = [made(name) for name in (first, "versus") if options[name]]
    return Loaded(
        arguments={
            "forecasts": _clipped(pair[0], options),
            "second": _clipped(pair[1], options) if len(pair) == 2 else None,
            "names": (options[first], options["versus"]),
        },
        files=(table.source,),
        places={
            "forecasts": Location(file=table.source),
            "second": Location(file=table.source, column=options["versus"]),
        },
        notes=table.notes,
    )


def _clipped(forecasts: Forecasts, options: dict[str, Any]) -> Forecasts:
    floor = options["floor"]
    return forecasts if floor is None else forecasts.clip(floor)


def _read_columns(options: dict[str, Any], numbers: Sequence[str]) -> Columns:
    from scorecast.cli.inputs import file_layout
    from scorecast.io import read_columns

    texts = [options[name] for name in ("id_column", "groups", "label_column")]
    return read_columns(
        options["table"],
        list(dict.fromkeys(numbers)),
        list(dict.fromkeys(text for text in texts if text)),
        layout=file_layout(options, key=None, drop=()),
    )


def _names_of_cases(options: dict[str, Any], table: Columns) -> dict[str, Any]:
    return {
        name: table.texts[options[column]]
        for name, column in (("ids", "id_column"), ("groups", "groups"))
        if options[column]
    }


def _load_classes(options: dict[str, Any]) -> Loaded:
    """Read the probability of every class, which it was, and a prior."""
    from scorecast.cli.outputs import Loaded
    from scorecast.information import Forecasts

    is_twice = options["labels"] and options["label_column"]
    is_known = options["labels"] or options["label_column"] or _may_hold_both(options)
    if is_twice or not is_known:
        msg = "Give the class of every case once: --label-column NAME or --labels FILE."
        raise click.UsageError(msg)
    read = _read_class_columns if options["probabilities"] else _read_class_matrix
    found = read(options)
    prior, prior_file, notes = _read_class_prior(options, found["classes"])
    if "y_train" in prior and found["proba"].ndim == 1:
        prior["y_train"] = _as_two_classes(prior["y_train"], found["classes"])
    places = dict(found["places"])
    for name in ("prior", "y_train"):
        places[name] = lambda _: Location(file=prior_file)
    with _placed(places if prior_file else found["places"]):
        forecasts = Forecasts.from_class_probabilities(
            found["proba"],
            found["y_true"],
            classes=found["classes"],
            normalize=options["normalize"],
            **found["names"],
            **prior,
        )
    files = [*found["files"], *([prior_file] if prior_file else [])]
    return Loaded(
        arguments={"forecasts": _clipped(forecasts, options), "second": None},
        files=files,
        places={"forecasts": Location(file=found["files"][0])},
        notes=(*found["notes"], *notes),
    )


def _read_class_columns(options: dict[str, Any]) -> dict[str, Any]:
    """Read columns of a table, each the probability of a class."""
    import numpy as np

    from scorecast.io import read_labels, refuse_empty

    named = [_column_and_label(text) for text in options["probabilities"]]
    columns = [column for column, _ in named]
    table = _read_columns(options, columns)
    proba = np.column_stack([table.numbers[column] for column in columns])
    files, notes = [table.source], table.notes
    if options["labels"]:
        read = read_labels(options["labels"])
        files.append(read.source)
        notes = (*notes, *read.notes)
        labels, source, place = read.values, read.source, read.place
    else:
        labels, source = table.texts[options["label_column"]], table.source
        place = table.place
    refuse_empty(
        labels,
        lambda row: replace(place(row), column=options["label_column"]),
        [label for _, label in named],
    )
    if len(named) == 1:
        classes = _two_classes(labels, *named[0], source=source)
        proba = proba[:, 0]
    else:
        _refuse_unnamed(labels, named, place)
        classes = [label for _, label in named]

    def proba_place(found: Location) -> Location:
        which = int(found.column or 1) - 1
        if found.row is None:
            return Location(file=table.source)
        is_cell = found.column is not None or len(columns) == 1
        return table.place(found.row - 1, columns[which] if is_cell else None)

    return {
        "proba": proba,
        "y_true": labels,
        "classes": classes,
        "names": _names_of_cases(options, table),
        "files": files,
        "notes": notes,
        "places": {"proba": proba_place, "y_true": lambda _: Location(file=source)},
    }


def _read_class_matrix(options: dict[str, Any]) -> dict[str, Any]:
    """Read a matrix, one column per class, and the labels from another array."""
    from scorecast.cli.inputs import file_layout
    from scorecast.io import read_labels, read_matrix

    for name, text in (("id_column", "--id"), ("groups", "--groups")):
        if options[name]:
            msg = f"{text} names a column: name the classes too, with --probability."
            raise click.UsageError(msg)
    if options["label_column"]:
        msg = "Name the columns that hold the probabilities: --probability COL=LABEL."
        raise click.UsageError(msg)
    try:
        matrix = read_matrix(options["table"], layout=file_layout(options, drop=()))
    except InvalidInputError as error:
        if error.option != "drop":
            raise
        raise InvalidInputError(
            error.problem,
            location=error.location,
            remedy="name the columns that hold probabilities",
            option="probability",
        ) from error
    # Without a file of their own, labels are beside the matrix.
    labels = read_labels(options["labels"] or options["table"].split("::")[0])
    return {
        "proba": matrix.as_stored(),
        "y_true": labels.values,
        "classes": matrix.columns,
        "names": {},
        "files": list(dict.fromkeys([matrix.source, labels.source])),
        "notes": labels.notes,
        "places": {
            "proba": lambda found: (
                Location(file=matrix.source)
                if found.row is None
                else matrix.place(found.row - 1, found.column)
            ),
            "y_true": lambda _: labels.location,
        },
    }


def _column_and_label(text: str) -> tuple[str, str]:
    column, mark, label = text.rpartition("=")
    return (column, label) if mark and column else (text, text)


def _two_classes(
    labels: NDArray[Any], column: str, label: str, *, source: str
) -> list[str]:
    """Return what did not happen and what did, for one column of probabilities."""
    found = sorted({str(x) for x in labels.tolist()})
    yes = [x for x in found if x == label]
    # A 1 is yes beside a 0; beside a 2 nobody knows of which it is the probability.
    if not yes and all(x.lower() in _YES | _NO for x in found):
        yes = [x for x in found if x.lower() in _YES]
    others = [x for x in found if x not in yes]
    if len(yes) == 1 and len(others) == 1:
        return [others[0], yes[0]]
    if found and not yes and len(found) == 1 and found[0].lower() in _NO:
        return [found[0], label]
    if len(yes) == 1 and not others:
        return [f"not {yes[0]}", yes[0]]
    raise InvalidInputError(
        f"one column of probabilities ({column}) goes with two labels, such as 0 and "
        f"1; got {listed(found, 5)}",
        location=Location(file=source),
        remedy=f"say of which label it is the probability (--probability "
        f"{column}=LABEL), or give a column for every class.",
    )


def _as_two_classes(train: NDArray[Any], classes: Sequence[str]) -> list[str]:
    """Return training labels by the names that the cases use.

    One file may write 1 and 0 where another writes true and false: where both are yes
    and no, they are the same two.
    """
    given = [str(x) for x in train.tolist()]
    known = [str(x) for x in classes]
    are_plain = all(x.lower() in _NO | _YES for x in (*known, *given))
    if set(given) <= set(known) or not are_plain:
        return given
    no, yes = known
    return [yes if x.lower() in _YES else no for x in given]


def _refuse_unnamed(
    labels: NDArray[Any],
    named: list[tuple[str, str]],
    place: Callable[[int], Location],
) -> None:
    """Refuse labels that are no class, with the line of the first."""
    known = [label for _, label in named]
    unknown = [i for i, x in enumerate(labels.tolist()) if str(x) not in known]
    if not unknown:
        return
    first, n = unknown[0], len(unknown)
    more = f" ({n:,} labels are like that)" if n > 1 else ""
    label = str(labels[first])
    raise InvalidInputError(
        f"{quoted(label)} is none of the classes {listed(known, 5)}{more}",
        location=place(first),
        remedy="name the column of every class, and its label",
        option="probability",
    )


def _read_class_prior(
    options: dict[str, Any], classes: Sequence[Any] | None
) -> tuple[dict[str, Any], str, Sequence[DataWarning]]:
    """Return the prior as the library wants it, its file, and notes."""
    from scorecast.io import read_labels

    given = [name for name in _CLASS_PRIORS if options[name]]
    if len(given) != 1:
        msg = (
            "Say what the forecasts are held against, in one way: --prior FILE, "
            "--train-labels FILE or --leave-one-out."
        )
        raise click.UsageError(msg)
    if options["leave_one_out"]:
        return {"prior": "leave-one-out"}, "", ()
    if options["train_labels"]:
        read = read_labels(options["train_labels"])
        return {"y_train": read.values}, read.source, read.notes
    _refuse_number(options["prior"], classes)
    return {"prior": _read_prior(options["prior"])}, options["prior"], ()


def _refuse_number(given: str, classes: Sequence[Any] | None) -> None:
    """Refuse a probability in the place of a file, and say what the file would hold."""
    try:
        chances = [float(x) for x in given.split(",")]
    except ValueError:
        return
    if os.path.exists(given):
        return
    names = ["..."] if classes is None else [str(x) for x in classes]
    if len(names) == 2 and len(chances) == 1 and 0 <= chances[0] <= 1:
        chances = [round(1 - chances[0], 12), *chances]  # the second is what happens
    shown = [f"{x:g}" for x in chances]
    if len(chances) != len(names):
        shown = ["..."] * len(names)
    rows = [f"{name},{x}" for name, x in zip(names, shown, strict=True)]
    lines = ", ".join(map(quoted, rows[:5])) + (", ..." if len(rows) > 5 else "")
    msg = (
        f"--prior takes a file, not the number {given}: one with the lines "
        f"'class,probability', {lines}; or pass --train-labels FILE or --leave-one-out."
    )
    raise click.UsageError(msg)


def _read_prior(path: str) -> Any:
    """Read a prior: columns class and probability, or one number per class."""
    from scorecast.io import read_columns, read_matrix

    try:
        table = read_columns(path, ["probability"], ["class"])
    except InvalidInputError as first:
        try:
            return read_matrix(path, may_be_vector=True).values.ravel()
        except InvalidInputError:
            wanted = "a prior has the columns 'class' and 'probability'"
            raise InvalidInputError(
                f"{first.problem} ({wanted})",
                location=first.location,
                remedy=first.remedy,
            ) from first
    labels = [str(x) for x in table.texts["class"].tolist()]
    if len(set(labels)) != len(labels):
        raise InvalidInputError(
            "a class stands more than once",
            location=Location(file=path),
            remedy="give each one probability",
        )
    return dict(zip(labels, table.numbers["probability"].tolist(), strict=True))
