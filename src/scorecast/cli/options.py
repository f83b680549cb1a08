"""Options that several verbs share."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeVar, cast

import click

from scorecast._core.engine import engine as on_engine, read_engine
from scorecast._core.progress import progress_shown
from scorecast.cli.verb import option

__all__ = [
    "Listed",
    "Share",
    "Whole",
    "averaging_options",
    "class_weights_option",
    "drop_option",
    "level_option",
    "max_seconds_option",
    "output_options",
    "score_options",
    "table_options",
    "top_option",
    "units_option",
    "writing_options",
]

F = TypeVar("F", bound=Callable[..., Any])


class Share(click.FloatRange):
    """A number from 0 to 1 or less; who writes a percentage is told how to write it."""

    def __init__(self, *, is_open: bool = False, most: float = 1) -> None:
        super().__init__(0, most, min_open=is_open, max_open=is_open)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number, or suggest the one that was meant."""
        text: Any = str(value).removesuffix("%")
        number = click.FLOAT.convert(text, param, ctx)
        if 1 < number < 100:
            usual = getattr(param, "default", None)
            fix = self._meant(number, usual if isinstance(usual, float) else None)
            self.fail(f"{value} is not a share; {fix}", param, ctx)
        return float(super().convert(value, param, ctx))

    def _meant(self, number: float, usual: float | None) -> str:
        # Nobody means a level of 1.5 %: what is mostly large was no percentage then.
        if usual is not None and usual >= 0.5 > number / 100:
            return f"give a number from 0 to 1, such as {usual:g}."
        # As many digits as were given, and two at least.
        return f"did you mean {f'{number / 100:.10f}'.rstrip('0').ljust(4, '0')}?"


class Whole(click.IntRange):
    """A whole number, however it is written: 100000, 100_000 or 1e5."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the number, or say how to write the one that was meant."""
        text = str(value).strip()
        plain = text.replace(",", "").replace(" ", "").replace("'", "")
        if plain != text and re.fullmatch(r"[+-]?\d{1,3}([, ']\d{3})+", text):
            self.fail(f"{text!r} is no whole number; write {plain}.", param, ctx)
        if re.fullmatch(r"[+-]?\d{1,15}(\.\d{1,15})?([eE]\+?\d{1,2})?", text):
            number = Decimal(text)
            if number != number.to_integral_value():
                self.fail(f"{text!r} is no whole number.", param, ctx)
            value = int(number)
        elif not isinstance(value, int) and not re.fullmatch(r"[+-]?\d[\d_]*", text):
            self.fail(f"{text!r} is no whole number.", param, ctx)
        return int(super().convert(value, param, ctx))


class Listed(click.ParamType[tuple[Any, ...]]):
    """One value, or several with commas between them: 1,5,10."""

    def __init__(self, one: click.ParamType[Any]) -> None:
        self.one = one
        self.name = f"{one.name}, ..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Any, ...]:
        """Return the values."""
        if isinstance(value, tuple):
            return value
        text = str(value).strip()
        parts = text.split(",")
        if isinstance(self.one, Whole) and re.fullmatch(r"\d{1,3}(,\d{3})+", text):
            if any(part.startswith("0") for part in parts[1:]):  # 10,000 is one
                return (self.one.convert(text, param, ctx),)
            plain, apart = "".join(parts), ", ".join(parts)
            problem = f"is {text!r} one number or several? Write {plain} or '{apart}'."
            self.fail(problem, param, ctx)
        return tuple(self.one.convert(part.strip(), param, ctx) for part in parts)


def _apply(options: list[Callable[[F], F]], function: F) -> F:
    for add in reversed(options):
        function = add(function)
    return function


def max_seconds_option(function: F) -> F:
    """Add how long chains may go on for beyond their draws."""
    limit = click.option(
        "--max-seconds", type=click.FloatRange(min=0), default=60, show_default=True,
        metavar="SECONDS",
        help="How long the chains of one posterior may go on beyond their planned "
        "draws where they fall short of agreement; exit code 4 after that.",
    )  # fmt: skip
    return limit(function)


def output_options(function: F) -> F:
    """Add what every verb writes and how it runs."""
    running: list[Callable[[F], F]] = [
        click.option("--seed", type=Whole(min=0), default=0,
                     show_default=True, help="Seed of all random choices."),
        click.option("--jobs", "n_jobs", type=int, metavar="N",
                     help="Number of workers; -1 for all cores."),
        click.option("--engine", metavar="NAME", default="local", show_default=True,
                     help="Where the work is done: local, dask (two workers here) or "
                     "dask://HOST:PORT (a cluster)."),
    ]  # fmt: skip

    @functools.wraps(function)
    def placed(*args: Any, engine: str, **options: Any) -> Any:
        name, address = read_engine(engine)
        with on_engine(name, address=address):
            return function(*args, **options)

    return _apply(running, writing_options(cast("F", placed)))


