"""What the package offers, and from which room; `__init__` reads it."""

from .absent.notions import (
    DifferentialIdentifiability as DifferentialIdentifiability,
    RhoIdentifiability as RhoIdentifiability,
)
from .absent.odds_bounds import (
    epsilon_for_identifiability as epsilon_for_identifiability,
    epsilon_for_posterior as epsilon_for_posterior,
    identifiability_at as identifiability_at,
    posterior_at as posterior_at,
)
from .absent.one_absent_model import Absent as Absent, PriorRange as PriorRange
from .attack.bayes import BayesAttack as BayesAttack, bayes_attacks as bayes_attacks
from .attack.black_box import ProgramTest as ProgramTest, test_program as test_program
from .attack.tradeoff import Tradeoff as Tradeoff, tradeoff as tradeoff
from .attack.tradeoff_curve import Tested as Tested
from .bounds import Enclosure as Enclosure
from .calibration import (
    METHODS as METHODS,
    Accuracy as Accuracy,
    Calibration as Calibration,
    Comparison as Comparison,
    ExactMethod as ExactMethod,
    accuracy as accuracy,
    calibrate as calibrate,
    compare as compare,
    within as within,
)
from .calibration.methods import GroupMethod as GroupMethod, IndependentMethod as IndependentMethod
from .channel import (
    Adversary as Adversary,
    Channel as Channel,
    KnownAnswer as KnownAnswer,
    Posterior as Posterior,
    Release as Release,
    Secrets as Secrets,
    posterior as posterior,
)
from .client import Client as Client
from .composition import (
    Composed as Composed,
    Releases as Releases,
    Stream as Stream,
    compose as compose,
    stream as stream,
)
from .conversion import (
    ApproximateProfile as ApproximateProfile,
    Conversion as Conversion,
    Converted as Converted,
    GaussianProfile as GaussianProfile,
    MapProfile as MapProfile,
    PrivacyProfile as PrivacyProfile,
    PureProfile as PureProfile,
    TabulatedProfile as TabulatedProfile,
    ZeroConcentrated as ZeroConcentrated,
    largest as largest,
    read_event as read_event,
    read_profile as read_profile,
)
from .curator import (
    Ask as Ask,
    Curator as Curator,
    IdentifiabilitySession as IdentifiabilitySession,
    LearnedAsk as LearnedAsk,
    Policy as Policy,
    Session as Session,
    quote as quote,
    read_policy as read_policy,
    release as release,
)
from .dependent.degree_distribution import DegreeDistribution as DegreeDistribution
from .dependent.guarantee import Guarantee as Guarantee
from .dependent.k_means import KMeans as KMeans
from .dependent.linear_classifiers import LinearSVC as LinearSVC, LogisticRegression as LogisticRegression
from .errors import DaleniusError as DaleniusError, InputError as InputError, Refused as Refused, TooLarge as TooLarge
from .gaussian.mixture_model import GaussianMixture as GaussianMixture
from .gaussian.model import GaussianRecords as GaussianRecords
from .interpretation import Meaning as Meaning, meaning as meaning
from .knowledge.bayesian import BayesianPrivacy as BayesianPrivacy
from .knowledge.noiseless import (
    NoiselessPrivacy as NoiselessPrivacy,
    delta_curve as delta_curve,
    noiseless_delta as noiseless_delta,
)
from .knowledge.notion_hierarchy import Relation as Relation, Relations as Relations, relations as relations
from .linked.linked_data_sets import Linked as Linked
from .measurements import conversion_of as conversion_of, read_measurement as read_measurement
from .memory_budget import memory as memory
from .models import (
    AnyOf as AnyOf,
    Chain as Chain,
    Epidemic as Epidemic,
    Groups as Groups,
    GroupType as GroupType,
    Households as Households,
    HouseholdType as HouseholdType,
    Independent as Independent,
    Network as Network,
    Node as Node,
    Pedigree as Pedigree,
    Product as Product,
    Sample as Sample,
    Sampled as Sampled,
    Table as Table,
)
from .noise import (
    CellKey as CellKey,
    DiscreteGaussian as DiscreteGaussian,
    Gaussian as Gaussian,
    Geometric as Geometric,
    Kernel as Kernel,
    Laplace as Laplace,
    NoisyMax as NoisyMax,
    NoNoise as NoNoise,
    RandomizedResponse as RandomizedResponse,
    Rounding as Rounding,
    Steps as Steps,
    Suppression as Suppression,
)
from .notions import (
    Audit as Audit,
    DifferentialPrivacy as DifferentialPrivacy,
    GLeakage as GLeakage,
    InferentialPrivacy as InferentialPrivacy,
    InformationPrivacy as InformationPrivacy,
    Leakage as Leakage,
    MinEntropyPrivacy as MinEntropyPrivacy,
    MutualInformationPrivacy as MutualInformationPrivacy,
    RelativeEntropyPrivacy as RelativeEntropyPrivacy,
    Renyi as Renyi,
    Witness as Witness,
    audit as audit,
    delta_of as delta_of,
    in_words as in_words,
)
from .optimum.clamped_noise import Clamped as Clamped
from .optimum.relocation_noise import Relocation as Relocation
from .pairs.dependent_sensitivity import (
    DependentSensitivity as DependentSensitivity,
    dependent_sensitivity as dependent_sensitivity,
)
from .pairs.pairwise_model import Pairwise as Pairwise
from .places.attack_on_locations import LocationAttack as LocationAttack, attack_locations as attack_locations
from .places.patterns import VisitColumns as VisitColumns
from .queries import (
    Count as Count,
    Histogram as Histogram,
    Max as Max,
    Mean as Mean,
    Median as Median,
    Min as Min,
    Reports as Reports,
    Several as Several,
    Stage as Stage,
    Sum as Sum,
    Universe as Universe,
    Variance as Variance,
)
from .reports.robustness import Robustness as Robustness, robustness as robustness
from .spec import Derived as Derived, Question as Question, Spec as Spec, read_spec as read_spec
from .tables.check import check as check
from .tables.table_check import TableCheck as TableCheck
from .theorems.moment_model import Moments as Moments
from .version import __version__ as __version__

__all__: list[str]
