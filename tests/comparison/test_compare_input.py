"""What a comparison of many models refuses, and what it says of it."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import InvalidInputError


def results(n=12, k=4, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.5, 0.9, (n, 1)) + rng.normal(0, 0.02, (n, k))
    return {name: list(values[:, i]) for i, name in enumerate("abcdefghij"[:k])}


# Numbers of data sets


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("kind", [int, float])
def test_a_column_that_counts_the_rows_is_no_model(first, kind):
    given = results()
    numbers = np.random.default_rng(0).permutation(12) + first
    counted = {"dataset": [kind(x) for x in numbers], **given}
    with pytest.raises(InvalidInputError, match=r"'dataset' counts the rows .*--names"):
        sc.compare(counted)
    with pytest.raises(InvalidInputError, match="'model 1' counts the rows"):
        sc.compare(np.column_stack(list(counted.values())))
    listed = sc.compare(counted, models=list("abcd"))
    assert listed.to_dict() == sc.compare(given).to_dict()
    # Who says that it is a model is believed.
    assert sc.compare(counted, models=["dataset", "a"]).models == ("dataset", "a")


def test_right_and_wrong_or_ranks_are_no_numbers_of_rows():
    two = {"a": [0, 1] * 6, "b": [1, 0] * 6, "c": [1, 1] * 6}
    assert sc.compare(two).rows == "cases"
    ranks = np.array([np.random.default_rng(i).permutation(4) for i in range(12)])
    assert sc.compare(ranks + 1).n == 12
