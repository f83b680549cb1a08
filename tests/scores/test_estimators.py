import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from scorecast.exceptions import InvalidInputError, NonMarginalWarning
from scorecast.scores import accuracy_curve, is_marginal, rank_true_classes, scores_from

X, y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[y]
ODD, EVEN = slice(1, None, 2), slice(0, None, 2)


def iris_scores(estimator, **options):
    return scores_from(estimator, X[ODD], NAMES[ODD], X[EVEN], NAMES[EVEN], **options)


@pytest.mark.parametrize(
    "estimator",
    [
        GaussianNB(),
        QuadraticDiscriminantAnalysis(),
        NearestCentroid(),
        make_pipeline(StandardScaler(), GaussianNB()),
    ],
)
def test_marginal_classifiers_pass_without_a_warning(estimator):
    scores = iris_scores(estimator)
    assert scores.classes == ("setosa", "versicolor", "virginica")
    decided = np.array(scores.classes)[scores.values.argmax(axis=1)]
    fitted = estimator.fit(X[ODD], NAMES[ODD])
    assert (decided == fitted.predict(X[EVEN])).all()


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(max_iter=500),
        RandomForestClassifier(20, random_state=0),
        KNeighborsClassifier(5),
        SVC(),
    ],
)
def test_classifiers_that_couple_classes_are_called_so(estimator):
    with pytest.warns(NonMarginalWarning, match="only approximately"):
        scores = iris_scores(estimator)
    assert accuracy_curve(scores, sizes=3).accuracy[0] > 0.9


def test_one_template_per_class_is_marginal_and_scored_by_distance():
    first = [0, 50, 100]
    model = KNeighborsClassifier(1)
    scores = scores_from(model, X[first], NAMES[first], X, NAMES)
    distance = np.linalg.norm(X[:, None] - X[first], axis=2)
    np.testing.assert_allclose(scores.values, -distance, atol=1e-6)
    # Votes of one neighbour would tie nearly everywhere.
    assert rank_true_classes(scores).n_tied.sum() <= 2
    assert not is_marginal(KNeighborsClassifier(1).fit(X, y))


def test_two_classes_with_one_decision_value_become_two_columns():
    pair = y < 2
    with pytest.warns(NonMarginalWarning):
        scores = scores_from(
            LogisticRegression(), X[pair], NAMES[pair], X[pair], NAMES[pair]
        )
    assert scores.n_classes == 2
    assert accuracy_curve(scores).accuracy[0] == 1


def test_the_callers_estimator_is_left_alone_and_a_fitted_one_may_be_used():
    mine = GaussianNB()
    iris_scores(mine)
    assert not hasattr(mine, "theta_")
    mine.fit(X[ODD], NAMES[ODD])
    same = scores_from(mine, None, None, X[EVEN], NAMES[EVEN], refit=False)
    np.testing.assert_array_equal(same.values, iris_scores(GaussianNB()).values)


class Silent(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_a_classifier_without_scores_is_refused():
    with (
        pytest.warns(NonMarginalWarning),
        pytest.raises(InvalidInputError, match="decision_function"),
    ):
        iris_scores(Silent())


def test_one_score_per_pair_of_classes_is_refused_with_the_fix():
    ovo = SVC(decision_function_shape="ovo")
    four = np.arange(len(y)) % 4
    with (
        pytest.warns(NonMarginalWarning),
        pytest.raises(InvalidInputError, match="decision_function_shape='ovr'"),
    ):
        scores_from(ovo, X, four, X, four)


def test_a_test_class_that_was_never_trained_is_refused():
    with pytest.raises(InvalidInputError, match="virginica"):
        scores_from(GaussianNB(), X[y < 2], NAMES[y < 2], X, NAMES)
