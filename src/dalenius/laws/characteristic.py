"""Transforms of a sum at a tilt (Theory §4): its cumulants, its values on a circle, and bounds on those values.

The cumulants are log E[e^{θS}] and two derivatives. The values at tilted roots of unity give the law by FFT. The
bounds say how fast these values fall, without evaluating them.

A group that adds x with probability p(x) has |φ(ω)|² = 1 - 2 Σ_{x<y} p(x)p(y)(1 - cos ω(y-x)), and log |φ| is at most
(|φ|² - 1)/2. So log |φ(ω)| <= -Σ_d c_d (1 - cos ωd), c_d the sum of p(x)p(y) over any of the pairs at distance d
(Result 20.12). The c_d of independent groups add up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.laws.generating_function_algebra import Average, RowAlgebra, Transform
from dalenius.laws.law import log_sum

ComplexArray: TypeAlias = NDArray[np.complex128]
_SMALLEST_LOG = -160.0
"""Least log that counts, in nats: e^-160 = 3e-70 is nothing beside the roundings of a transform, and no underflow."""
Falls: TypeAlias = Mapping[int, float]
"""The c_d of a sum by distance d >= 1, in lattice steps, rounded down."""
_DISTANCES: Final = 6
"""Number of distances that are kept: those with the largest c_d."""


@final
@dataclass(frozen=True)
class Cumulant:
    """The cumulant K(θ) = log E[e^{θS}], with K'(θ) and K''(θ): log-mass, mean and variance of the tilted law."""

    log_mass: float
    mean: float
    variance: float


@final
class Cumulants(Transform[Cumulant]):
    """The algebra of cumulants on one axis: `scores` (slots,) in lattice steps, `tilt` θ per lattice step.

    A hundred people, each ill with probability .1: tilted by log 9, ill and well weigh the same, so that the tilted
    count is that of a hundred fair coins.

    >>> tilted = Cumulants(np.array([0, 1]), float(np.log(9)))
    >>> person = tilted.mean(np.log([0.9, 0.1]), np.array([0, 1]), np.eye(2, dtype=np.int64))
    >>> count = tilted.product([person], [100])
    >>> round(count.log_mass, 4), round(count.mean, 6), round(count.variance, 6)  # 100 log 1.8, 50 and 25
    (58.7787, 50.0, 25.0)

    Args:
        scores: The score of each slot (slots,), in lattice steps.
        tilt: θ per lattice step.
    """

    def __init__(self, scores: IntArray, tilt: float) -> None:
        self.scores = scores
        self.tilt = tilt

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Cumulant:
        points = (counts @ self.scores[slots]).astype(np.float64)
        tilted = log_weights + self.tilt * points
        log_mass = log_sum(tilted)
        return _moments(log_mass, np.exp(tilted - log_mass), points, np.zeros_like(points))

    def product(self, elements: Sequence[Cumulant], powers: Sequence[int]) -> Cumulant:
        pairs = list(zip(elements, powers, strict=True))
        return Cumulant(
            sum(power * element.log_mass for element, power in pairs),
            sum(power * element.mean for element, power in pairs),
            sum(power * element.variance for element, power in pairs),
        )

    def mix(self, log_weights: Array, elements: Sequence[Cumulant]) -> Cumulant:
        # Because the variance of a mixture is the mean of the variances plus the variance of the means: see `_moments`.
        masses = log_weights + np.array([element.log_mass for element in elements])
        log_mass = log_sum(masses)
        means = np.array([element.mean for element in elements])
        return _moments(log_mass, np.exp(masses - log_mass), means, np.array([e.variance for e in elements]))

    def rows(self) -> "RowAlgebra[Cumulant, _CumulantTable]":
        return _CumulantRows()


@final
@dataclass(frozen=True)
class _CumulantTable:
    """The three numbers of each row's cumulant (rows,)."""

    log_mass: Array
    mean: Array
    variance: Array


