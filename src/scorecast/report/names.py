"""Cut names to a length so that different ones stay different."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import takewhile

from scorecast.report.formats import clipped, display_width, model_name, printable

_LEAST = 6
_WHOLE = 300  # characters of a name that nobody cuts
_DOTS = "..."
_HEADS = (0.5, 0.33, 0.7)  # shares of the beginning, where the middle is left out
_LETTERS = (4, 3, 2, 1)
_GAP = re.compile(r"[\s,;:_\-(/]+")
_WORD = re.compile(r"[^\s,;:_\-(/]*$")


def short_names(names: Sequence[object], limit: int) -> list[str]:
    """Shorten names that stand together, so that they can be told from one another.

    Parameters
    ----------
    names : sequence of object
        The names; never trusted.
    limit : int
        Characters of the longest.

    Returns
    -------
    list of str
        Names that fit are left alone. Others lose their end, else their middle, else
        what all begin with, else the ends of their words; where nothing keeps them
        apart, they are numbered.

    Examples
    --------
    >>> short_names(["tree", "a support vector machine"], 14)
    ['tree', 'a support v...']
    >>> short_names([f"a very long name of model {letter}" for letter in "AB"], 20)
    ['a very...model A', 'a very...model B']
    >>> short_names([f"SpectralBiclustering(n=({k}, {k}))" for k in (3, 4)], 18)
    ['Spec(n=(3, 3))', 'Spec(n=(4, 4))']
    >>> grid = [f"noise {i}, imbalance {j}" for i in (0, 0.2) for j in (0, 0.6)]
    >>> short_names(grid, 14)
    ['no 0, im 0', 'no 0, im 0.6', 'no 0.2, im 0', 'no 0.2, im 0.6']
    """
    limit = max(limit, _LEAST)
    whole = [printable(name) for name in names]
    tries = [_without_end(whole, limit)]
    in_words = [_with_short_words(whole, limit, letters) for letters in _LETTERS]
    heads = [int(share * (limit - len(_DOTS))) for share in _HEADS]
    in_pieces = [_without_middle(whole, limit, head) for head in heads]
    in_pieces.append(_without_beginning(whole, limit))
    # A list of values is told apart by its numbers, which stand all over it.
    is_list = all(", " in name for name in whole if len(name) > limit)
    tries += in_words[:3] + in_pieces + in_words if is_list else in_pieces + in_words
    for found in tries:
        fits = max(map(len, found), default=0) <= limit
        if fits and len(set(found)) == len(set(whole)):
            return found
    return _numbered(whole, limit)


def short_by_name(names: Sequence[str], limit: int) -> dict[str, str]:
    """Return, for every name, what `short_names` makes of it."""
    return dict(zip(names, short_names(names, limit), strict=True))


def model_names(names: Sequence[str], limit: int = 24) -> dict[str, str]:
    """Write names of models for a table, without modules, so that all differ.

    Parameters
    ----------
    names : sequence of str
        All models of the table.
    limit : int, default=24
        Characters of the longest.

    Returns
    -------
    dict of str to str
        What to write for each.

    Examples
    --------
    >>> given = [f"sklearn.svm:SVC(kernel='linear', C={c})" for c in (0.5, 10)]
    >>> list(model_names(given).values())
    ["SVC(kern='line', C=0.5)", "SVC(kern='line', C=10)"]
    >>> model_names(["SpectralBiclustering(n_clusters=3)"])
    {'SpectralBiclustering(n_clusters=3)': 'SpectralBiclustering...'}
    """
    whole = [model_name(name, _WHOLE) for name in names]
    return dict(zip(names, short_names(whole, limit), strict=True))


def names_in_columns(names: Sequence[str], columns: int) -> dict[str, str]:
    """Shorten names to columns of a terminal, of which some letters take two.

    Parameters
    ----------
    names : sequence of str
        The names; never trusted.
    columns : int
        Columns of the longest.

    Returns
    -------
    dict of str to str
        What `short_names` makes of every name, for the largest number of letters that
        fits.
    """
    for limit in range(max(columns, _LEAST), _LEAST - 1, -1):
        found = short_by_name(names, limit)
        if max(map(display_width, found.values()), default=0) <= columns:
            break
    return found


def own_parts(names: Sequence[str]) -> list[str]:
    """Leave out the words that all names begin with.

    Examples
    --------
    >>> own_parts(["microarray_colon", "microarray_leukemia"])
    ['colon', 'leukemia']
    >>> own_parts(["iris", "iris_2"]), own_parts(["only one"])
    (['iris', 'iris_2'], ['only one'])
    """
    common = _WORD.sub("", _beginning(names)) if len(set(names)) > 1 else ""
    cut = [name[len(common) :] for name in names]
    return cut if all(cut) else list(names)


def _each(whole: Sequence[str], limit: int, cut: Callable[[str], str]) -> list[str]:
    return [cut(name) if len(name) > limit else name for name in whole]


def _without_end(whole: Sequence[str], limit: int) -> list[str]:
    return _each(whole, limit, lambda name: clipped(name, limit))


def _without_middle(whole: Sequence[str], limit: int, head: int) -> list[str]:
    room = limit - len(_DOTS)

    def cut(name: str) -> str:
        start, tail = name[:head], name[head - room :]
        # Words are kept whole: half a number would be another one.
        if not _GAP.match(name, head):
            kept = _WORD.sub("", start)
            start = kept if len(kept) > head // 2 else start
        gap = _GAP.search(tail, 0, len(tail) // 2)
        return start.rstrip() + _DOTS + tail[gap.end() if gap else 0 :].lstrip()

    return _each(whole, limit, cut)


def _without_beginning(whole: Sequence[str], limit: int) -> list[str]:
    common = _WORD.sub("", _beginning([name for name in whole if len(name) > limit]))
    head = common[: max(limit // 4, 1)]

    def cut(name: str) -> str:
        rest = name[len(common) :]
        return clipped(head + _DOTS + rest, limit)

    return _each(whole, limit, cut)


def _with_short_words(whole: Sequence[str], limit: int, letters: int) -> list[str]:
    """Keep the first letters of every word, and all numbers."""
    pattern = re.compile(rf"([^\W\d_]{{{letters}}})[^\W\d_]+")
    return _each(whole, limit, lambda name: pattern.sub(r"\1", name))


def _beginning(names: Sequence[str]) -> str:
    """Return the letters that all names begin with."""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in alike)


def _numbered(whole: Sequence[str], limit: int) -> list[str]:
    places = {name: i for i, name in enumerate(dict.fromkeys(whole), 1)}
    width = len(f" ({len(places)})")
    return _each(
        whole, limit, lambda name: f"{clipped(name, limit - width)} ({places[name]})"
    )
