"""Checked arguments of an estimator, which are public: none may be chosen by looking at the data.

The errors are scikit-learn's too: its tools expect ValueError and TypeError.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Any, Final, Self, final

import numpy as np

from dalenius.arrays import Array
from dalenius.errors import InputError, meant

_MOST_EPSILON: Final = 1e4
_LEAST_EPSILON: Final = 1e-6
_FURTHEST: Final = 1e150
"""Bounds and scales beyond it have squares that are no doubles."""


class BadArgument(InputError, ValueError):
    """An argument is not what was wanted; also the error that scikit-learn's tools expect."""


class BadType(InputError, TypeError):
    """An argument is of another type than was wanted; also the error that scikit-learn's tools expect."""


def whole(name: str, value: object, least: int = 1) -> int:
    """Returns `value` as a whole number of at least `least`; an error shows the argument's `name`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or int(value) < least:
        raise BadArgument(name, value, f"a whole number of at least {least}")
    return int(value)


def positive(name: str, value: object) -> float:
    """Returns `value` as a finite number above 0; an error shows the argument's `name`."""
    good = isinstance(value, Real) and not isinstance(value, bool | np.bool_) and isfinite(float(value))
    if not good or not 0 < float(value) <= _FURTHEST:  # type: ignore[arg-type]
        raise BadArgument(name, value, "a finite number above 0")
    return float(value)  # type: ignore[arg-type]


def nats(value: object) -> float:
    """Returns `value` as an epsilon, in nats, that noise can have."""
    found = positive("epsilon", value)
    if not _LEAST_EPSILON <= found <= _MOST_EPSILON:
        raise BadArgument("epsilon", value, f"nats from {_LEAST_EPSILON:g} to {_MOST_EPSILON:g}")
    return found


def one_of(name: str, value: object, allowed: Sequence[str]) -> str:
    """Returns `value`, which must be one of the words in `allowed`; an error shows the argument's `name`."""
    if not isinstance(value, str) or value not in allowed:
        raise BadArgument(name, value, f"one of {', '.join(allowed)}{meant(value, allowed)}")
    return value


@final
@dataclass(frozen=True, eq=False)
class Box:
    """The public bounds of the columns, to which rows are clipped: lower, upper (d,).

    Ages from 17 to 90 and hours from 1 to 99, on [-1, 1]; a row does not have a say in another's place:

    >>> box = Box.of(([17, 1], [90, 99]), 2)
    >>> box.scaled(np.array([[17.0, 50.0], [120.0, 99.0]])).tolist()
    [[-1.0, 0.0], [1.0, 1.0]]
    """

    lower: Array
    upper: Array

    @classmethod
    def of(cls, bounds: object, axes: int) -> Self:
        """Reads the bounds of so many columns.

        Args:
            bounds: A pair (lower, upper), each one number or one for each column, in the columns' own units.
            axes: The number d of columns.

        Raises:
            BadArgument: `bounds` is no such pair, or a lower bound is not below the upper one.
        """
        wanted = f"(lower, upper), each one number or one for each of the {axes} columns, known without the data"
        try:
            given: Any = bounds
            low, high = given
            ends = [np.broadcast_to(np.asarray(end, dtype=np.float64), (axes,)).copy() for end in (low, high)]
        except (TypeError, ValueError):
            raise BadArgument("bounds", bounds, wanted) from None
        if not all(np.isfinite(end).all() and np.abs(end).max(initial=0.0) <= _FURTHEST for end in ends):
            raise BadArgument("bounds", bounds, "finite numbers")
        for column in np.flatnonzero(~(ends[0] < ends[1])):
            shown = f"{ends[0][column]:g} to {ends[1][column]:g} in column {column + 1}"
            raise BadArgument("bounds", shown, "a lower bound below the upper one")
        return cls(*ends)

    def scaled(self, rows: Array) -> Array:
        """Returns the rows, clipped, on [-1, 1]^d: a function of each number alone."""
        share = (np.clip(rows, self.lower, self.upper) - self.lower) / (self.upper - self.lower)
        return np.clip(2 * share - 1, -1.0, 1.0)

    def back(self, places: Array) -> Array:
        """Returns places of [-1, 1]^d in the data's own units."""
        return np.asarray(self.lower + (places + 1) / 2 * (self.upper - self.lower))


def generator(random_state: Any) -> np.random.Generator:
    """Returns a generator for draws that have no part in the noise, such as centres to begin with.

    Args:
        random_state: A seed of at least 0, a RandomState, or None for a new seed each time.
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(int(random_state.randint(2**31 - 1)))
    good = random_state is None or (isinstance(random_state, Integral) and not isinstance(random_state, bool))
    if not good or (random_state is not None and int(random_state) < 0):
        raise BadArgument("random_state", random_state, "a whole number of at least 0, or None")
    return np.random.default_rng(random_state)
