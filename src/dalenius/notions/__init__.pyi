"""What the room offers, and from which file; `__init__` reads it."""

from .audited import Audit as Audit
from .differential import DifferentialPrivacy as DifferentialPrivacy, differential_loss as differential_loss
from .every import ALL_NOTIONS as ALL_NOTIONS, audit as audit
from .g_leakage import GLeakage as GLeakage
from .in_words import in_words as in_words, leakage_in_words as leakage_in_words
from .inferential import InferentialPrivacy as InferentialPrivacy, delta_of as delta_of
from .information import InformationPrivacy as InformationPrivacy
from .min_entropy import MinEntropyPrivacy as MinEntropyPrivacy
from .mutual_information import MutualInformationPrivacy as MutualInformationPrivacy
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
from .relative_entropy import RelativeEntropyPrivacy as RelativeEntropyPrivacy
from .together import Difference as Difference, alone as alone, difference as difference
from .tradeoff import RATES as RATES, Tested as Tested, Tradeoff as Tradeoff, tradeoff as tradeoff
