"""What the room offers, and from which file; `__init__` reads it."""

from .entropies import (
    MutualInformationPrivacy as MutualInformationPrivacy,
    RelativeEntropyPrivacy as RelativeEntropyPrivacy,
)
from .guesses import GLeakage as GLeakage, MinEntropyPrivacy as MinEntropyPrivacy
from .log_ratios import (
    DifferentialPrivacy as DifferentialPrivacy,
    InferentialPrivacy as InferentialPrivacy,
    InformationPrivacy as InformationPrivacy,
    delta_of as delta_of,
    differential_loss as differential_loss,
)
from .notion import (
    NOTIONS as NOTIONS,
    AnyNotion as AnyNotion,
    Leakage as Leakage,
    Notion as Notion,
    Proof as Proof,
    Properties as Properties,
    Witness as Witness,
    in_words as in_words,
    leakage_in_words as leakage_in_words,
    notions_of as notions_of,
)
from .release_audit import (
    ALL_NOTIONS as ALL_NOTIONS,
    Audit as Audit,
    Difference as Difference,
    audit as audit,
    by_question as by_question,
    difference as difference,
)
from .renyi import Renyi as Renyi
from .several_leakages import leakages as leakages
