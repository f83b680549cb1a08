"""Which cases teach and which test: every way of splitting, by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from scorecast._core.types import IntArray
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.guarantees.problem import Problem

__all__ = ["Plan", "Sampling", "Split", "check_sampling", "draw_plan"]

_FORM = re.compile(r"^([a-z]+|\.632\+?-?)(\d*)(?:x(\d+))?$")
_WEIGHED = re.compile(
    r"^0?\.?632(\+|plus)?(?=-|$)"
)  # other ways to write .632 and .632+
_MOST_PAIRS = 5000
_TEST_SIZE = 0.2
_LEAST_FOLD = 3  # cases: below, the value of a fold says nothing of its spread


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """One way to learn and test."""

    train: IntArray
    test: IntArray


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How cases are split.

    Attributes
    ----------
    kind : str
        ``"cv"`` (folds that keep the share of every class), ``"kfold"`` (folds at
        random), ``"loo"`` (leave one out), ``"lpo"`` (leave out a pair of different
        classes), ``"mc"`` (random halves of a stated size), ``"group"`` (whole groups
        left out), ``"boot"`` (bootstrap, tested on what it left out), or ``".632"``
        and ``".632+"`` (the same, weighed against the error of cases learned from).
    n_folds : int
        Folds, or number of random splits.
    n_repeats : int
        How often folds are drawn anew.
    test_size : float
        Share of the cases tested by ``"mc"``.
    """

    kind: str
    n_folds: int = 10
    n_repeats: int = 1
    test_size: float = _TEST_SIZE

    @property
    def name(self) -> str:
        """The short form, as ``cv10x5``."""
        if self.kind in ("loo", "lpo", "given"):
            return self.kind
        repeats = f"x{self.n_repeats}" if self.n_repeats > 1 else ""
        dash = "-" if self.is_weighed else ""
        return f"{self.kind}{dash}{self.n_folds}{repeats}"

    @property
    def is_weighed(self) -> bool:
        """Whether the error of cases learned from has a share in the estimate."""
        return self.kind in (".632", ".632+")


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """The splits that were drawn.

    Attributes
    ----------
    sampling : Sampling
        How.
    splits : tuple of Split
        The splits, those of one repeat together.
    n : int
        Number of cases.
    """

    sampling: Sampling
    splits: tuple[Split, ...]
    n: int

    @property
    def test_ratio(self) -> float:
        """Cases tested per case learned from, of the actual splits.

        A case that a bootstrap sample holds twice was learned from once.
        """
        tested = sum(split.test.size for split in self.splits)
        learned = sum(np.unique(split.train).size for split in self.splits)
        return float(tested / learned)

    @property
    def n_train(self) -> float:
        """Mean number of different cases learned from."""
        return float(np.mean([np.unique(split.train).size for split in self.splits]))

    @property
    def n_test(self) -> float:
        """Mean number of cases tested."""
        return float(np.mean([split.test.size for split in self.splits]))

    @property
    def tests_few(self) -> bool:
        """Whether splits test one case or two, so that their values mean nothing."""
        return self.n_test < _LEAST_FOLD

    def restricted(self, count: int) -> Plan:
        """Return the first splits only."""
        return Plan(sampling=self.sampling, splits=self.splits[:count], n=self.n)


def check_sampling(sampling: Any, name: str = "sampling") -> Sampling:
    """Understand the short form of a way of splitting.

    Parameters
    ----------
    sampling : str, int or Sampling
        ``"cv10"``, ``"kfold5x20"``, ``"loo"``, ``"lpo"``, ``"mc100"``, ``"group5"``,
        ``"boot200"``, ``".632+-200"``; a whole number means so many folds.
    name : str, default="sampling"
        What the argument is called.

    Returns
    -------
    Sampling
        What it means.

    Raises
    ------
    UsageError
        If it is not understood.

    Examples
    --------
    >>> check_sampling("cv10x5")
    Sampling(kind='cv', n_folds=10, n_repeats=5, test_size=0.2)
    """
    if isinstance(sampling, Sampling):
        return sampling
    if isinstance(sampling, int) and not isinstance(sampling, bool):
        sampling = f"cv{sampling}"
    if isinstance(sampling, str):
        sampling = _WEIGHED.sub(lambda x: ".632+" if x[1] else ".632", sampling)
    found = _FORM.match(sampling) if isinstance(sampling, str) else None
    kind = found[1].removesuffix("-") if found else ""
    if found is None or kind not in _DRAWN:
        msg = (
            f"`{name}` must be such as 'cv10', 'cv10x5', 'kfold5', 'loo', 'lpo', "
            f"'mc100', 'group5', 'boot200' or '.632+-200'; got {sampling!r}."
        )
        raise UsageError(msg)
    default = {"mc": 100, "boot": 200, ".632": 200, ".632+": 200}.get(kind, 10)
    chosen = Sampling(
        kind=kind,
        n_folds=int(found[2]) if found[2] else default,
        n_repeats=int(found[3]) if found[3] else 1,
    )
    _refuse_counts(chosen, sampling, name, found)
    return chosen


