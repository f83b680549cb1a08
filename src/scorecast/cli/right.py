"""``scorecast assess --right``: the accuracy of one model from its answers."""

from __future__ import annotations

from typing import Any

import click

from scorecast.cli.unused import OF_PREDICTORS, refuse_given

__all__ = ["assess_right", "right_option"]

_UNUSED = (
    *(name for name in OF_PREDICTORS if name != "group"), "bicluster_file",
    "bicluster_models", "truth_file", "pattern", "named_beforehand", "missing_value",
    "n_repeats", "share", "relaxed_alpha", "alpha", "n_permutations", "test_size",
    "n_jobs", "no_header", "key", "densities",
)  # fmt: skip

right_option = click.option(
    "--right",
    metavar="COL",
    help="Column of 1 (right) and 0 (wrong): the accuracy of one model, whose cases "
    "may belong to groups (--group).",
)


def assess_right(options: dict[str, Any]) -> None:
    """Read one column of right and wrong, and deliver its share with an interval."""
    from scorecast._core.progress import computing
    from scorecast.cli.inputs import (
        blamed_on,
        collected_warnings,
        file_layout,
        file_prints,
    )
    from scorecast.cli.outputs import check_outputs, deliver
    from scorecast.exceptions import GateFailedError, InvalidInputError
    from scorecast.guarantees import proportion_interval
    from scorecast.io import read_results

    refuse_given(_UNUSED, "has no part in --right")
    check_outputs(options)
    right, group = options["right"], options["group"]
    with collected_warnings() as lines:
        data = read_results(
            options["data"],
            texts=[group] if group else [],
            layout=file_layout(options, key=None, header=True),
        )
        check_outputs(options, [data.source])
        with computing(), blamed_on(options["data"]):
            for option, name in (("--right", right), ("--group", group)):
                if name and name not in data.columns:
                    msg = (
                        f"{option}: there is no column {name!r} but "
                        f"{', '.join(data.columns)}."
                    )
                    raise InvalidInputError(msg)
            result = proportion_interval(
                data.columns[right],
                groups=data.columns[group] if group else None,
                level=options["level"],
            )
        files = file_prints([data.source])
    deliver(result, options, files=files, notes=[*data.notes, *lines])
    threshold = options["fail_below"]
    if threshold is not None and not result.low >= threshold:
        msg = (
            f"the accuracy reaches down to {result.low:.4g}; --fail-below "
            f"{threshold:g} asks for better"
        )
        raise GateFailedError(msg)
