"""Models estimated from public or past data, and tests of independence. One method per file."""

from dalenius.fitting.chain import ChainFit as ChainFit, fit_chain as fit_chain
from dalenius.fitting.epidemic import EpidemicFit as EpidemicFit, fit_epidemic as fit_epidemic
from dalenius.fitting.fit import WARNING as WARNING, Fit as Fit, Statistic as Statistic
from dalenius.fitting.gaussian import GaussianFit as GaussianFit, fit_gaussian as fit_gaussian
from dalenius.fitting.households import HouseholdsFit as HouseholdsFit, fit_households as fit_households
from dalenius.fitting.independence import (
    IndependenceFit as IndependenceFit,
    PairTest as PairTest,
    fit_independence as fit_independence,
)
from dalenius.fitting.multiplicity import benjamini_hochberg as benjamini_hochberg
from dalenius.fitting.network import Edge as Edge, NetworkFit as NetworkFit, fit_network as fit_network
from dalenius.fitting.toml import toml_section as toml_section