def _refuse_counts(
    chosen: Sampling, given: str, name: str, found: re.Match[str]
) -> None:
    """Refuse numbers of folds and repeats that cannot be, by saying which can."""
    kind, why = chosen.kind, ""
    in_folds = kind in ("cv", "kfold", "group")
    if kind in ("loo", "lpo") and (found[2] or found[3]):
        left = "every case" if kind == "loo" else "every pair"
        why = f"it leaves out {left} once and takes no number; write {kind!r}"
    elif in_folds and chosen.n_folds < 2:
        why = f"it takes 2 folds at least, such as '{kind}10'"
    elif chosen.n_folds < 1:
        why = (
            f"it takes 1 split at least, such as {replace(chosen, n_folds=100).name!r}"
        )
    elif found[3] and not in_folds:
        total = chosen.n_folds * max(chosen.n_repeats, 1)
        more = Sampling(kind=kind, n_folds=total).name
        why = f"its splits are random anyway; for more of them write {more!r}"
    elif chosen.n_repeats < 1:
        why = "it takes 1 repeat at least"
    if why:
        msg = f"`{name}` cannot be {given!r}: {why}."
        raise UsageError(msg)


def draw_plan(sampling: Any, problem: Problem, rng: np.random.Generator) -> Plan:
    """Split the cases of a problem.

    Parameters
    ----------
    sampling : str, int, Sampling, splitter or iterable of (train, test)
        How; an object with ``split`` as scikit-learn's is asked, pairs are taken.
    problem : Problem
        The cases.
    rng : numpy.random.Generator
        Where randomness comes from.

    Returns
    -------
    Plan
        The splits.

    Raises
    ------
    InsufficientDataError
        If there are too few cases, classes or groups to split so, or if splits that
        were given tear groups apart.
    """
    if hasattr(sampling, "split") and not isinstance(sampling, str):
        pairs = sampling.split(problem.X, problem.y, problem.groups)
        return _given(pairs, problem)
    if isinstance(sampling, Iterable) and not isinstance(sampling, str):
        return _given(sampling, problem)
    chosen = check_sampling(sampling)
    if problem.groups is not None and chosen.kind in ("cv", "kfold"):
        # Cases of one group never stand on both sides.
        chosen = Sampling(
            kind="group", n_folds=chosen.n_folds, n_repeats=chosen.n_repeats
        )
    if problem.groups is not None and chosen.kind in ("loo", "lpo"):
        msg = f"Sampling {chosen.name!r} tears groups apart; use 'group10' or 'boot'."
        raise UsageError(msg)
    splits = _DRAWN[chosen.kind](chosen, problem, rng)
    return Plan(sampling=chosen, splits=tuple(splits), n=problem.n)


def _given(pairs: Iterable[Any], problem: Problem) -> Plan:
    splits = []
    for pair in pairs:
        if not hasattr(pair, "__len__") or len(pair) != 2:
            msg = f"`sampling` must give pairs of rows, (train, test); got {pair!r}."
            raise UsageError(msg)
        train, test = pair
        split = Split(train=_indices(train), test=_indices(test))
        joined = np.concatenate([split.train, split.test])
        outside = joined.size == 0 or joined.min() < 0 or joined.max() >= problem.n
        if outside or not (split.train.size and split.test.size):
            msg = f"A split must hold rows from 0 to {problem.n - 1} on both sides."
            raise UsageError(msg)
        if np.intersect1d(split.train, split.test).size:
            msg = "A split tests cases that it learned from: the answer would be false."
            raise UsageError(msg)
        _refuse_torn(split, problem)
        splits.append(split)
    if not splits:
        msg = "`sampling` gives no split."
        raise UsageError(msg)
    sampling = Sampling(kind="given", n_folds=len(splits))
    return Plan(sampling=sampling, splits=tuple(splits), n=problem.n)


