"""Cut names to a length so that different ones stay different."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import takewhile

from scorecast.report.wording import clipped, printable

__all__ = ["short_by_name", "short_names"]

_LEAST = 6
_DOTS = "..."
_HEADS = (0.5, 0.33, 0.7)  # shares of the beginning, where the middle is left out
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
        what all begin with; where nothing keeps them apart, they are numbered.

    Examples
    --------
    >>> short_names(["tree", "a support vector machine"], 14)
    ['tree', 'a support v...']
    >>> short_names(["noise 0, skew 0.9, loss auc", "noise 0, skew 0.9, loss mcc"], 20)
    ['noise 0,...loss auc', 'noise 0,...loss mcc']
    >>> short_names([f"spectral co-clustering(k={k}, seed=0)" for k in (3, 4)], 20)
    ['spect...k=3, seed=0)', 'spect...k=4, seed=0)']
    """
    limit = max(limit, _LEAST)
    whole = [printable(name) for name in names]
    heads = [int(share * (limit - len(_DOTS))) for share in _HEADS]
    tries = [
        _without_end(whole, limit),
        *(_without_middle(whole, limit, head) for head in heads),
        _without_beginning(whole, limit),
    ]
    for found in tries:
        if len(set(found)) == len(set(whole)):
            return found
    return _numbered(whole, limit)


def short_by_name(names: Sequence[str], limit: int) -> dict[str, str]:
    """Return, for every name, what `short_names` makes of it."""
    return dict(zip(names, short_names(names, limit), strict=True))


def _each(whole: Sequence[str], limit: int, cut: Callable[[str], str]) -> list[str]:
    return [cut(name) if len(name) > limit else name for name in whole]


def _without_end(whole: Sequence[str], limit: int) -> list[str]:
    return _each(whole, limit, lambda name: clipped(name, limit))


def _without_middle(whole: Sequence[str], limit: int, head: int) -> list[str]:
    room = limit - len(_DOTS)

    def cut(name: str) -> str:
        tail = name[head - room :]
        # Words are kept whole: half a number would be another one.
        gap = _GAP.search(tail, 0, len(tail) // 2)
        return name[:head].rstrip() + _DOTS + tail[gap.end() if gap else 0 :].lstrip()

    return _each(whole, limit, cut)


def _without_beginning(whole: Sequence[str], limit: int) -> list[str]:
    common = _WORD.sub("", _beginning([name for name in whole if len(name) > limit]))
    head = common[: max(limit // 4, 1)]

    def cut(name: str) -> str:
        rest = name[len(common) :]
        return clipped(head + _DOTS + rest, limit)

    return _each(whole, limit, cut)


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
