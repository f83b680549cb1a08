from .bounds import (
    AVERAGE_BOUNDS as AVERAGE_BOUNDS,
    GENERALISATION_BOUNDS as GENERALISATION_BOUNDS,
    AccuracyBound as AccuracyBound,
    InformationBound as InformationBound,
    Trials as Trials,
    average_bayes_bound as average_bayes_bound,
    generalisation_bound as generalisation_bound,
    mutual_information_bound as mutual_information_bound,
)
from .capacity import (
    best_accuracy as best_accuracy,
    confusion_information as confusion_information,
    fano_information as fano_information,
    information_range as information_range,
    least_information as least_information,
)
from .covariance import (
    SHRINKAGES as SHRINKAGES,
    ResidualCovariance as ResidualCovariance,
    check_shrinkage as check_shrinkage,
)
from .decoders import (
    DecoderComparison as DecoderComparison,
    DecoderRow as DecoderRow,
    Unpaired as Unpaired,
    compare_decoders as compare_decoders,
)
from .encoding import (
    EncodingModel as EncodingModel,
    check_alphas as check_alphas,
)
from .ideal_curve import (
    WEIGHTS as WEIGHTS,
    Weighting as Weighting,
    ideal_accuracy as ideal_accuracy,
    ideal_information as ideal_information,
)
from .identify import (
    DUPLICATES as DUPLICATES,
    EnsembleSize as EnsembleSize,
    Identification as Identification,
    IdentificationSettings as IdentificationSettings,
    identify as identify,
    identify_from_scores as identify_from_scores,
)
from .implied import (
    CurveSample as CurveSample,
    IdentificationForecast as IdentificationForecast,
    ImpliedInformation as ImpliedInformation,
    IntervalKind as IntervalKind,
    Side as Side,
    implied_information as implied_information,
)
from .notes import (
    Assumption as Assumption,
    IdentificationNote as IdentificationNote,
    note_text as note_text,
)
from .regression import PENALTIES as PENALTIES, Penalty as Penalty
from .splits import TestedStimuli as TestedStimuli
