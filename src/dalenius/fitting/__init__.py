"""Models estimated from public or past data, and tests of independence."""

from dalenius.fitting.chain import ChainFit as ChainFit, fit_chain as fit_chain
from dalenius.fitting.columns import (
    GaussianFit as GaussianFit,
    IndependenceFit as IndependenceFit,
    NetworkFit as NetworkFit,
    fit_gaussian as fit_gaussian,
    fit_independence as fit_independence,
    fit_network as fit_network,
)
from dalenius.fitting.fit import WARNING as WARNING, Statistic as Statistic, benjamini_hochberg as benjamini_hochberg
from dalenius.fitting.households import (
    HouseholdsFit as HouseholdsFit,
    fit_epidemic as fit_epidemic,
    fit_households as fit_households,
)
