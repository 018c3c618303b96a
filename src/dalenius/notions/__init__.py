"""Numbers read from a channel. A new notion is one file here and its name in `AnyNotion`."""

from dalenius.notions.differential import DifferentialPrivacy
from dalenius.notions.inferential import InferentialPrivacy, delta_of
from dalenius.notions.information import InformationPrivacy
from dalenius.notions.leakage import Leakage, Witness
from dalenius.notions.mutual_information import MutualInformationPrivacy
from dalenius.notions.notion import Notion, leakages
from dalenius.notions.relative_entropy import RelativeEntropyPrivacy

AnyNotion = (
    DifferentialPrivacy | InferentialPrivacy | InformationPrivacy | RelativeEntropyPrivacy | MutualInformationPrivacy
)

ALL_NOTIONS: tuple[Notion, ...] = (
    DifferentialPrivacy(),
    InferentialPrivacy(),
    InformationPrivacy(),
    RelativeEntropyPrivacy(),
    MutualInformationPrivacy(),
)
"""What an audit reads."""

__all__ = [
    "ALL_NOTIONS",
    "AnyNotion",
    "DifferentialPrivacy",
    "InferentialPrivacy",
    "InformationPrivacy",
    "Leakage",
    "MutualInformationPrivacy",
    "Notion",
    "RelativeEntropyPrivacy",
    "Witness",
    "delta_of",
    "leakages",
]
