"""A tree with the habits of C4.5, against the book and against scikit-learn."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from scorecast.evaluation import PrunedTree, make_estimator
from scorecast.evaluation.pruned_tree import extra_errors
from scorecast.exceptions import UsageError


@pytest.mark.parametrize(
    ("n", "wrong", "share"),
    [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157)],
)
def test_expected_errors_are_those_of_the_book(n, wrong, share):
    """Quinlan (1993), section 4.2: upper ends at 25 %, of which .157 is rough there."""
    found = (wrong + extra_errors(n, wrong, 0.25)) / n
    assert found == pytest.approx(share, abs=6e-4 if wrong == 0 else 3e-3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_it_is_an_estimator_as_others():
    check_estimator(PrunedTree())


def test_a_question_of_the_greatest_gain_ratio_is_asked_first():
    """Both features gain; the second, which divides evenly, has the lower ratio."""
    y = np.array([0] * 12 + [1] * 4)
    apart = np.where(y == 1, 1.0, 0.0)
    even = np.arange(16.0)
    even[11:] = [30, 31, 32, 33, 34]  # one sample of the first class on the wrong side
    tree = PrunedTree().fit(np.column_stack([even, apart]), y)
    assert tree.tree_.feature == 1
    assert tree.n_leaves_ == 2


def test_pruning_takes_back_what_noise_taught():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 20)), rng.integers(0, 2, 200)
    grown = PrunedTree(confidence=1).fit(X, y)
    pruned = PrunedTree().fit(X, y)
    harder = PrunedTree(confidence=0.01).fit(X, y)
    assert harder.n_leaves_ <= pruned.n_leaves_ < grown.n_leaves_
    assert (grown.predict(X) == y).mean() >= (pruned.predict(X) == y).mean()


@pytest.mark.parametrize("least", [1, 2, 5])
def test_no_leaf_is_smaller_than_asked(least):
    X, y = load_iris(return_X_y=True)
    tree = PrunedTree(min_samples_leaf=least, confidence=1).fit(X, y)
    sizes = []

    def walk(node):
        if node.below is None:
            sizes.append(node.counts.sum())
        else:
            walk(node.below[0])
            walk(node.below[1])

    walk(tree.tree_)
    assert min(sizes) >= least
    assert sum(sizes) == len(y)


def test_it_is_about_as_accurate_as_others_and_much_smaller():
    X, y = load_breast_cancer(return_X_y=True)
    own = cross_val_score(PrunedTree(), X, y, cv=5).mean()
    other = DecisionTreeClassifier(criterion="entropy", random_state=0)
    assert own > cross_val_score(other, X, y, cv=5).mean() - 0.03
    assert PrunedTree().fit(X, y).n_leaves_ < other.fit(X, y).get_n_leaves()


def test_answers_do_not_depend_on_the_order_of_samples_or_on_scale():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(y))
    first = PrunedTree().fit(X, y)
    other = PrunedTree().fit(np.exp(X[order]), y[order])
    assert np.array_equal(first.predict(X), other.predict(np.exp(X)))


def test_it_has_a_name():
    assert isinstance(make_estimator("c4.5"), PrunedTree)
    assert isinstance(make_estimator("pruned-tree"), PrunedTree)
    with pytest.raises(UsageError, match="public classes of sklearn"):
        make_estimator("scorecast.evaluation.pruned_tree:PrunedTree")


@pytest.mark.parametrize(
    ("setting", "value"),
    [("confidence", 0.0), ("confidence", 0.7), ("min_samples_leaf", 0)],
)
def test_settings_that_make_no_sense_are_refused(setting, value):
    with pytest.raises(UsageError) as caught:
        PrunedTree(**{setting: value}).fit([[0.0], [1.0]], [0, 1])
    assert caught.value.parameter == setting
