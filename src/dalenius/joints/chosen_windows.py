"""Windows of a long chain's sum for a few records at a time, and how far the law of a record between two may be off.

If a chain forgets slowly, no two of its records have the same law. But the law of a record between two others is nearly
a mixture of theirs: `bend` bounds the difference (Result 20.47).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from math import inf, log
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.joints.chain_window_plan import places_at, turned_steps, waves_of
from dalenius.joints.chosen_places import ChosenPlaces, FarMessages
from dalenius.joints.extended_precision import ROUNDING, Long
from dalenius.joints.limits import MOST_POWERS
from dalenius.joints.loud_frequencies import LoudFrequencies, loud_frequencies
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.sum_window import FAINTEST_LOG, Segment, SumWindow, Tilted, is_rare, lies_outside, logs_of, segment
from dalenius.joints.tilt_placement import PlacedTilts, depth_for, placed_tilts
from dalenius.joints.tilted_steps import ChainTilts, TiltedSteps, rounded_steps, tilted_steps
from dalenius.memory_budget import allowed

_TILTS: Final = 32
"""Tilts that are computed together."""
_SLOW: Final = 20_000
"""Loud frequencies of all tilts, from which on an audit takes minutes."""
_DEEP: Final = 42.0
"""Nats of the law about its mean that may be outside of a window: e^-42 of its mass."""


@final
@dataclass(frozen=True)
class Stretch:
    """Records from the place `first` to `last`, each `step` after the one before: those of one phase.

    >>> Stretch(10, 18, 2).halves()
    (Stretch(first=10, last=14, step=2), Stretch(first=14, last=18, step=2))
    """

    first: int
    last: int
    step: int

    @property
    def steps(self) -> int:
        return (self.last - self.first) // self.step

    @property
    def places(self) -> range:
        return range(self.first, self.last + 1, self.step)

    def weights(self, fade: float) -> Array:
        """Returns the share of the first record's law in the mixture that is nearest each record's, from first to last.

        Args:
            fade: The share of its memory that the chain keeps over a step, toward the nearer end; 1 for even weights.
        """
        parts = np.arange(self.steps + 1) / max(self.steps, 1)
        if fade < 1:
            parts = np.expm1(np.arange(self.steps + 1) * log(fade)) / np.expm1(self.steps * log(fade))
        return 1 - parts

    def curve(self, fade: float) -> float:
        """Returns by how much a second difference of 1 bends what lies between the ends.

        Args:
            fade: The share of its memory that the chain keeps over a step, as in `weights`.
        """
        if fade == 1:
            return self.steps**2 / 8
        away = np.arange(self.steps + 1)
        # Because away/(1 - fade) has this second difference, and weights have none.
        return float(np.max(self.steps * (1 - self.weights(fade)) - away)) / (1 - fade)

    def halves(self) -> tuple["Stretch", "Stretch"]:
        """Returns the stretches up to the record in the middle and from it on."""
        middle = self.first + self.steps // 2 * self.step
        return Stretch(self.first, middle, self.step), Stretch(middle, self.last, self.step)


@final
@dataclass(frozen=True, eq=False)
class _Group:
    """Tilts that share a circle, ready for any record. some: their numbers among all; roots (T, frequencies)."""

    some: slice
    tilted: TiltedSteps
    loud: LoudFrequencies
    messages: FarMessages

    def joints(self, places: tuple[int, ...]) -> np.ndarray:
        """Returns E[e^{iω·sum}] with each value of each record at `places`, from 0 (records, T, frequencies, k)."""
        return np.asarray(self.messages.both(places) / self.tilted.total[None, :, None, None])

    @cached_property
    def _blocks(self) -> dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]:
        return {}

    def _block(self, phase: int, periods: int) -> tuple[np.ndarray, np.ndarray]:
        """Returns so many periods of steps divided by their largest eigenvalue, less 1, and the product's columns."""
        if (phase, periods) not in self._blocks:
            block = self.messages.block(phase, periods)
            columns = np.abs(block).max(axis=-2).astype(np.float64)
            self._blocks[phase, periods] = _without_root(block), columns
        return self._blocks[phase, periods]

    def bend(self, stretch: Stretch, fade: float) -> Array:
        """Bounds how far masses between are from those of mixtures of the ends' (T, frequencies, k).

        Args:
            stretch: The records between, and its two ends.
            fade: The share of memory that is kept over a step; it is kept from the end of the chain that is nearer.
        """
        chain = self.tilted.chain
        early = stretch.first + stretch.last < chain.n
        moved, columns = self._block(stretch.first % chain.period, stretch.step // chain.period)
        one, other = (1.0, fade) if early else (fade, 1.0)
        before, after = self.messages.before(stretch.first), self.messages.after(stretch.last)
        left = [before, _across(before, moved)]
        left.append(one * _across(left[1], moved) + (one - other) * left[1])
        right = [after, _along(moved, after)]
        right.append(other * _along(moved, right[1]) + (other - one) * right[1])
        # Because each difference is off by roundings of what it is taken of.
        sizes, tops = [_sizes(each) for each in left], [reduce(np.maximum, _sizes(each)) for each in right]
        room = 64 * ROUNDING * sum(sizes[0])
        lefts = []
        for each in sizes:
            total = sum(each) + room
            lefts.append([np.maximum(own + room, total * columns[..., k]) for k, own in enumerate(each)])
        rights = [each + 64 * ROUNDING * tops[0] for each in tops]
        curve = np.asarray(stretch.curve(fade) * 1.001 / self.tilted.total, dtype=np.float64)[:, None]
        return np.stack(
            [
                (two * rights[0] + none * rights[2] + (1 + fade) * one_ * rights[1]) * curve
                for none, one_, two in zip(*lefts, strict=True)
            ],
            axis=-1,
        )


def _sizes(vectors: np.ndarray) -> list[Array]:
    """Returns the absolute values of each entry of vectors (.., k), apart: sums over few are quick."""
    found = np.abs(vectors.astype(np.complex128))
    return [found[..., k] for k in range(found.shape[-1])]


def _across(vectors: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    return np.asarray((vectors[..., None, :] @ matrices)[..., 0, :])


def _along(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.asarray((matrices @ vectors[..., None])[..., 0])


def _without_root(block: np.ndarray) -> np.ndarray:
    """Returns the matrices (.., k, k) over their largest eigenvalues, less 1: what each step changes."""
    values, vectors = np.linalg.eig(block.astype(np.complex128))
    most = np.argmax(np.abs(values), axis=-1)[..., None, None]
    right = np.take_along_axis(vectors, most, axis=-1)[..., 0].astype(np.clongdouble)
    values, vectors = np.linalg.eig(np.swapaxes(block, -1, -2).astype(np.complex128))
    most = np.argmax(np.abs(values), axis=-1)[..., None, None]
    left = np.take_along_axis(vectors, most, axis=-1)[..., 0].astype(np.clongdouble)
    # Because the quotient of vectors from eigenvalues in doubles gains twice their digits.
    over = (left * (block @ right[..., None])[..., 0]).sum(axis=-1)
    root = over / (left * right).sum(axis=-1)
    # The case of two eigenvalues of one size, whose vectors from left and right are not of the same one.
    sound = np.isfinite(root) & (np.abs(np.abs(root) - np.abs(np.max(np.abs(values), axis=-1))) < 1e-6)
    root = np.where(sound, root, 1)
    return np.asarray(block / root[..., None, None] - np.eye(block.shape[-1]))


@final
@dataclass(frozen=True, eq=False)
class ChosenWindows:
    """Windows of one chain's sum for any of its records.

    Args:
        chain: The chain and its scores.
        rate: Nats by which the noise's log falls for each step of the sum, at most: see `SumWindow`.
        tilts: The tilts of every window.
        groups: The tilts that share a circle, with their messages.
    """

    chain: RepeatingChain
    rate: float
    tilts: PlacedTilts
    groups: tuple[_Group, ...]

    @classmethod
    def of(cls, chain: RepeatingChain, rate: float, together: int = 1) -> "ChosenWindows | None":
        """Places the tilts; None where no vectors keep the steps within the range of numbers, or memory is short.

        Args:
            chain: The chain and its scores.
            rate: Nats by which the noise's log falls for each step of the sum, at most.
            together: The most records that are a secret together.
        """
        if not chain.repeats or chain.known or not tilted_steps(chain, np.array([-rate, 0.0, rate])).sound:
            return None
        total = ChainTilts(chain)
        tilts = placed_tilts(total, rate, depth_for(rate) if rate else _DEEP)
        if tilts is None:
            return None
        placed, groups, cells = PlacedTilts.of(total, tilts), list[_Group](), 0
        for some in placed.together(max(1, min(_TILTS, (1 << 22) // (len(chain.steps) * chain.states**2)))):
            found = _group(chain, placed, some, together)
            if found is None:
                return None
            cells += len(found.tilted.tilts) * len(found.loud.places) * chain.states**2 * chain.n.bit_length()
            if cells > allowed(MOST_POWERS):
                return None
            groups.append(found)
        return cls(chain, rate, placed, tuple(groups))

    @property
    def classes(self) -> int:
        """The number of records, of one window, that are unlike each other."""
        return len(places_at(self.chain, self.tilts.tilts))

    @property
    def is_slow(self) -> bool:
        """Whether an audit takes minutes: very many frequencies are loud."""
        return sum(len(each.tilted.tilts) * len(each.loud.places) for each in self.groups) > _SLOW

    @property
    def points(self) -> int:
        return self.tilts.last - self.tilts.first + 1

    @cached_property
    def _plain(self) -> tuple[TiltedSteps, FarMessages]:
        tilted = tilted_steps(self.chain, np.zeros(1))
        return tilted, FarMessages(self.chain.n, tilted.steps, tilted.first, tilted.last)

    def window(self, places: tuple[int, ...]) -> SumWindow[ChosenPlaces] | None:
        """Computes the window of the records at `places`, from 0; None where some value is too rare for any."""
        plain, messages = self._plain
        masses = messages.both(places) / plain.total[None, :, None]
        return self._window(places, masses, self.chain.possible[list(places)], lambda group: group.joints(places))

    def window_of_several(self, places: tuple[int, ...]) -> SumWindow[ChosenPlaces] | None:
        """Computes the window of the records at `places`, in order, together; None as for `window`.

        It has one class, whose values are all ways for these records to be (k^m), the last record's changing fastest.
        """
        plain, messages = self._plain
        masses = messages.of_several(places)[None] / plain.total[None, :, None]

        def joints(group: _Group) -> np.ndarray:
            return np.asarray(group.messages.of_several(places)[None] / group.tilted.total[None, :, None, None])

        return self._window(places[:1], masses, self.chain.possible_together(places)[None], joints)

    def _window(
        self,
        places: tuple[int, ...],
        masses: Long,
        possible: np.ndarray,
        joints: Callable[[_Group], np.ndarray],
    ) -> SumWindow[ChosenPlaces] | None:
        """Computes a window from the chances of values (classes, 1, values), and their transforms by tilt."""
        chain, (plain, _) = self.chain, self._plain
        log_prior = logs_of(masses, possible)[:, 0]
        if float(np.min(log_prior, where=possible, initial=0.0)) <= FAINTEST_LOG:
            return None
        segments, error, outside = list[Segment](), 0.0, np.full((2, *possible.shape), inf)
        ends = (self.tilts.first, self.tilts.last)
        for group in self.groups:
            tilted, waves = group.tilted, joints(group)
            logs = logs_of(waves[:, :, 0].real, possible)
            shares = np.where(possible[:, None], logs - np.where(possible, log_prior, 0.0)[:, None], 0.0)
            logs = np.where(possible[:, None], logs, 0.0)
            error = max(error, tilted.mass_error + plain.mass_error)
            rise = tilted.log_mass - plain.log_mass[0]
            for number in range(len(tilted.tilts)):
                at = group.some.start + number
                segments.append(
                    segment(
                        Tilted(
                            float(tilted.tilts[number]),
                            int(self.tilts.edges[at]),
                            int(self.tilts.edges[at + 1]),
                            int(np.rint(self.tilts.means[at])),
                            rise[number],
                        ),
                        group.loud,
                        float(group.loud.missing[number]),
                        waves[:, number],
                        logs[:, number],
                        shares[:, number],
                        rounded_steps(chain, chain.n),
                    )
                )
            rises = rise.astype(np.float64) + error
            np.minimum(outside, lies_outside(tilted.tilts, rises, shares, ends, self.rate), out=outside)
        outside[[ends[0] == 0, ends[1] == chain.most]] = -inf
        drift = np.zeros(len(places))
        found = ChosenPlaces(places)
        return SumWindow(chain, found, self.rate, log_prior, drift, *ends, outside, tuple(segments), error)

    @cached_property
    def fade(self) -> float:
        """The share of its memory that the chain keeps over one period, about; 1 where it is no positive number."""
        block = self._plain[0].block(0).astype(np.float64)[0]
        values = np.linalg.eigvals(block)
        values = values[np.argsort(-np.abs(values))]
        kept = complex(values[1] / values[0]) if len(values) > 1 else 1.0
        return float(kept.real) if kept.imag == 0 and 0 < kept.real < 1 - 1e-12 else 1.0

    def mixed(self, stretch: Stretch) -> Array:
        """Returns the shares of the first record's law in the mixtures that `bend` compares records with (records,).

        Args:
            stretch: The records, from the first to the last.
        """
        early = stretch.first + stretch.last < self.chain.n
        found = stretch.weights(self.fade ** (stretch.step // self.chain.period))
        return found if early else 1 - found[::-1]

    @property
    def outside(self) -> Array:
        """The log of a bound of the mass below every window, and above, times the chance of any value (2,)."""
        none, ends = np.zeros((1, len(self.tilts.tilts), 1)), (self.tilts.first, self.tilts.last)
        plain, error = self._plain[0], max(each.tilted.mass_error for each in self.groups)
        logs = np.concatenate([each.tilted.log_mass for each in self.groups]) - plain.log_mass[0]
        rise = logs.astype(np.float64) + error + plain.mass_error
        found = lies_outside(self.tilts.tilts, rise, none, ends, self.rate)[:, 0, 0]
        found[[ends[0] == 0, ends[1] == self.chain.most]] = -inf
        return found

    def bend(self, stretch: Stretch) -> Array:
        """Bounds how far masses of records inside a stretch are from those of `mixed` ends (Result 20.47).

        Returns:
            The bound for any mass of the tilted law with a value (T, k).
        """
        found, rounded = [], 2 * rounded_steps(self.chain, self.chain.n)
        fade = self.fade ** (stretch.step // self.chain.period)
        for group in self.groups:
            weights = group.loud.weights
            room = rounded * np.exp(group.tilted.log_room)[:, None] * weights.sum()
            bent = np.einsum("tjs,j->ts", group.bend(stretch, fade), weights)
            found.append(bent + room + 2 * group.loud.missing[:, None])
        return np.concatenate(found)

    @property
    def edges(self) -> tuple[int, ...]:
        """The first sum of each tilt, and the sum after the last, from the first of the window on (T + 1,)."""
        return tuple((self.tilts.edges - self.tilts.first).tolist())


def _group(chain: RepeatingChain, placed: PlacedTilts, some: slice, together: int) -> _Group | None:
    """Computes the tilts `some`, with the steps at their loud frequencies; None where they leave the range."""
    tilted = tilted_steps(chain, placed.tilts[some])
    if not tilted.sound:
        return None
    looked_at = tuple(sorted({0, 1, chain.n // 4, chain.n // 2, chain.n - 1}))
    plain, possible = FarMessages(chain.n, tilted.steps, tilted.first, tilted.last), chain.possible[list(looked_at)]
    logs = logs_of(plain.both(looked_at) / tilted.total[None, :, None], possible)
    logs = np.where(possible[:, None], logs, 0.0)
    rarity = -float(np.min(logs, where=~is_rare(logs), initial=0.0))
    means, edges = placed.means[some], placed.edges[some.start : some.stop + 1]
    centres = np.rint(means)
    core = int(np.max(np.maximum(np.abs(edges[:-1] - centres), np.abs(edges[1:] - 1 - centres)))) + 1
    loud = loud_frequencies(tilted, means, placed.variances[some], core, rarity, together)
    waves = waves_of(chain, loud)
    first = tilted.first[:, None] * waves[0][None]
    last = np.broadcast_to(tilted.last[:, None] + 0j, first.shape)
    return _Group(some, tilted, loud, FarMessages(chain.n, turned_steps(tilted, waves), first, last))
