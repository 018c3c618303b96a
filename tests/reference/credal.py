"""The laws of a box, on a grid."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product


def grid(lower: Sequence[Fraction], upper: Sequence[Fraction], steps: int) -> list[tuple[Fraction, ...]]:
    """Laws of a box, its ends among them: all but one probability on a grid, that one the rest."""
    found: set[tuple[Fraction, ...]] = set()
    for free in range(len(lower)):
        others = [i for i in range(len(lower)) if i != free]
        choices = [{lower[i] + (upper[i] - lower[i]) * Fraction(k, steps) for k in range(steps + 1)} for i in others]
        for chosen in product(*choices):
            rest = 1 - sum(chosen, Fraction(0))
            if lower[free] <= rest <= upper[free]:
                law = dict(zip(others, chosen, strict=True)) | {free: rest}
                found.add(tuple(law[i] for i in range(len(lower))))
    return sorted(found)
