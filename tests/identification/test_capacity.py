"""C_k, the ideal curve, and their inverses."""

import csv
import gzip
import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad
from scipy.special import log_ndtr
from tests.identification.in_nats import (
    best_accuracy,
    confusion_information,
    fano_information,
    ideal_accuracy,
    ideal_information,
    information_range,
    least_information,
)

from scorecast.exceptions import UsageError


def named(golden, start):
    return [e for e in golden["values"] if e["name"].startswith(start)]


def test_capacity_agrees_with_the_formula_book(golden):
    for entry in named(golden, "Ck_"):
        given_, expected = entry["inputs"], entry["expected"]
        found = best_accuracy(given_["iota_nats"], n_classes=given_["k"])
        np.testing.assert_allclose(found, expected, atol=entry["tolerance"], rtol=0)
    for entry in named(golden, "Ckinv"):
        found = least_information(
            entry["inputs"]["aba"], n_classes=entry["inputs"]["k"]
        )
        assert abs(found - entry["expected"]) < entry["tolerance"]


def test_capacity_keeps_its_digits_from_two_to_a_million_classes(golden):
    rows = golden["capacity_mpmath"]
    assert {row["k"] for row in rows} >= {2, 10**6}
    assert min(r["iota"] for r in rows) < 1e-8 < 100 < max(r["iota"] for r in rows)
    for row in rows:
        found = float(best_accuracy(row["iota"], n_classes=row["k"]))
        assert found == pytest.approx(row["accuracy"], rel=1e-14)
        if row["error"] > 1e-12 and row["iota"] > 1e-9:
            back = float(least_information(row["accuracy"], n_classes=row["k"]))
            # One rounding of the accuracy is all that may be lost.
            slack = 1e-15 / min(row["error"], row["accuracy"] - 1 / row["k"] or 1)
            assert back == pytest.approx(row["iota"], rel=max(1e-12, 20 * slack))


def test_capacity_agrees_with_the_authors_table(shared_golden):
    path = shared_golden / "golden_mi_vs_aba_table.csv.gz"
    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    assert len({row["k"] for row in rows}) == 14
    for row in rows:
        found = float(best_accuracy(float(row["iota"]), n_classes=int(row["k"])))
        # Both columns have eight digits.
        assert found == pytest.approx(float(row["aba"]), abs=2e-8)


@given(st.integers(2, 10**6), st.floats(1e-8, 100), st.floats(1.001, 3))
def test_capacity_rises_with_information(k, iota, factor):
    low, high = best_accuracy([iota, iota * factor], n_classes=k)
    assert 1 / k <= low <= high <= 1


@given(st.integers(2, 10**6), st.floats(1e-6, 15))
def test_capacity_and_its_inverse_undo_each_other(k, iota):
    accuracy = float(best_accuracy(iota, n_classes=k))
    back = float(least_information(accuracy, n_classes=k))
    loss = 1e-14 / max(min(1 - accuracy, accuracy - 1 / k), 1e-300)
    assert back == pytest.approx(iota, rel=max(1e-9, 10 * loss))


def test_capacity_at_its_ends():
    assert float(best_accuracy(0, n_classes=7)) == 1 / 7
    assert float(best_accuracy(np.inf, n_classes=7)) == 1
    assert float(least_information(1 / 7, n_classes=7)) == 0
    assert float(least_information(0.01, n_classes=7)) == 0
    assert float(least_information(1, n_classes=7)) == np.inf


def test_no_distribution_beats_the_capacity():
    rng = np.random.default_rng(0)
    t = (np.arange(4000) + 0.5) / 4000
    for _ in range(100):
        k = int(rng.choice([2, 3, 5]))
        q = np.sort(np.exp(2 * rng.normal() * t ** rng.uniform(0.3, 8)))
        q /= q.mean()
        information = float((q * np.log(q)).mean())
        assert (q * t ** (k - 1)).mean() <= float(
            best_accuracy(information, n_classes=k)
        ) + 1e-6


