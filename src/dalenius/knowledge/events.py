"""Distinguishing events: S = {y: W(y|one) > e^ε W(y|other)} of two secrets at ε, as intervals in the query's unit."""

from math import inf
from sys import float_info
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalenius.channel import Likelihoods
from dalenius.laws.integrals.functionals import between
from dalenius.laws.integrals.profile import leads
from dalenius.laws.law import Array, Law
from dalenius.roots import brentq

Interval: TypeAlias = tuple[float, float]


def region(channel: Likelihoods, one: int, other: int, epsilon: float) -> tuple[Interval, ...] | None:
    """Ends included, where outputs are lattice points; None for several answers and for other noises than Laplace's,
    geometric and none."""
    noise = channel.noise
    if channel.lattice.axes > 1 or not (noise.exponential or noise.adds_nothing):
        return None
    if noise.adds_nothing:
        return _of_points(channel, one, other, epsilon)
    # Beyond the box all likelihoods fall at the same rate.
    return _opened(channel, (_of_points if noise.needs_lattice else _of_cells)(channel, one, other, epsilon))


def _of_points(channel: Likelihoods, one: int, other: int, epsilon: float) -> tuple[Interval, ...]:
    """Impossible outputs between two outputs of the event do not split an interval."""
    law = channel.likelihood
    leading = leads(law, one, other, min(epsilon, float_info.max))
    possible = np.max(law.relative[[one, other]], axis=0) > -inf
    places = np.flatnonzero(possible)
    return tuple((_named(channel, places[a]), _named(channel, places[b])) for a, b in _runs(leading[possible]))


def _of_cells(channel: Likelihoods, one: int, other: int, epsilon: float) -> tuple[Interval, ...]:
    """Between two lattice points the log-ratio is monotone (Result 3.1): at most one end lies there."""
    law = channel.likelihood
    gaps = law.relative[one] - law.relative[other] - epsilon
    found = []
    for a, b in _runs(gaps > 0):
        low = _named(channel, a if a == 0 else a - 1 + _crossing(channel, law, (one, other), a - 1, epsilon))
        high = _named(channel, b if b == len(gaps) - 1 else b + _crossing(channel, law, (one, other), b, epsilon))
        found.append((low, high))
    return tuple(found)


def _crossing(channel: Likelihoods, law: Law, pair: tuple[int, int], place: int, epsilon: float) -> float:
    """Where in the cell after a lattice point, from 0 to 1, the log-ratio is ε."""
    step = channel.lattice.steps[0]
    decay = float(step) / channel.noise.known_scale()
    rows = list(pair)
    left, right = (law.relative[rows, i : i + 1] + law.base[i] for i in (place, place + 1))

    def gap(fraction: float) -> float:
        return _ratio(between(left, right, decay, fraction)) - epsilon

    return float(brentq(gap, 0.0, 1.0, xtol=1e-12))


def _ratio(logs: Array) -> float:
    return float(logs[0, 0] - logs[1, 0])


def _opened(channel: Likelihoods, found: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """The intervals, those that reach an end of the box extended to infinity."""
    ends = _named(channel, 0), _named(channel, len(channel.likelihood.base) - 1)
    return tuple((-inf if low == ends[0] else low, inf if high == ends[1] else high) for low, high in found)


def _named(channel: Likelihoods, place: float) -> float:
    """A place in the box, in the query's unit."""
    return float(channel.lattice.steps[0]) * (float(place) + channel.likelihood.start[0])


def _runs(leading: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last index of each run of True."""
    edges = np.diff(np.concatenate([[0], leading.astype(np.int8), [0]]))
    return [(int(a), int(b)) for a, b in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1, strict=True)]
