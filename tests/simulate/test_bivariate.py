"""The bivariate normal toy has the accuracy and discriminability it states."""

import numpy as np
import pytest
from scipy.special import ndtr

from scorecast.scores import accuracy_curve
from scorecast.simulate import BivariateNormal


def accuracy_of(rho, labels):
    """Return the accuracy of the best recogniser on given classes, many examples."""
    gaps = np.diff(np.sort(np.asarray(labels)))
    k = gaps.size + 1
    scale = rho / (2 * np.sqrt(1 - rho**2))
    return (2 * ndtr(scale * gaps).sum() - (k - 2)) / k


@pytest.mark.parametrize("rho", [0.3, 0.5, 0.7, 0.9])
def test_accuracy_equals_its_closed_form(reference, rho):
    entry = reference[f"toy_AGA_rho{rho}"]
    found = BivariateNormal(rho).accuracy(entry["inputs"]["ks"])
    assert found == pytest.approx(entry["expected"], abs=1e-8)


@pytest.mark.parametrize("rho", [0.7, 0.9])
def test_accuracy_with_many_classes(reference, rho):
    entry = reference[f"toy_AGA_largek_rho{rho}"]
    found = BivariateNormal(rho).accuracy(entry["inputs"]["ks"])
    assert found == pytest.approx(entry["expected"], abs=1e-7)


@pytest.mark.parametrize("rho", [0.3, 0.7, 0.9])
def test_discriminability_equals_reference(reference, rho):
    entry = reference[f"toy_D_rho{rho}"]
    found = BivariateNormal(rho).discriminability(entry["inputs"]["u"])
    assert found == pytest.approx(entry["expected"], abs=1e-7)


def test_single_favourability_and_given_labels(reference):
    toy = reference["toy_U"]["inputs"]
    found = BivariateNormal(toy["rho"]).favourability(toy["x"], toy["y"])
    assert float(found) == pytest.approx(reference["toy_U"]["expected"], abs=1e-12)
    labels = reference["toy_GA"]["inputs"]
    accuracy = accuracy_of(labels["rho"], labels["labels"])
    assert accuracy == pytest.approx(reference["toy_GA"]["expected"], abs=1e-12)


@pytest.mark.parametrize("k", [1000, 10_000, 100_000])
def test_many_classes_are_what_drawn_labels_give(k):
    population = BivariateNormal(0.7)
    streams = np.random.default_rng(3).spawn(40)
    found = [accuracy_of(0.7, rng.normal(size=k)) for rng in streams]
    error = np.std(found) / np.sqrt(len(found))
    off = (np.mean(found) - population.accuracy([k])[0]) / error
    assert abs(off) < 4.5
    # Panels of even width lost a third of the accuracy with 10,000 classes.
    assert 0.2 * np.mean(found) > 4.5 * error


def test_pairs_have_an_arcsine_law():
    rho = 0.6
    expected = 0.5 + np.arcsin(rho / np.sqrt(2 - rho**2)) / np.pi
    assert BivariateNormal(rho).accuracy([2])[0] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("rho", [0.3, 0.5, 0.7, 0.9])
def test_observed_curves_are_unbiased_for_the_closed_form(rho):
    population = BivariateNormal(rho)
    sizes = [2, 3, 5, 10]
    streams = np.random.default_rng(20).spawn(400)
    curves = []
    for rng in streams:
        scores, y, _ = population.sample(20, 2, random_state=rng)
        curves.append(
            accuracy_curve(scores, y, sizes=sizes, standard_errors=False).accuracy
        )
    curves = np.array(curves)
    error = curves.std(axis=0) / np.sqrt(len(curves))
    deviation = (curves.mean(axis=0) - population.accuracy(sizes)) / error
    assert np.abs(deviation).max() < 5
    # The same check must notice the commonest slip, a rank off by one.
    slipped = (curves.mean(axis=0)[1:] - population.accuracy(sizes)[:-1]) / error[1:]
    assert np.abs(slipped).min() > 5
