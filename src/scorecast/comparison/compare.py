"""Compare many models: choose tests that fit, do them, say why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scorecast._core.checks import (
    check_choice,
    check_flag,
    check_from_zero,
    check_level,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import BoolArray, RandomState
from scorecast.comparison.bars import joined_groups
from scorecast.comparison.choices import OMNIBUS_TESTS, PAIRS, POST_HOC, Plan, plan_for
from scorecast.comparison.comparison import Comparison, ModelPair
from scorecast.comparison.many_pairs import adjusted_p, tested_pairs
from scorecast.comparison.omnibus import (
    OmnibusTest,
    aligned_friedman,
    cochran_q,
    friedman,
    iman_davenport,
    quade,
)
from scorecast.comparison.rank_pairs import critical_difference
from scorecast.comparison.rank_tables import has_ties, row_ranks, standing
from scorecast.comparison.results_table import ResultsTable, results_table
from scorecast.comparison.signed_ranks import ZEROS
from scorecast.comparison.tied_differences import means_beside_nought
from scorecast.comparison.titles import ASSUMES, asked_of
from scorecast.exceptions import InvalidInputError, UsageError

__all__ = ["compare"]

_MISSING = ("drop", "refuse")
_ROWS = ("auto", "data sets", "splits", "cases")


@checked_keywords
def compare(
    table: Any,
    *,
    models: Sequence[str] | None = None,
    long: tuple[str, str, str] | None = None,
    loss: str | None = None,
    greater_is_better: bool | None = None,
    rows: str = "auto",
    test_ratio: float | None = None,
    control: str | None = None,
    pairs: str = "auto",
    post_hoc: str = "auto",
    omnibus: str = "auto",
    level: float = 0.95,
    rope: float | None = None,
    zeros: str = "pratt",
    missing: str = "drop",
    groups: Any = None,
    random_state: RandomState = None,
) -> Comparison:
    """Compare models over data sets, splits or cases; family-wise error controlled.

    By default, with results on many data sets: Friedman's test as Iman and Davenport
    have it for all models at once, and Wilcoxon's signed-rank test with Holm's
    correction for pairs, since what it says of two models does not hang on the others.
    With so few data sets that it could never find anything, mean ranks with the
    correction of Bergmann and Hommel (or Shaffer, beyond eleven models). Two models:
    Wilcoxon alone. Cases that are right or wrong: Cochran's Q and McNemar with Holm.
    Other values of cases: mean differences by the paired t-test with Holm; cases in
    groups: by the clustered t-test with Holm.
    Splits of one data set: the corrected resampled t-test with Holm.

    Parameters
    ----------
    table : DataFrame, mapping, array-like, Assessment, or several assessments
        Rows are data sets, columns are models; one column of text may name the rows,
        and rows of one name are averaged, but for splits.
        One assessment is compared split by split, several (a list, or a mapping by
        name) data set by data set.
    models : sequence of str, optional
        Columns to compare, or names of the columns of an array.
    long : tuple of str, optional
        Columns that hold data set, model and result, where every row is one result.
        Repeats are averaged.
    loss : str, optional
        Which loss of assessments; the first by default.
    greater_is_better : bool, optional
        Which way is better; as the loss says for assessments, else greater.
    rows : {"auto", "data sets", "splits", "cases"}, default="auto"
        What the rows are; found out, and said, by default. Rows of which there are 200
        or more, or 20 or more with a quarter of the differences nought, are taken as
        cases: of those the mean difference is given, not a median.
    test_ratio : float, optional
        Cases tested per case learned from, for splits, such as 1/9 for ten folds.
    control : str, optional
        Compare all others with this one only.
    pairs : str, default="auto"
        ``"wilcoxon"``, ``"sign"``, ``"ranks"``, ``"aligned"``, ``"quade"``; for splits
        ``"corrected-t"``, for cases ``"mcnemar"`` or ``"paired-t"``, for cases in
        groups ``"clustered-t"``.
    post_hoc : str, default="auto"
        ``"nemenyi"``, ``"bonferroni-dunn"`` (with a control), ``"bonferroni"``,
        ``"holm"``, ``"hochberg"``, ``"hommel"``, ``"finner"``, ``"shaffer"``,
        ``"bergmann-hommel"`` (all pairs, up to eleven models), ``"none"``.
    omnibus : str, default="auto"
        Which test of all models to quote: ``"iman-davenport"``,
        ``"iman-davenport-tie-corrected"``, ``"friedman"``,
        ``"friedman-tie-corrected"``, ``"aligned-ranks"``, ``"quade"``. All are done;
        by default the first is quoted, or the second where results tie.
    level : float, default=0.95
        One less the family-wise error; also the level of the interval of each
        difference.
    rope : float, optional
        Half the width of a region of practical equivalence: adds Bayesian chances.
    zeros : {"pratt", "split", "drop"}, default="pratt"
        What the signed-rank test does with differences of nought.
    missing : {"drop", "refuse"}, default="drop"
        What to do with rows that lack a result.
    groups : str or array-like, optional
        Cases that belong together, such as questions about one text or images of one
        patient: a column of `table`, or one entry for each of its rows.
    random_state : int, Generator or None, optional
        Seed of the draws for `rope`; nothing else is random.

    Returns
    -------
    Comparison
        Ranks, tests, pairs with effect sizes; `summary`, `paragraph`, `to_latex`,
        `plot`.

    Raises
    ------
    InsufficientDataError
        If there are too few rows for any test to find anything; says how many it
        needs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> hard = rng.uniform(0.6, 0.9, 12)
    >>> found = compare({
    ...     "tree": hard + rng.normal(0, 0.01, 12),
    ...     "forest": hard + 0.05 + rng.normal(0, 0.01, 12),
    ...     "boosting": hard + 0.05 + rng.normal(0, 0.01, 12),
    ... })
    >>> found.best, found.groups
    ('boosting', (('boosting', 'forest'),))
    """
    _check_words(pairs, post_hoc, omnibus, zeros, missing, rows, rope)
    given = results_table(table, models=models, long=long, loss=loss, groups=groups)
    given, gap = given.complete()
    if gap and missing == "refuse":
        msg = f"{gap}; fill them, or leave those rows out."
        raise InvalidInputError(msg)
    by_name = groups is None and rows != "splits" and test_ratio is None
    if by_name and given.test_ratio is None:
        given = given.averaged()
    better = _direction(greater_is_better, given)
    if test_ratio is not None:
        check_from_zero(test_ratio, "test_ratio", "1/9")
    plan = plan_for(
        given, rows=rows, test_ratio=test_ratio, control=control, pairs=pairs,
        post_hoc=post_hoc, level=check_level(level), zeros=zeros,
        as_sets=omnibus != "auto",
    )  # fmt: skip
    _refuse_omnibus(omnibus, plan.rows, len(given.models))
    tested = tested_pairs(
        given, plan, greater_is_better=better, rope=rope, rng=as_generator(random_state)
    )
    return _wrapped(given, plan, tested, omnibus, better, rope, random_state)


def _check_words(
    pairs: str,
    post_hoc: str,
    omnibus: str,
    zeros: str,
    missing: str,
    rows: str,
    rope: float | None,
) -> None:
    check_choice(pairs, "pairs", ("auto", *PAIRS))
    check_choice(post_hoc, "post_hoc", ("auto", *POST_HOC))
    check_choice(omnibus, "omnibus", ("auto", *OMNIBUS_TESTS))
    check_choice(zeros, "zeros", ZEROS)
    check_choice(missing, "missing", _MISSING)
    check_choice(rows, "rows", _ROWS)
    if rope is not None:
        check_from_zero(rope, "rope")


def _direction(asked: bool | None, given: ResultsTable) -> bool:
    if asked is None:
        return True if given.greater_is_better is None else given.greater_is_better
    return check_flag(asked, "greater_is_better")


def _wrapped(
    given: ResultsTable,
    plan: Plan,
    tested: tuple[ModelPair, ...],
    omnibus: str,
    better: bool,
    rope: float | None,
    random_state: RandomState,
) -> Comparison:
    adjusted = adjusted_p(tested, plan)
    alpha = 1 - plan.level
    ranks = row_ranks(given.values, greater_is_better=better).mean(axis=0)
    places = {name: i for i, name in enumerate(given.models)}
    apart: BoolArray = np.zeros((len(places), len(places)), dtype=bool)
    for pair in adjusted:
        i, j = places[pair.a], places[pair.b]
        apart[i, j] = apart[j, i] = pair.p_adjusted <= alpha + 1e-12
    means = given.values.mean(axis=0)
    if plan.pairs in ("paired-t", "clustered-t"):
        order = np.argsort(-means if better else means, kind="stable").tolist()
    else:
        order = standing(ranks.tolist(), means.tolist(), better)
    bars = joined_groups(order, apart) if plan.control is None else ()
    found = Comparison(
        models=given.models,
        ranks=tuple(map(float, ranks)),
        means=tuple(map(float, means)),
        medians=tuple(map(float, np.median(given.values, axis=0))),
        pairs=adjusted,
        omnibus=_omnibus_tests(given, plan, omnibus, better),
        groups=tuple(tuple(given.models[i] for i in bar) for bar in bars),
        critical_difference=_critical(given, plan),
        n=len(given.rows),
        rows=plan.rows,
        measure=given.measure,
        pair_test=plan.pair_test,
        post_hoc=plan.post_hoc,
        control=plan.control,
        greater_is_better=better,
        level=plan.level,
        rope=rope,
        seed=seed_number(random_state),
        test_ratio=plan.test_ratio if plan.rows == "splits" else None,
        n_units=None if given.groups is None else len(set(given.groups)),
        reasons=plan.reasons,
        assumptions=_assumed(plan, len(given.models)),
        warnings=(*given.notes, *plan.warnings, *_unknown(adjusted)),
    )
    hidden = means_beside_nought(found, given.values)
    return replace(found, warnings=(*found.warnings, *hidden)) if hidden else found


def _assumed(plan: Plan, n_models: int) -> tuple[str, ...]:
    asked = asked_of(plan.pair_test, plan.post_hoc, n_models)
    return (*ASSUMES[plan.pair_test], *asked)


def _refuse_omnibus(asked: str, rows: str, n_models: int) -> None:
    """Refuse a test of all models that is asked for and would not be done."""
    if asked == "auto" or (rows == "data sets" and n_models > 2):
        return
    why = "for three models or more"
    if rows != "data sets":
        done = "cases are tested by Cochran's Q"
        why = f"for data sets; {done if rows == 'cases' else 'splits by none'}"
    msg = f"`omnibus` {asked} is {why}: leave it out."
    raise UsageError(msg)


def _omnibus_tests(
    given: ResultsTable, plan: Plan, asked: str, better: bool
) -> tuple[OmnibusTest, ...]:
    if len(given.models) < 3 or plan.rows == "splits":
        return ()
    if plan.pairs in ("paired-t", "clustered-t"):
        return ()
    values = given.values
    if plan.rows == "cases":
        return (cochran_q(values),)
    tests = {
        "iman-davenport": iman_davenport(values, greater_is_better=better),
        "iman-davenport-tie-corrected": iman_davenport(
            values, greater_is_better=better, tie_corrected=True
        ),
        "friedman": friedman(values, greater_is_better=better),
        "friedman-tie-corrected": friedman(
            values, greater_is_better=better, tie_corrected=True
        ),
        "aligned-ranks": aligned_friedman(values, greater_is_better=better),
        "quade": quade(values, greater_is_better=better),
    }
    first = asked
    if asked == "auto":
        # Without ties both are the same; with many the plain one hardly ever rejects.
        first = "iman-davenport"
        first += "-tie-corrected" if has_ties(values) else ""
    return (tests.pop(first), *tests.values())


def _critical(given: ResultsTable, plan: Plan) -> float | None:
    if plan.rows != "data sets" or len(given.models) < 3:
        return None
    test = "nemenyi" if plan.control is None else "bonferroni-dunn"
    size = (len(given.models), len(given.rows))
    return critical_difference(*size, level=plan.level, test=test)


def _unknown(pairs: Sequence[ModelPair]) -> tuple[str, ...]:
    lost = [f"{pair.a} and {pair.b}" for pair in pairs if math.isnan(pair.p)]
    if not lost:
        return ()
    text = "all differences are the same, so that p is unknown: "
    return (text + "; ".join(lost[:3]) + ("; ..." if len(lost) > 3 else ""),)
