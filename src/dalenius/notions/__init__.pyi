"""What the room offers, and from which file; `__init__` reads it."""

from .audited import Audit as Audit
from .bayesian import BayesianPrivacy as BayesianPrivacy, bayesian_loss as bayesian_loss
from .differential import (
    DifferentialPrivacy as DifferentialPrivacy,
    differential_loss as differential_loss,
)
from .every import ALL_NOTIONS as ALL_NOTIONS, audit as audit
from .g_leakage import GLeakage as GLeakage
from .identifiability import DifferentialIdentifiability as DifferentialIdentifiability
from .in_words import in_words as in_words, leakage_in_words as leakage_in_words
from .inferential import InferentialPrivacy as InferentialPrivacy, delta_of as delta_of
from .information import InformationPrivacy as InformationPrivacy
from .min_entropy import MinEntropyPrivacy as MinEntropyPrivacy
from .mutual_information import MutualInformationPrivacy as MutualInformationPrivacy
from .noiseless import (
    NoiselessPrivacy as NoiselessPrivacy,
    delta_curve as delta_curve,
    noiseless_delta as noiseless_delta,
)
from .notion import (
    NOTIONS as NOTIONS,
    AnyNotion as AnyNotion,
    Leakage as Leakage,
    Notion as Notion,
    Proof as Proof,
    Witness as Witness,
    leakages as leakages,
    notions_of as notions_of,
)
from .relations import Relation as Relation, Relations as Relations, relations as relations
from .relative_entropy import RelativeEntropyPrivacy as RelativeEntropyPrivacy
from .rho import RhoIdentifiability as RhoIdentifiability
from .robustness import (
    AtFactor as AtFactor,
    Broken as Broken,
    Robustness as Robustness,
    robustness as robustness,
)
from .together import Difference as Difference, alone as alone, difference as difference
from .tradeoff import (
    RATES as RATES,
    Tested as Tested,
    Tradeoff as Tradeoff,
    tradeoff as tradeoff,
)
