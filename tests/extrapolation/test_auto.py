"""Auto: good everywhere, wary where it should be, and the same every time."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ncx2

from scorecast._core.codec import decode, encode
from scorecast.exceptions import UsageError
from scorecast.extrapolation import (
    Auto,
    Bayesian,
    Gaussian,
    Kde,
    Objection,
    ObservedClasses,
    Polynomial,
    Pooling,
    Regression,
    Spline,
    Tail,
    extrapolate,
)
from scorecast.extrapolation.auto import _DRIFT_FEW_VALUED
from scorecast.extrapolation.intervals import prediction_interval
from scorecast.extrapolation.observed import effective_size, hide_classes
from scorecast.scores import Scores, rank_true_classes

KS = np.array([2, 50, 100, 500, 2_000, 100_000, 10**9])
DATA = Path(os.environ.get("SCORECAST_DATA", "../shared/data"))


def nearest_neighbour(
    n_classes: int, noise: float, seed: int, n_examples: int = 1
) -> ObservedClasses:
    """Draw classes in ten dimensions, each with one noisy template and probes."""
    rng = np.random.default_rng(seed)
    centre = rng.standard_normal((n_classes, 10))
    own = np.repeat(np.arange(n_classes), n_examples)
    gallery = centre + np.sqrt(noise) * rng.standard_normal(centre.shape)
    probes = centre[own] + np.sqrt(noise) * rng.standard_normal((own.size, 10))
    distance = np.linalg.norm(probes[:, None] - gallery, axis=2)
    return ObservedClasses.of(Scores(-distance, own))


def true_accuracy(k: int, noise: float) -> float:
    """Integrate the chance that all competitors are farther than the truth."""
    rng = np.random.default_rng(0)
    centre = rng.standard_normal((20_000, 10))
    gallery, probe = centre + np.sqrt(noise) * rng.standard_normal((2, *centre.shape))
    scale = 1 + noise
    distance = ((gallery - probe) ** 2).sum(axis=1) / scale
    log_u = ncx2.logsf(distance, 10, (probe**2).sum(axis=1) / scale)
    return float(np.exp((k - 1) * log_u).mean())


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def weights(fit) -> dict[str, float]:
    return {p.method: p.weight for p in fit.pooling.parts if p.weight}


def part(fit, name: str = "tail"):
    return next(p for p in fit.pooling.parts if p.method == name)


def fitted(evidence: ObservedClasses):
    return Auto().fit(evidence, rng())


def test_beats_its_rivals_on_a_small_gaussian_task():
    truth = true_accuracy(1000, 0.15)
    errors = {"auto": [], "gaussian": [], "spline": []}
    for seed in range(8):
        evidence = nearest_neighbour(100, 0.15, seed)
        for method in (Auto(), Gaussian(), Spline()):
            found = method.fit(evidence, rng()).law.accuracy(np.array([1000]))
            errors[method.name].append(float(found[0]) - truth)
    rmse = {name: np.sqrt(np.mean(np.square(e))) for name, e in errors.items()}
    assert rmse["auto"] < 0.1
    assert rmse["auto"] < rmse["gaussian"]
    assert rmse["auto"] < rmse["spline"]


@pytest.mark.parametrize("noise", [0.01, 0.1, 0.4, 5.0])
def test_accuracy_decreases_and_stays_within_bounds(noise):
    distribution = fitted(nearest_neighbour(60, noise, 1)).law
    accuracy = distribution.accuracy(KS)
    assert (np.diff(accuracy) <= 1e-12).all()
    assert (accuracy >= 0).all()
    assert (accuracy <= 1).all()
    assert distribution.accuracy(np.array([1]))[0] == 1
    d = distribution.discriminability(np.linspace(0, 1, 101))
    assert (np.diff(d) >= -1e-12).all()
    assert d[-1] == 1


def test_same_answer_for_any_seed_and_number_of_threads():
    evidence = nearest_neighbour(60, 0.2, 2)
    first = fitted(evidence).law.accuracy(KS)
    again = Auto().fit(evidence, np.random.default_rng(99), n_jobs=1)
    assert (again.law.accuracy(KS) == first).all()


def test_scale_of_the_scores_does_not_matter():
    evidence = nearest_neighbour(60, 0.2, 3)
    data = evidence.data
    scaled = ObservedClasses.of(Scores(1000 * data.values + 5, data.own))
    a = fitted(evidence).law.accuracy(KS)
    b = fitted(scaled).law.accuracy(KS)
    # Not exactly: distances have a bound of their own, and scores moved by five none.
    assert a == pytest.approx(b, abs=0.02)


def test_weights_add_up_and_every_part_is_kept():
    fit = fitted(nearest_neighbour(60, 0.2, 4))
    assert set(weights(fit)) == set(fit.parts) == {"bayesian", "tail"}
    assert sum(weights(fit).values()) == pytest.approx(1)
    assert all(p.objection is None for p in fit.pooling.parts)
    assert decode(encode(fit.pooling), Pooling) == fit.pooling


def test_pooled_answer_lies_between_the_parts_as_shown():
    # 10 classes: beyond 300 scores are carried on by the ranks.
    for n_classes, noise in ((10, 0.3), (60, 0.2), (100, 0.05)):
        fit = fitted(nearest_neighbour(n_classes, noise, 5))
        parts = [law.accuracy(KS) for law in fit.parts.values()]
        pooled = fit.law.accuracy(KS)
        assert len(parts) == 2
        assert (np.min(parts, axis=0) <= pooled * (1 + 1e-9)).all()
        assert (pooled <= np.max(parts, axis=0) * (1 + 1e-9)).all()


def test_a_part_says_what_the_method_of_its_name_says():
    evidence = nearest_neighbour(60, 0.2, 4)
    parts = fitted(evidence).parts
    for method in (Bayesian(), Tail()):
        alone = method.fit(evidence, rng()).law
        assert (parts[method.name].accuracy(KS) == alone.accuracy(KS)).all()
        assert (parts[method.name].accuracy(KS, 3) == alone.accuracy(KS, 3)).all()


def test_the_tail_counts_more_with_classes_and_less_with_samples_of_each():
    few, many = (fitted(nearest_neighbour(n, 0.2, 5)) for n in (20, 200))
    assert weights(few)["tail"] < weights(many)["tail"]
    one, several = (
        fitted(nearest_neighbour(60, 0.2, 5, n_examples=n)) for n in (1, 20)
    )
    assert weights(several)["tail"] < weights(one)["tail"]


def test_halves_that_disagree_are_said_and_weaken_the_tail():
    gen = np.random.default_rng(0)
    # Tight clusters: of half the classes the nearest impostors are much farther.
    places = gen.standard_normal((30, 10))
    centre = np.repeat(places, 5, axis=0) + 0.15 * gen.standard_normal((150, 10))
    gallery, probes = centre + 0.05 * gen.standard_normal((2, 150, 10))
    distance = np.linalg.norm(probes[:, None] - gallery, axis=2)
    with pytest.warns(UserWarning, match="Halves of the classes"):
        answer = extrapolate(-distance, range(150), to=3000, backtest=0, compare=False)
    (_, tail) = answer.pooling.parts
    assert tail.objection is Objection.HALVES_DISAGREE
    assert abs(tail.disagreement) > 0.3
    assert [n.value for n in answer.notes if n.code == "halves-disagree"] == [
        tail.disagreement
    ]
    law = fitted(ObservedClasses.of(Scores(-distance, range(150)))).law
    calm = replace(law, tail=replace(law.tail, halves=()))
    assert law.tail_weight < calm.tail_weight
    at = np.array([3000])
    assert (np.array(law.logit_spread(at)) > 0).all()
    widths = [np.subtract(*one.ends(at, 1.6)[::-1])[0] for one in (law, calm)]
    assert widths[0] > widths[1]


def test_the_tail_looks_further_than_ranks_on_many_classes():
    target, truth = np.array([10_000]), true_accuracy(10_000, 0.1)
    errors = {"auto": [], "bayesian": []}
    for seed in range(4):
        evidence = nearest_neighbour(400, 0.1, 100 + seed)
        for method in (Auto(), Bayesian()):
            found = method.fit(evidence, rng()).law.accuracy(target)[0]
            errors[method.name].append(found - truth)
    rmse = {name: np.sqrt(np.mean(np.square(e))) for name, e in errors.items()}
    assert rmse["auto"] < 0.04
    assert rmse["auto"] < rmse["bayesian"]


def test_probabilities_and_their_logarithms_give_the_same_answer():
    evidence = nearest_neighbour(50, 0.2, 6, n_examples=2)
    scores = 3 * evidence.data.values
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    own, target = evidence.data.own, np.array([100, 1000])
    answers = []
    for values in (shares, np.log(shares)):
        given = ObservedClasses.of(Scores(values, own))
        fit = fitted(given)
        interval = prediction_interval(fit, given, target, 0.9)
        answers.append([fit.law.accuracy(target), interval.low, interval.high])
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-6)


def test_one_class_with_samples_gives_a_finite_answer():
    own = np.zeros(8, dtype=int)
    scores = np.random.default_rng(3).standard_normal((8, 40))
    fit = fitted(ObservedClasses.of(Scores(scores, own, classes=range(40))))
    assert np.isfinite(fit.law.accuracy(KS)).all()


def test_constant_scores_are_chance_and_have_no_tail():
    data = Scores(np.ones((80, 8)), np.repeat(np.arange(8), 10))
    # Not by `of`, which refuses them.
    evidence = ObservedClasses(data=data, ranking=rank_true_classes(data))
    fit = fitted(evidence)
    assert weights(fit) == {"bayesian": 1.0}
    assert part(fit).objection is Objection.TIED
    target = np.array([100])
    found = prediction_interval(fit, evidence, target, 0.9)
    assert fit.law.accuracy(target)[0] == pytest.approx(0.01, abs=0.01)
    assert 1e-4 < found.low[0] < 0.01 < found.high[0] < 0.25


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("advantage", [0, 2, 9])
def test_hardly_any_classes_give_a_finite_answer(n_classes, advantage):
    own = np.repeat(np.arange(n_classes), 5)
    scores = np.random.default_rng(4).standard_normal((own.size, n_classes))
    scores[np.arange(own.size), own] += advantage
    evidence = ObservedClasses.of(Scores(scores, own))
    fit = fitted(evidence)
    found = prediction_interval(fit, evidence, KS, 0.9)
    accuracy = fit.law.accuracy(KS)
    assert np.isfinite([accuracy, found.low, found.high]).all()
    assert (found.low <= accuracy).all()
    assert (accuracy <= found.high).all()


def test_votes_have_no_tail():
    evidence = nearest_neighbour(40, 0.15, 5, n_examples=5)
    # Fifteen neighbours share out their votes: most classes get none.
    values = evidence.data.values
    votes = np.floor(15 * np.exp(8 * values) / np.exp(8 * values).sum(1)[:, None])
    fit = fitted(ObservedClasses.of(Scores(votes, evidence.data.own)))
    assert weights(fit) == {"bayesian": 1.0}
    assert fit.pooling.is_widened
    assert fit.pooling.drift == _DRIFT_FEW_VALUED


def test_saturated_softmax_scores_do_not_drag_the_answer_down():
    gen = np.random.default_rng(6)
    n_classes, n = 20, 600
    own = np.arange(n) % n_classes
    logits = 3 * gen.standard_normal((n, n_classes)) ** 3
    logits[np.arange(n), own] = 90.0
    wrong = np.arange(0, n, 150)  # a few mistakes
    logits[wrong, (own[wrong] + 1) % n_classes] = 95.0
    log_probability = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    fit = fitted(ObservedClasses.of(Scores(log_probability, own)))
    assert fit.law.accuracy(np.array([400]))[0] > 0.8


def test_perfect_and_hopeless_recognisers_get_an_answer_and_a_remark():
    own = np.arange(30)
    gen = np.random.default_rng(8)
    scores = gen.standard_normal((30, 30))
    right, wrong = scores.copy(), scores.copy()
    right[own, own] = 9
    wrong[own, own] = -9
    with pytest.warns(UserWarning, match="distances"):
        hopeless = ObservedClasses.of(Scores(wrong, own))
    faultless = ObservedClasses.of(Scores(right, own))
    expected = {faultless: Objection.ALL_RIGHT, hopeless: Objection.ALL_WRONG}
    for evidence, objection in expected.items():
        fit = fitted(evidence)
        assert part(fit, "bayesian").objection is objection
        assert np.isfinite(fit.law.accuracy(KS)).all()
    law = fitted(ObservedClasses.of(Scores(right, own))).law
    assert law.accuracy(KS)[-1] < 0.9


def test_few_classes_are_left_to_the_ranks():
    fit = fitted(nearest_neighbour(4, 0.5, 3, n_examples=10))
    assert weights(fit) == {"bayesian": 1.0}
    assert part(fit).objection is Objection.TOO_FEW_CLASSES


def test_prior_steadies_the_two_parameter_family_when_errors_are_few():
    target = np.array([2000])
    spread = {}
    for method in (Bayesian(), Gaussian()):
        values = [
            method.fit(nearest_neighbour(60, 0.08, seed), rng())
            .law.accuracy(target)[0]
            for seed in range(8)
        ]  # fmt: skip
        spread[method.name] = np.std(values)
    assert spread["bayesian"] < spread["gaussian"]


def test_repeated_examples_are_not_taken_for_new_evidence():
    single = nearest_neighbour(50, 0.3, 11)
    data = single.data
    tenfold = ObservedClasses.of(
        Scores(np.repeat(data.values, 10, 0), np.repeat(data.own, 10))
    )
    assert effective_size(single) == 50
    assert effective_size(tenfold) < 80
    spread_out = nearest_neighbour(50, 0.3, 11, n_examples=10)
    assert effective_size(spread_out) > effective_size(tenfold)


def test_hiding_keeps_what_was_asked_for_and_nothing_else():
    evidence = nearest_neighbour(50, 0.3, 12, n_examples=2)
    shown = hide_classes(evidence, 20, rng())
    assert shown.n_classes == 20
    assert shown.scores.n_classes == 20
    assert shown.ranking.n_samples == 40
    with pytest.raises(UsageError, match="n_kept"):
        hide_classes(evidence, 51, rng())


SINGLE_METHODS = (
    Regression(),
    Gaussian(),
    Spline(),
    Polynomial(),
    Kde(),
    Kde(rule="bcv"),
)


@pytest.mark.statistical
@pytest.mark.parametrize("n_classes", [50, 200])
def test_worst_error_over_noise_levels_is_below_that_of_any_single_method(n_classes):
    worst: dict[str, float] = {}
    for i, noise in enumerate((0.04, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4)):
        truth = true_accuracy(2000, noise)
        errors: dict[str, list[float]] = {}
        for seed in range(12):
            evidence = nearest_neighbour(n_classes, noise, 1000 * (i + 1) + seed)
            for method in (Auto(), *SINGLE_METHODS):
                found = method.fit(evidence, rng()).law
                error = float(found.accuracy(np.array([2000]))[0]) - truth
                errors.setdefault(method.name, []).append(error)
        for name, e in errors.items():
            rmse = float(np.sqrt(np.mean(np.square(e))))
            worst[name] = max(worst.get(name, 0.0), rmse)
    best_single = min(value for name, value in worst.items() if name != "auto")
    assert worst["auto"] <= best_single


@pytest.mark.statistical
@pytest.mark.skipif(
    not (DATA / "omniglot_small_img35.npz").exists(),
    reason="real characters not found: set SCORECAST_DATA",
)
def test_predicts_242_real_characters_from_60():
    packed = np.load(DATA / "omniglot_small_img35.npz")["img"]
    images = np.unpackbits(packed, axis=-1)[..., :1225].reshape(-1, 20, 1225)
    images = images.astype(np.float64)
    gallery = images[:, :10].mean(axis=1)
    own = np.repeat(np.arange(len(images)), 4)
    probes = images[:, 10:14].reshape(-1, 1225)
    squares = (probes**2).sum(axis=1)[:, None] + (gallery**2).sum(axis=1)
    distance = np.sqrt(squares - 2 * probes @ gallery.T)
    everything = ObservedClasses.of(Scores(-distance, own))
    truth = everything.ranks.accuracy()
    errors = []
    for seed in range(8):
        shown = hide_classes(everything, 60, np.random.default_rng(seed))
        found = fitted(shown).law.accuracy(np.array([242]))
        errors.append(float(found[0]) - truth)
    assert np.sqrt(np.mean(np.square(errors))) < 0.05
