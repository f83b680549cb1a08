"""The accuracy curves of populations are what Monte Carlo finds."""

import numpy as np
import pytest
from scipy.stats import ncx2

import scorecast as sc
from scorecast.exceptions import UsageError
from scorecast.scores import Embeddings, accuracy_curve
from scorecast.simulate import (
    POPULATIONS,
    BivariateNormal,
    GaussianClasses,
    IsotropicClasses,
)
from scorecast.simulate.nearest_centroid import (
    BallRadius,
    NormalRadius,
    StudentRadius,
    nearer_chance,
)

SIZES = [2, 5, 20, 60]


def observed(population, n_sets=50):
    """Return the mean observed curve over random class sets, and its error."""
    curves = []
    for rng in np.random.default_rng(5).spawn(n_sets):
        gallery, probes, y = population.sample(80, 4, random_state=rng)
        scores = Embeddings(gallery, probes, y)
        curves.append(
            accuracy_curve(scores, sizes=SIZES, standard_errors=False).accuracy
        )
    return np.mean(curves, axis=0), np.std(curves, axis=0) / np.sqrt(n_sets)


@pytest.mark.parametrize(
    "population",
    [
        GaussianClasses(n_features=4, noise=0.3),
        *(
            IsotropicClasses(shape=name, n_features=3, noise=0.2)
            for name in POPULATIONS
        ),
        IsotropicClasses(shape="gaussian", n_features=2, noise=0.1),
        IsotropicClasses(shape="uniform", n_features=1, noise=0.05),
        IsotropicClasses(shape="heavy-tailed", n_features=5, noise=0.5, df=5),
    ],
    ids=str,
)
def test_the_curve_is_what_random_classes_show(population):
    found, error = observed(population)
    assert np.abs((found - population.accuracy(SIZES)) / error).max() < 4.5
    # A population with a third more noise is told from it, and so is one class more.
    other = type(population)(**{**vars(population), "noise": 4 / 3 * population.noise})
    assert np.abs((found - other.accuracy(SIZES)) / error).max() > 4.5
    slipped = (found - population.accuracy(np.add(SIZES, 1))) / error
    assert np.abs(slipped).max() > 4.5


@pytest.mark.parametrize("rho", [0.7, 0.9, 0.99])
def test_on_a_line_it_is_the_bivariate_normal(rho):
    noise = (1 - rho**2) / rho**2
    sizes = [2, 10, 100, 1000]
    found = IsotropicClasses(n_features=1, noise=noise).accuracy(sizes)
    assert found == pytest.approx(BivariateNormal(rho).accuracy(sizes), abs=1e-7)


@pytest.mark.parametrize("d", [2, 5, 40])
def test_nearer_centres_have_a_noncentral_law(d):
    rho, s = np.array([0.3, 1.0, 3.0, 6.0]), np.array([0.5, 1.5, 2.0, 6.5])
    found = nearer_chance(rho, s, NormalRadius(d))
    expected = ncx2.cdf(s**2, d, rho**2)
    assert found == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(
    "radius", [NormalRadius(4, 1.5), BallRadius(3), StudentRadius(5, 4.0)], ids=str
)
def test_radii_are_distributions_of_variance_one(radius):
    t = np.linspace(-3, 3, 13)
    from scipy.special import ndtr

    assert radius.cdf(radius.at(t)) == pytest.approx(ndtr(t), abs=1e-10)
    r = np.linspace(1e-6, radius.at(np.array([2.0]))[0], 20_001)
    assert np.trapezoid(radius.pdf(r), r) == pytest.approx(ndtr(2.0), abs=1e-5)
    t = np.arange(-8, 8, 0.01)
    mass = np.exp(-(t**2) / 2) * 0.01 / np.sqrt(2 * np.pi)
    variance = mass @ radius.at(t) ** 2 / radius.d
    expected = radius.scale**2 if isinstance(radius, NormalRadius) else 1
    assert variance == pytest.approx(expected, rel=1e-3)


def test_scores_are_distances_and_labels_their_columns():
    data = sc.simulate.recognition(12, 3, n_features=4, random_state=1)
    distances = ((data.probes[:, None] - data.gallery) ** 2).sum(axis=2)
    assert np.abs(data.X + distances).max() < 1e-12
    assert data.y.tolist() == np.repeat(np.arange(12), 3).tolist()
    assert set(data.to_arrays()) == {"scores", "labels"}
    vectors = sc.simulate.recognition(12, 3, form="embeddings").to_arrays()
    assert set(vectors) == {"gallery", "probes", "labels"}
    assert data.to_columns()["truth"][3] == "c1"


def test_the_truth_holds_any_number_of_classes():
    data = sc.simulate.recognition(10, 2, population="uniform", sizes=[2, 50])
    assert data.truth.classes.tolist() == [2, 50]
    again = data.truth.population.accuracy([50])
    assert again == pytest.approx(data.truth.accuracy[1:])


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"templates": "noisy", "population": "uniform"}, "templates"),
        ({"df": 2}, "df"),
        ({"n_classes": 1}, "n_classes"),
        ({"noise": -1}, "noise"),
        ({"population": "normal"}, "population"),
        ({"form": "ranks"}, "form"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_by_the_name_of_the_parameter(options, parameter):
    with pytest.raises(UsageError) as caught:
        sc.simulate.recognition(**options)
    assert caught.value.parameter == parameter


def test_sizes_must_be_there():
    with pytest.raises(UsageError):
        sc.simulate.recognition(sizes=[])


@pytest.mark.parametrize("name", POPULATIONS)
def test_noisy_templates_are_allowed_where_it_is_claimed(name):
    asked = {"n_classes": 4, "templates": "noisy", "sizes": [2], "population": name}
    if POPULATIONS[name].allows_noisy_templates:
        made = sc.simulate.recognition(**asked)
        assert isinstance(made.truth.population, GaussianClasses)
        return
    with pytest.raises(UsageError):
        sc.simulate.recognition(**asked)


def test_too_many_scores_are_left_as_embeddings():
    data = sc.simulate.recognition(10_000, 1, sizes=[2])
    with pytest.raises(UsageError) as caught:
        data.X  # noqa: B018
    assert caught.value.parameter == "form"
