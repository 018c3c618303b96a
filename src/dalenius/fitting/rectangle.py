"""A rectangle of an epidemic's two probabilities that holds both at a level the user states.

Of the households of each size, how many have at least k infected is binomial, for every k, and its chance grows with
either probability (Result 21.17). Clopper and Pearson's intervals of all these chances, which share 1 - confidence
evenly, hold together; the rectangle is around all values whose chances lie in them: the highest `household` is where
some chance reaches its upper end at the lowest `community`, and so on. Neither how many households there are of a size
nor which k are looked at may depend on who was infected.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.fitting.epidemic import final_size_laws
from dalenius.fitting.regions import ClopperPearson, check_confidence
from dalenius.laws.law import Array, IntArray

Side: TypeAlias = tuple[float, float]
ROUNDS: Final = 12
HALVINGS: Final = 44
LOOSE: Final = 1e-9
"""Computed chances are known to less than this; ends move outwards by as much."""
SETTLED: Final = 1e-6


@final
@dataclass(frozen=True)
class Rectangle:
    """Where `community` and `household` lie, each from and to; claims: how many statements share 1 - confidence."""

    community: Side
    household: Side
    claims: int


def rectangle(tallies: Mapping[int, IntArray], confidence: float) -> Rectangle | None:
    """tallies: households by how many are infected, 0 to size, by size (`fitting.epidemic.by_size`). None where no
    epidemic has all chances in their intervals. InputError for a confidence outside (0, 1)."""
    check_confidence(confidence)
    claims = sum(tallies)
    ends = {size: _chances(own, (1 - confidence) / claims) for size, own in tallies.items()}
    community, household = (0.0, 1.0), (0.0, 1.0)
    for _ in range(ROUNDS):
        before = community, household
        community = _narrowed(ends, lambda c, h: (c, h), household)
        household = _narrowed(ends, lambda h, c: (c, h), community)
        if community[0] > community[1] or household[0] > household[1]:
            return None
        moved = np.abs(np.subtract(before, (community, household)))
        if float(moved.max()) < SETTLED:
            break
    return Rectangle(community, household, claims)


def _chances(tally: IntArray, alpha: float) -> tuple[Array, Array]:
    """Intervals of the chances that at least 1, 2, .., size are infected."""
    homes, size = int(tally.sum()), len(tally) - 1
    most = tally[::-1].cumsum()[::-1]
    found = [ClopperPearson().ends(int(most[k]), homes, 2, alpha) for k in range(1, size + 1)]
    low, high = np.array(found).T
    return low - LOOSE, high + LOOSE


def _narrowed(
    ends: Mapping[int, tuple[Array, Array]], placed: Callable[[float, float], tuple[float, float]], other: Side
) -> Side:
    """One side, given the other: from where no chance is too low at the other's highest value, to where none is too
    high at its lowest."""

    def enough(value: float) -> bool:
        return all((chances >= ends[size][0]).all() for size, chances in _at(ends, *placed(value, other[1])))

    def kept(value: float) -> bool:
        return all((chances <= ends[size][1]).all() for size, chances in _at(ends, *placed(value, other[0])))

    return _least(enough), 1 - _least(lambda rest: kept(1 - rest))


def _at(sizes: Mapping[int, object], community: float, household: float) -> list[tuple[int, Array]]:
    laws = final_size_laws(sizes.keys(), community, household)
    return [(size, law[::-1].cumsum()[::-1][1:]) for size, law in laws.items()]


def _least(holds: Callable[[float], bool]) -> float:
    """A number from 0 to 1 just below which the condition fails, or 0; from below; above 1 where it fails at 1."""
    if holds(0.0):
        return 0.0
    if not holds(1.0):
        return 1.0 + LOOSE
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low