def test_ideal_curve_agrees_with_the_formula_book(golden):
    for entry in named(golden, "pibar"):
        given_ = entry["inputs"]
        found = float(ideal_accuracy(given_["iota_nats"], n_classes=given_["k"]))
        assert abs(found - entry["expected"]) < entry["tolerance"]
    for k, row in golden["mi_from_accuracy"]["pi_K"].items():
        for c, expected in row.items():
            found = 1 - float(ideal_accuracy(float(c) ** 2 / 2, n_classes=int(k)))
            assert abs(found - expected) < 1e-7


def test_ideal_information_agrees_with_golden_values(golden):
    for name, expected in golden["mi_from_accuracy"]["I_HD_nats"].items():
        k, error = name.split(",")
        assert (
            abs(ideal_information(1 - float(error), n_classes=int(k)) - expected) < 1e-7
        )


@pytest.mark.parametrize("k", [2, 50, 10**5])
def test_ideal_curve_by_plain_quadrature(k):
    c = 2.5
    whole = quad(
        lambda z: np.exp(-((z - c) ** 2) / 2 + (k - 1) * log_ndtr(z)), c - 9, c + 9
    )
    expected = whole[0] / np.sqrt(2 * np.pi)
    assert float(ideal_accuracy(c**2 / 2, n_classes=k)) == pytest.approx(
        expected, rel=1e-7
    )


def test_ideal_information_at_its_ends():
    assert ideal_information(0.1, n_classes=10) == 0
    assert ideal_information(0.02, n_classes=10) == 0
    assert ideal_information(1.0, n_classes=10) == np.inf
    assert ideal_information(1 - 1e-12, n_classes=10) > 20
    assert ideal_accuracy(np.inf, n_classes=[2, 5]).tolist() == [1, 1]


def test_fano_the_confusion_matrix_and_priors_agree_with_golden_values(golden):
    made = golden["mi_from_accuracy"]
    for name, expected in made["I_Fano_nats"].items():
        k, error = name.split(",")
        assert (
            abs(fano_information(1 - float(error), n_classes=int(k)) - expected) < 1e-7
        )
    for name, expected in made["info_bounds_bits"].items():
        prior, accuracy = name.rsplit(",", 1)
        chances = np.full(20, 0.05) if prior == "uniform20" else json.loads(prior)
        found = np.array(information_range(float(accuracy), chances)) / np.log(2)
        np.testing.assert_allclose(found, expected, atol=1e-7)
    table = made["confusion_nats"]
    assert abs(confusion_information(table["counts"]) - table["value"]) < 1e-7


@pytest.mark.parametrize("slope", [0.8, 1.5, 3.0])
@pytest.mark.parametrize("prior", [[0.6, 0.3, 0.1], [0.5, 0.25, 0.2, 0.05]])
def test_least_information_of_a_prior_is_its_rate_distortion_function(prior, slope):
    p = np.array(prior)
    weights = np.exp(-slope * (1 - np.eye(p.size)))
    answer = np.full(p.size, 1 / p.size)
    for _ in range(5000):  # Blahut and Arimoto
        answer = answer * (weights.T @ (p / (weights @ answer)))
    joint = p[:, None] * weights * answer / (weights @ answer)[:, None]
    accuracy = float(np.trace(joint))
    assert information_range(accuracy, p)[0] == pytest.approx(
        confusion_information(joint), abs=1e-10
    )


def test_ranges_at_their_ends():
    assert information_range(1.0, [0.5, 0.5]) == pytest.approx((np.log(2),) * 2)
    assert information_range(0.7, [0.7, 0.3])[0] == 0
    assert information_range(0.2, [0.7, 0.3])[0] == 0
    assert fano_information(1 / 9, n_classes=9) == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: best_accuracy(-1, n_classes=5),
        lambda: best_accuracy(np.nan, n_classes=5),
        lambda: best_accuracy(1, n_classes=1),
        lambda: least_information(1.2, n_classes=5),
        lambda: least_information(np.nan, n_classes=5),
        lambda: ideal_accuracy(-1, n_classes=5),
        lambda: ideal_information(-0.1, n_classes=5),
        lambda: information_range(0.5, [0.5, 0.4]),
        lambda: information_range(0.5, [1.0]),
        lambda: information_range(1.5, [0.5, 0.5]),
    ],
)
def test_impossible_amounts_are_refused(call):
    with pytest.raises(UsageError):
        call()
