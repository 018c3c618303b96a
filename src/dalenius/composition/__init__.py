"""What several releases of the same data leak together."""

from dalenius.composition.accountant import Accountant as Accountant
from dalenius.composition.group import group_loss as group_loss, together as together
from dalenius.composition.posterior import (
    Belief as Belief,
    prior_belief as prior_belief,
    uniform_belief as uniform_belief,
)
from dalenius.composition.theorem_accountant import TheoremAccountant as TheoremAccountant
