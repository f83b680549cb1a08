"""Identification from data and from scores, and decoders side by side."""

import json

import numpy as np
import pytest
from tests.identification.in_nats import (
    codes,
    confusion_information,
    identify,
    identify_from_scores,
    implied_information,
    mutual_information_bound,
)

import scorecast as sc
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    ResultWarning,
    UsageError,
)
from scorecast.identification import (
    Identification,
    IdentificationNote,
    IntervalKind,
)
from scorecast.identification.splits import draw_splits, stimulus_sets


@pytest.fixture(scope="module")
def pair(models):
    return models.gaussian_pair(np.random.default_rng(0), 90, 6, 2.0)


def test_the_curve_is_the_exact_one(models, pair):
    scores = models.bayes_scores(*pair)
    answer = identify_from_scores(scores, to=[1000])
    curve = sc.accuracy_curve(scores, range(90))
    np.testing.assert_array_equal(answer.curve.accuracy, curve.accuracy)
    np.testing.assert_allclose(answer.curve.stderr, curve.stderr)
    assert answer.implied.value == implied_information(scores).value
    assert answer.bound.value == mutual_information_bound(curve).value
    assert answer.forecasts == answer.forecast(1000)
    assert answer.n_candidates == 90
    assert answer.to_frame().shape == (89, 4)


def test_labels_may_be_names_and_directions_may_turn(models, pair):
    scores = models.bayes_scores(*pair)
    order = np.random.default_rng(1).permutation(90)
    names = [f"s{i:02d}" for i in range(90)]
    distances = sc.Scores(
        -scores[order], [names[i] for i in order], classes=names,
        greater_is_better=False,
    )  # fmt: skip
    named = identify_from_scores(distances)
    plain = identify_from_scores(scores)
    assert named.implied.value == pytest.approx(plain.implied.value)
    assert named.bound.value == pytest.approx(plain.bound.value)


def test_stimuli_without_responses_are_left_out(models, pair):
    scores = models.bayes_scores(*pair)
    answer = identify_from_scores(scores[:60], range(60))
    alone = identify_from_scores(scores[:60, :60])
    assert answer.bound.value == alone.bound.value
    assert answer.n_candidates == 60
    (note,) = answer.notes
    assert (note.code, note.count) == (IdentificationNote.WITHOUT_RESPONSES, 30)


def test_the_confusion_matrix_is_shown_where_cases_are_enough():
    rng = np.random.default_rng(0)
    own = np.repeat(np.arange(6), 20)
    scores = rng.normal(size=(120, 6)) + 2 * np.eye(6)[own]
    counts = np.zeros((6, 6))
    np.add.at(counts, (own, scores.argmax(axis=1)), 1)
    answer = identify_from_scores(scores, own)

    found = confusion_information(counts, corrected=True)
    assert answer.bound.confusion == pytest.approx(found)
    spare = (counts > 0).sum() - 6 - 6 + 1
    assert found == pytest.approx(confusion_information(counts) - spare / 240)
    assert np.isnan(identify_from_scores(scores[::20]).bound.confusion)
    fewer = identify_from_scores(scores[::4], own[::4])
    assert np.isnan(fewer.bound.confusion)


def test_a_confusion_matrix_of_guesses_holds_hardly_any_information():

    rng = np.random.default_rng(0)
    tables = rng.multinomial(200, np.full(100, 0.01), size=200).reshape(-1, 10, 10)
    raw = np.mean([confusion_information(t) for t in tables])
    mended = np.mean([confusion_information(t, corrected=True) for t in tables])
    assert raw > 0.15
    assert mended < raw / 3
    perfect = confusion_information(np.diag(np.full(10, 20)), corrected=True)
    assert perfect == pytest.approx(np.log(10))


def test_tied_answers_are_shared_out_in_the_confusion_matrix():
    own = np.repeat(np.arange(4), 5)
    scores = np.zeros((20, 4))
    scores[0, 0] = 1  # not all alike: that is refused
    with pytest.warns(ResultWarning, match="tie"):
        answer = identify_from_scores(scores, own)
    assert answer.bound.confusion == pytest.approx(0, abs=1e-12)


def test_responses_keep_their_precision_and_few_groups_are_named(models, pair):
    seen = []

    class Watched(models.LinearEncoder):
        def fit(self, stimuli, responses):
            seen.append(responses.dtype)
            return super().fit(stimuli, responses)

    x, y = pair
    answer = identify(
        x, y.astype(np.float32), model=Watched(), groups=np.arange(90) // 30, n_splits=1
    )
    assert seen == [np.float32]
    assert IdentificationNote.TOO_FEW_TESTED in codes(answer)


