"""Several rows of one person, made one record: the largest value, the sum, or whether a condition holds in any row.

Ana has rows of 2, 3 and 4 days, Bob one of 1. With sums from 0 to 5 their records are 5 and 1, and one record of two is
clipped. How many are clipped is a fact about what people answered: it is for the keeper of the table, and on no page.
"""

from fractions import Fraction
from typing import Any

from dalenius.errors import InputError
from dalenius.spec.data_section import Source
from dalenius.tables.near_names import out_of
from dalenius.tables.opening_with_ibis import IbisTable, counted, ibis


def read_by_row(source: Source) -> Source:
    """Returns the section by which a row is read: without bounds where these are of a person's rows together.

    Args:
        source: The `[data]` section.
    """
    return source if source.per_person is None else source.altered({"lower": None, "upper": None})


def per_person(rows: IbisTable, source: Source) -> IbisTable:
    """Returns one row a person, with household, label, value, and whether the value was clipped.

    Args:
        rows: The rows with person, household, label and value, none of them missing.
        source: The `[data]` section, which says what a person's rows make.

    Raises:
        InputError: If the values cannot be added up exactly.
    """
    kind = rows.value.type()
    if source.per_person == "sum" and not kind.is_integer():
        wanted = "whole numbers, or a step to which each row is rounded: sums are then exact"
        raise InputError("data.per_person", "sum", wanted)
    if not kind.is_numeric():
        raise InputError("data.per_person", str(source.per_person), f"numbers; column {source.value_column} has texts")
    value = rows.value.sum() if source.per_person == "sum" else rows.value.max()
    people = rows.group_by("person").agg(
        household=rows.household.min(),
        label=rows.label.min(),
        torn=(rows.household.nunique() > 1) | (rows.label.nunique() > 1),
        whole=value.cast("int64") if kind.is_integer() else value,
    )
    low, high = _in_steps(source.lower, source, kind), _in_steps(source.upper, source, kind)
    if low is None and high is None:
        return people.mutate(value=people.whole, clipped=ibis().literal(False))
    clipped = people.whole.clip(lower=low, upper=high)
    return people.mutate(value=clipped, clipped=clipped != people.whole)


def check_of_people(people: IbisTable, source: Source) -> int:
    """Returns the number of people. InputError where one person's rows have two households, or two labels.

    Args:
        people: One row a person, as `per_person` makes them.
        source: The `[data]` section.
    """
    sums = {"size": people.count(), "torn": people.torn.sum()}
    found = counted(people.aggregate(**sums), "data.person", source.columns["person"])
    if found["torn"]:
        some = out_of(found["torn"], found["size"], "has more", "have more")
        wanted = f"one household and one label in all rows of a person, {some}"
        raise InputError("data.person", source.person, wanted)
    return int(found["size"])


def clipped_in_words(people: IbisTable, source: Source) -> tuple[int, str]:
    """Returns how many people's values are clipped, and that in words, for the keeper of the table.

    Args:
        people: One row a person, as `per_person` makes them.
        source: The `[data]` section.
    """
    sums = {"size": people.count(), "clipped": people.clipped.sum()}
    found = counted(people.aggregate(**sums), "data.value", source.value_column)
    clipped = int(found["clipped"] or 0)
    ends = [f"{word} {end:g}" for word, end in (("from", source.lower), ("to", source.upper)) if end is not None]
    what = "sums" if source.per_person == "sum" else "values"
    return clipped, f"{clipped:,} of {found['size']:,} people have {what} that are clipped {' '.join(ends)}"


def _in_steps(end: float | None, source: Source, kind: Any) -> int | float | None:
    """Returns an end of the range in steps, exactly; a whole number where the values are."""
    if end is None:
        return None
    steps = Fraction(repr(end)) / source.unit
    return int(steps) if kind.is_integer() and steps.denominator == 1 else float(steps)
