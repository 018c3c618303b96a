"""The privacy loss of a single answer, as masses on a grid of losses: from above, and how far from the truth.

An answer has the law P on one data set and Q on a neighbour, and its loss is log dP/dQ under P. A mass at a loss x is
split between the grid's points a <= x < b so that the mean of e^{-x} is kept: that never lowers the δ of any
composition (Result 13.4). Masses under P and under Q are taken from closed forms, so that the split itself is exact
but for roundings.

A base answer is known by ℓ = log of one law over the other. In a sample that has the record with the chance q, the loss
is log(1 − q + q e^ℓ), or minus that in the other order.

With Laplace noise of ε = 1 on a grid of 1/2, half of all outputs have the loss 1.

>>> law = losses_of(Ratios(atoms=((1.0, -log(2), -1 - log(2)), (-1.0, -1 - log(2), -log(2))), cells=laplace_cells(1.0),
...     low=-1.0, high=1.0), 1.0, False, 0.5)
>>> law.first, law.masses.round(4).tolist(), law.beyond
(-2, [0.2068, 0.0587, 0.0754, 0.0968, 0.5622], 0.0)
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, expm1, floor, log, log1p, sqrt
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.conversion.limits import MOST_LOSSES
from dalenius.special_functions import log_ndtr

RatioCells: TypeAlias = Callable[[Array], tuple[Array, Array]]
"""A function from the ends of cells of ℓ, rising (n + 1,), to the masses (n,) in them under P and Q, without atoms."""
_LARGEST: Final = 600.0
"""The nats beyond which e^x times a mass is not taken: such a mass is moved up as a whole."""
_MIDDLES: Final = 4001
"""The number of places at which a loss is read, to see how much it varies."""
TAILS: Final = 1e-315
"""A number above both normal tails beyond DEEP."""
DEEP: Final = 38.0
"""Standard deviations beyond which a normal tail is below 1e-315, and counts as an infinite loss."""


@final
@dataclass(frozen=True)
class Ratios:
    """The log-ratio ℓ = log dP/dQ of an answer about a record that is there for sure.

    Attributes:
        atoms: Atoms, each as (ℓ, log mass under P, under Q).
        cells: The masses between atoms; None where there are none.
        low: The least ℓ of the cells.
        high: The largest ℓ of the cells.
        faint: The mass beyond them under P.
        lopsided: Whether P and Q are of different shapes, so that the two orders of them differ.
    """

    atoms: tuple[tuple[float, float, float], ...] = ()
    cells: RatioCells | None = None
    low: float = 0.0
    high: float = 0.0
    faint: float = 0.0
    lopsided: bool = False


@final
@dataclass(frozen=True, eq=False)
class AnswerLosses:
    """The losses of one answer on a grid.

    Attributes:
        first: The place of the first mass: it lies at first · interval nats.
        masses: The masses (n,), one interval apart.
        beyond: The mass at infinity.
        interval: The grid's interval, in nats.
        spread: A bound on the variance of how far a loss was moved.
        drift: A bound on the mean of that.
        raised: The mass that was moved up from below the grid.
    """

    first: int
    masses: Array
    beyond: float
    interval: float
    spread: float
    drift: float
    raised: float = 0.0

    @cached_property
    def logs(self) -> Array:
        """The logs of the masses."""
        with np.errstate(divide="ignore"):
            return np.log(self.masses)

    @cached_property
    def losses(self) -> Array:
        return np.asarray((self.first + np.arange(len(self.masses))) * self.interval)


def laplace_cells(epsilon: float) -> RatioCells:
    """Returns the cells of Laplace noise with loss `epsilon`: between its atoms ℓ has the density e^{(ℓ − ε)/2}/4."""

    def cells(ends: Array) -> tuple[Array, Array]:
        ends = np.clip(ends, -epsilon, epsilon)
        low, high = ends[:-1], ends[1:]
        one = -np.exp((high - epsilon) / 2) * np.expm1((low - high) / 2) / 2
        other = -np.exp((-low - epsilon) / 2) * np.expm1((low - high) / 2) / 2
        return one, other

    return cells


def normal_between(z: Array) -> Array:
    """Returns the masses (n,) of a standard normal law between neighbouring places `z` (n + 1,), which rise."""
    low, high = z[:-1], z[1:]
    # So that each tail keeps its digits, it is taken on the side on which it is small.
    upper = low > 0
    one, other = np.where(upper, -low, high), np.where(upper, -high, low)
    near = np.abs(one - other) < 1e-3
    middle = np.exp(-np.square((one + other) / 2) / 2) / np.sqrt(2 * np.pi)
    # Because a difference of tails next to each other loses digits: the density at the middle, and its curvature.
    width, centre = one - other, (one + other) / 2
    dense = middle * width * (1 + np.square(width) * (np.square(centre) - 1) / 24)
    logs = log_ndtr(one)
    with np.errstate(invalid="ignore"):
        distant = np.exp(logs) * -np.expm1(np.minimum(log_ndtr(other) - logs, 0.0))
    return np.where(near, dense, distant)


def gaussian_cells(mu: float) -> RatioCells:
    """Returns the cells of Gaussian noise that moves by `mu` deviations: ℓ is normal, variance μ² and mean ±μ²/2."""

    def cells(ends: Array) -> tuple[Array, Array]:
        return normal_between(ends / mu - mu / 2), normal_between(ends / mu + mu / 2)

    return cells


def laplace(epsilon: float) -> Ratios:
    """Returns the log-ratios of Laplace noise whose loss is at most `epsilon` nats."""
    half = -log(2)
    return Ratios(
        ((epsilon, half, half - epsilon), (-epsilon, half - epsilon, half)), laplace_cells(epsilon), -epsilon, epsilon
    )


def gaussian(mu: float) -> Ratios:
    """Returns the log-ratios of Gaussian noise that moves by `mu` deviations."""
    end = mu * mu / 2 + DEEP * mu
    return Ratios((), gaussian_cells(mu), -end, end, TAILS)


def discrete_laplace(rate: float, sensitivity: int) -> Ratios:
    """Returns the log-ratios of two-sided geometric noise: an atom for each output between the answers and each side.

    Args:
        rate: a, where the mass of noise z is ∝ e^{−a|z|}.
        sensitivity: How far one record moves the integer answer.
    """
    # The mass ∝ e^{−a|z|} is 1 − e^{−a} over 1 + e^{−a} at 0.
    norm, top = log(-expm1(-rate)) - log1p(exp(-rate)), rate * sensitivity
    tail = -log1p(exp(-rate))
    found = [(top, tail, tail - top), (-top, tail - top, tail)]
    found += [
        (rate * (sensitivity - 2 * z), norm - rate * z, norm - rate * (sensitivity - z)) for z in range(1, sensitivity)
    ]
    return Ratios(tuple(found))


def randomised(noise: float, buckets: int) -> Ratios:
    """Returns the log-ratios of k-ary randomised response between two values.

    Args:
        noise: The chance with which any of all values is said, instead of the true one.
        buckets: k, the number of values.
    """
    truthful, other = log1p(-noise * (buckets - 1) / buckets), log(noise / buckets)
    found = [(truthful - other, truthful, other), (other - truthful, other, truthful)]
    if buckets > 2:
        rest = log(noise * (buckets - 2) / buckets)
        found.append((0.0, rest, rest))
    return Ratios(tuple(found))


def guarantee(epsilon: float, delta: float) -> Ratios:
    """Returns what dominates all (epsilon, delta)-private answers (Murtagh and Vadhan 2018)."""
    one, other = log1p(-delta) - log1p(exp(-epsilon)), log1p(-delta) - epsilon - log1p(exp(-epsilon))
    found = ((epsilon, one, other), (-epsilon, other, one))
    return Ratios(found if epsilon else ((0.0, log1p(-delta), log1p(-delta)),), faint=delta)


def losses_of(ratios: Ratios, share: float, exchanged: bool, interval: float) -> AnswerLosses:
    """Returns the losses, on a grid, of an answer about a sample.

    Args:
        ratios: The log-ratios of the answer about a record that is there for sure.
        share: The chance with which the record is in the sample.
        exchanged: Whether the data set without the record comes first.
        interval: The grid's interval, in nats.
    """
    atoms = np.array([_sampled(each, share, exchanged) for each in ratios.atoms]).reshape(-1, 3)
    ends = sorted(_loss(each, share, exchanged) for each in (ratios.low, ratios.high))
    values = [*atoms[:, 0].tolist(), *(ends if ratios.cells else ())]
    low, high = floor(min(values) / interval) - 1, ceil(max(values) / interval) + 1
    # Because low losses count for next to nothing, they are moved up where the grid would be too long.
    low = max(low, high - MOST_LOSSES)
    masses, moved, rounded = np.zeros(high - low + 1), 0.0, 0.0
    for loss, one, _ in atoms.tolist():
        moved += _split(masses, low, loss, exp(one), interval)
    raised = sum(exp(one) for loss, one, _ in atoms.tolist() if loss < low * interval)
    if ratios.cells is not None:
        split, rounded, below = _split_cells(masses, ratios, share, exchanged, low, interval)
        moved, raised = moved + split, raised + below
    used = np.flatnonzero(masses)
    spread = moved * interval**2 / 4
    # Because a split keeps the mean of e^{−x}, it moves that of x by about half its variance; a mass that is moved up
    # moves by an interval at most.
    drift = spread * exp(min(interval, 700.0)) * 0.75 + interval * (rounded + 1e-9)
    return AnswerLosses(
        low + int(used[0]), masses[used[0] : used[-1] + 1], ratios.faint, interval, spread, drift, raised
    )


def span_of(ratios: Ratios, share: float) -> float:
    """Returns the nats from the least to the largest loss of an answer whose losses end nowhere; 0 for any other.

    A grid is as long as that: the least losses of others may be left out of it.

    Args:
        ratios: The log-ratios of the answer about a record that is there for sure.
        share: The chance with which the record is in the sample.
    """
    if not (ratios.faint and ratios.cells):
        return 0.0
    return _loss(ratios.high, share, False) - _loss(ratios.low, share, False)


def size_of(ratios: Ratios, share: float) -> float:
    """Returns the standard deviation of an answer's loss, in nats, about.

    Args:
        ratios: The log-ratios of the answer about a record that is there for sure.
        share: The chance with which the record is in the sample.
    """
    found = [(loss, exp(one)) for loss, one, _ in (_sampled(each, share, False) for each in ratios.atoms)]
    losses, masses = (np.array([each[place] for each in found]) for place in (0, 1))
    if ratios.cells is not None:
        ends = np.linspace(ratios.low, ratios.high, _MIDDLES)
        one, other = ratios.cells(ends)
        middle = [_loss(each, share, False) for each in ((ends[1:] + ends[:-1]) / 2).tolist()]
        losses = np.append(losses, middle)
        masses = np.append(masses, share * one + (1 - share) * other)
    mean = masses @ losses / masses.sum()
    return sqrt(float(masses @ np.square(losses - mean) / masses.sum()))


def _loss(ratio: float, share: float, exchanged: bool) -> float:
    """Returns log(1 − q + q e^ℓ), or minus that."""
    if share == 1:
        found = ratio
    elif ratio > 30.0:
        found = ratio + log(share) + log1p((1 - share) / share * exp(-ratio))
    else:
        found = log1p(share * expm1(ratio))
    return -found if exchanged else found


def _ratio(losses: Array, share: float, exchanged: bool) -> Array:
    """Returns the ℓ at which the loss is that; -inf where every ℓ has more."""
    given = -losses if exchanged else losses
    if share == 1:
        return given
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = np.log1p(np.maximum(np.expm1(given) / share, -1.0))
        far = given - log(share) + np.log1p(np.exp(-given) * (share - 1))
    return np.where(given > 30.0, far, near)


def _sampled(atom: tuple[float, float, float], share: float, exchanged: bool) -> tuple[float, float, float]:
    """Returns the loss of an atom, and the logs of its masses under the two laws."""
    ratio, one, other = atom
    mixed = other if share == 0 else float(np.logaddexp(log(share) + one, log1p(-share) + other)) if share < 1 else one
    loss = _loss(ratio, share, exchanged)
    return (loss, other, mixed) if exchanged else (loss, mixed, other)


def _split(masses: Array, low: int, loss: float, mass: float, interval: float) -> float:
    """Adds a mass at a loss, and returns the part of it that was not on the grid."""
    place = loss / interval
    near = round(place)
    # Because a loss that is a multiple of the interval is one but for a rounding, which goes upwards.
    if abs(place - near) <= 1e-9 and near * interval >= loss:
        masses[max(near - low, 0)] += mass
        return 0.0
    down = floor(place)
    if down < low:
        masses[0] += mass
        return 0.0
    share = min(max(expm1((down + 1) * interval - loss) / expm1(interval) - 4 * UNIT * (1 + abs(place)), 0.0), 1.0)
    masses[down - low] += mass * share
    masses[down - low + 1] += mass * (1 - share)
    return 4 * mass * share * (1 - share)


def _split_cells(
    masses: Array, ratios: Ratios, share: float, exchanged: bool, low: int, interval: float
) -> tuple[float, float, float]:
    """Adds the masses of the cells, each split between the grid's points.

    Returns the part that was not on the grid, the mass that was moved up to its upper end as a whole, and the mass from
    below the grid.
    """
    assert ratios.cells is not None
    grid = np.asarray((low + np.arange(len(masses))) * interval, dtype=np.float64)
    ends = np.clip(np.nan_to_num(_ratio(grid, share, exchanged), nan=ratios.low), ratios.low, ratios.high)
    # Smaller losses than the grid's count at its first point.
    ends = np.concatenate([[ratios.high], ends])[::-1] if exchanged else np.concatenate([[ratios.low], ends])
    one, other = (each[::-1] if exchanged else each for each in ratios.cells(ends))
    mixed = share * one + (1 - share) * other
    here, there = (other, mixed) if exchanged else (mixed, other)
    masses[0] += here[0]
    below = float(here[0])
    here, there, tops = here[1:], there[1:], grid[1:]
    # So that e^{−x} is kept, the part at the lower end is q − m e^{−b} over e^{−a} − e^{−b}, all times e^b.
    with np.errstate(over="ignore", invalid="ignore"):
        part = (there * np.exp(np.minimum(tops, _LARGEST)) - here) / expm1(min(interval, _LARGEST))
    part = np.where(np.isfinite(part), part, 0.0)
    part = np.clip(part - 16 * UNIT * here * (1 + np.abs(tops)) / expm1(min(interval, _LARGEST)), 0.0, here)
    masses[:-1] += part
    masses[1:] += here - part
    return float(here.sum()), float(here[tops > _LARGEST].sum()), below
