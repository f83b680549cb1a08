"""How good biclusters are, and what finds them.

With a hidden truth: match scores, consensus, errors by cells, entropy and F-measure.
Without: residues, correlations, significance, shared annotations.
"""

from scorecast.biclusters.agreement import (
    AGREEMENT_MEASURES,
    ASSIGNMENTS,
    AgreementMeasure,
    AgreementScore,
    Axis,
)
from scorecast.biclusters.bicluster_set import BiclusterSet, as_bicluster_set
from scorecast.biclusters.coherence import COHERENCE_MEASURES, CoherenceMeasure
from scorecast.biclusters.enrichment import Enrichment, Enrichments
from scorecast.biclusters.scoring import (
    BiclusterRow,
    BiclusterScores,
    HeatMap,
    ScoringNote,
    score_biclusters,
)
from scorecast.biclusters.settings import (
    BiclusterSetting,
    BiclusterSettings,
    assess_biclustering_settings,
    simulated_matrix,
)
from scorecast.biclusters.significance import PATTERNS, Pattern, Significance
from scorecast.biclusters.stability import BICLUSTERERS, assess_biclustering

__all__ = [
    "AGREEMENT_MEASURES",
    "ASSIGNMENTS",
    "BICLUSTERERS",
    "COHERENCE_MEASURES",
    "PATTERNS",
    "AgreementMeasure",
    "AgreementScore",
    "Axis",
    "BiclusterRow",
    "BiclusterScores",
    "BiclusterSet",
    "BiclusterSetting",
    "BiclusterSettings",
    "CoherenceMeasure",
    "Enrichment",
    "Enrichments",
    "HeatMap",
    "Pattern",
    "ScoringNote",
    "Significance",
    "as_bicluster_set",
    "assess_biclustering",
    "assess_biclustering_settings",
    "score_biclusters",
    "simulated_matrix",
]
