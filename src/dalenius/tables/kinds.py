"""How many edges of each kind people have, in the user's engine: whole numbers, whatever coefficients come to be."""

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import IntArray
from dalenius.tables.edges import EdgeTable, halves
from dalenius.tables.engine import answer_of, engine_errors, ibis

MOST_CLASSES: Final = 1_000_000


def kind_counts(edges: EdgeTable, kinds: Sequence[str]) -> tuple[IntArray, IntArray]:
    """The distinct numbers of edges of each kind that somebody has (classes, kinds), in ascending order, and how many
    people have them (classes,). Everybody is somebody with an edge, or of the table of people where there is one.

    TooLarge beyond MOST_CLASSES.
    """
    names = [f"of_{place}" for place in range(len(kinds))]
    rows = edges.rows
    ones = {name: (rows.kind == kind).cast("int64") for name, kind in zip(names, kinds, strict=True)}
    parts = halves(edges, **ones).select("person", *names)
    if edges.members is not None:
        zeros = {name: ibis().literal(0, "int64") for name in names}
        parts = parts.union(edges.members.rows.select("person", **zeros).select("person", *names), distinct=False)
    each = parts.group_by("person").agg(**{name: parts[name].sum() for name in names})
    classes = each.group_by(names).agg(people=each.count()).order_by(names).limit(MOST_CLASSES + 1)
    with engine_errors("edges", "first, second", "columns that the engine can count"):
        answer = answer_of(classes).to_pydict()
    if len(answer["people"]) > MOST_CLASSES:
        raise TooLarge("edges by kind", f"more than {MOST_CLASSES:,} different counts", "use fewer kinds")
    counts = np.array([answer[name] for name in names], dtype=np.int64).T
    return counts.reshape(-1, len(kinds)), np.array(answer["people"], dtype=np.int64)


def check_kinds(edges: EdgeTable, known: Collection[str], column: str) -> None:
    """InputError where an edge is of another kind."""
    others = edges.rows.filter(~edges.rows.kind.isin(sorted(known)))
    question = others.aggregate(edges=others.count(), first=others.kind.min())
    with engine_errors("kind", column, "a column that the engine can count"):
        answer = answer_of(question).to_pylist()[0]
    if answer["edges"]:
        kinds = ", ".join(sorted(known))
        raise InputError(f"kind {column}", str(answer["first"]), f"one of {kinds}; {answer['edges']} edges are of none")


def several_kinds(edges: EdgeTable) -> int:
    """How many edges are between people who have one of another kind already, whichever end comes first."""
    rows = edges.rows  # either end may come first
    swapped = rows.first > rows.second
    ends = rows.select(low=swapped.ifelse(rows.second, rows.first), high=swapped.ifelse(rows.first, rows.second))
    pairs = ends.group_by("low", "high").agg(times=ends.count())
    with engine_errors("edges", "first, second", "columns that the engine can count"):
        found = answer_of(pairs.aggregate(more=(pairs.times - 1).sum())).to_pylist()[0]["more"]
    return int(found or 0)
