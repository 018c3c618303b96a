"""What the package offers, and from which room; `__init__` reads it."""

from . import learning as learning
from .attacks import (
    BayesAttack as BayesAttack,
    LocationAttack as LocationAttack,
    attack_locations as attack_locations,
    bayes_attacks as bayes_attacks,
)
from .bounds import (
    Enclosure as Enclosure,
)
from .calibration import (
    METHODS as METHODS,
    Accuracy as Accuracy,
    Calibration as Calibration,
    Comparison as Comparison,
    ExactMethod as ExactMethod,
    GroupMethod as GroupMethod,
    IndependentMethod as IndependentMethod,
    accuracy as accuracy,
    calibrate as calibrate,
    compare as compare,
    epsilon_for_identifiability as epsilon_for_identifiability,
    epsilon_for_posterior as epsilon_for_posterior,
    identifiability_at as identifiability_at,
    posterior_at as posterior_at,
    within as within,
)
from .channel import (
    Adversary as Adversary,
    Channel as Channel,
    KnownAnswer as KnownAnswer,
    Posterior as Posterior,
    Release as Release,
    Secrets as Secrets,
    posterior as posterior,
)
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
    Pipeline as Pipeline,
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
    Policy as Policy,
    Session as Session,
    quote as quote,
    read_policy as read_policy,
    release as release,
)
from .errors import (
    DaleniusError as DaleniusError,
    InputError as InputError,
    Refused as Refused,
    TooLarge as TooLarge,
)
from .learning import (
    DegreeDistribution as DegreeDistribution,
    degree_accuracy as degree_accuracy,
)
from .models import (
    Absent as Absent,
    Any as Any,
    Chain as Chain,
    Epidemic as Epidemic,
    GaussianRecords as GaussianRecords,
    Groups as Groups,
    GroupType as GroupType,
    Households as Households,
    HouseholdType as HouseholdType,
    Independent as Independent,
    Linked as Linked,
    Moments as Moments,
    Network as Network,
    Node as Node,
    Pairwise as Pairwise,
    PriorRange as PriorRange,
    Product as Product,
    Table as Table,
)
from .noise import (
    Clamped as Clamped,
    Gaussian as Gaussian,
    Geometric as Geometric,
    Kernel as Kernel,
    Laplace as Laplace,
    NoNoise as NoNoise,
    Relocation as Relocation,
)
from .notions import (
    Audit as Audit,
    BayesianPrivacy as BayesianPrivacy,
    DifferentialIdentifiability as DifferentialIdentifiability,
    DifferentialPrivacy as DifferentialPrivacy,
    GLeakage as GLeakage,
    InferentialPrivacy as InferentialPrivacy,
    InformationPrivacy as InformationPrivacy,
    Leakage as Leakage,
    MinEntropyPrivacy as MinEntropyPrivacy,
    MutualInformationPrivacy as MutualInformationPrivacy,
    NoiselessPrivacy as NoiselessPrivacy,
    Relation as Relation,
    Relations as Relations,
    RelativeEntropyPrivacy as RelativeEntropyPrivacy,
    RhoIdentifiability as RhoIdentifiability,
    Robustness as Robustness,
    Tested as Tested,
    Tradeoff as Tradeoff,
    Witness as Witness,
    audit as audit,
    delta_curve as delta_curve,
    delta_of as delta_of,
    in_words as in_words,
    noiseless_delta as noiseless_delta,
    relations as relations,
    robustness as robustness,
    tradeoff as tradeoff,
)
from .queries import (
    Count as Count,
    Histogram as Histogram,
    Max as Max,
    Mean as Mean,
    Median as Median,
    Min as Min,
    Several as Several,
    Stage as Stage,
    Sum as Sum,
    Universe as Universe,
    Variance as Variance,
)
from .spec import (
    Derived as Derived,
    Question as Question,
    Spec as Spec,
    read_spec as read_spec,
)
from .tables import (
    DependentSensitivity as DependentSensitivity,
    dependent_sensitivity as dependent_sensitivity,
)
from .version import (
    __version__ as __version__,
)

__all__: list[str]
