"""Permutation tests: the scores of scikit-learn, much sooner."""

import importlib
import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GroupKFold,
    ShuffleSplit,
    StratifiedKFold,
    permutation_test_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.snapshot import assert_snapshot, page_text

import scorecast as sc
from scorecast import permutation_test
from scorecast._core.result import result_from_dict
from scorecast.evaluation import PERMUTATION_ENGINES
from scorecast.evaluation.permutation import recognise
from scorecast.evaluation.permutation.exchange import (
    BLOCK,
    block_sizes,
    draw_orders,
    exchangeable,
)
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

FAST = {
    "nearest-centroid": NearestCentroid(),
    "ridge": RidgeClassifier(alpha=0.5),
    "naive-bayes": GaussianNB(),
    "logistic": LogisticRegression(),
    "precomputed-kernel": SVC(kernel="linear"),
    "rotation": LinearSVC(random_state=0),
    "neighbors": KNeighborsClassifier(3),
    "discriminant": LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.4),
}


class Replay(np.random.RandomState):
    """Hands scikit-learn the permutations that ours drew.

    Ours gives case j the features of case o[j]; it moves labels instead, so that the
    case o[j] gets label j.
    """

    def __init__(self, orders):
        super().__init__(0)
        self.orders = iter(orders)

    def permutation(self, n):
        return np.argsort(next(self.orders))


class MovedSplits:
    """Splits that move along with the labels, as scikit-learn's stratified folds do."""

    def __init__(self, splits, orders):
        n = orders.shape[1]
        self.splits, self.orders = splits, iter([np.arange(n), *orders])

    def split(self, X, y, groups=None):
        order = next(self.orders)
        return [(order[train], order[test]) for train, test in self.splits]

    def get_n_splits(self, X=None, y=None, groups=None):
        return len(self.splits)


def drawn(n, count, seed, groups=None, y=None):
    sizes = block_sizes(count)
    streams = np.random.default_rng(seed).spawn(len(sizes) + 1)[1:]
    members = exchangeable(groups, np.zeros(n) if y is None else y)
    parts = zip(sizes, streams, strict=True)
    return np.concatenate([draw_orders(b, members, n, rng) for b, rng in parts])


def assert_same_as_sklearn(model, X, y, splits, count=20, scoring=None):
    ours = permutation_test(
        model, X, y, cv=splits, n_permutations=count, scoring=scoring, random_state=7
    )
    orders = drawn(len(y), count, 7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        score, null, _ = permutation_test_score(
            model,
            X,
            y,
            cv=MovedSplits(splits, orders),
            n_permutations=count,
            scoring=scoring,
            random_state=Replay(orders),
        )
    assert ours.score == score
    assert np.array_equal(ours.permuted.mean(axis=1), null)
    return ours


def few_cases(seed=0, n=40, m=300, share=0.35):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < share * n).astype(int)
    X = rng.standard_normal((n, 4)) @ rng.standard_normal((4, m))
    X += rng.standard_normal((n, m)) + 2
    X[y == 1, :10] += 1
    return X, y


def folds(X, y, k=4):
    return list(StratifiedKFold(k, shuffle=True, random_state=1).split(X, y))


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("m", [300, 12])
def test_scores_equal_those_of_scikit_learn(name, m):
    X, y = few_cases(m=m)
    found = assert_same_as_sklearn(FAST[name], X, y, folds(X, y))
    assert found.method == name
    assert found.n_refitted <= 4


@pytest.mark.parametrize("name", FAST)
def test_a_scaler_before_the_model_is_fitted_per_split(name):
    X, y = few_cases()
    model = make_pipeline(StandardScaler(), FAST[name])
    assert assert_same_as_sklearn(model, X, y, folds(X, y), 10).method == name


