"""The plan of a long chain's window: its tilts in groups that share a circle, and the laws from each (Theory §22)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.joints.chain_places import ChainPlaces, apart, chain_places, joint_masses, messages, rooms
from dalenius.joints.doubled_precision import Doubled, complex_matrices, turned_pairs
from dalenius.joints.extended_precision import Long, turned
from dalenius.joints.limits import MOST_ALONE, MOST_CLASSES, MOST_TURNED, MOST_UNLIKE_STEPS
from dalenius.joints.loud_frequencies import LoudFrequencies, loud_frequencies, memory
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.sum_window import FAINTEST_LOG, Segment, SumWindow, Tilted, is_rare, lies_outside, logs_of, segment
from dalenius.joints.tilt_placement import PlacedTilts, depth_for, placed_tilts
from dalenius.joints.tilted_steps import ChainTilts, TiltedSteps, rounded_steps, tilted_steps

_TILTS: Final = 32
"""Tilts that are computed together."""
_TURNED: Final = 1 << 22
"""Numbers of turned steps that are there at once: 128 MB."""
_CLOSER: Final = 2.0
"""Deviations from one tilt's mean to the next, for the law about its mean."""
_MANY: Final = 30_000
"""Records from which on products are taken in doubled precision, for averages."""
_VERY_MANY: Final = 300_000
"""As `_MANY`, for suprema: so that no class's doubt has to be put through the noise."""
_FEW: Final = 8
"""Most values of records whose products are."""
_LOOKED_AT: Final = 16
"""Tilts, about, at which the chain's memory is measured."""


def chain_window(
    chain: RepeatingChain, rate: float, most_cells: float = inf, singly: bool = True
) -> SumWindow[ChainPlaces] | None:
    """Computes the window of a chain's sum, with all its laws.

    Args:
        chain: The chain and its scores.
        rate: Nats by which the noise's log falls for each step of the sum, at most: see `SumWindow`.
        most_cells: The most numbers that the window may have.
        singly: Whether each record may be a class of its own, where steps repeat and no record stands for others.

    Returns:
        The window; None where some value is too rare under a tilt, where no vectors keep the steps within the range of
        numbers, or where there would be more than `most_cells` numbers.
    """
    alone = singly and chain.repeats and chain.n <= (MOST_UNLIKE_STEPS if chain.known else MOST_ALONE)
    for own in (chain, chain.step_by_step()) if alone else (chain,):
        found = _chain_window(own, rate, most_cells)
        if found is not None:
            return found
    return None


def _chain_window(chain: RepeatingChain, rate: float, most_cells: float) -> SumWindow[ChainPlaces] | None:
    """Computes the window as `chain_window`, for the steps as they are given."""
    if not chain.repeats and chain.n > MOST_UNLIKE_STEPS:
        return None
    outer = tilted_steps(chain, np.array([-rate, 0.0, rate]))
    if not outer.sound:
        return None
    # Because averages need masses to more digits, which are lost away from a tilt's mean.
    stride = {"stride": _CLOSER} if chain.repeats and not rate else {}
    tilts = placed_tilts(ChainTilts(chain), rate, depth_for(rate), **stride)
    if tilts is None:
        return None
    places = places_at(chain, tilts)
    # Each step taken by itself, and hardly any frequency silent: of many records that takes minutes.
    if chain.repeats and len(places) > (_most_classes(chain) if places.blocks else MOST_ALONE):
        return None
    plan = ChainWindowPlan(chain, places, PlacedTilts.of(ChainTilts(chain), tilts))
    if (plan.last - plan.first + 1) * len(places) * chain.states > most_cells:
        return None
    return plan.window(rate, chain.possible[list(places.firsts)])


def _most_classes(chain: RepeatingChain) -> int:
    # Because no search serves a chain given known records, each of which adds two ends.
    return MOST_UNLIKE_STEPS if chain.known else MOST_CLASSES


