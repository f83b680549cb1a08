import json
import warnings

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import (
    ExtrapolationWarning,
    InsufficientDataError,
    UnknownParameterError,
    UsageError,
)
from scorecast.extrapolation import (
    EXTRAPOLATORS,
    Extrapolation,
    FixedKde,
    ForecastNote,
    IntervalKind,
    Kde,
    Regression,
    backtest,
    extrapolate,
)
from scorecast.io import load_characters
from scorecast.scores import ScoreNote
from scorecast.simulate import GaussianClasses

OWN = np.arange(120) % 24
SCORES = np.random.default_rng(0).normal(size=(120, 24)) + 2.2 * np.eye(24)[OWN]


def ask(name):
    return FixedKde(bandwidth=0.4) if name == "kde-fixed" else name


@pytest.mark.parametrize("method", EXTRAPOLATORS)
def test_every_method_answers_with_an_interval(method):
    answer = extrapolate(SCORES, OWN, to=[48, 200], method=ask(method))
    assert [p.classes for p in answer.predictions] == [48, 200]
    for p in answer.predictions:
        assert 0 <= p.low <= p.accuracy <= p.high <= 1
    assert answer.method == method
    assert answer.interval_kind is not IntervalKind.TOO_FEW_CLASSES


@pytest.mark.parametrize("method", EXTRAPOLATORS)
def test_every_answer_survives_json(method):
    answer = extrapolate(SCORES, OWN, to=48, method=ask(method))
    text = json.dumps(answer.to_dict(), allow_nan=False)
    assert Extrapolation.from_dict(json.loads(text)).to_dict() == answer.to_dict()


@pytest.mark.slow
def test_forecasts_come_near_the_truth_on_real_characters():
    known = load_characters()
    vectors = sc.Embeddings(known.gallery, known.probes, metric="cosine")
    everything = vectors.labelled(known.labels)
    truth = sc.accuracy_curve(everything, sizes=242, standard_errors=False).accuracy[0]
    errors = []
    for seed in range(4):
        chosen = np.random.default_rng(seed).permutation(242)[:60]
        answer = extrapolate(everything.subset(np.sort(chosen)), to=242, compare=False)
        errors.append(answer.predictions[0].accuracy - truth)
    assert np.sqrt(np.mean(np.square(errors))) < 0.08


def test_auto_shows_what_others_say_and_how_they_did():
    answer = extrapolate(SCORES, OWN, to=100)
    names = {m.name for m in answer.methods}
    assert {"regression", "gaussian", "spline"} <= names
    assert sum(m.weight for m in answer.methods) == pytest.approx(1)
    tested = {row.method for row in answer.backtest}
    assert "auto" in tested
    alone = extrapolate(SCORES, OWN, to=100, compare=False, backtest=0)
    assert alone.backtest == ()
    assert alone.predictions == answer.predictions


def test_regression_reports_the_prediction_of_every_bandwidth():
    answer = extrapolate(SCORES, OWN, to=100, method="regression")
    tried = answer.by_bandwidth
    assert [row.bandwidth for row in tried] == list(np.arange(1, 11) / 10)
    chosen = min(tried, key=lambda row: row.rmse)
    assert chosen.bandwidth == answer.bandwidth
    assert chosen.accuracy[0] == pytest.approx(answer.predictions[0].accuracy)


def test_at_or_below_the_observed_classes_the_exact_average_is_given():
    answer = extrapolate(SCORES, OWN, to=[2, 9, 24], method="gaussian")
    exact = sc.accuracy_curve(SCORES, OWN, sizes=[2, 9, 24]).accuracy
    assert [p.accuracy for p in answer.predictions] == pytest.approx(exact.tolist())
    assert all(p.low <= p.accuracy <= p.high for p in answer.predictions)


