"""The name that was probably meant, for messages."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["near_name"]


def near_name(wanted: object, known: Iterable[str]) -> str:
    """Return the known name that is nearest, whatever its case; empty if none is.

    Names that begin so come first, the shortest before all: who writes the beginning
    of a name means that name.

    Parameters
    ----------
    wanted : object
        What the caller wrote.
    known : iterable of str
        What there is.

    Returns
    -------
    str
        One of `known`, or nothing.

    Examples
    --------
    >>> near_name("Y", ["g1", "y"]), near_name("sise", ["Size"]), near_name("a", ["b"])
    ('y', 'Size', '')
    >>> near_name("acc", ["balanced-accuracy", "mcc", "accuracy"])
    'accuracy'
    """
    import difflib  # only on the way out

    # The first of several that differ by case only.
    by_case = {name.casefold(): name for name in reversed(list(known))}
    said = str(wanted).casefold()
    if said in by_case:
        return by_case[said]
    begun = [x for x in by_case if x.startswith(said)] if len(said) > 1 else []
    found = sorted(begun, key=len) or difflib.get_close_matches(said, by_case, n=1)
    return by_case[found[0]] if found else ""
