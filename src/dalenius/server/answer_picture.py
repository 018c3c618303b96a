"""The picture of answers with their intervals, as SVG that a page holds: no scripts, no styles of its own.

Places along the axis are percentages, so that the picture is as wide as its page and its letters stay as large as the
page's. Between 3 and 17 the axis has marks at 5, 10 and 15:

>>> Axis.over([3.0, 17.0]).marks
(5.0, 10.0, 15.0)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, inf, isfinite, log10
from typing import Any, Final, final

from dalenius.server.limits import PICTURED

_LEFT: Final = 3.0
_WIDTH: Final = 94.0
"""Where the axis begins, and how long it is, in per cent of the picture."""
_MARKS: Final = 4
"""Marks on an axis at most, but for one: their numbers have room on a telephone."""
_LONGEST: Final = 44
"""Letters of a label that are shown."""
_LABELLED: Final = 46
_BARE: Final = 30
"""The height of a row, with a label above it and without."""
_FOOT: Final = 54
"""The height of the axis with its numbers and its name."""


@final
@dataclass(frozen=True)
class Axis:
    """A linear axis.

    Attributes:
        low: Its lower end.
        high: Its upper end.
        marks: The numbers at its marks, ascending.
    """

    low: float
    high: float
    marks: tuple[float, ...]

    @classmethod
    def over(cls, numbers: Sequence[float]) -> "Axis":
        """Makes the axis on which all `numbers` have room."""
        low, high = min(numbers), max(numbers)
        room = (high - low or abs(high) or 1.0) * 0.06
        low, high = low - room, high + room
        rough = (high - low) / _MARKS
        power = 10.0 ** floor(log10(rough))
        step = next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= rough * (1 - 1e-9))
        marks = [round(place * step, 12) for place in range(ceil(low / step), floor(high / step) + 1)]
        return cls(low, high, tuple(marks))

    def at(self, number: float) -> str:
        """Returns the place of a `number` as a percentage of the picture; beyond an end that end."""
        share = (min(max(number, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{_LEFT + _WIDTH * share:.3f}%"


@final
@dataclass(frozen=True)
class Row:
    """One answer in the picture.

    Attributes:
        label: Its label, cut where it is long; empty for none.
        whole: Its label.
        y: Where its interval is, from above.
        dot: Where the answer is.
        ends: Where the interval begins and ends; None where there is none.
        open_low: Whether the interval has no lower end.
        open_high: Whether it has no upper end.
        exact: Where the exact answer is; None where that is not shown.
    """

    label: str
    whole: str
    y: int
    dot: str
    ends: tuple[str, str] | None
    open_low: bool
    open_high: bool
    exact: str | None


@final
@dataclass(frozen=True)
class Picture:
    """A picture as its template wants it.

    Attributes:
        rows: The answers.
        marks: The place and the text of each mark of the axis.
        height: Its height.
        foot: Where the axis is, from above.
        unit: The name of the axis, with its unit.
        left_out: How many answers are not in it.
        has_intervals: Whether any answer has an interval.
        has_exact: Whether exact answers are shown.
    """

    rows: tuple[Row, ...]
    marks: tuple[tuple[str, str], ...]
    height: int
    foot: int
    unit: str
    left_out: int
    has_intervals: bool
    has_exact: bool

    @property
    def has_arrows(self) -> bool:
        """Whether any interval has no end on one side."""
        return any(row.open_low or row.open_high for row in self.rows)


def picture_of(release: dict[str, Any], unit: str) -> Picture | None:
    """Returns the picture of answers; None where one of them is a word, or there is none.

    Args:
        release: A release or a practice answer, as the API answers it: `answers`, `labels`, `interval`, `exact`.
        unit: The name of the axis.
    """
    answers, several = release["answers"][:PICTURED], release["labels"][:PICTURED]
    if not answers or not all(isinstance(each, int | float | Fraction) for each in answers):
        return None
    ends = [_ends(pair) for pair in release.get("interval", [None] * len(answers))[:PICTURED]]
    exact = [float(each) for each in release.get("exact", ())[:PICTURED]]
    numbers = [*map(float, answers), *exact, *(end for pair in ends for end in pair or () if isfinite(end))]
    axis, labelled = Axis.over(numbers), any(several)
    high = _LABELLED if labelled else _BARE
    rows = tuple(
        Row(
            label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…",
            label,
            high * (place + 1) - 14,
            axis.at(float(answer)),
            None if pair is None else (axis.at(pair[0]), axis.at(pair[1])),
            pair is not None and pair[0] == -inf,
            pair is not None and pair[1] == inf,
            axis.at(exact[place]) if exact else None,
        )
        for place, (label, answer, pair) in enumerate(zip(several, answers, ends, strict=True))
    )
    foot = high * len(rows) + 4
    marks = tuple((axis.at(mark), f"{mark:,.10g}") for mark in axis.marks)
    left_out = len(release["answers"]) - len(rows)
    return Picture(rows, marks, foot + _FOOT, foot, unit, left_out, any(pair is not None for pair in ends), bool(exact))


def _ends(pair: Any) -> tuple[float, float] | None:
    """Returns the ends of an interval, which JSON may have as "inf" and "-inf"."""
    return None if pair is None else (float(pair[0]), float(pair[1]))


def unit_of(kind: str, measure: str) -> str:
    """Returns the name of an axis of answers to a query of this `kind` about a `measure`."""
    return "people" if kind in ("count", "histogram") else f"{kind} of {measure}, in its unit"
