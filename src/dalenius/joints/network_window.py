"""Windows of a network's laws: tilts in groups that share a circle, and what each says of every class of nodes at the
frequencies that count (Theory §22)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.joints.extended_precision import Long, long
from dalenius.joints.independent_falls import IndependentFalls
from dalenius.joints.limits import MOST_PRODUCTS, MOST_TILT_NUMBERS
from dalenius.joints.loud_frequencies import SILENT, LoudFrequencies, circle, log_outside
from dalenius.joints.sum_window import (
    FAINTEST_LOG,
    Segment,
    SumWindow,
    Tilted,
    is_rare,
    lies_outside,
    logs_of,
    segment,
)
from dalenius.joints.tilt_placement import PlacedTilts, depth_for, placed_tilts, tilts_between
from dalenius.joints.tilted_network import NetworkSum, TiltedNetwork
from dalenius.memory_budget import allowed

_MASSES: Final = 9.2
"""Deviations from a mean beyond which no mass counts, next to the whole."""
_OUT: Final = 6.7
"""Deviations beyond the outermost tilts' means at which outputs are as at ±∞."""
_WRAPPED: Final = 42.0
"""Nats that noise falls to sums that are not looked at."""
_UNEVEN: Final = 1.25
"""How much farther one of the tilts that share a circle may reach than another."""
_TILTS: Final = 32
"""Tilts that share a circle, at most."""
_HELD: Final = 1 << 20
"""Complex numbers of a transform that are handed on together: 32 MB."""
_MANY_LEVELS: Final = 64
"""Nodes from the root to the farthest, from which on each tilt takes longer by itself than in company."""
_NUMBERS: Final = 1 << 22
"""Complex numbers of messages inwards that are there at once, if one tilt has no more: 128 MB."""


@final
@dataclass(frozen=True)
class NodePlaces:
    """Classes of nodes by the numbers of their members, from 0; rows: which classes of the network they are."""

    rows: tuple[int, ...]
    nodes: tuple[tuple[int, ...], ...]

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        return tuple(own[0] for own in self.nodes)

    @cached_property
    def _row(self) -> dict[int, int]:
        return {node: row for row, own in enumerate(self.nodes) for node in own}

    def row_of(self, place: int) -> int:
        return self._row[place]

    def members(self, row: int) -> Sequence[int]:
        return self.nodes[row]

    def __len__(self) -> int:
        return len(self.nodes)


