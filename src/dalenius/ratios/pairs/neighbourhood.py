"""One record and those it depends on, known by the law of each given it."""

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import Array

TOLERANCE: Final = 1e-6
"""How far from 1 the probabilities of a law may add up to; they are scaled."""


@final
@dataclass(frozen=True, eq=False)
class Neighbour:
    """times: how many records there are like this one; points (v,): its scores, in the query's unit, any order; laws
    (s, v): Pr[score = points | X_i = s]. InputError unless shapes agree and laws are such.

    Where a mechanism is known to be private only, points are any numbers that tell values apart.
    """

    times: int
    points: Array
    laws: Array

    def __post_init__(self) -> None:
        if self.times < 1:
            raise InputError("times", self.times, "a positive number of records")
        if self.points.ndim != 1 or not self.points.size or not np.isfinite(self.points).all():
            raise InputError("points", self.points.tolist(), "finite scores, at least one")
        if self.laws.ndim != 2 or self.laws.shape[1] != len(self.points):
            wanted = f"a law over {len(self.points)} scores for each value"
            raise InputError("laws", f"an array of shape {self.laws.shape}", wanted)
        totals = self.laws.sum(axis=1)
        if not (self.laws >= 0).all() or not (np.abs(totals - 1) <= TOLERANCE).all():
            raise InputError("laws", totals.tolist(), "probabilities that add up to 1 for each value")


@final
@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """own (s,): what the record itself adds at each of its values, in the query's unit; prior (s,) of these, those of
    probability 0 being none. All records that are no neighbours are independent of these as a vector."""

    own: Array
    prior: Array
    neighbours: tuple[Neighbour, ...]

    def __post_init__(self) -> None:
        if self.own.ndim != 1 or not self.own.size or not np.isfinite(self.own).all():
            raise InputError("own", self.own.tolist(), "finite scores, at least one")
        if self.prior.shape != self.own.shape or not (self.prior >= 0).all() or not self.prior.any():
            raise InputError("prior", self.prior.tolist(), f"{len(self.own)} probabilities")
        for each in self.neighbours:
            if len(each.laws) != len(self.own):
                raise InputError("laws", f"{len(each.laws)} of them", f"one for each of the {len(self.own)} values")
