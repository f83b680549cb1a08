"""Which tests fit a table of results, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scorecast._core.percent import percent
from scorecast.comparison.attainable import least_rows
from scorecast.comparison.compare_pair import least_replicates, look_like_cases
from scorecast.comparison.effect_sizes import steady_gaps
from scorecast.comparison.exhaustive_sets import MOST_MODELS
from scorecast.comparison.mcnemar import least_cases
from scorecast.comparison.omnibus import smallest_p
from scorecast.comparison.results_table import ResultsTable
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

__all__ = ["OMNIBUS_TESTS", "PAIRS", "POST_HOC", "Plan", "plan_for"]

PAIRS = (
    "wilcoxon", "sign", "ranks", "aligned", "quade", "corrected-t", "mcnemar",
    "paired-t", "clustered-t",
)  # fmt: skip
POST_HOC = (
    "nemenyi", "bonferroni-dunn", "bonferroni", "holm", "hochberg", "hommel", "finner",
    "shaffer", "bergmann-hommel", "none",
)  # fmt: skip
OMNIBUS_TESTS = (
    "iman-davenport", "iman-davenport-tie-corrected", "friedman",
    "friedman-tie-corrected", "aligned-ranks", "quade",
)  # fmt: skip
_OF_MEAN_RANKS = ("nemenyi", "bonferroni-dunn", "shaffer", "bergmann-hommel")
_OF_ALL_PAIRS = ("nemenyi", "shaffer", "bergmann-hommel")
_RANKS_SAID = {
    "ranks": "mean ranks", "aligned": "aligned ranks", "quade": "Quade's ranks",
}  # fmt: skip
_FEW_GROUPS = 5
_FITS = {
    "data sets": ("wilcoxon", "sign", "ranks", "aligned", "quade"),
    "splits": ("corrected-t",),
    "cases": ("mcnemar", "paired-t", "clustered-t"),
}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What will be done.

    Attributes
    ----------
    rows : str
        What rows are.
    test_ratio : float
        Cases tested per case learned from, for splits.
    pairs : str
        How pairs are tested.
    zeros : str
        What becomes of differences of nought.
    post_hoc : str
        How p-values are adjusted.
    control : str or None
        The model that others are compared with.
    level : float
        One less the family-wise error.
    reasons, warnings : tuple of str
        Why; and what the reader must know.
    """

    rows: str
    test_ratio: float
    pairs: str
    zeros: str
    post_hoc: str
    control: str | None
    level: float
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def pair_test(self) -> str:
        """Name of the test of pairs, with its variant."""
        variant = {"wilcoxon": f"wilcoxon-{self.zeros}", "mcnemar": "mcnemar-mid-p"}
        return variant.get(self.pairs, self.pairs)


def plan_for(
    table: ResultsTable,
    *,
    rows: str,
    test_ratio: float | None,
    control: str | None,
    pairs: str,
    post_hoc: str,
    level: float,
    zeros: str,
    as_sets: bool = False,
) -> Plan:
    """Choose tests for a table.

    Parameters
    ----------
    table : ResultsTable
        The results, complete.
    rows, test_ratio, control, pairs, post_hoc, level, zeros : optional
        As for `compare`.
    as_sets : bool, default=False
        Whether something else asks for data sets, as tests of ranks do.

    Returns
    -------
    Plan
        What to do.

    Raises
    ------
    InvalidInputError
        If the control is no model of the table, or cases are not right or wrong.
    """
    ratio = table.test_ratio if test_ratio is None else test_ratio
    ranked = as_sets or pairs in _FITS["data sets"] or post_hoc in _OF_MEAN_RANKS
    kind, reasons = _kind_of_rows(table, rows, test_ratio, ranked=ranked)
    if control is not None and control not in table.models:
        msg = f"The control {control!r} is none of {', '.join(table.models)}."
        raise InvalidInputError(msg)
    if control is not None and len(table.models) == 2:
        reasons += ("with two models there is one comparison, control or not",)
    _refuse_few(table, kind, 1 - level)
    chosen, correction, why = _choose(table, kind, control, pairs, post_hoc, 1 - level)
    _check_groups(chosen, table)
    _check_fit(chosen, correction, kind, control, len(table.models))
    if chosen == "mcnemar" and not np.isin(table.values, (0, 1)).all():
        msg = (
            "McNemar's test needs 1 for right and 0 for wrong in every row; other "
            "values of cases are compared by paired-t."
        )
        raise InvalidInputError(msg)
    return Plan(
        rows=kind,
        test_ratio=ratio or 0.0,
        pairs=chosen,
        zeros=zeros,
        post_hoc=correction,
        control=control,
        level=level,
        reasons=(*reasons, *why),
        warnings=_warnings(table, kind, chosen, correction, control, 1 - level),
    )


