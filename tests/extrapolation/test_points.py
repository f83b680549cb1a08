"""Forecasts from published points: laws, errors of points, intervals that hold."""

import json

import numpy as np
import pytest
import scipy

import scorecast as sc
from scorecast.exceptions import (
    ExtrapolationWarning,
    InvalidInputError,
    UsageError,
)
from scorecast.extrapolation import (
    CURVE_METHODS,
    CurveExtrapolation,
    CurveNote,
    PointDesign,
    points as kernel,
)

pytestmark = pytest.mark.filterwarnings("ignore::scorecast.exceptions.ResultWarning")

KS = np.array([2.0, 20.0, 500.0, 1e5])


def predictions(*args, **kwargs):
    (curve,) = sc.extrapolate_curve(*args, **kwargs).curves
    return curve.predictions


# --- laws ----------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [(2.0, 0.0, 0.0), (3.5, 0.6, 0.3), (1.0, -1.0, -0.4)])
@pytest.mark.parametrize("top", [1, 5])
def test_the_probit_family_is_the_chance_that_few_impostors_win(theta, top):
    ks = KS if top == 1 else KS[1:]
    mean, log_sd, skew = theta
    z = np.linspace(-9, 9, 200_001)
    v = mean + np.exp(log_sd) * np.sinh(np.arcsinh(z) + skew)
    weight = scipy.stats.norm.pdf(z)
    chance = [
        np.trapezoid(
            weight * scipy.stats.binom.cdf(top - 1, k - 1, scipy.stats.norm.sf(v)), z
        )
        for k in ks
    ]
    found = CURVE_METHODS["bayesian"].log_odds(np.array(theta), ks, top)
    np.testing.assert_allclose(scipy.special.expit(found), chance, atol=2e-6)


@pytest.mark.parametrize(("alpha", "discount"), [(5.0, 0.2), (0.3, 0.7), (200.0, 0.01)])
def test_pitman_and_yors_curve_is_that_of_its_recurrence_and_of_its_moments(
    alpha, discount
):
    n = 30_000
    i = np.arange(1, n)
    terms = np.concatenate(
        [[1.0], np.cumprod((alpha + discount + i - 1) / (alpha + i))]
    )
    direct = np.cumsum(terms) / np.arange(1, n + 1)
    ks = np.array([2.0, 50.0, 1999.0, 2500.0, 30_000.0])
    found = kernel._pitman_yor(alpha + discount, discount, ks)
    np.testing.assert_allclose(found, direct[ks.astype(int) - 1], rtol=2e-5)
    # A tested sample is beaten with chance V P, V uniform and P of a beta law.
    beaten = scipy.stats.beta(1 - discount, alpha + discount)

    def moment(k):
        value = scipy.integrate.quad(
            lambda p: beaten.pdf(p) * (1 - (1 - p) ** k) / (k * p), 0, 1, limit=400
        )
        return value[0]

    np.testing.assert_allclose(found[:2], [moment(k) for k in ks[:2]], rtol=1e-4)


@pytest.mark.parametrize("method", list(CURVE_METHODS))
def test_a_curve_of_the_family_is_forecast_from_its_points(method):
    """With many exact points the prior has little to say."""
    law = CURVE_METHODS[method]
    theta = {
        "bayesian": [4.0, 0.1, 0.0],
        "probit-line": [2.5, -0.2],
        "pitman-yor": [np.log(60.0), -2.0],
    }[method]
    ks = np.array([50, 100, 200, 400, 800, 1600, 3200])
    truth = scipy.special.expit(law.log_odds(np.array(theta), KS[-1:], 1))[0]
    accuracy = scipy.special.expit(law.log_odds(np.array(theta), ks.astype(float), 1))
    (p,) = predictions(ks, accuracy, to=100_000, method=method)
    assert abs(p.accuracy - truth) < 0.01
    assert p.low < truth < p.high


# --- errors of points ----------------------------------------------------------------


