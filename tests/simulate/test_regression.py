"""Numbers to predict: what is known of them is what is measured."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import scorecast as sc
from scorecast.exceptions import UsageError
from scorecast.simulate import Correlation, regression

BLOCKS = Correlation(block_size=4, rho=0.6)
KINDS = [
    {},
    {"r2": 0.9, "correlation": BLOCKS},
    {"interactions": 0.6},
    {"interactions": 1.0, "n_informative": 12, "correlation": BLOCKS},
    {"target_skew": 0.8, "r2": 0.3},
    {"scale_ratio": 1e4, "r2": 0.7},
    {"r2": 0.0, "n_informative": 0},
    {"r2": 1.0},
]


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_the_best_rule_has_the_r2_that_was_asked(options):
    data = regression(60_000, 15, random_state=5, **options)
    truth, asked = data.truth, options.get("r2", 0.5)
    mse = np.mean((data.y - data.best) ** 2)
    assert truth.r2 == asked
    assert mse == pytest.approx(truth.mse, rel=0.05, abs=1e-12)
    assert data.y.mean() == pytest.approx(truth.mean, abs=0.02 * truth.std)
    assert data.y.std() == pytest.approx(truth.std, rel=0.04)
    assert 1 - mse / data.y.var() == pytest.approx(asked, abs=0.025)
    # Without what the best rule knows the error is larger.
    if asked:
        worse = np.mean((data.y - data.best * 0.8 - 0.2 * data.y.mean()) ** 2)
        assert worse > 1.005 * mse


def test_coefficients_are_those_that_least_squares_finds():
    data = regression(50_000, 10, scale_ratio=100, correlation=BLOCKS, r2=0.8)
    found = LinearRegression().fit(data.X, data.y)
    scale = data.truth.scales
    assert found.coef_ * scale == pytest.approx(
        data.truth.coefficients * scale, abs=0.02
    )
    assert set(np.flatnonzero(data.truth.coefficients)) == set(data.truth.informative)
    assert np.std(data.y - found.predict(data.X)) == pytest.approx(
        data.truth.noise_std, rel=0.02
    )
    assert scale.max() / scale.min() == pytest.approx(100)


def test_of_products_a_straight_rule_finds_the_rest_only():
    data = regression(60_000, 10, r2=0.8, interactions=0.75, n_informative=6)
    straight = LinearRegression().fit(data.X, data.y).score(data.X, data.y)
    assert straight == pytest.approx(0.2, abs=0.02)
    one, two = data.truth.pairs.T
    products = np.column_stack([data.X, data.X[:, one] * data.X[:, two]])
    whole = LinearRegression().fit(products, data.y)
    assert whole.score(products, data.y) == pytest.approx(0.8, abs=0.01)
    assert whole.coef_[10:] == pytest.approx(data.truth.pair_coefficients, abs=0.02)


def test_skewed_targets_are_far_larger_sometimes():
    data = regression(20_000, 5, target_skew=1.0)
    assert np.log(data.y).std() == pytest.approx(1, rel=0.02)
    assert data.y.min() > 0
    assert np.mean(data.y < data.y.mean()) > 0.65


def test_it_describes_itself():
    said = " ".join(sc.render(regression(interactions=0.5)).split())
    assert "R² of 0.5" in said
    assert "2 products" in said


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"r2": 1.5}, "r2"),
        ({"n_informative": 21}, "n_informative"),
        ({"n_informative": 0}, "r2"),
        ({"n_informative": 1, "interactions": 0.5}, "interactions"),
        ({"target_skew": 4}, "target_skew"),
        ({"target_skew": 1, "interactions": 0.5}, "target_skew"),
        ({"correlation": 0.5}, "correlation"),
    ],
)
def test_what_cannot_be_is_refused(options, parameter):
    with pytest.raises(UsageError) as caught:
        regression(**options)
    assert caught.value.parameter == parameter
