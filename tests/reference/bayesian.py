"""Bayesian differential privacy by brute force: every person, every set of others, everything it may be known to be."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations
from typing import NamedTuple

from tests.reference.channel import Channel, Noise, Score, channel, mp
from tests.reference.joints import Assignment, Joint, Value
from tests.reference.leakages import Leakage, inferential


class Attained(NamedTuple):
    """A leakage, whose it is, and what is known of others, by record."""

    leakage: Leakage
    person: int
    known: dict[int, Value]


def given(joint: Joint, known: dict[int, Value]) -> Joint:
    """The joint law given that those records have those values."""
    kept = {row: p for row, p in joint.items() if all(row[record] == value for record, value in known.items())}
    total = sum(kept.values(), Fraction(0))
    return {row: p / total for row, p in kept.items()}


def known_sets(joint: Joint, person: int) -> Iterator[dict[int, Value]]:
    """Every set of other records, with all values of positive probability."""
    others = [record for record in range(len(next(iter(joint)))) if record != person]
    for known in chain.from_iterable(combinations(others, size) for size in range(len(others) + 1)):
        for values in dict.fromkeys(_at(row, known) for row in joint):
            yield dict(zip(known, values, strict=True))


def _at(row: Assignment, records: Sequence[int]) -> Assignment:
    return tuple(row[record] for record in records)


class Knowing:
    """Everybody's channels given all that may be known of others, each found once."""

    def __init__(self, joint: Joint, score: Score, noise: Noise) -> None:
        self.joint = joint
        self._asked = score, noise
        self._found: dict[tuple[int, frozenset[tuple[int, Value]]], Channel] = {}

    @property
    def people(self) -> range:
        return range(len(next(iter(self.joint))))

    def channel(self, person: int, known: dict[int, Value]) -> Channel:
        key = person, frozenset(known.items())
        if key not in self._found:
            score, noise = self._asked
            self._found[key] = channel(given(self.joint, known), score, person, noise)
        return self._found[key]


def bayesian(knowing: Knowing) -> Attained:
    """Worst log W(y|s, x_K)/W(y|s', x_K) over people, K, x_K, secrets and outputs (IP §VII)."""
    found = [
        Attained(inferential(knowing.channel(person, known)), person, known)
        for person in knowing.people
        for known in known_sets(knowing.joint, person)
    ]
    return max(found, key=lambda each: each.leakage.value)


def between(
    joint: Joint, score: Score, noise: Noise, person: int, known: dict[int, Value], pair: tuple[Value, Value]
) -> Leakage:
    """The same for one person, one known set and one pair of values, of which nothing is told unless both can be."""
    found = channel(given(joint, known), score, person, noise)
    laws = {value: found.laws[value] for value in pair if value in found.laws}
    return inferential(replace(found, laws=laws)) if len(laws) > 1 else Leakage(mp.zero)
