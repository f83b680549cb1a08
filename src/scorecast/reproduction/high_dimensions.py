"""Entries of Henriques and Madeira (2015): many features, few samples."""

from __future__ import annotations

from scorecast.evaluation import required_test_size, wilson
from scorecast.reproduction.entry import Found, Measured, Work, reproduces


@reproduces(
    "003-fn-4",
    "test cases for an interval of width .1",
    "how many test cases make an interval around a sensitivity of 90 % that narrow",
    seconds=0.5,
)
def cases_for_width(work: Work) -> Found:
    """Ask for the size, by three intervals."""
    del work
    numbers = {}
    for name, cell in {"wilson": "Wilson", "wald": "Wald", "exact": "exact"}.items():
        found = required_test_size(accuracy=0.9, width=0.1, interval=name)
        numbers[f"cases, {cell}"] = Measured(value=float(found.n_samples))
    for n in (75, 100):
        low, high = wilson(0.9 * n, n, 0.95)
        numbers[f"width with {n} cases, Wilson"] = Measured(value=high - low)
    return Found(numbers=numbers)