def test_far_targets_warn_and_say_so_beside_the_number():
    with pytest.warns(ExtrapolationWarning, match="rough guide"):
        answer = extrapolate(SCORES, OWN, to=24 * 21, method="gaussian")
    assert answer.predictions[0].is_far
    assert note_of(answer, ForecastNote.FAR).value == 21
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        extrapolate(SCORES, OWN, to=24 * 20, method="gaussian")


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ExtrapolationWarning")
@pytest.mark.parametrize("method", EXTRAPOLATORS)
def test_perfect_accuracy_is_forecast_and_never_certainty(method):
    scores = SCORES + 50 * np.eye(24)[OWN]
    rules = {"to": [48, 10**6], "method": ask(method), "confidence_level": 0.9}
    answer = extrapolate(scores, OWN, **rules)
    near, far = answer.predictions
    assert near.bound == pytest.approx(0.1 ** (47 / 23 / 24))
    assert near.bound < near.low < near.accuracy
    assert near.high == far.high == 1
    assert far.low < 0.5 < near.low
    assert answer.is_faultless
    assert note_of(answer, ForecastNote.FAULTLESS)
    one_wrong = scores.copy()
    one_wrong[3, OWN[3]] = one_wrong[3].min() - 1
    worse = extrapolate(one_wrong, OWN, **rules)
    for p, q in zip(worse.predictions, answer.predictions, strict=True):
        assert q.accuracy >= p.accuracy
        assert p.bound is None


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ExtrapolationWarning")
@pytest.mark.parametrize("method", EXTRAPOLATORS)
def test_hopeless_and_nearly_constant_scores_stay_finite(method):
    hopeless = SCORES - 50 * np.eye(24)[OWN]
    hopeless[:, 0] = 100
    nearly = np.zeros_like(SCORES)
    nearly[0, 1] = 1
    for scores in (hopeless, nearly):
        answer = extrapolate(scores, OWN, to=[100, 10**9], method=ask(method))
        for p in answer.predictions:
            assert 0 <= p.accuracy <= 1
            assert np.isfinite([p.low, p.high]).all()


@pytest.mark.parametrize("ties", ["random", "optimistic", "pessimistic"])
@pytest.mark.parametrize("row", [0.0, np.arange(len(OWN))[:, None]])
def test_constant_scores_are_refused_whatever_the_rule_for_ties(ties, row):
    same = np.zeros_like(SCORES) + row
    for ask in (
        lambda: extrapolate(same, OWN, to=100, ties=ties),
        lambda: backtest(same, OWN, ties=ties),
        lambda: extrapolate(same, OWN, cost=1 - np.eye(24), to=100, ties=ties),
    ):
        with pytest.raises(InsufficientDataError, match="nothing is told apart"):
            ask()


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ExtrapolationWarning")
@pytest.mark.parametrize("method", ["gaussian", "regression", "spline"])
def test_the_interval_of_faultless_data_names_where_its_lower_end_is_from(method):
    scores = SCORES + 50 * np.eye(24)[OWN]
    answer = extrapolate(scores, OWN, to=100, method=method, backtest=0)
    assert answer.interval_kind is IntervalKind.FAULTLESS
    assert answer.predictions[0].low < 1
    own = extrapolate(scores, OWN, to=100, method="bayesian", backtest=0)
    assert own.interval_kind is IntervalKind.POSTERIOR
    assert own.predictions[0].low == pytest.approx(answer.predictions[0].low, abs=0.02)
    two = OWN < 2
    few = extrapolate(scores[two], OWN[two], to=100, method=method, backtest=0)
    assert np.isnan(few.predictions[0].low)
    assert few.interval_kind is IntervalKind.TOO_FEW_CLASSES


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ExtrapolationWarning")
def test_chance_stands_beside_every_forecast():
    for top in (1, 3):
        answer = extrapolate(
            SCORES, OWN, to=[2, 12, 100], top=top, method="gaussian",
            backtest=0,
        )  # fmt: skip
        chances = [p.chance for p in answer.predictions]
        assert chances == [min(top / k, 1) for k in (2, 12, 100)]
        saved = answer.to_dict()
        assert [p["chance"] for p in saved["result"]["predictions"]] == chances
        assert answer.to_columns()["chance"] == chances


