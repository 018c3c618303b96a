"""A notion of privacy: a number read from a channel, and the promise to keep it small."""

import abc
from collections.abc import Iterable
from typing import ClassVar

from dalenius.channel import Channel, Release
from dalenius.notions.leakage import Leakage, worst
from dalenius.schema import Frozen, Positive


class Notion(Frozen, abc.ABC):
    """epsilon: the promise, in nats; may be left open where only the leakage is asked for."""

    of_the_model: ClassVar[bool] = True
    """Whether the leakage depends on what the records say about each other."""

    kind: str
    epsilon: Positive | None = None

    @abc.abstractmethod
    def leakage_of(self, channel: Channel) -> Leakage:
        """What one subject's channel leaks, in nats."""

    def leakage(self, release: Release) -> Leakage:
        """What the release leaks, of the person it leaks most of."""
        return worst(self.leakage_of(channel) for channel in release.channels())


def leakages(release: Release, notions: Iterable[Notion]) -> list[Leakage]:
    """Several notions of one release, each channel made once and let go."""
    chosen = list(notions)
    totals: list[Leakage] = [worst([]) for _ in chosen]
    for channel in release.channels():
        totals = [worst([total, notion.leakage_of(channel)]) for total, notion in zip(totals, chosen, strict=True)]
    return totals
