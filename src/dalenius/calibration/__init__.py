"""How much noise a promise needs. A new method is one file here and an instance in `METHODS`."""

from collections.abc import Sequence

from dalenius.calibration.absent.lee_clifton import LeeCliftonMethod as LeeCliftonMethod
from dalenius.calibration.absent.prior_dependent import PriorDependentMethod as PriorDependentMethod
from dalenius.calibration.absent.prior_free import PriorFreeMethod as PriorFreeMethod
from dalenius.calibration.absent.translation import (
    epsilon_for_identifiability as epsilon_for_identifiability,
    epsilon_for_posterior as epsilon_for_posterior,
    identifiability_at as identifiability_at,
    posterior_at as posterior_at,
)
from dalenius.calibration.accuracy import Accuracy as Accuracy, accuracy as accuracy, within as within
from dalenius.calibration.beside import expected_error as expected_error, judged_beside as judged_beside
from dalenius.calibration.comparison import (
    Compared as Compared,
    Comparison as Comparison,
    compared as compared,
    least_possible as least_possible,
)
from dalenius.calibration.exact import ExactMethod as ExactMethod
from dalenius.calibration.found import Kept as Kept, kept_by as kept_by
from dalenius.calibration.group.gaussian import GaussianMethod as GaussianMethod
from dalenius.calibration.group.group import GroupMethod as GroupMethod
from dalenius.calibration.group.independent import IndependentMethod as IndependentMethod
from dalenius.calibration.group.influence_curve import (
    InfluenceCurveMethod as InfluenceCurveMethod,
    differential_epsilon as differential_epsilon,
    influence_curve as influence_curve,
)
from dalenius.calibration.group.wasserstein import WassersteinMethod as WassersteinMethod
from dalenius.calibration.group.weak_dependence import WeakDependenceMethod as WeakDependenceMethod
from dalenius.calibration.group.weak_dependence_sharp import SharpWeakDependenceMethod as SharpWeakDependenceMethod
from dalenius.calibration.method import (
    Calibration as Calibration,
    Method as Method,
    authored_methods,
    calibrated,
    default_noise as default_noise,
    named as named,
)
from dalenius.calibration.noiseless import NoiselessMethod as NoiselessMethod
from dalenius.calibration.optimal.clamped import ClampedMethod as ClampedMethod
from dalenius.calibration.optimal.optimal import OptimalMethod as OptimalMethod
from dalenius.calibration.optimal.program import Objective as Objective
from dalenius.calibration.pairwise.comonotone import ComonotoneMethod as ComonotoneMethod
from dalenius.calibration.pairwise.correlated_sensitivity import (
    CorrelatedSensitivityMethod as CorrelatedSensitivityMethod,
)
from dalenius.calibration.pairwise.dependence_coefficient import (
    DependenceCoefficientMethod as DependenceCoefficientMethod,
)
from dalenius.calibration.pairwise.dependence_coefficient_closed import (
    ClosedCoefficientMethod as ClosedCoefficientMethod,
)
from dalenius.calibration.pairwise.network_scale import (
    NetworkScale as NetworkScale,
    network_scale as network_scale,
)
from dalenius.calibration.precision import (
    CONFIDENCE as CONFIDENCE,
    Expected as Expected,
    Precision as Precision,
    advice as advice,
    expected as expected,
    precision as precision,
)
from dalenius.calibration.quilts.markov_quilt import MarkovQuiltMethod as MarkovQuiltMethod
from dalenius.calibration.quilts.markov_quilt_approximate import (
    ApproximateMarkovQuiltMethod as ApproximateMarkovQuiltMethod,
)
from dalenius.calibration.suggested import noised_by as noised_by
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
