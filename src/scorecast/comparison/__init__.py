"""Model against model: two of them, or many over many data sets.

`compare` and `compare_pair` choose among tests, say why, and wrap what came out. Tests
and corrections are objects in registries, each beside its code.
"""

from scorecast.comparison.bayesian import (
    POSTERIORS,
    TUTORIAL,
    Posterior,
    RopePosterior,
)
from scorecast.comparison.compare import Comparison, ModelPair, compare
from scorecast.comparison.effect_sizes import EffectSize
from scorecast.comparison.mcnemar import NEWCOMBE, McNemarTest, PairedCounts
from scorecast.comparison.paired_tests import (
    PAIR_TESTS,
    Estimand,
    Grouping,
    PairData,
    PairOutcome,
    PairTest,
    RowKind,
    TestSettings,
)
from scorecast.comparison.pairs import (
    Accuracy,
    Choice,
    MeanDifference,
    NoteCode,
    PairComparison,
    Reason,
    Verdict,
    compare_pair,
)
from scorecast.comparison.post_hoc import POST_HOC, PostHoc, critical_difference
from scorecast.comparison.rank_tests import (
    DEMSAR,
    OMNIBUS_TESTS,
    OmnibusOutcome,
    OmnibusTest,
)
from scorecast.comparison.resampling import MANY_UNITS
from scorecast.comparison.results_table import (
    ResultsTable,
    model_columns,
    refuse_no_models,
    refuse_no_predictions,
    results_table,
    row_name_column,
)
from scorecast.comparison.signed_ranks import HODGES_LEHMANN, NOT_MEAN_RANKS

__all__ = [
    "DEMSAR",
    "HODGES_LEHMANN",
    "MANY_UNITS",
    "NEWCOMBE",
    "NOT_MEAN_RANKS",
    "OMNIBUS_TESTS",
    "PAIR_TESTS",
    "POSTERIORS",
    "POST_HOC",
    "TUTORIAL",
    "Accuracy",
    "Choice",
    "Comparison",
    "EffectSize",
    "Estimand",
    "Grouping",
    "McNemarTest",
    "MeanDifference",
    "ModelPair",
    "NoteCode",
    "OmnibusOutcome",
    "OmnibusTest",
    "PairComparison",
    "PairData",
    "PairOutcome",
    "PairTest",
    "PairedCounts",
    "PostHoc",
    "Posterior",
    "Reason",
    "ResultsTable",
    "RopePosterior",
    "RowKind",
    "TestSettings",
    "Verdict",
    "compare",
    "compare_pair",
    "critical_difference",
    "model_columns",
    "refuse_no_models",
    "refuse_no_predictions",
    "results_table",
    "row_name_column",
]
