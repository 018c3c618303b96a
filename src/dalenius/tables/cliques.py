"""Whether people who share a neighbour are neighbours, in the user's engine."""

from typing import Any

from dalenius.tables.edges import EdgeTable
from dalenius.tables.engine import Table, answer_of, engine_errors


def of_cliques(edges: EdgeTable) -> bool:
    """Whether all people who are connected are neighbours of each other.

    It is so iff the two ends of every edge have as many neighbours, and the same least person among these and
    themselves: then the least person of whoever is connected is a neighbour of all of them, and all have as many.
    """
    ends = _both(edges)
    each = ends.group_by("person").agg(neighbours=ends.other.count(), least=ends.other.min())
    each = each.mutate(least=(each.least < each.person).ifelse(each.least, each.person))
    one = ends.join(each, "person")
    two = each.rename(other="person", theirs="neighbours", lowest="least")
    pairs = one.join(two, "other")
    differ = pairs.filter((pairs.neighbours != pairs.theirs) | (pairs.least != pairs.lowest))
    with engine_errors("edges", "first, second", "columns that the engine can compare"):
        return int(_first(differ.aggregate(found=differ.count()))["found"]) == 0


def _both(edges: EdgeTable) -> Table:
    """Each pair of neighbours once from either end."""
    rows = edges.rows
    forth = rows.select(person=rows.first, other=rows.second)
    return forth.union(rows.select(person=rows.second, other=rows.first), distinct=True)


def _first(question: Table) -> dict[str, Any]:
    rows: list[dict[str, Any]] = answer_of(question).to_pylist()
    return rows[0]
