"""From what forecasters say to one number per case."""

import numpy as np
import pytest
from scipy import stats

import scorecast as sc
from scorecast.exceptions import (
    DataWarning,
    InsufficientDataError,
    InvalidInputError,
    UsageError,
)
from scorecast.information import relative_cases


def channel(n=4000, seed=0):
    """Draw x ~ N(0, 1) seen through noise of variance 0.5."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, x + np.sqrt(0.5) * rng.normal(size=n)


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
        cases = sc.cases_from_logs(log_q, log_p)
        assert weight @ cases.j == pytest.approx(expected, abs=1e-10)


def test_densities_agree_with_the_channel():
    x, y = channel()
    cases = sc.cases_from_densities(
        x, 0.6 * y, np.sqrt(0.5), y_train=channel(seed=1)[0]
    )
    assert cases.j.mean() == pytest.approx(0.5066, abs=0.03)


def test_additivity_is_exact_case_by_case():
    rng = np.random.default_rng(0)
    log_p, log_q1, log_q2 = -rng.exponential(size=(3, 50))
    one, two = (sc.cases_from_logs(q, log_p) for q in (log_q1, log_q2))
    beyond = relative_cases(two, one)
    np.testing.assert_allclose(beyond.j + one.j, two.j, atol=1e-14)
    np.testing.assert_allclose(relative_cases(log_q2, log_q1).j, beyond.j, atol=1e-14)


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
    plain = sc.cases_from_logs(
        stats.norm.logpdf(x, 0.6 * y, 0.7), stats.norm.logpdf(x, 0, 1)
    )
    w = forward(x)
    jacobian = np.log(np.abs(slope(w)))
    turned = sc.cases_from_logs(
        stats.norm.logpdf(inverse(w), 0.6 * y, 0.7) + jacobian,
        stats.norm.logpdf(inverse(w), 0, 1) + jacobian,
    )
    np.testing.assert_allclose(turned.j, plain.j, atol=1e-12)


def test_bases_lead_to_nats():
    q, p = np.array([0.9, 0.4, 0.7]), np.array([0.5, 0.5, 0.5])
    expected = np.log(q / p)
    for base, logarithm in (("e", np.log), (2, np.log2), ("10", np.log10)):
        cases = sc.cases_from_logs(logarithm(q), logarithm(p), base=base)
        np.testing.assert_allclose(cases.j, expected)
    mixed = sc.cases_from_logs(np.log2(q), np.log10(p), base=2, base_p=10)
    np.testing.assert_allclose(mixed.j, expected)
    np.testing.assert_allclose(sc.cases_from_j(np.log2(q / p), base=2).j, expected)


def test_few_values_give_their_base_away():
    q = np.log(np.random.default_rng(0).uniform(0.2, 0.9, 40))
    # A uniform prior over four classes, and one of two classes, in base 2.
    uneven = np.where(np.arange(40) % 3, np.log2(0.3), np.log2(0.7))
    for p in (np.full(40, -2.0), uneven):
        with pytest.warns(DataWarning, match="log_p .* base 2"):
            odd = sc.cases_from_logs(q, p)
        assert "base 2" in odd.notes[0]  # from where the answer has it
        # Rightly stated, in either base, nothing is said.
        sc.cases_from_logs(q / np.log(2), p, base=2)
        sc.cases_from_logs(q, p * np.log(2))
    # A chance that is nobody's share says nothing of its base.
    sc.cases_from_logs(q, np.full(40, np.log(0.37)))


def test_two_bases_are_noticed():
    rng = np.random.default_rng(0)
    log_p = -rng.uniform(0.5, 3, 200)
    log_q = log_p + rng.normal(0, 0.02, 200)
    with pytest.warns(DataWarning, match="same base"):
        sc.cases_from_logs(log_q / np.log(2), log_p)
    with pytest.warns(DataWarning, match="same base"):
        odd = sc.cases_from_logs(log_q, log_p / np.log(10))
    assert "same base" in " ".join(odd.notes)
    assert not sc.cases_from_logs(log_q, log_p).notes  # no warning either


def test_probabilities_given_as_logarithms_are_noticed():
    q, p = np.linspace(0.2, 0.9, 9), np.full(9, 0.5)
    with pytest.raises(InvalidInputError, match="cases_from_probabilities"):
        sc.cases_from_logs(q, p)
    with pytest.warns(DataWarning, match="log_q"):
        sc.cases_from_logs(q, np.log(p))
    # Densities above one have such logarithms.
    with pytest.warns(DataWarning, match="densities"):
        sc.cases_from_logs(np.full(9, 0.7), np.full(9, 0.5))


def test_logarithms_given_as_probabilities_are_noticed():
    with pytest.raises(InvalidInputError, match="logarithms"):
        sc.cases_from_probabilities([-0.1, -2.0], [0.5, 0.5])
    with pytest.raises(InvalidInputError, match="percentages"):
        sc.cases_from_probabilities([70.0, 30.0], [0.5, 0.5])
    with pytest.raises(InvalidInputError, match=r"1\.2 in row 3") as caught:
        sc.cases_from_probabilities([0.7, 0.3, 1.2, 0.9], [0.5] * 4)
    assert "percentages" not in str(caught.value)


@pytest.mark.parametrize(
    ("log_q", "log_p", "words"),
    [
        ([np.nan, -1], [-1, -1], "row 1"),
        ([-1, np.inf], [-1, -1], "row 2"),
        ([-1, -1], [-1, np.nan], "log_p"),
        ([-1, -1, -1], [-1, -1], "one number per case"),
        ([], [], "one number per case"),
        (["a", "b"], [-1, -1], "numbers"),
        ([[-1, -2], [-1, -2]], [-1, -1], "one number per case"),
        ([-np.inf, -1], [-np.inf, -1], "under the forecast"),
        ([-1, -1], [-np.inf, -1], "no chance under the prior"),
        ([1j, 2], [-1, -1], "numbers"),
    ],
)
def test_logs_that_cannot_be(log_q, log_p, words):
    with pytest.raises(InvalidInputError, match=words):
        sc.cases_from_logs(log_q, log_p)


def test_no_chance_is_minus_infinity_and_a_floor_is_counted():
    cases = sc.cases_from_probabilities([0.0, 0.5, 1e-9], [0.5, 0.5, 0.5])
    assert cases.j[0] == -np.inf
    assert cases.n_infinite == 1
    raised = cases.with_floor(1e-6)
    assert raised.n_infinite == 0
    assert (raised.n_floored, raised.floor) == (2, 1e-6)
    assert raised.j[0] == pytest.approx(np.log(1e-6 / 0.5))
    assert cases.n_floored == 0
    for floor in (0, -1, np.inf, np.nan, "x"):
        with pytest.raises(UsageError, match="floor"):
            cases.with_floor(floor)
    with pytest.raises(UsageError, match="log_q"):
        sc.cases_from_j([0.1, 0.2]).with_floor(1e-6)


def test_half_precision_is_computed_in_double_and_its_zeros_are_named():
    q = np.array([0.7, 1e-9, 0.5], dtype=np.float16)
    with pytest.warns(DataWarning, match="float16"):
        cases = sc.cases_from_probabilities(q, np.full(3, 0.5, np.float16))
    assert cases.j.dtype == np.float64
    assert cases.n_infinite == 1
    rng = np.random.default_rng(0)
    matrix = rng.dirichlet(np.ones(8), 50)
    y = rng.integers(8, size=50)
    prior = np.full(8, 1 / 8)
    exact = sc.cases_from_classes(matrix, y, prior=prior).j
    half = sc.cases_from_classes(matrix.astype(np.float16), y, prior=prior).j
    np.testing.assert_allclose(half, exact, atol=2e-3)


MATRIX = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.3, 0.2]])


def test_class_priors_come_in_three_ways_and_never_unasked():
    y = ["a", "b", "c", "a"]
    with pytest.raises(UsageError, match=r"`prior`.*`y_train`.*leave-one-out"):
        sc.cases_from_classes(MATRIX, y, classes=list("abc"))
    own = np.log([0.7, 0.8, 0.6, 0.5])
    stated = sc.cases_from_classes(
        MATRIX, y, classes=list("abc"), prior=[0.5, 0.3, 0.2]
    )
    np.testing.assert_allclose(stated.j, own - np.log([0.5, 0.3, 0.2, 0.5]))
    named = sc.cases_from_classes(
        MATRIX, y, classes=list("abc"), prior={"c": 0.2, "a": 0.5, "b": 0.3}
    )
    np.testing.assert_allclose(named.j, stated.j)
    trained = sc.cases_from_classes(
        MATRIX, y, classes=list("abc"), y_train=list("aabc")
    )
    np.testing.assert_allclose(trained.j, own - np.log([0.5, 0.25, 0.25, 0.5]))
    assert "training" in trained.prior
    twice = np.vstack([MATRIX, MATRIX])
    left = sc.cases_from_classes(
        twice, y + y, classes=list("abc"), prior="leave-one-out"
    )
    np.testing.assert_allclose(left.j[:4], own - np.log([3 / 7, 1 / 7, 1 / 7, 3 / 7]))
    with pytest.raises(UsageError, match="never"):
        sc.cases_from_classes(MATRIX, y, classes=list("abc"), prior="test")


@pytest.mark.parametrize(
    ("matrix", "options", "words"),
    [
        (MATRIX * 1.01, {}, "renormalise"),
        (MATRIX - 0.3, {}, "outside"),
        (10 * MATRIX, {}, "logits"),
        (np.log(MATRIX), {}, "logarithms"),
        (MATRIX[:, :1], {}, "at least two"),
        (MATRIX[:3], {}, "3 rows"),
        (MATRIX, {"prior": [0.5, 0.5]}, "3 probabilities"),
        (MATRIX, {"prior": [0.5, 0.3, 0.3]}, "add up"),
        (MATRIX, {"prior": {"a": 0.5, "b": 0.5}}, "every class"),
        (MATRIX, {"prior": None, "y_train": list("aab")}, "'c' occurs"),
        (MATRIX, {"prior": 0.5}, r"every class \(a, b, c\), .* the one number 0\.5"),
        (np.where(MATRIX == 0.7, np.nan, MATRIX), {}, "finite"),
    ],
)
def test_class_probabilities_that_cannot_be(matrix, options, words):
    settings = {"prior": [0.5, 0.3, 0.2], **options}
    with pytest.raises(InvalidInputError, match=words):
        sc.cases_from_classes(matrix, list("abca"), classes=list("abc"), **settings)


def test_a_class_of_one_case_cannot_be_left_out():
    y = list("abca")
    with pytest.raises(
        InsufficientDataError, match=r"occurs once.*2 cases .* 6 in all"
    ):
        sc.cases_from_classes(MATRIX, y, classes=list("abc"), prior="leave-one-out")
    many = np.vstack([MATRIX, MATRIX[[0, 1, 0, 1]]])
    with pytest.raises(InsufficientDataError, match="occurs;"):
        sc.cases_from_classes(
            many, [*y, *"abab"], classes=list("abc"), prior="leave-one-out"
        )


def test_rows_are_renormalised_only_when_asked():
    cases = sc.cases_from_classes(
        MATRIX * 1.01, list("abca"), classes=list("abc"), prior=[0.5, 0.3, 0.2],
        renormalise=True,
    )  # fmt: skip
    plain = sc.cases_from_classes(
        MATRIX, list("abca"), classes=list("abc"), prior=[0.5, 0.3, 0.2]
    )
    np.testing.assert_allclose(cases.j, plain.j)


@pytest.mark.parametrize(
    ("density", "law"),
    [
        ("normal", lambda m, s: stats.norm(m, s)),
        ("laplace", lambda m, s: stats.laplace(m, s / np.sqrt(2))),
        ("student", lambda m, s: stats.t(5, m, s * np.sqrt(3 / 5))),
    ],
)
def test_densities_are_those_of_scipy(density, law):
    rng = np.random.default_rng(0)
    y, mean, train = rng.normal(size=(3, 30))
    sigma = rng.uniform(0.5, 2, 30)
    cases = sc.cases_from_densities(
        y, mean, sigma, y_train=train, density=density, df=5
    )
    np.testing.assert_allclose(cases.log_q, law(mean, sigma).logpdf(y), atol=1e-12)
    kinds = {"normal": stats.norm, "laplace": stats.laplace, "student": stats.t}
    fixed = {"fdf": 5} if density == "student" else {}
    fitted = kinds[density](*kinds[density].fit(train, **fixed)).logpdf(y)
    np.testing.assert_allclose(cases.log_p, fitted, atol=1e-4)
    below = law(mean, sigma).cdf(y)
    share = np.mean(below <= 0.25)
    at_quarter = cases.forecasts.predicted == np.unique(cases.forecasts.predicted)[2]
    assert cases.forecasts.happened[at_quarter].mean() == pytest.approx(share)


class Constant:
    def predict(self, X):
        return np.zeros(len(X))


def test_regressors_must_state_their_spread():
    with pytest.raises(UsageError, match="sigma"):
        sc.cases_from_regressor(Constant(), np.zeros((3, 1)), [0, 1, 2], y_train=[0, 1])
    cases = sc.cases_from_regressor(
        Constant(), np.zeros((3, 1)), [0, 1, 2], y_train=[0, 1], sigma=1.0
    )
    assert cases.n == 3
    with pytest.raises(InvalidInputError, match="positive"):
        sc.cases_from_densities([0, 1], [0, 1], [1, 0], y_train=[0, 1])
    with pytest.raises(UsageError, match="density"):
        sc.cases_from_densities([0], [0], 1, y_train=[0, 1], density="cauchy")


def test_censored_times_count_with_their_survival():
    rng = np.random.default_rng(0)
    time, event = rng.exponential(size=40), rng.random(40) < 0.6
    q, p = stats.expon(scale=1.2), stats.expon(scale=0.8)
    spoilt = np.where(event, q.logpdf(time), np.nan)  # never looked at where censored
    cases = sc.cases_from_times(
        event,
        log_density=spoilt,
        log_survival=q.logsf(time),
        prior_log_density=p.logpdf(time),
        prior_log_survival=p.logsf(time),
    )
    seen = q.logpdf(time) - p.logpdf(time)
    waiting = q.logsf(time) - p.logsf(time)
    np.testing.assert_allclose(cases.j, np.where(event, seen, waiting))
    assert cases.censored.sum() == (~event).sum()
    names = ("log_density", "log_survival")
    zeros = {of + name: [0, 0] for of in ("", "prior_") for name in names}
    with pytest.raises(InvalidInputError, match=r"0 \(censored\) or 1"):
        sc.cases_from_times([0, 2], **zeros)
    with pytest.raises(InvalidInputError, match="no survival exceeds"):
        sc.cases_from_times([0, 1], **{**zeros, "log_survival": [0.5, 0]})


def test_names_and_groups_must_fit():
    with pytest.raises(InvalidInputError, match="1 ids"):
        sc.cases_from_j([0.1, 0.2], ids=["a"])
    with pytest.raises(InvalidInputError, match="3 groups"):
        sc.cases_from_j([0.1, 0.2]).with_groups("abc")
