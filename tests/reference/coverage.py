"""How often an interval holds the exact answer, summed over all outputs; and inverted tests, by their definition."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from tests.reference.channel import mp, real
from tests.reference.mechanisms import Rows

Holds = Callable[[Fraction, Fraction], bool]
"""Whether the interval of an output holds an answer."""


def coverage(row: Sequence[Fraction], outputs: Sequence[Fraction], answer: Fraction, holds: Holds) -> Fraction:
    """sum_r K(r | answer) [the interval of r holds the answer]."""
    return sum((p for p, r in zip(row, outputs, strict=True) if holds(r, answer)), Fraction(0))


def not_rejected(rows: Rows, place: int, missed: Fraction) -> list[Fraction]:
    """The answers of which neither Pr[output <= this] nor Pr[output >= this] is at most half of `missed`; those of
    which the lesser is largest, where it is so of all."""
    lesser = {answer: min(sum(row[: place + 1]), sum(row[place:])) for answer, row in rows.items()}
    found = [answer for answer, chance in lesser.items() if 2 * chance > missed]
    return found or [answer for answer, chance in lesser.items() if chance == max(lesser.values())]


def geometric_within(steps: int, scale: Fraction) -> Any:
    """Pr[|k| <= steps] of integers k of mass proportional to e^{-|k|/scale}, added up."""
    a = mp.exp(-1 / real(scale))
    return (1 - a) / (1 + a) * (1 + 2 * sum((a**k for k in range(1, steps + 1)), mp.mpf(0)))
