"""Every error and warning of scorecast, and the exit code it gives the shell.

::

    ScorecastError                             a fault of ours              exit 1
    ├── UsageError (ValueError)                the call itself is wrong     exit 2
    │   └── UnknownParameterError (TypeError)  a parameter of another name
    ├── InvalidInputError (ValueError)         the input is wrong           exit 3
    │   ├── CheckpointError                    of another run, or damaged
    │   ├── MissingExtraError (ImportError)    an optional package is absent
    │   └── MissingLabelsError                 scores came without the truth
    ├── InsufficientDataError (ValueError)     right, but not enough        exit 4
    │   └── NotConvergedError                  a simulation is not to be trusted
    ├── FitFailedError (RuntimeError)          no model could be fitted     exit 4
    └── GateFailedError (RuntimeError)         a stated threshold failed    exit 5

    ScorecastWarning (UserWarning)
    ├── DataWarning                            about the input
    │   └── NonMarginalWarning                 scores of classes depend on one another
    └── ResultWarning                          about the answer, which says it too
        └── ExtrapolationWarning               far beyond what was observed

An error is raised with all that is known where it is found: the problem, the parameter,
the place, the remedy. Whoever knows more about the place, such as the command line,
adds it with `locating`. The sentence is made from these parts when it is shown, and
never read back. Warnings are made of the same parts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field as _field, replace
from typing import Any, ClassVar, Self

# Embeddings, overrides and isolates reorder what stands around them.
_REORDERING = {*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}
_HARMFUL = {"Cc", "Cn", "Cs", "Zl", "Zp"}
_STOPS = (".", "!", "?")


@dataclass(frozen=True, kw_only=True)
class Location:
    """A place in the input, as far as it is known.

    Attributes
    ----------
    file : str or None
        The file, as the user named it.
    column : str or None
        Column of a table.
    row : int or None
        Row of data, counted from 1; the header is not one.
    line : int or None
        Line of a file of text, counted from 1.
    field : str or None
        Field of a JSON file, such as ``$.result.p_value``.
    setting : str or None
        One of many settings, by its factors, such as ``"n_samples 20, noise 0.1"``.
    lines : sequence of int or None
        Line of each row, where all that is known is a file of text: a row is then
        shown by its line.
    """

    file: str | None = None
    column: str | None = None
    row: int | None = None
    line: int | None = None
    field: str | None = None
    setting: str | None = None
    lines: Sequence[int] | None = _field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        row, line = self.row, self.line
        if self.lines is not None and row is not None and line is None:
            line, row = self.lines[row - 1], None
        parts = [
            self.file is not None and printable(self.file, 200),
            self.column is not None and f"column {quoted(self.column)}",
            row is not None and f"row {row:,}",
            line is not None and f"line {line:,}",
            self.field,
            self.setting is not None and f"setting {quoted(self.setting)}",
        ]
        return ", ".join(part for part in parts if part)


class _Parts:
    """What errors and warnings are made of."""

    problem: str
    parameter: str | None
    location: Location
    remedy: str | None
    option: str | tuple[str, ...] | None

    def __init__(
        self,
        problem: str = "",
        *,
        parameter: str | None = None,
        location: Location | None = None,
        remedy: str | None = None,
        option: str | tuple[str, ...] | None = None,
    ) -> None:
        super().__init__(problem)  # type: ignore[call-arg]  # of an exception
        self.problem = problem
        self.parameter = parameter
        self.location = location or Location()
        self.remedy = remedy
        self.option = option

    def located(self, place: Location) -> Self:
        """Return the same at a place of which more is known."""
        known = {k: v for k, v in vars(self.location).items() if v is not None}
        found = type(self).__new__(type(self), self.problem)  # type: ignore[call-arg]
        found.__dict__.update(vars(self), location=replace(place, **known))
        found.args = (self.problem,)  # type: ignore[attr-defined]
        return found

    def message(self, names: Mapping[str, str] | None = None) -> str:
        """Write it in words.

        Parameters
        ----------
        names : mapping, optional
            What the reader calls parameters, such as ``--to`` for ``to``.

        Returns
        -------
        str
            One line.
        """
        place = str(self.location)
        if self.parameter and not self.location.file:
            name = (names or {}).get(self.parameter, f"`{self.parameter}`")
            place = f"{name}, {place}" if place else name
        if not place and not self.remedy:
            return self.problem
        stop = "" if self.problem.endswith(_STOPS) else "."
        subject = f"{place}: " if place else ""
        return f"{subject}{self.problem}{stop}{self._way_out(names)}"

    def _way_out(self, names: Mapping[str, str] | None) -> str:
        """Write the remedy, and after it what sets it, where the reader has that."""
        if not self.remedy:
            return ""
        remedy = f"{self.remedy[0].upper()}{self.remedy[1:]}"
        if remedy.endswith(_STOPS):
            return f" {remedy}"
        options = (self.option,) if isinstance(self.option, str) else self.option or ()
        # Of several, only the first is sure to be an argument of functions, too.
        known = {name: f"`{name}`" for name in options[:1]} if names is None else names
        shown = ", ".join(known[name] for name in options if name in known)
        return f" {remedy} ({shown})." if shown else f" {remedy}."

    def __str__(self) -> str:
        return self.message()


class ScorecastError(_Parts, Exception):
    """Base of every error raised on purpose.

    Parameters
    ----------
    problem : str
        What is wrong, without a full stop.
    parameter : str, optional
        The argument at fault.
    location : Location, optional
        Where in the data.
    remedy : str, optional
        What to do about it, without a full stop.
    option : str or tuple of str, optional
        The argument by which the remedy is asked for, if one is; of several the main
        one first.

    Examples
    --------
    >>> error = InvalidInputError(
    ...     "the label is missing",
    ...     parameter="y_true",
    ...     location=Location(row=3),
    ...     remedy="fill it or drop the row",
    ... )
    >>> print(error)
    `y_true`, row 3: the label is missing. Fill it or drop the row.
    >>> print(error.located(Location(file="cases.csv", column="gold")))
    cases.csv, column 'gold', row 3: the label is missing. Fill it or drop the row.
    """

    exit_code: ClassVar[int] = 1


class UsageError(ScorecastError, ValueError):
    """An argument or option is not one of those understood."""

    exit_code = 2


class UnknownParameterError(UsageError, TypeError):
    """A keyword argument has the name of no parameter."""


class InvalidInputError(ScorecastError, ValueError):
    """An input has the wrong shape, type, range or content."""

    exit_code = 3


class CheckpointError(InvalidInputError):
    """A checkpoint is of another run, damaged or edited, or cannot be written."""


class MissingExtraError(InvalidInputError, ImportError):
    """A package that only an extra installs is needed and absent."""

    def __init__(self, what: str, extra: str = "") -> None:
        needs = f" needs an extra: pip install 'scorecast[{extra}]'" if extra else ""
        super().__init__(f"{what}{needs}")


class MissingLabelsError(InvalidInputError):
    """A file of scores holds no labels, and none were given beside it."""


class InsufficientDataError(ScorecastError, ValueError):
    """The input is valid but cannot answer the question; no number is made up."""

    exit_code = 4


class NotConvergedError(InsufficientDataError):
    """Chains of a simulation disagree or hardly moved; their answer is withheld.

    ``diagnostics`` are the figures of the chains, where they are known; ``reasons``
    says what is wrong with them in words, for messages that put it otherwise.
    """

    def __init__(
        self,
        problem: str = "",
        reasons: str = "",
        *,
        diagnostics: object = None,
        **parts: Any,
    ) -> None:
        super().__init__(problem, **parts)
        self.reasons = reasons
        self.diagnostics = diagnostics


class FitFailedError(ScorecastError, RuntimeError):
    """Every fit of every model failed: these data and models give no answer."""

    exit_code = 4


class GateFailedError(ScorecastError, RuntimeError):
    """A threshold the caller stated (such as ``--fail-below``) was not met."""

    exit_code = 5


class ScorecastWarning(_Parts, UserWarning):
    """Base of every warning; made of the parts of an error."""


class DataWarning(ScorecastWarning):
    """The data are usable but something in them deserves a look."""


class NonMarginalWarning(DataWarning):
    """The score of one class depends on the other classes of the training set."""


class ResultWarning(ScorecastWarning):
    """Something to know before the answer is used; the answer says it too."""


class ExtrapolationWarning(ResultWarning):
    """The forecast reaches far beyond the classes that were observed."""


@contextmanager
def locating(places: Mapping[str, Location]) -> Iterator[None]:
    """Add to errors of the block the places that their parameters were read from.

    Parameters
    ----------
    places : mapping
        From parameters of the library to what is known of where they came from.
    """
    try:
        yield
    except ScorecastError as error:
        if error.parameter is None or error.parameter not in places:
            raise
        raise error.located(places[error.parameter]) from error


def printable(text: object, limit: int = 60) -> str:
    r"""Make text from outside fit for one line of a message or a page.

    Parameters
    ----------
    text : object
        Any text; never trusted.
    limit : int, default=60
        Longer text is cut, with dots where it was.

    Returns
    -------
    str
        Without control characters, lone surrogates, line breaks and marks that
        reorder their surroundings.

    Examples
    --------
    >>> printable("red\x1b[31m\ncat \u202egnp")
    'red\\x1b[31m cat \\u202egnp'
    >>> printable("a" * 90, 10)
    'aaaaaaa...'
    """
    whole = str(text)
    if len(whole) > limit:
        whole = f"{whole[: limit - 3].rstrip()}..."
    return "".join(map(_shown, whole))


def quoted(text: object, limit: int = 60) -> str:
    """Quote text from outside, as Python would, in one line."""
    return repr(printable(text, limit)).replace("\\\\", "\\")


def listed(names: Iterable[object], most: int = 6, last: str = "and") -> str:
    """List names in a sentence, the first few of many.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed("abcdefgh", most=3)
    ('a, b and c', 'a, b, c and 5 more')
    """
    every = [printable(name) for name in names]
    if len(every) > most:
        return f"{', '.join(every[:most])} {last} {len(every) - most:,} more"
    if len(every) < 2:
        return "".join(every)
    return f"{', '.join(every[:-1])} {last} {every[-1]}"


def sentence(text: str) -> str:
    """Begin with a capital letter and end with a full stop.

    Examples
    --------
    >>> sentence("one word"), sentence("Really?")
    ('One word.', 'Really?')
    """
    whole = text[:1].upper() + text[1:].rstrip()
    return whole if whole.endswith(_STOPS) else f"{whole}."


def _shown(char: str) -> str:
    if char in "\n\r\t":
        return " "
    if char in _REORDERING or unicodedata.category(char) in _HARMFUL:
        return char.encode("unicode_escape").decode("ascii")
    return char
