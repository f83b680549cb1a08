"""New cases on the command line: which, where to write them, and the prediction."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from scorecast.io import NewSamplesFile, SurvivalFile
    from scorecast.recurrence import Cohort, NewCases, RecurrenceModel

__all__ = [
    "check_new_cases",
    "new_case_options",
    "predicted_cases",
    "read_new_cases",
    "save_predicted",
]

F = TypeVar("F", bound=Callable[..., Any])


def _times_named(_: Any, option: click.Parameter, text: str | None) -> list[float]:
    found: list[float] = []
    for part in (text or "").split(","):
        if not part.strip():
            continue
        try:
            time = float(part)
        except ValueError:
            time = math.nan
        if not (time > 0 and math.isfinite(time)):
            msg = f"{part.strip()!r} is not a time, a number above 0."
            raise click.BadParameter(msg, param=option)
        found.append(time)
    return list(dict.fromkeys(found))


def new_case_options(function: F) -> F:
    """Add what is asked about new cases."""
    for option in reversed(
        [
            click.option("--predict", metavar="NEW",
                         help="Table of new cases to predict by a fit to all of DATA; "
                         "the covariates under the same names, no time, no event."),
            click.option("--at", callback=_times_named, metavar="T,...",
                         help="With --predict: times at which to give the chance of "
                         "still waiting."),
            click.option("--predicted", metavar="FILE.csv",
                         help="With --predict: save the predictions, one row per new "
                         "case."),
        ]
    ):  # fmt: skip
        function = option(function)
    return function


def check_new_cases(options: dict[str, Any], inputs: list[str]) -> None:
    """Refuse what cannot be written, or is meant for new cases without any.

    Parameters
    ----------
    options : dict
        Of the verb.
    inputs : list of str
        Files that must not be overwritten.
    """
    from importlib.util import find_spec

    from scorecast.exceptions import MissingExtraError, UsageError
    from scorecast.io import check_writable

    if options["predict"] is None:
        for name in ("at", "predicted"):
            if options[name]:
                msg = f"--{name} is about new cases: give their table with --predict."
                raise UsageError(msg)
        return
    path = options["predicted"]
    if path is None:
        return
    if not path.lower().endswith((".csv", ".parquet")):
        msg = f"--predicted must end in .csv or .parquet; got {path!r}."
        raise UsageError(msg)
    for name in ("json", "report"):
        if options[f"{name}_path"] == path:
            msg = f"--{name} and --predicted both name {path!r}: they need a file each."
            raise UsageError(msg)
    if options["checkpoint"] == path:
        msg = f"--checkpoint and --predicted both name {path!r}."
        raise UsageError(msg)
    if path.lower().endswith(".parquet") and find_spec("pyarrow") is None:
        what = "Writing Parquet"
        raise MissingExtraError(what, "io")
    check_writable(path, force=options["force"], inputs=inputs)


def read_new_cases(
    data: SurvivalFile, options: dict[str, Any]
) -> NewSamplesFile | None:
    """Read the new cases, if there are any, as the others were read.

    Parameters
    ----------
    data : SurvivalFile
        The cases to learn from.
    options : dict
        Of the verb.

    Returns
    -------
    NewSamplesFile or None
        The new ones.
    """
    from scorecast.cli.inputs import file_layout
    from scorecast.io import read_new_samples

    if options["predict"] is None:
        return None
    layout = file_layout(options, drop=())
    return read_new_samples(options["predict"], data, layout=layout)


def predicted_cases(
    model: RecurrenceModel,
    cohort: Cohort,
    data: SurvivalFile,
    new: NewSamplesFile | None,
    options: dict[str, Any],
) -> tuple[NewCases | None, list[str]]:
    """Predict the new cases, and say what to watch in them.

    Parameters
    ----------
    model : RecurrenceModel
        Its parameters hold for the fit.
    cohort : Cohort
        The cases to learn from.
    data : SurvivalFile
        The same as read.
    new : NewSamplesFile or None
        The new ones, if there are any.
    options : dict
        Of the verb.

    Returns
    -------
    tuple
        Predictions, or None, and sentences.
    """
    from scorecast._core.progress import stage
    from scorecast.recurrence import predict_new

    if new is None:
        return None, []
    with stage("new cases"):
        found = predict_new(
            model, cohort, new.X, level=options["level"], at=options["at"],
            checkpoint=options["checkpoint"],
        )  # fmt: skip
    return found, found.cautions(new.X, cohort, data.names)


def save_predicted(found: NewCases | None, options: dict[str, Any]) -> None:
    """Write the predictions as a table, if that was asked for.

    Parameters
    ----------
    found : NewCases or None
        The predictions.
    options : dict
        Of the verb.
    """
    import numpy as np

    from scorecast.io import write_table

    if found is None or options["predicted"] is None:
        return
    columns = {name: np.array(values) for name, values in found.to_columns().items()}
    write_table(options["predicted"], columns, force=options["force"])
