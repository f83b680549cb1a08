from .apparent import (
    PosteriorSettings as PosteriorSettings,
    apparent_information as apparent_information,
    compare_information as compare_information,
)
from .densities import DENSITIES as DENSITIES, Density as Density
from .first_figures import (
    FirstFigures as FirstFigures,
    first_figures as first_figures,
)
from .forecasts import (
    Forecasts as Forecasts,
    PriorSource as PriorSource,
)
from .groups import (
    GroupInformation as GroupInformation,
    GroupStatus as GroupStatus,
)
from .influence import (
    Influence as Influence,
    InfluenceMethod as InfluenceMethod,
    WorstCase as WorstCase,
)
from .notes import (
    InformationNote as InformationNote,
    note_text as note_text,
    without_impossible as without_impossible,
)
from .population import PopulationInformation as PopulationInformation
from .posterior import (
    TAIL_VIEWS as TAIL_VIEWS,
    InformationPosterior as InformationPosterior,
    TailMethod as TailMethod,
    TailView as TailView,
)
from .prior_of_j import (
    PriorCandidate as PriorCandidate,
    PriorOfJ as PriorOfJ,
)
from .reliability import (
    CalibrationEvents as CalibrationEvents,
    CalibrationPairs as CalibrationPairs,
    Reliability as Reliability,
    ReliabilityBin as ReliabilityBin,
)
from .result import (
    ApparentInformation as ApparentInformation,
    Betting as Betting,
    NormalInterval as NormalInterval,
    Spread as Spread,
    Verdict as Verdict,
)
