"""Exact draws, with no floating point near the secret.

Discrete Laplace and Gaussian noise are drawn by opendp's integer samplers, tables of probabilities by whole numbers.
Noise of the reals is rounded to the nearest point of a fine lattice that contains the answers' own. The output is a
function of the noised answer. So every leakage that obeys data processing is at most that over the reals (Result 3.6).
"""

import secrets
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Final

from dalenius.bounds import float_up
from dalenius.errors import InputError
from dalenius.noise.limits import LARGEST_DRAW

FINENESS: Final = 2**50
"""Parts of the scale in a step of the lattice: so many that the leakage differs from that over the reals in no printed
digit, and the samplers' 64-bit integers hold a thousand scales."""


def with_discrete_laplace(values: Sequence[int], scale: Fraction) -> list[int]:
    """Adds independent integers k of mass proportional to e^{-|k|/scale'} to the values.

    scale' >= scale is the next double: rounded up, a little more noise and never less. InputError where 64-bit integers
    could not hold the result.
    """
    _check_room(values, scale)
    measurement = _discrete_laplace(float_up(scale))
    return [int(value) for value in measurement([int(value) for value in values])]


def with_discrete_gaussian(values: Sequence[int], scale: Fraction) -> list[int]:
    """Adds independent integers k of mass proportional to e^{-k²/2scale'²} to the values.

    scale' >= scale is the next double. InputError where 64-bit integers could not hold the result.
    """
    _check_room(values, scale)
    measurement = _discrete_gaussian(float_up(scale))
    return [int(value) for value in measurement([int(value) for value in values])]


_FARTHEST: Final = 1000
"""Scales beyond which no draw is: a chance of e^-1000."""


def _check_room(values: Sequence[int], scale: Fraction) -> None:
    """Raises InputError where 64-bit integers could not hold these values with noise of that scale."""
    if max(abs(value) for value in values) + _FARTHEST * scale >= LARGEST_DRAW:
        wanted = f"answers and noise below 2^62 lattice steps (limit {LARGEST_DRAW.name})"
        raise InputError("noise.scale", str(float(scale)), wanted)


def drawn_place(weights: Sequence[Fraction]) -> int:
    """Draws a place with probability in proportion to those weights: a whole number below their sum picks it."""
    unit = lcm(*(weight.denominator for weight in weights))
    # The case of weights .25, .5, .25: 0 is the first place, 1 and 2 the second, 3 the third.
    left = secrets.randbelow(int(sum(weights) * unit))
    for place, weight in enumerate(weights):
        left -= int(weight * unit)
        if left < 0:
            return place
    raise AssertionError("a number below the sum of the weights lies below one of the partial sums")


def _discrete_laplace(scale: float) -> Any:
    """Adds whole numbers k of mass proportional to e^{-|k|/scale} to a list of integers."""
    return _discrete("make_laplace", "l1_distance", "i64", scale)


def _discrete_gaussian(scale: float) -> Any:
    """Adds whole numbers k of mass proportional to e^{-k²/2scale²} to a list of integers."""
    return _discrete("make_gaussian", "l2_distance", "f64", scale)


def _discrete(make: str, distance: str, kind: str, scale: float) -> Any:
    # Because only a release needs it, parts are imported, and here: all of it takes seconds, and scikit-learn's memory.
    from opendp import measurements, metrics
    from opendp.domains import atom_domain, vector_domain
    from opendp.mod import enable_features

    enable_features("contrib")
    metric = getattr(metrics, distance)(T=kind)
    return getattr(measurements, make)(vector_domain(atom_domain(T="i64")), metric, scale=scale)


def on_fine_lattice(
    answer: Sequence[int], steps: Sequence[Fraction], scale: float, rounded: Callable[[Fraction], int]
) -> tuple[Fraction, ...]:
    """Noises and rounds each coordinate to a lattice at least FINENESS times finer than the scale.

    Args:
        answer: The exact answer, one whole number of lattice steps for each coordinate.
        steps: The lattice step of each coordinate, in the query's unit.
        scale: The noise's scale, in the query's unit.
        rounded: Draws the rounded noise, by its scale in the fine lattice's steps.
    """
    drawn = []
    for index, step in zip(answer, steps, strict=True):
        fine = step / fine_parts(step, scale)
        drawn.append(index * step + rounded(Fraction(scale) / fine) * fine)
    return tuple(drawn)


def fine_parts(step: Fraction, scale: float) -> int:
    """Returns into how many parts a step is cut for a lattice FINENESS times finer than the scale: a power of 2."""
    parts = 1
    # The case of a count: with a scale of 1 it is cut into 2^50 parts, with a scale of 2^60 not at all.
    while step / parts > Fraction(scale) / FINENESS:
        parts *= 2
    return parts


def rounded_laplace(scale: Fraction) -> int:
    """Draws the whole number next to a real one of density proportional to e^{-|x|/scale'}.

    scale' >= scale is the next double. ⌊2|x|⌋ has mass proportional to e^{-k/2scale'}, k = 0, 1, ..: so has a discrete
    Laplace number that is not negative.
    """
    _check_room([0], scale)
    return _nearest(_not_negative(_discrete_laplace(2 * float_up(scale))))


def rounded_gaussian(scale: Fraction) -> int:
    """Draws the whole number next to a normal one whose deviation is scale' >= scale, the next double.

    k + t, t uniform in [0, 1), has the density of 2|x| where k is a discrete Gaussian number that is not negative and
    the pair is kept with probability e^{-t(2k+t)/8scale'²}; k is then ⌊2|x|⌋.
    """
    _check_room([0], scale)
    doubled = 2 * float_up(scale)
    measurement, twice_variance = _discrete_gaussian(doubled), 2 * Fraction(doubled) ** 2
    halves = _not_negative(measurement)
    while not _is_kept(halves, twice_variance):
        halves = _not_negative(measurement)
    return _nearest(halves)


def _is_kept(halves: int, twice_variance: Fraction) -> bool:
    """Returns True with probability E e^{-γ}, γ = t(2·halves + t)/twice_variance at most 1, t uniform in [0, 1).

    It draws whole numbers only. In trials that succeed with probability γ, γ/2, γ/3, .. the first that fails has an
    odd number with probability e^{-γ} (Canonne, Kamath and Steinke 2020). The only use of t is whether uniform
    numbers are below it: after m that were, the next is with probability (m+1)/(m+2), the integral of t^{m+1} over
    that of t^m.
    """
    below, trial = 0, 1
    while True:
        # Because γ/trial is the probability that one uniform number is below t, and another below (2·halves + t)/room.
        if secrets.randbelow(below + 2) > below:
            break
        below += 1
        room = twice_variance * trial
        place = Fraction(secrets.randbelow(room.numerator), room.denominator)
        if place >= 2 * halves + 1:
            break
        if place >= 2 * halves:
            if secrets.randbelow(below + 2) > below:
                break
            below += 1
        trial += 1
    return trial % 2 == 1


def _not_negative(measurement: Any) -> int:
    """Draws one of the measurement's numbers that are not negative, by itself."""
    found = -1
    # Because a number below 0 says nothing of the magnitude of one that is not, half of the draws are kept.
    while found < 0:
        (found,) = measurement([0])
    return int(found)


def _nearest(halves: int) -> int:
    """Returns the whole number next to ±|x|, either sign as likely, of halves = ⌊2|x|⌋."""
    return (halves + 1) // 2 * secrets.choice((-1, 1))
