"""Which samples teach and which test: every way of splitting, by name.

One word means one thing everywhere: `cv=10` are ten folds that keep the share of every
class, shuffled by the seed. Objects with ``split`` as scikit-learn's are asked, pairs
of rows are taken as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from scorecast._core.near_names import near_name
from scorecast._core.registry import Method, Registry
from scorecast._core.types import IntArray
from scorecast.evaluation.data import EvaluationData
from scorecast.evaluation.metrics import ByFrequency, Metric, Task
from scorecast.exceptions import InsufficientDataError, UsageError

_FORM = re.compile(r"^([a-z]*|\.632\+?-?)(\d*)(?:x(\d+))?$")
_WEIGHTED = re.compile(r"^0?\.?632(\+|plus)?(?=-|$)")  # other ways to write .632, .632+
_MOST_PAIRS = 5000
_TEST_SIZE = 0.2
_MOST_SPLITS = 100_000  # nobody waits for more
_MIN_FOLD = 3  # samples: below, the value of a fold says nothing of its spread
_FOLDS, _MANY = 10, 200


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """One way to learn and test: rows of both sides."""

    train: IntArray
    test: IntArray


Draw = Callable[["Splitter", EvaluationData, np.random.Generator], list[Split]]


@dataclass(frozen=True, kw_only=True)
class SplitMethod(Method):
    """A way of splitting.

    Attributes
    ----------
    draw : callable
        From a `Splitter`, data and a generator to splits.
    n_splits : int
        How many folds or splits there are if no number is given.
    keeps_class_shares : bool
        Whether every class has its share in every test.
    covers_once : bool
        Whether every sample is tested once in a repeat.
    is_weighted : bool
        Whether the error of samples learned from has a share in the estimate.
    takes_number : bool
        Whether a number of folds or splits can be given.
    takes_repeats : bool
        Whether folds can be drawn anew, as ``"10x5"``.
    respects_groups : bool
        Whether it keeps groups whole where there are any.
    distorts_frequencies : bool
        Whether classes are tested equally often, whatever their share.
    """

    draw: Draw
    n_splits: int = _FOLDS
    keeps_class_shares: bool = False
    covers_once: bool = False
    is_weighted: bool = False
    takes_number: bool = True
    takes_repeats: bool = False
    respects_groups: bool = False
    distorts_frequencies: bool = False


SPLITTERS: Registry[SplitMethod] = Registry()


@dataclass(frozen=True, kw_only=True)
class Splitter:
    """How samples are split.

    Attributes
    ----------
    kind : str
        One of `SPLITTERS`, or ``"given"``.
    n_splits : int
        Folds, or number of random splits.
    n_repeats : int
        How often folds are drawn anew.
    test_size : float
        Share of the samples tested by ``"mc"``.
    """

    kind: str
    n_splits: int = _FOLDS
    n_repeats: int = 1
    test_size: float = _TEST_SIZE

    @property
    def name(self) -> str:
        """The short form, as ``cv10x5``."""
        if self.kind == "given" or not SPLITTERS[self.kind].takes_number:
            return self.kind
        repeats = f"x{self.n_repeats}" if self.n_repeats > 1 else ""
        dash = "-" if self.is_weighted else ""
        return f"{self.kind}{dash}{self.n_splits}{repeats}"

    @property
    def is_weighted(self) -> bool:
        """Whether the error of samples learned from has a share in the estimate."""
        return self.kind != "given" and SPLITTERS[self.kind].is_weighted

    @property
    def leaves_pairs_out(self) -> bool:
        """Whether every split tests one sample of each of two classes."""
        return self.kind == "lpo"


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitPlan:
    """The splits that were drawn.

    Attributes
    ----------
    splitter : Splitter
        How.
    splits : tuple of Split
        The splits, those of one repeat together.
    n_samples : int
        Number of samples.
    """

    splitter: Splitter
    splits: tuple[Split, ...]
    n_samples: int

    @property
    def test_ratio(self) -> float:
        """Samples tested per sample learned from, of the actual splits.

        A sample that a bootstrap sample holds twice was learned from once.
        """
        tested = sum(split.test.size for split in self.splits)
        learned = sum(np.unique(split.train).size for split in self.splits)
        return float(tested / learned)

    @property
    def n_train(self) -> float:
        """Mean number of different samples learned from."""
        return float(np.mean([np.unique(split.train).size for split in self.splits]))

    @property
    def n_test(self) -> float:
        """Mean number of samples tested."""
        return float(np.mean([split.test.size for split in self.splits]))

    @property
    def tests_few(self) -> bool:
        """Whether splits test one sample or two, so that their values mean nothing."""
        return self.n_test < _MIN_FOLD


def check_cv(cv: Any, parameter: str = "cv") -> Splitter:
    """Understand the short form of a way of splitting.

    Parameters
    ----------
    cv : int, str or Splitter
        A number of folds, ``"10x5"``, ``"kfold5x20"``, ``"loo"``, ``"lpo"``,
        ``"mc100"``, ``"group5"``, ``"boot200"``, ``".632+-200"``.
    parameter : str, default="cv"
        What the argument is called.

    Returns
    -------
    Splitter
        What it means.

    Raises
    ------
    UsageError
        If it is not understood.

    Examples
    --------
    >>> check_cv("10x5")
    Splitter(kind='cv', n_splits=10, n_repeats=5, test_size=0.2)
    >>> check_cv(5).name, check_cv(".632+").name
    ('cv5', '.632+-200')
    """
    if isinstance(cv, Splitter):
        return cv
    text = str(cv) if isinstance(cv, int) and not isinstance(cv, bool) else cv
    if isinstance(text, str):
        text = _WEIGHTED.sub(lambda x: ".632+" if x[1] else ".632", text)
    found = _FORM.match(text) if isinstance(text, str) and text else None
    kind = (found[1].removesuffix("-") or "cv") if found else ""
    if found is None or kind not in SPLITTERS:
        near = near_name(kind or text, list(SPLITTERS)) if kind else ""
        raise UsageError(
            "must be a number of folds, or such as '10x5', 'kfold5', 'loo', 'lpo', "
            f"'mc100', 'group5', 'boot200' or '.632+-200'; got {cv!r}",
            parameter=parameter,
            remedy=f"try {near!r}" if near else None,
        )
    chosen = Splitter(
        kind=kind,
        n_splits=int(found[2]) if found[2] else SPLITTERS[kind].n_splits,
        n_repeats=int(found[3]) if found[3] else 1,
    )
    why = _fault_of_counts(chosen, found)
    if why:
        raise UsageError(f"cannot be {cv!r}: {why}", parameter=parameter)
    return chosen


def _fault_of_counts(chosen: Splitter, found: re.Match[str]) -> str:
    """Say why numbers of folds and repeats cannot be, and which can."""
    kind, method = chosen.kind, SPLITTERS[chosen.kind]
    if not method.takes_number and (found[2] or found[3]):
        left = "every sample" if kind == "loo" else "every pair"
        return f"it leaves out {left} once and takes no number; write {kind!r}"
    if method.takes_repeats and chosen.n_splits < 2:
        return (
            f"it takes 2 folds at least, such as {replace(chosen, n_splits=10).name!r}"
        )
    if chosen.n_splits * chosen.n_repeats > _MOST_SPLITS:
        return f"that is more than {_MOST_SPLITS:,} splits"
    if chosen.n_splits < 1:
        such = replace(chosen, n_splits=100).name
        return f"it takes 1 split at least, such as {such!r}"
    if found[3] and not method.takes_repeats:
        total = chosen.n_splits * max(chosen.n_repeats, 1)
        more = Splitter(kind=kind, n_splits=total).name
        return f"its splits are random anyway; for more of them write {more!r}"
    return "it takes 1 repeat at least" if chosen.n_repeats < 1 else ""


def draw_splits(
    cv: Any, data: EvaluationData, rng: np.random.Generator, parameter: str = "cv"
) -> SplitPlan:
    """Split samples.

    Parameters
    ----------
    cv : int, str, Splitter, splitter or iterable of (train, test)
        How; an object with ``split`` as scikit-learn's is asked, pairs are taken.
    data : EvaluationData
        The samples.
    rng : numpy.random.Generator
        Where randomness comes from.
    parameter : str, default="cv"
        What the argument is called.

    Returns
    -------
    SplitPlan
        The splits.

    Raises
    ------
    InsufficientDataError
        If there are too few samples, classes or groups to split so, or if splits that
        were given tear groups apart.
    """
    if hasattr(cv, "split") and not isinstance(cv, str):
        try:
            pairs = list(cv.split(data.X, data.y, data.groups))
        except (TypeError, ValueError) as error:
            problem = f"these samples cannot be split so: {error}"
            raise InsufficientDataError(problem, parameter=parameter) from error
        return _given(pairs, data, parameter)
    if isinstance(cv, Iterable) and not isinstance(cv, str):
        return _given(cv, data, parameter)
    chosen = check_cv(cv, parameter)
    if data.groups is not None and chosen.kind in ("cv", "kfold"):
        # Samples of one group never stand on both sides.
        chosen = replace(chosen, kind="group", test_size=_TEST_SIZE)
    method = SPLITTERS[chosen.kind]
    if data.groups is not None and not method.respects_groups:
        problem = f"{chosen.name!r} tears groups apart"
        remedy = "leave out whole groups, as 'group10' or 'boot' does"
        raise UsageError(problem, parameter=parameter, remedy=remedy)
    splits = method.draw(chosen, data, rng)
    return SplitPlan(splitter=chosen, splits=tuple(splits), n_samples=data.n_samples)


def _given(pairs: Iterable[Any], data: EvaluationData, parameter: str) -> SplitPlan:
    """Take splits that somebody else drew."""
    splits = []
    n = data.n_samples
    for number, pair in enumerate(pairs, start=1):
        if not hasattr(pair, "__len__") or len(pair) != 2:
            problem = f"must give pairs of rows, (train, test); got {pair!r}"
            raise UsageError(problem, parameter=parameter)
        split = Split(train=_rows(pair[0]), test=_rows(pair[1]))
        joined = np.concatenate([split.train, split.test])
        is_outside = joined.size == 0 or joined.min() < 0 or joined.max() >= n
        if is_outside or not (split.train.size and split.test.size):
            problem = f"split {number} must hold rows from 0 to {n - 1} on both sides"
            raise UsageError(problem, parameter=parameter)
        if np.intersect1d(split.train, split.test).size:
            problem = (
                f"split {number} tests samples that it learned from: the answer would "
                "be false"
            )
            raise UsageError(problem, parameter=parameter)
        _refuse_torn(split, data, parameter)
        splits.append(split)
    if not splits:
        raise UsageError("gives no split", parameter=parameter)
    splitter = Splitter(kind="given", n_splits=len(splits))
    return SplitPlan(splitter=splitter, splits=tuple(splits), n_samples=n)


def _rows(given: Any) -> IntArray:
    array = np.asarray(given)
    return np.flatnonzero(array) if array.dtype == bool else array.astype(np.int64)


def _refuse_torn(split: Split, data: EvaluationData, parameter: str) -> None:
    """Refuse a split with samples of one group on both sides."""
    if data.groups is None:
        return
    torn = np.intersect1d(data.groups[split.train], data.groups[split.test])
    if torn.size:
        most = int(data.groups.max()) + 1
        raise InsufficientDataError(
            f"a split has samples of {torn.size:,} groups on both sides: the answer "
            "would be false",
            parameter=parameter,
            remedy=f"keep groups whole, as 'group{min(most, 10)}' does; at most "
            f"{most} folds are possible",
        )


# Ways of splitting ----------------------------------------------------------------


def _splits_of(fold: IntArray, n_folds: int) -> list[Split]:
    """Make splits of the number of the fold of every sample."""
    return [
        Split(train=np.flatnonzero(fold != k), test=np.flatnonzero(fold == k))
        for k in range(n_folds)
    ]


def _check_enough(splitter: Splitter, most: int, what: str) -> None:
    wanted = splitter.n_splits
    if wanted > most:
        fewer = replace(splitter, n_splits=most).name
        raise InsufficientDataError(
            f"{wanted} folds need {wanted} {what}, but there are {most}",
            parameter="cv",
            remedy=f"take {fewer}",
        )


def _stratified(
    splitter: Splitter, data: EvaluationData, rng: np.random.Generator
) -> list[Split]:
    """Deal out every class in turn."""
    if not data.is_classification:
        return _random_folds(splitter, data, rng)
    # A class with fewer samples than folds is tested in some and learned in all.
    _check_enough(splitter, data.n_samples, "samples")
    counts = data.class_counts
    if (counts > 1).sum() < 2:
        label = str(data.classes[int(counts.argmin())])
        raise InsufficientDataError(
            f"holds a single sample of class {label!r}, which cannot be both learned "
            "and tested",
            parameter="y",
            remedy="give two classes of 2 samples or more",
        )
    splits = []
    for _ in range(splitter.n_repeats):
        fold = np.empty(data.n_samples, dtype=np.int64)
        start = 0
        for code in range(data.n_classes):
            members = rng.permutation(np.flatnonzero(data.codes == code))
            # Each class goes on where the last one stopped, so folds stay equal.
            fold[members] = (start + np.arange(members.size)) % splitter.n_splits
            start += members.size
        splits += _splits_of(fold, splitter.n_splits)
    return splits


SPLITTERS.add(
    SplitMethod(
        name="cv",
        title="cross-validation in folds that keep the share of every class",
        summary="the usual choice; 10, or 10x5 for five such divisions",
        reference="R. Kohavi (1995). A study of cross-validation and bootstrap for "
        "accuracy estimation and model selection. IJCAI 14.",
        draw=_stratified,
        keeps_class_shares=True,
        covers_once=True,
        takes_repeats=True,
        respects_groups=True,  # as whole groups, where there are any
    )
)


def _random_folds(
    splitter: Splitter, data: EvaluationData, rng: np.random.Generator
) -> list[Split]:
    """Deal out samples, whatever their class."""
    n = data.n_samples
    _check_enough(splitter, n, "samples")
    splits = []
    for _ in range(splitter.n_repeats):
        fold = np.empty(n, dtype=np.int64)
        fold[rng.permutation(n)] = np.arange(n) % splitter.n_splits
        splits += _splits_of(fold, splitter.n_splits)
    return splits


SPLITTERS.add(
    SplitMethod(
        name="kfold",
        title="cross-validation in random folds",
        summary="folds at random, whatever the classes",
        draw=_random_folds,
        covers_once=True,
        takes_repeats=True,
        respects_groups=True,
    )
)


def _leave_one_out(
    splitter: Splitter, data: EvaluationData, rng: np.random.Generator
) -> list[Split]:
    del splitter, rng
    return _splits_of(np.arange(data.n_samples), data.n_samples)


SPLITTERS.add(
    SplitMethod(
        name="loo",
        title="leave-one-out",
        summary="every sample tested by a model of all others",
        reference="M. Stone (1974). Cross-validatory choice and assessment of "
        "statistical predictions. Journal of the Royal Statistical Society B 36.",
        draw=_leave_one_out,
        covers_once=True,
        takes_number=False,
    )
)


def _leave_pair_out(
    splitter: Splitter, data: EvaluationData, rng: np.random.Generator
) -> list[Split]:
    """Leave out one sample of each of two classes: an AUC without pooling."""
    del splitter
    if not data.is_classification:
        problem = "'lpo' leaves out pairs of different classes, and these are numbers"
        raise UsageError(problem, parameter="cv")
    pairs = [
        (i, j)
        for a, b in combinations(range(data.n_classes), 2)
        for i in np.flatnonzero(data.codes == a)
        for j in np.flatnonzero(data.codes == b)
    ]
    if len(pairs) > _MOST_PAIRS:
        chosen = np.sort(rng.choice(len(pairs), _MOST_PAIRS, replace=False))
        pairs = [pairs[i] for i in chosen]
    everyone = np.arange(data.n_samples)
    return [Split(train=np.delete(everyone, p), test=np.array(p)) for p in pairs]


SPLITTERS.add(
    SplitMethod(
        name="lpo",
        title="leave-pair-out",
        summary="a pair of different classes left out: for AUC and balanced accuracy",
        reference="A. Airola, T. Pahikkala, W. Waegeman, B. De Baets and T. Salakoski "
        "(2011). An experimental comparison of cross-validation techniques for "
        "estimating the area under the ROC curve. Computational Statistics and Data "
        "Analysis 55.",
        draw=_leave_pair_out,
        takes_number=False,
        distorts_frequencies=True,
    )
)


def _monte_carlo(
    splitter: Splitter, data: EvaluationData, rng: np.random.Generator
) -> list[Split]:
    """Choose samples, or whole groups, to test."""
    if not 0 < splitter.test_size < 1:
        problem = f"must lie between 0 and 1; got {splitter.test_size!r}"
        raise UsageError(problem, parameter="test_size")
    units = data.units
    n_units = int(units.max()) + 1
    n_test = min(max(round(splitter.test_size * n_units), 1), n_units - 1)
    splits = []
    for _ in range(splitter.n_splits):
        is_test = np.zeros(n_units, dtype=bool)
        if data.groups is None and data.is_classification:
            is_test[_stratified_choice(data, n_test, rng)] = True
        else:
            is_test[rng.choice(n_units, n_test, replace=False)] = True
        tested = is_test[units]
        splits.append(Split(train=np.flatnonzero(~tested), test=np.flatnonzero(tested)))
    return splits


def _stratified_choice(
    data: EvaluationData, n_test: int, rng: np.random.Generator
) -> IntArray:
    """Choose samples so that every class keeps its share, as near as can be."""
    order = rng.permutation(data.n_samples)
    codes = data.codes[order]
    place = np.empty(data.n_samples)
    for code in range(data.n_classes):
        members = np.flatnonzero(codes == code)
        place[members] = (np.arange(members.size) + rng.random()) / members.size
    return order[np.argsort(place, kind="stable")[:n_test]]


SPLITTERS.add(
    SplitMethod(
        name="mc",
        title="random splits",
        summary="a share of the samples tested, again and again",
        draw=_monte_carlo,
        n_splits=100,
        keeps_class_shares=True,
        respects_groups=True,
    )
)


def _whole_groups(
    splitter: Splitter, data: EvaluationData, rng: np.random.Generator
) -> list[Split]:
    """Deal out groups, large ones first, each to the emptiest fold."""
    if data.groups is None:
        problem = f"{splitter.name!r} needs the group of every sample"
        raise UsageError(problem, parameter="cv", option="groups")
    sizes = np.bincount(data.groups)
    _check_enough(splitter, sizes.size, "groups")
    splits = []
    for _ in range(splitter.n_repeats):
        order = rng.permutation(sizes.size)
        order = order[np.argsort(-sizes[order], kind="stable")]
        load, home = np.zeros(splitter.n_splits), np.empty(sizes.size, dtype=np.int64)
        for group in order:
            home[group] = int(load.argmin())
            load[home[group]] += sizes[group]
        splits += _splits_of(home[data.groups], splitter.n_splits)
    return splits


SPLITTERS.add(
    SplitMethod(
        name="group",
        title="cross-validation in folds of whole groups",
        summary="samples of one group never on both sides",
        draw=_whole_groups,
        covers_once=True,
        takes_repeats=True,
        respects_groups=True,
    )
)


def _bootstrap(
    splitter: Splitter, data: EvaluationData, rng: np.random.Generator
) -> list[Split]:
    """Draw with replacement, whole groups if there are any; test what was left out."""
    units = data.units
    n_units = int(units.max()) + 1
    members = _members(units, n_units)
    splits: list[Split] = []
    for _ in range(100 * splitter.n_splits):
        drawn = rng.integers(0, n_units, n_units)
        left = np.setdiff1d(np.arange(n_units), drawn)
        train = np.concatenate([members[unit] for unit in drawn])
        is_one_class = data.is_classification and np.ptp(data.codes[train]) == 0
        if left.size and not is_one_class:
            test = np.sort(np.concatenate([members[unit] for unit in left]))
            splits.append(Split(train=train, test=test))
        if len(splits) == splitter.n_splits:
            return splits
    problem = (
        "bootstrap samples hardly ever hold two classes: there are too few samples"
    )
    raise InsufficientDataError(problem, parameter="X")


def _members(units: IntArray, n_units: int) -> Sequence[IntArray]:
    order = np.argsort(units, kind="stable")
    ends = np.cumsum(np.bincount(units, minlength=n_units))[:-1]
    return np.split(order, ends)


SPLITTERS.add(
    SplitMethod(
        name="boot",
        title="bootstrap",
        summary="learn from a bootstrap sample, test what it left out",
        reference="B. Efron (1983). Estimating the error rate of a prediction rule: "
        "improvement on cross-validation. Journal of the American Statistical "
        "Association 78.",
        draw=_bootstrap,
        n_splits=_MANY,
        respects_groups=True,
    )
)
SPLITTERS.add(
    SplitMethod(
        name=".632",
        title=".632 bootstrap",
        summary="the bootstrap, weighted against the error of samples learned from",
        reference=SPLITTERS["boot"].reference,
        draw=_bootstrap,
        n_splits=_MANY,
        is_weighted=True,
        respects_groups=True,
    )
)
SPLITTERS.add(
    SplitMethod(
        name=".632+",
        title=".632+ bootstrap",
        summary="the same, weighted by how much the model overfits",
        reference="B. Efron and R. Tibshirani (1997). Improvements on "
        "cross-validation: the .632+ bootstrap method. Journal of the American "
        "Statistical Association 92.",
        draw=_bootstrap,
        n_splits=_MANY,
        is_weighted=True,
        respects_groups=True,
    )
)


# What pairs left out can and cannot say -------------------------------------------

_OF_PAIRS = "balanced_accuracy"


def usual_scoring(task: Task, cvs: Iterable[Any]) -> str | None:
    """Name the usual metric where pairs are left out; None where that of the task does.

    Parameters
    ----------
    task : Task
        What is predicted.
    cvs : iterable
        Ways of splitting, in whatever form; one metric is for all of them.

    Returns
    -------
    str or None
        Name of a metric.
    """
    kinds = [x.kind if isinstance(x, Splitter) else x for x in cvs]
    is_pairs = any(isinstance(kind, str) and kind == "lpo" for kind in kinds)
    return _OF_PAIRS if is_pairs and task is Task.CLASSIFICATION else None


def check_pairs(
    plan: SplitPlan,
    data: EvaluationData,
    metrics: Iterable[Metric],
    *,
    only_samples: bool = False,
) -> None:
    """Refuse what pairs of samples cannot say.

    Every sample is tested as often as all others of its class, so that shares of single
    classes, and balanced accuracy, are what they should be. What depends on how
    frequent classes are is not: in pairs all are alike. A mean of samples can still be
    had sample by sample, but values of pairs, which intervals and tests go by, are of
    something else: the accuracy of pairs is the balanced one.

    Parameters
    ----------
    plan : SplitPlan
        The splits.
    data : EvaluationData
        The samples.
    metrics : iterable of Metric
        The metrics.
    only_samples : bool, default=False
        Whether nothing but the estimate is asked for, so that means of samples will do.

    Raises
    ------
    UsageError
        An AUC of more classes than a pair holds, or a metric that goes by how frequent
        classes are.
    """
    if not plan.splitter.leaves_pairs_out:
        return
    is_many, asked = data.n_classes > 2, tuple(metrics)
    if is_many and any(metric.name == "roc_auc" for metric in asked):
        raise UsageError(
            f"pairs left out have no AUC of {data.n_classes} classes, as a pair holds "
            "two",
            parameter="cv",
            remedy="take 10 folds, or two classes at a time",
        )
    distorted = {ByFrequency.ALWAYS} | (
        {ByFrequency.MANY_CLASSES} if is_many else set()
    )
    instead = _OF_PAIRS if is_many else f"roc_auc or {_OF_PAIRS}"
    for metric in asked:
        is_of_samples = metric.is_mean_of_samples and not only_samples
        if is_of_samples or metric.by_frequency in distorted:
            raise UsageError(
                f"pairs left out test classes equally often, so that {metric.name} "
                "would not be that of these samples",
                parameter="scoring",
                remedy=f"leave out single samples or folds, or ask for {instead}",
            )
