"""What every verb does: check, read, compute, deliver, judge.

`run` takes a verb through it. Outputs are checked before anything takes time and
written whole or not at all; errors gain the places that their parameters were read
from; what the library warns of is said once, below the answer; gates come last.
"""

from __future__ import annotations

import json
import math
import os
import platform
import shlex
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from scorecast._core.progress import computing, finish, hidden, stage
from scorecast._core.result import Result
from scorecast._core.rounding import told_apart
from scorecast.cli.inputs import Loaded, file_prints
from scorecast.cli.verb import Verb, option_names
from scorecast.exceptions import (
    GateFailedError,
    ResultWarning,
    ScorecastWarning,
    UsageError,
    locating,
    printable,
)
from scorecast.io import check_writable, write_json, write_text

__all__ = [
    "Gate",
    "Loaded",
    "check_outputs",
    "deliver",
    "interrupted",
    "line_width",
    "note",
    "run",
    "say_saved",
]

# Options that name files to be written, beside those of `--json` and `--report`.
_WRITTEN = {"latex": "LaTeX", "predictions": "Predicted"}
_COLUMNS = 88
_TERMINALS = (40, 110)  # longer lines are hard to read


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A threshold that was stated, and what is held against it.

    Attributes
    ----------
    option : str
        As it was written, such as ``--fail-below``.
    least : float or None
        The threshold; nothing is judged without one.
    value : float
        What must reach it; what is not known does not.
    subject : str
        What that is, such as "the forecast for 400 classes".
    unit : str
        Of the value, such as "bits per case".
    greater_is_better : bool
        Whether the value must not fall below the threshold; else not exceed it.
    """

    option: str
    least: float | None
    value: float
    subject: str
    unit: str = ""
    greater_is_better: bool = True

    def check(self) -> None:
        """Refuse a value that does not reach the threshold."""
        if self.least is None:
            return
        is_up = self.greater_is_better
        if self.value >= self.least if is_up else self.value <= self.least:
            return
        shown = "unknown"
        if math.isinf(self.value):
            shown = "minus infinity" if is_up else "infinity"
        elif not math.isnan(self.value):
            shown = told_apart(self.value, self.least, 3)
        unit = f" {self.unit}" if self.unit else ""
        side = "below" if is_up else "above"
        msg = f"{self.subject} is {shown}{unit}, {side} {self.option} {self.least}"
        raise GateFailedError(msg)


def run(
    options: dict[str, Any],
    load: Callable[[dict[str, Any]], Loaded],
    answer: Callable[[dict[str, Any], Loaded], Result],
    *,
    gates: Callable[[Any, dict[str, Any]], Iterable[Gate]] | None = None,
) -> None:
    """Take a verb from its options to its answer.

    Parameters
    ----------
    options : dict
        Values of all options, `output_options` among them.
    load : callable
        Reads what the options name.
    answer : callable
        Calls the library, once.
    gates : callable, optional
        Thresholds that the answer is held against, after it was delivered.
    """
    check_outputs(options)
    with _collected() as caught:
        loaded = load(options)
        check_outputs(options, loaded.files)
        if options.get("checkpoint"):
            check_writable(options["checkpoint"], force=True, inputs=loaded.files)
        with computing(), locating(loaded.places):
            result = answer(options, loaded)
        files = file_prints(loaded.files)
    notes = [*loaded.notes, *caught]
    deliver(result, options, files=files, notes=notes, source=loaded.source)
    for gate in gates(result, options) if gates else ():
        gate.check()


@contextmanager
def _collected() -> Iterator[list[ScorecastWarning]]:
    """Collect our own warnings about the input; those about the answer it says itself.

    What others warn of is passed on.
    """
    lines: list[ScorecastWarning] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield lines
    for warning in caught:
        if isinstance(warning.message, ScorecastWarning):
            if not isinstance(warning.message, ResultWarning):
                lines.append(warning.message)
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def check_outputs(options: dict[str, Any], inputs: Sequence[str] = ()) -> None:
    """Refuse outputs that cannot be written, before anything takes time.

    Parameters
    ----------
    options : dict
        Values of `output_options`.
    inputs : sequence of str
        Files that must not be overwritten.
    """
    report_path = options.get("report_path")
    if report_path and not report_path.lower().endswith((".html", ".htm")):
        msg = f"--report writes HTML: give it a name that ends so, not {report_path!r}."
        raise UsageError(msg)
    given = {"--json": options.get("json_path"), "--report": report_path}
    given |= {f"--{name}": options.get(name) for name in (*_WRITTEN, "checkpoint")}
    taken: dict[str, str] = {}
    for option, path in given.items():
        if path == "-" and getattr(sys.stdout, "name", "") == os.devnull:
            msg = "prints to standard output, which is closed"
            raise UsageError(msg, parameter="json")
        if not path or path == "-":
            continue
        other = taken.setdefault(os.path.realpath(path), option)
        if other != option:
            msg = f"{other} and {option} both name {path!r}: they need a file each."
            raise UsageError(msg)
        if option != "--checkpoint":
            check_writable(path, force=options["force"], inputs=inputs)


def deliver(
    result: Result,
    options: dict[str, Any],
    *,
    files: list[dict[str, Any]],
    notes: Sequence[object] = (),
    source: str = "",
    further: Sequence[Result] = (),
) -> None:
    """Print, save and report a result.

    Parameters
    ----------
    result : Result
        The answer.
    options : dict
        Values of `output_options`.
    files : list of dict
        Path, hash and size of the inputs.
    notes : sequence of ScorecastWarning or str
        What was done on the way; goes to standard error.
    source : str
        Whose data they are and under which licence, for the page.
    further : sequence of Result
        Shown on the page after the answer, and only there.
    """
    from scorecast.report import render, write_report

    command = shlex.join(["scorecast", *sys.argv[1:]])
    data = result.to_dict()
    # Not the command: the same answer is the same bytes, for any number of workers.
    origin = {"files": files, "versions": _versions()}
    data["inputs"] = {**data["inputs"], **origin}
    paths = [f["path"] for f in files]
    json_path, report_path = options["json_path"], options["report_path"]
    with stage("writing"):
        if report_path:
            shown = {"command": command, "data": source, "inputs": files}
            write_report(
                [result, *further],
                report_path,
                provenance=shown,
                force=options["force"],
            )
        if options.get("latex"):
            tables = render(result, "latex")
            write_text(options["latex"], tables, force=options["force"], inputs=paths)
        if json_path and json_path != "-":
            write_json(json_path, data, force=options["force"], inputs=paths)
    finish()
    if not options["quiet"]:
        for line in notes:
            note(_noted(line))
    if json_path == "-":
        click.echo(json.dumps(data, indent=2, allow_nan=False, ensure_ascii=False))
    elif not options["quiet"]:
        is_plain = not _speaks_utf8()
        color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        text = render(result, width=line_width(), ascii_only=is_plain, color=color)
        click.echo(text, color=color)
        saved = {name: options.get(key) for key, name in _WRITTEN.items()}
        saved |= {"JSON": json_path, "Report": report_path}
        for name, path in saved.items():
            if path:
                say_saved(name, path)


def line_width() -> int:
    """Return how many columns an answer may take: those of the terminal, within reason.

    A file or a pipe gets the same lines everywhere.
    """
    if not sys.stdout.isatty():
        return _COLUMNS
    narrowest, widest = _TERMINALS
    columns = shutil.get_terminal_size((_COLUMNS, 24)).columns
    return min(max(columns, narrowest), widest)


def say_saved(name: str, path: str) -> None:
    """Say where something was saved."""
    click.echo(f"{name:<10}{printable(path, 4096)}")


def _noted(line: object) -> str:
    """Say a warning in words of the command line."""
    verb = click.get_current_context().command
    if isinstance(line, ScorecastWarning):
        names = verb.names() if isinstance(verb, Verb) else option_names(verb)
        return line.message(names)
    return str(line)


def _versions() -> dict[str, str]:
    """Return the versions of what computed: Python, and libraries that were loaded."""
    found = {"python": platform.python_version()}
    for name in ("numpy", "scipy", "sklearn", "pandas"):
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            found["scikit-learn" if name == "sklearn" else name] = str(version)
    return found


def note(line: str) -> None:
    """Say something beside the answer."""
    with hidden():
        click.echo(f"note: {line}", err=True)


def _speaks_utf8() -> bool:
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower()
    return encoding.replace("-", "") == "utf8"


def interrupted(
    checkpoint: str | None, *, n_folds: int | None = None
) -> KeyboardInterrupt:
    """Say whether the work so far is kept, and how to go on.

    Parameters
    ----------
    checkpoint : str or None
        File of finished work, if one was asked for.
    n_folds : int, optional
        Folds of the whole run, if the file is one of folds.

    Returns
    -------
    KeyboardInterrupt
        To be raised in place of the one that came.
    """
    said = "nothing half-written was left behind"
    if not checkpoint:
        said += "; with --checkpoint FILE a run can go on where it stopped"
    elif os.path.exists(checkpoint) and os.path.getsize(checkpoint):
        kept = None if n_folds is None else _n_kept(checkpoint)
        if kept == 0:
            said += f"; 0 of {n_folds} folds kept, so the same command starts anew"
        else:
            said += f"; run the same command to go on from {checkpoint}"
            said += "" if kept is None else f" ({kept} of {n_folds} folds kept)"
    return KeyboardInterrupt(said)


def _n_kept(checkpoint: str) -> int:
    """Count the finished folds in the file of a run."""
    from scorecast._core.records import Record

    return Record.shared(checkpoint).count("folds")
