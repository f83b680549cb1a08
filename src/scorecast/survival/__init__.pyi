from .baselines import BASELINES as BASELINES, Baseline as Baseline
from .data import SurvivalData as SurvivalData
from .evaluation import (
    SurvivalExtras as SurvivalExtras,
    SurvivalPreview as SurvivalPreview,
    evaluate_survival as evaluate_survival,
    preview_survival as preview_survival,
)
from .hyperparameters import (
    AS_PRINTED as AS_PRINTED,
    Candidate as Candidate,
    HyperparameterChoice as HyperparameterChoice,
    choose_hyperparameters as choose_hyperparameters,
)
from .leakage import WideIntervals as WideIntervals
from .metrics import (
    Calibration as Calibration,
    Concordance as Concordance,
    concordance_index as concordance_index,
    d_calibration as d_calibration,
    integrated_brier_score as integrated_brier_score,
    kaplan_meier as kaplan_meier,
)
from .model import SAMPLING as SAMPLING, SurvivalModel as SurvivalModel
from .notes import SurvivalNote as SurvivalNote, note_text as note_text
from .population import (
    POPULATION_PRIORS as POPULATION_PRIORS,
    PopulationPrior as PopulationPrior,
)
from .prediction import (
    SampleCurves as SampleCurves,
    SurvivalPredictions as SurvivalPredictions,
)
from .result import (
    CURVE as CURVE,
    MOST_MCSE as MOST_MCSE,
    BaselineRow as BaselineRow,
    FitDiagnostics as FitDiagnostics,
    FollowUp as FollowUp,
    Gain as Gain,
    GainStatus as GainStatus,
    ModelSettings as ModelSettings,
    SampleTable as SampleTable,
    SurvivalEvaluation as SurvivalEvaluation,
)