def writing_options(function: F) -> F:
    """Add what every verb writes, and show how far it is unless it is to be quiet."""

    @functools.wraps(function)
    def shown(*args: Any, **options: Any) -> Any:
        with progress_shown(quiet=options["quiet"]):
            return function(*args, **options)

    return _apply(
        [
            click.option("--json", "json_path", metavar="FILE",
                         help="Save the result as JSON; '-' prints it and only it."),
            click.option("--report", "report_path", metavar="FILE.html",
                         help="Write one self-contained HTML page."),
            click.option("--force", is_flag=True, help="Overwrite existing files."),
            click.option("--quiet", is_flag=True,
                         help="Print no answer, no notes, no progress."),
            click.option("--debug", is_flag=True, help="Show tracebacks."),
        ],
        cast("F", shown),
    )  # fmt: skip


def level_option(
    says: str = "Level of intervals.", group: str = "Question"
) -> Callable[[F], F]:
    """Make the option for how sure intervals are to be."""
    return option(group, "--confidence-level", type=Share(is_open=True),
                  default=0.95, help=says)  # fmt: skip


def units_option(says: str = "Units of the answer.") -> Callable[[F], F]:
    """Make the option for the units of information."""
    return option("Question", "--units", type=click.Choice(["bits", "nats"]),
                  default="bits", help=says)  # fmt: skip


def drop_option(function: F) -> F:
    """Add the columns that are no features."""
    return option("Input", "--drop", multiple=True, metavar="COL",
                  help="Column that is no feature; may be repeated.",
                  )(function)  # fmt: skip


def top_option(function: F) -> F:
    """Add the number of guesses."""
    return option("Question", "--top", type=Whole(min=1), default=1, metavar="M",
                  help="Guesses allowed: right if the true class is among the best "
                  "M.")(function)  # fmt: skip


def averaging_options(function: F) -> F:
    """Add the rules for ties and averages, and the level of intervals."""
    from scorecast.scores import AVERAGES, TIE_RULES

    return _apply(
        [
            option("Question", "--ties", default="random",
                   type=click.Choice(list(TIE_RULES)),
                   help="Equal scores: their expectation, won, or lost."),
            option("Question", "--average", default="macro",
                   type=click.Choice(list(AVERAGES)),
                   help="Every class counts the same, or every example."),
            level_option(),
        ],
        function,
    )  # fmt: skip


def class_weights_option(function: F) -> F:
    """Add how often each class comes."""
    return option("Question", "--class-weights", "class_weights", metavar="FILE",
                  help="How often each class comes in use, relative to the others: a "
                  "table class,weight, or an array of one number per class. The true "
                  "class is drawn by weight; wrong classes are met alike.",
                  )(function)  # fmt: skip


def table_options(function: F) -> F:
    """Add how a table is laid out, and how large it may be."""
    return _apply(_layout_options(), function)


def _layout_options() -> list[Callable[[Any], Any]]:
    return [
        click.option("--delimiter", help="Between the fields of a CSV file."),
        click.option("--decimal", default=".", help="Decimal mark of a CSV file."),
        click.option("--no-header", is_flag=True, help="CSV files begin with data."),
        click.option("--max-memory", type=click.FloatRange(min=0, min_open=True),
                     default=8.0, show_default=True, metavar="GB",
                     help="Refuse files that unpack to more."),
    ]  # fmt: skip


def score_options(function: F) -> F:
    """Add the ways in which scores or embeddings may be given."""
    return _apply(
        [
            click.argument("scores", required=False, metavar="[SCORES]"),
            option("Input", "--labels", metavar="FILE",
                   help="True label of every example (row or probe)."),
            option("Input", "--label-column", metavar="NAME",
                   help="Column of SCORES that holds the true labels."),
            option("Input", "--classes", "class_file", metavar="FILE",
                   help="Label of every column of SCORES, in their order."),
            option("Input", "--prefix",
                   help="Only columns that begin so, as 'logit_'."),
            option("Input", "--drop", multiple=True, metavar="NAME",
                   help="Column that is no class; may be repeated."),
            option("Input", "--drop-nonfinite", is_flag=True,
                   help="Drop rows with an empty score, NaN or +infinity, or -infinity "
                   "throughout, and say how many; -infinity is a legal score."),
            option("Input", "--lower-is-better", is_flag=True,
                   help="Scores are distances or costs."),
            option("Input", "--gallery", metavar="FILE",
                   help="Vectors of the known classes, instead of SCORES; .npy, "
                        ".parquet and .zarr are read by rows."),
            option("Input", "--gallery-labels", metavar="FILE",
                   help="Class of every gallery vector."),
            option("Input", "--probes", metavar="FILE", help="Vectors to recognise."),
            option("Input", "--metric", default="sqeuclidean",
                   type=click.Choice(["sqeuclidean", "cosine", "dot"]),
                   help="How vectors are compared."),
            option("File layout", "--key", help="Name of the array in an .npz file."),
            *_layout_options(),
        ],
        function,
    )  # fmt: skip
