"""What the room offers, and from which file; `__init__` reads it."""

from .choice_of_route import CompositionRule as CompositionRule, compose as compose, rule_of as rule_of
from .identifiability_accountant import (
    AbsenceBelief as AbsenceBelief,
    Accountant as Accountant,
    prior_belief as prior_belief,
    uniform_belief as uniform_belief,
)
from .losses import (
    RecordLoss as RecordLoss,
    as_gaussian as as_gaussian,
    group_loss as group_loss,
    least_epsilon as least_epsilon,
    record_losses as record_losses,
    together as together,
)
from .over_time import LeakedOverTime as LeakedOverTime, Stream as Stream, stream as stream
from .releases import Releases as Releases
from .route import Composed as Composed, RouteBound as RouteBound, Tried as Tried
