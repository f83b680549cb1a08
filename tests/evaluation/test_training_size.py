"""What rules are expected to err: by simulation, at both ends, and by formulas."""

import json
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import nct, ncx2, norm, t

import scorecast as sc
from scorecast.evaluation import (
    LEARNING_RULES,
    expected_error,
    required_training_size,
)
from scorecast.evaluation.training_size import _approximate, _checked
from scorecast.exceptions import InsufficientDataError, UsageError

PLAIN = ["centroid", "linear", "quadratic"]
TASKS = [
    ("centroid", 20, 30, 2.0),
    ("centroid", 6, 1, 1.0),
    ("linear", 30, 10, 2.0),
    ("linear", 24, 20, 3.0),
    ("linear", 10, 2, 1.0),
    ("quadratic", 40, 8, 2.0),
    ("quadratic", 30, 1, 2.0),
    ("quadratic", 60, 25, 3.0),
]


def simulated(rule, n, m, distance, repeats, rng):
    """Learn from drawn samples, and return the mean error and its standard error."""
    half, errors = n // 2, []
    far = np.eye(m)[0] * distance
    for _ in range(repeats):
        A, B = rng.normal(size=(half, m)), rng.normal(size=(half, m)) + far
        a, b = A.mean(axis=0), B.mean(axis=0)
        if rule == "quadratic":
            X, found = rng.normal(size=(50, m)), []
            for own, centre in ((A, a), (B, b)):
                S = np.cov(own.T).reshape(m, m)
                left = X - centre
                square = (left * np.linalg.solve(S, left.T).T).sum(axis=1)
                found.append(square + np.linalg.slogdet(S)[1])
            errors.append(np.mean(found[1] < found[0]))
            continue
        w = b - a
        if rule == "linear":
            S = ((A - a).T @ (A - a) + (B - b).T @ (B - b)) / (n - 2)
            w = np.linalg.solve(S, w)
        edge, length = w @ (a + b) / 2, np.linalg.norm(w)
        wrong = norm.sf(edge / length) + norm.cdf((edge - w @ far) / length)
        errors.append(wrong / 2)
    return np.mean(errors), np.std(errors) / math.sqrt(repeats)


@pytest.mark.parametrize(("rule", "n", "m", "distance"), TASKS)
def test_the_error_is_that_of_rules_that_were_learned(rule, n, m, distance):
    rng = np.random.default_rng(n + m)
    mean, stderr = simulated(rule, n, m, distance, 400, rng)
    found = expected_error(rule, n, m, distance=distance)
    assert abs(found.value - mean) < 4 * stderr + 0.003


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "n", "m", "distance"), TASKS)
def test_the_error_is_exact_where_a_wrong_one_is_found_out(rule, n, m, distance):
    rng = np.random.default_rng(n + m + 1)
    mean, stderr = simulated(rule, n, m, distance, 20_000, rng)
    found = expected_error(rule, n, m, distance=distance)
    edge = 3.5 * stderr + 0.0015
    assert abs(found.value - mean) < edge
    # A few samples more, or the error of the best rule, would show.
    assert abs(found.bayes_error - mean) > edge
    if m > 1:
        more = expected_error(rule, n + 6, m, distance=distance)
        assert abs(more.value - mean) > edge


def test_with_one_feature_the_centroid_has_the_error_of_an_integral():
    """Means on the wrong sides of one another turn the rule around."""
    n, far = 3, 1.0
    found = expected_error("centroid", 2 * n, 1, distance=far)
    turned = norm.cdf(-far / math.sqrt(2 / n))
    miss = norm.cdf(-far / 2 / math.sqrt(1 + 1 / (2 * n)))
    exact = (1 - turned) * miss + turned * (1 - miss)
    assert found.value == pytest.approx(exact, abs=2e-4)


def test_the_centroid_has_the_error_of_two_chi_squares():
    """The rule compares two noncentral chi-squares, which scipy knows."""
    n, m, far = 10, 30, 2.0
    one = far / 2 / math.sqrt(1 + 1 / (2 * n))
    two = far / math.sqrt(2 / n)
    plus, minus = (one + two) ** 2 / 2, (one - two) ** 2 / 2
    exact, _ = quad(
        lambda x: ncx2.cdf(x, m, plus) * ncx2.pdf(x, m, minus), 0, 400, limit=400
    )
    found = expected_error("centroid", 2 * n, m, distance=far)
    assert found.value == pytest.approx(exact, abs=2e-4)


@pytest.mark.parametrize("rule", LEARNING_RULES)
def test_more_samples_lead_to_the_error_of_the_best_rule(rule):
    sizes = (60, 200, 2000, 200_000)
    values = [expected_error(rule, n, 10, distance=2).value for n in sizes]
    assert (np.diff(values) < 1e-4).all()
    assert values[-1] == pytest.approx(norm.cdf(-1), abs=1e-3)
    assert expected_error(rule, 60, 10, distance=2).bayes_error == norm.cdf(-1)


@pytest.mark.parametrize("rule", LEARNING_RULES)
def test_more_features_that_tell_nothing_cost(rule):
    values = [expected_error(rule, 120, m, distance=2).value for m in (2, 10, 40)]
    assert (np.diff(values) > 0).all()


