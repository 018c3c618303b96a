"""The relative entropies of a record's prior and its posterior, under a mixture of normal laws and Laplace noise.

Both D(X | Y=y ‖ X) and D(X ‖ X | Y=y) are bounded on cells of outputs, and the largest cell is halved until it is close
to a value that is attained (Result 10.8). On a cell [y, y'] and a bin of the record's values

* e^{y/b} W_k(y|x) grows with y and has a limit, so that the likelihood lies between its values at the ends;
* log W_k(y|x) is concave in x, so that it lies between chords, below, and the chords of the next interval, above;
* the mean of e^{sx} over a normal law on half a bin lies between its first-order value and that less its curvature;
* of two laws whose log-ratio varies by R within a bin, the divergence within the bin is at most R²/8 (Hoeffding 1963),
  and the divergence of the bins' probabilities is at most that of the laws.

Beyond the bins each law has less than e^{-60} of its probability, whatever the output.

Of one component the divergences are those of a normal record:

>>> found = divergences([Joint(0.0, 0.0, 1.0, 0.5, 0.0, 1.0)], 1.0)
>>> [round(each.value.middle, 4) for each in found]
[0.125, 0.125]
"""

from collections.abc import Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import exp, inf, isinf, log
from typing import Final, NamedTuple, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.gaussian.density import log_density, log_density_error
from dalenius.gaussian.mixture_entropy import Joint
from dalenius.gaussian.noisy_mixture import Supremum
from dalenius.special_functions import log_ndtr

_FAR: Final = 12.0
"""Deviations from the means of prior and posteriors, after which the bins end."""
_BINS: Final = 32
"""In one deviation of each component."""
_MOST_BINS: Final = 6_000
"""Of one component; where there would be more, they are wider, and so is the enclosure."""
_CELLS: Final = 16
"""Of outputs on each side of the mean, to begin with."""
_ROUNDS: Final = 60
"""How often a cell is halved on each side; the enclosure is then as wide as it is."""
_CLOSE: Final = 1e-3
"""The share of a divergence to which its supremum is searched for."""
_REST: Final = 1e-9
"""Nats, and the share of a divergence, that cover roundings, and what is beyond the bins."""


def divergences(parts: Sequence[Joint], scale: float) -> tuple[Supremum, Supremum]:
    """Encloses the largest D(X | Y=y ‖ X) over all outputs y, and the largest D(X ‖ X | Y=y), in nats.

    Args:
        parts: The law of the record and the answer in each component.
        scale: The scale of Laplace noise on the answer, above 0.

    Returns:
        Both, each with the output that nearly attains it, from the answer's mean; None where that is at ±∞.
    """
    sides = [
        _Side(parts, scale),
        _Side([each._replace(slope=-each.slope, middle=-each.middle) for each in parts], scale),
    ]
    # A normal record's is known: L²σ²/2, L = |c|/b.
    most = (parts[0].slope * parts[0].deviation / scale) ** 2 / 2 if len(parts) == 1 else inf
    found = []
    for reverse in (False, True):
        up, down = (side.largest(reverse, most) for side in sides)
        down = Supremum(down.value, None if down.place is None else -down.place)
        best = up if up.value.lower >= down.value.lower else down
        upper = max(up.value.upper, down.value.upper)
        found.append(Supremum(Enclosure(best.value.lower, upper), best.place))
    return found[0], found[1]


class _At(NamedTuple):
    """The joint law of bins and an output in each component, times e^{y/b}: logs from below and above (K, bins), and
    the logs of the likelihoods in the bins' middles (K, bins)."""

    low: Array
    high: Array
    middle: Array


