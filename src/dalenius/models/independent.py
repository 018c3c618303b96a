"""Independent records: a release leaks about one record at most what differential privacy promises.

No other record tells anything about it.
"""

from collections.abc import Sequence
from typing import Literal, final

from pydantic import ValidationInfo, field_validator, model_validator

from dalenius.fields import Chance, Chances, Count, RecordValue
from dalenius.joints.independent_groups_law import BoxedGroups, groups_of
from dalenius.joints.joint import Belief
from dalenius.models.joint_tables import boxed
from dalenius.models.model import Model, given_intervals, rows, widened_rows
from dalenius.sentences.sentence import counted, few_listed, said, semicolons


@final
class Independent(Model):
    """Records X_1..X_n independent of each other.

    Args:
        values: The universe of each record: k different numbers or texts. None (the default) for bits, 0 and 1.
        n: How many records have the one row (or the one p) of `probabilities`; None (the default) for one record per
            row.
        labels: Public labels for queries, one per record; None (the default) for no labels.
        probabilities: For bits [p_1..p_n], the probabilities that bit i is 1; with `values` a row of k probabilities
            per record. An entry of a row may be an interval [lo, hi]. Without `values` a pair [a, b] is a row, and
            intervals are [[a, b], [c, d]].
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        >>> import dalenius as dl
        >>> dl.Independent(n=3, probabilities=[0.2]).words
        '3 records that do not depend on each other; each is: 0 with 80 %, 1 with 20 %'
    """

    kind: Literal["independent"] = "independent"
    values: tuple[RecordValue, ...] | None = None
    n: Count | None = None
    labels: tuple[str, ...] | None = None
    probabilities: tuple[Chances, ...]

    @field_validator("values")
    @classmethod
    def _distinct(cls, values: tuple[RecordValue, ...] | None) -> tuple[RecordValue, ...] | None:
        # The case of a value twice, or of none, beside rows of probabilities for each of them.
        if values is not None and (len(set(values)) != len(values) or not values):
            raise ValueError("distinct values, at least one")
        return values

    @field_validator("probabilities", mode="before")
    @classmethod
    def _rows(cls, given: object, info: ValidationInfo) -> Sequence[object]:
        if not isinstance(given, list | tuple) or not given:
            raise ValueError("a list of probabilities, or of rows of them")
        values = info.data.get("values")
        width = 2 if values is None else len(values)
        # The case of bits: each number is the chance of a 1, and each pair a row.
        if values is None:
            given = [_bit(p, number) for number, p in enumerate(given, 1)]
        rows = given if isinstance(given[0], list | tuple) else (given,)
        for number, row in enumerate(rows, 1):
            if not isinstance(row, list | tuple) or len(row) != width:
                raise ValueError(f"one probability for each of the {width} values (row {number} is {row})")
        # The case of three rows and n = 100: the spec does not tell which people have which row.
        if info.data.get("n") is not None and len(rows) != 1:
            raise ValueError(f"one row beside n = {info.data['n']} (there are {len(rows)})")
        return rows

    @model_validator(mode="after")
    def _check(self) -> "Independent":
        people = self.n or len(self.probabilities)
        if self.labels is not None and len(self.labels) != people:
            raise ValueError(f"a label for each of the {people} records (there are {len(self.labels)})")
        return self

    @property
    def words(self) -> str:
        count = self.n or len(self.probabilities)
        values = (0, 1) if self.values is None else self.values
        kinds = list(dict.fromkeys(self.probabilities))
        laws = few_listed((rows(values, row) for row in kinds), "between_laws")
        each = said("one_of_laws", count=len(kinds), laws=laws) if len(kinds) > 1 else said("each_is", law=laws)
        return semicolons([counted("record_apart", "records_apart", count), each])

    def rests_on(self) -> tuple[str, ...]:
        return given_intervals(self.probabilities)

    def joints(self) -> tuple[Belief]:
        universe: tuple[RecordValue, ...] = (0, 1) if self.values is None else self.values
        # So that a million alike are one line of a spec, and one block: nobody is listed.
        if self.labels is None and self.n is not None:
            return (groups_of([self._block("", self.probabilities[0], self.n, universe)]),)
        # The case of labels: people of one row and label are one block, wherever they are in the list.
        rows = self.probabilities * (self.n or 1)
        alike: dict[tuple[str, tuple[Chance, ...]], list[int]] = {}
        for number, key in enumerate(zip(self.labels or [""] * len(rows), rows, strict=True), 1):
            alike.setdefault(key, []).append(number)
        blocks = [self._block(label, row, len(people), universe) for (label, row), people in alike.items()]
        return (groups_of(blocks, [number for people in alike.values() for number in people]),)

    def widened(self, log_factor: float) -> "Independent":
        return self.altered({"probabilities": widened_rows(self.probabilities, log_factor)})

    def _block(self, label: str, row: tuple[Chance, ...], count: int, universe: tuple[RecordValue, ...]) -> BoxedGroups:
        """Makes `count` records of one label and one law, each a group of its own."""
        rows = [(value,) for value in universe]
        return boxed(count, [(label, universe)], rows, row, "a record independent of all others")


def _bit(p: object, number: int) -> Sequence[object]:
    """Returns the row of a bit that is 1 with this probability; a row stays as it is."""
    if isinstance(p, list | tuple):
        return p
    # Because True is no probability, though Python would take it for 1.
    if isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1:
        raise ValueError(f"probabilities from 0 to 1 (number {number} is {p})")
    return 1 - float(p), float(p)