def test_data_are_split_fitted_and_tested(models, pair):
    answer = identify(*pair, model=models.LinearEncoder(), n_splits=4)
    assert answer.n_candidates == 18
    assert answer.trials.n_splits == 4
    assert answer.scores.shape == (18, 18)
    assert answer.model == "LinearEncoder"
    assert answer.implied.value > 0.3
    assert np.isfinite(answer.curve.stderr[:-1]).all()


def test_the_answer_depends_on_the_seed_and_not_on_workers(pair):
    made = {
        key: identify(*pair, n_splits=3, random_state=seed, n_jobs=jobs).to_dict()
        for key, seed, jobs in (("a", 0, 1), ("b", 0, 2), ("c", 1, 1))
    }
    assert made["a"] == made["b"]
    assert made["a"]["result"] != made["c"]["result"]


def test_the_callers_model_is_not_touched(models, pair):
    model = models.LinearEncoder()
    before = pair[0].copy(), pair[1].copy()
    identify(*pair, model=model, n_splits=2)
    assert not hasattr(model, "coef_")
    np.testing.assert_array_equal(pair[0], before[0])
    np.testing.assert_array_equal(pair[1], before[1])


def test_repeated_stimuli_are_one_candidate_with_several_responses(models):
    rng = np.random.default_rng(3)
    x, _ = models.gaussian_pair(rng, 40, 6, 2.0)
    shown = np.repeat(np.arange(40), 3)
    y = x[shown] + rng.normal(size=(120, 6))
    # LinearEncoder itself checks that no candidate was in training.
    answer = identify(
        x[shown], y, model=models.LinearEncoder(), n_splits=3, test_size=0.5
    )
    assert answer.n_candidates == 20
    assert answer.n_responses == 60
    assert answer.n_stimuli == 40
    assert answer.trials.fewest == 3
    assert codes(answer)[:2] == [
        IdentificationNote.REPEATED_ROWS,
        IdentificationNote.REPEATS_BY_DESIGN,
    ]
    assert (answer.notes[0].count, answer.notes[0].total) == (80, 120)


def test_groups_are_never_split(models):
    rng = np.random.default_rng(4)
    x, y = models.gaussian_pair(rng, 48, 6, 2.0)
    groups = np.arange(48) // 4
    sets = stimulus_sets(x, groups)
    for split in draw_splits(sets, 0.25, 20, rng):
        assert {tuple(split.is_test[i : i + 4]) for i in range(0, 48, 4)} <= {
            (True,) * 4,
            (False,) * 4,
        }
        assert split.is_test.sum() == 12
    alone = identify(x, y, model=models.LinearEncoder(), n_splits=3, test_size=0.5)
    grouped = identify(
        x, y, groups=groups, model=models.LinearEncoder(), n_splits=3, test_size=0.5
    )
    assert grouped.trials.class_spread == pytest.approx(1 / 6)
    assert not grouped.trials.is_independent
    assert grouped.implied.replicates.size == 12
    assert len(grouped.assumptions) > len(alone.assumptions)


