"""The front door: every public name, written here and nowhere else."""

from . import exceptions as exceptions
from . import simulate as simulate
from .biclusters import (
    BiclusterEstimates as BiclusterEstimates,
)
from .biclusters import (
    BiclusterScores as BiclusterScores,
)
from .biclusters import (
    BiclusterSet as BiclusterSet,
)
from .biclusters import (
    bicluster_estimates as bicluster_estimates,
)
from .biclusters import (
    score_biclusters as score_biclusters,
)
from .classes import (
    AutoExtrapolator as AutoExtrapolator,
)
from .classes import (
    Backtest as Backtest,
)
from .classes import (
    BayesianExtrapolator as BayesianExtrapolator,
)
from .classes import (
    Extrapolation as Extrapolation,
)
from .classes import (
    GaussianExtrapolator as GaussianExtrapolator,
)
from .classes import (
    KdeExtrapolator as KdeExtrapolator,
)
from .classes import (
    PolynomialExtrapolator as PolynomialExtrapolator,
)
from .classes import (
    RegressionExtrapolator as RegressionExtrapolator,
)
from .classes import (
    RiskExtrapolation as RiskExtrapolation,
)
from .classes import (
    SplineExtrapolator as SplineExtrapolator,
)
from .classes import (
    backtest as backtest,
)
from .classes import (
    extrapolate as extrapolate,
)
from .classes import (
    extrapolate_risk as extrapolate_risk,
)
from .comparison import (
    compare as compare,
)
from .comparison import (
    compare_pair as compare_pair,
)
from .evaluation import (
    DensityComparison as DensityComparison,
)
from .evaluation import (
    DensityTest as DensityTest,
)
from .evaluation import (
    compare_densities as compare_densities,
)
from .evaluation import (
    density_test as density_test,
)
from .guarantees import (
    Assessment as Assessment,
)
from .guarantees import (
    EstimateAssessment as EstimateAssessment,
)
from .guarantees import (
    LearningCurveFit as LearningCurveFit,
)
from .guarantees import (
    PermutationScores as PermutationScores,
)
from .guarantees import (
    ProportionInterval as ProportionInterval,
)
from .guarantees import (
    Regularities as Regularities,
)
from .guarantees import (
    RequiredTestSize as RequiredTestSize,
)
from .guarantees import (
    SelectedFeatures as SelectedFeatures,
)
from .guarantees import (
    SelectionBias as SelectionBias,
)
from .guarantees import (
    SettingsAssessment as SettingsAssessment,
)
from .guarantees import (
    assess as assess,
)
from .guarantees import (
    assess_estimates as assess_estimates,
)
from .guarantees import (
    assess_settings as assess_settings,
)
from .guarantees import (
    data_regularities as data_regularities,
)
from .guarantees import (
    learning_curve_fit as learning_curve_fit,
)
from .guarantees import (
    learning_curve_scores as learning_curve_scores,
)
from .guarantees import (
    permutation_scores as permutation_scores,
)
from .guarantees import (
    proportion_interval as proportion_interval,
)
from .guarantees import (
    required_test_size as required_test_size,
)
from .guarantees import (
    selected_features as selected_features,
)
from .guarantees import (
    selection_bias as selection_bias,
)
from .information import (
    ApparentInformation as ApparentInformation,
)
from .information import (
    CaseInformation as CaseInformation,
)
from .information import (
    DecoderComparison as DecoderComparison,
)
from .information import (
    EncodingModel as EncodingModel,
)
from .information import (
    Identification as Identification,
)
from .information import (
    ImpliedInformation as ImpliedInformation,
)
from .information import (
    InformationBound as InformationBound,
)
from .information import (
    apparent_information as apparent_information,
)
from .information import (
    cases_from_classes as cases_from_classes,
)
from .information import (
    cases_from_densities as cases_from_densities,
)
from .information import (
    cases_from_j as cases_from_j,
)
from .information import (
    cases_from_logs as cases_from_logs,
)
from .information import (
    cases_from_probabilities as cases_from_probabilities,
)
from .information import (
    cases_from_regressor as cases_from_regressor,
)
from .information import (
    cases_from_times as cases_from_times,
)
from .information import (
    compare_decoders as compare_decoders,
)
from .information import (
    compare_information as compare_information,
)
from .information import (
    identify as identify,
)
from .information import (
    identify_from_scores as identify_from_scores,
)
from .information import (
    implied_information as implied_information,
)
from .information import (
    mutual_information_bound as mutual_information_bound,
)
from .mixtures import (
    Sampling as Sampling,
)
from .recurrence import (
    HyperparameterChoice as HyperparameterChoice,
)
from .recurrence import (
    Recurrence as Recurrence,
)
from .recurrence import (
    RecurrenceModel as RecurrenceModel,
)
from .recurrence import (
    choose_hyperparameters as choose_hyperparameters,
)
from .recurrence import (
    evaluate_recurrence as evaluate_recurrence,
)
from .recurrence import (
    recurrence_of as recurrence_of,
)
from .report import (
    load as load,
)
from .report import (
    plot as plot,
)
from .report import (
    render as render,
)
from .report import (
    write_report as write_report,
)
from .scores import (
    AccuracyCurve as AccuracyCurve,
)
from .scores import (
    Embeddings as Embeddings,
)
from .scores import (
    RiskCurve as RiskCurve,
)
from .scores import (
    Scores as Scores,
)
from .scores import (
    accuracy_curve as accuracy_curve,
)
from .scores import (
    risk_curve as risk_curve,
)
from .scores import (
    scores_from as scores_from,
)

__version__: str
