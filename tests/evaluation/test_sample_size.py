"""Test sizes: published values, exact power, promises kept, refusals."""

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import binom, binomtest
from tests.snapshot import assert_snapshot, page_text

import scorecast as sc
from scorecast import required_test_size
from scorecast._core.result import result_from_dict
from scorecast.evaluation import POWER_DESIGNS, PROPORTION_INTERVALS, Goal
from scorecast.exceptions import InsufficientDataError, UsageError

GROUPS = {"group_size": 5, "correlation": 0.2}
REPEATS = {"n_repeats": 3, "repeat_correlation": 0.2}


# Widths


@pytest.mark.parametrize(
    ("interval", "n"),
    [
        ("wald", 139),
        ("wilson", 141),
        ("exact", 158),
        ("clopper-pearson", 158),
        ("jeffreys", 139),
        ("uniform", 141),
    ],
)
def test_140_samples_for_a_tenth_around_90_percent(interval, n):
    # The formula book, D5: smallest n with a width of at most 0.1; footnote 4 of
    # Henriques and Madeira: 140.
    found = required_test_size(0.9, width=0.1, interval=interval)
    assert found.n_samples == n
    assert found.reached == found.reached_with(n) <= 0.1 < found.reached_with(n - 1)
    assert found.interval == PROPORTION_INTERVALS.choose(interval, parameter="").name
    assert (found.goal, found.design, found.power) == (Goal.WIDTH, None, None)


def test_75_to_100_samples_mean_a_width_of_12_to_14_points():
    found = required_test_size(0.9, width=0.1)
    widths = [found.reached_with(n) for n in (75, 100)]
    assert widths == pytest.approx([0.138, 0.119], abs=5e-4)


@pytest.mark.parametrize("interval", PROPORTION_INTERVALS)
@pytest.mark.parametrize("share", [0.5, 0.73, 0.99])
def test_widths_are_those_of_the_intervals(interval, share):
    found = required_test_size(share, width=0.1, interval=interval)
    width = found.reached_with(200)
    if interval in ("exact", "wilson"):
        ends = binomtest(round(share * 200), 200).proportion_ci(method=interval)
        assert width == pytest.approx(ends.high - ends.low)
    assert 0 < found.reached_with(400) < width


@pytest.mark.parametrize("interval", sorted({*PROPORTION_INTERVALS} - {"wald"}))
@pytest.mark.parametrize("accuracy", [0.0, 1.0])
def test_perfect_scores_need_samples_too(interval, accuracy):
    assert required_test_size(accuracy, width=0.05, interval=interval).n_samples > 20


def test_more_is_asked_more_is_needed():
    widths = (0.2, 0.1, 0.05, 0.01)
    sizes = [required_test_size(0.9, width=w).n_samples for w in widths]
    assert sizes == sorted(sizes)
    sizes = [
        required_test_size(0.9, width=0.1, confidence_level=level).n_samples
        for level in (0.8, 0.95, 0.99)
    ]
    assert sizes == sorted(sizes)