@pytest.mark.parametrize(
    "kind", ["shifted", "mean kept", "flat", "nearly flat", "outlier", "rare"]
)
@pytest.mark.parametrize("name", FAST)
def test_a_scaler_sees_features_of_any_kind(name, kind):
    X, y = badly_scaled(kind, m=45)
    scaler = StandardScaler()
    if kind == "mean kept":
        scaler = StandardScaler(with_mean=False)
    if kind == "flat":
        X[:, :3] = 7.3
        scaler = StandardScaler(with_std=False)
    if kind == "nearly flat":  # but for rounding, which knows the classes
        X[:, 3] = np.where(y == 1, 0.1 + 0.2, 0.3)
        X[:, 4] = 1e9 + 2e-6 * y
    if kind == "outlier":
        X[5, 2] = 1e9
    if kind == "rare":  # in some training sets it never varies
        X[:, 4] = 0.1
        X[3, 4] = 2.0
    model = make_pipeline(scaler, FAST[name])
    drawn_twice = (np.r_[0:30, 5:15], np.r_[30:40])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        splits = [*folds(X, y, 3), drawn_twice]
        found = assert_same_as_sklearn(model, X, y, splits, 3)
    assert found.method == name


@pytest.mark.parametrize("name", ["nearest-centroid", "ridge", "logistic"])
def test_a_far_mean_is_left_to_the_scaler_and_the_model(name):
    X, y = badly_scaled("shifted", m=45)
    for model in (
        make_pipeline(StandardScaler(with_mean=False), FAST[name]),
        FAST[name],
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fits that do not converge
            found = assert_same_as_sklearn(model, X, y, folds(X, y, 3), 3)
        assert found.method == name


def test_scaled_features_are_what_the_scaler_makes_of_them():
    """And a scaler that divided by n - 1 would be found out."""
    from scorecast.evaluation.permutation.engines import Features, ScaledFeatures

    rng = np.random.default_rng(1)
    X = rng.normal(3, 2, size=(20, 50))
    seen = X[:14]
    shared = Features(X)
    shift = seen.mean(axis=0) - X.mean(axis=0)
    plain = Features(StandardScaler().fit(seen).transform(X))
    for ddof, is_right in ((0, True), (1, False)):
        ours = ScaledFeatures(shared, shift, seen.std(axis=0, ddof=ddof))
        for name in ("values", "gram", "centred_gram", "squared_distances", "spreads"):
            expected = getattr(plain, name)
            close = np.allclose(getattr(ours, name), expected, rtol=1e-10, atol=1e-10)
            assert close == is_right, name
    ours = ScaledFeatures(shared, shift, seen.std(axis=0))
    for features in (plain, ours):
        inner = features.coordinates @ features.coordinates.T
        np.testing.assert_allclose(inner, plain.values @ plain.values.T, atol=1e-10)
    assert plain.largest_square <= ours.largest_square <= 8 * plain.largest_square


@pytest.mark.parametrize("name", sorted(set(FAST) - {"logistic"}))
def test_several_unbalanced_classes(name):
    X, y = make_classification(
        n_samples=90, n_features=30, n_informative=6, n_classes=3,
        weights=[0.6, 0.25, 0.15], random_state=0,
    )  # fmt: skip
    names = np.array(["low", "middle", "high"])[y]
    found = assert_same_as_sklearn(
        FAST[name], X, names, folds(X, y, 3), 12, "balanced_accuracy"
    )
    assert found.method == name


@pytest.mark.parametrize("name", FAST)
def test_ties_and_constant_features_are_left_to_the_model(name):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (24, 3)).astype(float)
    X = np.c_[X, np.full(24, 7.3), np.zeros(24)]
    y = np.repeat([0, 1], 12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = assert_same_as_sklearn(FAST[name], X, y, folds(X, y, 3))
    assert found.method == name


def badly_scaled(kind, m=60):
    X, y = few_cases(m=m)
    if kind == "one":
        X[:, -1] *= 1e6
    if kind == "all":
        X *= 1e4
    if kind == "shifted":
        X += 1e6
    return X, y


@pytest.mark.parametrize("m", [60, 12])
@pytest.mark.parametrize("kind", ["one", "all", "shifted"])
def test_ridge_on_features_of_any_scale(kind, m):
    X, y = badly_scaled(kind, m)
    drawn_twice = [(np.r_[0:30, 5:15], np.r_[30:40])]
    for splits in (folds(X, y), drawn_twice):
        found = assert_same_as_sklearn(RidgeClassifier(), X, y, splits, 15)
        assert found.method == "ridge"


def test_ridge_on_raw_intensities_of_genes(shared_data):
    data = np.load(shared_data / "microarray_colon.npz")
    X, y = data["X"].astype(np.float64), data["y"]
    found = assert_same_as_sklearn(RidgeClassifier(), X, y, folds(X, y, 5), 10)
    assert found.method == "ridge"
    assert found.n_refitted <= 2  # the fast way does the work, and does it right


def test_logistic_regression_on_features_of_any_scale():
    rng = np.random.default_rng(3)
    y, X = np.arange(36) % 2, rng.standard_normal((36, 200))
    splits = folds(X, y)
    for wide, refitted in (
        (100 * X, True),
        (np.c_[X, 1e6 * X[:, 0]], True),
        (X + 11, True),  # far means lose digits as well
        (X, False),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = permutation_test(
                LogisticRegression(),
                wide,
                y,
                cv=splits,
                n_permutations=5,
                random_state=0,
            )
        assert found.method == "logistic"
        # Nothing is left to steps that rounding may lead elsewhere.
        assert (found.n_refitted == 24) == refitted


def test_logistic_regression_on_raw_intensities_of_genes(shared_data):
    data = np.load(shared_data / "microarray_colon.npz")
    X, y = data["X"].astype(np.float64), data["y"]
    assert_same_as_sklearn(LogisticRegression(), X, y, folds(X, y, 5), 8)


def test_without_the_care_for_ties_scores_would_differ(monkeypatch):
    from scorecast.evaluation.permutation import linear as centroids

    X = np.random.default_rng(5).integers(0, 2, (30, 2)).astype(float)
    y = np.repeat([0, 1], 15)
    careful = assert_same_as_sklearn(NearestCentroid(), X, y, folds(X, y, 5), 25)
    assert careful.n_refitted > 0  # cases midway between two centroids
    monkeypatch.setattr(centroids, "ROUNDING", -1.0)
    with pytest.raises(AssertionError):
        assert_same_as_sklearn(NearestCentroid(), X, y, folds(X, y, 5), 25)


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(fit_intercept=False, C=10.0),
        LogisticRegression(tol=1e-2),
        LogisticRegression(max_iter=7),
        RidgeClassifier(fit_intercept=False),
        GaussianNB(priors=[0.2, 0.8]),
        GaussianNB(var_smoothing=1e-2),
        LinearSVC(loss="hinge", random_state=1),
        LinearSVC(dual=False, C=0.01),
        SVC(kernel="linear", class_weight="balanced"),
        SVC(),
        SVC(gamma=0.01, C=10.0),
        SVC(gamma="auto"),
        KNeighborsClassifier(4, algorithm="kd_tree"),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.9, priors=[0.3, 0.7]),
    ],
)
def test_parameters_are_respected(model):
    X, y = few_cases(seed=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = assert_same_as_sklearn(model, X, y, folds(X, y), 10)
    assert found.method != "loop"


def test_variances_are_smoothed_by_those_of_the_training_samples():
    rng, y = np.random.default_rng(0), np.arange(60) % 2
    X = rng.normal(size=(60, 5)) * (1 + 2 * y[:, None])  # classes differ in spread
    X[y == 1, 0] += 5
    train, test = folds(X, y, 2)[0]
    X[train] += 40  # far from the mean of all samples
    X[test[:15]] += 40
    model = GaussianNB(var_smoothing=0.05)
    found = assert_same_as_sklearn(model, X, y, [(train, test)])
    assert found.method == "naive-bayes"


@pytest.mark.parametrize(
    "model",
    [
        NearestCentroid(metric="manhattan"),
        NearestCentroid(shrink_threshold=0.5),
        RidgeClassifier(class_weight="balanced"),
        RidgeClassifier(solver="sag"),
        LogisticRegression(class_weight="balanced"),
        LogisticRegression(solver="liblinear"),
        SVC(kernel="poly"),
        SVC(kernel="linear", probability=True),
        SVC(kernel="linear", class_weight={0: 2.0}),
        SVC(kernel="linear", break_ties=True),
        LinearSVC(class_weight={1: 3.0}),
        KNeighborsClassifier(weights="distance"),
        KNeighborsClassifier(p=1),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        LinearSVC(penalty="l1"),
        make_pipeline(SelectKBest(k=3), NearestCentroid()),
        DecisionTreeClassifier(criterion="entropy"),
        RandomForestClassifier(max_samples=0.5),
        make_pipeline(StandardScaler(), DecisionTreeClassifier()),
        type("Mine", (NearestCentroid,), {})(),
    ],
)
def test_what_is_not_known_exactly_goes_through_the_loop(model):
    assert recognise(model, 2) is None


def test_the_loop_gives_the_scores_of_scikit_learn_too():
    X, y = few_cases(m=20)
    model = make_pipeline(SelectKBest(k=3), DecisionTreeClassifier(random_state=0))
    found = assert_same_as_sklearn(model, X, y, folds(X, y), 6)
    assert found.method == "loop"
    assert_same_as_sklearn(GaussianNB(), X, y, folds(X, y), 6, "average_precision")


def test_regressors_and_overlapping_splits():
    X, y = few_cases(m=3)
    splits = ShuffleSplit(3, test_size=0.3, random_state=0)
    pairs = list(splits.split(X))
    target = X[:, 0] + np.random.default_rng(0).standard_normal(40)
    assert_same_as_sklearn(LinearRegression(), X, target, pairs, 5)
    assert_same_as_sklearn(RidgeClassifier(), X, y, pairs, 20)


def test_strong_signal_has_the_smallest_p_and_noise_has_not():
    X, y = few_cases(seed=1)
    X[y == 1] += 3
    found = permutation_test(GaussianNB(), X, y, n_permutations=199, random_state=0)
    assert found.p_value == found.smallest_p == 1 / 200
    low, high = found.p_interval()
    assert low == 0 < high < 0.02


def test_the_answer_does_not_depend_on_workers_or_global_state():
    X, y = few_cases(n=24, m=8)
    model = DecisionTreeClassifier(max_features=2)
    answers = []
    for jobs in (1, 2):
        np.random.seed(jobs)  # noqa: NPY002 - the very thing that must not matter
        found = permutation_test(
            model, X, y, cv=3, n_permutations=BLOCK + 5, random_state=3, n_jobs=jobs
        )
        answers.append(found.permuted)
    assert np.array_equal(*answers)


def test_features_of_a_group_stay_together():
    groups = np.repeat(["a", "b", "c", "d"], 6)
    y = np.tile([0, 1, 1], 8)
    orders = drawn(24, 50, 0, groups, y)
    blocks = groups[orders].reshape(50, 4, 6)
    assert (blocks == blocks[:, :, :1]).all()
    X = np.random.default_rng(0).standard_normal((24, 4))
    found = permutation_test(
        NearestCentroid(), X, y, cv=GroupKFold(2), groups=groups, n_permutations=9
    )
    assert found.permuted.shape == (9, 2)


def test_groups_of_one_label_change_places_as_wholes():
    groups = np.repeat(np.arange(9), [2, 2, 2, 2, 3, 3, 3, 1, 1])
    y = groups % 2
    orders = drawn(len(y), 40, 0, groups, y)
    assert (np.sort(orders, axis=1) == np.arange(len(y))).all()
    sizes = np.bincount(groups)
    for order in orders:
        moved = groups[order]
        assert all(np.unique(moved[groups == g]).size == 1 for g in range(9))
        assert np.array_equal(sizes[moved], sizes[groups])
    assert len({tuple(order) for order in orders}) > 20


def test_splits_that_are_no_folds():
    X, y = few_cases(m=60)
    rng = np.random.default_rng(0)
    pairs = []
    for _ in range(4):
        train = rng.integers(0, 40, 40)  # with repetition
        pairs.append((train, np.setdiff1d(np.arange(40), train)[:9]))
    for name, model in FAST.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert assert_same_as_sklearn(model, X, y, pairs, 8).method == name


def test_folds_by_class_stay_so():
    """Labels moved without their splits would leave folds of one class."""

    class Witness(DummyClassifier):
        def fit(self, X, y):
            assert np.bincount(y).tolist() == [9, 3]
            return super().fit(X, y)

    y = np.repeat([0, 1], [12, 4])
    X = np.random.default_rng(0).standard_normal((16, 2))
    found = permutation_test(Witness(), X, y, cv=4, n_permutations=20, random_state=0)
    assert not found.failures


def test_a_class_that_is_missing_from_training_is_a_failure_with_a_reason():
    X = np.random.default_rng(0).standard_normal((12, 3))
    y = np.r_[1, np.zeros(11, int)]
    pairs = [(np.arange(6), np.arange(6, 12)), (np.arange(6, 12), np.arange(6))]
    found = permutation_test(
        LogisticRegression(), X, y, cv=pairs, n_permutations=9, random_state=0
    )
    assert np.isnan(found.fold_scores[1])
    assert sum(found.failures.values()) == 10
    assert "one class" in next(iter(found.failures))
    assert found.n_failed == 10


def test_failed_permutations_count_against_the_model():
    class Moody(DummyClassifier):
        def fit(self, X, y):
            if X[0, 0] > 9:
                msg = "not in the mood"
                raise RuntimeError(msg)
            return super().fit(X, y)

    X, y = np.arange(20.0).reshape(20, 1), np.tile([1, 0], 10)
    pairs = [(np.arange(10), np.arange(10, 20))]
    found = permutation_test(Moody(), X, y, cv=pairs, n_permutations=49, random_state=0)
    failed = int(np.isnan(found.null_scores).sum())
    assert found.failures == {"RuntimeError: not in the mood": failed}
    assert failed > 5
    assert found.n_as_good >= failed


def test_json_there_and_back():
    X, y = few_cases(m=5)
    found = permutation_test(NearestCentroid(), X, y, n_permutations=5)
    again = result_from_dict(found.to_dict())
    assert again.to_dict() == found.to_dict()
    assert again.p_value == found.p_value
    assert len(found.to_columns()["split"]) == 10


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"y": np.zeros(40)}, InsufficientDataError, "one class"),
        ({"y": np.zeros(39)}, InvalidInputError, "40 rows"),
        ({"y": np.r_[np.nan, np.ones(39)]}, InvalidInputError, "not finite"),
        ({"X": np.full((40, 2), np.nan)}, InvalidInputError, "missing"),
        ({"cv": 41}, InsufficientDataError, "41 folds"),
        ({"cv": "many"}, UsageError, "cv"),
        ({"cv": []}, UsageError, "no split"),
        ({"cv": [([0, 1], [1, 2])]}, UsageError, "learned from"),
        ({"cv": [([0, 1], [40])]}, UsageError, "from 0 to 39"),
        ({"cv": [([0, 1], [])]}, UsageError, "both sides"),
        ({"n_permutations": 0}, UsageError, "n_permutations"),
        ({"n_permutations": 2.5}, UsageError, "n_permutations"),
        ({"scoring": "excellence"}, UsageError, "excellence"),
        ({"groups": ["a"]}, InvalidInputError, "groups"),
        ({"n_jobs": 0}, UsageError, "n_jobs"),
        ({"random_state": -1}, UsageError, "random_state"),
    ],
)
def test_bad_input_is_refused(change, error, words):
    X, y = few_cases(m=3)
    call = {"X": X, "y": y, "cv": 3, "n_permutations": 3} | change
    with pytest.raises(error, match=words):
        permutation_test(NearestCentroid(), **call)


