"""Numbers read from a channel. A new notion is one file here and its name in `AnyNotion`."""

from collections.abc import Sequence

from dalenius.channel import Release
from dalenius.notions.bayesian import BayesianPrivacy
from dalenius.notions.differential import DifferentialPrivacy
from dalenius.notions.inferential import InferentialPrivacy, delta_of
from dalenius.notions.information import InformationPrivacy
from dalenius.notions.leakage import Leakage, Witness
from dalenius.notions.min_entropy import MinEntropyPrivacy
from dalenius.notions.mutual_information import MutualInformationPrivacy
from dalenius.notions.notion import Notion, leakages
from dalenius.notions.relative_entropy import RelativeEntropyPrivacy

AnyNotion = (
    DifferentialPrivacy
    | InferentialPrivacy
    | InformationPrivacy
    | RelativeEntropyPrivacy
    | MutualInformationPrivacy
    | MinEntropyPrivacy
    | BayesianPrivacy
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

    Of records that are real numbers only what has a meaning there.
    """
    read = [notion for notion in notions if notion.of_real_numbers or not release.real]
    return dict(zip((notion.kind for notion in read), leakages(release, read), strict=True))


__all__ = [
    "ALL_NOTIONS",
    "AnyNotion",
    "BayesianPrivacy",
    "DifferentialPrivacy",
    "InferentialPrivacy",
    "InformationPrivacy",
    "Leakage",
    "MinEntropyPrivacy",
    "MutualInformationPrivacy",
    "Notion",
    "RelativeEntropyPrivacy",
    "Witness",
    "audit",
    "delta_of",
    "leakages",
]
