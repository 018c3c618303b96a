"""How far one record can move the answer, whatever the others are."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import final

from dalenius.models import Joint, Stratum
from dalenius.queries import Scores
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True)
class Spread:
    """The two values of a record whose scores lie furthest apart (L1), and that distance on each coordinate."""

    values: tuple[RecordValue, RecordValue]
    distances: tuple[Fraction, ...]

    @property
    def total(self) -> Fraction:
        return sum(self.distances, Fraction(0))


def spread_of(strata: Sequence[Stratum], scores: Scores, stratum: int) -> Spread:
    """The spread of a record of that stratum, over its whole universe."""
    first = sum(len(each.values) for each in strata[:stratum])
    values = strata[stratum].values
    return _widest(values, scores.exact[first : first + len(values)])


@lru_cache(maxsize=4096)
def _widest(values: tuple[RecordValue, ...], exact: tuple[tuple[Fraction, ...], ...]) -> Spread:
    axes = range(len(exact[0]))
    moving = [axis for axis in axes if len({row[axis] for row in exact}) > 1]
    if len(moving) <= 1:
        axis = moving[0] if moving else 0
        low = min(range(len(values)), key=lambda i: exact[i][axis])
        high = max(range(len(values)), key=lambda i: exact[i][axis])
        return Spread((values[high], values[low]), _apart(exact[high], exact[low]))
    pairs = ((i, j) for i in range(len(values)) for j in range(i))
    high, low = max(pairs, key=lambda pair: sum(_apart(exact[pair[0]], exact[pair[1]])))
    return Spread((values[high], values[low]), _apart(exact[high], exact[low]))


def _apart(one: Sequence[Fraction], other: Sequence[Fraction]) -> tuple[Fraction, ...]:
    return tuple(abs(a - b) for a, b in zip(one, other, strict=True))


def sensitivity(joint: Joint, scores: Scores) -> Fraction:
    """Δ: the most one record can move the answer, in L1 over its coordinates."""
    return max(_spreads(joint, scores))


def group_sensitivity(joint: Joint, scores: Scores) -> tuple[Fraction, int]:
    """The most one independent group can move the answer if all its records change, and the largest group's size k.

    For records alike the first is kΔ (THEORY §5, method `group`).
    """
    spreads = _spreads(joint, scores)
    groups = joint.group_strata()
    moves = [sum((int(n) * each for n, each in zip(g, spreads, strict=True)), Fraction(0)) for g in groups]
    return max(moves), max(int(group.sum()) for group in groups)


def _spreads(joint: Joint, scores: Scores) -> list[Fraction]:
    strata = joint.strata()
    return [spread_of(strata, scores, i).total for i in range(len(strata))]
