"""``scorecast size``: how many test cases are enough."""

from __future__ import annotations

from typing import Any

import click

from scorecast.cli.options import Share, Whole, writing_options

__all__ = ["command"]


@click.command(name="size")
@click.option(
    "--expect",
    type=Share(),
    required=True,
    metavar="SHARE",
    help="Accuracy that is expected, such as 0.9.",
)
@click.option(
    "--width",
    type=Share(is_open=True),
    help="Width of the interval that is wanted, such as 0.1.",
)
@click.option(
    "--versus",
    type=Share(),
    metavar="SHARE",
    help="Accuracy of another model, to be told from the first; instead of --width.",
)
@click.option(
    "--power",
    type=Share(is_open=True),
    default=0.8,
    show_default=True,
    help="Chance that the difference is found, if it is there.",
)
@click.option(
    "--disagreement",
    type=Share(),
    help="Share of cases on which exactly one of both models is right. [default: as if "
    "they were right independently]",
)
@click.option(
    "--method",
    help="Of the interval: wilson, clopper-pearson, jeffreys, uniform, wald; of the "
    "comparison: paired, independent. [default: wilson, paired; of groups and repeats "
    "clustered-wilson-t]",
)
@click.option(
    "--level",
    type=Share(is_open=True),
    default=0.95,
    show_default=True,
    help="Confidence.",
)
@click.option(
    "--group-size",
    type=click.FloatRange(min=1),
    metavar="CASES",
    help="Cases that belong together, on average, such as questions about one text.",
)
@click.option(
    "--correlation",
    type=Share(),
    help="Correlation within groups: of right answers, or, for a paired comparison, of "
    "the differences between both models.",
)
@click.option(
    "--size-spread",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="Standard deviation of the sizes of groups over their mean.",
)
@click.option(
    "--repeats",
    type=Whole(min=1),
    default=1,
    show_default=True,
    help="Answers to every case, such as epochs.",
)
@click.option(
    "--repeat-correlation",
    type=Share(),
    help="Correlation between answers to one case.",
)
@writing_options
def command(**options: Any) -> None:
    """Say how many test cases an interval or a comparison needs.

    Cases in groups, and repeats of one case, say less than as many independent ones:
    --group-size and --correlation, or --repeats and --repeat-correlation, say by how
    much.
    """
    from scorecast._core.progress import computing
    from scorecast.cli.outputs import check_outputs, deliver
    from scorecast.exceptions import UsageError
    from scorecast.guarantees import required_test_size

    check_outputs(options)
    if (options["width"] is None) == (options["versus"] is None):
        msg = "Give either --width, for an interval, or --versus, for a comparison."
        raise UsageError(msg)
    if options["width"] is not None:
        _refuse_of_comparisons()
    names = (
        "width", "versus", "power", "disagreement", "method", "level", "group_size",
        "correlation", "size_spread", "repeats", "repeat_correlation",
    )  # fmt: skip
    with computing():
        result = required_test_size(
            options["expect"], **{name: options[name] for name in names}
        )
    deliver(result, options, files=[])


def _refuse_of_comparisons() -> None:
    """Refuse what an interval has no use for, rather than ignore it."""
    from scorecast.exceptions import UsageError

    context = click.get_current_context()
    for name in ("power", "disagreement"):
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            msg = f"--{name} is of a comparison: give it with --versus, not --width."
            raise UsageError(msg)
