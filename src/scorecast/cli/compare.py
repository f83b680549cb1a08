"""``scorecast compare``: which models differ, over many data sets."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from scorecast.cli.options import Share, output_options
from scorecast.cli.two_models import PAIR_ONLY, for_two, many_models, two_models

if TYPE_CHECKING:
    from scorecast.comparison import Comparison, PairComparison
    from scorecast.io import ResultColumns

__all__ = ["command"]

_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d+)?")

_PAIRS = [
    "auto", "wilcoxon", "sign", "ranks", "aligned", "quade", "corrected-t", "mcnemar",
    "clustered-t",
    *PAIR_ONLY,
]  # fmt: skip
_POST_HOC = [
    "auto", "nemenyi", "bonferroni-dunn", "bonferroni", "holm", "hochberg", "hommel",
    "finner", "shaffer", "bergmann-hommel", "none",
]  # fmt: skip
_OMNIBUS = [
    "auto", "iman-davenport", "iman-davenport-tie-corrected", "friedman",
    "friedman-tie-corrected", "aligned-ranks", "quade",
]  # fmt: skip

_METRICS = [
    "accuracy", "balanced-accuracy", "auc", "brier", "log-loss", "mse", "mae", "rmse",
]  # fmt: skip

# What is done to a frame in Python, and by an option here.
_SHELL_WORDS = {
    "(as the index of a frame)": "(--names)",
    "leave it out, or list": "leave it out (--drop), or list",
}


@click.command(name="compare")
@click.argument("table", metavar="TABLE")
@click.option(
    "--minimise", "--minimize", is_flag=True, help="Results are errors: less is better."
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="COL",
    help="Column, or model of a long table, to compare; may be repeated. "
    "[default: all]",
)
@click.option("--drop", multiple=True, metavar="COL", help="Column that is no model.")
@click.option(
    "--names",
    "names_column",
    metavar="COL",
    help="Column that names the rows. [default: the one that holds text]",
)
@click.option(
    "--long",
    nargs=3,
    metavar="DATASET MODEL RESULT",
    help="Columns of a table with one result per row; repeats are averaged.",
)
@click.option("--control", metavar="MODEL", help="Compare all others with this one.")
@click.option(
    "--rows",
    type=click.Choice(["auto", "data sets", "splits", "cases"]),
    default="auto",
    show_default=True,
    help="What the rows are.",
)
@click.option(
    "--test-ratio",
    type=click.FloatRange(min=0),
    metavar="RATIO",
    help="Rows are splits of one data set: cases tested per case learned from, such "
    "as 0.111 for ten folds.",
)
@click.option(
    "--pairs",
    type=click.Choice(_PAIRS),
    default="auto",
    show_default=True,
    help="How pairs of models are tested; those from paired-t on take two models.",
)
@click.option(
    "--truth",
    metavar="COL",
    help="Column of true labels; the others are predictions, or scores of the class "
    "that sorts last.",
)
@click.option(
    "--group",
    metavar="COL",
    help="Column of cases that belong together, such as patients; with --long too.",
)
@click.option(
    "--metric",
    type=click.Choice(_METRICS),
    help="What is compared, with --truth; by --group too. auc, balanced-accuracy and "
    "rmse take two models.",
)
@click.option(
    "--post-hoc",
    type=click.Choice(_POST_HOC),
    default="auto",
    show_default=True,
    help="How the p-values of all pairs are corrected.",
)
@click.option(
    "--omnibus",
    type=click.Choice(_OMNIBUS),
    default="auto",
    show_default=True,
    help="Which test of all models to quote; all are done.",
)
@click.option(
    "--level",
    type=Share(is_open=True),
    default=0.95,
    show_default=True,
    help="One less the chance of any false claim; level of intervals.",
)
@click.option(
    "--rope",
    type=click.FloatRange(min=0),
    metavar="HALF-WIDTH",
    help="Differences up to this make no difference: adds Bayesian chances.",
)
@click.option(
    "--zeros",
    type=click.Choice(["pratt", "split", "drop"]),
    default="pratt",
    show_default=True,
    help="What signed ranks do with differences of nought.",
)
@click.option(
    "--missing",
    type=click.Choice(["drop", "refuse"]),
    default="drop",
    show_default=True,
    help="What to do with rows that lack a result.",
)
@click.option(
    "--latex", metavar="FILE.tex", help="Write the table of models for LaTeX."
)
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
    all 0 or 1 are taken as cases, right or wrong. Models can be compared case by case,
    with --truth and --group; two of them by tests that take two.
    """
    from scorecast._core.progress import computing
    from scorecast.cli.inputs import blamed_on, collected_warnings, file_prints
    from scorecast.cli.outputs import check_outputs, deliver
    from scorecast.comparison import Comparison
    from scorecast.io import check_writable, write_text

    check_outputs(options)
    _check_latex(options)
    with collected_warnings() as lines:
        data = _read(options)
        check_outputs(options, [data.source])
        latex = options["latex"]
        if latex:
            check_writable(latex, force=options["force"], inputs=[data.source])
        with computing(), blamed_on(options["table"]), _in_shell_words():
            result = _answer(data, options)
        files = file_prints([data.source])
    if latex and isinstance(result, Comparison):
        write_text(latex, result.to_latex(), force=options["force"])
    deliver(result, options, files=files, notes=[*data.notes, *lines])


