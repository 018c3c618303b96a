"""Exact draws of discrete Laplace noise: opendp's integer sampler, no floating point near the secret."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf, nextafter
from typing import Any

from dalenius.errors import InputError

LARGEST = 2**62


def with_discrete_laplace(values: Sequence[int], scale: Fraction) -> list[int]:
    """values + independent integers k of mass proportional to e^{-|k|/scale'}, where scale' >= scale is the next
    double (rounded up: a little more noise, never less). InputError where 64-bit integers could not hold the result."""
    furthest = max(abs(value) for value in values) + 1000 * scale
    if furthest >= LARGEST:
        raise InputError("noise.scale", str(float(scale)), "answers and noise below 2^62 lattice steps")
    measurement = _measurement(float_up(scale))
    return [int(value) for value in measurement([int(value) for value in values])]


def float_up(exact: Fraction) -> float:
    """The least double that is not below."""
    near = float(exact)
    return near if Fraction(near) >= exact else nextafter(near, inf)


def _measurement(scale: float) -> Any:
    import opendp.prelude as dp  # 0.9 s to import: only a release needs it

    dp.enable_features("contrib")
    return dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=scale)
