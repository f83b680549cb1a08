"""How good descriptive models are: biclusters, and densities of whole samples.

With a hidden truth: match scores, consensus, errors by cells, entropy and F-measure.
Without: residues, correlations, significance. Kernels take arrays and give numbers.
"""

from __future__ import annotations

from scorecast.biclusters.adapters import biclusters_from, biclusters_to_json
from scorecast.biclusters.agreement import (
    AGREEMENT,
    Agreement,
    agreement,
    random_like,
)
from scorecast.biclusters.bicluster_estimates import BiclusterEstimates
from scorecast.biclusters.bicluster_scores import BiclusterRow, BiclusterScores
from scorecast.biclusters.bicluster_set import BiclusterSet
from scorecast.biclusters.density_test import (
    DensityComparison,
    DensityPair,
    DensityTest,
    TwoSampleTest,
    compare_densities,
    density_test,
)
from scorecast.biclusters.estimating import bicluster_estimates
from scorecast.biclusters.heat_map import HeatMap
from scorecast.biclusters.merit import MERIT, merit
from scorecast.biclusters.score_biclusters import score_biclusters
from scorecast.biclusters.significance import PATTERNS, Significance

__all__ = [
    "AGREEMENT",
    "MERIT",
    "PATTERNS",
    "Agreement",
    "BiclusterEstimates",
    "BiclusterRow",
    "BiclusterScores",
    "BiclusterSet",
    "DensityComparison",
    "DensityPair",
    "DensityTest",
    "HeatMap",
    "Significance",
    "TwoSampleTest",
    "agreement",
    "bicluster_estimates",
    "biclusters_from",
    "biclusters_to_json",
    "compare_densities",
    "density_test",
    "merit",
    "random_like",
    "score_biclusters",
]
