"""How much noise a promise needs. A new method is one file here and an instance in `METHODS`."""

from dalenius.calibration.absent.lee_clifton import LeeCliftonMethod
from dalenius.calibration.absent.prior_dependent import PriorDependentMethod
from dalenius.calibration.absent.prior_free import PriorFreeMethod
from dalenius.calibration.absent.translation import (
    epsilon_for_identifiability,
    epsilon_for_posterior,
    identifiability_at,
    posterior_at,
)
from dalenius.calibration.beside import expected_error, judged_beside
from dalenius.calibration.comparison import Compared, compared, least_possible
from dalenius.calibration.exact import ExactMethod
from dalenius.calibration.group.gaussian import GaussianMethod
from dalenius.calibration.group.group import GroupMethod
from dalenius.calibration.group.independent import IndependentMethod
from dalenius.calibration.group.influence_curve import InfluenceCurveMethod, differential_epsilon, influence_curve
from dalenius.calibration.group.wasserstein import WassersteinMethod
from dalenius.calibration.group.weak_dependence import WeakDependenceMethod
from dalenius.calibration.group.weak_dependence_sharp import SharpWeakDependenceMethod
from dalenius.calibration.method import Calibration, Method, authored_methods, default_noise, kept, named
from dalenius.calibration.noiseless import NoiselessMethod
from dalenius.calibration.optimal.clamped import ClampedMethod
from dalenius.calibration.optimal.optimal import OptimalMethod
from dalenius.calibration.optimal.program import Objective
from dalenius.calibration.pairwise.correlated_sensitivity import CorrelatedSensitivityMethod
from dalenius.calibration.pairwise.dependence_coefficient import DependenceCoefficientMethod
from dalenius.calibration.pairwise.dependence_coefficient_closed import ClosedCoefficientMethod
from dalenius.calibration.quilts.markov_quilt import MarkovQuiltMethod
from dalenius.calibration.quilts.markov_quilt_approximate import ApproximateMarkovQuiltMethod
from dalenius.channel import Release
from dalenius.notions import Notion

METHODS: tuple[Method, ...] = (
    IndependentMethod(),
    GroupMethod(),
    GaussianMethod(),
    WeakDependenceMethod(),
    SharpWeakDependenceMethod(),
    DependenceCoefficientMethod(),
    ClosedCoefficientMethod(),
    CorrelatedSensitivityMethod(),
    WassersteinMethod(),
    MarkovQuiltMethod(),
    ApproximateMarkovQuiltMethod(),
    InfluenceCurveMethod(),
    PriorFreeMethod(),
    PriorDependentMethod(),
    LeeCliftonMethod(),
    NoiselessMethod(),
    ExactMethod(),
    ClampedMethod(),
    OptimalMethod(),
)
"""The project's own."""


def methods() -> tuple[Method, ...]:
    """All methods there are: the project's, those of installed packages, and those of modules plugged in."""
    return authored_methods(METHODS)


def calibrate(release: Release, notion: Notion, method: str | Method = "exact") -> Calibration:
    """The noise that the method, or the one of that name, chooses for the notion's epsilon. InputError lists the names
    there are."""
    chosen = method if isinstance(method, Method) else named(methods(), method)
    return judged_beside(kept(chosen.calibrate(release, notion), notion), release)


def compare(release: Release, notion: Notion) -> list[Compared]:
    """Every method's noise for the notion's epsilon, side by side."""
    return list(compared(release, notion, methods()))


__all__ = [
    "METHODS",
    "ApproximateMarkovQuiltMethod",
    "Calibration",
    "ClampedMethod",
    "ClosedCoefficientMethod",
    "Compared",
    "CorrelatedSensitivityMethod",
    "DependenceCoefficientMethod",
    "ExactMethod",
    "GaussianMethod",
    "GroupMethod",
    "IndependentMethod",
    "InfluenceCurveMethod",
    "LeeCliftonMethod",
    "MarkovQuiltMethod",
    "Method",
    "NoiselessMethod",
    "Objective",
    "OptimalMethod",
    "PriorDependentMethod",
    "PriorFreeMethod",
    "SharpWeakDependenceMethod",
    "WassersteinMethod",
    "WeakDependenceMethod",
    "calibrate",
    "compare",
    "default_noise",
    "differential_epsilon",
    "epsilon_for_identifiability",
    "epsilon_for_posterior",
    "expected_error",
    "identifiability_at",
    "influence_curve",
    "judged_beside",
    "least_possible",
    "methods",
    "named",
    "posterior_at",
]