def _refuse_torn(split: Split, problem: Problem) -> None:
    if problem.groups is None:
        return
    torn = np.intersect1d(problem.groups[split.train], problem.groups[split.test])
    if torn.size:
        most = int(problem.groups.max()) + 1
        msg = (
            f"A split has cases of {torn.size} groups on both sides: the answer would "
            f"be false. Keep groups whole, as 'group{min(most, 10)}' does; at most "
            f"{most} folds are possible."
        )
        raise InsufficientDataError(msg)


def _indices(given: Any) -> IntArray:
    array = np.asarray(given)
    return np.flatnonzero(array) if array.dtype == bool else array.astype(np.int64)


def _splits_of(fold: IntArray, n_folds: int) -> list[Split]:
    """Make splits of the number of the fold of every case."""
    return [
        Split(train=np.flatnonzero(fold != k), test=np.flatnonzero(fold == k))
        for k in range(n_folds)
    ]


def _check_enough(sampling: Sampling, most: int, what: str, who: str) -> None:
    wanted = sampling.n_folds
    if wanted > most:
        fewer = replace(sampling, n_folds=most).name
        msg = (
            f"{wanted} folds need {wanted} {what}, but {who} {most}; take `sampling` "
            f"{fewer}."
        )
        raise InsufficientDataError(msg)


def _stratified(
    sampling: Sampling, problem: Problem, rng: np.random.Generator
) -> list[Split]:
    if not problem.is_classification:
        return _random_folds(sampling, problem, rng)
    # A class with fewer cases than folds is tested in some and learned in all.
    _check_enough(sampling, problem.n, "cases", "there are")
    counts = problem.class_counts
    if (counts > 1).sum() < 2:
        label = problem.classes[int(counts.argmin())]
        msg = (
            f"y holds a single case of class {str(label)!r}, which cannot be both "
            "learned and tested; two classes of 2 cases or more are needed."
        )
        raise InsufficientDataError(msg)
    splits = []
    for _ in range(sampling.n_repeats):
        fold = np.empty(problem.n, dtype=np.int64)
        start = 0
        for code in range(len(problem.classes)):
            members = rng.permutation(np.flatnonzero(problem.codes == code))
            # Each class goes on where the last one stopped, so folds stay equal.
            fold[members] = (start + np.arange(members.size)) % sampling.n_folds
            start += members.size
        splits += _splits_of(fold, sampling.n_folds)
    return splits


def _random_folds(
    sampling: Sampling, problem: Problem, rng: np.random.Generator
) -> list[Split]:
    _check_enough(sampling, problem.n, "cases", "there are")
    splits = []
    for _ in range(sampling.n_repeats):
        fold = np.empty(problem.n, dtype=np.int64)
        fold[rng.permutation(problem.n)] = np.arange(problem.n) % sampling.n_folds
        splits += _splits_of(fold, sampling.n_folds)
    return splits


def _grouped(
    sampling: Sampling, problem: Problem, rng: np.random.Generator
) -> list[Split]:
    if problem.groups is None:
        msg = f"Sampling {sampling.name!r} needs `groups`."
        raise UsageError(msg)
    sizes = np.bincount(problem.groups)
    _check_enough(sampling, sizes.size, "groups", "there are")
    splits = []
    for _ in range(sampling.n_repeats):
        order = rng.permutation(sizes.size)
        order = order[np.argsort(-sizes[order], kind="stable")]
        load, home = np.zeros(sampling.n_folds), np.empty(sizes.size, dtype=np.int64)
        for group in order:
            # Large groups first, each to the emptiest fold.
            home[group] = int(load.argmin())
            load[home[group]] += sizes[group]
        splits += _splits_of(home[problem.groups], sampling.n_folds)
    return splits


