"""Model against model: two of them, or many over many data sets.

Kernels take arrays and give numbers; `compare` and `compare_pair` choose among them,
say why, and wrap what came out.
"""

from __future__ import annotations

from scorecast.comparison.adjustments import (
    bonferroni,
    finner,
    hochberg,
    holm,
    hommel,
)
from scorecast.comparison.bayesian import (
    RopeChances,
    correlated_t,
    signed_rank_posterior,
)
from scorecast.comparison.choices import PAIRS, POST_HOC
from scorecast.comparison.compare import compare
from scorecast.comparison.compare_pair import PAIR_TESTS, compare_pair
from scorecast.comparison.comparison import Comparison, ModelPair
from scorecast.comparison.effect_sizes import EffectSize, cliffs_delta, cohens_d
from scorecast.comparison.exhaustive_sets import bergmann_hommel, shaffer
from scorecast.comparison.mcnemar import mcnemar_of_counts
from scorecast.comparison.metrics import case_values
from scorecast.comparison.omnibus import (
    OmnibusTest,
    aligned_friedman,
    cochran_q,
    friedman,
    friedman_of_ranks,
    iman_davenport,
    iman_davenport_of,
    p_said,
    quade,
)
from scorecast.comparison.pair_comparison import PairComparison
from scorecast.comparison.pair_test import PairTest
from scorecast.comparison.rank_pairs import critical_difference, nemenyi_p, rank_z
from scorecast.comparison.sources import OMNIBUS_PAPERS, PAIR_PAPERS, works_cited
from scorecast.comparison.titles import OMNIBUS_TITLES, POST_HOC_TITLES, TEST_TITLES
from scorecast.comparison.wording import difference_said, named

__all__ = [
    "OMNIBUS_PAPERS",
    "OMNIBUS_TITLES",
    "PAIRS",
    "PAIR_PAPERS",
    "PAIR_TESTS",
    "POST_HOC",
    "POST_HOC_TITLES",
    "TEST_TITLES",
    "Comparison",
    "EffectSize",
    "ModelPair",
    "OmnibusTest",
    "PairComparison",
    "PairTest",
    "RopeChances",
    "aligned_friedman",
    "bergmann_hommel",
    "bonferroni",
    "case_values",
    "cliffs_delta",
    "cochran_q",
    "cohens_d",
    "compare",
    "compare_pair",
    "correlated_t",
    "critical_difference",
    "difference_said",
    "finner",
    "friedman",
    "friedman_of_ranks",
    "hochberg",
    "holm",
    "hommel",
    "iman_davenport",
    "iman_davenport_of",
    "mcnemar_of_counts",
    "named",
    "nemenyi_p",
    "p_said",
    "quade",
    "rank_z",
    "shaffer",
    "signed_rank_posterior",
    "works_cited",
]