@final
class _CumulantRows(RowAlgebra[Cumulant, _CumulantTable]):
    """The operations of `Cumulants` on arrays."""

    def stack(self, elements: Sequence[Cumulant]) -> _CumulantTable:
        numbers = np.array([(each.log_mass, each.mean, each.variance) for each in elements])
        return _CumulantTable(*numbers.T)

    def elements(self, table: _CumulantTable) -> list[Cumulant]:
        rows = zip(table.log_mass.tolist(), table.mean.tolist(), table.variance.tolist(), strict=True)
        return [Cumulant(*row) for row in rows]

    def take(self, table: _CumulantTable, rows: IntArray) -> _CumulantTable:
        return _CumulantTable(table.log_mass[rows], table.mean[rows], table.variance[rows])

    def product(self, tables: Sequence[_CumulantTable], powers: Sequence[int]) -> _CumulantTable:
        pairs = list(zip(tables, powers, strict=True))
        return _CumulantTable(
            np.asarray(sum(power * table.log_mass for table, power in pairs)),
            np.asarray(sum(power * table.mean for table, power in pairs)),
            np.asarray(sum(power * table.variance for table, power in pairs)),
        )

    def mix(self, table: _CumulantTable, average: Average) -> _CumulantTable:
        starts, lengths = average.starts, np.diff(average.starts, append=len(average.states))
        # Because a single state is certain, its weight is 1 up to rounding.
        logs = np.where(np.repeat(lengths == 1, lengths), 0.0, average.log_weights)
        masses = logs + table.log_mass[average.states]
        most = np.maximum.reduceat(masses, starts)
        log_mass = most + np.log(np.add.reduceat(np.exp(masses - np.repeat(most, lengths)), starts))
        weights = np.exp(masses - np.repeat(log_mass, lengths))
        means = table.mean[average.states]
        mean = np.add.reduceat(weights * means, starts)
        spread = table.variance[average.states] + (means - np.repeat(mean, lengths)) ** 2
        return _CumulantTable(log_mass, mean, np.add.reduceat(weights * spread, starts))


def _moments(log_mass: float, weights: Array, means: Array, variances: Array) -> Cumulant:
    """Returns the cumulant of a mixture with these weights, of sum 1, means and variances."""
    mean = float(weights @ means)
    return Cumulant(log_mass, mean, float(weights @ (variances + (means - mean) ** 2)))


@final
@dataclass(frozen=True)
class Values:
    """Values E[e^{(θ+iω)S}] = exp(log_mass + iω·shift + log_values(ω)) at the frequencies of M points.

    The frequencies are non-negative. The mass is a fraction and the shift an integer, so that a power of a million
    loses nothing. The rest, log_values, is 0 at ω = 0 and small where it matters. error(ω) bounds the absolute error
    of log_values.
    """

    log_mass: Fraction
    shift: int
    log_values: ComplexArray
    error: Array


