"""Test sizes: published values, exact power, and refusals."""

import json

import numpy as np
import pytest
from scipy.stats import binom, binomtest

import scorecast as sc
from scorecast import required_test_size
from scorecast._core.results import result_from_dict
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.guarantees.comparison_power import comparison_power
from scorecast.guarantees.test_size import INTERVALS, interval_width
from scorecast.report import render_html
from scorecast.report.html import Report


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


# Cases in groups, and repeats


def test_without_correlation_groups_cost_only_what_is_not_known_of_their_spread():
    plain = required_test_size(0.9, width=0.1)
    grouped = required_test_size(0.9, width=0.1, group_size=5, correlation=0.0)
    assert grouped.design_effect == 1
    assert plain.n <= grouped.n <= 1.25 * plain.n
    assert grouped.n % 5 == 0
    assert grouped.n_groups * 5 == grouped.n


def test_the_design_effect_is_that_of_the_textbooks():
    found = required_test_size(0.9, width=0.1, group_size=11, correlation=0.2)
    assert found.design_effect == pytest.approx(1 + 10 * 0.2)
    uneven = required_test_size(
        0.9, width=0.1, group_size=11, correlation=0.2, size_spread=1.0
    )
    assert uneven.design_effect == pytest.approx(1 + 21 * 0.2)
    assert uneven.n > found.n
    again = required_test_size(0.9, width=0.1, repeats=4, repeat_correlation=0.7)
    assert again.design_effect == pytest.approx(1 + 3 * 0.7)
    assert again.n_groups is None
    whole = required_test_size(0.9, width=0.1, repeats=4, repeat_correlation=1.0)
    one = required_test_size(0.9, width=0.1)
    # Repeats that always agree are worth nothing.
    assert one.n <= whole.n <= one.n + 6
    both = required_test_size(
        0.9, width=0.1, group_size=5, correlation=0.1, repeats=2,
        repeat_correlation=0.5,
    )  # fmt: skip
    assert both.design_effect == pytest.approx(1 + 0.5 + 2 * 4 * 0.1)


def test_words_and_json_of_groups():
    found = required_test_size(
        0.9, versus=0.85, group_size=10, correlation=0.1, repeats=2,
        repeat_correlation=0.5,
    )  # fmt: skip
    assert f"in {found.n_groups} groups of 10, each answered 2 times" in found.summary()
    assert "answers are worth one independent case" in found.assumed()
    again = result_from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.to_dict() == found.to_dict()
    assert again.summary() == found.summary()
    assert found.reached_with(found.n) == pytest.approx(found.reached)
    assert found.reached_with(2 * found.n) > found.reached
    assert f"{found.n_groups} groups" in render_html(Report(results=(found,)))


@pytest.mark.parametrize(
    "groups",
    [{"group_size": 5, "correlation": 0.2}, {"repeats": 3, "repeat_correlation": 0.2}],
)
def test_groups_name_one_interval(groups):
    found = required_test_size(0.9, width=0.1, **groups)
    assert found.method == "clustered-wilson-t"
    assert "interval (clustered-wilson-t) of width" in found.summary()
    said = f"{found.summary()} {found.assumed()}"
    assert said.count("interval") == 1
    assert "wilson" not in said.replace("clustered-wilson-t", "")
    named = required_test_size(0.9, width=0.1, method="clustered-wilson-t", **groups)
    assert named.to_dict() == found.to_dict()
    # Files of early versions named the interval of independent cases.
    early = json.loads(json.dumps(found.to_dict()))
    early["options"]["method"] = "wilson"
    assert result_from_dict(early).summary() == found.summary()


def test_a_comparison_in_groups_says_how_often_one_model_is_right():
    groups = {"group_size": 5, "correlation": 0.2}
    words = "exactly one model is right in 29 % of cases, as if they were right indep"
    assert words in required_test_size(0.85, versus=0.8).assumed()
    assert words in required_test_size(0.85, versus=0.8, **groups).assumed()
    agreeing = required_test_size(0.85, versus=0.8, disagreement=0.1, **groups)
    assert agreeing.assumed().endswith("exactly one model is right in 10 % of cases")
    own = required_test_size(0.85, versus=0.8, method="independent", **groups)
    assert "exactly one" not in own.assumed()
    assert "right answers of one group correlate by 0.2" in own.assumed()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"group_size": 5}, "go together"),
        ({"correlation": 0.5}, "go together"),
        ({"group_size": 0.5, "correlation": 0.1}, "from 1"),
        ({"group_size": 5, "correlation": 2}, "correlation"),
        ({"repeats": 3}, "repeat_correlation"),
        ({"repeats": 0}, "whole number from 1"),
        ({"size_spread": 0.5}, "group_size"),
        ({"group_size": 5, "correlation": 0.1, "method": "wald"}, "use 'wilson'"),
        (
            {"group_size": 5, "correlation": 0.5, "repeats": 2,
             "repeat_correlation": 0.1},
            "or more",
        ),
    ],
)  # fmt: skip
def test_groups_that_cannot_be_are_refused_in_words(call, words):
    with pytest.raises(UsageError, match=words):
        required_test_size(0.9, width=0.1, **call)


def grouped_answers(rng, n_groups, size, share, correlation):
    """Right and wrong answers whose groups correlate: shares are of a beta."""
    rate = 1 / correlation - 1
    own = rng.beta(share * rate, (1 - share) * rate, n_groups)
    return rng.random((n_groups, size)) < own[:, None]


def test_the_interval_of_so_many_groups_is_as_narrow_as_asked():
    rng = np.random.default_rng(0)
    found = required_test_size(0.8, width=0.12, group_size=8, correlation=0.3)
    naive = required_test_size(0.8, width=0.12)

    def widths(n_groups, repeats=60):
        for _ in range(repeats):
            right = grouped_answers(rng, n_groups, 8, 0.8, 0.3)
            groups = np.repeat(np.arange(n_groups), 8)
            got = sc.proportion_interval(right.ravel().astype(int), groups=groups)
            yield got.high - got.low

    assert np.mean(list(widths(found.n_groups))) == pytest.approx(0.12, abs=0.008)
    # Counted as independent cases they would fall far short.
    assert np.mean(list(widths(naive.n // 8))) > 0.15


def test_the_power_of_so_many_groups_is_what_was_promised():
    """Differences of two models in groups, tested by the clustered t."""
    rng = np.random.default_rng(1)
    found = required_test_size(
        0.85, versus=0.75, disagreement=0.2, group_size=6, correlation=0.2
    )
    naive = required_test_size(0.85, versus=0.75, disagreement=0.2)

    def share_found(n_groups, runs=300):
        won = 0
        for _ in range(runs):
            # Whether a group goes with one draw for all, or each case by itself:
            # correlation 0.2.
            chances = [0.15, 0.05, 0.8]
            own = rng.choice([1, -1, 0], p=chances, size=(n_groups, 6))
            shared = rng.choice([1, -1, 0], p=chances, size=(n_groups, 1))
            pick = rng.random((n_groups, 6)) < np.sqrt(0.2)
            gaps = np.where(pick, shared, own).ravel()
            groups = np.repeat(np.arange(n_groups), 6)
            test = sc.compare_pair(
                gaps, np.zeros_like(gaps), groups=groups, test="clustered-t"
            )
            won += test.p_value <= 0.05
        return won / runs

    error = 3 * np.sqrt(0.8 * 0.2 / 300)
    assert share_found(found.n_groups) >= 0.8 - error
    assert share_found(max(2, naive.n // 6)) < 0.8 - error
