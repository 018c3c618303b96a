"""Checked arguments: one line names the argument, its value and what was wanted."""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from numbers import Integral, Real
from typing import Any, Final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import Array
from dalenius.noise.sampling import LARGEST

MOST_EPSILON: Final = 1e6
LEAST_EPSILON: Final = 1e-9
MOST_NUMBER: Final = 1e30
LEAST_NUMBER: Final = 1e-30


class BadArgument(InputError, ValueError):
    """An argument is not what was wanted; also the error that scikit-learn's tools expect."""


class BadType(InputError, TypeError):
    """An argument is of another type than was wanted; also the error that scikit-learn's tools expect."""


def whole(name: str, value: object, least: int = 1) -> int:
    """A whole number of at least that."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or int(value) < least:
        raise BadArgument(name, value, f"a whole number of at least {least}")
    return int(value)


def positive(name: str, value: object) -> float:
    """A finite number above 0."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real) or not isfinite(value) or float(value) <= 0:
        raise BadArgument(name, value, "a finite number above 0")
    return float(value)


def moderate(name: str, value: object) -> float:
    """A number above 0 of which doubles hold the products of several, and of their inverses."""
    if not LEAST_NUMBER <= positive(name, value) <= MOST_NUMBER:
        raise BadArgument(name, value, f"a number from {LEAST_NUMBER:g} to {MOST_NUMBER:g}")
    return positive(name, value)


def nats(name: str, value: object) -> float:
    """An ε that noise can have."""
    if not LEAST_EPSILON <= positive(name, value) <= MOST_EPSILON:
        raise BadArgument(name, value, f"nats from {LEAST_EPSILON:g} to {MOST_EPSILON:g}")
    return positive(name, value)


def one_of(name: str, value: object, allowed: Sequence[str]) -> str:
    """One of these words."""
    if not isinstance(value, str) or value not in allowed:
        raise BadArgument(name, value, "one of " + ", ".join(allowed))
    return value


def rows_of(points: Any, name: str = "X") -> Array:
    """Finite numbers, a row a person."""
    found = np.asarray(points, dtype=np.float64)
    if found.ndim != 2 or 0 in found.shape:
        raise BadArgument(name, f"shape {found.shape}", "rows of numbers, one a person")
    if not np.isfinite(found).all():
        row = int(np.argmin(np.isfinite(found).all(axis=1))) + 1
        raise BadArgument(f"{name} row {row}", "NaN or infinity", "finite numbers")
    return np.ascontiguousarray(found)


def enough(k: int, people: int, name: str = "n_clusters") -> None:
    """No more clusters than people."""
    if k > people:
        raise BadArgument(name, k, f"at most the {people} people there are")


def drawable(epsilon: float, scale: Fraction) -> None:
    """Whether noise of that scale, in lattice steps, fits the sampler's integers, with room for all else."""
    share = float(scale * 2000 / LARGEST)
    if share >= 1:
        raise BadArgument("epsilon", epsilon, f"at least {1.01 * epsilon * share:.3g} nats for such rows")
