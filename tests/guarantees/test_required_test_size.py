"""Test sizes: published values, exact power, and refusals."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from scorecast import required_test_size
from scorecast._core.results import result_from_dict
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.guarantees.comparison_power import comparison_power
from scorecast.guarantees.proportion_width import INTERVALS, interval_width


@pytest.mark.parametrize(
    ("method", "n"),
    [
        ("wald", 139),
        ("wilson", 141),
        ("clopper-pearson", 158),
        ("jeffreys", 139),
        ("uniform", 141),
    ],
)
def test_140_cases_for_a_tenth_around_90_percent(method, n):
    # The formula book, D5: smallest n with a width of at most 0.1.
    found = required_test_size(0.9, width=0.1, method=method)
    assert found.n == n
    assert found.reached <= 0.1 < interval_width(n - 1, 0.9, 0.95, method)


def test_75_to_100_cases_mean_a_width_of_12_to_14_points():
    widths = [interval_width(n, 0.9, 0.95, "wilson") for n in (75, 100)]
    assert widths == pytest.approx([0.138, 0.119], abs=5e-4)


@pytest.mark.parametrize("method", INTERVALS)
@pytest.mark.parametrize("share", [0.5, 0.73, 0.99])
def test_widths_are_those_of_the_intervals(method, share):
    n = 200
    low, high = 0.0, 1.0
    if method == "clopper-pearson":
        low, high = binomtest(round(share * n), n).proportion_ci(method="exact")
    elif method == "wilson":
        low, high = binomtest(round(share * n), n).proportion_ci(method="wilson")
    else:
        assert interval_width(2 * n, share, 0.95, method) > 0
        assert interval_width(2 * n, share, 0.95, method) < interval_width(
            n, share, 0.95, method
        )
        return
    assert interval_width(n, share, 0.95, method) == pytest.approx(high - low)


@pytest.mark.parametrize("method", sorted(set(INTERVALS) - {"wald"}))
@pytest.mark.parametrize("accuracy", [0.0, 1.0])
def test_perfect_scores_need_cases_too(method, accuracy):
    assert required_test_size(accuracy, width=0.05, method=method).n > 20


def test_two_proportions_as_in_the_textbooks():
    # Fleiss, without continuity: 388 of each for 0.6 against 0.5 at 80 %.
    found = required_test_size(0.6, versus=0.5, method="independent")
    assert found.n == 388
    assert found.reached >= 0.8


def test_mcnemar_power_by_counting_all_tables():
    n, first, second, differ = 30, 0.8, 0.6, 0.36
    won, lost = (differ + first - second) / 2, (differ - first + second) / 2
    expected = 0.0
    for m in range(n + 1):
        for k in range(m + 1):
            p = binomtest(k, m).pvalue if m else 1.0
            if p <= 0.05:
                table = binom.pmf(m, n, differ) * binom.pmf(k, m, won / (won + lost))
                expected += table
    found = comparison_power(
        n, first, second, design="paired", alpha=0.05, disagreement=differ
    )
    assert found == pytest.approx(expected, abs=1e-9)


def test_pairing_pays_the_more_the_models_agree():
    own = required_test_size(0.9, versus=0.85, method="independent").n
    same = required_test_size(0.9, versus=0.85).n
    alike = required_test_size(0.9, versus=0.85, disagreement=0.07).n
    assert alike < same
    assert alike < own / 2


def test_from_that_number_on_the_power_is_there():
    found = required_test_size(0.8, versus=0.7, disagreement=0.2)
    powers = [
        comparison_power(n, 0.8, 0.7, design="paired", alpha=0.05, disagreement=0.2)
        for n in range(found.n, found.n + 15)
    ]
    assert min(powers) >= 0.8


def test_more_is_asked_more_is_needed():
    sizes = [required_test_size(0.9, width=w).n for w in (0.2, 0.1, 0.05, 0.01)]
    assert sizes == sorted(sizes)
    levels = [required_test_size(0.9, width=0.1, level=v).n for v in (0.8, 0.95, 0.99)]
    assert levels == sorted(levels)


def test_words_and_json():
    found = required_test_size(0.9, versus=0.8)
    assert "the same" in found.summary()
    again = result_from_dict(found.to_dict())
    assert again.n == found.n
    assert np.isnan(again.width)
    assert found.to_columns()["n"] == [found.n]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"accuracy": 90, "width": 0.1}, "between 0 and 1"),
        ({"accuracy": float("nan"), "width": 0.1}, "accuracy"),
        ({"accuracy": 0.9}, "either"),
        ({"accuracy": 0.9, "width": 0.1, "versus": 0.8}, "either"),
        ({"accuracy": 0.9, "width": 0}, "width"),
        ({"accuracy": 0.9, "width": 0.1, "method": "wilsn"}, "wilson"),
        ({"accuracy": 1.0, "width": 0.1, "method": "wald"}, "Wald"),
        ({"accuracy": 0.9, "versus": 0.9}, "the same"),
        ({"accuracy": 0.9, "versus": 0.8, "power": 1}, "power"),
        ({"accuracy": 0.9, "versus": 0.8, "disagreement": 0.05}, "difference"),
        ({"accuracy": 0.9, "versus": 0.8, "disagreement": 0.5}, "0.3"),
        ({"accuracy": 0.9, "width": 0.1, "level": 95}, "level"),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(UsageError, match=words):
        required_test_size(**call)


def test_no_one_tests_so_many():
    with pytest.raises(InsufficientDataError, match="thousand million"):
        required_test_size(0.5, width=1e-6)


@pytest.mark.statistical
def test_the_power_is_what_was_promised():
    rng = np.random.default_rng(0)
    found = required_test_size(0.85, versus=0.7, disagreement=0.3)
    won, runs = (0.3 + 0.15) / 2, 2000

    def share_found(n):
        table = rng.multinomial(n, [won, 0.3 - won, 0.7], size=runs)
        p = [binomtest(int(a), int(a + b)).pvalue if a + b else 1 for a, b, _ in table]
        return np.mean(np.array(p) <= 0.05)

    error = 3 * np.sqrt(0.8 * 0.2 / runs)
    assert share_found(found.n) >= 0.8 - error
    assert share_found(found.n // 2) < 0.8 - error  # the broken variant: half as many


def test_models_that_cannot_agree_more_are_not_told_to():
    for versus, word in ((1.0, "always right"), (0.0, "always wrong")):
        said = required_test_size(0.6, versus=versus).assumed()
        assert "need fewer" not in said
        assert said.endswith(word)
    assert required_test_size(0.6, versus=0.9).assumed().endswith("need fewer")