@final
class Evaluations(Transform[Values]):
    """The algebra of values on a circle at one tilt, on one axis.

    `scores` (slots,) are in lattice steps, and `tilt` is θ per step. `points` is the period M of the circle, an even
    number. `circle` remembers e^{iωk} - 1 for the few integers k in use; all tilts of the same M and frequencies may
    share it. `frequencies` says which of 0 .. M/2 are evaluated, in order; all where None.
    """

    def __init__(
        self,
        scores: IntArray,
        tilt: float,
        points: int,
        circle: dict[tuple[int, int], ComplexArray],
        frequencies: IntArray | None = None,
    ) -> None:
        """Sets the frequencies: only some of them for very many people."""
        self.scores = scores
        self.tilt = tilt
        self.points = points
        self.circle = circle
        self.frequencies = np.arange(points // 2 + 1) if frequencies is None else frequencies

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Values:
        """Returns the values of one group: one pass over the frequencies for each of its points on the circle.

        `log_weights` (rows,), `slots` and `counts` (rows, slots) are as in `Transform.mean`.
        """
        # So that e^{iωS} is near 1 where the law has mass, and its log small: about the group's own tilted mean.
        points = counts @ self.scores[slots]
        tilted = log_weights + self.tilt * points
        weights = np.exp(tilted - log_sum(tilted))
        centre = int(np.rint(weights @ points))
        real, imaginary = np.zeros(len(self.frequencies)), np.zeros(len(self.frequencies))
        for weight, point in zip(weights, points, strict=True):
            if weight > 0 and point != centre:
                turned = self._turn(int(point) - centre)
                real += weight * turned.real
                imaginary += weight * turned.imag
        with np.errstate(divide="ignore"):
            # Because near 0 the first keeps the digits of a small log, far from it the second those of a small modulus.
            # Because both expressions of log |φ| have all their digits at a modulus of about 1/2, they meet there.
            near = real > -0.5
            small = 0.5 * np.log1p(np.where(near, real * (2 + real) + imaginary**2, 0.0))
            log_size = np.where(near, small, np.log(np.hypot(1 + real, imaginary)))
        log_values = log_size + 1j * np.arctan2(imaginary, 1 + real)
        # Because |e^{iωk} - 1| <= ω|k|, this bounds the roundings of the sums above, next to a sum of size
        # e^{log_size}.
        slope = float(weights @ np.abs(points - centre)) * 2 * np.pi / self.points
        moved = np.minimum(slope * self.frequencies, 2.0)
        error = (len(weights) + 8) * UNIT * moved * np.exp(-np.maximum(log_size, _SMALLEST_LOG))
        return Values(_log_mass(log_weights, self.tilt, points), centre, log_values, error)

    def product(self, elements: Sequence[Values], powers: Sequence[int]) -> Values:
        """Returns the values of the product of `elements`, each to its power in `powers`.

        Logs add up, and so do their errors, by how often each is used: at 3e8 people a rounding counts 3e8 times.
        """
        used = [(element, power) for element, power in zip(elements, powers, strict=True) if power > 0]
        log_mass = sum((power * element.log_mass for element, power in used), Fraction(0))
        shift = sum(power * element.shift for element, power in used)
        log_values = np.zeros(len(self.frequencies), dtype=np.complex128)
        error = np.zeros(len(self.frequencies))
        for element, power in used:
            # Because a value of 0 has logarithm -inf, which a complex product would turn into NaN: part by part.
            log_values = log_values + (power * element.log_values.real + 1j * (power * element.log_values.imag))
            error = error + power * element.error
        return Values(log_mass, shift, log_values, error + (len(used) + 1) * UNIT * np.abs(log_values))

    def mix(self, log_weights: Array, elements: Sequence[Values]) -> Values:
        """Returns the values of the mixture of `elements` with weights e^{log_weights}.

        The values themselves are added, not their logs. Where they cancel the error grows without bound.
        """
        # So that only differences of masses of e^-1000 are rounded: a chain mixes as often as it has records.
        most = elements[int(np.argmax([w + float(e.log_mass) for w, e in zip(log_weights, elements, strict=True)]))]
        offsets = np.array([float(element.log_mass - most.log_mass) for element in elements])
        masses = log_weights + offsets
        log_mass = log_sum(masses)
        weights = np.exp(masses - log_mass)
        rounded = (2 * np.abs(log_weights) + 2 * np.abs(offsets) + abs(log_mass) + 8) * UNIT
        shift = elements[int(np.argmax(weights))].shift
        total = np.zeros(len(self.frequencies), dtype=np.complex128)
        error = np.zeros(len(self.frequencies))
        for weight, element, own in zip(weights, elements, rounded, strict=True):
            term = weight * np.exp(element.log_values) * (1 + self._turn(element.shift - shift))
            total += term
            with np.errstate(invalid="ignore", over="ignore"):
                moved = np.abs(term) * (element.error + own)
            # Because a mean of points on the circle lies within the circle, whatever its error.
            error += np.fmin(moved, 2 * weight)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            error = np.nan_to_num(error / np.abs(total), nan=np.inf)
            return Values(most.log_mass + Fraction(log_mass), shift, np.log(total), error)

    def _turn(self, k: int) -> ComplexArray:
        key = (self.points, k)
        if key not in self.circle:
            half = _half_angles(k, self.points, self.frequencies)  # e^{ix} - 1 without cancellation
            self.circle[key] = -2 * np.sin(half) ** 2 + 1j * np.sin(2 * half)
        return self.circle[key]


def _half_angles(step: int, points: int, frequencies: IntArray) -> Array:
    """Returns π·step·frequency/points up to multiples of π, within ±π/2.

    In integers, because near a whole turn a sine would be off by a rounding of π for every group.
    """
    turns = step % points * frequencies
    return np.asarray(np.pi * ((turns + points // 2) % points - points // 2) / points)


def _log_mass(log_weights: Array, tilt: float, points: IntArray) -> Fraction:
    """Returns log Σ e^{weight + tilt·point} of these very doubles, to more digits than a double has.

    With millions of groups the roundings of a double would be another factor of the law at every tilt.
    """
    # Because the log-mass of one group is multiplied by the number of groups, it has 32 digits.
    with localcontext(prec=32):
        logs = [
            Decimal(weight) + Decimal(tilt) * point
            for weight, point in zip(log_weights.tolist(), points.tolist(), strict=True)
            if weight > -np.inf
        ]
        top = max(logs)
        return Fraction(top + sum((log - top).exp() for log in logs).ln() if len(logs) > 1 else top)


def tilted_law(values: Values, points: int, low: int, frequencies: IntArray | None = None) -> tuple[Array, float]:
    """Returns the masses of the tilted law at low, low+1, .., low+M-1, and a bound on their absolute error.

    Indices are modulo M. The error counts the transform's own rounding and that of `values`, the transform at the
    `frequencies` of 0 .. M/2 (all where None), M = `points`. The caller counts the mass that wraps around, and the
    share of frequencies that were not evaluated.

    Three fair coins on a circle of 8 points, untilted:

    >>> plain = Evaluations(np.array([0, 1]), 0.0, 8, {})
    >>> coin = plain.mean(np.log([0.5, 0.5]), np.array([0, 1]), np.eye(2, dtype=np.int64))
    >>> tilted_law(plain.product([coin], [3]), 8, 0)[0][:4].round(6).tolist()
    [0.125, 0.375, 0.375, 0.125]
    """
    kept = np.flatnonzero(values.log_values.real > _SMALLEST_LOG)
    places = kept if frequencies is None else frequencies[kept]
    turn = 2 * np.pi / points * ((places * ((values.shift - low) % points)) % points)
    # Because values below e^_SMALLEST_LOG are left out, `dropped` counts them; the caller counts frequencies that were
    # not evaluated.
    spectrum = np.zeros(points // 2 + 1, dtype=np.complex128)
    spectrum[places] = np.exp(values.log_values[kept] + 1j * turn)
    size = np.abs(spectrum)
    masses = np.fft.irfft(np.conj(spectrum), points)
    put_in = 2 * float(np.sum(size[kept] * (np.minimum(values.error[kept], 2.0) + 8 * UNIT))) / points
    dropped = float(np.exp(_SMALLEST_LOG))
    own = 4 * UNIT * np.log2(points) * float(np.sqrt(2 * np.sum(size**2))) / np.sqrt(points)
    return masses, put_in + dropped + float(own)


@final
class Moduli(Transform[Falls]):
    """The algebra of the c_d on one axis: `scores` (slots,) in lattice steps, `tilt` θ per lattice step.

    A fair coin has c_1 = 1/4: log |φ| of a million coins at half a turn is at most -500,000, and that frequency is
    never evaluated.
    """

    def __init__(self, scores: IntArray, tilt: float) -> None:
        self.scores = scores
        self.tilt = tilt

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Falls:
        """Returns the c_d of one group's likeliest pairs, rounded down: weights are lessened by roundings.

        `log_weights` (rows,), `slots` and `counts` (rows, slots) are as in `Transform.mean`.
        """
        points = counts @ self.scores[slots]
        tilted = log_weights + self.tilt * points
        # Because a bound may leave out pairs, only the likeliest values count: ages have a hundred values, and their
        # pairs would cost more than they bound.
        likeliest = np.argsort(-tilted, kind="stable")[:12]
        # Because the log of a tilted mass is known to the roundings of its parts only.
        rounded = (
            16 + 4 * float(np.max(np.abs(tilted[likeliest]), where=tilted[likeliest] > -np.inf, initial=0.0))
        ) * UNIT
        weights = np.exp(tilted[likeliest] - log_sum(tilted) - rounded - len(points) * UNIT)
        found: dict[int, float] = {}
        for place, (weight, point) in enumerate(zip(weights.tolist(), points[likeliest].tolist(), strict=True)):
            for other, elsewhere in zip(weights[:place].tolist(), points[likeliest][:place].tolist(), strict=True):
                if point != elsewhere:
                    distance = abs(point - elsewhere)
                    found[distance] = found.get(distance, 0.0) + weight * other
        return _fewest(found)

    def product(self, elements: Sequence[Falls], powers: Sequence[int]) -> Falls:
        found: dict[int, float] = {}
        for element, power in zip(elements, powers, strict=True):
            for distance, fall in element.items():
                found[distance] = found.get(distance, 0.0) + power * fall
        return _fewest(found)

    def mix(self, log_weights: Array, elements: Sequence[Falls]) -> Falls:
        """Returns the least c_d of the `elements` whose weight in `log_weights` is above 0.

        A mean of numbers is no larger than the largest of them.
        """
        # Because a chain mixes over the neighbour's value, the bound has to hold whichever it is.
        return least_falls([each for weight, each in zip(log_weights, elements, strict=True) if weight > -np.inf])


def least_falls(each: Sequence[Falls]) -> Falls:
    """Returns c_d that bound every sum whose c_d are in `each`: the least of each distance they share."""
    shared = set(each[0]).intersection(*each[1:])
    return {distance: min(own[distance] for own in each) for distance in sorted(shared)}


def log_bound(falls: Falls, points: int, cosines: dict[int, Array]) -> Array:
    """Returns an upper bound of log |φ| at the frequencies 2πk/points, k = 0 .. points/2, from the c_d in `falls`.

    `cosines` remembers 1 - cos of the frequencies, by distance.
    """
    total = np.zeros(points // 2 + 1)
    for distance, fall in falls.items():
        if distance not in cosines:
            cosines[distance] = 2 * np.sin(_half_angles(distance, points, np.arange(points // 2 + 1))) ** 2
        total -= fall * (1 - 64 * UNIT) * cosines[distance]
    return total


def _fewest(found: dict[int, float]) -> Falls:
    """Returns the distances with the largest c_d; leaving out others only weakens the bound."""
    if len(found) <= _DISTANCES:
        return found
    kept = sorted(found, key=lambda distance: (-found[distance], distance))[:_DISTANCES]
    return {distance: found[distance] for distance in kept}
