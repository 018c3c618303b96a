"""A way from single releases to what all of them leak together."""

import abc
from typing import ClassVar

from dalenius.composition.bound import Bound, Tried
from dalenius.composition.releases import Releases
from dalenius.errors import DaleniusError
from dalenius.notions import Notion


class Route(abc.ABC):
    """A sound bound, under hypotheses that are checked on the model."""

    name: ClassVar[str]
    source: ClassVar[str]
    """The theorem it rests on."""

    reads_channel: ClassVar[bool] = False
    """Whether it rests on the joint channel of the secrets alone; see `Method.reads_channel`."""

    @abc.abstractmethod
    def applies(self, releases: Releases) -> str | None:
        """Why it does not hold for these releases, with the person and the record it fails for; None where it does."""

    @abc.abstractmethod
    def bound(self, releases: Releases, notion: Notion, delta: float) -> Bound:
        """What all releases leak together at that delta. InputError or TooLarge where
        the model or a noise does not allow it."""


def tried(route: Route, releases: Releases, notion: Notion, delta: float) -> Tried:
    """Its bound, or why there is none."""
    if not route.reads_channel and not all(release.of_plain_records for release in releases.each):
        return Tried(route.name, None, "answers are known, and given a total everybody depends on everybody")
    try:
        reason = route.applies(releases)
        return Tried(route.name, None if reason else route.bound(releases, notion, delta), reason)
    except DaleniusError as error:
        return Tried(route.name, None, str(error))