def test_what_is_not_needed_costs():
    few = [expected_error(rule, 80, 15, distance=2).value for rule in PLAIN]
    assert few == sorted(few)


def test_the_published_approximation_is_near_where_samples_are_many():
    for rule in ("centroid", "linear"):
        found = expected_error(rule, 200, 50, distance=2)
        assert found.asymptotic == pytest.approx(found.value, abs=0.003)
    task = _checked(LEARNING_RULES["linear"], 100, 50, 2.0, 1)
    exact = norm.cdf(-1 / math.sqrt((1 + 100 / 400) * (1 + 50 / 150)))
    assert _approximate(task, 198) == pytest.approx(exact)
    # Without the factor of the covariance it is that of another rule.
    assert _approximate(task, None) < exact - 0.02


# Selected features ----------------------------------------------------------------


def _drawn_selection(n, m, told, far, alpha, repeats, rng):
    """Select by t-tests in drawn data, and return the mean accuracy of the sum."""
    half, each = n // 2, far / math.sqrt(told)
    edge, found = t.isf(alpha / 2, n - 2), []
    gap = np.where(np.arange(m) < told, each, 0.0)
    for _ in range(repeats):
        A, B = rng.normal(size=(half, m)), rng.normal(size=(half, m)) + gap
        pooled = (A.var(axis=0, ddof=1) + B.var(axis=0, ddof=1)) / 2
        statistic = (B.mean(axis=0) - A.mean(axis=0)) / np.sqrt(2 * pooled / half)
        sign = np.sign(statistic) * (np.abs(statistic) > edge)
        count = np.abs(sign).sum()
        found.append(norm.cdf(sign @ gap / 2 / math.sqrt(count)) if count else 0.5)
    return np.mean(found), np.std(found) / math.sqrt(repeats)


def test_selection_has_the_accuracy_of_features_that_were_selected():
    n, m, told, far = 40, 500, 8, 4.0
    rng = np.random.default_rng(8)
    found = expected_error("selected", n, m, distance=far, n_informative=told)
    mean, stderr = _drawn_selection(n, m, told, far, found.alpha, 400, rng)
    assert abs(1 - found.value - mean) < 4 * stderr + 0.002
    # The formula takes means for numbers: with one feature that tells it is hopeful.
    one = expected_error("dobbin-simon", 20, m, distance=1.5)
    mean, stderr = _drawn_selection(20, m, 1, 1.5, one.alpha, 400, rng)
    assert 1 - one.value > mean + 4 * stderr


def test_the_formula_of_dobbin_and_simon_is_as_it_was_written():
    n, m, told, far = 30, 2000, 5, 3.0
    found = expected_error("dobbin-simon", n, m, distance=far, n_informative=told)
    each = far / math.sqrt(told)

    def accuracy(alpha):
        power = nct.sf(t.isf(alpha / 2, n - 2), n - 2, each * math.sqrt(n / 4))
        chosen = told * power + (m - told) * alpha
        return norm.cdf(each / 2 * told * power / math.sqrt(chosen)), power

    best, power = accuracy(found.alpha)
    assert 1 - found.value == pytest.approx(best, abs=1e-9)
    assert found.power == pytest.approx(power)
    tried = [accuracy(alpha)[0] for alpha in np.geomspace(1e-8, 0.4, 200)]
    assert best >= max(tried) - 1e-6


# Sizes ----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", LEARNING_RULES)
def test_the_size_is_the_smallest_that_does(rule):
    found = required_training_size(rule, distance=2.5, n_features=6, max_excess=0.04)
    assert found.error - found.bayes_error <= 0.04
    assert found.error_with(found.n_samples) == found.error
    fewer = found.n_samples - 2
    assert fewer < found.least or found.error_with(fewer) - found.bayes_error > 0.04


def test_a_size_is_said_kept_and_read_again():
    found = required_training_size("linear", distance=2, n_features=50)
    assert found.n_samples == 242
    said = " ".join(sc.render(found).split())
    assert "242 samples, half of each class" in said
    assert "within 5.0 points" in said
    again = type(found).from_dict(json.loads(json.dumps(found.to_dict())))
    assert again == found


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (("line", 10, 2, 1.0, 1), "rule"),
        (("linear", 10, 0, 1.0, 1), "n_features"),
        (("linear", 10, 2, -1.0, 1), "distance"),
        (("selected", 10, 2, 1.0, 3), "n_informative"),
        (("linear", 10, 2, 1.0, 2), "n_informative"),
    ],
)
def test_what_cannot_be_is_refused(call, parameter):
    rule, n, m, distance, told = call
    with pytest.raises(UsageError) as caught:
        expected_error(rule, n, m, distance=distance, n_informative=told)
    assert caught.value.parameter == parameter


def test_too_few_samples_are_refused_with_the_least():
    for rule, least in (("linear", 14), ("quadratic", 24)):
        with pytest.raises(InsufficientDataError, match=f"Give {least} at least"):
            expected_error(rule, 8, 10, distance=2)
        assert expected_error(rule, least, 10, distance=2).value < 0.5