def simulated_points(design, n_repeats, rng):
    """Draw log-odds of points again and again from a known law of U."""
    sizes, n = np.array([5, 10, 20]), 400
    found = np.empty((n_repeats, 3))
    for r in range(n_repeats):
        u = scipy.special.ndtr(1.5 + rng.standard_normal((n, 1)))
        if design == "separate":
            right = [
                (
                    rng.random((n, k - 1))
                    < scipy.special.ndtr(1.5 + rng.standard_normal((n, 1)))
                ).all(1)
                for k in sizes
            ]
            shares = [one.mean() for one in right]
        else:
            wins = rng.random((n, sizes[-1] - 1)) < u
            if design == "nested":
                shares = [wins[:, : k - 1].all(axis=1).mean() for k in sizes]
            else:
                beaten = (~wins).sum(axis=1)
                others = sizes[-1] - 1
                shares = [
                    (
                        scipy.special.comb(others - beaten, k - 1)
                        / scipy.special.comb(others, k - 1)
                    ).mean()
                    for k in sizes
                ]
        found[r] = scipy.special.logit(shares)
    return sizes, n, found


@pytest.mark.parametrize("design", ["nested", "averages", "separate"])
def test_errors_of_points_go_together_as_they_were_made(design):
    sizes, n, found = simulated_points(design, 1500, np.random.default_rng(0))
    accuracy = scipy.special.expit(found.mean(axis=0))
    points = kernel.Points(
        sizes.astype(float),
        accuracy,
        np.full(3, float(n)),
        kernel.PointDesign(design),
        1,
    )
    overlap = None
    if design == "averages":
        law = CURVE_METHODS["bayesian"]
        overlap = kernel._overlapping(law, np.array([1.5, 0.0, 0.0]), points)
    expected = kernel._sampling_covariance(points, overlap)
    measured = np.cov(found.T)
    np.testing.assert_allclose(
        measured, expected, rtol=0.25, atol=0.06 * expected.max()
    )


def test_more_tests_narrow_the_interval_and_less_is_known_of_one_point():
    args = ([10, 100, 1000], [0.97, 0.9, 0.78])
    widths = [
        np.ptp([p.low, p.high])
        for n in (50, 500, 50_000)
        for p in predictions(*args, to=10_000, n_samples=n)
    ]
    assert widths[0] > widths[1] > widths[2]
    (three,) = predictions(*args, to=10_000)
    (one,) = predictions([1000], [0.78], to=10_000)
    assert np.ptp([one.low, one.high]) > 2 * np.ptp([three.low, three.high])


# --- properties ----------------------------------------------------------------------


@pytest.mark.parametrize("method", list(CURVE_METHODS))
def test_neither_forecast_nor_interval_rises_with_the_number_of_classes(method):
    found = predictions(
        [20, 60, 200],
        [0.95, 0.89, 0.8],
        to=[250, 1000, 10**4, 10**6, 10**9],
        n_samples=300,
        method=method,
    )
    for name in ("accuracy", "low", "high"):
        values = [getattr(p, name) for p in found]
        assert values == sorted(values, reverse=True)
    assert all(0 <= p.low <= p.accuracy <= p.high <= 1 for p in found)


def test_neither_order_of_rows_nor_other_models_matter():
    rng = np.random.default_rng(1)
    classes = [10, 100, 1000] * 2
    accuracy = [0.99, 0.95, 0.9, 0.9, 0.8, 0.6]
    model = ["a"] * 3 + ["b"] * 3
    both = sc.extrapolate_curve(classes, accuracy, to=10**5, model=model)
    order = rng.permutation(6)
    again = sc.extrapolate_curve(
        np.array(classes)[order],
        np.array(accuracy)[order],
        to=10**5,
        model=np.array(model)[order],
    )
    alone = sc.extrapolate_curve(classes[:3], accuracy[:3], to=10**5)
    by_name = {curve.model: curve for curve in again.curves}
    for curve in both.curves:
        assert by_name[curve.model].predictions == curve.predictions
    assert alone.curves[0].predictions == both.curves[0].predictions


def test_an_answer_survives_json_and_can_be_shown():
    answer = sc.extrapolate_curve(
        [10, 100], [0.9, 0.8], to=[1000, 10**6], n_samples=[50, 80], design="separate"
    )
    saved = json.loads(json.dumps(answer.to_dict()))
    assert CurveExtrapolation.from_dict(saved).to_dict() == answer.to_dict()
    assert "1,000,000" in sc.render(answer)
    assert "<svg" in sc.render(answer, "html")
    assert answer.to_columns()["classes"] == [1000, 10**6]


# --- what must be known, and what is refused -----------------------------------------


