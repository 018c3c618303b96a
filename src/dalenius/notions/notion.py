"""A notion of privacy: a number read from a channel, and the promise to keep it small."""

import abc
from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, TypeAlias

from dalenius.bounds import Enclosure
from dalenius.channel import Channel, Release
from dalenius.channel.leakage import Leakage, worst
from dalenius.errors import InputError
from dalenius.kinds import Kinds
from dalenius.notions.absence import absent_leakage
from dalenius.notions.normal import normal_worst
from dalenius.notions.sharpening import sharpened
from dalenius.schema import Frozen, Positive

Proof: TypeAlias = Literal["inferential", "record", "group", "absence", "nothing"]
"""What keeps a promise of epsilon: inferential privacy of epsilon, without delta (IP Prop 1; Smith 2009); noise that
hides one record, or a whole independent group, at epsilon; only theorems about an absent person (DI Thm 2 and 3; Lee
and Clifton 2012); nothing that is known."""

Linear: TypeAlias = Literal["pairs", "average"] | None


class Notion(Frozen, abc.ABC):
    """epsilon: the promise, in nats; may be left open where only the leakage is asked for."""

    of_the_model: ClassVar[bool] = True
    """Whether the leakage depends on what the records say about each other."""

    also: ClassVar[tuple[str, ...]] = ()
    """The names of the companions every leakage of this notion has."""

    of_real_numbers: ClassVar[bool] = True
    """Whether it means anything of records that are real numbers."""

    of_absence: ClassVar[bool] = True
    """Whether it means anything where the secret is who is absent."""

    of_records: ClassVar[bool] = True
    """Whether it means anything where the secret is a record."""

    of_channels: ClassVar[bool] = True
    """Whether it is read from each subject's channel alone; if not, `leakage` says how."""

    linear: ClassVar[Linear] = None
    """As which constraints the promise is written that are linear in the mechanism: W(y|s) <= e^epsilon W(y|s') for the
    pairs of secrets that must not be told apart, or W(y|s) <= e^epsilon W(y), the average over the prior; with a delta,
    of the sum over y of what exceeds it. None: as none."""

    kind: str
    epsilon: Positive | None = None

    @property
    def implied_by(self) -> Proof:
        """What is known to keep the promise."""
        return "nothing"

    @property
    def promised_delta(self) -> float | None:
        """The promise's delta; None where the notion has none."""
        return None

    @property
    def background_fraction(self) -> float | None:
        """The largest fraction of all records that the adversary may know besides; None where the notion names none."""
        return None

    @property
    def log_ratio_bounds(self) -> tuple[float, float] | None:
        """The promised largest ln(posterior/prior) and ln(prior/posterior), rounded down (DI Def 4); None where the
        notion names none."""
        return None

    @property
    def posterior_bound(self) -> float | None:
        """The promised largest probability of being the absent one; None where the notion names none (Lee and Clifton
        2012)."""
        return None

    @abc.abstractmethod
    def leakage_of(self, channel: Channel) -> Leakage:
        """What one subject's channel leaks, in nats."""

    def leakage(self, release: Release) -> Leakage:
        """What the release leaks, of the person it leaks most of."""
        self._check_secret(release)
        found = [self.sharp_leakage(channel) for channel in release.record_channels()]
        normal = [normal_worst(self, channels) for channels in release.normal_channels()]
        absent = [absent_leakage(self, channel) for channel in release.absent_channels()]
        return worst([self.nothing(), *found, *normal, *absent])

    def sharp_leakage(self, channel: Channel) -> Leakage:
        """What one subject's channel leaks, over all outputs of a line too."""
        return sharpened(self.leakage_of, channel)

    def check(self, release: Release) -> None:
        """InputError where the promise makes no sense of this release."""

    def _check_secret(self, release: Release) -> None:
        if not self.of_records and not release.absences:
            raise InputError("notion.kind", self.kind, "model absent: its secret is who is absent, no record")

    def nothing(self) -> Leakage:
        """The leakage where no secret can be told from another."""
        return Leakage(0.0, 0.0, None, {name: Enclosure(0.0, 0.0) for name in self.also})


def leakages(release: Release, notions: Iterable[Notion]) -> list[Leakage]:
    """Several notions of one release, each channel made once and let go."""
    chosen = list(notions)
    found = [[notion.nothing() if notion.of_channels else notion.leakage(release)] for notion in chosen]
    read = [i for i, notion in enumerate(chosen) if notion.of_channels]
    for i in read:
        chosen[i]._check_secret(release)
    for channel in release.record_channels() if read else ():
        for i in read:
            found[i].append(chosen[i].sharp_leakage(channel))
    for channels in release.normal_channels() if read else ():
        for i in read:
            found[i].append(normal_worst(chosen[i], channels))
    for absent in release.absent_channels() if read else ():
        for i in read:
            found[i].append(absent_leakage(chosen[i], absent))
    return [worst(each) for each in found]


AnyNotion: TypeAlias = Annotated[Notion, Kinds("dalenius.notions", "Notion", "dalenius.notions")]
"""A notion of any kind, as a section of a spec."""
