"""Pools, replicates, dyes, scales, blocks, cuts: each property is as it was asked."""

import numpy as np
import pytest
from scipy.stats import norm

import scorecast as sc
from scorecast.exceptions import UsageError
from scorecast.simulate import SIMULATORS, BayesErrorKind, Correlation, Measurement
from scorecast.simulate.bayes_error import line_error

PLAIN = {"with_bayes_error": False}


def made(n_samples=200, n_features=500, **factors):
    """Make data by the flat names of factors."""
    return SIMULATORS["classification"].make(
        n_samples=n_samples, n_features=n_features, **factors
    )


@pytest.mark.parametrize("ratio", [0.5, 1, 4])
def test_classes_spread_by_the_ratio_that_was_asked(ratio):
    data = made(3000, 40, std_ratio=ratio, std=2, **PLAIN)
    spreads = [data.X[data.y == k].std(axis=0).mean() for k in range(3)]
    assert spreads == pytest.approx([2, 2 * ratio**0.5, 2 * ratio], rel=0.02)


def test_of_unequal_spreads_the_bayes_error_is_that_of_a_quadratic_rule():
    data = made(300, 1, n_classes=2, std=1, std_ratio=3, class_sep=1)
    grid = np.linspace(-60, 60, 400_001)
    high = np.maximum(norm.pdf(grid, 1, 1), norm.pdf(grid, -1, 3))
    exact = 1 - np.trapezoid(high, grid) / 2
    known = data.truth.bayes_error
    assert known.low <= exact <= known.high
    assert not known.low <= norm.sf(1) <= known.high  # that of equal spreads


def test_boolean_features_are_yes_or_no_as_often_as_their_class_says():
    data = made(20_000, 10, n_classes=2, std=2, boolean=0.4, noise=0.3)
    chosen = data.truth.boolean
    assert len(chosen) == 4
    assert set(np.unique(data.X[:, chosen])) == {0.0, 1.0}
    others = np.setdiff1d(np.arange(10), chosen)
    assert all(len(np.unique(x)) > 1000 for x in data.X[:, others].T)
    for label, mean in ((0, 1), (1, -1)):
        seen = data.X[data.y == label][:, chosen].mean()
        assert seen == pytest.approx(norm.cdf(mean / 2), abs=0.01)


def test_the_bayes_error_of_boolean_features_is_that_of_their_counts():
    data = made(50, 3, n_classes=2, std=2, boolean=1.0)
    p = norm.cdf(0.5)
    # Of three features the majority names the class.
    exact = (1 - p) ** 3 + 3 * p * (1 - p) ** 2
    known = data.truth.bayes_error
    assert known.method is BayesErrorKind.MONTE_CARLO
    assert known.low <= exact <= known.high


@pytest.mark.parametrize("n_blocks", [0, 1, 3])
def test_as_many_blocks_are_correlated_as_asked(n_blocks):
    how = Correlation(block_size=5, rho=0.5, n_blocks=n_blocks)
    data = sc.simulate.classification(
        4000, 42, n_classes=2, correlation=how, informative=0.5, **PLAIN
    )
    assert len(data.truth.correlated) in {5 * n_blocks, 5 * n_blocks - 3}
    # Of the samples of one class and informative features: residuals of class means.
    left = data.X - np.stack([data.X[data.y == k].mean(axis=0) for k in (0, 1)])[data.y]
    seen = np.corrcoef(left.T)
    block = np.arange(42) // 5
    is_tied = np.isin(np.arange(42), data.truth.correlated)
    together = (block[:, None] == block) & is_tied & is_tied[:, None]
    np.fill_diagonal(together, False)
    inside, apart = seen[together], seen[~together & ~np.eye(42, dtype=bool)]
    assert np.abs(inside - 0.5).max(initial=0) < 0.06
    assert np.abs(apart).max() < 0.08


def test_the_bayes_error_knows_which_blocks_are_correlated():
    for n_blocks in (0, 1, 2):
        how = Correlation(block_size=2, rho=0.5, n_blocks=n_blocks)
        data = sc.simulate.classification(
            20, 4, n_classes=2, std=2, correlation=how, random_state=3
        )
        strength = (2 - n_blocks) * 2 + n_blocks * 2 / 1.5
        expected = line_error(np.sqrt(strength) / 2 * np.array([1, -1]), np.ones(2) / 2)
        assert data.truth.bayes_error.value == pytest.approx(expected)


def test_scales_are_as_far_apart_as_asked_and_change_nothing_else():
    plain = made(300, 30, boolean=0.2, random_state=4)
    wide = made(300, 30, boolean=0.2, scale_ratio=1000, random_state=4)
    scales = np.delete(wide.truth.scales, wide.truth.boolean)
    assert scales.max() / scales.min() == pytest.approx(1000)
    assert np.diff(np.sort(np.log(scales))) == pytest.approx(np.log(1000) / 23)
    assert (wide.truth.scales[wide.truth.boolean] == 1).all()
    assert pytest.approx(plain.X * wide.truth.scales) == wide.X
    assert wide.truth.bayes_error == plain.truth.bayes_error


@pytest.mark.parametrize("size", [1, 4, 9])
def test_a_pool_varies_by_the_root_of_its_size_and_so_does_the_bayes_error(size):
    data = made(2000, 5, n_classes=2, std=3, measurement_pool_size=size)
    assert data.X.shape == (2000, 5)
    within = data.X - np.stack([[1.0], [-1.0]])[data.y]
    assert within.std() == pytest.approx(3 / np.sqrt(size), rel=0.03)
    exact = norm.cdf(-np.sqrt(5 * size) / 3)
    assert data.truth.bayes_error.value == pytest.approx(exact)