def places_at(chain: RepeatingChain, tilts: Array) -> ChainPlaces:
    """Returns the classes of records that windows of a `chain` tell apart at all of these `tilts` (T,)."""
    # Because the chain may forget more slowly farther out.
    few = tilts[:: max(1, len(tilts) // _LOOKED_AT)]
    return chain_places(chain, memory(tilted_steps(chain, few), ChainTilts(chain).moments(few)[1]))


@final
@dataclass(frozen=True, eq=False)
class ChainWindowPlan:
    chain: RepeatingChain
    places: ChainPlaces
    tilts: PlacedTilts

    @property
    def first(self) -> int:
        return self.tilts.first

    @property
    def last(self) -> int:
        return self.tilts.last

    def window(self, rate: float, possible: np.ndarray) -> SumWindow[ChainPlaces] | None:
        """Computes the window as planned.

        Args:
            rate: Nats by which the noise's log falls for each step of the sum, at most.
            possible: Which values the first record of each class can have (classes, k).

        Returns:
            The window; None where no vectors keep the steps within the range of numbers, or a value is too rare for
            any.
        """
        singly = self._singly(rate)
        plain = tilted_steps(self.chain, np.zeros(1), singly)
        masses = joint_masses(plain, self.places)
        log_prior = logs_of(masses, possible)[:, 0]
        if float(np.min(log_prior, where=possible, initial=0.0)) <= FAINTEST_LOG:
            return None
        segments, error, outside = list[Segment](), 0.0, np.full((2, *possible.shape), inf)
        for some in self._together():
            tilted = tilted_steps(self.chain, self.tilts.tilts[some], singly)
            if not tilted.sound:
                return None
            logs = logs_of(joint_masses(tilted, self.places), possible)
            loud = self._loud(some, tilted, logs)
            if not self._is_served(loud):
                return None
            shares = np.where(possible[:, None], logs - np.where(possible, log_prior, 0.0)[:, None], 0.0)
            error = max(error, tilted.mass_error + plain.mass_error)
            segments += _segments(self, some, tilted, plain, loud, np.where(possible[:, None], logs, 0.0), shares)
            rise = (tilted.log_mass - plain.log_mass[0]).astype(np.float64) + error
            np.minimum(outside, lies_outside(tilted.tilts, rise, shares, (self.first, self.last), rate), out=outside)
        outside[list(self._closed)] = -inf
        drift = self._drift(plain, masses[:, 0], possible)
        return SumWindow(
            self.chain, self.places, rate, log_prior, drift, self.first, self.last, outside, tuple(segments), error
        )

    def _singly(self, rate: float) -> int | None:
        """How many steps of a product are taken one by one, where all others are in doubled precision; None: all."""
        # Because averages are small where the sum is long: what a day says of it falls like 1/n.
        doubled = self.places.blocks and self.chain.n >= (_VERY_MANY if rate else _MANY) and self.chain.states <= _FEW
        return len(self.places) + 4 * len(self.places.stretches) if doubled else None

    def _together(self) -> Iterator[slice]:
        most = max(1, min(_TILTS, (1 << 22) // (len(self.chain.steps) * self.chain.states**2)))
        return self.tilts.together(most)

    def _loud(self, some: slice, tilted: TiltedSteps, logs: Array) -> LoudFrequencies:
        """Chooses the frequencies that are computed for some tilts; logs (classes, T, k): of the values' chances."""
        centres, edges = np.rint(self.tilts.means[some]), self.tilts.edges[some.start : some.stop + 1]
        core = int(np.max(np.maximum(np.abs(edges[:-1] - centres), np.abs(edges[1:] - 1 - centres)))) + 1
        rarity = -float(np.min(logs, where=~is_rare(logs), initial=0.0))
        return loud_frequencies(tilted, self.tilts.means[some], self.tilts.variances[some], core, rarity)

    def _is_served(self, loud: LoudFrequencies) -> bool:
        """Whether steps at so many frequencies take a minute at most, if as many are loud at all tilts."""
        numbers = self.chain.n * self.chain.states**2 * len(loud.places) * len(self.tilts.tilts)
        return self.chain.repeats or numbers <= MOST_TURNED

    @property
    def _closed(self) -> tuple[bool, bool]:
        return self.first == 0, self.last == self.chain.most

    def _drift(self, plain: TiltedSteps, masses: Long, possible: np.ndarray) -> Array:
        """Bounds by how many nats the probability of a value of a class's members may differ from its first's."""
        found = np.zeros(len(self.places))
        steps = tuple(step[:, None] for step in plain.steps)
        for row, bound in _apart(self.places, plain, steps):
            off = bound[0, 0]
            share = np.where(possible[row], off / np.where(possible[row], masses[row], 1).astype(np.float64), 0.0)
            found[row] = float(np.max(share)) * 1.01 if float(np.max(share)) < 0.005 else inf
        return found


def _segments(
    plan: ChainWindowPlan,
    some: slice,
    tilted: TiltedSteps,
    plain: TiltedSteps,
    loud: LoudFrequencies,
    logs: Array,
    shares: Array,
) -> Iterator[Segment]:
    """Yields the segments of some tilts.

    logs, shares (classes, T, k): the tilted probabilities of each class's values, and less the plain ones; 0 where
    impossible.
    """
    chain, places = plan.chain, plan.places
    placed = plan.tilts
    centres = np.rint(placed.means[some]).astype(np.int64)
    rare = is_rare(logs)
    waves = _transforms(chain, places, tilted, loud)
    between = _between(chain, places, tilted, loud)
    rounded, many = rounded_steps(chain, tilted.length), list(places.between)
    for number, centre in enumerate(centres.tolist()):
        first, end = (int(placed.edges[some.start + number + more]) for more in (0, 1))
        at = Tilted(float(tilted.tilts[number]), first, end, centre, tilted.log_mass[number] - plain.log_mass[0])
        own, missing = logs[:, number], float(loud.missing[number])
        found = segment(at, loud, missing, waves[:, number], own, shares[:, number], rounded)
        # Because members of a class may differ by so much, wherever the value is read.
        off = between[:, number] / np.exp(np.maximum(own[many], -700.0))
        found.error[many] += np.where(rare[many, number], 0.0, off)
        yield found


def _transforms(chain: RepeatingChain, places: ChainPlaces, tilted: TiltedSteps, loud: LoudFrequencies) -> np.ndarray:
    """Returns E[e^{iω·sum}] with each value of each class's first record (classes, T, frequencies, k)."""
    waves = waves_of(chain, loud)
    many = len(loud.places)
    found = np.empty((len(places), len(tilted.tilts), many, chain.states), dtype=np.clongdouble)
    kept = len(tilted.steps) + len(places.stretches)
    size = max(1, _TURNED // (kept * len(tilted.tilts) * chain.states**2))
    # Because steps that never repeat are as many as records.
    for start in range(0, many, size):
        some = slice(start, start + size)
        own = [wave[some] for wave in waves]
        first = tilted.first[:, None] * own[0][None]
        last = np.broadcast_to(tilted.last[:, None] + 0j, first.shape)
        doubled = None if tilted.doubled is None else _doubled_steps(tilted, loud.points, loud.places[some])
        before, after = messages(places, turned_steps(tilted, own), first, last, doubled)
        found[:, :, some] = before * after / tilted.total[None, :, None, None]
    return found


def _doubled_steps(tilted: TiltedSteps, points: int, places: IntArray) -> list[Doubled]:
    """Returns the turned steps of each phase, at the frequencies 2π·places/points, in doubled precision."""
    assert tilted.doubled is not None
    scores, found = tilted.chain.scores, []
    for phase, step in enumerate(tilted.doubled):
        waves = turned_pairs(places[:, None] * scores[(phase + 1) % len(scores)], points)
        found.append(complex_matrices(*(step[:, None].times(each[None, :, None, :]) for each in waves)))
    return found


def _between(chain: RepeatingChain, places: ChainPlaces, tilted: TiltedSteps, loud: LoudFrequencies) -> Array:
    """Bounds how far members of classes of many records may differ, in masses (classes of many, T, k)."""
    if not len(places.between):
        return np.zeros((0, len(tilted.tilts), chain.states))
    steps = turned_steps(tilted, waves_of(chain, loud))
    return np.stack([np.einsum("tjs,j->ts", each, loud.weights) for _, each in _apart(places, tilted, steps)])


def _apart(places: ChainPlaces, tilted: TiltedSteps, steps: Sequence[np.ndarray]) -> Iterator[tuple[int, Array]]:
    """Yields each class of many records, and how far the transform of a member may be from its first's (T, .., k)."""
    room, found = rooms(tilted, places), dict[int, Array]()
    for row in places.between:
        phase = places.firsts[row] % places.period
        if phase not in found:
            found[phase] = apart(tilted, places, phase, steps)
        yield row, room[places.stretch_of(row)][:, None, None] * found[phase]


def waves_of(chain: RepeatingChain, loud: LoudFrequencies) -> list[np.ndarray]:
    """Returns e^{iω·score} (frequencies, k) by phase.

    Args:
        chain: The chain and its scores.
        loud: The frequencies ω.
    """
    return [turned(loud.places[:, None] * own, loud.points) for own in chain.scores]


def turned_steps(tilted: TiltedSteps, waves: list[np.ndarray]) -> list[np.ndarray]:
    """Returns the turned steps (T, frequencies, k, k) by phase.

    Args:
        tilted: The steps of the chain at T tilts.
        waves: The values' e^{iω·score} (frequencies, k), by phase.
    """
    return [
        step[:, None] * waves[(phase + 1) % len(waves)][None, :, None, :] for phase, step in enumerate(tilted.steps)
    ]
