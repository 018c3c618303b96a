"""The project's methods, and what is asked of all of them."""

from collections.abc import Sequence

from dalenius.calibration.absent.lee_clifton import LeeCliftonMethod
from dalenius.calibration.absent.prior_dependent import PriorDependentMethod
from dalenius.calibration.absent.prior_free import PriorFreeMethod
from dalenius.calibration.beside import judged_beside
from dalenius.calibration.comparison import Comparison, compared
from dalenius.calibration.exact import ExactMethod
from dalenius.calibration.group.gaussian import GaussianMethod
from dalenius.calibration.group.group import GroupMethod
from dalenius.calibration.group.independent import IndependentMethod
from dalenius.calibration.group.influence_curve import InfluenceCurveMethod
from dalenius.calibration.group.wasserstein import WassersteinMethod
from dalenius.calibration.group.weak_dependence import WeakDependenceMethod
from dalenius.calibration.group.weak_dependence_sharp import SharpWeakDependenceMethod
from dalenius.calibration.method import Calibration, Method, authored_methods, calibrated, named
from dalenius.calibration.noiseless import NoiselessMethod
from dalenius.calibration.optimal.clamped import ClampedMethod
from dalenius.calibration.optimal.optimal import OptimalMethod
from dalenius.calibration.pairwise.comonotone import ComonotoneMethod
from dalenius.calibration.pairwise.correlated_sensitivity import CorrelatedSensitivityMethod
from dalenius.calibration.pairwise.dependence_coefficient import DependenceCoefficientMethod
from dalenius.calibration.pairwise.dependence_coefficient_closed import ClosedCoefficientMethod
from dalenius.calibration.quilts.markov_quilt import MarkovQuiltMethod
from dalenius.calibration.quilts.markov_quilt_approximate import ApproximateMarkovQuiltMethod
from dalenius.channel import Release, checked
from dalenius.notions import Notion, notions_of

METHODS: tuple[Method, ...] = (
    IndependentMethod(),
    GroupMethod(),
    GaussianMethod(),
    WeakDependenceMethod(),
    SharpWeakDependenceMethod(),
    DependenceCoefficientMethod(),
    ClosedCoefficientMethod(),
    CorrelatedSensitivityMethod(),
    ComonotoneMethod(),
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


def calibrate(
    release: Release, notion: Notion | str | Sequence[Notion | str], method: str | Method = "exact"
) -> Calibration:
    """The noise that the method, or the one of that name, chooses for the notion's epsilon, or for several promises at
    once. InputError lists the names there are."""
    chosen = method if isinstance(method, Method) else named(methods(), method)
    release = checked(release)
    return judged_beside(calibrated(chosen, release, notions_of(notion)), release)


def compare(release: Release, notion: Notion | str | Sequence[Notion | str]) -> Comparison:
    """Every method's noise for the notion's epsilon, or for several promises at once, side by side."""
    return Comparison(tuple(compared(checked(release), notions_of(notion), methods())))
