"""The plan of a long chain's window: its tilts in groups that share a circle, and the laws from each (Theory §22)."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, inf
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.joints.chain_places import ChainPlaces, apart, chain_places, joint_masses, messages
from dalenius.joints.chain_window import ChainWindow, Segment
from dalenius.joints.extended_precision import Long, long, turned
from dalenius.joints.limits import MOST_ALONE, MOST_CLASSES
from dalenius.joints.loud_frequencies import LoudFrequencies, loud_frequencies, memory
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.tilt_placement import moments_at, placed_tilts
from dalenius.joints.tilted_steps import TiltedSteps, rounded_steps, tilted_steps

_TILTS: Final = 32
"""Most tilts that are computed together."""
_UNEVEN: Final = 2.0
"""Largest variance of tilts that are computed together, over the smallest."""
_RAREST: Final = 700.0
"""Nats of rarity beyond which a value is not read from a tilt."""
_FAINTEST_LOG: Final = -11_000.0
"""Log that is above that of every number which extended numbers round to 0."""
_LOOKED_AT: Final = 16
"""About how many tilts the chain's memory is measured at."""
DEEP: Final = 90.0
"""Nats: e^-90 of the law about its mean may be outside of the window."""
_LOOSE: Final = 1e-3
"""Nats by which Chernoff's bounds are raised, for all roundings and the other members of a class."""
_NEAR: Final = 45.0
"""Nats: e^-45 of the law may be outside of the window where outputs beyond it are known by their limits."""


def chain_window(chain: RepeatingChain, rate: float, most_cells: float = inf) -> ChainWindow | None:
    """Computes the window of a chain's laws, or returns None.

    None where some value is too rare under a tilt, where no vectors keep the steps within the range of numbers, or
    where there would be too many numbers.

    Args:
        chain: The chain and its scores.
        rate: Nats by which the noise's log falls for each step, at most; 0 for the law about its mean alone.
        most_cells: The most numbers (classes times values times sums) that the window may have.
    """
    alone = chain.repeats and chain.n <= MOST_ALONE
    for own in (chain, chain.step_by_step()) if alone else (chain,):
        found = _chain_window(own, rate, most_cells)
        if found is not None:
            return found
    return None


