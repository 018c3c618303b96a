"""What the room offers, and from which file; `__init__` reads it."""

from .chain import ChainFit as ChainFit, fit_chain as fit_chain
from .fit import WARNING as WARNING, Statistic as Statistic
from .households import HouseholdsFit as HouseholdsFit, fit_epidemic as fit_epidemic, fit_households as fit_households
from .mixture import MixtureFit as MixtureFit, fit_mixture as fit_mixture
from .normal import GaussianFit as GaussianFit, fit_gaussian as fit_gaussian
from .tree import NetworkFit as NetworkFit, fit_network as fit_network
