"""Decide which columns of a table are scores and which one is the label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scorecast.exceptions import InvalidInputError
from scorecast.io.columns import LABEL_COLUMNS, Table, find_column
from scorecast.io.labels import label_candidates
from scorecast.io.matrices import check_names
from scorecast.io.wording import listed, one_line, quoted

__all__ = ["ScoreColumns", "choose_columns"]

_PREFIXES = ("logit_", "prob_", "log_prob_", "logprob_", "score_")
_TOP_K = re.compile(r"(index|label|class)_\d+")
_TOP_K_VALUE = re.compile(r"(prob|logit|score|output)s?(_\d+)?")
_ROW_NAMES = frozenset(
    {"id", "index", "idx", "row", "rowid", "filename", "file", "path", "image", "name"}
)


@dataclass(frozen=True, kw_only=True)
class ScoreColumns:
    """The part each column of a table plays."""

    scores: tuple[int, ...]
    classes: tuple[str, ...] | None  # names of the scores, prefix removed
    label: int | None
    notes: tuple[str, ...]


def choose_columns(
    table: Table,
    *,
    has_labels: bool,
    label_column: str | None,
    prefix: str | None,
    drop: Sequence[str],
) -> ScoreColumns:
    """Assign the columns of a table.

    Parameters
    ----------
    table : Table
        The table.
    has_labels : bool
        Whether the labels come from another file.
    label_column : str or None
        The column of the labels, if the user named it.
    prefix : str or None
        How the names of score columns begin; ``""`` makes every column a score.
    drop : sequence of str
        Columns to leave out.

    Returns
    -------
    ScoreColumns
        Positions and names.

    Raises
    ------
    InvalidInputError
        If the table holds only the best few classes, or a column cannot be placed.
    """
    _refuse_top_k(table)
    dropped = {find_column(table, name, "--drop") for name in drop}
    label = None if has_labels else _label(table, label_column, dropped, prefix)
    rest = [i for i in range(table.n_columns) if i not in dropped and i != label]
    if table.columns is None:
        return ScoreColumns(scores=tuple(rest), classes=None, label=label, notes=())
    names = {i: table.columns[i] for i in rest}
    chosen_prefix = _prefix(table, names) if prefix is None else prefix
    if chosen_prefix is None:
        _refuse_strangers(table, names)
        chosen_prefix = ""
    scores = [i for i, name in names.items() if name.startswith(chosen_prefix)]
    if not scores:
        msg = (
            f"{table.name} has no column of scores beginning with "
            f"{quoted(chosen_prefix)} but {listed(table.columns)}"
        )
        raise InvalidInputError(msg)
    check_names(table, scores)
    ignored = [quoted(name) for i, name in names.items() if i not in set(scores)]
    notes = (f"{table.name}: columns not used: {listed(ignored)}",) if ignored else ()
    classes = tuple(names[i].removeprefix(chosen_prefix) for i in scores)
    return ScoreColumns(scores=tuple(scores), classes=classes, label=label, notes=notes)


def _refuse_top_k(table: Table) -> None:
    """Refuse the output of timm's inference.py unless it has every class."""
    names = [name.strip().lower() for name in table.columns or ()]
    values = [name for name in names if _TOP_K_VALUE.fullmatch(name)]
    ranked = [name for name in names if _TOP_K.fullmatch(name)]
    if values and (ranked or "index" in names):
        msg = (
            f"{table.name} holds only the best classes of each row (columns "
            f"{listed(names, 4)}); the scores of all classes are needed: run "
            "inference.py with --topk 0 --results-separate-col --output-type logit"
        )
        raise InvalidInputError(msg)


def _label(
    table: Table, wanted: str | None, dropped: set[int], prefix: str | None
) -> int:
    if wanted is not None:
        return find_column(table, wanted, "--label-column")
    found = [i for i in label_candidates(table) if i not in dropped]
    if prefix and table.columns is not None:
        found = [i for i in found if not table.columns[i].startswith(prefix)]
    if len(found) == 1:
        return found[0]
    if table.columns is None:
        msg = (
            f"{table.name} has no header: say which column holds the labels by its "
            f"position, --label-column 1, or pass --labels FILE ({table.n_columns} "
            "columns)"
        )
        raise InvalidInputError(msg)
    has = "several columns" if found else "no column"
    usual = ", ".join(sorted(LABEL_COLUMNS))
    msg = (
        f"{table.name} has {has} named like labels ({usual}) "
        f"but {listed(table.columns)}; pass --label-column NAME or --labels FILE"
    )
    raise InvalidInputError(msg)


def _prefix(table: Table, names: dict[int, str]) -> str | None:
    """Return the usual prefix that score columns carry here, if there is one."""
    counts = {
        prefix: sum(name.startswith(prefix) for name in names.values())
        for prefix in _PREFIXES
    }
    found = [prefix for prefix, count in counts.items() if count >= 2]
    if len(found) > 1:
        msg = (
            f"{table.name} has scores of several kinds ({', '.join(found)}); pick one "
            f"with --prefix {found[0]}"
        )
        raise InvalidInputError(msg)
    return found[0] if found else None


def _refuse_strangers(table: Table, names: dict[int, str]) -> None:
    """Stop where a row number or a second label column would pass for a class."""
    strangers = _ROW_NAMES | LABEL_COLUMNS
    for name in names.values():
        if name.strip().lower() in strangers:
            msg = (
                f"{table.name}: column {quoted(name)} does not look like the scores of "
                f"a class; leave it out with --drop {one_line(name)}, or pass "
                "--prefix '' if it is one"
            )
            raise InvalidInputError(msg)