def test_a_model_that_always_fails_is_refused():
    X, y = few_cases(m=3)
    with pytest.raises(InsufficientDataError, match="every split"):
        permutation_test(
            LogisticRegression(C=-1.0, solver="liblinear"), X, y, cv=3, n_permutations=2
        )


@pytest.mark.statistical
def test_the_level_is_kept_and_would_not_be_without_the_one():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    kept, broken, runs = 0, 0, 600
    for _ in range(runs):
        X = rng.standard_normal((20, 30))
        splits = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
        found = permutation_test(
            NearestCentroid(), X, y, cv=splits, n_permutations=20, random_state=rng
        )
        kept += found.p_value <= 0.05
        # The broken variant: no +1, and only better scores count.
        broken += np.mean(found.null_scores > found.score) <= 0.05
    spread = 3 * np.sqrt(0.05 * 0.95 / runs)
    assert kept / runs <= 0.05 + spread
    assert broken / runs > 0.05 + spread


LABELS = ["balanced_accuracy", "error_rate", "f1", "matthews_corrcoef"]


@pytest.mark.parametrize("scoring", [*LABELS, "roc_auc", "log_loss", "neg_log_loss"])
def test_metrics_are_measured_as_by_scorers(scoring):
    X, y = few_cases(m=3)
    theirs = {"error_rate": "accuracy", "log_loss": "neg_log_loss"}.get(
        scoring, scoring
    )
    call = {"cv": folds(X, y), "n_permutations": 12, "random_state": 0}
    found = permutation_test(GaussianNB(), X, y, scoring=scoring, **call)
    scorer = get_scorer(theirs)
    other = permutation_test(
        GaussianNB(), X, y, scoring=lambda model, X, y: scorer(model, X, y), **call
    )
    is_engine = found.method == "naive-bayes"
    assert is_engine == (scoring in LABELS)
    assert other.method == "loop"
    assert found.greater_is_better == (scoring in (*LABELS[:1], *LABELS[2:], "roc_auc"))
    sign = {"error_rate": 1 - other.permuted, "roc_auc": other.permuted}
    wanted = sign.get(scoring, other.permuted if scoring in LABELS else -other.permuted)
    assert found.permuted == pytest.approx(wanted, rel=1e-12)
    assert found.p_value == other.p_value


