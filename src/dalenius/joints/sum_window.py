"""The law of a sum of dependent records given each value of one, where outputs can lie that leak most (Theory §22).

Noise whose log falls by `rate` for each step of the sum can weigh its law by e^{θ·sum}, |θ| <= rate, and no more. At
and beyond the sums that these tilts make likely, outputs leak as much as at ±∞. So the law is computed there only, to
full relative accuracy: tilt by tilt, each about its own mean, from the few frequencies at which the transform of the
tilted law is not 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, log
from typing import Final, Generic, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.joints.extended_precision import Long, long, turned
from dalenius.joints.loud_frequencies import LoudFrequencies
from dalenius.joints.tilted_sum import Places, Sums
from dalenius.laws.law import Law, Window

RAREST: Final = 700.0
"""Nats: a value that is rarer under some tilt is not read from that tilt."""
_RESOLVED: Final = 1e-10
"""Where a mass is known less well, relatively, what is unknown of it counts as unresolved."""
P = TypeVar("P", bound=Places)
FAINTEST_LOG: Final = -11_000.0
"""At least the log of what extended numbers round to 0."""
_LOOSE: Final = 1e-3
"""Nats by which Chernoff's bounds are raised, for all roundings and the other members of a class."""
_ENDS: Final = 256
"""Steps from either end of all sums within which sums that no path has are found."""


@final
@dataclass(frozen=True)
class Tilted:
    """Sums from first up to end, which are read from one tilt. centre: the sum that phases are counted from; log_mass:
    of the tilted sum, less that of the plain one."""

    tilt: float
    first: int
    end: int
    centre: int
    log_mass: Long


