"""Models estimated from public or past data, and tests of what depends on what. One method per file."""

from dalenius.fitting.chain import ChainFit, fit_chain
from dalenius.fitting.epidemic import EpidemicFit, fit_epidemic
from dalenius.fitting.fit import WARNING, Fit, Statistic
from dalenius.fitting.gaussian import GaussianFit, fit_gaussian
from dalenius.fitting.households import HouseholdsFit, fit_households
from dalenius.fitting.independence import IndependenceFit, PairTest, fit_independence
from dalenius.fitting.moments import MomentsFit, fit_moments
from dalenius.fitting.multiplicity import benjamini_hochberg
from dalenius.fitting.network import Edge, NetworkFit, fit_network
from dalenius.fitting.toml import toml_section

__all__ = [
    "WARNING",
    "ChainFit",
    "Edge",
    "EpidemicFit",
    "Fit",
    "GaussianFit",
    "HouseholdsFit",
    "IndependenceFit",
    "MomentsFit",
    "NetworkFit",
    "PairTest",
    "Statistic",
    "benjamini_hochberg",
    "fit_chain",
    "fit_epidemic",
    "fit_gaussian",
    "fit_households",
    "fit_independence",
    "fit_moments",
    "fit_network",
    "toml_section",
]