def test_a_model_that_asks_is_told_which_rows_belong_together(models):
    told = []

    class Tuned(models.LinearEncoder):
        def fit(self, stimuli, responses, groups=None):
            told.append(groups)
            return super().fit(stimuli, responses)

    rng = np.random.default_rng(4)
    x, y = models.gaussian_pair(rng, 40, 6, 2.0)
    identify(x, y, model=Tuned(), n_splits=1)
    identify(x, y, model=Tuned(), n_splits=1, groups=np.arange(40) // 4)
    identify(np.repeat(x, 2, axis=0), np.vstack([y, y]), model=Tuned(), n_splits=1)
    assert told[0] is None
    assert told[1].size == 32
    assert np.unique(told[1], return_counts=True)[1].tolist() == [4] * 8
    assert np.unique(told[2], return_counts=True)[1].tolist() == [2] * 32


def test_a_stimulus_in_two_groups_joins_them():
    x = np.array([[0.0], [1.0], [2.0], [1.0], [3.0]])
    sets = stimulus_sets(x, ["a", "a", "b", "b", "c"])
    assert sets.stimulus.tolist() == [0, 1, 2, 1, 3]
    assert sets.group.tolist() == [0, 0, 0, 1]


def test_splits_average_what_each_would_say(models, pair):
    from scorecast.identification.implied import (
        mean_of_rankings,
        sample_of_ranking,
    )
    from scorecast.scores import Scores, rank_true_classes

    scores = models.bayes_scores(*pair)
    members = [np.arange(40), np.arange(20, 60)]
    rankings = [
        rank_true_classes(Scores(scores[np.ix_(m, m)], range(40))) for m in members
    ]
    together = mean_of_rankings(rankings, members, 90)
    apart = [sample_of_ranking(r) for r in rankings]
    expected = np.mean([s.curve.accuracy for s in apart], axis=0)
    np.testing.assert_allclose(together.curve.accuracy, expected)
    assert together.replicates.shape == (90, 39)
    # Stimuli that no test set has change nothing; those of both move both.
    np.testing.assert_allclose(together.replicates[70], expected)
    both = (apart[0].replicates[30] + apart[1].replicates[10]) / 2
    np.testing.assert_allclose(together.replicates[30, :-1], both[:-1])


def test_the_json_is_pinned(models, pair):
    scores = models.bayes_scores(*pair)
    data = identify_from_scores(scores, to=[500], units="bits").to_dict()
    assert data["kind"] == "identification"
    assert data["schema"] == 2
    assert set(data["inputs"]) == {"n_stimuli", "n_responses", "trials", "tested"}
    assert set(data["options"]) == {
        "units", "confidence_level", "model", "test_size", "duplicates", "random_state",
    }  # fmt: skip
    result = data["result"]
    assert set(result) == {
        "curve", "implied", "bound", "forecasts", "ensembles", "assumptions", "notes",
    }  # fmt: skip
    assert {"classes", "accuracy", "stderr"} <= set(result["curve"])
    assert result["curve"]["covariance"] == []  # thousands of numbers
    assert {"value", "low", "high", "fitted"} <= set(result["implied"])
    assert {"value", "confidence_level", "classes", "best"} <= set(result["bound"])
    assert set(result["forecasts"][0]) == {"classes", "accuracy", "low", "high"}
    again = Identification.from_dict(json.loads(json.dumps(data)))
    assert again.to_dict() == data
    assert (
        again.summary()
        == identify_from_scores(scores, to=[500], units="bits").summary()
    )


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"stimuli": np.ones((5, 2))}, InvalidInputError, "rows of stimuli"),
        ({"stimuli": np.full((30, 2), np.nan)}, InvalidInputError, "not finite"),
        ({"stimuli": np.ones((30, 2))}, InsufficientDataError, "cannot be"),
        ({"stimuli": np.ones(30)}, InvalidInputError, "two dimensions"),
        ({"responses": np.full((30, 3), np.inf)}, InvalidInputError, "not finite"),
        ({"groups": [1, 2]}, InvalidInputError, "groups"),
        ({"groups": [1] * 30}, InsufficientDataError, "in one group cannot be split"),
        ({"groups": [1] * 15 + [2] * 15, "model": None},
         InsufficientDataError, "of 2 groups 1 is tested, and one is left"),
        ({"stimuli": np.ones((1, 2)), "responses": np.ones((1, 2))},
         InsufficientDataError, "one stimulus only"),
        ({"test_size": 0.1}, InsufficientDataError, "test_size"),
        ({"test_size": 0.0}, UsageError, "test_size"),
        ({"test_size": 0.99}, InsufficientDataError, "split"),
        ({"n_splits": 0}, UsageError, "n_splits"),
        ({"n_jobs": 0}, UsageError, "n_jobs"),
        ({"weights": "x"}, UsageError, "weights"),
        ({"confidence_level": 2}, UsageError, "confidence_level"),
        ({"units": "x"}, UsageError, "units"),
        ({"random_state": -1}, UsageError, "random_state"),
    ],
)  # fmt: skip
def test_what_cannot_be_identified_is_refused(models, change, error, words):
    rng = np.random.default_rng(0)
    given = {
        "stimuli": rng.normal(size=(30, 2)),
        "responses": rng.normal(size=(30, 3)),
        "model": models.LinearEncoder(),
        "n_splits": 2,
        **change,
    }
    with pytest.raises(error, match=words):
        identify(**given)


@pytest.mark.parametrize(
    ("scores", "error"),
    [
        (np.eye(3)[:, :2], UsageError),
        ([[1.0]], InsufficientDataError),
        (np.eye(3), InsufficientDataError),
        (np.ones((30, 30)), InsufficientDataError),
        ([[1.0, np.nan], [0.0, 1.0]], InvalidInputError),
        (np.empty((0, 0)), InvalidInputError),
    ],
)
def test_scores_that_say_nothing_are_refused(scores, error):
    with pytest.raises(error):
        identify_from_scores(scores)


