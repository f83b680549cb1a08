"""Permutations and null data of ``assess`` that would be ignored, or tell nothing."""

import numpy as np
import pytest


@pytest.fixture
def table(tmp_path):
    """Three features and a number that hangs on one of them."""
    rows = np.random.default_rng(0).normal(size=(30, 3))
    lines = ["a,b,c,size", *(f"{a:.5f},{b:.5f},{c:.5f},{a:.3f}" for a, b, c in rows)]
    path = tmp_path / "numbers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ridge", "--null-data", "shuffle"), "--null-data keeps what each class"),
        (("ridge", "--null-sets", "1"), "--null-sets 1 shows no spread"),
        (("ridge", "--permutations", "1"), "takes 19 at least"),
        (("lasso", "--null-data", "normal", "--permutations", "0"), "--null-data"),
    ],
)
def test_draws_that_would_be_ignored_or_tell_nothing(run, table, arguments, said):
    call = ("assess", table, "--target", "size")
    code, _, err = run(*call, "--model", *arguments)
    assert code == 2
    assert said in err


def test_null_data_are_not_for_numbers_and_that_is_said(run, table):
    call = ("assess", table, "--target", "size")
    code, out, err = run(*call, "--model", "ridge", "--permutations", "19")
    assert code == 0, err
    assert "no null data: they keep what classes look like" in out
