"""Numbers read from a channel. A new notion is one file here and its name in `KINDS`."""

from collections.abc import Sequence

from dalenius.channel import Release, checked
from dalenius.channel.leakage import Leakage as Leakage
from dalenius.channel.witness import Witness as Witness
from dalenius.errors import Meaningless, TooLarge
from dalenius.notions.audited import Audit as Audit
from dalenius.notions.bayesian import BayesianPrivacy as BayesianPrivacy, bayesian_loss as bayesian_loss
from dalenius.notions.differential import (
    DifferentialPrivacy as DifferentialPrivacy,
    differential_loss as differential_loss,
)
from dalenius.notions.g_leakage import GLeakage as GLeakage
from dalenius.notions.identifiability import DifferentialIdentifiability as DifferentialIdentifiability
from dalenius.notions.in_words import in_words as in_words, leakage_in_words as leakage_in_words
from dalenius.notions.inferential import InferentialPrivacy as InferentialPrivacy, delta_of as delta_of
from dalenius.notions.information import InformationPrivacy as InformationPrivacy
from dalenius.notions.min_entropy import MinEntropyPrivacy as MinEntropyPrivacy
from dalenius.notions.mutual_information import MutualInformationPrivacy as MutualInformationPrivacy
from dalenius.notions.noiseless import (
    NoiselessPrivacy as NoiselessPrivacy,
    delta_curve as delta_curve,
    noiseless_delta as noiseless_delta,
)
from dalenius.notions.notion import (
    AnyNotion as AnyNotion,
    Notion as Notion,
    Proof as Proof,
    audited,
    leakages as leakages,
    notions_of as notions_of,
)
from dalenius.notions.relations import Relation as Relation, Relations as Relations, relations as relations
from dalenius.notions.relative_entropy import RelativeEntropyPrivacy as RelativeEntropyPrivacy
from dalenius.notions.rho import RhoIdentifiability as RhoIdentifiability
from dalenius.notions.robustness import (
    AtFactor as AtFactor,
    Broken as Broken,
    Robustness as Robustness,
    robustness as robustness,
)
from dalenius.notions.together import Difference as Difference, alone as alone, difference as difference
from dalenius.notions.tradeoff import (
    RATES as RATES,
    Tested as Tested,
    Tradeoff as Tradeoff,
    tradeoff as tradeoff,
)

KINDS: tuple[type[Notion], ...] = (
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    RelativeEntropyPrivacy,
    MutualInformationPrivacy,
    MinEntropyPrivacy,
    GLeakage,
    BayesianPrivacy,
    NoiselessPrivacy,
    DifferentialIdentifiability,
    RhoIdentifiability,
)

ALL_NOTIONS: tuple[Notion, ...] = (
    DifferentialPrivacy(),
    InferentialPrivacy(),
    InformationPrivacy(),
    RelativeEntropyPrivacy(),
    MutualInformationPrivacy(),
    MinEntropyPrivacy(),
)
"""The notions of an audit, by default."""


def audit(
    release: Release, notions: Notion | str | Sequence[Notion | str] = ALL_NOTIONS, how_likely: bool = False
) -> Audit:
    """Every notion's leakage of the release, by the notion's kind, each channel made once. Notions may be named.

    For records that are real numbers, only the notions defined there; where the secret is who is absent, those that can
    be computed, and `rho`. how_likely: witnesses also say how likely they are. InputError for what is no release, and
    for the name of no notion.
    """
    release = checked(release)
    chosen = {notion.kind: notion for notion in notions_of(notions)}
    if release.absences:
        suspicion = RhoIdentifiability()
        chosen.setdefault(suspicion.kind, suspicion)
    omitted = (Meaningless, TooLarge) if release.absences else (Meaningless,)
    found = audited(release, list(chosen.values()), omitted, how_likely)
    return Audit({kind: leakage for kind, leakage in zip(chosen, found, strict=True) if leakage is not None})
