"""The records of a long chain that are computed, and the messages to each of them from before and after.

Records near either end are computed one by one. All between, of one phase, have nearly the same law: one stands for
them, and its distance from the others is counted (`apart`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log, sqrt
from typing import Any, Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.joints.extended_precision import ROUNDING, ComplexLong, Long, power
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.tilted_steps import TiltedSteps, rounded_steps

_ALIKE: Final = 1e-14
"""Share of the chain's memory that is left where records begin to count as alike."""


@final
@dataclass(frozen=True)
class ChainPlaces:
    """The classes of n records: those before `left` and from `right` on one by one, `period` classes between.

    `depth` is how many periods are before, and after, each record between.

    A thousand records whose memory is gone after ten: the first ten, the last ten, and one for all others.

    >>> places = ChainPlaces(1000, 1, 10)
    >>> len(places), places.members(10), places.row_of(500)
    (21, range(10, 990), 10)
    """

    n: int
    period: int
    depth: int

    @property
    def blocks(self) -> int:
        """The number of periods of steps between the first and the last record of the classes between."""
        return max((self.n - 2 * self.depth * self.period - self.period + 1) // self.period, 0)

    @property
    def left(self) -> int:
        return self.depth * self.period if self.blocks else self.n

    @property
    def right(self) -> int:
        return self.left + self.period - 1 + self.blocks * self.period if self.blocks else self.n

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """The place of each class's first record, in order."""
        between = range(self.left, self.left + self.period) if self.blocks else ()
        return (*range(self.left), *between, *range(self.right, self.n))

    def __len__(self) -> int:
        return len(self.firsts)

    def row_of(self, place: int) -> int:
        """Returns the number of the class that a `place`, from 0, is in."""
        if place < self.left:
            return place
        if place < self.right:
            return self.left + (place - self.left) % self.period
        return place - self.right + self.left + self.period

    def members(self, row: int) -> range:
        """Returns the places of the class with the number `row`."""
        first = self.firsts[row]
        between = self.left <= first < self.right
        return range(first, self.right, self.period) if between else range(first, first + 1)

    @property
    def between(self) -> range:
        """The numbers of the classes of many records."""
        return range(self.left, self.left + self.period) if self.blocks else range(0)


def chain_places(chain: RepeatingChain, kept: float) -> ChainPlaces:
    """Chooses the classes of a `chain`; `kept` is the share of its memory that it keeps over one period."""
    if not chain.repeats or kept >= 1:
        return ChainPlaces(chain.n, chain.period, chain.n)
    # Because a mass of the sum is some 1/√n, and the error must be small beside it.
    alike = _ALIKE / sqrt(chain.n)
    depth = ceil(log(alike) / log(max(kept, alike)))
    # Because memory that fades over many periods begins with some more than its share.
    return ChainPlaces(chain.n, chain.period, depth + (1 if depth > 2 else 0))


def messages(places: ChainPlaces, steps: Sequence[Any], first: Any, last: Any) -> tuple[Any, Any]:
    """Returns the messages to each class's first record, from before, itself included, and from after.

    Both are (classes, .., k).

    Args:
        places: The classes of the chain's records.
        steps: The steps of each phase (.., k, k).
        first: The vector of the first record (.., k).
        last: The vector of the last record (.., k).
    """
    n, period, count = places.n, places.period, len(steps)
    middle = places.left + period - 1 if places.blocks else n - 1
    before, after = [first], {n - 1: last}
    for place in range(middle):
        before.append(_row(before[-1], steps[place % count]))
    for place in range(n - 2, (places.right if places.blocks else 0) - 1, -1):
        after[place] = _column(steps[place % count], after[place + 1])
    if places.blocks:
        block = steps[middle % count]
        for more in range(1, period):
            block = block @ steps[(middle + more) % count]
        far = power(block, places.blocks)
        before.append(_row(before[-1], far))
        for place in range(places.right, n - 1):
            before.append(_row(before[-1], steps[place % count]))
        after[middle] = _column(far, after[places.right])
        for place in range(middle - 1, -1, -1):
            after[place] = _column(steps[place % count], after[place + 1])
    return np.stack(before), np.stack([after[place] for place in places.firsts])


def _row(vectors: Any, matrices: Any) -> Any:
    return (vectors[..., None, :] @ matrices)[..., 0, :]


def _column(matrices: Any, vectors: Any) -> Any:
    return (matrices @ vectors[..., None])[..., 0]


def joint_masses(tilted: TiltedSteps, places: ChainPlaces) -> Long:
    """Returns the tilted probability of each value of the first record of each class of `places` (classes, T, k).

    `tilted` has the chain's steps at T tilts.
    """
    before, after = messages(places, tilted.steps, tilted.first, tilted.last)
    return np.asarray(before * after / tilted.total[None, :, None])


def apart(tilted: TiltedSteps, places: ChainPlaces, row: int, steps: Sequence[Long] | Sequence[ComplexLong]) -> Array:
    """Bounds how far the transform of any member of a class is from that of its first (T, frequencies, k).

    The bound is Result 20.41. A record with `depth` periods before and after it has before·B^a·B^depth and
    B^depth·B^b·after there, with a + b the same for all. Where B^depth is r·l + E with small E, their product is
    l·r·before·B^(a+b+depth)·after up to terms in E: the same for all. All of before·B^a add up to no more than at
    frequency 0, and no entry of B^b·after is above the largest there.

    Args:
        tilted: The chain's steps at T tilts.
        places: The classes of the chain's records.
        row: The number of the class.
        steps: The turned steps of each phase (T, frequencies, k, k), the first frequency being 0.
    """
    phase = places.firsts[row] % places.period
    block = steps[phase % len(steps)]
    for more in range(1, places.period):
        block = block @ steps[(phase + more) % len(steps)]
    found = power(block, places.depth)
    states = found.shape[-1]
    sizes = np.abs(found)
    place = sizes.reshape(*sizes.shape[:-2], -1).argmax(axis=-1)
    one, other = np.ogrid[: found.shape[0], : found.shape[1]]
    pivot = found[one, other, place // states, place % states][..., None]
    # Because a product of which nothing is left is its own remainder.
    solid = np.abs(pivot) > 0
    across = np.where(solid, found[one, other, place // states, :], 0)
    along = np.where(solid, found[one, other, :, place % states], 0) / np.where(solid, pivot, 1)
    plain = np.abs(along)[..., :, None] * np.abs(across)[..., None, :]
    rounded = rounded_steps(tilted.chain) * sizes[:, :1] + 8 * ROUNDING * plain
    rest = np.abs(found - along[..., :, None] * across[..., None, :]) + rounded
    left, right = np.abs(across), np.abs(along)
    rows, columns = rest.sum(axis=-1), rest.max(axis=-2)
    bound = (
        left * right * rows.max(axis=-1, keepdims=True)
        + left * right.max(axis=-1, keepdims=True) * rows
        + columns * right * left.sum(axis=-1, keepdims=True)
        + columns * rows
    )
    room = 2.01 * np.exp(tilted.log_room)
    return np.asarray(room[:, None, None] * bound, dtype=np.float64)
