"""Open a table by the ending of its name."""

from __future__ import annotations

from scorecast.io.arrow_tables import ArrowTable
from scorecast.io.columns import Table, TableOptions
from scorecast.io.delimited import DelimitedTable
from scorecast.io.formats import suffix_of
from scorecast.io.paths import Location

__all__ = ["open_table"]

_ARROW = (".parquet", ".arrow", ".feather")


def open_table(location: Location, options: TableOptions) -> Table:
    """Read the header of a table.

    Parameters
    ----------
    location : Location
        The file, of kind `Kind.TABLE`.
    options : TableOptions
        How to read it.

    Returns
    -------
    Table
        The table, its body still unread.
    """
    if suffix_of(location.path) in _ARROW:
        return ArrowTable(location, options)
    return DelimitedTable(location, options)
