"""Households of past data by size and how many members were infected, counted in the engine.

The households are (1, 0), (1) and (0, 0). One of size two has one infected member, one of size one has one, and one of
size two has none.
"""

from collections.abc import Mapping

from dalenius.errors import InputError
from dalenius.tables.near_names import out_of
from dalenius.tables.people import People
from dalenius.tables.truth_words import truth_of, truth_values


def infected_by_size(people: People) -> Mapping[tuple[int, int], int]:
    """Returns the number of households of each (size, infected) in the table `people`.

    A member is infected whose value is 1 and not 0; others are InputErrors.
    """
    source = people.source
    if source.household is None:
        raise InputError("data.household", "missing", "the column that says who belongs together")
    tally, rows = people.tally(), people.rows
    if rows.value.type().is_string() and all(truth_of(str(value)) is not None for _, value in tally):
        rows = rows.mutate(value=truth_values(rows.value))
    # Because an epidemic is fitted to who was infected, days of illness instead of ill or not are refused.
    elif odd := sum(count for (_, value), count in tally.items() if value not in (0, 1)):
        some = out_of(odd, people.size, "is not", "are not")
        raise InputError("data.value", source.value_column, f"0 or 1 in every row, {some}")
    members = rows.group_by("household").agg(size=rows.count(), infected=(rows.value != 0).sum())
    homes = members.group_by("size", "infected").agg(homes=members.count())
    answer = people.answer(homes, "household")
    found = zip(answer["size"], answer["infected"], answer["homes"], strict=True)
    return {(int(size), int(infected)): int(count) for size, infected, count in sorted(found)}
