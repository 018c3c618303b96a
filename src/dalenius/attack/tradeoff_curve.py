"""The trade-off curve of a test: at each rate of false alarms, the most people who are rightly flagged."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final, overload

from dalenius.bounds import Enclosure
from dalenius.tabular import Cell, Tabular, between, cell, ends


class Tested(NamedTuple):
    """A point of the trade-off curve of a test.

    Attributes:
        false_alarms: The share of people without the value who are flagged.
        true_positives: The largest share of people with the value who are flagged then, from below and from above.

    Example:
        >>> from dalenius import Count, Geometric, Release, Table, tradeoff
        >>> bit = Table(records=((0,), (1,)), probabilities=(0.5, 0.5))
        >>> (point,) = tradeoff(Release(bit, Count(), Geometric(scale=1.0))).curve([0.5])  # a Tested
        >>> point.false_alarms, round(point.true_positives.upper, 4)
        (0.5, 0.8161)
    """

    false_alarms: float
    true_positives: Enclosure


@final
@dataclass(frozen=True, repr=False)
class TradeoffCurve(Tabular, Sequence[Tested]):
    """The points of a trade-off curve, by rising rate of false alarms: a sequence, which shows as a table.

    Attributes:
        points: The points.
    """

    points: tuple[Tested, ...]

    @overload
    def __getitem__(self, place: int) -> Tested: ...
    @overload
    def __getitem__(self, place: slice) -> "TradeoffCurve": ...
    def __getitem__(self, place: int | slice) -> "Tested | TradeoffCurve":
        return TradeoffCurve(self.points[place]) if isinstance(place, slice) else self.points[place]

    def __len__(self) -> int:
        return len(self.points)

    @property
    def caption(self) -> str:
        """The title of the table."""
        return "The most people with a value who are flagged, by the share wrongly flagged"

    def records(self) -> list[dict[str, Cell]]:
        """Return a row for each point: false_alarms, and the ends of true_positives, all shares of people."""
        return [
            {"false_alarms": each.false_alarms, **ends("true_positives", each.true_positives)} for each in self.points
        ]

    def shown(self) -> list[dict[str, str]]:
        """Return the rows as people read them: ends that agree as one number."""
        return [
            {"false alarms": cell(row["false_alarms"]), "true positives": between(row, "true_positives")}
            for row in self.records()
        ]
