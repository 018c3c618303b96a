"""The transform of answers with maxima or minima among their coordinates, tails to full relative accuracy (Result 4.1).

Along an extreme axis a random record is given by two numbers per rank r of its scores: Pr[it is r] and Pr[it is before
r]. For the larger of two independent ones

    is = is₁·(is₂ + before₂) + before₁·is₂        before = before₁·before₂

so that only non-negative numbers are added and multiplied, and no probability is subtracted. Several extreme
axes make a tensor product; along the other axes, which are sums, products are convolutions.

If a number is raised to the millionth power, its own few roundings count a million times, and those of a smaller one in
the same array do not. So every number has its own count of roundings, unlike in a `ScaledGrid`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.laws.convolution import ScaledGrid, law_of, normalised
from dalenius.laws.extended_range import ZERO_EXPONENT, scaled_down
from dalenius.laws.generating_function_algebra import Transform
from dalenius.laws.law import Law
from dalenius.laws.sums import Combine, extreme_axes, upwards

_DEEP: Final = -700.0
"""Least log whose exponential is a double of full precision."""
_IS: Final = 0
_BEFORE: Final = 1


@final
@dataclass(frozen=True)
class Wide:
    """An array of numbers mantissa · 2^exponent with the count of roundings behind each.

    Args:
        mantissa: 0 or in [1/2, 1).
        exponent: Integers of 64 bits, of the same shape.
        roundings: How many rounded operations lie behind each entry, in the mean over the terms it is a sum of. All
            were on non-negative numbers, so the entry's relative error is at most roundings · 2^-53 (up to second
            order).
    """

    mantissa: Array
    exponent: IntArray
    roundings: Array

    # Because roundings are counted by entry (see the module), this is not `Masses`.
    def __getitem__(self, index: Any) -> "Wide":
        return Wide(self.mantissa[index], self.exponent[index], self.roundings[index])

    def reshaped(self, shape: tuple[int, ...]) -> "Wide":
        return Wide(self.mantissa.reshape(shape), self.exponent.reshape(shape), self.roundings.reshape(shape))

    def moved(self, source: int, destination: int) -> "Wide":
        """Moves the axis `source` to the place `destination`."""
        return Wide(
            np.moveaxis(self.mantissa, source, destination),
            np.moveaxis(self.exponent, source, destination),
            np.moveaxis(self.roundings, source, destination),
        )

    def put(self, index: Any, other: "Wide") -> None:
        """Overwrites the entries at `index` with `other`, in an array that is still being built."""
        self.mantissa[index], self.exponent[index] = other.mantissa, other.exponent
        self.roundings[index] = other.roundings


def nothing(shape: tuple[int, ...]) -> Wide:
    """Returns zeros of this `shape`, without roundings."""
    return Wide(np.zeros(shape), np.full(shape, ZERO_EXPONENT, dtype=np.int64), np.zeros(shape))


def _exponentials(logs: Array) -> Wide:
    """Returns e^logs, for logs of at most 0; -inf is a zero."""
    # The usual case: the weights of a household or of a single record are above 1e-304.
    if logs.min() > _DEEP:
        return _normalised(np.exp(logs), 0, 4.0 + 2.0 * np.abs(logs))
    finite = np.where(logs > -np.inf, logs, 0.0)
    twos = np.where(finite > _DEEP, 0.0, np.floor(finite / np.log(2.0)))
    # Because a log of size w resolves its exponential to w roundings, and taking off twos·log 2 costs as much again.
    roundings = np.where(finite > _DEEP, 2.0, 4.0) * np.abs(finite) + 4.0
    mantissa = np.where(logs > -np.inf, np.exp(finite - twos * np.log(2.0)), 0.0)
    return _normalised(mantissa, twos.astype(np.int64), roundings)


def times(one: Wide, other: Wide) -> Wide:
    """Returns the products of `one` and `other`, entry by entry, with one more rounding each."""
    return _normalised(
        one.mantissa * other.mantissa, one.exponent + other.exponent, one.roundings + other.roundings + 1.0
    )


def _plus(one: Wide, other: Wide) -> Wide:
    """Returns sums, with roundings weighted by the terms. Where only one term is not 0 nothing is rounded."""
    top = np.maximum(one.exponent, other.exponent)
    first, second = scaled_down(one.mantissa, one.exponent - top), scaled_down(other.mantissa, other.exponent - top)
    total = first + second
    weighted = first * one.roundings + second * other.roundings
    both = (first > 0) & (second > 0)
    return _normalised(total, top, _over(weighted, total) + both)


def _summed(terms: Wide) -> Wide:
    """Sums over the first axis."""
    top = terms.exponent.max(axis=0)
    values = scaled_down(terms.mantissa, terms.exponent - top)
    total = values.sum(axis=0)
    extra = np.maximum((values > 0).sum(axis=0) - 1.0, 0.0)
    return _normalised(total, top, _over((values * terms.roundings).sum(axis=0), total) + extra)


def _gathered(terms: Wide, places: IntArray, size: int) -> Wide:
    """Returns the sums of the terms of each place, flat (size,)."""
    top = np.full(size, ZERO_EXPONENT, dtype=np.int64)
    np.maximum.at(top, places, terms.exponent)
    values = scaled_down(terms.mantissa, terms.exponent - top[places])
    total, weighted = np.zeros(size), np.zeros(size)
    np.add.at(total, places, values)
    np.add.at(weighted, places, values * terms.roundings)
    extra = np.maximum(np.bincount(places, minlength=size) - 1.0, 0.0)
    return _normalised(total, top, _over(weighted, total) + extra)


def _before(terms: Wide, axis: int) -> Wide:
    """Returns, along an axis, the sum of all entries up to each but the last: one entry fewer."""
    moved = terms.moved(axis, 0)[:-1]
    found = nothing(moved.mantissa.shape)
    # Because the mass before the lowest ranks may be e^-1e6 of all: a running sum, and no difference of totals.
    running = moved[0]
    found.put(0, running)
    for place in range(1, len(moved.mantissa)):
        # Because ranks that this kind of group cannot have add nothing, they add no rounding.
        if moved.mantissa[place].any():
            running = _plus(running, moved[place])
        found.put(place, running)
    return found.moved(0, axis)


def _stacked(parts: list[Wide], axis: int) -> Wide:
    """Stacks the parts along a new axis."""
    found = Wide(
        np.array([part.mantissa for part in parts]),
        np.array([part.exponent for part in parts]),
        np.array([part.roundings for part in parts]),
    )
    return found.moved(0, axis) if axis else found


def _normalised(mantissa: Array, exponent: IntArray | int, roundings: Array) -> Wide:
    fraction, shift = np.frexp(mantissa)
    moved = np.asarray(exponent + shift.astype(np.int64))
    solid = fraction > 0
    if solid.all():
        return Wide(np.asarray(fraction), moved, np.asarray(roundings))
    return Wide(np.asarray(fraction), np.where(solid, moved, ZERO_EXPONENT), np.where(solid, roundings, 0.0))


def _over(weighted: Array, total: Array) -> Array:
    quotient: Array = np.divide(weighted, total, out=np.zeros_like(total), where=total > 0)
    return quotient


@final
@dataclass(frozen=True)
class Ranked:
    """The masses of ranks along the extreme axes, and of sums along the others.

    Args:
        start: The lowest index of the box of the sums.
        masses: Of shape (2,)*extremes + ranks + box: per extreme axis whether it is that rank (IS) or BEFORE it, then
            the rank; then the box of the sums.
    """

    start: tuple[int, ...]
    masses: Wide


@final
class Extremes(Transform[Ranked]):
    """The algebra of answers some of whose coordinates are maxima or minima.

    The largest of two records that are 0, 5 or 9 with probability .5, .3 and .2: 0 if both are, with .25; 9 unless
    neither is, with 1 - .64.

    >>> largest = Extremes(np.array([[0], [5], [9]]), ["max"])
    >>> record = largest.mean(np.log([0.5, 0.3, 0.2]), np.arange(3), np.eye(3, dtype=np.int64))
    >>> law = largest.law_of([largest.product([record], [2])])
    >>> np.exp(law.log_mass()[0, [0, 5, 9]]).round(6).tolist()
    [0.25, 0.39, 0.36]

    Args:
        scores: The scores of each slot (slots, axes), in lattice steps.
        combine: How each axis is made, at least one not a sum.
    """

    def __init__(self, scores: IntArray, combine: Sequence[Combine]) -> None:
        self._combine = tuple(combine)
        self._extreme = extreme_axes(combine)
        self._sums = [axis for axis in range(len(combine)) if axis not in self._extreme]
        self._added = scores[:, self._sums]
        turned = upwards(scores, combine)
        self._ranks = [np.unique(turned[:, axis]) for axis in self._extreme]
        pairs = zip(self._ranks, self._extreme, strict=True)
        self._rank = [np.searchsorted(ranks, turned[:, axis]) for ranks, axis in pairs]

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Ranked:
        """Returns the mass of each highest rank and each sum of one group's rows, as running sums.

        The sums run along each extreme axis. `log_weights` (rows,), `slots` and `counts` (rows, slots) are as in
        `Transform.mean`.
        """
        possible = log_weights > -np.inf
        counts = counts[possible]
        points = counts @ self._added[slots]
        start = points.min(axis=0)
        box = tuple(int(n) for n in points.max(axis=0) - start + 1)
        # The case of no record: its rank is -1.
        highest = [np.where(counts > 0, rank[slots], -1).max(axis=1, initial=-1) for rank in self._rank]
        shape = (*(len(ranks) + 1 for ranks in self._ranks), *box)
        places = np.ravel_multi_index((*(rank + 1 for rank in highest), *(points - start).T), shape)
        flat = _gathered(_exponentials(log_weights[possible]), places, int(np.prod(shape)))
        return Ranked(tuple(int(i) for i in start), self._flagged(flat.reshaped(shape)))

    def _flagged(self, masses: Wide) -> Wide:
        """Turns the masses of each rank, that of no record included, into (IS, BEFORE) of each."""
        last = len(self._ranks) - 1
        for _ in self._ranks:
            # So that the next rank is always at `last`: one flag more in front each time.
            own = masses[(slice(None),) * last + (slice(1, None),)]
            masses = _stacked([own, _before(masses, last)], axis=0)
        return masses

    def product(self, elements: Sequence[Ranked], powers: Sequence[int]) -> Ranked:
        """Returns the product of independent groups `elements`, each to its power in `powers`.

        The smallest arrays come first, so that the running product is long only at the end.
        """
        running: Ranked | None = None
        for i in sorted(range(len(elements)), key=lambda i: elements[i].masses.mantissa.size):
            element, power = elements[i], powers[i]
            # The case of extremes alone, or of sums that do not vary: arrays stay as long as there are ranks, and a
            # million records take twenty squarings. A box grows with every factor, and is cheaper one factor at a time.
            if self._box(element) == 1 and power > 1:
                element, power = self._squared(element, power), 1
            for _ in range(power):
                running = element if running is None else self._times(running, element)
        return self._one() if running is None else running

    def _one(self) -> Ranked:
        """Returns the element of no records: before every rank, and equal to none."""
        free = np.zeros((1, 0), dtype=np.int64)
        return self.mean(np.zeros(1), np.zeros(0, dtype=np.int64), free)

    def _box(self, element: Ranked) -> int:
        return int(np.prod(element.masses.mantissa.shape[2 * len(self._ranks) :]))

    def _squared(self, element: Ranked, power: int) -> Ranked:
        """Returns element^power by repeated squaring."""
        found: Ranked | None = None
        while power:
            if power % 2:
                found = element if found is None else self._times(found, element)
            power //= 2
            if power:
                element = self._times(element, element)
        return self._one() if found is None else found

    def _times(self, one: Ranked, other: Ranked) -> Ranked:
        """Returns the larger of two independent extremes, and the sum of their sums.

        It takes one pass over the dense one per term of the sparse one's box.
        """
        flags = len(self._ranks)
        dense, sparse = (one, other) if self._terms(one) >= self._terms(other) else (other, one)
        shape, extent = dense.masses.mantissa.shape[2 * flags :], sparse.masses.mantissa.shape[2 * flags :]
        head = dense.masses.mantissa.shape[: 2 * flags]
        start = tuple(i + j for i, j in zip(dense.start, sparse.start, strict=True))
        left = _left(dense.masses, flags)
        # Because there are no sums to convolve, one product of arrays is all.
        if self._box(sparse) == 1:
            return Ranked(start, _folded(times(left, _right(sparse.masses, flags)), flags))
        total = nothing((*head, *(n + m - 1 for n, m in zip(shape, extent, strict=True))))
        for at in np.argwhere(self._any(sparse)):
            here = (..., *(slice(i, i + 1) for i in at))
            place = (..., *(slice(i, i + n) for i, n in zip(at, shape, strict=True)))
            part = _folded(times(left, _right(sparse.masses[here], flags)), flags)
            total.put(place, _plus(total[place], part))
        return Ranked(start, total)

    def _any(self, element: Ranked) -> NDArray[np.bool_]:
        """Returns the mask of the points of the box that have any mass."""
        found: NDArray[np.bool_] = np.any(element.masses.mantissa > 0, axis=tuple(range(2 * len(self._ranks))))
        return found

    def _terms(self, element: Ranked) -> int:
        return int(np.count_nonzero(self._any(element)))

    def mix(self, log_weights: Array, elements: Sequence[Ranked]) -> Ranked:
        """Returns the mixture of `elements` with weights e^{log_weights}, on a box for those of positive weight."""
        used = [(weight, each) for weight, each in zip(log_weights, elements, strict=True) if weight > -np.inf]
        head = 2 * len(self._ranks)
        shapes = [each.masses.mantissa.shape for _, each in used]
        # The case of a chain's states, or of a network node's, on one box: all are added at once.
        if len({(each.start, shape) for (_, each), shape in zip(used, shapes, strict=True)}) == 1:
            weights = _exponentials(np.array([weight for weight, _ in used]).reshape(-1, *(1,) * len(shapes[0])))
            terms = times(_stacked([each.masses for _, each in used], axis=0), weights)
            return Ranked(used[0][1].start, _summed(terms))
        low = np.min([each.start for _, each in used], axis=0).astype(np.int64)
        high = np.max([np.add(each.start, n[head:]) for (_, each), n in zip(used, shapes, strict=True)], axis=0)
        total = nothing((*shapes[0][:head], *(int(n) for n in high - low)))
        for (weight, each), shape in zip(used, shapes, strict=True):
            offset = np.array(each.start, dtype=np.int64) - low
            place = (..., *(slice(i, i + n) for i, n in zip(offset, shape[head:], strict=True)))
            total.put(place, _plus(total[place], times(each.masses, _exponentials(np.array(weight)))))
        return Ranked(tuple(int(i) for i in low), total)

    def law_of(self, elements: Sequence[Ranked]) -> Law:
        """Returns the laws given each secret, from `elements`, on one common box of the lattice.

        They are 0 between ranks.
        """
        law = law_of([self._grid(element) for element in elements])
        return _on_integral_nats(law)

    def _grid(self, element: Ranked) -> ScaledGrid:
        """Returns the masses of IS along every extreme axis, with ranks put at their scores and minima turned back."""
        masses = element.masses[(_IS,) * len(self._ranks)]
        axes = [*self._extreme, *self._sums]
        found = np.nonzero(masses.mantissa)
        along: list[IntArray] = [np.zeros(0, dtype=np.int64)] * len(axes)
        for place, axis in enumerate(axes):
            if place < len(self._ranks):
                turned = self._ranks[place][found[place]]
                along[axis] = -turned if self._combine[axis] == "min" else turned
            else:
                along[axis] = found[place] + element.start[place - len(self._ranks)]
        start = [int(points.min()) for points in along]
        box = tuple(int(points.max()) - low + 1 for points, low in zip(along, start, strict=True))
        grid = nothing(box)
        grid.put(tuple(points - low for points, low in zip(along, start, strict=True)), masses[found])
        roundings = int(np.ceil(1.01 * float(masses.roundings.max())))
        return normalised(tuple(start), grid.mantissa, grid.exponent, roundings)


def _left(masses: Wide, flags: int) -> Wide:
    """Turns (is, before) into (is, before, before), along each flag."""
    for flag in range(flags):
        index = (slice(None),) * flag
        masses = masses[(*index, np.array([_IS, _BEFORE, _BEFORE]))]
    return masses


def _right(masses: Wide, flags: int) -> Wide:
    """Turns (is, before) into (is + before, is, before), along each flag."""
    for flag in range(flags):
        index = (slice(None),) * flag
        own, earlier = masses[(*index, _IS)], masses[(*index, _BEFORE)]
        masses = _stacked([_plus(own, earlier), own, earlier], axis=flag)
    return masses


def _folded(products: Wide, flags: int) -> Wide:
    """Turns the three products into (is, before), along each flag."""
    for flag in range(flags):
        index = (slice(None),) * flag
        own = _plus(products[(*index, 0)], products[(*index, 1)])
        products = _stacked([own, products[(*index, 2)]], axis=flag)
    return products


def _on_integral_nats(law: Law) -> Law:
    """Returns the law with whole numbers for a base, whose differences are exact.

    At a million people the base reaches -1e6. Rounding there would shift one answer against the next, though not one
    secret against another.
    """
    twos = np.rint(law.base / np.log(2.0))
    nats = np.rint(law.base)
    # So that a whole number below 2^27 times it is exact, the first constant is log 2 to 26 bits; the second is the
    # rest of log 2. Exponents past 2^27 belong to some 1e8 records; their loss is counted.
    rest = (twos * 0.6931471824645996 - nats) + twos * -1.904654299957768e-09
    lost = float(np.max(np.abs(twos), initial=0.0)) if np.any(np.abs(twos) >= 2**27) else 0.0
    return replace(law, base=nats, relative=law.relative + rest, error=law.error + (lost + 8.0) * UNIT)
