"""Permutations: who changes places, engines of known models, and the one loop.

The label-free half of the work is done once for all permutations; models that are known
get closed forms, all others a loop. What rounding could decide is left to the model.
"""

# The files of the engines register them.
from scorecast.evaluation.permutation import (
    linear,
    naive_bayes,
    neighbors,
    svm,
    trees,
)
from scorecast.evaluation.permutation.engines import (
    PERMUTATION_ENGINES,
    PermutationEngine,
    PreparedEngine,
    prepare_engine,
    recognise,
)
from scorecast.evaluation.permutation.exchange import (
    block_sizes,
    draw_orders,
    exchangeable,
    movable,
    moved,
    n_arrangements,
)
from scorecast.evaluation.permutation.permutation_test import (
    FEW,
    MANY,
    Block,
    PermutationLoop,
    PermutationTest,
    Scorer,
    choose_scorer,
    permutation_effort,
    permutation_test,
    usual_count,
)

__all__ = [
    "FEW",
    "MANY",
    "PERMUTATION_ENGINES",
    "Block",
    "PermutationEngine",
    "PermutationLoop",
    "PermutationTest",
    "PreparedEngine",
    "Scorer",
    "block_sizes",
    "choose_scorer",
    "draw_orders",
    "exchangeable",
    "linear",
    "movable",
    "moved",
    "n_arrangements",
    "naive_bayes",
    "neighbors",
    "permutation_effort",
    "permutation_test",
    "prepare_engine",
    "recognise",
    "svm",
    "trees",
    "usual_count",
]
