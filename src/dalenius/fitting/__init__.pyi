"""What the room offers, and from which file; `__init__` reads it."""

from .chain import ChainFit as ChainFit, fit_chain as fit_chain
from .households import HouseholdsFit as HouseholdsFit, fit_epidemic as fit_epidemic, fit_households as fit_households
from .intervals_and_fit_base import WARNING as WARNING, Statistic as Statistic
from .tree_and_normal_fit import (
    GaussianFit as GaussianFit,
    NetworkFit as NetworkFit,
    fit_gaussian as fit_gaussian,
    fit_network as fit_network,
)