def test_too_few_groups_are_named_as_groups(models):
    rng = np.random.default_rng(0)
    x, y = models.gaussian_pair(rng, 60, 4, 2.0)
    answer = identify(
        x, y, groups=np.arange(60) // 6, model=models.LinearEncoder(), n_splits=3
    )
    assert answer.trials.n_groups == 2
    (note,) = [n for n in answer.notes if n.code == IdentificationNote.TOO_FEW_TESTED]
    assert (note.count, note.names) == (2, ("groups",))
    assert answer.implied.interval_kind is IntervalKind.NONE


def test_rows_out_of_order_are_suspected_at_chance(models):
    class Backward(models.LinearEncoder):
        def log_posterior(self, responses, candidates):
            return -super().log_posterior(responses, candidates)

    x, y = models.gaussian_pair(np.random.default_rng(0), 80, 4, 2.0)
    right = identify(x, y, model=models.LinearEncoder(), n_splits=2)
    assert IdentificationNote.NO_BETTER_THAN_CHANCE not in codes(right)
    wrong = identify(x, y, model=Backward(), n_splits=2)
    assert wrong.accuracy < 1 / wrong.n_candidates
    assert IdentificationNote.NO_BETTER_THAN_CHANCE in codes(wrong)


def test_an_answer_gives_its_curve(models, pair):
    answer = identify_from_scores(models.bayes_scores(*pair))
    again = implied_information(answer)
    assert again.value == pytest.approx(answer.implied.value)


@pytest.mark.parametrize(
    ("accuracy", "classes", "words"),
    [(1.0, 1, "at least 2"), ([0.5, 0.4], [9], "one for each")],
)
def test_accuracies_without_candidates_are_refused_in_words(accuracy, classes, words):
    with pytest.raises(UsageError, match=words):
        mutual_information_bound(accuracy, n_classes=classes, n_tests=5)


def test_columns_that_never_change_are_left_out_and_named(models):
    x, y = models.gaussian_pair(np.random.default_rng(0), 60, 4, 2.0)
    model = models.LinearEncoder()
    plain = identify(x, y, model=model, n_splits=2)
    wide = np.insert(y, 1, 3.0, axis=1)
    answer = identify(x, wide, model=model, n_splits=2)
    assert answer.accuracy == plain.accuracy
    note = answer.notes[0]
    assert note.code == IdentificationNote.CONSTANT_RESPONSES
    assert (note.count, note.total, note.names) == (1, 5, ("2",))
    held = identify(np.insert(x, 0, 1.0, axis=1), y, model=model, n_splits=2)
    assert held.notes[0].code == IdentificationNote.CONSTANT_STIMULI
    with pytest.raises(InsufficientDataError, match="ever changes"):
        identify(x, np.ones_like(y), model=model, n_splits=2)


def test_repeated_columns_tie_and_are_named(models, pair):
    scores = models.bayes_scores(*pair)[:40, :40]
    twice = np.hstack([scores, scores])
    scores = np.zeros((20, 4))
    scores[0, 0] = 1  # not all alike: that is refused
    with pytest.warns(ResultWarning, match="tie"):
        answer = identify_from_scores(np.vstack([twice, twice]))
    assert IdentificationNote.MANY_TIES in codes(answer)
    assert answer.accuracy <= 0.5
    assert np.isfinite(answer.bound.value)


@pytest.mark.statistical
def test_intervals_hold_over_random_splits(models):
    rng = np.random.default_rng(7)
    values, errors = [], []
    for _ in range(60):
        x, y = models.gaussian_pair(rng, 200, 8, 1.5)
        answer = identify(
            x,
            y,
            model=models.LinearEncoder(),
            n_splits=4,
            test_size=0.3,
            confidence_level=0.9,
        )
        values.append(answer.implied.separation)
        errors.append(answer.implied.stderr)
    spread = np.std(values, ddof=1)
    # The error left out is that of the fit; with 140 stimuli it is small.
    assert 0.75 < np.mean(errors) / spread < 1.4


# Any regressor


def linear_task(n=200, q=20, seed=0):
    """Responses that are linear in five features, with what they tell in truth."""
    rng = np.random.default_rng(seed)
    stimuli = rng.normal(size=(n, 5))
    weights = rng.normal(size=(5, q)) * 0.4
    responses = stimuli @ weights + rng.normal(size=(n, q)) + 1e4
    truth = np.linalg.slogdet(np.eye(5) + weights @ weights.T)[1] / 2
    return stimuli, responses, truth


