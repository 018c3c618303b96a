"""What learning is given: checked arguments, rows clipped to a box or to a length, two classes as signs. No row has a
say in what becomes of another; a refusal names the argument, its value and what was wanted.

A row of length 5 is shortened to length 1, one of length .5 stays; in a box from 0 to 10 the value 2.5 is half way from
the middle to the lower side, and 99 is clipped to the upper one.

>>> clipped(np.array([[3.0, 4.0], [0.3, 0.4]]), 1.0).round(6).tolist()
[[0.6, 0.8], [0.3, 0.4]]
>>> (ClippingBox.of(0, 10, 1).places(np.array([[2.5], [99.0]])) / HALF).tolist()
[[-0.5], [1.0]]
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import hypot, isfinite
from numbers import Integral, Real
from typing import Any, Final, Literal, Self, final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import Array
from dalenius.noise.sampling import LARGEST_DRAW

# Of an ε, in nats: far beyond any that is meant.
MOST_NATS: Final = 1e6
LEAST_NATS: Final = 1e-9
# Of lengths and regularization, in the data's units: a few of them multiplied or divided are still doubles.
MOST_NUMBER: Final = 1e30
LEAST_NUMBER: Final = 1e-30


class BadArgument(InputError, ValueError):
    """An argument is not what was wanted; also the error that scikit-learn's tools expect."""


class BadType(InputError, TypeError):
    """An argument is of another type than was wanted; also the error that scikit-learn's tools expect."""


def whole_number(name: str, value: object, least: int = 1) -> int:
    """A whole number of at least that; BadArgument for anything else."""
    # True is a whole number to Python, and no number of clusters.
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or int(value) < least:
        raise BadArgument(name, value, f"a whole number of at least {least}")
    return int(value)


def positive(name: str, value: object) -> float:
    """A finite number above 0; BadArgument for anything else."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real) or not isfinite(value) or float(value) <= 0:
        raise BadArgument(name, value, "a finite number above 0")
    return float(value)


def moderate(name: str, value: object) -> float:
    """A number above 0 of which doubles hold the products of several, and of their inverses."""
    return _between(name, value, LEAST_NUMBER, MOST_NUMBER, "a number")


def checked_nats(name: str, value: object) -> float:
    """An ε that noise can have."""
    return _between(name, value, LEAST_NATS, MOST_NATS, "nats")


def _between(name: str, value: object, least: float, most: float, what: str) -> float:
    number = positive(name, value)
    if not least <= number <= most:
        raise BadArgument(name, value, f"{what} from {least:g} to {most:g}")
    return number


def one_of(name: str, value: object, allowed: Sequence[str]) -> str:
    """One of these words."""
    if not isinstance(value, str) or value not in allowed:
        raise BadArgument(name, value, "one of " + ", ".join(allowed))
    return value


def checked_rows(points: Any, name: str = "X") -> Array:
    """Finite numbers (people, columns), a row a person. BadArgument for another shape, and names the row of a NaN."""
    found = np.asarray(points, dtype=np.float64)
    if found.ndim != 2 or 0 in found.shape:
        raise BadArgument(name, f"shape {found.shape}", "rows of numbers, one a person")
    if not np.isfinite(found).all():
        row = int(np.argmin(np.isfinite(found).all(axis=1))) + 1
        raise BadArgument(f"{name} row {row}", "NaN or infinity", "finite numbers")
    return np.ascontiguousarray(found)


def enough(k: int, people: int, name: str = "n_clusters") -> None:
    """No more clusters than people; BadArgument else."""
    if k > people:
        raise BadArgument(name, k, f"at most the {people} people there are")


def drawable(epsilon: float, scale: Fraction) -> None:
    """BadArgument unless noise of that scale, in lattice steps, fits the sampler's integers, with room for all else."""
    # A tiny ε for rows of a hundred columns: the message says the least that can be drawn.
    share = float(scale * 2000 / LARGEST_DRAW)
    if share >= 1:
        raise BadArgument("epsilon", epsilon, f"at least {1.01 * epsilon * share:.3g} nats for such rows")


HALF: Final = 2**15
"""Lattice steps from the middle of the box to each of its sides."""


