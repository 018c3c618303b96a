"""Every notion's leakage of one release."""

from collections.abc import Sequence
from typing import Final

from dalenius import wings
from dalenius.channel import Release, checked
from dalenius.errors import Meaningless, TooLarge
from dalenius.notions.audited import Audit
from dalenius.notions.differential import DifferentialPrivacy
from dalenius.notions.inferential import InferentialPrivacy
from dalenius.notions.information import InformationPrivacy
from dalenius.notions.min_entropy import MinEntropyPrivacy
from dalenius.notions.mutual_information import MutualInformationPrivacy
from dalenius.notions.notion import Notion, audited, notions_of
from dalenius.notions.relative_entropy import RelativeEntropyPrivacy

ALL_NOTIONS: Final[tuple[Notion, ...]] = (
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
    if release.of_absence:
        suspicion: Notion = wings.found(wings.NOTIONS["rho"])()
        chosen.setdefault(suspicion.kind, suspicion)
    omitted = (Meaningless, TooLarge) if release.of_absence else (Meaningless,)
    found = audited(release, list(chosen.values()), omitted, how_likely)
    return Audit({kind: leakage for kind, leakage in zip(chosen, found, strict=True) if leakage is not None})
