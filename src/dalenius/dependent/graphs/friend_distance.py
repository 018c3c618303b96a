"""How far friends live apart: DDP Eq 26, after Backstrom, Sun and Marlow 2010."""

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar, Final, final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import Array


@final
@dataclass(frozen=True)
class FriendDistance:
    """Pr[D_j = d | D_i = d′] = a (‖d - d′‖ + b)^{-c}, distances in miles; a > 0, b > 0, c >= 0.

    On a grid of values a law has to sum to 1 from every d′, and no single `a` makes it: `law` normalises over the grid,
    so that `a` is not used there (errata E22).
    c = 0: the friend's place does not matter.
    """

    PAPER: ClassVar["FriendDistance"]

    a: float
    b: float
    c: float

    def __post_init__(self) -> None:
        for key in ("a", "b", "c"):
            value = getattr(self, key)
            least = value >= 0 if key == "c" else value > 0
            if not (isfinite(value) and least):
                raise InputError(
                    key, value, "a finite number of at least 0" if key == "c" else "a finite number above 0"
                )

    def density(self, distances: Array) -> Array:
        """a (distance + b)^{-c} as it is written, not normalised; distances in miles."""
        return np.asarray(self.a * np.exp(-self.c * np.log(_checked(distances) + self.b)))

    def log_law(self, distances: Array, weights: Array | None = None) -> Array:
        """Natural logs of `law`; -inf where a value's weight is 0."""
        logs = -self.c * np.log(_checked(distances) + self.b) + _log_weights(weights)
        logs = logs - logs.max(axis=-1, keepdims=True)
        return np.asarray(logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True)))

    def law(self, distances: Array, weights: Array | None = None) -> Array:
        """Pr[D_j = v | D_i = s] (s, v) over a value grid, each row normalised; distances (s, v) in miles.

        weights (v,): how many people are at each value. With them it is the law of a friend's place where anybody
        is one with probability a (distance + b)^{-c}, as Backstrom et al. measured it; without, as DDP has it, all
        values count the same.
        """
        found = np.exp(self.log_law(distances, weights))
        return np.asarray(found / found.sum(axis=-1, keepdims=True))


FriendDistance.PAPER = FriendDistance(a=0.0019, b=0.196, c=1.05)

PAPER: Final = FriendDistance.PAPER
"""The constants that DDP §VII-A takes from Backstrom, Sun and Marlow 2010."""


def _checked(distances: Array) -> Array:
    given = np.asarray(distances, dtype=np.float64)
    if not np.all(given >= 0):  # NaN is not
        raise InputError("distances", float(given[~(given >= 0)][0]), "miles of at least 0")
    return given


def _log_weights(weights: Array | None) -> Array:
    if weights is None:
        return np.zeros(())
    given = np.asarray(weights, dtype=np.float64)
    if not (np.all(np.isfinite(given)) and np.all(given >= 0) and np.any(given > 0)):
        raise InputError("weights", given.tolist(), "finite numbers of at least 0, not all 0")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(given))