@pytest.mark.parametrize("engine", PERMUTATION_ENGINES.values(), ids=lambda x: x.name)
def test_what_an_engine_claims_of_itself(engine):
    for path in engine.estimators:
        module, _, name = path.rpartition(".")
        kind = getattr(importlib.import_module(module), name)
        options = {"solver": "lsqr", "shrinkage": 0.4}
        model = kind(**options) if engine.name == "discriminant" else kind()
        assert recognise(model, 2).engine is engine
        scaled = recognise(make_pipeline(StandardScaler(), model), 2)
        assert (scaled is not None) == engine.takes_scaler
        seeds = "random_state" in model.get_params()
        assert not engine.draws or seeds
    assert engine.title
    assert engine.summary
    assert engine.n_self_checks >= 2 * engine.draws


def test_how_it_is_shown():
    X, y = few_cases(m=60)
    found = permutation_test(GaussianNB(), X, y, cv=4, n_permutations=99)
    assert_snapshot("permutation_test", sc.render(found))
    assert_snapshot("permutation_test_page", page_text(sc.render(found, "html")))


def test_frames_reach_the_model_as_they_came():
    pandas = pytest.importorskip("pandas")
    X, y = few_cases(m=4)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    call = {"cv": folds(X, y), "n_permutations": 5, "random_state": 0}
    for model in (GaussianNB(), DecisionTreeClassifier(random_state=0)):
        ours, theirs = (permutation_test(model, z, y, **call) for z in (X, frame))
        assert np.array_equal(ours.permuted, theirs.permuted)
