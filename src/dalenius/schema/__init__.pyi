"""What the room offers, and from which file; `__init__` reads it."""

from .frozen import (
    Frozen as Frozen,
    first_problem as first_problem,
    shown as shown,
)
from .values import (
    LARGEST_COUNT as LARGEST_COUNT,
    AnyCount as AnyCount,
    Chance as Chance,
    Chances as Chances,
    Count as Count,
    Finite as Finite,
    Level as Level,
    Positive as Positive,
    Probabilities as Probabilities,
    Probability as Probability,
    Process as Process,
    RecordValue as RecordValue,
    SingleChance as SingleChance,
    StageName as StageName,
    Value as Value,
    credal as credal,
    distribution as distribution,
    ends_of as ends_of,
    is_credal as is_credal,
)
