"""Numbers with twice the digits of extended numbers, for powers of matrices that are multiplied a million times.

A relative error of an entry grows with the exponent. Two numbers hi + lo keep some 38 digits (Dekker 1971; Knuth's
sums): what a million products lose of them is far below the rounding of the result. A complex matrix is kept as the
real one that turns and stretches pairs (re, im) as it does.

Thirds add up to one again:

>>> third = Doubled.of(np.ones(1)).over(np.full(1, 3.0, dtype=np.longdouble))
>>> total = third.plus(third).plus(third)
>>> float(total.hi[0] - 1 + total.lo[0])
0.0
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any, Final, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.joints.extended_precision import ComplexLong, Long, long

_SPLIT: Final = np.longdouble(2) ** ((np.finfo(np.longdouble).nmant + 2) // 2) + 1
"""Divides a number into two of half its digits each."""
_TERMS: Final = 20
"""Terms of the exponential series, for numbers below _SMALL."""
_SMALL: Final = 0.03
"""Largest size for which so few terms are exact to all digits."""
_TURN: Final = "6.28318530717958647692528676655900576839433879875021164194988918"


@final
@dataclass(frozen=True, eq=False)
class Doubled:
    """Real numbers hi + lo, lo being below half a rounding of hi."""

    hi: Long
    lo: Long

    @classmethod
    def of(cls, numbers: Any) -> "Doubled":
        """Returns exact `numbers`."""
        hi = long(numbers)
        return cls(hi, np.zeros_like(hi))

    def __getitem__(self, key: Any) -> "Doubled":
        return Doubled(self.hi[key], self.lo[key])

    def plus(self, other: "Doubled") -> "Doubled":
        total = self.hi + other.hi
        own = total - self.hi
        rest = (self.hi - (total - own)) + (other.hi - own) + (self.lo + other.lo)
        return _joined(total, rest)

    def times(self, other: "Doubled") -> "Doubled":
        product = self.hi * other.hi
        return _joined(product, _rest(self.hi, other.hi, product) + (self.hi * other.lo + self.lo * other.hi))

    def negative(self) -> "Doubled":
        return Doubled(-self.hi, -self.lo)

    def over(self, divisor: Long) -> "Doubled":
        """Returns the quotient by an exact `divisor`."""
        quotient = self.hi / divisor
        product = quotient * divisor
        rest = ((self.hi - product) - _rest(quotient, divisor, product) + self.lo) / divisor
        return _joined(quotient, rest)

    def __matmul__(self, other: "Doubled") -> "Doubled":
        """Returns the products of matrices (.., m, m)."""
        found: Doubled | None = None
        for inner in range(self.hi.shape[-1]):
            product = self[..., :, inner, None].times(other[..., None, inner, :])
            found = product if found is None else found.plus(product)
        assert found is not None
        return found


def _joined(total: Long, rest: Long) -> Doubled:
    hi = total + rest
    return Doubled(hi, rest - (hi - total))


def _rest(one: Long, other: Long, product: Long) -> Long:
    """Returns by how much the exact product is above the rounded one."""
    (a, b), (c, d) = _halves(one), _halves(other)
    return np.asarray(((a * c - product) + a * d + b * c) + b * d)


def _halves(number: Long) -> tuple[Long, Long]:
    scaled = _SPLIT * number
    high = scaled - (scaled - number)
    return high, number - high


def complex_matrices(real: Doubled, imaginary: Doubled) -> Doubled:
    """Returns the complex matrices real + i·imaginary (.., k, k) as real ones (.., 2k, 2k)."""
    parts = [
        np.concatenate([np.concatenate([re, -im], axis=-1), np.concatenate([im, re], axis=-1)], axis=-2)
        for re, im in ((real.hi, imaginary.hi), (real.lo, imaginary.lo))
    ]
    return Doubled(*parts)


def rounded(matrices: Doubled) -> ComplexLong:
    """Returns complex matrices (.., k, k) from real ones (.., 2k, 2k), in extended precision."""
    states = matrices.hi.shape[-1] // 2
    return np.asarray(matrices.hi[..., :states, :states] + np.clongdouble(1j) * matrices.hi[..., states:, :states])


def exponential(number: Doubled) -> Doubled:
    """Returns e^number."""
    size, halvings = float(np.max(np.abs(number.hi), initial=0.0)), 0
    while size > _SMALL:
        size, halvings = size / 2, halvings + 1
    # Because division by a power of 2 is exact.
    own = Doubled(number.hi / 2**halvings, number.lo / 2**halvings)
    found = one = Doubled.of(np.ones_like(own.hi))
    for term in range(_TERMS, 0, -1):
        found = one.plus(found.times(own).over(np.full_like(own.hi, term)))
    for _ in range(halvings):
        found = found.times(found)
    return found


def turned_pairs(steps: IntArray, points: int) -> tuple[Doubled, Doubled]:
    """Returns the real and imaginary parts of e^{2πi·steps/points}.

    Args:
        steps: Whole numbers, of any shape.
        points: How many make a whole turn.
    """
    with localcontext() as context:
        context.prec = 60
        turn = _exact(Decimal(_TURN))
    # Because quarters of a quarter turn need no digits of a whole one: angles lie between -π and π.
    near = (steps + points // 2) % points - points // 2
    angle = Doubled(*(np.broadcast_to(part, near.shape) for part in (turn.hi, turn.lo)))
    angle = angle.times(Doubled.of(near)).over(np.full(near.shape, points, dtype=np.longdouble))
    small, halvings = angle, 0
    while float(np.max(np.abs(small.hi), initial=0.0)) > _SMALL:
        small, halvings = Doubled(small.hi / 2, small.lo / 2), halvings + 1
    re = one = Doubled.of(np.ones_like(angle.hi))
    im = zero = Doubled.of(np.zeros_like(angle.hi))
    for term in range(_TERMS, 0, -1):
        divisor = np.full_like(angle.hi, term)
        re, im = one.plus(im.times(small).over(divisor).negative()), zero.plus(re.times(small).over(divisor))
    for _ in range(halvings):
        re, im = re.times(re).plus(im.times(im).negative()), re.times(im).plus(re.times(im))
    return re, im


def _exact(number: Decimal) -> Doubled:
    """Returns `number`, to all digits of both parts."""
    parts = [np.longdouble(0)] * 5
    for place in range(5):
        parts[place] = np.longdouble(float(number))
        number -= Decimal(float(number))
    found = Doubled.of(parts[0])
    for part in parts[1:]:
        found = found.plus(Doubled.of(part))
    return found
