"""The records themselves, or what people report of them: in order, or shuffled."""

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Annotated, Literal, final

from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.fields import PersonKey, RecordValue
from dalenius.joints import own_label
from dalenius.queries.query import Column, Kind, Query
from dalenius.sentences.sentence import Name, commas, said

_People = Annotated[tuple[PersonKey, ...], Field(min_length=1)]


@final
class Reports(Query):
    """Each person's record as it is reported: in order, or shuffled, as how many there are of each value.

    Under noise on records, such as randomized response, these are the noised reports. Without noise they are the
    records themselves. A number goes out as it is, and a word as its place among the record's values, from 0.

    Args:
        people: The people whose reports go out, by number from 1 or by name; None (the default) for everybody.
        shuffled: Whether nobody is told whose a report is, so that only their numbers by value are left: of each
            value but the first, which follows (in a sample of each). False by default.

    Example:
        A couple, both well or both ill: each tells the truth with .75. Both reports say as much of one of them as
        two independent reports about the same record:

        >>> import dalenius as dl
        >>> couple = dl.Households(count=100, infected=[0.8, 0.0, 0.2])
        >>> release = dl.Release(couple, dl.Reports(), dl.RandomizedResponse(keep=0.75))
        >>> round(dl.InferentialPrivacy().leakage(release).upper, 6)
        2.197225
    """

    kind: Literal["reports"] = "reports"
    people: _People | None = None
    shuffled: bool = Field(default=False, strict=True)

    @model_validator(mode="after")
    def _check(self) -> "Reports":
        if self.shuffled and self.people is not None:
            raise ValueError("people, or shuffled = true, not both: shuffled reports are everybody's")
        if self.people is not None and len(set(self.people)) < len(self.people):
            raise ValueError("people who are named once each")
        return self

    @property
    def told_apart(self) -> tuple[PersonKey, ...] | Literal["everybody"] | None:
        return None if self.shuffled else "everybody" if self.people is None else self.people

    def in_one_form(self, everybody: Collection[str] = ()) -> "Reports":
        return self if self.people is None else self.altered({"people": tuple(sorted(self.people, key=str))})

    @property
    def words(self) -> str:
        if self.shuffled:
            return said("reports_shuffled")
        if self.people is None:
            return said("reports_in_order")
        return said("reports_of", people=commas(Name(f"{each}") for each in self.people))

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        if self.shuffled:
            values = tuple(dict.fromkeys(value for kind in strata for value in kind.values))
            # Because how many there are of the first value follows from the others, and the number of people, which
            # is public unless a sample is asked.
            if not any(kind.sampled for kind in strata):
                values = values[1:] or values
            return tuple(
                Column(f"reports of {each}", tuple(Fraction(value == each) for kind in strata for value in kind.values))
                for each in values
            )
        labels = self._labels(strata)
        return tuple(
            Column(
                label,
                tuple(
                    _told(value, kind.values) if kind.label == label else None
                    for kind in strata
                    for value in kind.values
                ),
            )
            for label in labels
        )

    def _labels(self, strata: Sequence[Kind]) -> list[str]:
        """Returns the labels of the people who are asked. InputError where the law does not tell them apart."""
        there = {kind.label for kind in strata}
        # The case of a question among others about the same people, whose law does not tell these apart.
        if self.people is None:
            wanted, found = own_label(""), [kind.label for kind in strata]
            if not all(label.startswith(wanted) for label in found):
                raise InputError("query.kind", self.kind, "a release of its own, without other queries")
            return list(dict.fromkeys(found))
        labels = [own_label(person) for person in self.people]
        if not there.issuperset(labels):
            raise InputError("query.kind", self.kind, "a release of its own, without other queries")
        return labels


def _told(value: RecordValue, values: Sequence[RecordValue]) -> Fraction:
    """Returns the number that stands for a report: itself, or the place of a word among all values."""
    if any(isinstance(each, str) for each in values):
        return Fraction(list(values).index(value))
    return Fraction(str(value))