@final
class _Side:
    """The outputs at least as large as the mean answer; `divergences` mirrors the others."""

    def __init__(self, parts: Sequence[Joint], scale: float) -> None:
        self._parts, self._scale = parts, scale
        self._steep = max(abs(each.slope) for each in parts) / scale
        ends = []
        for each in parts:
            far = (_FAR + abs(each.slope) * each.deviation / scale) * each.deviation
            count = min(int(2 * far / each.deviation * _BINS), _MOST_BINS)
            ends.append(np.linspace(each.centre - far, each.centre + far, count + 1))
        edges = np.unique(np.concatenate(ends))
        # Because a bin between ends that differ by rounding would have no probability.
        edges = edges[np.diff(edges, prepend=-inf) > 1e-6 * min(each.deviation for each in parts)]
        self._left, self._right = edges[:-1], edges[1:]
        self._middle = self._left + (self._right - self._left) / 2
        self._places = np.concatenate([edges, self._middle])
        self._half = (self._right - self._left) / 2 * (1 + 4 * UNIT)
        self._known: dict[float, _At] = {}

    def largest(self, reverse: bool, most: float) -> Supremum:
        """The supremum over these outputs; reverse: of D(X ‖ X | Y=y); most: a bound that is known of it."""
        end = max(abs(each.middle) + abs(each.slope) * np.abs(self._left - each.centre).max() for each in self._parts)
        end = float(end) + max(each.inner**2 / self._scale + 6 * each.inner for each in self._parts) + self._scale
        places = [*np.linspace(0.0, end, _CELLS + 1).tolist(), inf]
        best, place = max((self._between(each, each, reverse)[0], each) for each in places)
        cells = [(-self._between(low, high, reverse)[1], low, high) for low, high in pairwise(places)]
        heapify(cells)
        for _ in range(_ROUNDS):
            least, low, high = cells[0]
            middle = 2 * low if isinf(high) else (low + high) / 2
            if min(-least, most) <= best * (1 + _CLOSE) + _REST or not low < middle < high:
                break
            heappop(cells)
            best, place = max((best, place), (self._between(middle, middle, reverse)[0], middle))
            for ends in ((low, middle), (middle, high)):
                heappush(cells, (-self._between(*ends, reverse)[1], *ends))
        upper = max(min(-cells[0][0], most), best)
        value = Enclosure(best - _REST * (1 + best), upper + _REST * (1 + upper))
        return Supremum(value.clipped(0.0), None if isinf(place) else place)

    def _between(self, first: float, last: float, reverse: bool) -> tuple[float, float]:
        """Bounds one divergence for outputs from `first` to `last`, in nats."""
        one, other = self._at(first), self._at(last)
        low, high = np.logaddexp.reduce(one.low, axis=0), np.logaddexp.reduce(other.high, axis=0)
        unit = (_total(low) + _total(high)) / 2
        low, high = low - unit, high - unit
        ends = exp(_total(low)), exp(_total(high))
        if reverse:
            found = _divergence((self._prior, self._prior), (low, high))
            within, shift = float((np.exp(self._prior) * self._varied(one, other)).sum()), (log(ends[0]), log(ends[1]))
        else:
            least, most = _divergence((low, high), (self._prior, self._prior))
            found = min(least / ends[0], least / ends[1]), max(most / ends[0], most / ends[1])
            within, shift = (
                float((np.exp(high) * self._varied(one, other)).sum()) / ends[0],
                (-log(ends[1]), -log(ends[0])),
            )
        return found[0] + shift[0], found[1] + shift[1] + within

    def _varied(self, one: _At, other: _At) -> Array:
        """Returns R²/8, R how far the log-ratio of posterior and prior varies within each bin.

        Its derivative is the difference of two means of the components' scores, and of slopes of likelihoods.
        """
        first = self._logs.argmax(axis=0)[None]
        apart = np.max(
            [np.abs(each - np.take_along_axis(each, first, axis=0)) for each in self._scores], axis=0
        )  # at both ends, as scores are linear
        odds = self._logs - np.take_along_axis(self._logs, first, axis=0)
        moved = odds + other.middle - np.take_along_axis(one.middle, first, axis=0)
        grown = np.maximum(odds, moved) + self._half * (apart + 2 * self._steep)
        steep = self._steep + (np.exp(np.minimum(grown, 0.0)) * apart).sum(axis=0)
        return np.asarray((2 * self._half * steep) ** 2 / 8)

    @cached_property
    def _logs(self) -> Array:
        """Logs of the components' shares of the record's density in the bins' middles, but for a constant (K, bins)."""
        found = [each.log_weight - self._z(each) ** 2 / 2 - log(each.deviation) for each in self._parts]
        return np.array(found)

    @cached_property
    def _scores(self) -> tuple[Array, Array]:
        """The slopes of those logs at both ends of the bins (K, bins)."""
        left, right = (
            np.array([-(ends - each.centre) / each.deviation**2 for each in self._parts])
            for ends in (self._left, self._right)
        )
        return left, right

    @cached_property
    def _halves(self) -> tuple[Array, Array]:
        """Logs of the components' shares of the left and right half of each bin (K, bins)."""
        found = []
        for low, high in ((self._left, self._middle), (self._middle, self._right)):
            rows = [
                each.log_weight + _log_mass(*((end - each.centre) / each.deviation for end in (low, high)))
                for each in self._parts
            ]
            found.append(np.array(rows))
        return found[0], found[1]

    @cached_property
    def _prior(self) -> Array:
        """Logs of the bins' probabilities."""
        return np.asarray(np.logaddexp.reduce(np.concatenate(self._halves), axis=0))

    def _z(self, part: Joint) -> Array:
        return np.asarray((self._middle - part.centre) / part.deviation)

    def _at(self, place: float) -> _At:
        if place not in self._known:
            rows = [self._row(k, part, place) for k, part in enumerate(self._parts)]
            self._known[place] = _At(*(np.array(each) for each in zip(*rows, strict=True)))
        return self._known[place]

    def _row(self, k: int, part: Joint, place: float) -> tuple[Array, Array, Array]:
        """One component's."""
        logs, error = self._likelihood(part, self._places, place)
        count = len(self._middle)
        left, right, middle = logs[:count], logs[1 : count + 1], logs[count + 1 :]
        steep, shallow = (middle - left) / self._half, (right - middle) / self._half
        own, width = -self._z(part) / part.deviation, self._half
        curved = np.exp(-((width / part.deviation) ** 2) / 2)
        lower = _joined(self._halves, k, _mean(-steep, -own, width, curved)[0], _mean(shallow, own, width, curved)[0])
        upper = _joined(self._halves, k, _mean(-shallow, -own, width, curved)[1], _mean(steep, own, width, curved)[1])
        off = 4 * error
        return middle + lower - off, middle + upper + off, middle

    def _likelihood(self, part: Joint, record: Array, place: float) -> tuple[Array, float]:
        """Returns the log of e^{y/b} W_k(y|x) at these values x, or of its limit, and a bound of its error."""
        centre, b = part.middle + part.slope * (record - part.centre), self._scale
        if isinf(place):
            found = centre / b + (part.inner / b) ** 2 / 2 - log(2 * b)
            return found, 16 * UNIT * float(np.abs(found).max() + 1)
        away = np.abs(place - centre) / b
        found = log_density(away, part.inner / b) - log(b) + place / b
        off = log_density_error(away, part.inner / b) + 8 * UNIT * (np.abs(centre) + place) / b
        return found, float(off.max() + 16 * UNIT * (1 + np.abs(found).max() + (part.inner / b) ** 2))


