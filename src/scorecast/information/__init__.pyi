from .apparent import apparent_information as apparent_information
from .betting import Betting as Betting
from .cases import CaseInformation as CaseInformation
from .columns import refuse_outside as refuse_outside
from .compare import (
    compare_information as compare_information,
    relative_cases as relative_cases,
)
from .components import Components as Components
from .densities import (
    DENSITIES as DENSITIES,
    cases_from_densities as cases_from_densities,
    cases_from_regressor as cases_from_regressor,
)
from .forecasts import (
    Forecasts as Forecasts,
    Reliability as Reliability,
    ReliabilityBin as ReliabilityBin,
)
from .influence import Influence as Influence, WorstCase as WorstCase
from .logs import (
    BASES as BASES,
    cases_from_j as cases_from_j,
    cases_from_logs as cases_from_logs,
)
from .posterior import (
    InformationPosterior as InformationPosterior,
    TailView as TailView,
)
from .probabilities import (
    cases_from_classes as cases_from_classes,
    cases_from_probabilities as cases_from_probabilities,
)
from .result import (
    ApparentInformation as ApparentInformation,
    NormalInterval as NormalInterval,
)
from .spread import Spread as Spread
from .subgroups import (
    MOST_GROUP_RUNS as MOST_GROUP_RUNS,
    GroupInformation as GroupInformation,
)
from .times import cases_from_times as cases_from_times
from .units import UNITS as UNITS
from .wording import (
    amount as amount,
    amount_span as amount_span,
    chance_of as chance_of,
    chance_said as chance_said,
    decimals_for as decimals_for,
    interval_end as interval_end,
    verdict as verdict,
    without_zeros as without_zeros,
)
