"""The published law of how far friends live apart, on a grid of places (DDP §VII-A).

With places at 0, 1 and 10 miles, a friend lives at the same with .858, at the second with .128 and at the third with
.014.

>>> miles = np.array([[0.0, 1.0, 10.0]])
>>> PAPER.law(miles).round(3).tolist()
[[0.858, 0.128, 0.014]]
"""

from dataclasses import dataclass
from math import isfinite
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.errors import InputError


@final
@dataclass(frozen=True)
class FriendDistance:
    """The law Pr[D_j = d | D_i = d′] = a (‖d - d′‖ + b)^{-c}, distances in miles; a > 0, b > 0, c >= 0.

    On a grid of values a law has to sum to 1 from every d′, and no single `a` makes it: `law` normalises over the grid,
    so that `a` is not used there (errata E22). With c = 0 the friend's place does not matter.
    """

    a: float
    b: float
    c: float

    def __post_init__(self) -> None:
        for key, number in (("a", self.a), ("b", self.b)):
            if not (isfinite(number) and number > 0):
                raise InputError(key, number, "a finite number above 0")
        if not (isfinite(self.c) and self.c >= 0):
            raise InputError("c", self.c, "a finite number of at least 0")

    def law(self, distances: Array) -> Array:
        """Returns Pr[D_j = v | D_i = s] (s, v) over a value grid, each row normalised; distances (s, v) in miles.

        All values count the same, as DDP has it; Backstrom et al. measured how many of the people at a distance are
        friends.
        """
        logs = -self.c * np.log(distances + self.b)
        powers = np.exp(logs - logs.max(axis=-1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


PAPER: Final = FriendDistance(a=0.0019, b=0.196, c=1.05)
"""The constants that DDP §VII-A takes from Backstrom, Sun and Marlow 2010."""