def _log_mass(low: Array, high: Array) -> Array:
    """Returns the log of a standard normal variable's probability between `low` and `high`, from the nearer tail."""
    flipped = low > 0
    low, high = np.where(flipped, -high, low), np.where(flipped, -low, high)
    end = log_ndtr(high)
    return np.asarray(end + np.log(-np.expm1(log_ndtr(low) - end)))


def _joined(halves: tuple[Array, Array], k: int, left: Array, right: Array) -> Array:
    return np.asarray(np.logaddexp(halves[0][k] + left, halves[1][k] + right))


def _mean(slope: Array, own: Array, width: Array, curved: Array) -> tuple[Array, Array]:
    """Bounds the log of the mean of e^{slope·d} over d from 0 to `width`, of density ∝ e^{own·d - d²/2σ²}.

    e^{-d²/2σ²} falls from 1 to `curved`, so that it takes something of the mean less 1, but no more than that share.
    """
    plain = np.expm1(_log_area(own + slope, width) - _log_area(own, width))
    least, most = np.minimum(plain, curved * plain), np.maximum(plain, curved * plain)
    return np.log1p(least), np.log1p(most)


def _log_area(slope: Array, width: Array) -> Array:
    """Returns the log of ∫ e^{slope·d} dd from 0 to `width`, over `width`."""
    turns = np.abs(slope * width)
    safe = np.where(turns > 0, turns, 1.0)
    found = np.where(turns > 1e-8, np.log(-np.expm1(-safe) / safe), -turns / 2)
    return np.asarray(found + np.maximum(slope * width, 0.0))


def _total(logs: Array) -> float:
    return float(np.logaddexp.reduce(logs))


def _divergence(one: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[float, float]:
    """Bounds Σ P log(P/Q), P and Q known by logs from below and above; their sums need not be 1."""
    (low, high), (least, most) = one, other
    upper = np.maximum(np.exp(low) * (low - least), np.exp(high) * (high - least))
    ends = np.minimum(np.exp(low) * (low - most), np.exp(high) * (high - most))
    # P log(P/Q) is least at P = Q/e.
    inside = (low < most - 1) & (most - 1 < high)
    lower = np.where(inside, -np.exp(most - 1), ends)
    return float(lower.sum()), float(upper.sum())
