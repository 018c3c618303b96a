"""A way from single releases to what all of them leak together."""

import abc
from typing import ClassVar

from dalenius.channel import Release
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


def fixed(releases: Releases, delta: float) -> tuple[str, ...]:
    """What sums of losses rest on where later releases depend on earlier outputs. A sum may be limited beforehand, of
    pure losses or of the squares of Gaussian noise's μ; the profile of both, or of pure losses, needs each of them
    (Result 9.7)."""
    if not releases.adaptive:
        return ()
    if delta and any(deviation == 0 for release in releases.each for deviation in _deviations(release)):
        return ("the losses were fixed beforehand",)
    return ("the losses were fixed beforehand, or their sum was limited beforehand",)


def _deviations(release: Release) -> list[float]:
    return [part.gaussian_deviation for part in release.noise.each(len(release.names))]


def tried(route: Route, releases: Releases, notion: Notion, delta: float) -> Tried:
    """Its bound, or why there is none."""
    try:
        if not route.reads_channel:
            for release in releases.each:
                release.check_plain_records(f"route {route.name}")
        reason = route.applies(releases)
        return Tried(route.name, None if reason else route.bound(releases, notion, delta), reason)
    except DaleniusError as error:
        return Tried(route.name, None, str(error))
