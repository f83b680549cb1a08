"""Every table and figure of the papers again, beside what was published.

`reproduce` computes entries and holds what it finds against ``published.json``;
`catalogue` lists them. An entry is one small function, registered in `ENTRIES`.
"""

# Papers in the order of the list.
# isort: off
from scorecast.reproduction import expected_accuracies as _expected_accuracies
from scorecast.reproduction import thesis as _thesis
from scorecast.reproduction import apparent_information as _apparent_information
from scorecast.reproduction import high_dimensions as _high_dimensions

# isort: on
from scorecast.reproduction.entry import ENTRIES, PAPERS, Entry, Paper
from scorecast.reproduction.reproduce import catalogue, reproduce
from scorecast.reproduction.result import (
    Catalogue,
    CatalogueRow,
    DataSource,
    Line,
    LineStyle,
    Panel,
    Picture,
    ReproducedEntry,
    ReproducedNumber,
    Reproduction,
    Verdict,
)

__all__ = [
    "ENTRIES",
    "PAPERS",
    "Catalogue",
    "CatalogueRow",
    "DataSource",
    "Entry",
    "Line",
    "LineStyle",
    "Panel",
    "Paper",
    "Picture",
    "ReproducedEntry",
    "ReproducedNumber",
    "Reproduction",
    "Verdict",
    "_apparent_information",
    "_expected_accuracies",
    "_high_dimensions",
    "_thesis",
    "catalogue",
    "reproduce",
]
