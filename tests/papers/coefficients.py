"""What DDP §VI-B reads from a pair of records, by its definitions: mpmath, and laws in fractions."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import TypeAlias

from mpmath import mp, mpf

Law: TypeAlias = Mapping[Fraction, Fraction]
Pair: TypeAlias = Mapping[Fraction, Law]
"""The law of D_j given each value of D_i."""


def noisy(law: Law, output: mpf, scale: mpf) -> mpf:
    """The density of D_j with Laplace noise, up to a constant."""
    return mp.fsum(mpf(p.numerator) / p.denominator * mp.exp(-abs(output - _real(d)) / scale) for d, p in law.items())


def worst_ratio(pair: Pair, scale: mpf, outputs: Sequence[mpf] | None = None) -> mpf:
    """Eq 14's left side in logs: the worst over two values of D_i, at the values of D_j, beyond which it is constant
    or monotone; or at given outputs."""
    points = outputs if outputs is not None else [_real(d) for d in {d for law in pair.values() for d in law}]
    return max(
        mp.log(noisy(one, y, scale) / noisy(other, y, scale))
        for one in pair.values()
        for other in pair.values()
        for y in points
    )


def exact(pair: Pair, scale: mpf, width: mpf) -> mpf:
    """ρ of Eq 14."""
    return worst_ratio(pair, scale) * scale / width


def closed(pair: Pair, scale: mpf, width: mpf, ends: Sequence[Fraction]) -> mpf:
    """ρ of Eq 18 with d* an end of the range: the largest over these ends."""
    return max(
        mp.log(mp.fsum(_real(p) * mp.exp(abs(_real(d) - _real(end)) / scale) for d, p in law.items())) * scale / width
        for law in pair.values()
        for end in ends
    )


def closed_far(pair: Pair, scale: mpf, width: mpf, ends: Sequence[Fraction]) -> mpf:
    """ρ of Eq 18 with d* the end that is far from each d."""
    return max(
        mp.log(mp.fsum(_real(p) * mp.exp(max(abs(_real(d - end)) for end in ends) / scale) for d, p in law.items()))
        * scale
        / width
        for law in pair.values()
    )


def drawn(random: Random, values: int = 3, others: int = 4) -> Pair:
    """Some values of D_j impossible given some of D_i; both ends of 0 .. others - 1 occur."""
    pair = {}
    for value in range(values):
        weights = [0 if random.random() < 0.35 else random.randint(1, 9) for _ in range(others)]
        weights[random.randrange(others)] += 1
        weights[0] += value == 0
        weights[-1] += value == 0
        pair[Fraction(value)] = {Fraction(d): Fraction(w, sum(weights)) for d, w in enumerate(weights) if w}
    return pair


def _real(value: Fraction) -> mpf:
    return mpf(value.numerator) / value.denominator
