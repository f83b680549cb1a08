"""What goes in: score matrices, embeddings, ranks of the true class, exact curves."""

from scorecast.scores.curves import (
    AccuracyCurve,
    accuracy_curve,
    curve_of_ranking,
    curve_sizes,
    saved_stderr,
)
from scorecast.scores.embeddings import METRICS, Embeddings, LabelledEmbeddings
from scorecast.scores.estimators import is_marginal, scores_from
from scorecast.scores.jackknife import (
    jackknife_covariance,
    jackknife_stderr,
    leave_out_curves,
    leave_out_histograms,
)
from scorecast.scores.labels import label_list, match_labels
from scorecast.scores.matrix import Scores
from scorecast.scores.oddities import (
    describe_assumed_order,
    describe_oddities,
    look_normalised,
)
from scorecast.scores.probit import probit_grid, probit_moments
from scorecast.scores.ranking import (
    AVERAGES,
    TIES,
    ClassScores,
    Ranking,
    as_class_scores,
    example_weights,
    rank_true_classes,
)
from scorecast.scores.risk import (
    MOST_GROUPS,
    RiskCurve,
    risk_curve,
    risk_curve_and_replicates,
)
from scorecast.scores.subsets import (
    beating_histogram,
    chances_right,
    mean_chances,
    snap_to_certainty,
)

__all__ = [
    "AVERAGES",
    "METRICS",
    "MOST_GROUPS",
    "TIES",
    "AccuracyCurve",
    "ClassScores",
    "Embeddings",
    "LabelledEmbeddings",
    "Ranking",
    "RiskCurve",
    "Scores",
    "accuracy_curve",
    "as_class_scores",
    "beating_histogram",
    "chances_right",
    "curve_of_ranking",
    "curve_sizes",
    "describe_assumed_order",
    "describe_oddities",
    "example_weights",
    "is_marginal",
    "jackknife_covariance",
    "jackknife_stderr",
    "label_list",
    "leave_out_curves",
    "leave_out_histograms",
    "look_normalised",
    "match_labels",
    "mean_chances",
    "probit_grid",
    "probit_moments",
    "rank_true_classes",
    "risk_curve",
    "risk_curve_and_replicates",
    "saved_stderr",
    "scores_from",
    "snap_to_certainty",
]