@contextmanager
def _in_shell_words() -> Iterator[None]:
    """Name options for what the library can only describe."""
    from scorecast.exceptions import InvalidInputError

    try:
        yield
    except InvalidInputError as error:
        said = str(error)
        for words, option in _SHELL_WORDS.items():
            said = said.replace(words, option)
        raise InvalidInputError(said) from error


def _check_latex(options: dict[str, Any]) -> None:
    """Refuse one file for two outputs, before the first is written."""
    from scorecast.exceptions import UsageError

    latex = options["latex"]
    for name in ("json", "report"):
        path = options[f"{name}_path"]
        if latex and path and os.path.realpath(path) == os.path.realpath(latex):
            msg = f"--latex and --{name} both name {latex!r}: they need a file each."
            raise UsageError(msg)


def _read(options: dict[str, Any]) -> ResultColumns:
    from scorecast.io import read_results

    named = options["long"][:2] if options["long"] else ()
    if options["names_column"]:
        named = (*named, options["names_column"])
    if options["group"]:
        named = (*named, options["group"])
    found = read_results(
        options["table"],
        texts=named,
        drop=options["drop"],
        decimal=options["decimal"],
        delimiter=options["delimiter"],
        max_bytes=int(options["max_memory"] * 2**30),
    )
    return _with_numbers(found, options["group"])


def _with_numbers(found: ResultColumns, name: str | None) -> ResultColumns:
    """Read groups as numbers where all of them are: 2 and 2.0 are the same group.

    Names of figures, such as 007 and long numbers, stay names.
    """
    if name is None:
        return found
    given = [str(x).strip() for x in found.columns[name]]
    if not all(_NUMBER.fullmatch(x) for x in given if x):
        return found
    numbers = [float(x) if x else math.nan for x in given]
    return replace(found, columns={**found.columns, name: numbers})


def _answer(
    data: ResultColumns, options: dict[str, Any]
) -> Comparison | PairComparison:
    from scorecast.comparison import compare

    if for_two(data.columns, options):
        return two_models(data.columns, options)
    many = many_models(data.columns, options)
    if many is not None:
        return many
    names = (
        "control", "rows", "test_ratio", "pairs", "post_hoc", "omnibus", "level",
        "rope", "zeros", "missing",
    )  # fmt: skip
    return compare(
        data.columns,
        models=options["models"] or None,
        long=options["long"] or None,
        greater_is_better=not options["minimise"],
        random_state=options["seed"],
        **{name: options[name] for name in names},
    )