@pytest.mark.parametrize(
    ("classes", "accuracy", "code"),
    [
        ([100], [0.9], CurveNote.ONE_POINT),
        ([10, 100], [0.8, 0.802], CurveNote.RISES),
        ([10, 100], [0.8, 0.9], CurveNote.RISES_BEYOND_CHANCE),
        ([10, 100, 100], [0.9, 0.8, 0.82], CurveNote.REPEATED),
        ([10, 100], [0.9, 0.8], CurveNote.SAMPLES_UNKNOWN),
        ([2, 3], [0.9, 0.8], CurveNote.FAR),
        ([10, 20, 40, 80], [0.99, 0.5, 0.49, 0.49], CurveNote.MISFIT),
    ],
)
def test_what_is_odd_about_points_is_told(classes, accuracy, code):
    with pytest.warns(ExtrapolationWarning):
        answer = sc.extrapolate_curve(classes, accuracy, to=1000)
    assert code in [note.code for note in answer.notes]


def test_points_that_fit_no_curve_widen_the_interval():
    smooth = predictions([10, 20, 40], [0.9, 0.86, 0.8], to=1000)[0]
    jumps = predictions([10, 20, 40], [0.9, 0.7, 0.88], to=1000)[0]
    assert np.ptp([jumps.low, jumps.high]) > 2 * np.ptp([smooth.low, smooth.high])


def test_points_at_one_are_answered():
    (p,) = predictions([10, 100, 1000], [1.0, 1.0, 1.0], to=10**5)
    assert 0.1 < p.low < 0.9 < p.accuracy < p.high < 1


DESIGNS = ("nested", "averages", "separate")


@pytest.mark.parametrize("design", DESIGNS)
def test_one_more_faultless_point_speaks_for_a_recogniser(design):
    def forecast(sizes, n):
        shares = np.ones(len(sizes))
        return predictions(sizes, shares, to=10_000, n_samples=n, design=design)[0]

    once = forecast([100], 200)
    twice = forecast([100, 200], 200)
    tenfold = forecast([100, 200], 2000)
    assert 0.9 < once.accuracy < twice.accuracy + 0.003 < 1
    assert once.low < twice.low + 0.01
    assert twice.accuracy < tenfold.accuracy
    assert twice.low < tenfold.low
    assert min(once.high, twice.high, tenfold.high) > 0.999


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("n", [50, 500])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.9, 0.98])
def test_level_points_are_not_forecast_to_fall_out_of_sight(design, n, share):
    (p,) = predictions([100, 200], [share] * 2, to=400, n_samples=n, design=design)
    error = np.sqrt((n * share + 1) * (n - n * share + 1) / n) / n
    assert share - 4 * error < p.accuracy < share + error
    assert p.high < share + 4 * error + 1 / n


def test_what_was_seen_is_as_unlikely_as_the_number_of_tests_makes_it():
    tests = np.array([200.0])
    for share in (0.0, 0.03, 0.5, 1.0):
        points = kernel.Points(
            np.array([100.0]), np.array([share]), tests, PointDesign.NESTED, 1
        )
        own = scipy.special.expit(points.log_odds)
        sd = 1 / np.sqrt(tests * own * (1 - own))
        for odds in points.log_odds + np.array([-3.0, -0.5, 0.5, 3.0]):
            chance = scipy.special.expit(odds)
            right = scipy.stats.binom(200, chance)
            best = scipy.stats.binom(200, share)
            surprise = 2 * (best.logpmf(200 * share) - right.logpmf(200 * share))
            found = float(points.off(np.array([odds]))[0] / sd[0])
            # A hundredth of the variance is misfit, which is not counted that way.
            assert found**2 == pytest.approx(surprise, rel=0.6)
            if 0 < share < 1:
                assert np.sign(found) == np.sign(odds - points.log_odds[0])
    exact = points._replace(accuracy=np.array([0.7]), n_samples=None)
    odds = np.array([-4.0, 5.0])
    np.testing.assert_allclose(exact.off(odds), odds - exact.log_odds)


