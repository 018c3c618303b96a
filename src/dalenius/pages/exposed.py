"""How exposed people are: the classes of exchangeable people, worst first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from dalenius.bounds import Enclosure, near_to_digits
from dalenius.channel import Release
from dalenius.channel.finite.channel import FiniteChannel
from dalenius.joints import Subject
from dalenius.pages.judged import Judged
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True)
class Exposed:
    """One class of exchangeable people under the law where it is exposed most. law: its place among the model's; label:
    of their records; raised: the most any output raises the log of a chance of theirs, in nats; value: that chance's.
    """

    subject: Subject
    law: int
    label: str
    raised: Enclosure
    value: RecordValue | None

    @property
    def person(self) -> int:
        return self.subject.person

    def channel(self, release: Release) -> FiniteChannel:
        """Made anew: those of all classes together may not fit."""
        made = release.finite_worlds[self.law].channels(release.noise)
        return next(channel for channel in made if channel.subject.person == self.person)


def exposed(judged: Judged) -> list[Exposed]:
    """All classes of whom an output may leak something, the worst first; of those that differ by roundings only, the
    first person. None where records are real numbers, or the secret is who is absent."""
    found: dict[int, Exposed] = {}
    for law, world in enumerate(judged.release.finite_worlds):
        strata = world.joint.strata()
        for channel in world.channels(judged.release.noise):
            raised, witness = channel.movement().raised
            value = None if witness is None else witness.secret
            own = Exposed(channel.subject, law, strata[channel.subject.stratum].label, raised, value)
            if own.person not in found or _order(own) < _order(found[own.person]):
                found[own.person] = own
    return sorted(found.values(), key=_order)


def _order(each: Exposed) -> tuple[float, int]:
    return -near_to_digits(each.raised.upper, 6), each.person


def alike(found: Sequence[Exposed]) -> list[Exposed]:
    """Of those in order, the ones that are exposed as much as the first but for roundings."""
    return [each for each in found if _order(each)[0] == _order(found[0])[0]]