def _leave_one_out(
    sampling: Sampling, problem: Problem, rng: np.random.Generator
) -> list[Split]:
    del sampling, rng
    return _splits_of(np.arange(problem.n), problem.n)


def _leave_pair_out(
    sampling: Sampling, problem: Problem, rng: np.random.Generator
) -> list[Split]:
    """Leave out one case of each of two classes: an AUC without pooling."""
    del sampling
    if not problem.is_classification:
        msg = "Sampling 'lpo' leaves out pairs of different classes; these are numbers."
        raise UsageError(msg)
    pairs = [
        (i, j)
        for a, b in combinations(range(len(problem.classes)), 2)
        for i in np.flatnonzero(problem.codes == a)
        for j in np.flatnonzero(problem.codes == b)
    ]
    if len(pairs) > _MOST_PAIRS:
        chosen = np.sort(rng.choice(len(pairs), _MOST_PAIRS, replace=False))
        pairs = [pairs[i] for i in chosen]
    everyone = np.arange(problem.n)
    return [Split(train=np.delete(everyone, p), test=np.array(p)) for p in pairs]


def _monte_carlo(
    sampling: Sampling, problem: Problem, rng: np.random.Generator
) -> list[Split]:
    if not 0 < sampling.test_size < 1:
        msg = f"`test_size` must lie between 0 and 1; got {sampling.test_size!r}."
        raise UsageError(msg)
    units = _units(problem)
    n_units = int(units.max()) + 1
    n_test = min(max(round(sampling.test_size * n_units), 1), n_units - 1)
    splits = []
    for _ in range(sampling.n_folds):
        is_test = np.zeros(n_units, dtype=bool)
        if problem.groups is None and problem.is_classification:
            is_test[_stratified_choice(problem, n_test, rng)] = True
        else:
            is_test[rng.choice(n_units, n_test, replace=False)] = True
        tested = is_test[units]
        splits.append(Split(train=np.flatnonzero(~tested), test=np.flatnonzero(tested)))
    return splits


def _stratified_choice(
    problem: Problem, n_test: int, rng: np.random.Generator
) -> IntArray:
    """Choose cases so that every class keeps its share, as near as can be."""
    order = rng.permutation(problem.n)
    codes = problem.codes[order]
    place = np.empty(problem.n)
    for code in range(len(problem.classes)):
        members = np.flatnonzero(codes == code)
        place[members] = (np.arange(members.size) + rng.random()) / members.size
    return order[np.argsort(place, kind="stable")[:n_test]]


def _bootstrap(
    sampling: Sampling, problem: Problem, rng: np.random.Generator
) -> list[Split]:
    """Draw with replacement, whole groups if there are any; test what was left out."""
    units = _units(problem)
    n_units = int(units.max()) + 1
    members = _members(units, n_units)
    splits: list[Split] = []
    for _ in range(100 * sampling.n_folds):
        drawn = rng.integers(0, n_units, n_units)
        left = np.setdiff1d(np.arange(n_units), drawn)
        train = np.concatenate([members[unit] for unit in drawn])
        one_class = problem.is_classification and np.ptp(problem.codes[train]) == 0
        if left.size and not one_class:
            test = np.sort(np.concatenate([members[unit] for unit in left]))
            splits.append(Split(train=train, test=test))
        if len(splits) == sampling.n_folds:
            return splits
    msg = "Bootstrap samples hardly ever hold two classes: too few cases."
    raise InsufficientDataError(msg)


def _units(problem: Problem) -> IntArray:
    return np.arange(problem.n) if problem.groups is None else problem.groups


def _members(units: IntArray, n_units: int) -> Sequence[IntArray]:
    order = np.argsort(units, kind="stable")
    ends = np.cumsum(np.bincount(units, minlength=n_units))[:-1]
    return np.split(order, ends)


_DRAWN: dict[str, Callable[[Sampling, Problem, np.random.Generator], list[Split]]] = {
    "cv": _stratified,
    "kfold": _random_folds,
    "group": _grouped,
    "loo": _leave_one_out,
    "lpo": _leave_pair_out,
    "mc": _monte_carlo,
    "boot": _bootstrap,
    ".632": _bootstrap,
    ".632+": _bootstrap,
}
