"""What several releases of the same data tell together."""

from dalenius.composition.accountant import Accountant
from dalenius.composition.group import group_loss, together
from dalenius.composition.posterior import Belief, prior_belief, uniform_belief
from dalenius.composition.theorem_accountant import TheoremAccountant

__all__ = [
    "Accountant",
    "Belief",
    "TheoremAccountant",
    "group_loss",
    "prior_belief",
    "together",
    "uniform_belief",
]