@pytest.mark.parametrize(
    ("change", "error", "parameter"),
    [
        ({"accuracy": [95, 90]}, InvalidInputError, "accuracy"),
        ({"accuracy": [0.9, -0.1]}, InvalidInputError, "accuracy"),
        ({"accuracy": [0.9]}, InvalidInputError, "accuracy"),
        ({"accuracy": ["x", "y"]}, InvalidInputError, "accuracy"),
        ({"classes": [1, 100]}, InvalidInputError, "classes"),
        ({"classes": [2.5, 100]}, InvalidInputError, "classes"),
        ({"classes": [], "accuracy": []}, InvalidInputError, "classes"),
        ({"n_samples": 0}, InvalidInputError, "n_samples"),
        ({"model": ["a"]}, InvalidInputError, "model"),
        ({"to": 1}, UsageError, "to"),
        ({"design": "paired"}, UsageError, "design"),
        ({"method": "spline"}, UsageError, "method"),
        ({"top": 10}, UsageError, "top"),
        ({"method": "pitman-yor", "top": 2}, UsageError, "top"),
    ],
)
def test_bad_points_are_refused(change, error, parameter):
    given = {"classes": [10, 100], "accuracy": [0.9, 0.8], "to": 1000, **change}
    with pytest.raises(error) as caught:
        sc.extrapolate_curve(**given)
    assert caught.value.parameter == parameter


# --- intervals that hold -------------------------------------------------------------


def gaussian_task(noise, seed, n_classes=100):
    rng = np.random.default_rng((seed, int(1000 * noise)))
    centre = rng.standard_normal((n_classes, 10))
    gallery, probe = centre + np.sqrt(noise) * rng.standard_normal((2, n_classes, 10))
    apart = ((probe[:, None] - gallery[None]) ** 2).sum(axis=2)
    return sc.Scores(-apart, np.arange(n_classes))


def gaussian_truth(k, noise):
    rng = np.random.default_rng(0)
    centre = rng.standard_normal((20_000, 10))
    gallery, probe = centre + np.sqrt(noise) * rng.standard_normal((2, *centre.shape))
    apart = ((gallery - probe) ** 2).sum(axis=1) / (1 + noise)
    log_u = scipy.stats.ncx2.logsf(apart, 10, (probe**2).sum(axis=1) / (1 + noise))
    return float(np.exp((k - 1) * log_u).mean())


def coverage(n_samples):
    holds = []
    for noise in (0.1, 0.2, 0.3):
        truth = gaussian_truth(1000, noise)
        for seed in range(60):
            sizes = [12, 25, 50, 100]
            curve = sc.accuracy_curve(gaussian_task(noise, seed), sizes=sizes)
            (p,) = predictions(
                sizes,
                curve.accuracy,
                to=1000,
                n_samples=n_samples,
                design="averages",
                confidence_level=0.9,
            )
            holds.append(p.low <= truth <= p.high)
    return np.mean(holds)


def coverage_near_one(design, *, n_tests=500, n_repeats=60):
    """Few tests are lost, or none, from 100 to 400 classes."""
    rng = np.random.default_rng(3)
    holds, off = [], []
    for noise in (0.02, 0.04, 0.07):
        truth = gaussian_truth(4000, noise)
        shares = np.array([gaussian_truth(k, noise) for k in (100, 200, 400)])
        for _ in range(n_repeats):
            if design == "nested":
                hurdles = rng.random(n_tests)
                seen = (hurdles[:, None] < shares).mean(axis=0)
            else:
                seen = rng.binomial(n_tests, shares) / n_tests
            (p,) = predictions(
                [100, 200, 400],
                seen,
                to=4000,
                n_samples=n_tests,
                design=design,
                confidence_level=0.9,
            )
            holds.append(p.low <= truth <= p.high)
            off.append(p.accuracy - truth)
    return np.mean(holds), np.sqrt(np.mean(np.square(off)))


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("design", ["nested", "separate"])
def test_intervals_of_nearly_faultless_recognisers_hold(design, monkeypatch):
    holds, error = coverage_near_one(design)
    assert holds >= 0.85
    assert error < 0.06
    if design == "nested":
        # As if no test could be lost but those that were.
        monkeypatch.setattr(kernel, "_MORE_LOST", 0.0)
        assert coverage_near_one(design)[0] < 0.8


@pytest.mark.slow
@pytest.mark.statistical
def test_intervals_hold_and_would_not_without_the_errors_of_sampling():
    assert 0.85 <= coverage(100) <= 0.98
    assert coverage(None) < 0.7