@final
@dataclass(frozen=True, eq=False)
class TiltGroup:
    """Tilts that share a circle. centres, first, end (T,): sums that phases are counted from, and that are read; logs
    (classes, T, k): of the tilted probabilities of all classes' values; shares: less those of the plain
    ones. reach: how far from the centres masses are known."""

    tilted: TiltedNetwork
    loud: LoudFrequencies
    at: tuple[Tilted, ...]
    logs: Array
    shares: Array
    reach: int
    variances: Array

    def waves(
        self, wanted: Sequence[int] | None, kind: type = np.clongdouble
    ) -> Iterator[tuple[slice, IntArray, np.ndarray]]:
        """Yields some tilts, some classes, and the transform joint with their values (classes, k, T, frequencies).

        Args:
            wanted: The classes, by number; None for all.
            kind: The type of complex numbers: extended ones, or doubles.
        """
        rows = self.tilted.total.classes.messages
        size = max(1, _NUMBERS // (rows * len(self.loud.places)))
        for start in range(0, len(self.at), size):
            some = slice(start, start + size)
            # Because the classes of a path come one after the other, they are handed on together.
            held = defaultdict[int, list[tuple[IntArray, np.ndarray]]](list)
            numbers = defaultdict[int, int](int)
            for own, waves in self.tilted.waves(some, self.loud.places, self.loud.points, wanted, kind):
                values = waves.shape[1]
                held[values].append((own, waves))
                numbers[values] += waves.size
                if numbers[values] > _HELD:
                    yield some, *_joined(held.pop(values))
                    numbers[values] = 0
            for parts in held.values():
                yield some, *_joined(parts)


@final
@dataclass(frozen=True, eq=False)
class NetworkWindows:
    """Windows of a network's sum for noise of any rate, with what they share.

    possible (classes, k): which values a class's nodes can have; log_prior (classes, k); masses: of the plain law.
    """

    total: NetworkSum
    falls: IndependentFalls
    plain: TiltedNetwork
    possible: NDArray[np.bool_]
    log_prior: Array

    @classmethod
    def of(cls, total: NetworkSum, falls: IndependentFalls) -> "NetworkWindows | None":
        """Computes what the windows share; None where a value is too rare for any numbers.

        Args:
            total: The sum over the network.
            falls: How far the sum's transform falls at frequencies that are not computed.
        """
        plain = TiltedNetwork.of(total, np.zeros(1))
        if not plain.sound:
            return None
        masses = joint_masses(plain)
        possible = np.asarray(masses[:, 0] > 0)
        log_prior = logs_of(masses, possible)[:, 0]
        if float(np.min(log_prior, where=possible, initial=0.0)) <= FAINTEST_LOG:
            return None
        return cls(total, falls, plain, possible, log_prior)

    def placed(self, rate: float) -> PlacedTilts | None:
        """The tilts of a window for noise of that rate."""
        tilts = placed_tilts(self.total, rate, depth_for(rate))
        return None if tilts is None else PlacedTilts.of(self.total, tilts)

    def groups(self, placed: PlacedTilts) -> list[TiltGroup] | None:
        """Groups tilts that share a circle.

        Args:
            placed: The tilts, and the sums that are read from each.

        Returns:
            The groups; None where the chances of some value leave the range of numbers, or messages would take too
            long.
        """
        return self._checked([self._group(placed, some, None) for some in placed.together(_TILTS)])

    def _checked(self, groups: Sequence["TiltGroup | None"]) -> "list[TiltGroup] | None":
        found = [group for group in groups if group is not None]
        if len(found) < len(groups):
            return None
        cells = len(self.total.classes.tables)
        products = sum(len(group.at) * len(group.loud.places) for group in found) * cells
        return found if products <= MOST_PRODUCTS else None

    def inner(self, rate: float) -> list[TiltGroup] | None:
        """Tilts between those of noise of that rate, these included, which are read so far out that all beyond is as at
        ±∞. As `groups`."""
        tilts = tilts_between(self.total, -rate, rate)
        if tilts is None:
            return None
        means, variances, _ = self.total.moments(tilts)
        deviations = np.sqrt(variances)
        between = np.floor((means[1:] + means[:-1]) / 2).astype(np.int64) + 1
        far = np.ceil(_OUT * deviations).astype(np.int64) + 8
        ends = int(np.rint(means[0])) - far[0], int(np.rint(means[-1])) + far[-1]
        first, last = max(0, ends[0]), min(self.total.most, ends[1])
        edges = np.clip(np.concatenate([[first], between, [last + 1]]), first, last + 1)
        placed = PlacedTilts(tilts, means, variances, np.maximum.accumulate(edges))
        # Because noise carries mass to a sum from the sums around it, these count too.
        core = np.maximum(np.abs(edges[:-1] - np.rint(means)), np.abs(edges[1:] - np.rint(means)))
        falls = core + np.minimum(_WRAPPED / np.maximum(rate - np.abs(tilts), 1e-300), 1e9)
        reach = np.ceil(np.maximum(np.minimum(falls, _MASSES * deviations + 16), core)).astype(np.int64) + 1
        most = len(tilts) - 1
        uneven = 4 * _UNEVEN if len(self.total.classes.outward) > _MANY_LEVELS else _UNEVEN
        some = [slice(0, 1), *_between_ends(placed, reach, uneven), slice(most, most + 1)]
        return self._checked([self._group(placed, each, reach) for each in some])

    def about_mean(self) -> tuple[TiltGroup, float] | None:
        """Makes the plain law about its mean, all but next to nothing of it, and the log of what is outside.

        None as for `groups`.
        """
        tilts = np.zeros(1)
        means, variances, _ = self.total.moments(tilts)
        middle, half = int(np.rint(means[0])), _MASSES * float(np.sqrt(variances[0])) + 16
        rarest = max(float(np.min(self.log_prior, where=self.possible, initial=0.0)), -_WRAPPED)
        while True:
            first, last = max(0, middle - int(half)), min(self.total.most, middle + int(half))
            if first == 0 and last == self.total.most:
                outside = -inf
                break
            outside = float(log_outside(self.total, tilts, means, variances, int(half))[0])
            if outside < SILENT + rarest:
                break
            half *= 1.5
        edges = np.array([first, last + 1])
        group = self._checked([self._group(PlacedTilts(tilts, means, variances, edges), slice(0, 1), None)])
        return None if group is None else (group[0], outside)

    def _group(self, placed: PlacedTilts, some: slice, reach: IntArray | None) -> TiltGroup | None:
        """reach (T,): how far from the centres masses are to be known; None: where they are read."""
        tilted = TiltedNetwork.of(self.total, placed.tilts[some])
        if not tilted.sound:
            return None
        shown = self.possible[:, None]
        logs = logs_of(joint_masses(tilted), self.possible)
        shares = np.where(shown, logs - np.where(self.possible, self.log_prior, 0.0)[:, None], 0.0)
        logs = np.where(shown, logs, 0.0)
        means, edges = placed.means[some], placed.edges[some.start : some.stop + 1]
        centres = np.rint(means).astype(np.int64)
        core = int(np.max(np.maximum(np.abs(edges[:-1] - centres), np.abs(edges[1:] - 1 - centres)))) + 1
        if reach is not None:
            core = int(np.max(reach[some]))
        rarity = -float(np.min(logs, where=~is_rare(logs), initial=0.0))
        points, wrapped = circle(self.total, tilted.tilts, means, placed.variances[some], core, rarity)
        bound = self.falls.bounds(tilted.tilts, points)
        loud = np.asarray((bound > SILENT - rarity).any(axis=0))
        loud[0] = True
        heard = LoudFrequencies.of(points, wrapped, bound, loud)
        if self.total.classes.messages * len(heard.places) > allowed(MOST_TILT_NUMBERS):
            return None
        at = tuple(
            Tilted(float(tilt), int(first), int(end), int(centre), mass - self.plain.log_mass[0])
            for tilt, first, end, centre, mass in zip(
                tilted.tilts, edges[:-1], edges[1:], centres, tilted.log_mass, strict=True
            )
        )
        return TiltGroup(tilted, heard, at, logs, shares, core, placed.variances[some])

    def window(self, rate: float, rows: Sequence[int]) -> "SumWindow[NodePlaces] | None":
        """Computes the laws of some classes: see `SumWindow`.

        Args:
            rate: Nats by which the noise's log falls for each step of the sum.
            rows: The classes, by number.

        Returns:
            The window; None as for `groups`.
        """
        placed = self.placed(rate)
        groups = None if placed is None else self.groups(placed)
        if placed is None or groups is None:
            return None
        places = NodePlaces(tuple(rows), tuple(self.total.classes.members[row] for row in rows))
        chosen, (first, last) = list(rows), (placed.first, placed.last)
        segments, error, outside = list[Segment](), 0.0, np.full((2, len(rows), self.total.states), inf)
        for group in groups:
            error = max(error, group.tilted.mass_error + self.plain.mass_error)
            shares = group.shares[chosen]
            rise = np.array([float(each.log_mass) for each in group.at]) + error
            tilts = group.tilted.tilts
            np.minimum(outside, lies_outside(tilts, rise, shares, (first, last), rate), out=outside)
            segments += self._segments(group, chosen)
        outside[[first == 0, last == self.total.most]] = -inf
        drift = np.zeros(len(rows))
        prior = self.log_prior[chosen]
        return SumWindow(self.total, places, rate, prior, drift, first, last, outside, tuple(segments), error)

    def _segments(self, group: TiltGroup, chosen: Sequence[int]) -> Iterator[Segment]:
        shape = (len(group.at), len(chosen), len(group.loud.places), self.total.states)
        waves = np.zeros(shape, dtype=np.clongdouble)
        row_of = {number: row for row, number in enumerate(chosen)}
        for some, own, each in group.waves(chosen):
            rows = [row_of[number] for number in own.tolist()]
            waves[some, rows, :, : each.shape[1]] = np.moveaxis(each, (2, 3, 1), (0, 2, 3))
        for number, at in enumerate(group.at):
            missing = float(group.loud.missing[number])
            logs, shares = (each[chosen, number] for each in (group.logs, group.shares))
            yield segment(at, group.loud, missing, waves[number], logs, shares, self.total.rounded)


def _joined(parts: Sequence[tuple[IntArray, np.ndarray]]) -> tuple[IntArray, np.ndarray]:
    return np.concatenate([own for own, _ in parts]), np.concatenate([waves for _, waves in parts])


def _between_ends(placed: PlacedTilts, reach: IntArray, uneven: float) -> Iterator[slice]:
    """The tilts but the first and the last, those together that share a circle, none much wider than another needs."""
    start = 1
    for end in range(2, len(reach)):
        own, wide = reach[start : end + 1], placed.variances[start : end + 1]
        last = end == len(reach) - 1
        if last or end - start == _TILTS or max(own) > uneven * min(own) or max(wide) > uneven * min(wide):
            yield slice(start, end)
            start = end


def joint_masses(tilted: TiltedNetwork) -> Long:
    """The tilted probability of each value of each class's nodes (classes, T, k), 0 of the root's."""
    classes = tilted.total.classes
    found = np.zeros((len(classes.parents), len(tilted.tilts), tilted.total.states), dtype=np.longdouble)
    for own, waves in tilted.waves(slice(None), np.zeros(1, dtype=np.int64), 1):
        found[own, :, : waves.shape[1]] = np.swapaxes(waves[..., 0].real, 1, 2)
    return long(found)
