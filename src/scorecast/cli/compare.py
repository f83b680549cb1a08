"""``scorecast compare``: which models differ, over data sets, splits or samples."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import click
import numpy as np

from scorecast.cli.options import Whole, level_option, output_options
from scorecast.cli.verb import Verb, method_option, option, refuse_unused
from scorecast.comparison import (
    OMNIBUS_TESTS,
    PAIR_TESTS,
    POST_HOC,
    Comparison,
    PairComparison,
    RowKind,
    compare,
    compare_pair,
    model_columns,
    refuse_no_models,
    refuse_no_predictions,
    results_table,
    row_name_column,
)
from scorecast.evaluation import METRICS, PROPORTION_INTERVALS
from scorecast.exceptions import Location, UsageError, listed

_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d+)?")
_OF_MANY = ("long", "control", "rows", "post_hoc", "omnibus")
_OF_TWO = ("interval", "n_resamples")


@click.command(
    name="compare",
    cls=Verb,
    usual=(
        "--model",
        "--truth",
        "--control",
        "--lower-is-better",
        "--rows",
        "--scoring",
        "--confidence-level",
        "--test",
        "--json",
        "--report",
    ),
    aliases={"results": "TABLE", "a": "--model", "names": "--model"},
)
@click.argument("table", metavar="TABLE")
@option(
    "Input",
    "--model",
    "models",
    multiple=True,
    metavar="COL",
    help="Column, or model of a long table, to compare; may be repeated. "
    "[default: all]",
)
@option(
    "Input",
    "--truth",
    "y_true",
    metavar="COL",
    help="Column of what is true; the others are predictions, or scores of the class "
    "that sorts last.",
)
@option(
    "Input",
    "--groups",
    metavar="COL",
    help="Column of samples that belong together, such as patients; with --long too.",
)
@option(
    "Input",
    "--long",
    nargs=3,
    metavar="DATASET MODEL SCORE",
    help="Columns of a table with one result per row; repeats are averaged.",
)
@option(
    "Input",
    "--row-names",
    metavar="COL",
    help="Column that names the rows. [default: the one that holds text]",
)
@option(
    "Input", "--drop", multiple=True, metavar="COL", help="Column that is no model."
)
@option(
    "Question", "--control", metavar="MODEL", help="Compare all others with this one."
)
@option(
    "Question",
    "--lower-is-better",
    is_flag=True,
    help="Results are errors: less is better.",
)
@option(
    "Question",
    "--rows",
    type=click.Choice(["auto", *(kind.value for kind in RowKind)]),
    default="auto",
    help="What the rows are.",
)
@option(
    "Question",
    "--test-ratio",
    type=click.FloatRange(min=0),
    metavar="RATIO",
    help="Rows are splits of one data set: samples tested per sample trained on, such "
    "as 0.111 for ten folds.",
)
@method_option(
    "--scoring",
    METRICS,
    group="Question",
    default=None,
    says="What is compared, with --truth; by --groups too. What is no mean of samples "
    "takes two models.",
)
@option(
    "Question",
    "--rope",
    type=click.FloatRange(min=0),
    metavar="HALF-WIDTH",
    help="Differences up to this make no difference: adds Bayesian chances.",
)
@level_option("1 minus the family-wise error rate; level of intervals.")
@method_option("--test", PAIR_TESTS, says="How pairs of models are tested.")
@method_option("--post-hoc", POST_HOC, says="How p-values of all pairs are corrected.")
@method_option(
    "--omnibus", OMNIBUS_TESTS, says="Which test of all models to quote; all are done."
)
@method_option(
    "--interval",
    PROPORTION_INTERVALS,
    default="wilson",
    says="Of the accuracies of two models.",
)
@option(
    "Method",
    "--resamples",
    "n_resamples",
    type=Whole(min=99),
    default=4999,
    help="Resamples or exchanges of bootstrap and permutation.",
)
@option(
    "Method",
    "--nan-policy",
    type=click.Choice(["omit", "raise"]),
    default="omit",
    help="Whether rows that lack a result are left out or refused.",
)
@option("Output", "--latex", metavar="FILE.tex", help="Write the tables for LaTeX.")
@click.option("--delimiter", help="Between the fields of a CSV file.")
@click.option("--decimal", default=".", help="Decimal mark of a CSV file.")
@click.option(
    "--max-memory",
    type=click.FloatRange(min=0, min_open=True),
    default=8.0,
    show_default=True,
    metavar="GB",
    help="Refuse files that unpack to more.",
)
@output_options
def command(**options: Any) -> None:
    """Say which models differ, with the chance of any false claim controlled.

    TABLE has one row per data set and one column per model (.csv, .tsv, .parquet); one
    column of text may name the rows. Empty cells are missing results. Results that are
    all 0 or 1 are taken as samples, right or wrong; --groups says which belong
    together. Models can be compared sample by sample, with --truth and --groups; two of
    them by tests that take two.
    """
    from scorecast.cli.outputs import run

    run(options, _load, _answer)


def _load(options: dict[str, Any]) -> Any:
    from scorecast.cli.inputs import file_layout
    from scorecast.cli.outputs import Loaded
    from scorecast.io import read_results

    named = [*options["long"][:2]] if options["long"] else []
    named += [options[x] for x in ("row_names", "groups") if options[x]]
    found = read_results(
        options["table"],
        texts=named,
        layout=file_layout(options, key=None, header=True),
    )
    columns = _with_numbers(found.columns, options["groups"])
    table = Location(file=options["table"])
    places = {"results": table, "a": table, "long": table}
    for name in ("y_true", "groups"):
        if options[name]:
            places[name] = Location(file=options["table"], column=options[name])
    return Loaded(
        arguments=columns, files=(found.source,), places=places, notes=found.notes
    )


def _with_numbers(
    columns: Mapping[str, list[Any]], name: str | None
) -> Mapping[str, list[Any]]:
    """Read groups as numbers where all of them are: 2 and 2.0 are the same group.

    Names of figures, such as 007 and long numbers, stay names.
    """
    if name is None:
        return columns
    given = [str(x).strip() for x in columns[name]]
    if not all(_NUMBER.fullmatch(x) for x in given if x):
        return columns
    return {**columns, name: [float(x) if x else math.nan for x in given]}


def _answer(options: dict[str, Any], loaded: Any) -> Comparison | PairComparison:
    columns = loaded.arguments
    context = click.get_current_context()
    if _is_for_two(columns, options):
        reason = "where two models are compared by a test that takes two"
        refuse_unused(context, _OF_MANY, reason)
        return _two_models(columns, options)
    refuse_unused(context, _OF_TWO, "where many models are compared")
    models: Any = options["models"] or None
    if options["groups"] and not options["long"]:
        models = model_columns(columns, **_named_columns(options))
        _refuse_no_models(columns, models, options)
    table = results_table(
        columns,
        models=models,
        long=options["long"] or None,
        y_true=options["y_true"],
        scoring=options["scoring"],
        groups=options["groups"],
        row_names=options["row_names"],
        nan_policy=options["nan_policy"],
    )
    names = ("control", "rows", "test_ratio", "test", "post_hoc", "omnibus", "rope")
    return compare(
        table,
        greater_is_better=False if options["lower_is_better"] else None,
        confidence_level=options["confidence_level"],
        random_state=options["seed"],
        **{name: options[name] for name in names},
    )


def _named_columns(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that options name, for `model_columns`."""
    names = ("models", "y_true", "groups", "row_names")
    return {name: options[name] or None for name in names}


