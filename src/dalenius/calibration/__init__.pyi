"""What the room offers, and from which file; `__init__` reads it."""

from .absent.lee_clifton import LeeCliftonMethod as LeeCliftonMethod
from .absent.prior_dependent import PriorDependentMethod as PriorDependentMethod
from .absent.prior_free import PriorFreeMethod as PriorFreeMethod
from .absent.translation import (
    epsilon_for_identifiability as epsilon_for_identifiability,
    epsilon_for_posterior as epsilon_for_posterior,
    identifiability_at as identifiability_at,
    posterior_at as posterior_at,
)
from .accuracy import Accuracy as Accuracy, accuracy as accuracy, within as within
from .beside import expected_error as expected_error, judged_beside as judged_beside
from .chosen import METHODS as METHODS, calibrate as calibrate, compare as compare, methods as methods
from .comparison import (
    Compared as Compared,
    Comparison as Comparison,
    compared as compared,
    least_possible as least_possible,
    least_used as least_used,
    times_least as times_least,
    unbounded as unbounded,
)
from .exact import ExactMethod as ExactMethod
from .found import Kept as Kept, kept_by as kept_by
from .group.gaussian import GaussianMethod as GaussianMethod
from .group.group import GroupMethod as GroupMethod
from .group.independent import IndependentMethod as IndependentMethod
from .group.influence_curve import (
    InfluenceCurveMethod as InfluenceCurveMethod,
    differential_epsilon as differential_epsilon,
    influence_curve as influence_curve,
)
from .group.wasserstein import WassersteinMethod as WassersteinMethod
from .group.weak_dependence import WeakDependenceMethod as WeakDependenceMethod
from .group.weak_dependence_sharp import SharpWeakDependenceMethod as SharpWeakDependenceMethod
from .improbability import Improbable as Improbable, improbable as improbable, improbable_in as improbable_in
from .method import Calibration as Calibration, Method as Method, default_noise as default_noise, named as named
from .noiseless import NoiselessMethod as NoiselessMethod
from .optimal.clamped import ClampedMethod as ClampedMethod
from .optimal.optimal import OptimalMethod as OptimalMethod
from .optimal.program import Objective as Objective
from .pairwise.comonotone import ComonotoneMethod as ComonotoneMethod
from .pairwise.correlated_sensitivity import CorrelatedSensitivityMethod as CorrelatedSensitivityMethod
from .pairwise.dependence_coefficient import DependenceCoefficientMethod as DependenceCoefficientMethod
from .pairwise.dependence_coefficient_closed import ClosedCoefficientMethod as ClosedCoefficientMethod
from .precision import (
    CONFIDENCE as CONFIDENCE,
    Expected as Expected,
    Precision as Precision,
    advice as advice,
    expected as expected,
    half_widths as half_widths,
    precision as precision,
)
from .quilts.markov_quilt import MarkovQuiltMethod as MarkovQuiltMethod
from .quilts.markov_quilt_approximate import ApproximateMarkovQuiltMethod as ApproximateMarkovQuiltMethod
from .suggested import noised_by as noised_by
