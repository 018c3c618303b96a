"""The rows of the person, or people, who are absent, and the people of a table in the order of its rows."""

from fractions import Fraction

import numpy as np

from dalenius.arrays import IntArray
from dalenius.errors import InputError, TooLarge
from dalenius.households_left_out import HouseholdsLeftOut, candidates_of, households_of, without_households
from dalenius.queries import Query
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.limits import MOST_HOUSEHOLDS
from dalenius.tables.opening_with_ibis import answer_of
from dalenius.tables.people import People
from dalenius.tables.tally_of_table import tallied
from dalenius.tables.truth_words import truth_of
from dalenius.tally import Tally

_WANTED = "yes (1) for who is absent and no (0) for all others"


def in_order(people: People) -> Tally:
    """Returns everybody's value and label, in the order of the rows, with `whose`.

    InputError for a table whose rows have no order, as in a database, and for one of which some rows are not read.

    Args:
        people: The table.
    """
    if not people.ordered:
        raise InputError("data", people.shown, "a file or a frame, whose rows have an order, without where and others")
    return tallied(people, rows=True)


def without_each_household(people: People, query: Query, whole: float) -> HouseholdsLeftOut:
    """Returns the answers of a query without each household, or without each member.

    Args:
        people: The table, with a household column.
        query: The query.
        whole: The probability that a whole household is absent, if somebody of it is.
    """
    if people.source.household is None:
        raise InputError("data.household", "missing", "the column that says who belongs together")
    tally = in_order(people)
    return without_households(tally, candidates_of(households_in_order(people), whole), query.left_out)


def households_in_order(people: People) -> IntArray:
    """Returns the number of each row's household, in the order in which they first occur; TooLarge for very many.

    Args:
        people: The table, with a household column.
    """
    with engine_errors("data.household", str(people.source.household), "a column that the engine can read"):
        answer = answer_of(people.rows.select("household"))
    found = households_of([str(each) for each in answer["household"].to_pylist()])
    if (count := int(found.max()) + 1) > MOST_HOUSEHOLDS:
        raise TooLarge("who is absent", f"{count:,} households", "leave out by in [model]", MOST_HOUSEHOLDS)
    return found


def absent_rows(people: People) -> IntArray:
    """Returns the numbers, from 0, of the rows whose value says yes.

    Args:
        people: The table, with the column or condition that says who is absent in place of the value.
    """
    tally = in_order(people)
    if tally.texts is not None:
        said = [truth_of(text) for text in tally.texts]
        flags = [said[int(step)] for step in tally.steps.tolist()]
    else:
        numbers = [Fraction(int(step)) * tally.unit for step in tally.steps.tolist()]
        flags = [int(number) if number in (0, 1) else None for number in numbers]
    # Because a name, or an amount, in place of yes and no would say that most people are absent.
    if None in flags:
        raise InputError("data.absent", people.source.value_column, _WANTED)
    assert tally.whose is not None
    return np.flatnonzero(np.array(flags, dtype=np.int64)[tally.whose])
