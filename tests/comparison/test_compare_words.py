"""What an answer about many models says: ties, signs, sources, counts."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.comparison import friedman, iman_davenport


def tied(seed=0, n=20, k=4):
    """A table in which most results tie."""
    return np.where(np.random.default_rng(seed).random((n, k)) < 0.5, 0.7, 0.8)


# The test of all models


def test_ties_are_allowed_for_by_default_and_the_plain_form_stays(published_table):
    found = sc.compare(tied())
    first = found.omnibus[0]
    assert first.test == "iman-davenport-tie-corrected"
    assert first == iman_davenport(tied(), tie_corrected=True)
    assert "corrected for ties (Iman and Davenport 1980; Conover 1999)" in (
        found.paragraph()
    )
    plain = sc.compare(tied(), omnibus="iman-davenport").omnibus[0]
    assert plain == iman_davenport(tied())
    assert plain.p > first.p
    # As printed, which ignores the ties of the published table.
    data = np.array(published_table["data"])
    asked = sc.compare(data, omnibus="iman-davenport").omnibus[0]
    assert round(asked.statistic, 4) == 14.3087
    assert round(friedman(data).statistic, 4) == 39.6467


def test_without_ties_the_name_of_the_test_is_the_plain_one():
    values = np.random.default_rng(0).random((12, 4))
    assert sc.compare(values).omnibus[0].test == "iman-davenport"