def _refuse_no_models(
    columns: Mapping[str, list[Any]], models: list[str], options: Mapping[str, Any]
) -> None:
    """Refuse numbers of rows and groups among results that nobody called models."""
    if options["models"]:
        return
    if options["y_true"]:
        refuse_no_predictions(columns, models, columns[options["y_true"]])
        return
    numeric = [x for x in models if not isinstance(columns[x][0], str)]
    if not numeric:
        return
    refuse_no_models(np.column_stack([columns[x] for x in numeric]), numeric)


def _is_for_two(columns: Mapping[str, list[Any]], options: Mapping[str, Any]) -> bool:
    """Tell whether two models are compared, and not a table of many."""
    asked = None if options["test"] == "auto" else PAIR_TESTS[options["test"]]
    if asked is not None and not asked.takes_many:
        return True
    of_samples = any(options[name] for name in ("y_true", "groups", "scoring"))
    if asked is not None and RowKind.SAMPLES not in asked.takes:
        return of_samples
    if options["scoring"] and not METRICS[options["scoring"]].is_mean_of_samples:
        return True
    if options["long"] or not (of_samples or asked is not None):
        return False
    is_two = len(model_columns(columns, **_named_columns(options))) <= 2
    has_a_say = any(options[name] not in (None, "auto") for name in _OF_MANY[1:])
    return is_two and (of_samples or not has_a_say)


def _two_models(
    columns: Mapping[str, list[Any]], options: Mapping[str, Any]
) -> PairComparison:
    """Compare two columns."""
    test, truth, groups = options["test"], options["y_true"], options["groups"]
    if test != "auto" and PAIR_TESTS[test].evaluate is None:
        problem = f"{test} compares whole tables: it takes no truth and no groups"
        raise UsageError(problem, parameter="test")
    models = model_columns(columns, **_named_columns(options))
    if truth:
        _refuse_no_models(columns, models, options)
    if len(models) != 2 or models[0] == models[1]:
        what = "a comparison sample by sample takes"
        if test != "auto" or options["scoring"]:
            what = f"{options['scoring'] if test == 'auto' else test} compares"
        problem = f"{what} two models; got {listed(models, 12) or 'none'}"
        raise UsageError(problem, parameter="models", remedy="name two")
    _refuse_no_models(columns, models, options)
    label = options["row_names"]
    if label is None and groups is None:
        label = row_name_column(columns, models=models, y_true=truth)
    return compare_pair(
        columns[models[0]],
        columns[models[1]],
        columns[truth] if truth else None,
        scoring=options["scoring"],
        groups=columns[groups] if groups else None,
        row_names=columns[label] if label else None,
        test=test,
        names=(models[0], models[1]),
        greater_is_better=False if options["lower_is_better"] else None,
        random_state=options["seed"],
        **{
            name: options[name]
            for name in (
                "test_ratio",
                "interval",
                "confidence_level",
                "rope",
                "n_resamples",
                "nan_policy",
            )
        },
    )
