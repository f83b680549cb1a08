"""The front door: every public name, written here and nowhere else."""

from . import exceptions as exceptions, simulate as simulate
from ._core.engine import (
    engine as engine,
)
from .biclusters import (
    score_biclusters as score_biclusters,
)
from .comparison import (
    compare as compare,
    compare_pair as compare_pair,
)
from .evaluation import (
    assess as assess,
    assess_settings as assess_settings,
    density_test as density_test,
    learning_curve as learning_curve,
    permutation_test as permutation_test,
    required_test_size as required_test_size,
    required_training_size as required_training_size,
)
from .extrapolation import (
    backtest as backtest,
    extrapolate as extrapolate,
    extrapolate_curve as extrapolate_curve,
    required_classes as required_classes,
)
from .identification import (
    EncodingModel as EncodingModel,
    compare_decoders as compare_decoders,
    identify as identify,
    identify_from_scores as identify_from_scores,
    implied_information as implied_information,
    mutual_information_bound as mutual_information_bound,
)
from .information import (
    Forecasts as Forecasts,
    apparent_information as apparent_information,
    compare_information as compare_information,
)
from .mixtures import (
    Sampling as Sampling,
)
from .report import (
    load as load,
    plot as plot,
    render as render,
    write_report as write_report,
)
from .reproduction import (
    reproduce as reproduce,
)
from .scores import (
    Embeddings as Embeddings,
    Scores as Scores,
    accuracy_curve as accuracy_curve,
    risk_curve as risk_curve,
    scores_from as scores_from,
)
from .survival import (
    SurvivalModel as SurvivalModel,
    evaluate_survival as evaluate_survival,
)

__version__: str
