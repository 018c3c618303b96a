"""What several releases of the same data tell together."""

from dalenius.composition.belief import Belief, prior_belief, uniform_belief
from dalenius.composition.group import group_loss, together
from dalenius.composition.identifiable import Accountant
from dalenius.composition.identifiable_by_theorem import TheoremAccountant

__all__ = [
    "Accountant",
    "Belief",
    "TheoremAccountant",
    "group_loss",
    "prior_belief",
    "together",
    "uniform_belief",
]
