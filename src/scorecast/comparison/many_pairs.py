"""Test every pair of models in a table, and adjust the p-values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import binom

from scorecast._core.types import FloatArray, IntArray
from scorecast.comparison.adjustments import ADJUSTMENTS
from scorecast.comparison.bayesian import (
    RopeChances,
    correlated_t,
    mean_posterior,
    share_posterior,
    signed_rank_posterior,
)
from scorecast.comparison.choices import Plan
from scorecast.comparison.comparison import ModelPair
from scorecast.comparison.effect_sizes import effect_size, steady_gaps
from scorecast.comparison.exhaustive_sets import bergmann_hommel, shaffer
from scorecast.comparison.mcnemar import mcnemar
from scorecast.comparison.rank_pairs import nemenyi_p, normal_p, rank_z
from scorecast.comparison.resampling import PairedCases, clustered_t_test
from scorecast.comparison.results_table import ResultsTable
from scorecast.comparison.signed_ranks import wilcoxon_p
from scorecast.comparison.t_tests import corrected_t, paired_t
from scorecast.comparison.walsh_averages import pseudo_median

__all__ = ["adjusted_p", "tested_pairs"]

Ends = tuple[float, float, float]


def tested_pairs(
    table: ResultsTable,
    plan: Plan,
    *,
    greater_is_better: bool,
    rope: float | None,
    rng: np.random.Generator,
) -> tuple[ModelPair, ...]:
    """Test every pair by itself.

    Parameters
    ----------
    table : ResultsTable
        The results, complete.
    plan : Plan
        How.
    greater_is_better : bool
        Which way is better.
    rope : float or None
        Half the width of the region of practical equivalence.
    rng : numpy.random.Generator
        For the draws of the Bayesian test.

    Returns
    -------
    tuple of ModelPair
        `p_adjusted` is not yet adjusted, except by Nemenyi, whose p-values are for all
        pairs from the start.
    """
    first, second = _places(table.models, plan.control)
    values = table.values
    gaps = steady_gaps(values[:, first], values[:, second])
    unit = table.units
    p, ends, ways = _tests(values, gaps, first, second, plan, greater_is_better, unit)
    plain = p
    if plan.post_hoc == "nemenyi" and len(table.models) > 2:
        z = rank_z(values, "ranks", greater_is_better=greater_is_better)
        p = nemenyi_p(z[first, second], len(table.models))
    streams = rng.spawn(len(first)) if rope is not None else [rng] * len(first)
    return tuple(
        ModelPair(
            a=table.models[i],
            b=table.models[j],
            p=float(plain[place]),
            p_adjusted=float(p[place]),
            direction=int(ways[place]),
            effect=effect_size(
                (values[:, i], values[:, j]), ends[place],
                greater_is_better=greater_is_better,
            ),
            chances=_chances(gaps[:, place], plan, rope, streams[place], unit),
        )
        for place, (i, j) in enumerate(zip(first, second, strict=True))
    )  # fmt: skip


def _places(models: Sequence[str], control: str | None) -> tuple[list[int], list[int]]:
    k = len(models)
    if control is None:
        rows, columns = np.triu_indices(k, 1)
        return rows.tolist(), columns.tolist()
    own = list(models).index(control)
    others = [i for i in range(k) if i != own]
    return [own] * (k - 1), others


def _tests(
    values: FloatArray,
    gaps: FloatArray,
    first: list[int],
    second: list[int],
    plan: Plan,
    greater_is_better: bool,
    unit: IntArray,
) -> tuple[FloatArray, list[Ends], IntArray]:
    """Return p-values of pairs, differences with intervals, and which is higher."""
    if plan.rows == "splits":
        tests = [corrected_t(g, plan.test_ratio, level=plan.level) for g in gaps.T]
    elif plan.pairs == "clustered-t":
        tests = [
            clustered_t_test(
                PairedCases(first=values[:, i], second=values[:, j], unit=unit),
                level=plan.level,
            )
            for i, j in zip(first, second, strict=True)
        ]
    elif plan.pairs == "paired-t":
        tests = [paired_t(g, level=plan.level) for g in gaps.T]
    elif plan.rows == "cases":
        right = values == 1
        tests = [
            mcnemar(right[:, i], right[:, j], level=plan.level)
            for i, j in zip(first, second, strict=True)
        ]
    else:
        ends = [pseudo_median(g, plan.level) for g in gaps.T]
        if plan.pairs == "wilcoxon":
            p, _, ways = wilcoxon_p(gaps, zeros=plan.zeros)
            return p, ends, ways
        if plan.pairs == "sign":
            return _sign_p(gaps), ends, np.sign(np.sign(gaps).sum(axis=0)).astype(int)
        z = rank_z(values, plan.pairs, greater_is_better=greater_is_better)
        # The better of two models has the lower rank.
        z = z[first, second] * (-1 if greater_is_better else 1)
        return normal_p(z), ends, np.sign(z).astype(int)
    p = np.array([test.p for test in tests])
    ends = [(test.difference, test.low, test.high) for test in tests]
    return p, ends, np.array([test.direction for test in tests])


def _sign_p(gaps: FloatArray) -> FloatArray:
    above, below = (gaps > 0).sum(axis=0), (gaps < 0).sum(axis=0)
    tail = binom.cdf(np.minimum(above, below), above + below, 0.5)
    p: FloatArray = np.minimum(2 * tail, 1.0)
    return p


def _chances(
    gaps: FloatArray,
    plan: Plan,
    rope: float | None,
    rng: np.random.Generator,
    unit: IntArray,
) -> RopeChances | None:
    if rope is None:
        return None
    if plan.rows == "splits":
        return correlated_t(gaps, plan.test_ratio, rope)
    if plan.pairs in ("paired-t", "clustered-t"):
        return mean_posterior(gaps, unit, rope, rng=rng)
    if plan.rows == "cases":
        apart = int((gaps > 0).sum()), int((gaps < 0).sum())
        return share_posterior(*apart, gaps.size, rope, rng=rng)
    return signed_rank_posterior(gaps, rope, rng=rng)


def adjusted_p(pairs: Sequence[ModelPair], plan: Plan) -> tuple[ModelPair, ...]:
    """Adjust the p-values of all pairs together.

    Parameters
    ----------
    pairs : sequence of ModelPair
        As `tested_pairs` gave them.
    plan : Plan
        How.

    Returns
    -------
    tuple of ModelPair
        Pairs without a p-value keep none, but count as comparisons.
    """
    raw = np.array([pair.p_adjusted for pair in pairs])
    known = ~np.isnan(raw)
    p = _adjust(np.where(known, raw, 1.0), plan)
    return tuple(
        replace(pair, p_adjusted=float(q) if ok else math.nan)
        for pair, q, ok in zip(pairs, p, known, strict=True)
    )


def _adjust(p: FloatArray, plan: Plan) -> FloatArray:
    if p.size == 1 or plan.post_hoc in ("none", "nemenyi"):
        return p
    n_models = round((1 + math.sqrt(1 + 8 * p.size)) / 2)
    if plan.post_hoc == "shaffer":
        return shaffer(p, n_models)
    if plan.post_hoc == "bergmann-hommel":
        return bergmann_hommel(p, n_models)
    name = "bonferroni" if plan.post_hoc == "bonferroni-dunn" else plan.post_hoc
    return ADJUSTMENTS[name](p)