def _kind_of_rows(
    table: ResultsTable, rows: str, given: float | None, *, ranked: bool
) -> tuple[str, tuple[str, ...]]:
    ratio = table.test_ratio if given is None else given
    if table.groups is not None:
        return _rows_of_groups(rows, ratio, ranked)
    values = table.values
    binary = bool(np.isin(values, (0, 1)).all())
    if rows == "splits" and ratio is None:
        msg = "Splits need `test_ratio`: cases tested per case learned from."
        raise UsageError(msg)
    if given is not None and rows in ("data sets", "cases"):
        msg = f"`test_ratio` is for splits of one data set; `rows` says {rows!r}."
        raise UsageError(msg)
    if rows != "auto":
        return rows, ()
    if ratio is not None:
        return "splits", (
            "rows are splits of one data set, which share training cases",
        )
    if binary:
        return "cases", ("all results are 0 or 1: rows are cases, right or wrong",)
    first, second = np.triu_indices(values.shape[1], 1)
    if not ranked and look_like_cases(steady_gaps(values[:, first], values[:, second])):
        return "cases", (
            "many rows, or many that tie: they are taken as cases, and their mean is "
            "what counts (rows that are data sets must be called so)",
        )
    return "data sets", ("rows are taken as independent data sets",)


def _rows_of_groups(
    rows: str, ratio: float | None, ranked: bool
) -> tuple[str, tuple[str, ...]]:
    """Rows that belong together are cases; of nothing else is there a test by group."""
    if ratio is not None or rows not in ("auto", "cases"):
        msg = (
            "Groups (`groups`) are of rows that are cases, not of splits or data sets: "
            "leave out `rows` and `test_ratio`."
        )
        raise UsageError(msg)
    if ranked:
        msg = (
            "Cases in `groups` are compared by their mean (clustered-t, with a "
            "correction such as holm), not by ranks: leave out `pairs`, `post_hoc` "
            "and `omnibus`."
        )
        raise UsageError(msg)
    return "cases", ("rows are cases in groups, of which the mean is what counts",)


def _n_pairs(n_models: int, control: str | None) -> int:
    return n_models - 1 if control is not None else n_models * (n_models - 1) // 2


def _choose(
    table: ResultsTable,
    kind: str,
    control: str | None,
    pairs: str,
    post_hoc: str,
    alpha: float,
) -> tuple[str, str, tuple[str, ...]]:
    n, k = table.values.shape
    if kind != "data sets":
        chosen = pairs
        if pairs == "auto" and table.groups is not None:
            chosen = "clustered-t"
        elif pairs == "auto":
            valued = kind == "cases" and not np.isin(table.values, (0, 1)).all()
            chosen = "paired-t" if valued else _FITS[kind][0]
        correction = "holm" if post_hoc == "auto" else post_hoc
        return chosen, correction, (_HOLM,) if post_hoc == "auto" and k > 2 else ()
    if pairs == "auto":
        pairs, why = _default_pairs(n, k, control, post_hoc, alpha)
    else:
        why = ()
    if post_hoc != "auto":
        return pairs, post_hoc, why
    if k == 2 or pairs in ("wilcoxon", "sign") or control is not None:
        return pairs, "holm", (*why, _HOLM) if k > 2 else why
    if k <= MOST_MODELS:
        best = (
            "Bergmann and Hommel: the most powerful correction for all pairs of ranks"
        )
        return pairs, "bergmann-hommel", (*why, best)
    usual = "Shaffer: there are too many models for Bergmann and Hommel"
    return pairs, "shaffer", (*why, usual)


_HOLM = "Holm: valid whatever depends on what, and never weaker than Bonferroni"


def _default_pairs(
    n: int, k: int, control: str | None, post_hoc: str, alpha: float
) -> tuple[str, tuple[str, ...]]:
    if post_hoc in _OF_MEAN_RANKS and k > 2:
        return "ranks", (f"{post_hoc} is defined for mean ranks",)
    if k == 2:
        return "wilcoxon", ("two models: no distribution is assumed but symmetry",)
    needed = least_replicates(alpha / _n_pairs(k, control))
    if n >= needed:
        return "wilcoxon", (
            "Wilcoxon: what it says of two models does not hang on the others",
        )
    return "ranks", (
        f"mean ranks: with {n} data sets signed ranks could never tell {k} models "
        f"apart (it takes {needed})",
    )


