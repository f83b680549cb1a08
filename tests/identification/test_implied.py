"""Implied information: fit, interval, extrapolation, and what it is not."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.identification.in_nats import (
    codes,
    ideal_accuracy,
    ideal_information,
    identify,
    identify_from_scores,
    implied_information,
)

import scorecast as sc
from scorecast.exceptions import (
    DataWarning,
    InsufficientDataError,
    ResultWarning,
    UsageError,
)
from scorecast.identification import (
    WEIGHTS,
    IdentificationNote,
    ImpliedInformation,
    IntervalKind,
    Side,
)
from scorecast.identification.ideal_curve import fit_separation


def _scores(models, n=50, d=30, information=2.0, seed=0):
    rng = np.random.default_rng(seed)
    return models.bayes_scores(*models.gaussian_pair(rng, n, d, information))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_an_ideal_curve_gives_back_its_information(golden, weights):
    entry = next(e for e in golden["values"] if e["name"] == "implied_info")
    first, last = entry["inputs"]["ks"]
    ks = np.arange(first, last + 1.0)
    truth = entry["inputs"]["acc_generated_with_iota"]
    errors = np.diag(np.linspace(1e-4, 3e-4, ks.size))
    fit = fit_separation(
        ks, ideal_accuracy(truth, n_classes=ks), weights=weights, covariance=errors
    )
    assert abs(fit.value**2 / 2 - entry["expected"]) < 1e-9


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_hear_of_errors_where_they_say_so(models, name):
    curve = sc.accuracy_curve(_scores(models), range(50))
    loud = replace(curve, covariance=curve.covariance * np.linspace(1, 9, 49))
    one, other = (implied_information(c, weights=name).value for c in (curve, loud))
    assert (one != other) == WEIGHTS[name].needs_covariance


def test_one_size_is_the_inverse_of_the_ideal_curve():
    fit = fit_separation(np.array([10.0]), np.array([0.4]))
    assert fit.value**2 / 2 == pytest.approx(
        ideal_information(0.4, n_classes=10), rel=1e-9
    )


def test_the_fit_is_the_best_on_a_fine_grid(models):
    answer = implied_information(_scores(models))
    ks, accuracy = answer.classes, answer.accuracy
    grid = np.linspace(0.5, 4.0, 3501)
    losses = [
        ((accuracy - ideal_accuracy(c * c / 2, n_classes=ks)) ** 2).sum() for c in grid
    ]
    assert answer.separation == pytest.approx(grid[np.argmin(losses)], abs=1.1e-3)


def test_thinned_sizes_stand_for_those_left_out(models):
    scores = _scores(models, n=420)
    thin = implied_information(scores)
    assert thin.classes.size < 250
    whole = implied_information(
        sc.accuracy_curve(
            scores, range(420), sizes=range(2, 421), standard_errors=False
        )
    )
    assert thin.value == pytest.approx(whole.value, abs=2e-3)


def test_moves_are_those_of_refits(models):
    scores = _scores(models, n=60)
    answer = implied_information(scores)
    kept = np.arange(60)
    refitted = np.array(
        [
            implied_information(
                sc.accuracy_curve(
                    scores[np.ix_(rest, rest)],
                    range(59),
                    sizes=range(2, 60),
                    standard_errors=False,
                )
            ).separation
            for rest in (np.delete(kept, out) for out in (0, 7, 21, 33, 58))
        ]
    )
    moves = refitted - answer.separation
    found = answer.replicates[[0, 7, 21, 33, 58]] - answer.separation
    np.testing.assert_allclose(found, moves, rtol=0.1, atol=0.1 * np.abs(moves).max())


def test_three_ways_to_an_interval_agree(models):
    scores = _scores(models, n=80)
    refitted = implied_information(scores)
    linear = implied_information(sc.accuracy_curve(scores, range(80)))
    halves = implied_information(scores, interval="subsampling", n_subsamples=100)
    assert refitted.value == linear.value == halves.value
    assert linear.stderr == pytest.approx(refitted.stderr, rel=0.1)
    assert halves.stderr == pytest.approx(refitted.stderr, rel=0.35)
    assert halves.random_state == 0
    assert refitted.low < refitted.value < refitted.high


def test_halves_depend_on_the_seed_alone(models):
    scores = _scores(models, n=20)
    one, same, other = (
        implied_information(
            scores, interval="subsampling", n_subsamples=10, random_state=seed
        ).stderr
        for seed in (1, 1, 2)
    )
    assert one == same != other


def test_units_differ_by_a_factor(models):
    scores = _scores(models)
    nats, bits = (implied_information(scores, units=u) for u in ("nats", "bits"))
    for name in ("value", "low", "high"):
        assert getattr(bits, name) == pytest.approx(getattr(nats, name) / np.log(2))
    assert bits.separation == nats.separation
    expected = nats.forecast([1000])[0]
    assert bits.forecast([1000])[0].accuracy == pytest.approx(expected.accuracy)


def test_forecasts_follow_the_ideal_curve(models):
    answer = implied_information(_scores(models))
    rows = answer.forecast([10, 10_000])
    assert rows[0].accuracy == pytest.approx(
        float(ideal_accuracy(answer.value, n_classes=10))
    )
    assert rows[1].accuracy < rows[0].accuracy
    for row in rows:
        assert row.low < row.accuracy < row.high


def test_a_result_survives_json(models):
    answer = implied_information(_scores(models, n=12))
    again = ImpliedInformation.from_dict(json.loads(json.dumps(answer.to_dict())))
    assert again.to_dict() == answer.to_dict()
    assert again.summary() == answer.summary()
    assert answer.to_frame().shape == (11, 3)


def test_no_error_at_all_is_infinite_with_a_warning():
    with pytest.warns(ResultWarning, match="infinite"):
        answer = implied_information(np.eye(30))
    assert answer.value == answer.high == np.inf
    assert 0 < answer.low < np.inf
    assert answer.interval_kind is IntervalKind.ALL_RIGHT
    again = ImpliedInformation.from_dict(json.loads(json.dumps(answer.to_dict())))
    assert again.value == np.inf
    assert again.low == answer.low
    assert answer.forecast([100])[0].accuracy == 1


def _with_errors(n, errors, *, same=False):
    """Scores of n stimuli, so many answers wrong: each its own way, or all alike."""
    scores = np.random.default_rng(0).uniform(0, 0.1, size=(n, n)) + 2 * np.eye(n)
    for i in range(errors):
        scores[i, n - 1 if same else (i + n // 2) % n] = 3
    return scores


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("n", [30, 80])
def test_more_errors_never_imply_more(n, same):
    with pytest.warns(ResultWarning, match="infinite"):
        found = [identify_from_scores(_with_errors(n, 0))]
    found += [identify_from_scores(_with_errors(n, e, same=same)) for e in range(1, 9)]
    for name in ("value", "low", "high"):
        values = [getattr(answer.implied, name) for answer in found]
        assert values == sorted(values, reverse=True), name
    # One error more is one error more, be it the first or the eighth.
    lows = np.diff([answer.implied.low for answer in found])
    assert (np.abs(np.diff(np.abs(lows[1:]))) < 0.5).all()
    one = found[1].implied
    assert 2 < one.low < one.value < one.high < 25


def test_errors_that_hang_on_one_stimulus_are_one_event():
    apart, same = (
        implied_information(_with_errors(40, 3, same=s)) for s in (False, True)
    )
    assert same.value == pytest.approx(apart.value, rel=0.05)
    assert same.low < apart.low
    assert same.high > apart.high


def test_four_stimuli_at_chance_do_not_imply_many_nats():
    for seed in range(20):
        scores = np.random.default_rng(seed).normal(size=(4, 4))
        if (scores.argmax(axis=1) == np.arange(4)).all():
            continue
        assert implied_information(scores).high < 10


def test_groups_widen_the_floor_of_answers_that_are_all_right(models):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 12))
    options = {"model": models.LinearEncoder(), "n_splits": 2, "test_size": 0.5}
    lows = []
    for groups in (None, np.arange(60) // 10):
        with pytest.warns(ResultWarning, match="infinite"):
            lows.append(identify(x, x, groups=groups, **options).implied.low)
    assert lows[1] < lows[0]
    # Three groups of ten: Hoeffding allows for luck with each as a whole.
    low = max(1 - np.sqrt(np.log(40) / 3 / 2), 0)
    assert lows[1] == pytest.approx(ideal_information(low, n_classes=30), abs=1e-9)
    with pytest.warns(ResultWarning, match="infinite"):
        bits = identify(x, x, groups=groups, units="bits", **options).implied.low
    assert bits == pytest.approx(lows[1] / np.log(2), rel=1e-12)


def test_one_stimulus_that_makes_the_interval_is_named():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(60, 60)) + 3 * np.eye(60)
    calm = implied_information(scores)
    scores[:, 7] += 4
    drawn = implied_information(scores)
    assert IdentificationNote.ONE_STIMULUS in codes(drawn)
    assert IdentificationNote.ONE_STIMULUS not in codes(calm)


def test_equal_scores_are_refused():
    with pytest.raises(InsufficientDataError, match="all scores are equal"):
        implied_information(np.zeros((24, 24)))


def test_worse_than_chance_implies_nothing_and_only_that_is_said():
    with pytest.warns(DataWarning, match="distances"):
        answer = implied_information(-np.eye(24))
    assert answer.value == pytest.approx(0, abs=1e-12)
    assert answer.low == pytest.approx(0, abs=1e-12)
    assert np.isfinite(answer.high)
    assert answer.separation < -1
    # An interval of no width is no certainty; what it means is said.
    assert answer.high == 0
    assert answer.chance is Side.BELOW
    assert codes(answer) == [IdentificationNote.BELOW_CHANCE]


def test_an_upper_end_at_chance_is_not_zero():
    scores = np.random.default_rng(0).normal(size=(24, 24))
    answer = implied_information(scores)
    assert answer.high > 0.01
    assert answer.chance is not Side.BELOW


def test_two_stimuli_have_a_value_and_no_interval():
    answer = implied_information([[1.0, 0.5], [0.9, 0.8]])
    assert np.isnan(answer.low)
    assert answer.interval_kind is IntervalKind.NONE


def test_a_curve_far_from_ideal_is_named():
    # Half of the stimuli are always found, the others never: no such ideal curve.
    rng = np.random.default_rng(0)
    n = 200
    scores = rng.normal(size=(n, n))
    scores[np.arange(0, n, 2), np.arange(0, n, 2)] = 9
    answer = implied_information(scores)
    (note,) = answer.notes
    assert note.code == IdentificationNote.LEAVES_IDEAL_CURVE
    assert note.value <= answer.misfit


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda c: implied_information(c, interval="subsampling"), UsageError),
        (lambda c: implied_information(c, weights="none"), UsageError),
        (lambda _: implied_information(
            np.eye(9), interval="subsampling", weights="variance"), UsageError),
        (lambda c: implied_information(c, confidence_level=1.5), UsageError),
        (lambda c: implied_information(c, units="bit"), UsageError),
        (lambda _: implied_information(np.ones((3, 4))), UsageError),
        (lambda _: implied_information([[1.0]]), InsufficientDataError),
        (lambda _: implied_information(
            [[1, 0, 2], [3, 4, 5], [7, 6, 8]], interval="subsampling"),
         InsufficientDataError),
    ],
)  # fmt: skip
def test_what_cannot_be_fitted_is_refused(models, call, error):
    curve = sc.accuracy_curve(_scores(models, n=8), range(8))
    with pytest.raises(error):
        call(curve)


@pytest.mark.statistical
@pytest.mark.parametrize(("n", "information"), [(30, 0.5), (60, 2.0), (100, 4.0)])
def test_intervals_hold_and_half_as_wide_ones_do_not(models, n, information):
    rng = np.random.default_rng(0)
    answers = []
    for _ in range(250):
        pair = models.gaussian_pair(rng, n, 50, information)
        answers.append(
            implied_information(models.bayes_scores(*pair), confidence_level=0.9)
        )
    ks = np.arange(2.0, n + 1)
    mean = np.mean([answer.accuracy for answer in answers], axis=0)
    truth = fit_separation(ks, mean).value ** 2 / 2
    held = np.mean([a.low <= truth <= a.high for a in answers])
    slack = 3 * np.sqrt(0.09 / 250)
    assert held > 0.9 - slack
    half = [
        abs(a.separation - np.sqrt(2 * truth)) < 0.5 * 1.645 * a.stderr for a in answers
    ]
    assert np.mean(half) < 0.9 - slack


@pytest.mark.statistical
def test_the_bayes_decoder_approaches_the_truth_as_dimension_grows(models):
    truth, n = 3.0, 100
    ks = np.arange(2.0, n + 1)
    found = {}
    for d in (1, 5, 300):
        rng = np.random.default_rng(d)
        curves = []
        for _ in range(30):
            scores = models.bayes_scores(*models.gaussian_pair(rng, n, d, truth))
            curve = sc.accuracy_curve(scores, range(n), standard_errors=False)
            curves.append(curve.accuracy)
        found[d] = fit_separation(ks, np.mean(curves, axis=0)).value ** 2 / 2
    assert abs(found[300] - truth) < 0.15
    assert abs(found[1] - truth) > 3 * abs(found[300] - truth)


@pytest.mark.statistical
def test_weaker_decoders_imply_less_than_the_truth(models):
    truth, n, d = 3.0, 100, 60
    rng = np.random.default_rng(0)
    found = {"half": [], "noisy": []}
    for _ in range(20):
        x, y = models.gaussian_pair(rng, n, d, truth)
        half = models.bayes_scores(x[:, :30], y[:, :30])
        noisy = models.bayes_scores(x, y + rng.normal(size=y.shape))
        for name, scores in (("half", half), ("noisy", noisy)):
            found[name].append(implied_information(scores).value)
    for values in found.values():
        assert np.mean(values) < truth - 1
