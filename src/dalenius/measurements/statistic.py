"""The statistic of a measurement, before its noise, as a query of ours: a count, a sum, a mean or a histogram."""

from collections.abc import Sequence
from fractions import Fraction
from math import log2
from typing import Any, Final, final

from dalenius.bounds import UNIT
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.measurements.constructor import Constructor
from dalenius.measurements.scores_of_values import scores_of
from dalenius.measurements.unread_constructor import Unread
from dalenius.models import Model
from dalenius.queries import Count, Histogram, Mean, Query, Sum

_INTEGER_SUMS: Final = (
    "make_bounded_int_monotonic_sum",
    "make_bounded_int_ordered_sum",
    "make_bounded_int_split_sum",
    "make_sized_bounded_int_checked_sum",
    "make_sized_bounded_int_monotonic_sum",
    "make_sized_bounded_int_ordered_sum",
    "make_sized_bounded_int_split_sum",
)
_LONGEST_SUM: Final = 2**20
"""The records beyond which OpenDP leaves some out of a sum of doubles whose number is not known."""


@final
class Statistic:
    """The statistic of a measurement under a model.

    Args:
        model: What the adversary believes about the records.
        made: The constructor of the transformation from data to the statistic.

    Attributes:
        query: The query of ours.
        largest: A bound on the size of any of its answers.
        error: How far OpenDP's own rounding may move an answer.

    Raises:
        Unread: For a statistic that is no query of ours, and names the constructor.
    """

    def __init__(self, model: Model, made: Constructor) -> None:
        self._values, self._people = records_of(model)
        *before, last = made.in_turn()
        size = made.size
        if size is not None and size != self._people:
            raise InputError("measurement", f"{size} records", f"the {self._people} that the model has")
        self.error = 0.0
        match last.name:
            case "make_count":
                self.query: Query = Count(values=self._values)
                self.largest = float(self._people)
            case "make_count_by_categories":
                self.query = self._histogram(last, self._scores(before, last))
                self.largest = float(self._people)
            case "make_sum" | "make_mean":
                self.query = self._total(before, last)
            case name if name in _INTEGER_SUMS:
                self.query = self._total(before, last)
            case name:
                raise Unread(name, "it makes no count, sum, mean or histogram")

    def _histogram(self, last: Constructor, scores: dict[RecordValue, Any]) -> Histogram:
        """Returns the cells in which somebody may be; without OpenDP's last one, of all others, if nobody may be."""
        cells = [tuple(v for v, score in scores.items() if score == each) for each in last.arguments["categories"]]
        if last.arguments.get("null_category", True):
            named = {value for cell in cells for value in cell}
            cells.append(tuple(value for value in self._values if value not in named))
        # Because a cell that stays empty is 0 for any person: its answer is noise alone.
        kept = tuple(cell for cell in cells if cell)
        if not kept:
            raise Unread(last.name, "no value of the model is in its categories")
        return Histogram(cells=kept)

    def _total(self, before: Sequence[Constructor], last: Constructor) -> Query:
        scores = self._scores(before, last)
        if any(isinstance(score, str) or score is None for score in scores.values()):
            raise Unread(last.name, "it adds up values that are not numbers")
        numbers = {value: Fraction(score) for value, score in scores.items()}
        most = max(abs(each) for each in numbers.values())
        is_mean = last.name == "make_mean"
        self.largest = float(most) * (1 if is_mean else self._people)
        self._count_rounding(last, list(numbers.values()), most, is_mean)
        if not is_mean and set(numbers.values()) <= {Fraction(0), Fraction(1)}:
            # Because nobody can have a value that no record counts, a sum of zeros counts nothing.
            counted = tuple(value for value, each in numbers.items() if each)
            if counted:
                return Count(values=counted)
        lower, upper = self._ends(before)
        made = (Mean if is_mean else Sum)(lower=lower, upper=upper)
        for value, score in scores.items():
            if isinstance(value, str) or _clipped(float(value), lower, upper) != float(score):
                raise Unread(before[0].name if before else last.name, "it changes values, and not to 0 and 1")
        return made

    def _scores(self, before: Sequence[Constructor], last: Constructor) -> dict[RecordValue, Any]:
        """Returns what becomes of each value before records are counted or added up."""
        return scores_of(self._values, before, last, self._people)

    def _ends(self, before: Sequence[Constructor]) -> tuple[float | None, float | None]:
        """Returns the ends of the last clamp; None without one."""
        clamps = [each.arguments["bounds"] for each in before if each.name == "make_clamp"]
        return (float(clamps[-1][0]), float(clamps[-1][1])) if clamps else (None, None)

    def _count_rounding(self, last: Constructor, scores: Sequence[Fraction], most: Fraction, is_mean: bool) -> None:
        """Sets how far OpenDP's sum of doubles may be off, or its mean; integers are exact."""
        if last.atom not in ("f32", "f64"):
            return
        if last.size is None and self._people > _LONGEST_SUM:
            raise Unread(last.name, f"it leaves out records beyond {_LONGEST_SUM:,}")
        digits = 24 if last.atom == "f32" else 53
        step = max(score.denominator for score in scores)
        is_exact = most * self._people * step < 2**digits and step & (step - 1) == 0
        per_sum = 0.0 if is_exact else float(most) * self._people * (self._people + log2(self._people + 1) + 1)
        own = 2.0**-digits * (per_sum / (self._people if is_mean else 1) + (float(most) if is_mean else 0.0))
        self.error = own * (1 + 16 * UNIT)


def records_of(model: Model) -> tuple[tuple[RecordValue, ...], int]:
    """Returns the values that a record of `model` may have, and how many records there are."""
    found, people = dict[RecordValue, None](), 0
    for belief in model.joints():
        strata = belief.strata()
        # Because normal records, and who is absent, have no values to be counted.
        if not strata:
            raise InputError("model", model.kind, "a model whose records have finitely many values")
        found.update((value, None) for stratum in strata for value in stratum.values)
        people = sum(stratum.people for stratum in strata)
    return tuple(found), people


def _clipped(value: float, lower: float | None, upper: float | None) -> float:
    return value if lower is None or upper is None else min(max(value, lower), upper)
