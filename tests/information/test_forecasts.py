"""From what forecasters say to one number per case."""

import dataclasses

import numpy as np
import pytest
from scipy import integrate, stats

import scorecast as sc
from scorecast.exceptions import (
    DataWarning,
    InsufficientDataError,
    InvalidInputError,
    UsageError,
)
from scorecast.information import (
    DENSITIES,
    CalibrationEvents,
    InformationNote,
    PriorSource,
)

from_classes = sc.Forecasts.from_class_probabilities
from_logs = sc.Forecasts.from_logs


def channel(n=4000, seed=0):
    """Draw x ~ N(0, 1) seen through noise of variance 0.5."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, x + np.sqrt(0.5) * rng.normal(size=n)


def codes(forecasts):
    return [note.code for note in forecasts.notes]


def test_gaussian_channel_has_the_information_known_in_closed_form():
    # Expectations by Gauss-Hermite quadrature over (x, noise), which is exact here.
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    weights = weights / weights.sum()
    x, noise = (a.ravel() for a in np.meshgrid(nodes, nodes))
    weight = np.outer(weights, weights).ravel()
    y = x + np.sqrt(0.5) * noise
    log_p = stats.norm.logpdf(x)
    for gain, variance, expected in (
        (0.6, 0.5, 0.5065735902799726),
        (1 / 1.5, 1 / 3, 0.5493061443340548),
    ):
        log_q = stats.norm.logpdf(x, gain * y, np.sqrt(variance))
        assert weight @ from_logs(log_q, log_p).j == pytest.approx(expected, abs=1e-10)


def test_densities_agree_with_the_channel():
    x, y = channel()
    forecasts = sc.Forecasts.from_densities(
        x, 0.6 * y, np.sqrt(0.5), y_train=channel(seed=1)[0]
    )
    assert forecasts.j.mean() == pytest.approx(0.5066, abs=0.03)
    assert forecasts.prior_source is PriorSource.FITTED_DENSITY


def test_additivity_is_exact_case_by_case():
    rng = np.random.default_rng(0)
    log_p, log_q1, log_q2 = -rng.exponential(size=(3, 50))
    one, two = (from_logs(q, log_p) for q in (log_q1, log_q2))
    beyond = two.relative_to(one)
    np.testing.assert_allclose(beyond.j + one.j, two.j, atol=1e-14)
    assert beyond.prior_source is PriorSource.FORECASTER
    # Against one prior, log-ratios say the same.
    ratios = [sc.Forecasts.from_log_ratios(x.j) for x in (two, one)]
    np.testing.assert_allclose(ratios[0].relative_to(ratios[1]).j, beyond.j, atol=1e-14)


@pytest.mark.parametrize(
    ("inverse", "slope", "forward"),
    [
        (np.log, lambda w: 1 / w, np.exp),
        (lambda w: np.log(-w), lambda w: 1 / w, lambda x: -np.exp(x)),
        (lambda w: -w, lambda w: -np.ones_like(w), lambda x: -x),
    ],
)
def test_changing_the_scale_of_what_happens_changes_nothing(inverse, slope, forward):
    x, y = channel(500)
    plain = from_logs(stats.norm.logpdf(x, 0.6 * y, 0.7), stats.norm.logpdf(x, 0, 1))
    w = forward(x)
    jacobian = np.log(np.abs(slope(w)))
    turned = from_logs(
        stats.norm.logpdf(inverse(w), 0.6 * y, 0.7) + jacobian,
        stats.norm.logpdf(inverse(w), 0, 1) + jacobian,
    )
    np.testing.assert_allclose(turned.j, plain.j, atol=1e-12)


def test_bases_lead_to_nats():
    q, p = np.array([0.9, 0.4, 0.7]), np.array([0.5, 0.5, 0.5])
    expected = np.log(q / p)
    for base, logarithm in (("e", np.log), (2, np.log2), ("10", np.log10)):
        np.testing.assert_allclose(
            from_logs(logarithm(q), logarithm(p), base=base).j, expected
        )
    mixed = from_logs(np.log2(q), np.log10(p), base=2, base_p=10)
    np.testing.assert_allclose(mixed.j, expected)
    ratios = sc.Forecasts.from_log_ratios(np.log2(q / p), base=2)
    np.testing.assert_allclose(ratios.j, expected)


def test_few_values_give_their_base_away():
    q = np.log(np.random.default_rng(0).uniform(0.2, 0.9, 40))
    # A uniform prior over four classes, and one of two classes, in base 2.
    uneven = np.where(np.arange(40) % 3, np.log2(0.3), np.log2(0.7))
    for p in (np.full(40, -2.0), uneven):
        with pytest.warns(DataWarning, match="base 2"):
            odd = from_logs(q, p)
        assert codes(odd) == [InformationNote.OTHER_BASE]
        assert odd.notes[0].names == ("log_p", "2")
        # Rightly stated, in either base, nothing is said.
        assert not from_logs(q / np.log(2), p, base=2).notes
        assert not from_logs(q, p * np.log(2)).notes
    # A chance that is nobody's share says nothing of its base.
    assert not from_logs(q, np.full(40, np.log(0.37))).notes


def test_two_bases_are_noticed():
    rng = np.random.default_rng(0)
    log_p = -rng.uniform(0.5, 3, 200)
    log_q = log_p + rng.normal(0, 0.02, 200)
    for q, p in ((log_q / np.log(2), log_p), (log_q, log_p / np.log(10))):
        with pytest.warns(DataWarning, match="same base"):
            odd = from_logs(q, p)
        assert codes(odd) == [InformationNote.TWO_BASES]
    assert not from_logs(log_q, log_p).notes  # no warning either


def test_probabilities_given_as_logarithms_are_noticed():
    q, p = np.linspace(0.2, 0.9, 9), np.full(9, 0.5)
    with pytest.raises(InvalidInputError) as caught:
        from_logs(q, p)
    assert caught.value.parameter == "log_q"
    with pytest.warns(DataWarning, match="log_q"):
        assert from_logs(q, np.log(p)).notes[0].names == ("log_q",)
    # Densities above one have such logarithms.
    with pytest.warns(DataWarning, match="densities"):
        odd = from_logs(np.full(9, 0.7), np.full(9, 0.5))
    assert codes(odd) == [InformationNote.LIKE_PROBABILITIES]


@pytest.mark.parametrize(
    ("q", "row", "remedy"),
    [
        ([-0.1, -2.0], 1, "logarithms"),
        ([70.0, 30.0], 1, "percentages"),
        ([0.7, 0.3, 1.2, 0.9], 3, None),
    ],
)
def test_what_is_no_probability_is_refused_with_its_row(q, row, remedy):
    with pytest.raises(InvalidInputError) as caught:
        sc.Forecasts.from_probabilities(q, [0.5] * len(q))
    assert (caught.value.parameter, caught.value.location.row) == ("q", row)
    assert (caught.value.remedy is None) == (remedy is None)
    assert (remedy or "") in (caught.value.remedy or "")


@pytest.mark.parametrize(
    ("log_q", "log_p", "parameter", "row"),
    [
        ([np.nan, -1], [-1, -1], "log_q", 1),
        ([-1, np.inf], [-1, -1], "log_q", 2),
        ([-1, -1], [-1, np.nan], "log_p", 2),
        ([-1, -1, -1], [-1, -1], "log_p", None),
        ([], [], "log_q", None),
        (["a", "b"], [-1, -1], "log_q", None),
        ([[-1, -2], [-1, -2]], [-1, -1], "log_q", None),
        ([-np.inf, -1], [-np.inf, -1], "log_p", 1),
        ([-1, -1], [-np.inf, -1], "log_p", 1),
        ([1j, 2], [-1, -1], "log_q", None),
    ],
)
def test_logs_that_cannot_be(log_q, log_p, parameter, row):
    with pytest.raises(InvalidInputError) as caught:
        from_logs(log_q, log_p)
    assert (caught.value.parameter, caught.value.location.row) == (parameter, row)


def test_no_chance_is_minus_infinity_and_a_floor_is_counted():
    forecasts = sc.Forecasts.from_probabilities([0.0, 0.5, 1e-9], [0.5, 0.5, 0.5])
    assert forecasts.j[0] == -np.inf
    assert forecasts.n_impossible == 1
    raised = forecasts.clip(1e-6)
    assert raised.n_impossible == 0
    assert (raised.n_floored, raised.floor) == (2, 1e-6)
    assert raised.j[0] == pytest.approx(np.log(1e-6 / 0.5))
    assert forecasts.n_floored == 0
    for floor in (0, -1, np.inf, np.nan, "x", 1.0):
        with pytest.raises(UsageError) as caught:
            forecasts.clip(floor)
        assert caught.value.parameter == "floor"
    with pytest.raises(UsageError):
        sc.Forecasts.from_log_ratios([0.1, 0.2]).clip(1e-6)
    # A density may well exceed one, and so may its floor.
    assert from_logs([1.5, -9.0], [-0.5, -0.5]).clip(1.2).n_floored == 1


def test_an_earlier_floor_is_remembered():
    one = from_logs(np.log([0.5, 0.01, 0.4]), np.log([0.5, 0.5, 0.5]))
    two = from_logs(np.log([0.5, 0.02, 0.01]), np.log([0.5, 0.5, 0.5]))
    both = one.clip(0.1).relative_to(two.clip(0.1))
    assert (both.floor, both.n_floored, both.notes) == (0.1, 3, ())
    either = one.clip(0.1).relative_to(two)
    assert (either.floor, either.n_floored) == (0.1, 1)
    assert codes(either) == [InformationNote.FLOORS_DIFFER]
    assert either.notes[0].names == ("0.1", "none")


def test_two_forecasters_must_be_of_the_same_cases():
    log_q = np.log([0.5, 0.25, 0.5, 0.125])
    log_p = np.log(np.full(4, 0.5))
    one = from_logs(log_q, log_p, ids="abcd")
    with pytest.raises(InvalidInputError) as caught:
        one.relative_to(from_logs(log_q, log_p, ids="abdc"))
    assert caught.value.location.row == 3
    cut = [np.array([0, 1, 0, 0], bool), np.array([0, 0, 0, 1], bool)]
    first, second = (dataclasses.replace(one, is_censored=c) for c in cut)
    with pytest.raises(InvalidInputError) as caught:
        first.relative_to(second)
    assert caught.value.location.row == 2
    assert from_logs(log_q, log_p).relative_to(one).ids == tuple("abcd")
    ruled_out = from_logs(np.where(np.arange(4) == 2, -np.inf, log_q), log_p)
    with pytest.raises(InvalidInputError) as caught:
        one.relative_to(ruled_out)
    assert (caught.value.parameter, caught.value.location.row) == ("second", 3)


def test_half_precision_is_computed_in_double_and_its_zeros_are_named():
    q = np.array([0.7, 1e-9, 0.5], dtype=np.float16)
    with pytest.warns(DataWarning, match="float16"):
        forecasts = sc.Forecasts.from_probabilities(q, np.full(3, 0.5, np.float16))
    assert forecasts.j.dtype == np.float64
    assert forecasts.n_impossible == 1
    assert forecasts.notes[0].count == 1
    rng = np.random.default_rng(0)
    matrix = rng.dirichlet(np.ones(8), 50)
    y = rng.integers(8, size=50)
    prior = np.full(8, 1 / 8)
    exact = from_classes(matrix, y, prior=prior).j
    half = from_classes(matrix.astype(np.float16), y, prior=prior).j
    np.testing.assert_allclose(half, exact, atol=2e-3)


MATRIX = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.3, 0.2]])
ABC = list("abc")


def test_class_priors_come_in_three_ways_and_never_unasked():
    y = ["a", "b", "c", "a"]
    with pytest.raises(UsageError) as caught:
        from_classes(MATRIX, y, classes=ABC)
    assert caught.value.parameter == "prior"
    own = np.log([0.7, 0.8, 0.6, 0.5])
    stated = from_classes(MATRIX, y, classes=ABC, prior=[0.5, 0.3, 0.2])
    np.testing.assert_allclose(stated.j, own - np.log([0.5, 0.3, 0.2, 0.5]))
    assert stated.prior_source is PriorSource.STATED
    named = from_classes(MATRIX, y, classes=ABC, prior={"c": 0.2, "a": 0.5, "b": 0.3})
    np.testing.assert_allclose(named.j, stated.j)
    trained = from_classes(MATRIX, y, classes=ABC, y_train=list("aabc"))
    np.testing.assert_allclose(trained.j, own - np.log([0.5, 0.25, 0.25, 0.5]))
    assert trained.prior_source is PriorSource.TRAINING
    twice = np.vstack([MATRIX, MATRIX])
    left = from_classes(twice, y + y, classes=ABC, prior="leave-one-out")
    np.testing.assert_allclose(left.j[:4], own - np.log([3 / 7, 1 / 7, 1 / 7, 3 / 7]))
    assert left.prior_source is PriorSource.LEAVE_ONE_OUT
    with pytest.raises(UsageError):
        from_classes(MATRIX, y, classes=ABC, prior="test")


@pytest.mark.parametrize(
    ("matrix", "options", "parameter"),
    [
        (MATRIX * 1.01, {}, "proba"),
        (MATRIX - 0.3, {}, "proba"),
        (10 * MATRIX, {}, "proba"),
        (np.log(MATRIX), {}, "proba"),
        (MATRIX[:, :1], {}, "proba"),
        (MATRIX[:3], {}, "y_true"),
        (MATRIX, {"prior": [0.5, 0.5]}, "prior"),
        (MATRIX, {"prior": [0.5, 0.3, 0.3]}, "prior"),
        (MATRIX, {"prior": {"a": 0.5, "b": 0.5}}, "prior"),
        (MATRIX, {"prior": None, "y_train": list("aab")}, "y_train"),
        (MATRIX, {"prior": 0.5}, "prior"),
        (np.where(MATRIX == 0.7, np.nan, MATRIX), {}, "proba"),
    ],
)
def test_class_probabilities_that_cannot_be(matrix, options, parameter):
    settings = {"prior": [0.5, 0.3, 0.2], **options}
    with pytest.raises(InvalidInputError) as caught:
        from_classes(matrix, list("abca"), classes=ABC, **settings)
    assert caught.value.parameter == parameter


def test_a_class_of_one_case_cannot_be_left_out():
    y = list("abca")
    with pytest.raises(InsufficientDataError, match="6 in all"):
        from_classes(MATRIX, y, classes=ABC, prior="leave-one-out")
    many = np.vstack([MATRIX, MATRIX[[0, 1, 0, 1]]])
    with pytest.raises(InsufficientDataError) as caught:
        from_classes(many, [*y, *"abab"], classes=ABC, prior="leave-one-out")
    assert "in all" not in str(caught.value)


def test_rows_are_normalized_only_when_asked():
    settings = {"classes": ABC, "prior": [0.5, 0.3, 0.2]}
    divided = from_classes(MATRIX * 1.01, list("abca"), normalize=True, **settings)
    plain = from_classes(MATRIX, list("abca"), **settings)
    np.testing.assert_allclose(divided.j, plain.j)
    with pytest.raises(InvalidInputError) as caught:
        from_classes(MATRIX * 1.01, list("abca"), **settings)
    assert caught.value.option == "normalize"


@pytest.mark.parametrize("digits", [2, 3, 4])
def test_rounded_rows_are_named_with_the_digits_they_have(digits):
    matrix = np.full((9, 3), 1 / 3)
    matrix[6] = np.round(matrix[6], digits)
    with pytest.raises(
        InvalidInputError, match=f"rounded to {digits} digits"
    ) as caught:
        from_classes(matrix, list("abcabcabc"), classes=ABC, prior=[0.5, 0.3, 0.2])
    assert caught.value.location.row == 7


def test_one_column_of_probabilities():
    chance, won = [0.8, 0.3, 0.6, 0.7], [True, False, False, True]
    one = from_classes(chance, won, prior=[0.5, 0.5])
    rows = [[1 - p, p] for p in chance]
    both = from_classes(rows, [int(x) for x in won], prior=[0.5, 0.5])
    np.testing.assert_allclose(one.j, both.j)
    named = from_classes(chance, list("wllw"), classes=("l", "w"), prior=[0.5, 0.5])
    np.testing.assert_allclose(named.j, both.j)
    assert named.calibration.events is CalibrationEvents.TWO_CLASSES
    assert named.calibration.names == ("l", "w")
    with pytest.raises(InvalidInputError) as caught:
        from_classes(chance, list("wllw"), prior=[0.5, 0.5])
    assert caught.value.option == "classes"


def test_boolean_training_labels():
    chance, won = [[0.2, 0.8], [0.7, 0.3]], [True, False]
    found = from_classes(chance, won, y_train=[True, True, False, True])
    np.testing.assert_allclose(found.j, np.log([0.8 / 0.75, 0.7 / 0.25]))


def test_named_columns_in_any_order():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"win": [0.5, 0.2], "draw": [0.3, 0.3], "loss": [0.2, 0.5]}
    )
    prior = {"win": 0.4, "draw": 0.3, "loss": 0.3}
    found = from_classes(frame, ["win", "loss"], prior=prior)
    np.testing.assert_allclose(found.j, np.log([0.5 / 0.4, 0.5 / 0.3]))


LAWS = {
    "normal": lambda m, s: stats.norm(m, s),
    "laplace": lambda m, s: stats.laplace(m, s / np.sqrt(2)),
    "student": lambda m, s: stats.t(5, m, s * np.sqrt(3 / 5)),
}


@pytest.mark.parametrize("name", DENSITIES)
def test_every_density_integrates_to_one_and_has_the_spread_it_states(name):
    density = DENSITIES[name]

    def power(k):
        f = lambda z: z**k * np.exp(density.log_density(np.array(z), 5.0))  # noqa: E731
        return integrate.quad(f, -np.inf, np.inf)[0]

    assert power(0) == pytest.approx(1, abs=1e-7)
    assert np.sqrt(power(2)) == pytest.approx(density.unit_sd(5.0), rel=1e-6)


@pytest.mark.parametrize("density", DENSITIES)
def test_densities_are_those_of_scipy(density):
    law = LAWS[density]
    rng = np.random.default_rng(0)
    y, mean, train = rng.normal(size=(3, 30))
    sigma = rng.uniform(0.5, 2, 30)
    found = sc.Forecasts.from_densities(
        y, mean, sigma, y_train=train, density=density, df=5
    )
    np.testing.assert_allclose(found.log_q, law(mean, sigma).logpdf(y), atol=1e-12)
    kinds = {"normal": stats.norm, "laplace": stats.laplace, "student": stats.t}
    fixed = {"fdf": 5} if density == "student" else {}
    fitted = kinds[density](*kinds[density].fit(train, **fixed)).logpdf(y)
    np.testing.assert_allclose(found.log_p, fitted, atol=1e-4)
    share = np.mean(law(mean, sigma).cdf(y) <= 0.25)
    pairs = found.calibration
    at_quarter = pairs.predicted == np.unique(pairs.predicted)[2]
    assert pairs.happened[at_quarter].mean() == pytest.approx(share)
    assert pairs.events is CalibrationEvents.QUANTILES


class Constant:
    def predict(self, X):
        return np.zeros(len(X))


def test_regressors_must_state_their_spread():
    given = (Constant(), np.zeros((3, 1)), [0, 1, 2])
    with pytest.raises(UsageError) as caught:
        sc.Forecasts.from_estimator(*given, y_train=[0, 1])
    assert caught.value.parameter == "sigma"
    assert sc.Forecasts.from_estimator(*given, y_train=[0, 1], sigma=1.0).n == 3
    with pytest.raises(InvalidInputError) as caught:
        sc.Forecasts.from_densities([0, 1], [0, 1], [1, 0], y_train=[0, 1])
    assert caught.value.location.row == 2
    with pytest.raises(InsufficientDataError):
        sc.Forecasts.from_densities([0], [0], 1, y_train=[1, 1])
    for wrong in ({"density": "cauchy"}, {"density": "student", "df": 2}):
        with pytest.raises(UsageError):
            sc.Forecasts.from_densities([0], [0], 1, y_train=[0, 1], **wrong)


def test_censored_times_count_with_their_survival():
    rng = np.random.default_rng(0)
    time, event = rng.exponential(size=40), rng.random(40) < 0.6
    q, p = stats.expon(scale=1.2), stats.expon(scale=0.8)
    spoilt = np.where(event, q.logpdf(time), np.nan)  # never looked at where censored
    found = sc.Forecasts.from_survival(
        event,
        log_density=spoilt,
        log_survival=q.logsf(time),
        prior_log_density=p.logpdf(time),
        prior_log_survival=p.logsf(time),
    )
    seen = q.logpdf(time) - p.logpdf(time)
    waiting = q.logsf(time) - p.logsf(time)
    np.testing.assert_allclose(found.j, np.where(event, seen, waiting))
    assert found.is_censored.sum() == (~event).sum()
    names = ("log_density", "log_survival")
    zeros = {of + name: [0, 0] for of in ("", "prior_") for name in names}
    with pytest.raises(InvalidInputError) as caught:
        sc.Forecasts.from_survival([0, 2], **zeros)
    assert caught.value.parameter == "event"
    with pytest.raises(InvalidInputError) as caught:
        sc.Forecasts.from_survival([0, 1], **{**zeros, "log_survival": [0.5, 0]})
    assert caught.value.parameter == "log_survival"


def test_names_and_groups_must_fit():
    with pytest.raises(InvalidInputError) as caught:
        sc.Forecasts.from_log_ratios([0.1, 0.2], ids=["a"])
    assert caught.value.parameter == "ids"
    with pytest.raises(InvalidInputError) as caught:
        sc.Forecasts.from_log_ratios([0.1, 0.2]).with_groups("abc")
    assert caught.value.parameter == "groups"
