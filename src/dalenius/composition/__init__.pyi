"""What the room offers, and from which file; `__init__` reads it."""

from .accountant import Accountant as Accountant
from .accountants import Rule as Rule, compose as compose, rule_of as rule_of
from .bound import Bound as Bound, Composed as Composed, Tried as Tried
from .composed_profile import least_epsilon as least_epsilon
from .group import group_loss as group_loss, together as together
from .losses import RecordLoss as RecordLoss, as_gaussian as as_gaussian, record_losses as record_losses
from .posterior import Belief as Belief, prior_belief as prior_belief, uniform_belief as uniform_belief
from .releases import Releases as Releases
from .routes.conversion import converted as converted
from .stream import Leaked as Leaked, Stream as Stream, stream as stream
from .theorem_accountant import TheoremAccountant as TheoremAccountant