def test_replicates_differ_by_the_error_of_measurement_alone():
    data = made(
        1500, 8, n_classes=2, std=2,
        measurement_n_replicates=3, measurement_technical_std=0.7,
    )  # fmt: skip
    assert data.X.shape == (4500, 8)
    assert data.truth.class_sizes == (750, 750)
    each = data.X.reshape(1500, 3, 8)
    assert (data.y.reshape(1500, 3) == data.y[::3, None]).all()
    assert (data.sample == np.repeat(np.arange(1500), 3)).all()
    assert each.std(axis=1, ddof=1).mean() == pytest.approx(0.7 * 0.886, rel=0.03)
    assert np.sqrt(each.var(axis=1, ddof=1).mean()) == pytest.approx(0.7, rel=0.02)
    # Averages keep a third of that error.
    within = each.mean(axis=1) - np.stack([[1.0], [-1.0]])[data.y[::3]]
    assert within.var() == pytest.approx(4 + 0.49 / 3, rel=0.04)
    exact = norm.cdf(-np.sqrt(8 / 4.49))
    assert data.truth.bayes_error.value == pytest.approx(exact)


def test_dyes_pass_for_classes_unless_they_are_swapped():
    call = {
        "n_classes": 2, "informative": 0.0, "std": 1, "measurement_dye_bias": 2.0,
        **PLAIN,
    }  # fmt: skip

    def gaps(data):
        return data.X[data.y == 0].mean(axis=0) - data.X[data.y == 1].mean(axis=0)

    confounded = made(400, 300, **call)
    effects = confounded.truth.dye_effects
    assert effects.std() == pytest.approx(2, rel=0.15)
    assert np.abs(gaps(confounded) - 2 * effects).max() < 0.8
    for n_replicates in (1, 2):
        call["measurement_n_replicates"] = n_replicates
        swapped = made(400, 300, measurement_dye_swap=True, **call)
        assert (swapped.truth.dye_effects == effects).all()
        for label in (0, 1):
            assert abs(swapped.dye[swapped.y == label].sum()) <= 1
        assert np.abs(gaps(swapped)).max() < 1.2
        assert gaps(swapped).std() < 0.1 * gaps(confounded).std()
    pairs = swapped.X.reshape(400, 2, 300)
    signs = swapped.dye.reshape(400, 2)
    assert (signs.sum(axis=1) == 0).all()
    # Without an error of their own, the pair differs by the dyes, and its mean by none.
    half = (pairs[:, 0] - pairs[:, 1]) / 2 * signs[:, :1]
    assert half == pytest.approx(np.tile(effects, (400, 1)))


def test_what_is_not_asked_for_stays_as_it_was():
    plain, measured = (
        made(40, 30, **PLAIN),
        made(40, 30, measurement_technical_std=0.5, **PLAIN),
    )
    assert np.std(measured.X - plain.X) == pytest.approx(0.5, rel=0.1)
    assert (measured.y == plain.y).all()


def test_replicates_are_kept_together_in_file_and_next_command(tmp_path):
    data = made(30, 3, measurement_n_replicates=2, **PLAIN)
    assert list(data.to_columns()) == ["x1", "x2", "x3", "y", "sample"]
    words = SIMULATORS["classification"].next_command(data, "a.csv")
    assert words[words.index("--groups") + 1] == "sample"
    assert "replicates of the same samples" in sc.render(data)
    assert list(made(30, 3, **PLAIN).to_columns()) == ["x1", "x2", "x3", "y"]


def test_settings_keep_replicates_of_a_sample_in_one_part():
    def error(grouped):
        def make(random_state, noise):
            data = made(
                40, 30, n_classes=2, informative=0.0, random_state=random_state,
                measurement_n_replicates=2, measurement_technical_std=noise, **PLAIN,
            )  # fmt: skip
            return data if grouped else (data.X, data.y)

        found = sc.assess_settings(
            "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)",
            make,
            {"noise": [0.1]},
            quick=True,
        )
        return found.estimates[0].estimate

    assert error(grouped=True) < 0.75
    assert error(grouped=False) > 0.75  # the other replicate gives it away


def test_where_no_error_is_known_none_is_claimed():
    data = made(30, 5, distribution="bimodal", n_classes=2, measurement_pool_size=3)
    known = data.truth.bayes_error
    assert (known.low, known.high, known.n_draws) == (0.0, 0.5, 0)
    assert "not known" in sc.render(data)


@pytest.mark.parametrize(
    ("factors", "parameter"),
    [
        ({"std_ratio": 0}, "std_ratio"),
        ({"scale_ratio": 0.5}, "scale_ratio"),
        ({"boolean": 0.7, "skew_share": 0.4}, "boolean"),
        ({"boolean": 0.1, "measurement_pool_size": 2}, "boolean"),
        ({"correlation_block_size": 5, "correlation_n_blocks": 101},
         "correlation.n_blocks"),
        ({"measurement_dye_swap": True}, "measurement.dye_swap"),
        ({"measurement_technical_std": -1}, "measurement.technical_std"),
        ({"measurement_pool_size": 0}, "measurement.pool_size"),
        ({"measurement_n_replicates": 2, "patterns_n": 1}, "patterns.n"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(factors, parameter):
    with pytest.raises(UsageError) as caught:
        made(**factors, **PLAIN)
    assert caught.value.parameter == parameter


def test_measurements_are_made_by_their_class():
    with pytest.raises(UsageError):
        sc.simulate.classification(measurement={"pool_size": 2})
    assert Measurement().is_plain