def note_of(answer, code):
    return next((note for note in answer.notes if note.code == code), None)


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.DataWarning")
@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ExtrapolationWarning")
def test_labels_off_by_one_are_told():
    fits, options = OWN < 23, {"to": 100, "method": "gaussian", "backtest": 0}
    from_one = extrapolate(SCORES[fits], OWN[fits] + 1, **options)
    assert note_of(from_one, ScoreNote.LABELS_SHIFTED).count == -1
    assert note_of(from_one, ScoreNote.NO_BETTER_THAN_CHANCE) is None
    names = [str(i + 1) for i in range(24)]
    from_nought = extrapolate(
        sc.Scores(SCORES[OWN > 0], OWN[OWN > 0].astype(str), classes=names), **options
    )
    assert note_of(from_nought, ScoreNote.LABELS_SHIFTED).count == 1
    right = extrapolate(SCORES, OWN, **options)
    assert note_of(right, ScoreNote.LABELS_SHIFTED) is None
    words = [f"c{i:02}" for i in range(24)]
    odd = [words[i + 1] for i in OWN[fits]]
    named = extrapolate(sc.Scores(SCORES[fits], odd, classes=words), **options)
    assert note_of(named, ScoreNote.LABELS_SHIFTED) is None


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ExtrapolationWarning")
def test_labels_off_by_one_from_a_gallery_are_told():
    gallery = np.random.default_rng(0).normal(size=(24, 6))
    own = OWN[OWN < 23]
    probes = gallery[own] + 0.3 * np.random.default_rng(1).normal(size=(own.size, 6))
    vectors = sc.Embeddings(gallery, probes, own + 1)
    answer = extrapolate(vectors, to=100, method="gaussian", backtest=0)
    assert note_of(answer, ScoreNote.LABELS_SHIFTED).count == -1


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ExtrapolationWarning")
def test_two_and_three_classes_are_answered_or_explained():
    for n_classes in (2, 3):
        own = np.arange(40) % n_classes
        scores = np.random.default_rng(1).normal(size=(40, n_classes))
        scores += np.eye(n_classes)[own]
        for method in EXTRAPOLATORS:
            answer = extrapolate(scores, own, to=10, method=ask(method))
            (p,) = answer.predictions
            assert 0 <= p.accuracy <= 1
            is_none = answer.interval_kind is IntervalKind.TOO_FEW_CLASSES
            assert np.isnan(p.low) == is_none


def test_one_class_with_examples_is_not_enough():
    with pytest.raises(InsufficientDataError, match="one class"):
        extrapolate(SCORES[OWN == 3], OWN[OWN == 3], to=100)


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.ExtrapolationWarning")
def test_classes_without_examples_are_listed_and_compete():
    few = OWN < 20
    answer = extrapolate(SCORES[few], OWN[few], to=100, method="gaussian")
    note = note_of(answer, ScoreNote.CLASSES_WITHOUT_SAMPLES)
    assert (note.count, note.total) == (4, 24)


def test_the_answer_depends_on_neither_workers_nor_the_global_state():
    np.random.seed(1)  # noqa: NPY002 - to show that it does not matter
    first = extrapolate(SCORES, OWN, to=100, n_jobs=1)
    np.random.seed(2)  # noqa: NPY002
    second = extrapolate(SCORES, OWN, to=100, n_jobs=2)
    assert first.to_dict() == second.to_dict()


def test_a_generator_is_accepted_as_random_state():
    answer = extrapolate(SCORES, OWN, to=100, random_state=np.random.default_rng(0))
    assert answer.random_state is None


def test_forecasts_fall_with_the_number_of_classes():
    with pytest.warns(ExtrapolationWarning):
        answer = extrapolate(SCORES, OWN, to=10**9, compare=False)
    assert (np.diff(answer.curve.accuracy) <= 1e-12).all()
    assert (answer.curve.low <= answer.curve.accuracy).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"to": 0}, "to"),
        ({"to": []}, "to"),
        ({"to": 1.5}, "to"),
        ({"to": 10, "method": "knn"}, "method"),
        ({"to": 10, "confidence_level": 90}, "confidence_level"),
        ({"to": 10, "ties": "none"}, "ties"),
        ({"to": 10, "average": "none"}, "average"),
        ({"to": 10, "random_state": -1}, "random_state"),
        ({"to": 10, "n_jobs": 0}, "n_jobs"),
    ],
)
def test_wrong_arguments_are_refused(options, words):
    with pytest.raises(UsageError, match=words):
        extrapolate(SCORES, OWN, **options)


