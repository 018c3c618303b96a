"""An average over the values that some people's records can have together: I(X_i; Y | X_K) is one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Final, final

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.channel.leakage import Leakage, worst_of
from dalenius.channel.witness import Found, Witness
from dalenius.errors import TooLarge
from dalenius.joints import Joint
from dalenius.schema import RecordValue

MOST_VALUES: Final = 1024
"""Combinations of values of the known records."""
MOST_LOOKS: Final = 1 << 16
"""Combinations times people about whom is asked."""
FAINTEST: Final = 1e-300
"""More than what a combination adds whose probability is no double."""


@final
@dataclass(frozen=True)
class Given:
    """joint: the law of all records given these; log_probability: of their values."""

    joint: Joint
    known: Mapping[int, RecordValue] = field(default_factory=dict)
    log_probability: float = 0.0

    @property
    def weight(self) -> Enclosure:
        """The probability, and its rounding."""
        value = exp(self.log_probability)
        off = value * (64 + 8 * len(self.known) + 8 * abs(self.log_probability)) * UNIT
        return Enclosure(max(value - off, 0.0), min(value + off, 1.0))


def each_given(joint: Joint, people: Sequence[int]) -> Iterator[Given]:
    """Every combination of values of these people's records that can occur, in the order in which the model lists them.
    TooLarge for more than MOST_VALUES of them."""
    ways = 1
    for person in people:
        ways *= len(joint.subject_of(person).secrets)
    if ways > MOST_VALUES:
        raise TooLarge("the values of the records that are given", f"{ways:,} combinations", "name fewer people")
    yield from _further(Given(joint), people)


def _further(given: Given, people: Sequence[int]) -> Iterator[Given]:
    if not people:
        yield given
        return
    person, *others = people
    subject = given.joint.subject_of(person)
    for value, log_prior in zip(subject.secrets, subject.log_prior.tolist(), strict=True):
        known, joint = {**given.known, person: value}, given.joint.given({person: value})
        yield from _further(Given(joint, known, given.log_probability + log_prior), others)


def information_given(release: Release, world: RecordWorld, people: Sequence[int]) -> Leakage:
    """The largest I(X_i; Y | X_K) over everybody i whose record is a secret, in nats; people: K.

    TooLarge where there are too many combinations of values, or of these and people.
    """
    asked = [person for person in _asked(release, world.joint) if person not in people]
    every = list(each_given(world.joint, people))
    if len(every) * len(asked) > MOST_LOOKS:
        size = f"{len(every):,} combinations of values times {len(asked):,} people"
        raise TooLarge("the information given records", size, "name the people asked about in secrets.people, or fewer")
    lower, upper = dict.fromkeys(asked, 0.0), dict.fromkeys(asked, 0.0)
    for given in every:
        inside = release.world_of(given.joint)
        found = {channel.subject.person: channel.information().value for channel in inside.channels(release.noise)}
        for person in asked:
            own = found.get(given.joint.subject_of(person).person)
            if own is not None:
                lower[person] += given.weight.lower * own.lower
                upper[person] += given.weight.upper * own.upper + FAINTEST
    # A sum of so many positive terms, each a product.
    off = (len(every) + 4) * UNIT
    worst = worst_of(
        Found(Enclosure(lower[person] * (1 - off), upper[person] * (1 + off)), _witness(world.joint, person, people))
        for person in asked
    )
    return Leakage(worst.value.lower, worst.value.upper, worst.witness)


def _asked(release: Release, joint: Joint) -> Sequence[int]:
    named = release.secrets.numbers(joint)
    return sorted(joint.people()) if named is None else sorted(named)


def _witness(joint: Joint, person: int, people: Sequence[int]) -> Witness:
    one = "record" if len(people) == 1 else "records"
    who = f"{joint.subject_of(person).who}; given the {one} of {', '.join(map(str, people))}"
    return Witness(person, who)