@final
@dataclass(frozen=True)
class ClippingBox:
    """The box that records are clipped to. lower, upper: (d,), declared without looking at the data."""

    lower: Array
    upper: Array

    @classmethod
    def of(cls, lower: Any, upper: Any, axes: int) -> Self:
        """One number for all columns, or one a column. BadArgument where lower is not below upper."""
        ends = [_end(name, value, axes) for name, value in (("lower", lower), ("upper", upper))]
        # The limits of one column swapped, or a column that is constant by mistake.
        wrong = np.flatnonzero(~(ends[0] < ends[1]))
        if len(wrong):
            place = int(wrong[0])
            raise BadArgument("lower", float(ends[0][place]), f"a number below upper, {ends[1][place]:g}")
        return cls(*ends)

    def places(self, points: Array) -> Array:
        """Rows as whole numbers from -HALF to HALF, a function of each number alone: no row has a say in another's."""
        share = (np.clip(points, self.lower, self.upper) - self.lower) / (self.upper - self.lower)
        return np.asarray(np.clip(np.rint((2 * share - 1) * HALF), -HALF, HALF))

    def points(self, places: Array) -> Array:
        """Back to the data's own units."""
        share = (places / HALF + 1) / 2
        return np.asarray(self.lower + share * (self.upper - self.lower))


def _end(name: str, value: Any, axes: int) -> Array:
    """One side of the box (axes,). BadArgument for numbers that do not fit the columns, or whose squares overflow."""
    try:
        filled = np.broadcast_to(np.asarray(value, dtype=np.float64), (axes,)).copy()
    except (TypeError, ValueError):
        raise BadArgument(name, value, f"one number, or one for each of the {axes} columns") from None
    if not np.isfinite(filled).all() or np.abs(filled).max() > 1e150:
        raise BadArgument(name, value, "finite numbers")
    return filled


_ROOM: Final = 2.0**-30
"""By this share long rows are shortened more than asked: far above what a length is rounded by."""


def clipped(rows: Array, norm: float) -> Array:
    """Each row as it is where its length is at most `norm`, else shortened to it."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    units = rows / np.where(largest > 0, largest, 1.0)[:, None]
    lengths = np.maximum(np.sqrt((units**2).sum(axis=1)), 1.0)
    most = norm * (1 - _ROOM)
    # Never by one factor for the whole row, which may be a number with few bits.
    return np.asarray(np.where((largest > most / lengths)[:, None], units * (most / lengths)[:, None], rows))


def unit_rows(rows: Array, norm: float, constant: float) -> tuple[Array, float]:
    """Clipped rows with a column of that constant (none where it is 0), divided by the longest that such a row can be,
    which is given too."""
    longest = hypot(norm, constant) * (1 + _ROOM)
    found = clipped(rows, norm)
    if constant:  # the intercept, regularised as all weights are
        found = np.hstack([found, np.full((len(rows), 1), constant)])
    return found / longest, longest


_ONLY: Final = "two classes. Only binary classification is supported. The type of the target is multiclass"


def signs_of(labels: Any, declared: Any = None) -> tuple[Any, Array]:
    """Both classes in order, and -1 for the first, 1 for the second. declared: the classes, where labels do not say."""
    there = np.unique(labels)
    classes = there if declared is None else np.unique(np.asarray(declared))
    # Labels of whom one class may be empty, as of a rare illness: then `classes` says both.
    if declared is not None and len(classes) != 2:
        raise BadArgument("classes", np.ravel(declared).tolist(), "two different labels")
    # A table of the well only: there is nothing to tell them from.
    if len(classes) == 1:
        raise BadArgument("y", f"one class {classes[0]}", "labels of two classes")
    if len(classes) > 2:
        raise BadArgument("y", f"{len(classes)} classes", _ONLY)
    strangers = there[~np.isin(there, classes)]
    if len(strangers):
        raise BadArgument("y", str(strangers[0]), f"one of the classes {classes[0]} and {classes[1]}")
    return classes, np.where(labels == classes[1], 1.0, -1.0)


RecordNeighbours = Literal["replace", "add_remove"]
"""replace: data sets of the same people, one of whom has another record; add_remove: one has a record more."""


@final
@dataclass(frozen=True)
class Added:
    """Noise on one kind of number. what: on which; kind: its law; scale: in `unit`; times: how often it was drawn."""

    what: str
    kind: str
    scale: float
    unit: str
    times: int
    exact: bool


@final
@dataclass(frozen=True)
class Guarantee:
    """epsilon: nats of differential privacy per record, whatever the records; no promise where `sound` is False, and
    then `why` says what fails. Under dependence it is the ε₀ from which the promise to a person follows.
    """

    epsilon: float
    neighbours: RecordNeighbours
    sound: bool
    why: str
    hypotheses: tuple[str, ...]
    noise: tuple[Added, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        return {**asdict(self), "hypotheses": list(self.hypotheses), "noise": [asdict(each) for each in self.noise]}
