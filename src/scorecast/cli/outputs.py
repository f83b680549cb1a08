"""Where the answer of a verb goes: terminal, JSON, HTML; each whole or not at all."""

from __future__ import annotations

import json
import platform
import shlex
import sys
from collections.abc import Sequence
from dataclasses import is_dataclass, replace
from typing import Any, cast

import click

from scorecast._core.results import Result
from scorecast.cli.faults import in_options
from scorecast.exceptions import UsageError
from scorecast.io import check_writable, write_json, write_text

__all__ = ["check_outputs", "deliver", "note"]


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
    if report_path and options.get("json_path") == report_path:
        msg = f"--json and --report both name {report_path!r}: they need a file each."
        raise UsageError(msg)
    for name in ("json_path", "report_path"):
        path = options.get(name)
        if path and path != "-":
            check_writable(path, force=options["force"], inputs=inputs)


def deliver(
    result: Result,
    options: dict[str, Any],
    *,
    files: list[dict[str, Any]],
    notes: Sequence[str] = (),
    source: str = "",
    further: Sequence[Result] = (),
    matrix: dict[str, Any] | None = None,
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
    notes : sequence of str
        What was done on the way; goes to standard error.
    source : str
        Whose data they are and under which licence, for the page.
    further : sequence of Result
        Shown on the page after the answer, and only there.
    matrix : dict, optional
        What the data were, where the answer does not say so itself.
    """
    from scorecast._core.progress import finish, stage
    from scorecast.report import render_text, report

    command = shlex.join(["scorecast", *sys.argv[1:]])
    data = result.to_dict()
    result = _in_options(result)
    about = {} if matrix is None else {"matrix": matrix}
    # Not the command: the same answer is the same bytes, for any number of workers.
    origin = {**about, "files": files, "versions": _versions()}
    data["inputs"] = {**data["inputs"], **origin}
    paths = [f["path"] for f in files]
    json_path, report_path = options["json_path"], options["report_path"]
    with stage("writing"):
        if report_path:
            shown = {"command": command, "data": source, "inputs": files}
            page = report([result, *further], provenance=shown)
            write_text(report_path, page, force=options["force"], inputs=paths)
        if json_path and json_path != "-":
            write_json(json_path, data, force=options["force"], inputs=paths)
    finish()
    if not options["quiet"]:
        for line in notes:
            note(in_options(line, click.get_current_context().command))
    if json_path == "-":
        click.echo(json.dumps(data, indent=2, allow_nan=False, ensure_ascii=False))
    elif not options["quiet"]:
        click.echo(render_text(result, ascii_only=not _speaks_utf8()))
        saved = (
            ("Predicted", options.get("predicted")),
            ("JSON", json_path),
            ("Report", report_path),
            ("LaTeX", options.get("latex")),
        )
        for name, path in saved:
            if path:
                click.echo(f"{name:<10}{path}")


def _in_options(result: Result) -> Result:
    """Say warnings of the library in words of the command line."""
    said = getattr(result, "warnings", ())
    if not (said and is_dataclass(result)):
        return result
    verb = click.get_current_context().command
    told = tuple(in_options(line, verb) for line in said)
    return cast(Result, replace(cast(Any, result), warnings=told))


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
    from scorecast._core.progress import hidden

    with hidden():
        click.echo(f"note: {line}", err=True)


def _speaks_utf8() -> bool:
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower()
    return encoding.replace("-", "") == "utf8"
