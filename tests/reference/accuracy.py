"""Pr[an output is α or more from its exact answer], by mpmath and by listing outputs."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

from mpmath import mp, mpf


def laplace(distance: float, scale: float) -> mpf:
    return 2 * mp.quad(lambda x: mp.exp(-x / mpf(scale)) / (2 * mpf(scale)), [distance, distance + 20 * scale, mp.inf])


def gaussian(distance: float, deviation: float) -> mpf:
    return mp.erfc(mpf(distance) / (mpf(deviation) * mp.sqrt(2)))


def geometric_masses(decay: float, most: int) -> list[mpf]:
    """Pr[|k|] for 0 .. most."""
    a = mp.exp(-mpf(decay))
    return [(1 - a) / (1 + a) * (1 if k == 0 else 2 * a**k) for k in range(most + 1)]


def geometric(steps: int, decay: float) -> mpf:
    return 1 - sum(geometric_masses(decay, steps - 1), mpf(0))


def sum_of_geometric(count: int, steps: int, decay: float) -> mpf:
    """Of `count` absolute values, by listing all that stay below."""
    masses = geometric_masses(decay, steps)
    below = (each for each in product(range(steps), repeat=count) if sum(each) < steps)
    return 1 - mp.fsum(mp.fprod(masses[k] for k in each) for each in below)


def worst(rows: Mapping[int, Mapping[int, Fraction]], distance: int) -> Fraction:
    """Over the answers, of outputs with those probabilities."""
    return max(
        sum((chance for output, chance in law.items() if abs(output - answer) >= distance), Fraction(0))
        for answer, law in rows.items()
    )


def any_of(chances: Sequence[mpf]) -> mpf:
    return 1 - mp.fprod(1 - each for each in chances)
