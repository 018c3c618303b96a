"""What several questions leak together, next to what each leaks alone: neither the largest nor the sum of these says it
(Theory §9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Release
from dalenius.channel.leakage import Leakage
from dalenius.notions.notion import Notion, leakages


@final
@dataclass(frozen=True)
class Difference:
    """One notion, in nats. most_alone, sum_alone: the largest and the sum of what the questions leak alone; above_most:
    by how much the leakage of all together exceeds the largest; above_sum: the sum, negative where it is less."""

    together: Enclosure
    most_alone: Enclosure
    sum_alone: Enclosure
    above_most: Enclosure
    above_sum: Enclosure


def difference(together: Leakage, alone: Sequence[Leakage]) -> Difference:
    """alone: of the same notion, question by question. The mechanism that forgets all answers but one leaks no more, so
    that together is at least the largest, for every notion of the channel."""
    most = Enclosure(max(each.lower for each in alone), max(each.upper for each in alone))
    found = Enclosure(min(max(together.lower, most.lower), together.upper), together.upper)
    off = 2 * len(alone) * UNIT
    total = Enclosure(sum(each.lower for each in alone) * (1 - off), sum(each.upper for each in alone) * (1 + off))
    return Difference(found, most, total, _less(found, most).clipped(0.0), _less(found, total))


def _less(one: Enclosure, other: Enclosure) -> Enclosure:
    """one - other; of two infinities, nothing is known but that neither is more."""
    if one.upper == other.upper == float("inf"):
        low = one.lower - other.upper if one.lower < one.upper else 0.0
        return Enclosure(low, float("inf") if other.lower < other.upper else 0.0)
    off = 4 * UNIT * (1 if one.upper == float("inf") else one.upper)
    return Enclosure(one.lower - other.upper - off, one.upper - other.lower + off)


def alone(questions: Sequence[tuple[str, Release]], notions: Sequence[Notion]) -> Mapping[str, list[Leakage]]:
    """By question, in order, what it leaks alone, notion by notion."""
    return {name: leakages(release, notions) for name, release in questions}
