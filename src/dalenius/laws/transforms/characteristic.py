"""The transform whose elements are values at tilted roots of unity: the law of a sum by FFT (Theory §4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray, log_sum
from dalenius.laws.transform import Transform

ComplexArray: TypeAlias = NDArray[np.complex128]
SMALLEST_LOG = -160.0
DIGITS = 32
"""Of the mass of one group: it is taken to the power of as many as there are."""


@final
@dataclass(frozen=True)
class Values:
    """E[e^{(θ+iω)S}] = exp(log_mass + iω·shift + log_values(ω)) at the non-negative frequencies of M points.

    The mass is a fraction and the shift an integer, so that a power of a million loses nothing; what is left,
    log_values, is 0 at ω = 0 and small where it matters. error(ω) bounds the absolute error of log_values.
    """

    log_mass: Fraction
    shift: int
    log_values: ComplexArray
    error: Array


@final
class Evaluations(Transform[Values]):
    """One axis only; scores: (slots,), in lattice steps; `points` (even) is the period M of the circle.

    `circle` remembers e^{iωk} - 1 for the few integers k in use; it may be shared by all tilts of the same M and the
    same frequencies. frequencies: which of 0 .. M/2 are looked at, in order; all where None.
    """

    def __init__(
        self,
        scores: IntArray,
        tilt: float,
        points: int,
        circle: dict[tuple[int, int], ComplexArray],
        frequencies: IntArray | None = None,
    ) -> None:
        self.scores = scores
        self.tilt = tilt
        self.points = points
        self.circle = circle
        self.frequencies = np.arange(points // 2 + 1) if frequencies is None else frequencies

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Values:
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
            # Near 0 the first keeps the digits of a small log, far from it the second those of a small modulus.
            near = real > -0.5
            small = 0.5 * np.log1p(np.where(near, real * (2 + real) + imaginary**2, 0.0))
            log_size = np.where(near, small, np.log(np.hypot(1 + real, imaginary)))
        log_values = log_size + 1j * np.arctan2(imaginary, 1 + real)
        # |e^{iωk} - 1| <= ω|k| bounds what the sums above could round away, next to a sum of size e^{log_size}.
        slope = float(weights @ np.abs(points - centre)) * 2 * np.pi / self.points
        moved = np.minimum(slope * self.frequencies, 2.0)
        error = (len(weights) + 8) * UNIT * moved * np.exp(-np.maximum(log_size, SMALLEST_LOG))
        return Values(_log_mass(log_weights, self.tilt, points), centre, log_values, error)

    def product(self, elements: Sequence[Values], powers: Sequence[int]) -> Values:
        used = [(element, power) for element, power in zip(elements, powers, strict=True) if power > 0]
        log_mass = sum((power * element.log_mass for element, power in used), Fraction(0))
        shift = sum(power * element.shift for element, power in used)
        log_values = np.zeros(len(self.frequencies), dtype=np.complex128)
        error = np.zeros(len(self.frequencies))
        for element, power in used:
            # Part by part: a value of 0 has logarithm -inf, which a complex product would turn into NaN.
            log_values = log_values + (power * element.log_values.real + 1j * (power * element.log_values.imag))
            error = error + power * element.error
        return Values(log_mass, shift, log_values, error + (len(used) + 1) * UNIT * np.abs(log_values))

    def mix(self, log_weights: Array, elements: Sequence[Values]) -> Values:
        # Of masses of e^-1000 only the differences are rounded: a chain mixes as often as it has records.
        most = elements[int(np.argmax([w + float(e.log_mass) for w, e in zip(log_weights, elements, strict=True)]))]
        apart = np.array([float(element.log_mass - most.log_mass) for element in elements])
        masses = log_weights + apart
        log_mass = log_sum(masses)
        weights = np.exp(masses - log_mass)
        rounded = (2 * np.abs(log_weights) + 2 * np.abs(apart) + abs(log_mass) + 8) * UNIT
        shift = elements[int(np.argmax(weights))].shift
        total = np.zeros(len(self.frequencies), dtype=np.complex128)
        error = np.zeros(len(self.frequencies))
        for weight, element, own in zip(weights, elements, rounded, strict=True):
            term = weight * np.exp(element.log_values) * (1 + self._turn(element.shift - shift))
            total += term
            with np.errstate(invalid="ignore", over="ignore"):
                moved = np.abs(term) * (element.error + own)
            # Whatever its error, a mean of points on the circle lies within the circle.
            error += np.fmin(moved, 2 * weight)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            error = np.nan_to_num(error / np.abs(total), nan=np.inf)
            return Values(most.log_mass + Fraction(log_mass), shift, np.log(total), error)

    def _turn(self, k: int) -> ComplexArray:
        key = (self.points, k)
        if key not in self.circle:
            half = half_angles(k, self.points, self.frequencies)  # e^{ix} - 1 without cancellation
            self.circle[key] = -2 * np.sin(half) ** 2 + 1j * np.sin(2 * half)
        return self.circle[key]


def half_angles(step: int, points: int, frequencies: IntArray) -> Array:
    """π·step·frequency/points up to multiples of π, within ±π/2: reduced in integers, as near a whole turn a sine would
    be off by a rounding of π, and that as often as there are groups."""
    whole = step % points * frequencies
    return np.asarray(np.pi * ((whole + points // 2) % points - points // 2) / points)


def _log_mass(log_weights: Array, tilt: float, points: IntArray) -> Fraction:
    """log Σ e^{weight + tilt·point} of these very doubles, to DIGITS digits: of millions of groups the roundings of a
    double would be another factor of the law at every tilt."""
    with localcontext(prec=DIGITS):
        logs = [
            Decimal(weight) + Decimal(tilt) * point
            for weight, point in zip(log_weights.tolist(), points.tolist(), strict=True)
            if weight > -np.inf
        ]
        top = max(logs)
        return Fraction(top + sum((log - top).exp() for log in logs).ln() if len(logs) > 1 else top)


def tilted_law(values: Values, points: int, low: int, frequencies: IntArray | None = None) -> tuple[Array, float]:
    """Masses of the tilted law at low, low+1, .., low+M-1 (indices modulo M), and a bound on their absolute error.

    The error counts the transform's own rounding and that of the values put in; what wraps around, and what other
    frequencies than those looked at would add, is the caller's.
    """
    kept = np.flatnonzero(values.log_values.real > SMALLEST_LOG)
    places = kept if frequencies is None else frequencies[kept]
    turn = 2 * np.pi / points * ((places * ((values.shift - low) % points)) % points)
    spectrum = np.zeros(points // 2 + 1, dtype=np.complex128)
    spectrum[places] = np.exp(values.log_values[kept] + 1j * turn)
    size = np.abs(spectrum)
    masses = np.fft.irfft(np.conj(spectrum), points)
    put_in = 2 * float(np.sum(size[kept] * (np.minimum(values.error[kept], 2.0) + 8 * UNIT))) / points
    dropped = float(np.exp(SMALLEST_LOG))
    own = 4 * UNIT * np.log2(points) * float(np.sqrt(2 * np.sum(size**2))) / np.sqrt(points)
    return masses, put_in + dropped + float(own)
