"""What a person's value reveals, by how many neighbours of each kind the person has: one curve over scales for each."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Final, final

import numpy as np
from numpy.typing import ArrayLike

from dalenius.calibration.pairwise.value_grid import Formula, diameter, revealed
from dalenius.errors import InputError, TooLarge
from dalenius.laws.coupled import Bound, Neighbour, Neighbourhood, bound_of
from dalenius.laws.law import Array, IntArray

MOST_CLASSES: Final = 5_000


class Curves(ABC):
    """Nats at each scale, falling, for each row of counts (classes, kinds)."""

    @abstractmethod
    def all_at(self, scale: float) -> Array:
        """Of every class (classes,)."""

    @abstractmethod
    def at(self, place: int, scale: float) -> float:
        """Of one."""

    def worst(self, scale: float) -> int:
        """The class that reveals most; of those that do to rounding, the first."""
        found = self.all_at(scale)
        return int(np.flatnonzero(found >= found.max() * (1 - 1e-12))[0])


def added_up(counts: IntArray, laws: Sequence[Array], points: ArrayLike, formula: Formula) -> Curves:
    """ΔQ/σ and what is revealed of each neighbour alone, added up."""
    return _AddedUp(counts, laws, points, formula)


def comonotone_curves(counts: IntArray, laws: Sequence[Array], points: ArrayLike) -> Curves:
    """The most that any joint law with these pair laws reveals (Result 15.2).

    InputError for points of several coordinates; TooLarge for more than MOST_CLASSES different counts: each is looked
    at, as a neighbour more may reveal less.
    """
    if np.ndim(points) != 1:
        raise InputError(
            "points", f"of {np.ndim(points)} axes", "one number for each value with the formula comonotone"
        )
    if len(counts) > MOST_CLASSES:
        raise TooLarge("the comonotone bound", f"{len(counts):,} different counts of edges", "use fewer kinds of edges")
    return _Comonotone(counts, laws, np.asarray(points, dtype=np.float64))


@final
class _AddedUp(Curves):
    def __init__(self, counts: IntArray, laws: Sequence[Array], points: ArrayLike, formula: Formula) -> None:
        self._counts, self._laws, self._points, self._formula = counts, laws, points, formula
        self._own = diameter(points)

    def all_at(self, scale: float) -> Array:
        each = [revealed(law, self._points, scale, self._formula).upper for law in self._laws]
        return np.asarray(self._own / scale + self._counts @ np.array(each))

    def at(self, place: int, scale: float) -> float:
        return float(self.all_at(scale)[place])


@final
class _Comonotone(Curves):
    def __init__(self, counts: IntArray, laws: Sequence[Array], points: Array) -> None:
        self._counts, self._laws, self._points = counts, laws, points

    @cached_property
    def _bounds(self) -> list[Bound]:
        found = [bound_of(self._neighbourhood(row)) for row in self._counts.tolist()]
        return [each for each in found if each is not None]  # none is: every value is possible

    def all_at(self, scale: float) -> Array:
        return np.array([self.at(place, scale) for place in range(len(self._counts))])

    def at(self, place: int, scale: float) -> float:
        return self._bounds[place].at(scale).upper

    def _neighbourhood(self, row: Sequence[int]) -> Neighbourhood:
        neighbours = (Neighbour(times, self._points, law) for times, law in zip(row, self._laws, strict=True) if times)
        return Neighbourhood(self._points, np.full(len(self._points), 1 / len(self._points)), tuple(neighbours))