def test_a_width_is_found_without_slow_libraries():
    code = (
        "import sys, scorecast as sc; sc.required_test_size(0.9, width=0.1);"
        "print([x for x in ('scipy.stats', 'sklearn', 'pandas') if x in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


# Power


@pytest.mark.parametrize("name", POWER_DESIGNS)
@pytest.mark.parametrize("n", [30, 200])
def test_without_a_difference_a_design_finds_one_as_often_as_it_may(name, n):
    design = POWER_DESIGNS[name]
    for alpha in (0.01, 0.05, 0.2):
        assert design.power(n, 0.8, 0.8, 0.32, alpha) <= alpha + 1e-12
        clustered = design.clustered_power(20, n, (0.8, 0.8), 0.32, alpha)
        assert clustered == pytest.approx(alpha)


def test_two_proportions_as_in_the_textbooks():
    # Fleiss, without continuity: 388 of each for 0.6 against 0.5 at 80 %.
    found = required_test_size(0.6, versus=0.5, design="independent")
    assert found.n_samples == 388
    assert found.reached == pytest.approx(0.801, abs=5e-4)
    assert found.disagreement is None


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
    found = required_test_size(first, versus=second, disagreement=differ)
    assert found.reached_with(n) == pytest.approx(expected, abs=1e-9)


def test_pairing_pays_the_more_the_models_agree():
    own = required_test_size(0.9, versus=0.85, design="independent").n_samples
    same = required_test_size(0.9, versus=0.85).n_samples
    alike = required_test_size(0.9, versus=0.85, disagreement=0.07).n_samples
    assert (own, same, alike) == (686, 722, 228)


def test_from_that_number_on_the_power_is_there():
    found = required_test_size(0.8, versus=0.7, disagreement=0.2)
    ahead = range(found.n_samples, found.n_samples + 15)
    assert min(map(found.reached_with, ahead)) >= 0.8


def test_the_least_disagreement_is_allowed_however_it_is_rounded():
    found = required_test_size(0.9, versus=0.85, disagreement=0.05)
    assert found.disagreement == pytest.approx(0.05)


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
    assert share_found(found.n_samples) >= 0.8 - error
    # The broken variant: half as many.
    assert share_found(found.n_samples // 2) < 0.8 - error


# Samples in groups, and repeats


def test_without_correlation_groups_cost_only_what_is_not_known_of_their_spread():
    plain = required_test_size(0.9, width=0.1)
    grouped = required_test_size(0.9, width=0.1, group_size=5, correlation=0.0)
    assert grouped.design_effect == 1
    assert plain.n_samples <= grouped.n_samples <= 1.25 * plain.n_samples
    assert grouped.n_groups * 5 == grouped.n_samples


def test_the_design_effect_is_that_of_the_textbooks():
    found = required_test_size(0.9, width=0.1, group_size=11, correlation=0.2)
    assert found.design_effect == pytest.approx(1 + 10 * 0.2)
    uneven = required_test_size(
        0.9, width=0.1, group_size=11, correlation=0.2, size_spread=1.0
    )
    assert uneven.design_effect == pytest.approx(1 + 21 * 0.2)
    assert uneven.n_samples > found.n_samples
    again = required_test_size(0.9, width=0.1, n_repeats=4, repeat_correlation=0.7)
    assert again.design_effect == pytest.approx(1 + 3 * 0.7)
    assert again.n_groups is None
    assert again.n_answers == 4 * again.n_samples
    whole = required_test_size(0.9, width=0.1, n_repeats=4, repeat_correlation=1.0)
    one = required_test_size(0.9, width=0.1)
    # Repeats that always agree are worth nothing.
    assert one.n_samples <= whole.n_samples <= one.n_samples + 6
    both = required_test_size(
        0.9,
        width=0.1,
        group_size=5,
        correlation=0.1,
        n_repeats=2,
        repeat_correlation=0.5,
    )
    assert both.design_effect == pytest.approx(1 + 0.5 + 2 * 4 * 0.1)


@pytest.mark.parametrize("size", [1, 1.1, 1.5, 2.75, 7, 12.5])
@pytest.mark.parametrize("goal", [{"width": 0.1}, {"versus": 0.75}])
def test_whole_groups_are_counted_once(size, goal):
    found = required_test_size(0.9, group_size=size, correlation=0.1, **goal)
    assert found.n_samples == np.ceil(found.n_groups * size - 1e-9)
    assert found.reached_with(found.n_samples) == found.reached
    fewer = int(np.ceil((found.n_groups - 1) * size - 1e-9))
    is_met = (
        found.reached_with(fewer) <= 0.1
        if "width" in goal
        else found.reached_with(fewer) >= 0.8
    )
    assert not is_met


@pytest.mark.parametrize("groups", [GROUPS, REPEATS])
def test_groups_have_one_interval(groups):
    found = required_test_size(0.9, width=0.1, **groups)
    assert found.interval == "clustered-wilson-t"
    named = required_test_size(0.9, width=0.1, interval="clustered-wilson-t", **groups)
    assert named == found
    units = found.n_groups or found.n_samples
    assert found.degrees_of_freedom == units - 1
    own = required_test_size(0.9, versus=0.8, design="independent", **groups)
    assert own.degrees_of_freedom == 2 * ((own.n_groups or own.n_samples) - 1)


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
            got = sc.evaluation.proportion_interval(
                right.ravel().astype(int), groups=groups
            )
            yield got.high - got.low

    assert np.mean(list(widths(found.n_groups))) == pytest.approx(0.12, abs=0.008)
    # Counted as independent samples they would fall far short.
    assert np.mean(list(widths(naive.n_samples // 8))) > 0.15


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
            # Whether a group goes with one draw for all, or each sample by itself:
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
    assert share_found(max(2, naive.n_samples // 6)) < 0.8 - error


# What is refused, kept and shown


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        ({"accuracy": 90, "width": 0.1}, "accuracy"),
        ({"accuracy": float("nan"), "width": 0.1}, "accuracy"),
        ({}, "width"),
        ({"width": 0.1, "versus": 0.8}, "width"),
        ({"width": 0}, "width"),
        ({"width": 0.1, "interval": "wilsn"}, "interval"),
        ({"width": 0.1, "interval": "clustered-wilson-t"}, "interval"),
        ({"accuracy": 1.0, "width": 0.1, "interval": "wald"}, "interval"),
        ({"width": 0.1, "disagreement": 0.1}, "disagreement"),
        ({"width": 0.1, "confidence_level": 95}, "confidence_level"),
        ({"versus": 0.9}, "versus"),
        ({"versus": 0.8, "design": "guess"}, "design"),
        ({"versus": 0.8, "power": 1}, "power"),
        ({"versus": 0.8, "disagreement": 0.05}, "disagreement"),
        ({"versus": 0.8, "disagreement": 0.5}, "disagreement"),
        (
            {"versus": 0.8, "disagreement": 0.2, "design": "independent"},
            "disagreement",
        ),
        ({"width": 0.1, "group_size": 5}, "group_size"),
        ({"width": 0.1, "correlation": 0.5}, "correlation"),
        ({"width": 0.1, "group_size": 0.5, "correlation": 0.1}, "group_size"),
        ({"width": 0.1, "group_size": 5, "correlation": 2}, "correlation"),
        ({"width": 0.1, "n_repeats": 3}, "n_repeats"),
        ({"width": 0.1, "repeat_correlation": 0.3}, "repeat_correlation"),
        ({"width": 0.1, "n_repeats": 0}, "n_repeats"),
        ({"width": 0.1, "size_spread": 0.5}, "size_spread"),
        ({"width": 0.1, "size_spread": -1, **GROUPS}, "size_spread"),
        ({"width": 0.1, "interval": "wald", **GROUPS}, "interval"),
        (
            {"width": 0.1, **GROUPS, "n_repeats": 2, "repeat_correlation": 0.1},
            "repeat_correlation",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(call, parameter):
    with pytest.raises(UsageError) as caught:
        required_test_size(**{"accuracy": 0.9, **call})
    assert caught.value.parameter == parameter


def test_no_one_tests_so_many():
    with pytest.raises(InsufficientDataError):
        required_test_size(0.5, width=1e-6)


ANSWERS = {
    "one": {"accuracy": 0.5, "width": 0.99},
    "width": {"accuracy": 0.9, "width": 0.1},
    "fine": {"accuracy": 0.9, "width": 0.0001},
    "paired": {"accuracy": 0.9, "versus": 0.85},
    "agreeing": {"accuracy": 0.9, "versus": 0.85, "disagreement": 0.07},
    "perfect": {"accuracy": 0.6, "versus": 1.0},
    "hopeless": {"accuracy": 0.6, "versus": 0.0},
    "independent": {"accuracy": 0.9, "versus": 0.85, "design": "independent"},
    "groups": {"accuracy": 0.9, "width": 0.1, **GROUPS},
    "repeats": {"accuracy": 0.9, "width": 0.1, **REPEATS},
    "paired groups": {"accuracy": 0.85, "versus": 0.8, "size_spread": 0.4, **GROUPS},
    "all": {
        "accuracy": 0.85,
        "versus": 0.8,
        "design": "independent",
        **GROUPS,
        **REPEATS,
    },
}


def test_every_answer_is_kept_and_said():
    said = []
    for call in ANSWERS.values():
        found = required_test_size(**call)
        again = result_from_dict(json.loads(json.dumps(found.to_dict())))
        assert again == found
        text = sc.render(again, ascii_only=True)
        assert max(map(len, text.splitlines())) <= 88
        assert "nan" not in text
        said.append(text)
    assert_snapshot("size", "\n\n\n".join(said))


@pytest.mark.parametrize("name", ["width", "paired", "paired groups"])
def test_every_answer_has_a_page_with_a_figure(name):
    found = required_test_size(**ANSWERS[name])
    page = sc.render(found, "html")
    assert "<svg" in page
    if name == "paired groups":
        assert_snapshot("size_page", page_text(page))


@pytest.mark.parametrize(
    ("asked", "got"), [({}, "neither"), ({"width": 0.1, "versus": 0.8}, "both")]
)
def test_what_is_wanted_is_named_in_full(asked, got):
    with pytest.raises(UsageError) as caught:
        required_test_size(0.9, **asked)
    assert caught.value.parameter == "width"
    assert "or versus, the accuracy of another model" in caught.value.problem
    assert caught.value.problem.endswith(f"got {got}")
