"""``scorecast size``: how many test samples are enough."""

from __future__ import annotations

from typing import Any

import click

from scorecast.cli.options import Share, Whole, writing_options
from scorecast.cli.verb import Verb, method_option, option, refuse_unused
from scorecast.evaluation import (
    CLUSTERED_WILSON,
    POWER_DESIGNS,
    PROPORTION_INTERVALS,
    RequiredTestSize,
    required_test_size,
)

_OF_COMPARISONS = ("power", "disagreement", "design")
_OF_INTERVALS = ("interval",)
_PARAMETERS = (
    "accuracy",
    "width",
    "versus",
    "interval",
    "design",
    "power",
    "disagreement",
    "confidence_level",
    "group_size",
    "correlation",
    "size_spread",
    "n_repeats",
    "repeat_correlation",
)


@click.command(
    name="size",
    cls=Verb,
    usual=(
        "--accuracy",
        "--width",
        "--versus",
        "--power",
        "--confidence-level",
        "--group-size",
        "--correlation",
        "--json",
        "--report",
    ),
)
@option(
    "Question",
    "--accuracy",
    type=Share(),
    required=True,
    metavar="SHARE",
    help="Accuracy that is expected, such as 0.9.",
)
@option(
    "Question",
    "--width",
    type=Share(is_open=True),
    metavar="SHARE",
    help="Width of the interval that is wanted, such as 0.1.",
)
@option(
    "Question",
    "--versus",
    type=Share(),
    metavar="SHARE",
    help="Accuracy of another model, to be told from the first; instead of --width.",
)
@option(
    "Question",
    "--power",
    type=Share(is_open=True),
    default=0.8,
    metavar="SHARE",
    help="Chance that the difference is found, if it is there.",
)
@option(
    "Question",
    "--disagreement",
    type=Share(),
    metavar="SHARE",
    help="Share of samples on which exactly one of both models is right. [default: as "
    "if they were right independently]",
)
@option(
    "Question",
    "--confidence-level",
    type=Share(is_open=True),
    default=0.95,
    metavar="SHARE",
    help="Level of the interval; one less that of the test.",
)
@option(
    "Groups and repeats",
    "--group-size",
    type=click.FloatRange(min=1),
    metavar="SAMPLES",
    help="Samples that belong together, on average, such as questions about one text.",
)
@option(
    "Groups and repeats",
    "--correlation",
    type=Share(),
    metavar="SHARE",
    help="Correlation within groups: of right answers, or, for a paired comparison, of "
    "the differences between both models.",
)
@option(
    "Groups and repeats",
    "--size-spread",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="RATIO",
    help="Standard deviation of the sizes of groups over their mean.",
)
@option(
    "Groups and repeats",
    "--repeats",
    "n_repeats",
    type=Whole(min=1),
    default=1,
    help="Answers to every sample, such as epochs.",
)
@option(
    "Groups and repeats",
    "--repeat-correlation",
    type=Share(),
    metavar="SHARE",
    help="Correlation between answers to one sample.",
)
@method_option(
    "--interval",
    PROPORTION_INTERVALS,
    default="wilson",
    others=(CLUSTERED_WILSON.name,),
    says=f"Of which the width is meant; of groups and repeats {CLUSTERED_WILSON.name}.",
)
@method_option(
    "--design",
    POWER_DESIGNS,
    default="paired",
    says="How two models are tested.",
)
@writing_options
def command(**options: Any) -> None:
    """Say how many test samples an interval or a comparison needs.

    Samples in groups, and repeats of one sample, say less than as many independent
    ones: --group-size and --correlation, or --repeats and --repeat-correlation, say by
    how much.
    """
    from scorecast.cli.outputs import Loaded, run

    run(options, lambda _: Loaded(arguments={}), _answer)


def _answer(options: dict[str, Any], _: Any) -> RequiredTestSize:
    context = click.get_current_context()
    if options["width"] is not None and options["versus"] is None:
        refuse_unused(context, _OF_COMPARISONS, "with --width: it is of --versus")
    if options["versus"] is not None and options["width"] is None:
        refuse_unused(context, _OF_INTERVALS, "with --versus: it is of --width")
    return required_test_size(**{name: options[name] for name in _PARAMETERS})