@final
@dataclass(frozen=True, eq=False)
class Segment:
    """Sums from `first` up to `end`, read from one tilt.

    Args:
        tilt: θ for each step of the sum.
        first: The first sum, in steps from the least.
        end: The sum after the last.
        frequencies: The frequencies of the tilt's circle.
        centre: The sum that phases are counted from.
        log_mass: The log-mass of the tilted sum, less that of the plain one.
        waves: The transform given each value, weighed (classes, frequencies, k).
        shares: The log of the tilted probability of each value over its own (classes, k).
        error: How far a mass may be off (classes, k).
    """

    tilt: float
    first: int
    end: int
    frequencies: LoudFrequencies
    centre: int
    log_mass: Long
    waves: np.ndarray
    shares: Array
    error: Array

    @property
    def is_dense(self) -> bool:
        """Whether a transform of the whole circle is quicker than one sum for each point."""
        return _is_dense(self.frequencies, self.end - self.first)

    def masses(self, waves: np.ndarray) -> Array:
        """Returns the masses at each sum, on the scale of the tilt; waves: by frequency (laws, frequencies)."""
        if not self.is_dense:
            return np.asarray(np.concatenate([waves.real, waves.imag], axis=1) @ self.circle)
        loud = self.frequencies
        spectrum = np.zeros((len(waves), loud.points // 2 + 1), dtype=np.complex128)
        spectrum[:, loud.places] = waves.conj() / loud.weights * (1 / loud.points)
        # Because the transform takes each frequency with its conjugate, once or twice, over the number of points.
        found = np.fft.irfft(spectrum, loud.points, axis=1) * loud.points
        return np.take(found, (np.arange(self.first, self.end) - self.centre) % loud.points, axis=1)

    @cached_property
    def circle(self) -> Array:
        """The cosines and sines of the frequencies at each sum (2 · frequencies, sums); all classes share them."""
        points = self.frequencies.points
        away = np.arange(self.first, self.end) - self.centre
        angles = 2 * np.pi / points * (self.frequencies.places[:, None] * away % points)
        return np.concatenate([np.cos(angles), np.sin(angles)])

    @cached_property
    def base(self) -> Array:
        """The log of the factor that the tilt takes off the masses at each sum, common to all classes and values."""
        return (self.log_mass - long(self.tilt) * np.arange(self.first, self.end)).astype(np.float64)


def segment(
    at: Tilted, loud: LoudFrequencies, missing: float, waves: np.ndarray, logs: Array, shares: Array, rounded: float
) -> Segment:
    """Reads a part of the window from one tilt.

    Args:
        at: The tilt, and the sums that are read from it.
        loud: The frequencies of `waves`.
        missing: By how much a mass of the tilted law is off for what wraps around and for all other frequencies.
        waves: E[e^{iω·sum}; the value] of each class (classes, frequencies, k), not weighed yet.
        logs: Log of the tilted probability of each value (classes, k), 0 where impossible.
        shares: `logs` less the log of the plain probability (classes, k).
        rounded: Relative error of the waves' sums of absolute terms.
    """
    # Values that a tilt makes too rare are read from others.
    rare = is_rare(logs)
    turn = turned(-loud.places * at.centre, loud.points)
    here = waves * turn[:, None] / np.exp(long(logs))[:, None, :]
    here = (np.where(rare[:, None], 0, here) * loud.weights[:, None]).astype(np.complex128)
    chance = np.exp(np.maximum(logs, -RAREST))
    # Because a transform of the whole circle adds in a tree.
    added = 8 * loud.points.bit_length() if _is_dense(loud, at.end - at.first) else len(loud.places)
    error = missing / chance + np.abs(here).sum(axis=1) * (added + 32) * UNIT
    error = error + 2 * rounded * loud.weights.sum()
    return Segment(at.tilt, at.first, at.end, loud, at.centre, at.log_mass, here, shares, np.where(rare, 1.0, error))


def _is_dense(loud: LoudFrequencies, sums: int) -> bool:
    """Whether so many frequencies are loud that a transform of the whole circle is quicker, for so many sums."""
    return len(loud.places) * sums > 8 * loud.points * loud.points.bit_length()


def logs_of(masses: Long, possible: np.ndarray) -> Array:
    """Returns the logs of tilted probabilities, FAINTEST_LOG at least, and -inf for impossible values (classes, T, k).

    Args:
        masses: The tilted probabilities of values (classes, T, k).
        possible: Which values are possible (classes, k).
    """
    found = np.full(masses.shape, -inf)
    shown = np.broadcast_to(possible[:, None, :], masses.shape)
    found[shown] = np.log(np.maximum(masses[shown], np.exp(long(FAINTEST_LOG)))).astype(np.float64)
    return found


def lies_outside(tilts: Array, rise: Array, shares: Array, ends: tuple[int, int], rate: float) -> Array:
    """Bounds the log of the mass below a window, and above it, given each value (2, classes, k), by Chernoff.

    Args:
        tilts: θ for each step of the sum (T,).
        rise: Log-mass of the tilted sum over that of the plain one, in nats (T,).
        shares: Log of each value's tilted probability over its own (classes, T, k).
        ends: The first and the last sum of the window, in steps.
        rate: Nats by which the noise's log falls for each step, at most.
    """
    found = []
    for sign, end in ((-1, ends[0] - 1), (1, ends[1] + 1)):
        # A tilt that falls slower than the noise does not bound what outputs far beyond read.
        far = sign * tilts >= max(rate, 1e-300)
        own = np.where(far, rise + _LOOSE - tilts * end, inf)[None, :, None] + shares
        found.append(own.min(axis=1))
    return np.stack(found)


def is_rare(logs: Array) -> NDArray[np.bool_]:
    """Whether a tilt makes values too rare to be read from it. logs: of their tilted probabilities."""
    return np.asarray(logs < -RAREST)


@final
@dataclass(frozen=True, eq=False)
class SumWindow(Generic[P]):
    """Window of the laws of one sum, given each value of each class of records.

    Args:
        chain: The chain and its scores.
        places: The classes of records.
        rate: Nats by which the noise's log falls for each step, at most; 0 for the law about its mean alone.
        log_prior: Log-probabilities of each class's first record (classes, k).
        drift: By how many nats those of other members may differ (classes,).
        first: The first sum of the window, in steps from the least sum.
        last: Its last sum.
        outside: Bounds of the log of the mass below it given each value, and above it (2, classes, k).
        segments: The window's parts, one for each tilt.
        mass_error: By how many nats the tilts' log-masses may be off.
    """

    sums: Sums
    places: P
    rate: float
    log_prior: Array
    drift: Array
    first: int
    last: int
    outside: Array
    segments: tuple[Segment, ...]
    mass_error: float

    @property
    def points(self) -> int:
        return self.last - self.first + 1

    @property
    def cells(self) -> int:
        """The number of classes times values times sums."""
        return self.log_prior.size * self.points

    def window(self, row: int) -> Window:
        """Returns the law of the sum given each value of the class in this `row`, on the lattice of answers."""
        sums, law = self.sums, self.law(row)
        lost = np.exp(np.minimum(self.outside[:, row, self.log_prior[row] > -inf], 0.0)).sum(axis=0)
        # Because the unresolved part is in no mass of the law, it counts as outside.
        if law.floor is not None:
            lost += np.exp(law.base + law.floor).sum()
        inside = replace(law, floor=None)
        return Window(inside, tuple(lost.tolist()), (sums.least, sums.least + sums.stride * sums.most))

    def law(self, row: int) -> Law:
        """Returns the law inside the window given each possible value of the class `row`."""
        law, off = self.law_and_doubt(row)
        # The part of a mass beyond its lower bound is unresolved: a mass is at most 1.
        unresolved = law.relative + log(_RESOLVED) <= off
        with np.errstate(divide="ignore", invalid="ignore"):
            lower = np.where(law.relative > off, law.relative + np.log1p(-np.exp(off - law.relative)), -inf)
            resolved = np.where(unresolved, 0.0, -np.log1p(-np.exp(np.minimum(off - law.relative, -1e-300))))
        most = np.where(unresolved, np.minimum(off + log(2.0), -law.base), -inf).max(axis=0)
        return replace(
            law,
            relative=np.where(unresolved, lower, law.relative),
            error=law.error + float(np.max(resolved)),
            floor=None if most.max(initial=-inf) == -inf else most,
        )

    def law_and_doubt(self, row: int) -> tuple[Law, Array]:
        """Returns the law inside the window for the class `row`, and the log of each mass's error (values, points).

        The error is on the scale of the law's base, and beyond the law's own. Noise spreads masses and their errors
        alike: so a mass that is next to nothing beside its neighbours need not be known well (Result 20.44).
        """
        return self.laws([row]), self.law_of_doubt(row).relative

    @property
    def possible(self) -> np.ndarray:
        """The values that each class's first record can have (classes, k)."""
        return np.asarray(self.log_prior > -inf)

    def laws(self, rows: Sequence[int]) -> Law:
        """Returns the law inside the window given each possible value of the classes `rows`, class by class."""
        possible = self.possible[rows]
        base, relative = np.empty(self.points), np.full((int(possible.sum()), self.points), -inf)
        error = 0.0
        for segment in self.segments:
            near = slice(segment.first - self.first, segment.end - self.first)
            base[near], relative[:, near], rounded = self._read(segment, rows, possible)
            error = max(error, rounded)
        return self._law(base, relative, error + 2 * self.mass_error + 8 * UNIT * float(np.max(np.abs(base))))

    def doubts(self, row: int) -> Array:
        """Returns the logs of the masses' errors for the class `row`, by segment and value, on the laws' scale."""
        return np.stack([np.log(segment.error[row]) + segment.shares[row] for segment in self.segments])

    def law_of_doubt(self, row: int) -> Law:
        """Returns the logs of the masses' errors for each sum and each possible value of the class `row`, as a law."""
        base, lengths = np.empty(self.points), [segment.end - segment.first for segment in self.segments]
        for segment in self.segments:
            base[segment.first - self.first : segment.end - self.first] = segment.base
        return self._law(base, np.repeat(self.doubts(row)[:, self.possible[row]].T, lengths, axis=1), 0.0)

    def _law(self, base: Array, relative: Array, error: float) -> Law:
        """Places masses at the sums that can occur; other sums, and answers between, have none."""
        relative[:, self._impossible] = -inf
        stride, start = self.sums.stride, self.sums.least + self.sums.stride * self.first
        if stride > 1:
            base, relative = (_spread_out(each, stride) for each in (base, relative))
            base = np.where(np.isfinite(base), base, 0.0)
        return Law((start,), base, relative, error)

    @cached_property
    def _impossible(self) -> IntArray:
        """Places near either end of all sums that no path has: no tilt tells them from unlikely ones."""
        if self.first >= _ENDS and self.last <= self.sums.most - _ENDS:
            return np.zeros(0, dtype=np.int64)
        low, high = self.sums.attainable(_ENDS)
        sums = np.arange(self.first, self.last + 1)
        known = (sums < _ENDS) & ~np.isin(sums, low)
        known |= (sums > self.sums.most - _ENDS) & ~np.isin(self.sums.most - sums, high)
        return np.flatnonzero(known)

    def _read(self, segment: Segment, rows: Sequence[int], possible: np.ndarray) -> tuple[Array, Array, float]:
        """Returns base (points,), relative (values of all rows, points), and the nats of their roundings."""
        waves = np.moveaxis(segment.waves[rows], 1, 2)[possible]
        masses = segment.masses(waves)
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(masses, 0.0, out=masses), out=masses)
        logs += segment.shares[rows][possible][:, None]
        deepest = max(float(np.max(logs)), -float(np.min(logs, where=logs > -inf, initial=0.0)))
        return segment.base, logs, 8 * UNIT * (4 + deepest)

    def beyond(self, law: Law, row: int, rate: float | None = None) -> float:
        """Bounds by how many nats the mass outside raises any output's log-likelihood under noise (Result 20.43).

        Args:
            law: The class's own law, of which no largest mass is in doubt.
            row: The number of the class.
            rate: The noise's fall in nats per step, at most the window's own; None: the window's.
        """
        step = self.rate if rate is None else rate
        fall = step / self.sums.stride * np.arange(law.box[0])
        possible, shares = self.possible[row], 0.0
        logs = law.log_mass()
        for side, far in ((self.outside[0], fall), (self.outside[1], fall[::-1])):
            # Because the mass outside is next to nothing, one sum stands for all inside.
            most = np.argmax(logs - far, axis=1)
            values = np.arange(len(logs))
            known = logs[values, most] > self._doubt_at(row, most) + log(2.0)
            near = np.where(known, logs[values, most] - far[most] - log(2.0), -1e300) - law.error - step
            shares += float(np.max(np.exp(np.minimum(side[row, possible] - near, 700.0))))
        return shares

    def _doubt_at(self, row: int, points: IntArray) -> Array:
        """Log of by how much a mass may be off, of each possible value at one point of the law."""
        sums = self.first + points // self.sums.stride
        which = np.searchsorted([segment.end for segment in self.segments], sums, side="right")
        tilts = np.array([segment.tilt for segment in self.segments])[which]
        masses = np.array([float(segment.log_mass) for segment in self.segments])[which]
        found: Array = self.doubts(row)[which, np.flatnonzero(self.possible[row])] + masses - tilts * sums
        return found


def _spread_out(rows: Array, stride: int) -> Array:
    """Puts one of the rows' points at every `stride`-th point, and nothing between."""
    found = np.full((*rows.shape[:-1], (rows.shape[-1] - 1) * stride + 1), -inf)
    found[..., ::stride] = rows
    return found