def _chain_window(chain: RepeatingChain, rate: float, most_cells: float) -> ChainWindow | None:
    """Computes the window for steps as they are given."""
    if not chain.repeats and chain.n > MOST_ALONE:
        return None
    outer = tilted_steps(chain, np.array([-rate, 0.0, rate]))
    if not outer.sound:
        return None
    tilts = placed_tilts(chain, rate, _NEAR if rate else DEEP)
    if tilts is None:
        return None
    # Because the chain may forget more slowly farther out.
    few = tilts[:: max(1, len(tilts) // _LOOKED_AT)]
    places = chain_places(chain, memory(tilted_steps(chain, few), moments_at(chain, few)[1]))
    # Because each step by itself, with hardly any frequency silent, takes minutes for many records.
    if len(places) > (MOST_CLASSES if places.blocks else MOST_ALONE):
        return None
    plan = ChainWindowPlan.of(chain, places, tilts)
    if (plan.last - plan.first + 1) * len(places) * chain.states > most_cells:
        return None
    return plan.window(rate, chain.possible[list(places.firsts)])


def _logs(masses: Long, possible: np.ndarray) -> Array:
    """Bounds from below the logs of the values' tilted probabilities (classes, T, k); -inf where impossible."""
    found = np.full(masses.shape, -inf)
    shown = np.broadcast_to(possible[:, None, :], masses.shape)
    found[shown] = np.log(np.maximum(masses[shown], np.exp(long(_FAINTEST_LOG)))).astype(np.float64)
    return found


@final
@dataclass(frozen=True, eq=False)
class ChainWindowPlan:
    """The tilts (T,) of a window, with means and variances; edges (T + 1,): the sums from which on each is read."""

    chain: RepeatingChain
    places: ChainPlaces
    tilts: Array
    means: Array
    variances: Array
    edges: IntArray

    @classmethod
    def of(cls, chain: RepeatingChain, places: ChainPlaces, tilts: Array) -> "ChainWindowPlan":
        means, variances, _ = moments_at(chain, tilts)
        first, last = max(0, floor(means[0])), min(chain.most, ceil(means[-1]))
        between = np.floor((means[1:] + means[:-1]) / 2).astype(np.int64) + 1
        edges = np.maximum.accumulate(np.clip(np.concatenate([[first], between, [last + 1]]), first, last + 1))
        # Because several tilts have the same mean next to the ends of all sums: one of them is read.
        used = np.flatnonzero(edges[1:] > edges[:-1])
        return cls(chain, places, tilts[used], means[used], variances[used], edges[[*used, -1]])

    @property
    def first(self) -> int:
        return int(self.edges[0])

    @property
    def last(self) -> int:
        return int(self.edges[-1]) - 1

    def window(self, rate: float, possible: np.ndarray) -> ChainWindow | None:
        """Computes the window for noise of `rate` nats per step.

        `possible` (classes, k) has the values of each class. None where no vectors keep the steps within the range of
        numbers, or a value is too rare for any.
        """
        plain = tilted_steps(self.chain, np.zeros(1))
        masses = joint_masses(plain, self.places)
        log_prior = _logs(masses, possible)[:, 0]
        if float(np.min(log_prior, where=possible, initial=0.0)) <= _FAINTEST_LOG:
            return None
        segments, error, outside = list[Segment](), 0.0, np.full((2, *possible.shape), inf)
        for some in self._together():
            tilted = tilted_steps(self.chain, self.tilts[some])
            if not tilted.sound:
                return None
            logs = _logs(joint_masses(tilted, self.places), possible)
            shares = np.where(possible[:, None], logs - np.where(possible, log_prior, 0.0)[:, None], 0.0)
            error = max(error, tilted.mass_error + plain.mass_error)
            segments += _segments(self, some, tilted, plain, np.where(possible[:, None], logs, 0.0), shares)
            rise = (tilted.log_mass - plain.log_mass[0]).astype(np.float64) + error + _LOOSE
            for side, (sign, end) in enumerate(((-1, self.first - 1), (1, self.last + 1))):
                # Because a tilt that falls slower than the noise does not bound the sums that outputs far beyond read.
                far = sign * tilted.tilts >= max(rate, 1e-300)
                own = np.where(far, rise - tilted.tilts * end, inf)[None, :, None] + shares
                outside[side] = np.minimum(outside[side], own.min(axis=1))
        outside[list(self._closed)] = -inf
        drift = self._drift(plain, masses[:, 0], possible)
        return ChainWindow(
            self.chain, self.places, rate, log_prior, drift, self.first, self.last, outside, tuple(segments), error
        )

    def _together(self) -> Iterator[slice]:
        """Yields tilts that are computed together on one circle, as long as the widest of them needs."""
        most = max(1, min(_TILTS, (1 << 22) // (len(self.chain.steps) * self.chain.states**2)))
        start = 0
        for end in range(1, len(self.tilts) + 1):
            wide = self.variances[start : end + 1]
            if end == len(self.tilts) or end - start == most or np.max(wide) > _UNEVEN * np.min(wide):
                yield slice(start, end)
                start = end

    @property
    def _closed(self) -> tuple[bool, bool]:
        return self.first == 0, self.last == self.chain.most

    def _drift(self, plain: TiltedSteps, masses: Long, possible: np.ndarray) -> Array:
        """Bounds by how many nats the probability of a value of a class's members may differ from its first's."""
        found = np.zeros(len(self.places))
        steps = tuple(step[:, None] for step in plain.steps)
        for row in self.places.between:
            off = apart(plain, self.places, row, steps)[0, 0]
            share = np.where(possible[row], off / np.where(possible[row], masses[row], 1).astype(np.float64), 0.0)
            found[row] = float(np.max(share)) * 1.01 if float(np.max(share)) < 0.005 else inf
        return found


def _segments(
    plan: ChainWindowPlan, some: slice, tilted: TiltedSteps, plain: TiltedSteps, logs: Array, shares: Array
) -> Iterator[Segment]:
    """Yields the segments of some tilts.

    logs, shares (classes, T, k): the tilted probabilities of each class's values, and less the plain ones; 0 where
    impossible.
    """
    chain, places = plan.chain, plan.places
    means, edges = plan.means[some], plan.edges[some.start : some.stop + 1]
    centres = np.rint(means).astype(np.int64)
    core = int(np.max(np.maximum(np.abs(edges[:-1] - centres), np.abs(edges[1:] - 1 - centres)))) + 1
    # Because values that a tilt makes too rare are read from others.
    rare = logs < -_RAREST
    loud = loud_frequencies(tilted, means, plan.variances[some], core, -float(np.min(logs, where=~rare, initial=0.0)))
    waves = _transforms(chain, places, tilted, loud)
    between = _between(chain, places, tilted, loud)
    rounded = rounded_steps(chain)
    for number in range(len(centres)):
        own = np.exp(long(logs[:, number]))
        turn = turned(-loud.places * int(centres[number]), loud.points)
        here = waves[:, number] * turn[:, None] / own[:, None, :]
        here = (np.where(rare[:, None, number], 0, here) * loud.weights[:, None]).astype(np.complex128)
        chance = np.exp(np.maximum(logs[:, number], -_RAREST))
        error = loud.missing[number] / chance + np.abs(here).sum(axis=1) * (len(loud.places) + 32) * UNIT
        error = error + 2 * rounded * loud.weights.sum()
        error[list(places.between)] += between[:, number] / chance[list(places.between)]
        yield Segment(
            float(tilted.tilts[number]),
            int(edges[number]),
            int(edges[number + 1]),
            loud,
            int(centres[number]),
            tilted.log_mass[number] - plain.log_mass[0],
            here,
            shares[:, number],
            np.where(rare[:, number], 1.0, error),
        )


def _transforms(chain: RepeatingChain, places: ChainPlaces, tilted: TiltedSteps, loud: LoudFrequencies) -> np.ndarray:
    """Returns E[e^{iω·sum}] with each value of each class's first record (classes, T, frequencies, k)."""
    waves = _waves(chain, loud)
    steps = _turned_steps(tilted, waves)
    first = tilted.first[:, None] * waves[0][None]
    last = np.broadcast_to(tilted.last[:, None] + 0j, first.shape)
    before, after = messages(places, steps, first, last)
    return np.asarray(before * after / tilted.total[None, :, None, None])


def _between(chain: RepeatingChain, places: ChainPlaces, tilted: TiltedSteps, loud: LoudFrequencies) -> Array:
    """Bounds how far members of classes of many records may differ, in masses (classes of many, T, k)."""
    if not len(places.between):
        return np.zeros((0, len(tilted.tilts), chain.states))
    steps = _turned_steps(tilted, _waves(chain, loud))
    found = [apart(tilted, places, row, steps) for row in places.between]
    return np.stack([np.einsum("tjs,j->ts", each, loud.weights) for each in found])


def _waves(chain: RepeatingChain, loud: LoudFrequencies) -> list[np.ndarray]:
    """Returns e^{iω·score} (frequencies, k) by phase."""
    return [turned(loud.places[:, None] * own, loud.points) for own in chain.scores]


def _turned_steps(tilted: TiltedSteps, waves: list[np.ndarray]) -> list[np.ndarray]:
    """Returns the turned steps (T, frequencies, k, k) by phase."""
    return [
        step[:, None] * waves[(phase + 1) % len(waves)][None, :, None, :] for phase, step in enumerate(tilted.steps)
    ]
