"""``scorecast size``: how many samples, tested or learned from, or classes to test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.options import Share, Whole, writing_options
from scorecast.cli.verb import Verb, method_option, option, refuse_unused
from scorecast.evaluation import (
    CLUSTERED_WILSON,
    LEARNING_RULES,
    POWER_DESIGNS,
    PROPORTION_INTERVALS,
    RequiredTestSize,
    RequiredTrainingSize,
    required_test_size,
    required_training_size,
)
from scorecast.exceptions import UsageError

if TYPE_CHECKING:
    from scorecast.cli.outputs import Loaded
    from scorecast.extrapolation import RequiredClasses

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
_OF_CLASSES = ("margin", "samples_per_class", "spread", "pilot", "labels", "seed")
_OF_RULES = ("distance", "n_features", "n_informative", "max_excess")
_OF_ALL = ("accuracy", "confidence_level", "correlation")
_OF_SAMPLES = (
    "width",
    "versus",
    "power",
    "disagreement",
    "group_size",
    "size_spread",
    "n_repeats",
    "repeat_correlation",
    "interval",
    "design",
)


@click.command(
    name="size",
    cls=Verb,
    usual=(
        "--accuracy",
        "--width",
        "--versus",
        "--classes",
        "--margin",
        "--rule",
        "--power",
        "--confidence-level",
        "--json",
        "--report",
    ),
)
@option(
    "Question",
    "--accuracy",
    type=Share(),
    metavar="SHARE",
    help="Accuracy that is expected, such as 0.9; needed without --pilot.",
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
    "--classes",
    "to",
    type=Whole(min=1),
    metavar="N",
    help="Number of classes in use, such as 10000: say how many classes to test for a "
    "forecast of the accuracy there; instead of --width.",
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
    help="Level of the interval; 1 minus that of the test.",
)
@option(
    "Classes",
    "--margin",
    type=Share(is_open=True),
    default=0.05,
    metavar="SHARE",
    help="How far off the forecast for --classes may be: half of its interval.",
)
@option(
    "Classes",
    "--examples",
    "samples_per_class",
    type=Whole(min=1),
    default=1,
    metavar="N",
    help="Examples of each class that will be tested.",
)
@option(
    "Classes",
    "--spread",
    type=click.FloatRange(min=0, min_open=True),
    metavar="NUMBER",
    help="How unequally hard examples are: standard deviation of the probit of their "
    "chance against one wrong class. [default: 0.95, or as in the pilot]",
)
@option(
    "Classes",
    "--pilot",
    metavar="FILE",
    help="Scores of a pilot study, from which accuracy and spread are taken instead of "
    "--accuracy.",
)
@option(
    "Classes",
    "--labels",
    metavar="FILE",
    help="True labels of the pilot, where its file has none.",
)
@option("Classes", "--seed", type=Whole(min=0), default=0, help="Seed of drawn data.")
@method_option(
    "--rule",
    LEARNING_RULES,
    default=None,
    says="Say how many samples to learn from until this rule is nearly the best; "
    "instead of --width.",
    group="Learning",
)
@option(
    "Learning",
    "--distance",
    type=click.FloatRange(min=0, min_open=True),
    metavar="NUMBER",
    help="Mahalanobis distance of two classes over all features, such as 2; the best "
    "rule errs in 16 % there.",
)
@option(
    "Learning",
    "--features",
    "n_features",
    type=Whole(min=1),
    metavar="N",
    help="Features that are learned from.",
)
@option(
    "Learning",
    "--informative",
    "n_informative",
    type=Whole(min=1),
    default=1,
    metavar="N",
    help="Features that tell, where --rule selects some; one is the hardest case.",
)
@option(
    "Learning",
    "--excess",
    "max_excess",
    type=Share(is_open=True),
    default=0.05,
    metavar="SHARE",
    help="By how much the expected error may exceed that of the best rule.",
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
    others=(CLUSTERED_WILSON,),
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
    """Say how many samples a test, a comparison or a simple rule needs.

    Samples in groups, and repeats of one sample, say less than as many independent
    ones: --group-size and --correlation, or --repeats and --repeat-correlation, say by
    how much.

    With --rule: how many samples to learn from. Two normal classes are told apart; the
    error to expect is computed from the distribution of what is learned.

    With --classes: how many classes to test for a forecast of the accuracy with many
    more. Data of such a recogniser are drawn and forecast to see.
    """
    from scorecast.cli.outputs import Loaded, run

    context = click.get_current_context()
    if options["rule"] is not None:
        others = (*_OF_ALL, *_OF_SAMPLES, *_OF_CLASSES, "to")
        refuse_unused(context, others, "with --rule: leave it out")
        for name in ("distance", "n_features"):
            if options[name] is None:
                raise UsageError("is needed with --rule", parameter=name)
        run(options, lambda _: Loaded(arguments={}), _learn)
        return
    refuse_unused(context, _OF_RULES, "without --rule")
    if options["to"] is not None:
        refuse_unused(context, _OF_SAMPLES, "with --classes: leave it out")
        if options["accuracy"] is not None and options["pilot"] is not None:
            problem = "the pilot tells the accuracy: give one of them, not both"
            raise UsageError(problem, parameter="accuracy")
        if options["accuracy"] is None and options["pilot"] is None:
            problem = "the accuracy that is expected in use is needed, or a --pilot"
            raise UsageError(problem, parameter="accuracy")
        run(options, _load_pilot, _plan)
        return
    refuse_unused(context, _OF_CLASSES, "without --classes")
    _refuse_nothing(options)
    run(options, lambda _: Loaded(arguments={}), _answer)


def _refuse_nothing(options: dict[str, Any]) -> None:
    """Say at once what is lacking: an accuracy, and what is wanted of it."""
    is_wanted = options["width"] is not None or options["versus"] is not None
    if options["accuracy"] is not None and is_wanted:
        return
    if is_wanted:
        raise UsageError("is needed, such as 0.9", parameter="accuracy")
    wanted = (
        "either --width (an interval so wide), --versus (the accuracy of another "
        "model, to be told from the first) or --classes (a forecast with more)"
    )
    if options["accuracy"] is not None:
        raise UsageError(f"beside --accuracy give {wanted}")
    raise UsageError(
        f"give --accuracy (what is expected, such as 0.9) and {wanted}; or --rule, for "
        "samples to learn from"
    )


def _learn(options: dict[str, Any], _: Any) -> RequiredTrainingSize:
    names = ("distance", "n_features", "max_excess", "n_informative")
    return required_training_size(
        options["rule"], **{name: options[name] for name in names}
    )


def _load_pilot(options: dict[str, Any]) -> Loaded:
    """Read the scores of a pilot study, if there is one."""
    from scorecast.cli.outputs import Loaded
    from scorecast.io import read_scores
    from scorecast.scores import Scores

    if options["pilot"] is None:
        return Loaded(arguments={"accuracy": options["accuracy"]})
    table = read_scores(options["pilot"], labels=options["labels"])
    pilot = Scores(table.values, table.y_true, classes=table.classes)
    return Loaded(arguments={"accuracy": pilot}, files=table.sources, notes=table.notes)


def _plan(options: dict[str, Any], loaded: Loaded) -> RequiredClasses:
    from scorecast.extrapolation import required_classes

    names = (
        "to",
        "margin",
        "samples_per_class",
        "correlation",
        "spread",
        "confidence_level",
    )
    found: RequiredClasses = required_classes(
        **loaded.arguments,
        **{name: options[name] for name in names},
        random_state=options["seed"],
    )
    return found


def _answer(options: dict[str, Any], _: Any) -> RequiredTestSize:
    context = click.get_current_context()
    if options["width"] is not None and options["versus"] is None:
        refuse_unused(context, _OF_COMPARISONS, "with --width: it is of --versus")
    if options["versus"] is not None and options["width"] is None:
        refuse_unused(context, _OF_INTERVALS, "with --versus: it is of --width")
    return required_test_size(**{name: options[name] for name in _PARAMETERS})
