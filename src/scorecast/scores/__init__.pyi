from .best_wrong import median_step as median_step
from .curves import (
    MOST_GROUPS as MOST_GROUPS,
    AccuracyCurve as AccuracyCurve,
    RiskCurve as RiskCurve,
    StandardError as StandardError,
    accuracy_curve as accuracy_curve,
    curve_of_ranking as curve_of_ranking,
    curve_sizes as curve_sizes,
    risk_curve as risk_curve,
    risk_curve_and_replicates as risk_curve_and_replicates,
)
from .embedding_ranks import DISTANCES as DISTANCES, Distance as Distance
from .embeddings import Embeddings as Embeddings
from .estimators import is_marginal as is_marginal, scores_from as scores_from
from .jackknife import (
    jackknife_covariance as jackknife_covariance,
    jackknife_stderr as jackknife_stderr,
    leave_out_curves as leave_out_curves,
    leave_out_histograms as leave_out_histograms,
)
from .matrix import (
    Scores as Scores,
    label_list as label_list,
    match_labels as match_labels,
)
from .notes import (
    Marginality as Marginality,
    ScoreNote as ScoreNote,
    direction_note as direction_note,
    looks_normalised as looks_normalised,
    marginality as marginality,
    n_copies as n_copies,
    order_note as order_note,
    score_notes as score_notes,
    score_warning as score_warning,
)
from .ranks import (
    AVERAGES as AVERAGES,
    TIE_RULES as TIE_RULES,
    Average as Average,
    ClassWeighting as ClassWeighting,
    Ranking as Ranking,
    Recogniser as Recogniser,
    TieRule as TieRule,
    check_class_weights as check_class_weights,
    check_scores as check_scores,
    first_rows as first_rows,
    kish_size as kish_size,
    rank_true_classes as rank_true_classes,
    sample_weights as sample_weights,
    weigh_classes as weigh_classes,
)
from .subsets import (
    beating_histogram as beating_histogram,
    chances_right as chances_right,
    mean_chances as mean_chances,
    probit_grid as probit_grid,
    probit_moments as probit_moments,
    snap_to_certainty as snap_to_certainty,
)
