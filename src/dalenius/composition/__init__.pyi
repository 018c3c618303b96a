"""What the room offers, and from which file; `__init__` reads it."""

from .accountant import (
    Accountant as Accountant,
    Belief as Belief,
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
from .over_time import Leaked as Leaked, Stream as Stream, stream as stream
from .releases import Bound as Bound, Composed as Composed, Releases as Releases, Tried as Tried
from .routes import converted as converted
from .rules import Rule as Rule, compose as compose, rule_of as rule_of
