"""Numbers read from a channel. A new notion is one file here and its name in `KINDS`."""

from collections.abc import Sequence

from dalenius.channel import Release
from dalenius.channel.leakage import Leakage, Witness
from dalenius.notions.absence import curve_of_worst, is_quick, is_readable
from dalenius.notions.bayesian import BayesianPrivacy
from dalenius.notions.differential import DifferentialPrivacy, differential_loss
from dalenius.notions.identifiability import DifferentialIdentifiability
from dalenius.notions.inferential import InferentialPrivacy, delta_of
from dalenius.notions.information import InformationPrivacy
from dalenius.notions.min_entropy import MinEntropyPrivacy
from dalenius.notions.mutual_information import MutualInformationPrivacy
from dalenius.notions.noiseless import NoiselessPrivacy, delta_curve, noiseless_delta
from dalenius.notions.notion import AnyNotion, Notion, Proof, leakages
from dalenius.notions.relative_entropy import RelativeEntropyPrivacy
from dalenius.notions.rho import RhoIdentifiability

KINDS: tuple[type[Notion], ...] = (
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    RelativeEntropyPrivacy,
    MutualInformationPrivacy,
    MinEntropyPrivacy,
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
"""What an audit reads."""


def audit(release: Release, notions: Sequence[Notion] = ALL_NOTIONS) -> dict[str, Leakage]:
    """Every notion's leakage of the release, by the notion's kind, each channel made once.

    Of records that are real numbers only what has a meaning there; where the secret is who is absent, what can be told,
    and how likely somebody becomes.
    """
    read = [notion for notion in notions if notion.of_real_numbers or not release.real]
    if release.absences:
        suspected = RhoIdentifiability()
        read += [] if suspected.kind in {notion.kind for notion in read} else [suspected]
        read = [notion for notion in read if is_readable(notion, release)]
    return dict(zip((notion.kind for notion in read), leakages(release, read), strict=True))


__all__ = [
    "ALL_NOTIONS",
    "KINDS",
    "AnyNotion",
    "BayesianPrivacy",
    "DifferentialIdentifiability",
    "DifferentialPrivacy",
    "InferentialPrivacy",
    "InformationPrivacy",
    "Leakage",
    "MinEntropyPrivacy",
    "MutualInformationPrivacy",
    "NoiselessPrivacy",
    "Notion",
    "Proof",
    "RelativeEntropyPrivacy",
    "RhoIdentifiability",
    "Witness",
    "audit",
    "curve_of_worst",
    "delta_curve",
    "delta_of",
    "differential_loss",
    "is_quick",
    "is_readable",
    "leakages",
    "noiseless_delta",
]
