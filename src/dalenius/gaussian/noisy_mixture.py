"""Densities of mixtures of normal answers under noise: the largest log-ratio of two, and their divergence δ(ε).

Both are searched for on cells of the line, on which each component's density has known bounds:

* it has one peak and is symmetric about it;
* under Laplace noise of scale b, e^{y/b} g(y) grows and e^{-y/b} g(y) falls everywhere, as a derivative of Laplace's
  kernel is at most 1/b of it. So in the tails, where a ratio no longer changes, its bounds meet.

Beyond the last cell the ratio of sums is at most the largest ratio of terms; under Laplace noise e^{y/b} g(y) has the
limit e^{m/b + v/2b²}/2b.

>>> one = NoisyMixture.of([Fraction(1)], [Fraction(1)], [Fraction(0)], Fraction(2), Fraction(0))
>>> other = NoisyMixture.of([Fraction(1)], [Fraction(0)], [Fraction(0)], Fraction(2), Fraction(0))
>>> round(supremum(one, other).value.upper, 6)
0.5
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp, expm1, inf, isfinite, log, pi, sqrt
from typing import Final, NamedTuple, Self, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.gaussian.density import ROOT2, log_density, log_density_error
from dalenius.special_functions import erfc, erfcx, ndtr

_CELLS: Final = 4096
_MOST_CELLS: Final = 200_000
"""Cells of one round of a search; where there would be more, the enclosure stays as wide as they leave it."""
_FARTHER: Final = 12
"""How often the searched line is made twice as long, until the rest of it leaks less."""
_LARGEST: Final = 700.0
"""ε, in nats, beyond which e^ε is not computed."""
_SHARE: Final = 1e-9
"""The share of a hockey-stick divergence that may be left unsure."""
_CLOSE: Final = 1e-8
"""Nats to which a supremum is searched for."""


@final
@dataclass(frozen=True)
class NoisyMixture:
    """The law of an answer with noise: a mixture of normal variables, plus Laplace or Gaussian noise.

    Attributes:
        log_weights: Logs of the components' probabilities (K,).
        means: Their means, exactly.
        variances: Their variances without Laplace noise, and with Gaussian noise, exactly.
        scale: The scale of Laplace noise; 0 for none.
        doubt: Bounds the error of each of the log-weights, in nats.
    """

    log_weights: Array
    means: tuple[Fraction, ...]
    variances: tuple[Fraction, ...]
    scale: float
    doubt: float

    @classmethod
    def of(
        cls,
        weights: Sequence[Fraction],
        means: Sequence[Fraction],
        variances: Sequence[Fraction],
        laplace: Fraction,
        deviation: Fraction,
    ) -> Self:
        """Makes the law from exact numbers.

        Args:
            weights: The components' probabilities (K,), all above 0.
            means: Their means (K,), in the answer's unit.
            variances: Their variances without noise (K,), in the square of that unit.
            laplace: The scale of Laplace noise, in the answer's unit; 0 for none.
            deviation: The standard deviation of Gaussian noise, in the answer's unit; 0 for none.
        """
        logs = np.array([log(each.numerator) - log(each.denominator) for each in weights])
        added = tuple(each + deviation**2 for each in variances)
        return cls(logs, tuple(means), added, float(laplace), 8 * UNIT * float(1 + np.abs(logs).max()))

    @cached_property
    def centres(self) -> Array:
        """The means as doubles (K,)."""
        return np.array([float(each) for each in self.means])

    @cached_property
    def deviations(self) -> Array:
        """The deviations as doubles (K,)."""
        return np.array([sqrt(float(each)) for each in self.variances])

    @property
    def end(self) -> float:
        """How far from 0 the searched line ends: beyond, Laplace tails have their limit, and normal ones hardly any."""
        spread = self.deviations
        far = 12 * spread if not self.scale else spread**2 / self.scale + 12 * spread + self.scale
        return float((np.abs(self.centres) + far).max())

    def terms(self, places: Array) -> tuple[Array, Array]:
        """Returns logs of each component's share of the density (K, places), and bounds of their errors."""
        logs, errors = [], []
        for weight, centre, deviation in zip(self.log_weights, self.centres, self.deviations, strict=True):
            away = np.abs(places - centre)
            size = np.abs(places) + abs(centre)
            if self.scale:
                ratio = float(deviation) / self.scale
                found = log_density(away / self.scale, ratio) - log(self.scale)
                error = log_density_error(away / self.scale, ratio) + 4 * UNIT * size / self.scale
                error = error + 8 * UNIT * (ratio**2 + ratio)
            else:
                square = np.square(away / deviation)
                found = -square / 2 - log(float(deviation)) - log(2 * pi) / 2
                error = 8 * UNIT * square + 4 * UNIT * away / deviation * (size / deviation) + 8 * UNIT
            logs.append(found + weight)
            errors.append(error + self.doubt + 4 * UNIT * (np.abs(found) + abs(weight)))
        return np.array(logs), np.array(errors)

    def at(self, places: Array) -> tuple[Array, Array]:
        """Returns logs of the density, from below and from above (places,)."""
        logs, errors = self.terms(places)
        return _sum_of(logs - errors), _sum_of(logs + errors)

    def on(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Returns logs of the density on cells, from below and from above (cells,): each component has one peak.

        Args:
            low: The lower ends of the cells (cells,), in the answer's unit.
            high: Their upper ends (cells,).
        """
        most, least = [], []
        for one in self.each:
            near = np.clip(float(one.centres[0]), low, high)
            far = np.where(near - low > high - near, low, high)
            most.append(one.at(near)[1])
            least.append(one.at(far)[0])
        return _sum_of(np.array(least)), _sum_of(np.array(most))

    @cached_property
    def each(self) -> "list[NoisyMixture]":
        """The components alone, each with its share of the density."""
        places = range(len(self.means))
        return [
            NoisyMixture(self.log_weights[k : k + 1], (self.means[k],), (self.variances[k],), self.scale, self.doubt)
            for k in places
        ]

    def limit(self, end: float, sign: int) -> tuple[float, float]:
        """Returns the log of Laplace tails' limit, e^{(y - end)/b} times the density as y goes to ∞, from both sides.

        Args:
            end: Where the exponential is 1.
            sign: 1 for ∞, -1 for -∞.
        """
        shifts, squares = (sign * self.centres - end) / self.scale, np.square(self.deviations / self.scale) / 2
        logs = self.log_weights + shifts + squares - log(2 * self.scale)
        error = self.doubt + 16 * UNIT * float((np.abs(self.centres) + end).max() / self.scale + squares.max() + 1)
        found = float(_sum_of(logs[:, None])[0])
        return found - error, found + error

    def mass(self, low: float, high: float) -> tuple[float, float]:
        """Returns the probability of the interval from `low` to `high`, and a bound of its error."""
        total, error = 0.0, 1e-300
        size = max(abs(each) for each in (low, high) if isfinite(each))
        for weight, centre, deviation in zip(self.log_weights, self.centres, self.deviations, strict=True):
            unit = self.scale or float(deviation)
            one, other = float((low - centre) / unit), float((high - centre) / unit)
            # So that a tail keeps its digits, it is counted from the nearer end of the line.
            one, other = (-other, -one) if one > 0 else (one, other)
            ratio = float(deviation) / self.scale if self.scale else None
            first, last = _below(one, ratio), _below(other, ratio)
            total += exp(weight) * (last - first)
            # Because the density is at most 1 + |z| times the tail, so much of it a place's rounding moves.
            away = min(max(abs(each) for each in (one, other) if isfinite(each)), 1e6)
            away = away if ratio is not None else min(away, 40.0)
            moved = 64 + 8 * (1 + away) * (away + (size + abs(float(centre))) / unit)
            moved += 0 if ratio is None else 16 * (ratio**2 + away)
            error += exp(weight) * (last + first) * (moved * UNIT + self.doubt)
        return total, error


def _below(place: float, ratio: float | None) -> float:
    """Returns the probability below a place: of a standard normal variable, or of one with Laplace noise of scale 1.

    Args:
        place: The place, in deviations; in scales of Laplace noise where there is such noise.
        ratio: The normal variable's deviation in scales of Laplace noise; None for no such noise.
    """
    if ratio is None or not isfinite(place):
        return float(ndtr(place))
    if place > 0:
        return 1.0 - _below(-place, ratio)
    if ratio == 0:
        return exp(place) / 2
    near, far = (ratio + place / ratio) / ROOT2, (ratio - place / ratio) / ROOT2
    square = exp(-((place / ratio) ** 2) / 2)
    # e^{r²/2 + y} Φ(-y/r - r), in the form that does not overflow
    pushed = square * float(erfcx(near)) / 2 if near >= 0 else exp(ratio**2 / 2 + place) * float(erfc(near)) / 2
    return float(ndtr(place / ratio)) + (pushed - square * float(erfcx(far)) / 2) / 2


class Supremum(NamedTuple):
    """A largest log-ratio, in nats, and an output near which it is attained; None at ±∞."""

    value: Enclosure
    place: float | None


def _sum_of(logs: Array) -> Array:
    """Returns the log of a sum of exponentials over the first axis."""
    most = logs.max(axis=0)
    return np.asarray(most + np.log(np.exp(logs - most).sum(axis=0)))


def diverges(one: NoisyMixture, other: NoisyMixture) -> bool:
    """Says whether the log of the ratio of `one` density to the `other` has no upper bound.

    Under Laplace noise it has one. Under Gaussian noise the widest component decides far out.
    """
    if one.scale:
        return False
    wide, narrow = max(one.variances), max(other.variances)
    if wide != narrow:
        return wide > narrow
    ours, theirs = (
        [mean for mean, variance in zip(each.means, each.variances, strict=True) if variance == wide]
        for each in (one, other)
    )
    return max(ours) > max(theirs) or min(ours) < min(theirs)


def supremum(one: NoisyMixture, other: NoisyMixture) -> Supremum:
    """Finds the largest log of the ratio of two densities, over all outputs.

    Args:
        one: The law above.
        other: The law below, with the same noise and as many components.

    Returns:
        An enclosure; its upper end is infinite where none is known.
    """
    if diverges(one, other):
        return Supremum(Enclosure(inf, inf), None)
    end = max(one.end, other.end)
    for _ in range(_FARTHER):
        edges = np.linspace(-end, end, _CELLS + 1)
        tails = [_tail(one, other, end, sign) for sign in (1, -1)]
        best = max(float((one.at(edges)[0] - other.at(edges)[1]).max()), *(low for low, _ in tails))
        beyond, place = max(high for _, high in tails), None
        # Under Gaussian noise a tail falls at last, but it may be large for long.
        if one.scale or beyond < best:
            break
        end *= 2
    low, high = edges[:-1], edges[1:]
    while len(low):
        middle = (low + high) / 2
        found = one.at(middle)[0] - other.at(middle)[1]
        if (most := float(found.max())) > best:
            best, place = most, float(middle[int(found.argmax())])
        upper = _upper(one, other, low, high)
        open_cells = upper > best + _CLOSE
        beyond = max(beyond, float(upper[~open_cells].max(initial=-inf)))
        # The case of a cell that no double divides, or of too many cells: its bound stays as it is.
        if 2 * int(open_cells.sum()) > _MOST_CELLS or bool(((middle <= low) | (middle >= high))[open_cells].any()):
            beyond = max(beyond, float(upper.max()))
            break
        low, middle, high = low[open_cells], middle[open_cells], high[open_cells]
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return Supremum(Enclosure(best, max(beyond, best)), place)


def _upper(one: NoisyMixture, other: NoisyMixture, low: Array, high: Array) -> Array:
    """Bounds the log-ratio on cells."""
    found = one.on(low, high)[1] - other.on(low, high)[0]
    if not one.scale:
        return np.asarray(found)
    tilt = (high - low) / one.scale * (1 + 4 * UNIT)
    left, right = (each.at(low) for each in (one, other)), (each.at(high) for each in (one, other))
    (_, ours_low), (theirs_low, _) = left
    (_, ours_high), (theirs_high, _) = right
    return np.asarray(np.minimum(found, np.minimum(ours_high - theirs_low, ours_low - theirs_high) + tilt))


def _tail(one: NoisyMixture, other: NoisyMixture, end: float, sign: int) -> tuple[float, float]:
    """Returns what the log-ratio certainly comes near to beyond an end, and what it is at most there."""
    if one.scale:
        ours, theirs = one.limit(end, sign), other.limit(end, sign)
        at_end = float(other.at(np.array([sign * end]))[0][0])
        # e^{y/b} times either density grows to its limit.
        return ours[0] - theirs[1], ours[1] - at_end
    found = []
    # The sum below is at least its widest term, and each term above falls from some place on.
    for weight, below, wide in zip(other.log_weights, other.means, other.variances, strict=True):
        if wide == max(other.variances):
            terms = zip(one.log_weights, one.means, one.variances, strict=True)
            logs = [
                _ratio_beyond(float(own - weight), mean, variance, below, wide, end, sign)
                for own, mean, variance in terms
            ]
            found.append(float(_sum_of(np.array(logs)[:, None])[0]) if max(logs) < inf else inf)
    return -inf, min(found) + one.doubt + other.doubt + 16 * UNIT


def _ratio_beyond(
    shift: float, mean: Fraction, variance: Fraction, below: Fraction, wide: Fraction, end: float, sign: int
) -> float:
    """Bounds the log-ratio of two components beyond an end, under Gaussian noise."""
    if variance > wide:
        return inf
    if variance == wide:
        # Linear in the output: it falls, or stays, on the side that the mean below is on.
        slope = sign * (mean - below)
        if slope > 0:
            return inf
        place = Fraction(end)
    else:
        place = max(Fraction(end), sign * (wide * mean - variance * below) / (wide - variance))
    square = (sign * place - below) ** 2 / (2 * wide) - (sign * place - mean) ** 2 / (2 * variance)
    value = shift + float(square) + log(float(wide / variance)) / 2
    return value + 16 * UNIT * (1 + abs(shift) + abs(float(square)) + abs(log(float(wide / variance))))


def hockey_stick(one: NoisyMixture, other: NoisyMixture, epsilon: float) -> Enclosure:
    """Returns ∫ max(one - e^ε other, 0), a probability, over all outputs.

    Cells on which the sign is certain are counted by their probabilities; the others are halved until they matter
    little, and counted by their largest density.

    Args:
        one: The law above.
        other: The law below, with the same noise.
        epsilon: ε, in nats.
    """
    # Because e^ε is no double beyond, and δ falls with ε.
    if epsilon > _LARGEST:
        return Enclosure(0.0, hockey_stick(one, other, _LARGEST).upper)
    end = max(one.end, other.end)
    edges = np.linspace(-end, end, _CELLS + 1)
    low, high = edges[:-1], edges[1:]
    signed: list[tuple[Array, Array]] = []
    unsure = sure = 0.0
    for _ in range(24):
        positive, negative = _upper(other, one, low, high) < -epsilon, _upper(one, other, low, high) < epsilon
        signed.append((low[positive], high[positive]))
        sure += float((np.exp(one.at(low[positive])[0]) * (high - low)[positive]).sum())
        left = ~(positive | negative)
        low, high = low[left], high[left]
        if not len(low):
            unsure = 0.0
            break
        most, least = np.exp(one.on(low, high)[1]), np.minimum(other.on(low, high)[0] + epsilon, _LARGEST)
        unsure = float((np.maximum(most - np.exp(least), 0.0) * (high - low)).sum()) * (1 + 1e-9)
        if unsure < _SHARE * sure or 2 * len(low) > _MOST_CELLS:
            break
        middle = (low + high) / 2
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    total, error = 0.0, 0.0
    for start, stop in _joined(signed):
        found, off = _gained(one, other, epsilon, start, stop)
        total, error = total + found, error + off
    sure, upper = max(total - error, 0.0), max(total + error, 0.0) + unsure
    for sign, ends in ((-1, (-inf, -end)), (1, (end, inf))):
        found, off = _gained(one, other, epsilon, *ends)
        sure += max(found - off, 0.0)
        farthest = _tail(one, other, end, sign)[1]
        upper += sum(one.mass(*ends)) * -expm1(min(epsilon - farthest, 0.0)) * (1 + 8 * UNIT)
    return Enclosure(min(sure, 1.0) * (1 - 8 * UNIT), min(upper * (1 + 8 * UNIT), 1.0))


def _gained(one: NoisyMixture, other: NoisyMixture, epsilon: float, low: float, high: float) -> tuple[float, float]:
    """Returns one's probability of an interval less e^ε times the other's, and a bound of the error."""
    (ours, ours_error), (theirs, theirs_error) = one.mass(low, high), other.mass(low, high)
    times = exp(epsilon)
    error = ours_error + times * (theirs_error + 8 * UNIT * (1 + epsilon) * theirs)
    return ours - times * theirs, error + 4 * UNIT * ours


def _joined(cells: Sequence[tuple[Array, Array]]) -> list[tuple[float, float]]:
    """Joins cells that touch, so that few probabilities are subtracted."""
    every = sorted((float(a), float(b)) for low, high in cells for a, b in zip(low, high, strict=True))
    found: list[tuple[float, float]] = []
    for start, stop in every:
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], stop)
        else:
            found.append((start, stop))
    return found
