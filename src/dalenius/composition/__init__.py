"""What several releases of the same data leak together."""

from dalenius.composition.accountant import Accountant as Accountant
from dalenius.composition.accountants import Rule as Rule, compose as compose, rule_of as rule_of
from dalenius.composition.bound import Bound as Bound, Composed as Composed, Tried as Tried
from dalenius.composition.composed_profile import least_epsilon as least_epsilon
from dalenius.composition.group import group_loss as group_loss, together as together
from dalenius.composition.losses import (
    RecordLoss as RecordLoss,
    as_gaussian as as_gaussian,
    record_losses as record_losses,
)
from dalenius.composition.posterior import (
    Belief as Belief,
    prior_belief as prior_belief,
    uniform_belief as uniform_belief,
)
from dalenius.composition.releases import Releases as Releases
from dalenius.composition.routes import converted as converted
from dalenius.composition.streams.stream import Leaked as Leaked, Stream as Stream, stream as stream
from dalenius.composition.theorem_accountant import TheoremAccountant as TheoremAccountant
