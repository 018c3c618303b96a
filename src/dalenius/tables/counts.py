"""Households by how many of them are infected: what a law of infections is fitted to."""

from collections.abc import Mapping

from dalenius.errors import InputError
from dalenius.tables.engine import answer_of, engine_errors
from dalenius.tables.people import People


def infected_by_size(people: People) -> Mapping[tuple[int, int], int]:
    """The number of households of each (size, infected), where a member is infected whose value is 1 and not 0."""
    source = people.source
    if source.household is None:
        raise InputError("data.household", "missing", "the column that says who belongs together")
    odd = sorted(str(value) for _, value in people.tally() if value not in (0, 1))
    if odd:
        raise InputError("data.value", source.value_column, f"0 or 1 in every row (there is also {odd[0]})")
    rows = people.rows
    members = rows.group_by("household").agg(size=rows.count(), infected=(rows.value != 0).sum())
    homes = members.group_by("size", "infected").agg(homes=members.count())
    with engine_errors("data.household", source.household, "a column that the engine can count"):
        answer = answer_of(homes).to_pydict()
    found = zip(answer["size"], answer["infected"], answer["homes"], strict=True)
    return {(int(size), int(infected)): int(count) for size, infected, count in sorted(found)}
