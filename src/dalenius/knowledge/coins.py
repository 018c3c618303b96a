"""Independent sums, however they are chosen, bounded by the coins that each of them contains (Result 7.13).

Let an adversary choose independent terms of a sum, each from a list of laws, and let law R be a mixture of shifted sums
of *coins*, which are draws from a few base laws B:

    R = w(0) (anything) + sum over k, y of w(k, y) (y + k_1 draws of B_1 + k_2 draws of B_2 ..).

Tell the adversary k and y of every term. Neither depends on the secret, so that the δ of the sum is at most the mean of
δ given so many coins. Coins of base B are worth v; with D(β) the largest δ given coins worth β or more, and S what all
of them are worth, δ <= E D(S), and as D falls,

    E D(S) <= D(b) + A E e^{-λS},    A = max over β < b of (D(β) - D(b)) e^{λβ}.

E e^{-λS} is a product over the terms: the worst choice of terms is a linear programme, whatever their number.

A term that is 0, 1 or 2 with chances .25, .5 and .25 is two fair coins; one of .5, .25 and .25 contains one coin on
average:

>>> fair = Coins((np.array([0.5, 0.5]),), (1.0,))
>>> [round(fair.contained(np.array(law)).mean, 6) for law in ([0.25, 0.5, 0.25], [0.5, 0.25, 0.25])]
[2.0, 1.0]
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import ceil
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray

# Mass that is cut off at either end of a law of coins and counted into δ.
LOST: Final = 1e-18
# Relative roundings of a law that is made by sums of products of at most some thousand positive terms.
ROUNDING: Final = 1e-12
# The absolute error that a δ computed here may have.
SLACK: Final = 4 * ROUNDING
# Levels of what coins are worth, from none to what the worst choice contains on average.
_LEVELS: Final = 16
# Parts into which the number of coins of one base is cut, between none and all, by how many bases there are.
_PARTS: Final = {1: 1, 2: 16, 3: 8}
# Views that are looked at closely at once; and how many levels, and parts, a rough look passes over.
_TOGETHER: Final = 32
_ROUGHLY: Final = 4
# The rates λ, per unit of worth of all coins.
_RATES: Final = np.geomspace(0.5, 2000.0, 36)


@final
@dataclass(frozen=True)
class Contained:
    """Coins that one law contains: chances (rows,) of each number of coins, and what these are worth (rows,)."""

    chances: Array
    worths: Array

    @property
    def mean(self) -> float:
        """The worth of the coins on average."""
        return float(self.chances @ self.worths)

    def exponents(self, rates: Array) -> Array:
        """Returns -log E e^{-λ·worth} at each λ of `rates` (rates,), rounded down."""
        rest = max(0.0, 1.0 - float(self.chances.sum()))
        means = rest + np.exp(-np.multiply.outer(rates, self.worths)) @ self.chances
        return np.asarray(np.maximum(0.0, -np.log(np.minimum(1.0, means * (1 + 1e-12)))), dtype=np.float64)


@final
@dataclass(frozen=True)
class Coins:
    """Base laws on 0, 1, .. with positive variance, and what a coin of each is worth."""

    bases: tuple[Array, ...]
    values: tuple[float, ...]
    _laws: dict[tuple[int, ...], Array] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, bases: Sequence[Array]) -> "Coins":
        """Makes coins of these `bases`, laws on 0, 1, .. (points,), that are worth their variance."""
        return cls(tuple(bases), tuple(variance(base) for base in bases))

    def law(self, numbers: tuple[int, ...]) -> Array:
        """Returns the law of the sum of coins, cut off where less than LOST is left at an end.

        Args:
            numbers: How many coins of each base are drawn.
        """
        if numbers not in self._laws:
            found = np.ones(1)
            for base, number in zip(self.bases, numbers, strict=True):
                found = trimmed(np.convolve(found, power(base, number)))
            self._laws[numbers] = found
        return self._laws[numbers]

    def contained(self, law: Array) -> Contained:
        """The coins of a law that are worth most on average, by a linear programme."""
        columns, worths = self._columns(len(law))
        if not columns:
            return Contained(np.zeros(0), np.zeros(0))
        from scipy.optimize import linprog

        matrix, worth = np.array(columns).T, np.array(worths)
        done = linprog(-worth, A_ub=matrix, b_ub=law, method="highs")
        if done.x is None:
            return Contained(np.zeros(0), np.zeros(0))
        chances = np.maximum(done.x, 0.0)
        # So that rounding in the solver takes no more of a point than the law has there.
        made = matrix @ chances
        fits = made > 0
        scale = min(1.0, float(np.min(law[fits] / made[fits], initial=1.0))) * (1 - ROUNDING)
        used = chances > 0
        return Contained(chances[used] * scale, worth[used])

    def _columns(self, length: int) -> tuple[list[Array], list[float]]:
        """Every shifted sum of coins within a box of that length, and its worth."""
        columns, worths = list[Array](), list[float]()
        most = [(length - 1) // (len(base) - 1) for base in self.bases]
        for numbers in product(*(range(each + 1) for each in most)):
            width = sum(number * (len(base) - 1) for number, base in zip(numbers, self.bases, strict=True))
            if not 0 < width < length:
                continue
            law = np.ones(1)
            for number, base in zip(numbers, self.bases, strict=True):
                law = np.convolve(law, power(base, number))
            worth = sum(number * value for number, value in zip(numbers, self.values, strict=True))
            for shift in range(length - width):
                column = np.zeros(length)
                column[shift : shift + width + 1] = law
                columns.append(column)
                worths.append(worth)
        return columns, worths

    def fewest(self, worth: float, parts: int) -> Iterator[tuple[int, ...]]:
        """Yields numbers of coins of each base: every choice worth enough has at least as many of each as one of them.

        Args:
            worth: The least worth of the choices.
            parts: Into how many parts the numbers of a base are cut; more are closer.
        """
        yield from _corners(worth * (1 - 1e-12), self.values, parts)


def _corners(worth: float, values: Sequence[float], parts: int) -> Iterator[tuple[int, ...]]:
    """Numbers of coins below all that are worth so much; those of all bases but the last go in steps."""
    value, rest = values[0], values[1:]
    most = max(0, ceil(worth / value - 1e-9))
    if not rest:
        yield (most,)
        return
    step = max(1, -(-most // parts))
    for first in range(0, most, step):
        # Among choices with this many coins, up to the next part, the others have at least the rest.
        last = min(first + step, most) - 1
        for others in _corners(max(0.0, worth - value * last), rest, parts):
            yield (first, *others)
    yield (most, *(0 for _ in rest))


@final
class Views:
    """Views of an adversary beside the terms: each has the laws of one answer given either secret.

    first, second (views, box): their masses from a common least answer on; shifts (views,): nats to take off ε, for
    what else a view tells of the secret.
    """

    def __init__(self, first: Array, second: Array, shifts: Array | None = None) -> None:
        self._first, self._second = first, second
        self._shifts = np.zeros(len(first)) if shifts is None else shifts

    def __len__(self) -> int:
        return len(self._first)

    def some(self, views: IntArray) -> "Views":
        """These views alone."""
        return Views(self._first[views], self._second[views], self._shifts[views])

    def beside(self, place: int, rests: Array) -> "Views":
        """Makes a view of the one at `place` for each law of `rests` (views, sums), which is added to it."""
        # So that answers that neither value has take no time.
        width = int(np.flatnonzero(self._first[place] + self._second[place]).max()) + 1
        one, other = (_shifted(rests, law[place, :width]) for law in (self._first, self._second))
        return Views(one, other, np.full(len(rests), self._shifts[place]))

    def deltas(self, epsilon: float | Array, rest: Array) -> Array:
        """Bounds δ(epsilon) of each view, both ways, from above (views,).

        Args:
            epsilon: ε in nats: one for all, or one for each view (views,).
            rest: The law of all else in the answer (sums,).
        """
        return self.with_rest(rest)(epsilon)

    def with_rest(self, rest: Array) -> Callable[[float | Array], Array]:
        """Returns `deltas` as a function of ε, where `rest` is the law of all else in the answer (sums,)."""
        ahead, behind = _shifted(self._first, rest), _shifted(self._second, rest)
        return lambda epsilon: _deltas(ahead, behind, np.minimum(epsilon - self._shifts, 700.0))


@final
@dataclass(frozen=True)
class WorstTerms:
    """Bounds of δ over every choice of terms.

    coins: of which terms are made; views: beside which they stand; kinds (views,): which exponents a view has;
    exponents (kinds, rates): the least -log E e^{-λS} over all choices at every rate of `rates`; worth: S on average
    in the worst choice.
    """

    coins: Coins
    views: Views
    kinds: IntArray
    exponents: Array
    worth: float

    def some(self, views: IntArray) -> "WorstTerms":
        """Returns the bounds of these `views` alone, by number."""
        return WorstTerms(self.coins, self.views.some(views), self.kinds[views], self.exponents, self.worth)

    def each(self, epsilon: float, noise: Array, most: float) -> Array:
        """Bounds δ of each view from above, over all choices of terms (views,).

        Args:
            epsilon: ε, in nats.
            noise: A law that is in every answer (sums,).
            most: A δ; bounds that are below it are rough.
        """
        if self.worth <= 0:
            return self.views.deltas(epsilon, noise)
        found = self._each(np.arange(len(self.views)), epsilon, noise, _ROUGHLY)
        for some in np.array_split(close := np.flatnonzero(found > most), len(close) // _TOGETHER + 1):
            found[some] = np.minimum(found[some], self._each(some, epsilon, noise))
        return found

    @cached_property
    def levels(self) -> Array:
        """Worths at which D is computed, from 0 on."""
        return np.asarray(self.worth * np.linspace(0.0, 1.0, _LEVELS + 1) * (1 - 1e-9), dtype=np.float64)

    def delta(self, epsilon: float, noise: Array, compared: float | None = None) -> float:
        """Bounds the largest δ over all views and choices from above.

        Args:
            epsilon: ε, in nats.
            noise: A law that is in every answer (sums,).
            compared: A δ that the result is only compared with; None for the bound itself.
        """
        if self.worth <= 0:
            return float(self.views.deltas(epsilon, noise).max(initial=0.0))
        everything = np.arange(len(self.views))
        if len(everything) <= _TOGETHER:
            return float(self._each(everything, epsilon, noise).max(initial=0.0))
        # Few of very many views are the worst: those that a rough bound does not rule out are looked at closely.
        rough = self._each(everything, epsilon, noise, _ROUGHLY)
        order, found = np.argsort(-rough), 0.0
        for start in range(0, len(order), _TOGETHER):
            now = order[start : start + _TOGETHER]
            now = now[rough[now] > max(found, compared or 0.0)]
            if not len(now) or (compared is not None and found > compared):
                break
            found = max(found, float(np.minimum(rough[now], self._each(now, epsilon, noise)).max()))
        return found if compared is None else max(found, min(compared, float(rough.max())))

    def _each(self, views: IntArray, epsilon: float, noise: Array, every: int = 1) -> Array:
        """The bound of each of these views; every: how many levels are passed over each time."""
        levels = self.levels[::every]
        some = self.views.some(views)
        parts = max(1, 2 * _PARTS[len(self.coins.bases)] // (every + 1))
        made = np.zeros((len(views), len(levels)))
        for place, level in enumerate(levels):
            for numbers in self.coins.fewest(float(level), parts):
                rest = trimmed(np.convolve(self.coins.law(numbers), noise))
                made[:, place] = np.maximum(made[:, place], some.deltas(epsilon, rest))
        # D falls; where cells of numbers of coins say less at a higher level, the level below says as much.
        return self._mean(np.minimum.accumulate(made, axis=1), levels, self.kinds[views])

    def _mean(self, given: Array, levels: Array, kinds: IntArray) -> Array:
        """E D(S) of each view, at most: the best level b and rate λ. given (views, levels): D."""
        rates = rates_for(self.worth)
        best = given[:, 0].copy()
        factor = np.exp(-self.exponents)[kinds]
        for level in range(1, given.shape[1]):
            excess = given[:, :level] - given[:, level : level + 1]
            # Coins worth between two levels are as bad as at the lower one; e^{-λS} is the least at the upper one.
            grown = np.exp(np.minimum(np.multiply.outer(levels[1 : level + 1], rates), 690.0))
            most = np.max(excess[:, :, None] * grown[None], axis=1)
            best = np.minimum(best, np.min(given[:, level : level + 1] + most * factor, axis=1))
        return np.asarray(best * (1 + 1e-9), dtype=np.float64)


def _deltas(ahead: Array, behind: Array, epsilons: Array) -> Array:
    """Row by row the larger δ of the two orders, rounded up."""
    factor = np.exp(epsilons)[:, None]
    one = np.maximum(ahead - factor * behind, 0.0).sum(axis=1)
    other = np.maximum(behind - factor * ahead, 0.0).sum(axis=1)
    # Roundings, and all that was cut off at the ends of laws, which is less than 1e-14.
    return np.asarray(np.minimum(1.0, np.maximum(one, other) + SLACK), dtype=np.float64)


def rates_for(worth: float) -> Array:
    """Returns the rates λ at which exponents are asked for.

    Args:
        worth: The mean worth of all coins in the worst choice; the rates fall as it grows.
    """
    return np.asarray(_RATES / worth if worth > 0 else _RATES, dtype=np.float64)


def variance(law: Array) -> float:
    """The variance of a law on 0, 1, .."""
    places = np.arange(len(law))
    mean = float(law @ places)
    return float(law @ (places - mean) ** 2)


def power(law: Array, number: int) -> Array:
    """Returns the law of the sum of independent draws, cut off where less than LOST is left at an end.

    Args:
        law: The law of one draw, on 0, 1, .. (points,).
        number: How many draws there are.
    """
    found, square = np.ones(1), law
    while number:
        if number & 1:
            found = trimmed(np.convolve(found, square))
        number >>= 1
        if number:
            square = trimmed(np.convolve(square, square))
    return found


def trimmed(law: Array) -> Array:
    """The law without ends of mass below LOST/64; where it begins does not matter to δ."""
    if len(law) < 40:
        return law
    low = int(np.searchsorted(np.cumsum(law), LOST / 64))
    high = len(law) - int(np.searchsorted(np.cumsum(law[::-1]), LOST / 64))
    return np.asarray(law[low:high])


def _shifted(rows: Array, law: Array) -> Array:
    """Every row convolved with the law."""
    if len(law) == 1:
        return np.asarray(rows * law[0])
    width, length = rows.shape[1], len(law)
    if width <= length:
        matrix = np.zeros((width, width + length - 1))
        for place in range(width):
            matrix[place, place : place + length] = law
        return np.asarray(rows @ matrix, dtype=np.float64)
    found = np.zeros((len(rows), width + length - 1))
    for place, mass in enumerate(law):
        found[:, place : place + width] += mass * rows
    return found
