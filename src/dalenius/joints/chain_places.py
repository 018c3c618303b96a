"""The records of a long chain that are computed, and the messages to each of them from before and after.

Known records cut the chain into stretches. Records near either end of a stretch are computed one by one. All between,
of one phase, have nearly the same law: one stands for them, and its distance from the others is counted (`apart`).
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, log, sqrt
from typing import Any, Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.joints.doubled_precision import Doubled
from dalenius.joints.extended_precision import ROUNDING, ComplexLong, Long, power
from dalenius.joints.repeating_chain import RepeatingChain, only
from dalenius.joints.tilted_steps import TiltedSteps, product, rounded_steps

_ALIKE: Final = 1e-14
"""Share of the chain's memory that is left where records begin to count as alike."""


@final
@dataclass(frozen=True)
class StretchPlaces:
    """The classes of the n records from `start` on: those before `left` and from `right` on, one by one, and between
    `period` classes of many.

    `depth` is how many periods are before, and after, each record between. state: the known value of the first record;
    None where it is not known.
    """

    start: int
    n: int
    period: int
    depth: int
    state: int | None = None

    @property
    def end(self) -> int:
        return self.start + self.n

    @property
    def blocks(self) -> int:
        """The number of periods of steps between the first and the last record of the classes between."""
        return max((self.n - 2 * self.depth * self.period - self.period + 1) // self.period, 0)

    @property
    def left(self) -> int:
        return self.start + self.depth * self.period if self.blocks else self.end

    @property
    def right(self) -> int:
        return self.left + self.period - 1 + self.blocks * self.period if self.blocks else self.end

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """The place of each class's first record, in order."""
        between = range(self.left, self.left + self.period) if self.blocks else ()
        return (*range(self.start, self.left), *between, *range(self.right, self.end))

    def row_of(self, place: int) -> int:
        """Returns the number of the class, in the stretch, that a `place` of it is in."""
        if place < self.left:
            return place - self.start
        first = self.left - self.start
        if place < self.right:
            return first + (place - self.left) % self.period
        return place - self.right + first + self.period

    def members(self, first: int) -> range:
        """Returns the places of the class whose first record is at `first`."""
        between = self.left <= first < self.right
        return range(first, self.right, self.period) if between else range(first, first + 1)

    def before(self, steps: Sequence[Any], into: Any, far: Any) -> list[Any]:
        """Returns the messages from before to each class's first record.

        Args:
            steps: The chain's steps of each phase (.., k, k).
            into: The message to the first record of the stretch (.., k).
            far: The product of the steps of all blocks (.., k, k), if there are any.
        """
        found, count = [into], len(steps)
        for place in range(self.start, self.middle):
            found.append(_row(found[-1], steps[place % count]))
        if self.blocks:
            found.append(_row(found[-1], far))
            for place in range(self.right, self.end - 1):
                found.append(_row(found[-1], steps[place % count]))
        return found

    def after(self, steps: Sequence[Any], onto: Any, far: Any) -> list[Any]:
        """Returns the messages from after to each class's first record; `onto` is that to the stretch's last record.

        steps, far: as in `before`.
        """
        middle, count = self.middle, len(steps)
        found = {self.end - 1: onto}
        for place in range(self.end - 2, (self.right if self.blocks else self.start) - 1, -1):
            found[place] = _column(steps[place % count], found[place + 1])
        if self.blocks:
            found[middle] = _column(far, found[self.right])
            for place in range(middle - 1, self.start - 1, -1):
                found[place] = _column(steps[place % count], found[place + 1])
        return [found[place] for place in self.firsts]

    @property
    def middle(self) -> int:
        """The place of the last record before the blocks."""
        return self.left + self.period - 1 if self.blocks else self.end - 1


@final
@dataclass(frozen=True)
class ChainPlaces:
    """The classes of a chain's records, stretch by stretch; every stretch but the first begins with a known record.

    A thousand records whose memory is gone after ten: the first ten, the last ten, and one for all others.

    >>> places = ChainPlaces.of(1000, 1, 10)
    >>> len(places), places.members(10), places.row_of(500)
    (21, range(10, 990), 10)

    The record at place 500 is known to have the state 1: two more times ten, one more for all others.

    >>> places = ChainPlaces.of(1000, 1, 10, ((500, 1),))
    >>> len(places), places.between, places.members(31), places.row_of(500)
    (42, (10, 31), range(510, 990), 21)
    """

    stretches: tuple[StretchPlaces, ...]

    @classmethod
    def of(cls, n: int, period: int, depth: int, known: tuple[tuple[int, int], ...] = ()) -> "ChainPlaces":
        """Divides n records into stretches at the `known` ones (place, state), in order; period and depth are those of
        every stretch."""
        cuts: list[tuple[int, int | None]] = [*known] if known and known[0][0] == 0 else [(0, None), *known]
        ends = [*(place for place, _ in cuts[1:]), n]
        return cls(
            tuple(
                StretchPlaces(start, end - start, period, depth, state)
                for (start, state), end in zip(cuts, ends, strict=True)
            )
        )

    @property
    def depth(self) -> int:
        return self.stretches[0].depth

    @property
    def period(self) -> int:
        return self.stretches[0].period

    @property
    def blocks(self) -> int:
        """The number of periods of steps between the first and last records of all classes of many."""
        return sum(each.blocks for each in self.stretches)

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """The place of each class's first record, in order."""
        return tuple(place for each in self.stretches for place in each.firsts)

    def __len__(self) -> int:
        return len(self.firsts)

    @cached_property
    def _rows(self) -> tuple[int, ...]:
        """The number of each stretch's first class, and of all classes."""
        return (0, *np.cumsum([len(each.firsts) for each in self.stretches]).tolist())

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(each.start for each in self.stretches)

    def row_of(self, place: int) -> int:
        """Returns the number of the class that a `place`, from 0, is in."""
        number = bisect_right(self._starts, place) - 1
        return self._rows[number] + self.stretches[number].row_of(place)

    def stretch_of(self, row: int) -> int:
        """Returns the number of the stretch that the class `row` is in."""
        return bisect_right(self._rows, row) - 1

    def members(self, row: int) -> range:
        """Returns the places of the class with the number `row`."""
        return self.stretches[self.stretch_of(row)].members(self.firsts[row])

    @cached_property
    def between(self) -> tuple[int, ...]:
        """The numbers of the classes of many records."""
        return tuple(
            self.row_of(each.left + more) for each in self.stretches if each.blocks for more in range(each.period)
        )

    def rooms(self, before: Any, after: Any, total: Any) -> list[Array]:
        """Bounds, for each stretch, the messages to its first and its last record, over the total (T,).

        Args:
            before: The messages to each class from before (classes, T, k), at frequency 0.
            after: Those from after.
            total: What both are divided by (T,).
        """
        # Because roundings are counted too.
        return [
            np.asarray(before[first].sum(axis=-1) * after[end - 1].max(axis=-1) / total * (1 + 1e-9), dtype=np.float64)
            for first, end in pairwise(self._rows)
        ]


def chain_places(chain: RepeatingChain, kept: float) -> ChainPlaces:
    """Chooses the classes of a `chain`; `kept` is the share of its memory that it keeps over one period."""
    if not chain.repeats or kept >= 1:
        return ChainPlaces.of(chain.n, chain.period, chain.n, chain.known)
    # Because a mass of the sum is some 1/√n, and the error must be small beside it.
    alike = _ALIKE / sqrt(chain.n)
    depth = ceil(log(alike) / log(max(kept, alike)))
    # Because memory that fades over many periods begins with some more than its share.
    return ChainPlaces.of(chain.n, chain.period, depth + (1 if depth > 2 else 0), chain.known)


def messages(
    places: ChainPlaces, steps: Sequence[Any], first: Any, last: Any, doubled: Sequence[Doubled] | None = None
) -> tuple[Any, Any]:
    """Returns the messages to each class's first record, from before, itself included, and from after.

    Both are (classes, .., k).

    Args:
        places: The classes of the chain's records.
        steps: The steps of each phase (.., k, k).
        first: The vector of the first record (.., k).
        last: The vector of the last record (.., k).
        doubled: The steps in doubled precision, for products of very many; None where `steps` are as good.
    """
    before, count, stretches = list[Any](), len(steps), places.stretches
    fars = [product(steps, doubled, each.middle, each.blocks) if each.blocks else None for each in stretches]
    for stretch, far in zip(stretches, fars, strict=True):
        into = _row(before[-1], steps[(stretch.start - 1) % count]) if before else first
        before += stretch.before(steps, only(into, stretch.state), far)
    after, onto = list[list[Any]](), last
    for stretch, far in zip(reversed(stretches), reversed(fars), strict=True):
        after.append(stretch.after(steps, onto, far))
        if stretch.start:
            onto = _column(steps[(stretch.start - 1) % count], only(after[-1][0], stretch.state))
    return np.stack(before), np.stack([each for own in reversed(after) for each in own])


def _row(vectors: Any, matrices: Any) -> Any:
    return (vectors[..., None, :] @ matrices)[..., 0, :]


def _column(matrices: Any, vectors: Any) -> Any:
    return (matrices @ vectors[..., None])[..., 0]


def joint_masses(tilted: TiltedSteps, places: ChainPlaces) -> Long:
    """Returns the tilted probability of each value of the first record of each class of `places` (classes, T, k).

    `tilted` has the chain's steps at T tilts.
    """
    before, after = messages(places, tilted.steps, tilted.first, tilted.last, tilted.doubled)
    return np.asarray(before * after / tilted.total[None, :, None])


def rooms(tilted: TiltedSteps, places: ChainPlaces) -> list[Array]:
    """Bounds the messages of `tilted` steps to both ends of each stretch of `places`, over the total (T,)."""
    return places.rooms(*messages(places, tilted.steps, tilted.first, tilted.last), tilted.total)


def apart(tilted: TiltedSteps, places: ChainPlaces, phase: int, steps: Sequence[Long] | Sequence[ComplexLong]) -> Array:
    """Bounds how far the transform of any member of a class is from that of its first (T, frequencies, k).

    It is the bound over that of the messages to both ends of the class's stretch, as of `rooms`.

    The bound is Result 20.41. A record with `depth` periods before and after it has before·B^a·B^depth and
    B^depth·B^b·after there, with a + b the same for all. Where B^depth is r·l + E with small E, their product is
    l·r·before·B^(a+b+depth)·after up to terms in E: the same for all. All of before·B^a add up to no more than at
    frequency 0, and no entry of B^b·after is above the largest there.

    Args:
        tilted: The chain's steps at T tilts.
        places: The classes of the chain's records.
        phase: The place of the class's records modulo the period.
        steps: The turned steps of each phase (T, frequencies, k, k), the first frequency being 0.
    """
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
    rounded = rounded_steps(tilted.chain, places.depth * places.period) * sizes[:, :1] + 8 * ROUNDING * plain
    rest = np.abs(found - along[..., :, None] * across[..., None, :]) + rounded
    left, right = np.abs(across), np.abs(along)
    rows, columns = rest.sum(axis=-1), rest.max(axis=-2)
    bound = (
        left * right * rows.max(axis=-1, keepdims=True)
        + left * right.max(axis=-1, keepdims=True) * rows
        + columns * right * left.sum(axis=-1, keepdims=True)
        + columns * rows
    )
    return np.asarray(2.01 * bound, dtype=np.float64)