def test_labels_are_needed_unless_the_scores_carry_them():
    with pytest.raises(UsageError, match="y_true"):
        extrapolate(SCORES, to=10)
    assert extrapolate(sc.Scores(SCORES, OWN), to=48, method="gaussian")


def test_golden_kde_predictions_on_the_authors_scores(shared_data, shared_golden):
    golden = json.loads((shared_golden / "classex_telugu.json").read_text())
    data = np.load(shared_data / "telugu_authors_scores.npz")
    names = {"deepslim": "deep", "logistic": "logistic", "svm": "svm"}
    checked = 0
    for case in golden.values():
        key = f"{names[case['classifier']]}_{case['k1']}"
        for rule in ("ucv", "bcv"):
            answer = extrapolate(
                data[key],
                data[f"y_{case['k1']}"],
                to=case["k2"],
                method=f"kde-{rule}",
                ties="pessimistic",
                average="micro",
                backtest=0,
            )
            found = answer.predictions[0].accuracy
            assert found == pytest.approx(case[f"kde_{rule}"], abs=1e-6)
            checked += 1
    assert checked >= 16


def test_golden_gaussian_simulation(shared_golden):
    gallery = np.loadtxt(
        shared_golden / "gauss10_s20_k500_centroids.csv", delimiter=","
    )
    probes = np.loadtxt(shared_golden / "gauss10_s20_k500_examples.csv", delimiter=",")
    words = (shared_golden / "gauss10_s20_k500_R.txt").read_text().split()
    vectors = sc.Embeddings(gallery, probes, range(500))

    def forecast(method):
        answer = extrapolate(vectors, to=10_000, method=method, backtest=0)
        return answer.predictions[0].accuracy

    for rule in ("ucv", "bcv"):
        expected = float(words[words.index(rule) + 1])
        assert forecast(Kde(rule=rule)) == pytest.approx(expected, abs=1e-6)
    start = words.index("regs") + 1
    sizes = tuple(range(20, 501, 20))
    for h, word in zip(np.arange(1, 11) / 10, words[start : start + 10], strict=True):
        found = forecast(Regression(knots="r", bandwidth=float(h), sizes=sizes))
        assert found == pytest.approx(float(word), abs=1e-6)


def test_large_embeddings_never_become_a_matrix():
    gallery, probes, y = GaussianClasses(noise=0.05).sample(3000, random_state=0)
    answer = extrapolate(
        sc.Embeddings(gallery, probes), y, to=30_000, method="gaussian"
    )
    assert 0.3 < answer.predictions[0].accuracy < 1


def test_comparisons_smooth_no_more_scores_than_they_may(monkeypatch):
    monkeypatch.setattr(Kde, "max_cells", 100)
    answer = extrapolate(SCORES, OWN, to=100)
    assert not {"kde-ucv", "kde-bcv"} & {m.name for m in answer.methods}
    assert {"bayesian", "tail"} == {m.name for m in answer.methods if m.weight}


def test_settings_that_a_method_does_not_have_are_refused():
    with pytest.raises(UnknownParameterError, match="bandwidth"):
        EXTRAPOLATORS["gaussian"].with_settings(bandwidth=1)
    with pytest.raises(UnknownParameterError, match="Try 'bandwidth'"):
        EXTRAPOLATORS["regression"].with_settings(bandwith=1)


def test_what_was_set_is_in_the_answer_and_in_its_file():
    answer = extrapolate(SCORES, OWN, to=48, method=Regression(bandwidth=0.3))
    assert answer.method == "regression"
    assert answer.settings == {"bandwidth": 0.3}
    assert answer.to_dict()["options"]["settings"] == {"bandwidth": 0.3}