def test_a_regressor_is_an_encoding_model():
    from sklearn.linear_model import LinearRegression, RidgeCV

    stimuli, responses, truth = linear_task()
    ours = identify(stimuli, responses, n_splits=4)
    for model in (RidgeCV(), LinearRegression()):
        found = identify(stimuli, responses, model=model, n_splits=4)
        assert found.model == type(model).__name__
        assert found.implied.value == pytest.approx(ours.implied.value, rel=0.05)
        assert found.implied.value == pytest.approx(truth, rel=0.25)
        assert 0.5 < found.bound.value < truth
        again = identify(stimuli, responses, model=model, n_splits=4)
        assert again.to_dict() == found.to_dict()


def test_a_regressor_that_is_wrong_tells_less():
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import RidgeCV

    stimuli, responses, _ = linear_task(120)
    curved = responses + 3 * (stimuli[:, :1] ** 2 - 1)
    good = identify(stimuli, responses, model=RidgeCV(), n_splits=2)
    none = identify(stimuli, responses, model=DummyRegressor(), n_splits=2)
    assert none.implied.value < 1e-9  # all candidates tie
    worse = identify(stimuli, curved, model=RidgeCV(), n_splits=2)
    assert worse.implied.value < good.implied.value


def test_regressors_by_group_and_of_one_output():
    from sklearn.linear_model import Ridge
    from sklearn.svm import SVR

    stimuli, responses, _ = linear_task(60, 3)
    groups = np.arange(60) // 4
    found = identify(stimuli, responses, model=Ridge(), groups=groups, n_splits=2)
    assert found.implied.value > 0
    one = identify(stimuli, responses[:, :2], model=SVR(), n_splits=1)
    assert one.model == "SVR"


def test_what_is_no_model_is_said():
    from sklearn.linear_model import LogisticRegression, RidgeCV

    stimuli, responses, _ = linear_task(40, 3)
    with pytest.raises(UsageError, match="give an instance"):
        identify(stimuli, responses, model=RidgeCV)
    with pytest.raises(UsageError, match="got str"):
        identify(stimuli, responses, model="ridge")
    with pytest.raises(UsageError, match="LogisticRegression cannot be fitted"):
        identify(stimuli, responses, model=LogisticRegression())


# --- how information grows with the number of responses ------------------------------


@pytest.fixture(scope="module")
def channels():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(80, 6))
    return x, x @ rng.normal(size=(6, 12)) / 3 + rng.normal(size=(80, 12))


def test_all_responses_imply_what_the_whole_does_and_fewer_less(channels):
    asked = {"test_size": 0.5, "n_splits": 3}
    answer = identify(*channels, ensemble_sizes=[12, 2, 6], **asked)
    two, six, whole = answer.ensembles
    assert [e.n_responses for e in answer.ensembles] == [2, 6, 12]
    assert [e.n_draws for e in answer.ensembles] == [5, 5, 1]
    assert whole.implied == whole.low == whole.high == answer.implied.value
    assert whole.accuracy == answer.accuracy
    assert two.low <= two.implied <= two.high < six.implied < whole.implied
    # What was asked beside it changes nothing else.
    plain = identify(*channels, **asked)
    assert plain.ensembles == ()
    assert plain.implied.value == answer.implied.value
    again = identify(*channels, ensemble_sizes=[12, 2, 6], n_jobs=2, **asked)
    assert again.ensembles == answer.ensembles
    assert Identification.from_dict(answer.to_dict()).ensembles == answer.ensembles


def test_an_ensemble_is_the_model_fitted_to_these_responses(channels):
    x, y = channels
    asked = {"test_size": 0.5, "n_splits": 2, "ensemble_draws": 1}
    found = identify(x, y, ensemble_sizes=11, **asked).ensembles[0].implied
    # One of twelve was left out.
    splits = {"test_size": 0.5, "n_splits": 2}
    each = [identify(x, np.delete(y, i, axis=1), **splits) for i in range(12)]
    assert found in [one.implied.value for one in each]
    assert len({one.implied.value for one in each}) == 12


@pytest.mark.parametrize("sizes", [0, 13, [3, 2.5], [-1]])
def test_ensembles_that_cannot_be_drawn_are_refused(channels, sizes):
    with pytest.raises(UsageError) as caught:
        identify(*channels, ensemble_sizes=sizes)
    assert caught.value.parameter == "ensemble_sizes"


def test_of_given_scores_there_are_no_ensembles(models, pair):
    with pytest.raises(UsageError) as caught:
        identify_from_scores(models.bayes_scores(*pair), ensemble_sizes=[3])
    assert caught.value.parameter == "ensemble_sizes"