def _refuse_few(table: ResultsTable, kind: str, alpha: float) -> None:
    n, k = table.values.shape
    if table.groups is not None:
        n = len(set(table.groups))
        if n < 2:
            msg = "One group shows no spread between groups: it takes at least two."
            raise InsufficientDataError(msg)
        return
    valued = kind == "cases" and not np.isin(table.values, (0, 1)).all()
    if kind == "splits" or valued:
        least = 2
    elif kind == "cases" and k == 2:
        least = least_cases(alpha)
    elif kind == "cases" or k == 2:
        least = least_replicates(alpha)
    else:
        least = next(i for i in range(2, 100) if smallest_p(i, k) <= alpha)
    if n >= least:
        return
    lost = f" ({table.notes[-1]})" if table.notes else ""
    one = (
        " One data set says nothing of others; for its splits give `test_ratio`, for "
        "its cases 1 and 0."
        if n == 1 and kind == "data sets"
        else ""
    )
    msg = (
        f"{n} {kind if n != 1 else kind.removesuffix('s')} cannot tell {k} models "
        f"apart at level {1 - alpha:g}: it takes at least {least}{lost}.{one}"
    )
    raise InsufficientDataError(msg)


def _check_groups(pairs: str, table: ResultsTable) -> None:
    if (pairs == "clustered-t") == (table.groups is not None):
        return
    if table.groups is None:
        msg = "The clustered-t test needs `groups`: cases that belong together."
    else:
        msg = f"The {pairs} test cannot allow for `groups`: use clustered-t."
    raise UsageError(msg)


def _check_fit(
    pairs: str, post_hoc: str, kind: str, control: str | None, k: int
) -> None:
    if pairs not in _FITS[kind]:
        msg = f"Pairs of {kind} are tested by {', '.join(_FITS[kind])}; got {pairs!r}."
        raise UsageError(msg)
    if post_hoc == "bonferroni-dunn" and control is None:
        msg = "`post_hoc` bonferroni-dunn compares with a `control`: name one."
        raise UsageError(msg)
    if post_hoc in _OF_ALL_PAIRS and control is not None and k > 2:
        msg = f"`post_hoc` {post_hoc} is for all pairs; with a control use holm."
        raise UsageError(msg)
    if post_hoc in ("nemenyi", "bonferroni-dunn") and pairs != "ranks" and k > 2:
        msg = f"`post_hoc` {post_hoc} goes with pairs='ranks', not {pairs!r}."
        raise UsageError(msg)
    if post_hoc == "bergmann-hommel" and k > MOST_MODELS:
        msg = (
            f"`post_hoc` bergmann-hommel is for up to {MOST_MODELS} models; there are "
            f"{k}: use shaffer."
        )
        raise UsageError(msg)


def _warnings(
    table: ResultsTable,
    kind: str,
    pairs: str,
    post_hoc: str,
    control: str | None,
    alpha: float,
) -> tuple[str, ...]:
    n, k = table.values.shape
    found = []
    if post_hoc == "none" and k > 2:
        wrong = 1 - (1 - alpha) ** _n_pairs(k, control)
        found.append(
            f"p-values are not corrected: of {_n_pairs(k, control)} comparisons "
            "without a difference some may be called one, with a chance of up to "
            f"{percent(wrong)}."
        )
    needed = least_rows(pairs, post_hoc, k, _n_pairs(k, control), alpha)
    if needed is None or n < needed:
        takes = f": it takes at least {needed}" if needed is not None else ""
        found.append(
            f"With {n} {kind} no two of {k} models can be told apart by {pairs} with "
            f"post hoc {post_hoc}, whatever the results{takes}."
        )
    if pairs in _RANKS_SAID and n < 10 and k > 2:
        found.append(
            f"{n} data sets are few: p-values of {_RANKS_SAID[pairs]} are approximate "
            "below ten."
        )
    n_groups = 0 if table.groups is None else len(set(table.groups))
    if 0 < n_groups < _FEW_GROUPS:
        found.append(
            f"{n_groups} groups are few: the interval leans on sums of groups being "
            "about normal."
        )
    if not math.isfinite(float(np.ptp(table.values))) or np.ptp(table.values) == 0:
        found.append("All results are the same: no difference can be seen.")
    return tuple(found)
