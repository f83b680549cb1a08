"""Read scores, labels and settings from files; write answers to files.

Every fault of an input is an `InvalidInputError` of one line that names the file, the
place (lines, rows and columns counted from one) and the way out. Nothing read is ever
executed, inputs are never changed, and outputs appear whole or not at all.
"""

from __future__ import annotations

from scorecast.io.cohorts import CohortFile, read_cohort
from scorecast.io.cost_tables import CostTable, read_costs
from scorecast.io.datasets import Dataset, read_dataset
from scorecast.io.example import (
    EXAMPLE_SOURCE,
    MATCH_SOURCE,
    CharacterExample,
    MatchExample,
    load_characters,
    load_matches,
)
from scorecast.io.json_files import read_json
from scorecast.io.labels import Labels, read_labels
from scorecast.io.matrices import Matrix, read_matrix
from scorecast.io.named_columns import NamedColumns, read_columns
from scorecast.io.new_cohorts import NewCohortFile, read_new_cohort
from scorecast.io.paths import Fingerprint, fingerprint, unchanged
from scorecast.io.result_tables import ResultColumns, read_results
from scorecast.io.score_files import ScoreFile, read_scores
from scorecast.io.table_files import TABLE_ENDINGS, write_table
from scorecast.io.writing import check_writable, write_bytes, write_json, write_text

__all__ = [
    "EXAMPLE_SOURCE",
    "MATCH_SOURCE",
    "TABLE_ENDINGS",
    "CharacterExample",
    "CohortFile",
    "CostTable",
    "Dataset",
    "Fingerprint",
    "Labels",
    "MatchExample",
    "Matrix",
    "NamedColumns",
    "NewCohortFile",
    "ResultColumns",
    "ScoreFile",
    "check_writable",
    "fingerprint",
    "load_characters",
    "load_matches",
    "read_cohort",
    "read_columns",
    "read_costs",
    "read_dataset",
    "read_json",
    "read_labels",
    "read_matrix",
    "read_new_cohort",
    "read_results",
    "read_scores",
    "unchanged",
    "write_bytes",
    "write_json",
    "write_table",
    "write_text",
]