def test_points_that_rise_are_doubted_first():
    with pytest.warns(ExtrapolationWarning):
        answer = sc.extrapolate_curve(
            [10, 100, 1000], [0.9, 0.8, 0.95], to=10_000, n_samples=500
        )
    assert answer.notes[0].code == CurveNote.RISES_BEYOND_CHANCE
    assert "doubtful" in answer.summary()
    # As many other tests each time rise by chance.
    with pytest.warns(ExtrapolationWarning):
        chance = sc.extrapolate_curve(
            [10, 100], [0.80, 0.82], to=1000, n_samples=100, design="separate"
        )
    assert chance.notes[0].code == CurveNote.RISES
    assert "doubtful" not in chance.summary()


def test_an_accuracy_to_hold_is_reached_from_points():
    points = [100, 1000, 10_000], [0.97, 0.9, 0.75]
    answer = sc.extrapolate_curve(*points, until=0.7, n_samples=2000)
    (curve,) = answer.curves
    (p,) = curve.predictions
    reach = curve.reach
    assert p.classes == reach.classes
    assert reach.low < reach.classes < reach.high
    assert p.accuracy == pytest.approx(0.7, abs=0.005)
    with_both = sc.extrapolate_curve(*points, to=20_000, until=0.7, n_samples=2000)
    assert [q.classes for q in with_both.curves[0].predictions] == [20_000]
    assert with_both.curves[0].reach == reach
    assert f"{reach.classes:,}" in answer.summary()
    again = type(answer).from_dict(answer.to_dict())
    assert again.curves[0].reach == reach
    # Less is held for longer, and what is never lost beyond the limit.
    less = sc.extrapolate_curve(*points, until=0.6, n_samples=2000).curves[0].reach
    assert less.classes > reach.classes


def test_several_models_share_the_sizes_that_they_reach():
    answer = sc.extrapolate_curve(
        [100, 1000] * 2,
        [0.97, 0.93, 0.9, 0.8],
        until=0.7,
        n_samples=2000,
        model=["a", "a", "b", "b"],
    )
    reached = sorted(curve.reach.classes for curve in answer.curves)
    for curve in answer.curves:
        assert [p.classes for p in curve.predictions] == reached
    assert "a holds 70 % or more" in answer.summary()


def test_at_a_point_the_point_is_given_back():
    answer = sc.extrapolate_curve(
        [100, 1000, 10_000], [0.97, 0.93, 0.87], to=[1000, 2000], n_samples=2000
    )
    at, between = answer.curves[0].predictions
    assert at.is_observed
    assert at.accuracy == 0.93
    assert not between.is_observed
    assert 0.87 < between.accuracy < 0.93


def test_an_accuracy_that_no_point_has_is_refused():
    with pytest.raises(UsageError) as caught:
        sc.extrapolate_curve([100, 1000], [0.9, 0.8], until=0.85)
    assert caught.value.parameter == "until"
    # Beside a model that holds it, one that has lost it shows where.
    many, models = [100, 1000] * 2, ["a", "a", "b", "b"]
    points = (many, [0.97, 0.93, 0.9, 0.8])
    kept = sc.extrapolate_curve(*points, until=0.85, model=models)
    a, b = (curve.reach.classes for curve in kept.curves)
    assert 100 <= b < 1000 < a
    with pytest.raises(UsageError):
        sc.extrapolate_curve(*points, until=0.95, model=models)
    with pytest.raises(UsageError) as caught:
        sc.extrapolate_curve([100, 1000], [0.9, 0.8])
    assert caught.value.parameter == "to"


def test_the_last_point_is_forecast_from_those_before():
    sizes, shares = [100, 1000, 10_000], [0.97, 0.93, 0.87]
    answer = sc.extrapolate_curve(sizes, shares, to=10**5, n_samples=2000)
    tested = answer.curves[0].backtest
    before = sc.extrapolate_curve(sizes[:2], shares[:2], to=10_000, n_samples=2000)
    assert tested == before.curves[0].predictions[0]
    assert tested.low < 0.87 < tested.high
    said = " ".join(sc.render(answer).split())
    assert "10,000 classes were expected to give" in said
    assert before.curves[0].backtest is None
    again = type(answer).from_dict(answer.to_dict())
    assert again.curves[0].backtest == tested
    both = sc.extrapolate_curve(
        sizes * 2, [*shares, 0.9, 0.8, 0.65], to=10**5, model=["a"] * 3 + ["b"] * 3
    )
    assert "of 2 models: off by" in " ".join(sc.render(both).split())
