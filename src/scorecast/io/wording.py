"""Put names, cells and sizes taken from files into messages of one line."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["in_bytes", "listed", "one_line", "quoted"]

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")


def one_line(text: object, limit: int = 60) -> str:
    r"""Return `text` on one line, with what cannot be printed escaped.

    Parameters
    ----------
    text : object
        A name or cell taken from a file; never trusted.
    limit : int, default=60
        Longer texts lose their middle.

    Returns
    -------
    str
        At most `limit` characters, apart from escapes.

    Examples
    --------
    >>> one_line("a\nb")
    'a\\nb'
    """
    whole = str(text)
    if len(whole) > limit:
        half = limit // 2
        whole = f"{whole[:half]}...{whole[-(half - 3) :]}"
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in whole
    )


def quoted(text: object) -> str:
    """Return `text` on one line, between quotes."""
    return f"'{one_line(text)}'"


def listed(items: Iterable[str], limit: int = 8) -> str:
    """Join items with commas; those beyond `limit` are only counted."""
    given = list(items)
    shown = ", ".join(one_line(item) or "''" for item in given[:limit])
    rest = len(given) - limit
    return f"{shown} and {rest} more" if rest > 0 else shown


def in_bytes(count: int) -> str:
    """Say a number of bytes in the unit people would use."""
    size = float(min(count, 10**300))
    for unit in _UNITS:
        if size < 1024 or unit == _UNITS[-1]:
            break
        size /= 1024
    return f"{size:.4g} {unit}"
