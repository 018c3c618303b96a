"""Dependent sensitivity over an edge table, in the user's engine (DDP Eq 23, 24): one pass, sums of whole numbers only.

What an engine adds up is whole, so that no order of summation shows: every engine finds the same digits. Coefficients
and sensitivities are rounded up to whole units first, so that the result is never below DS. Somebody with three
friends, ρ = .5 of each, who moves a count by 1 as they do: DS = 1 + 3·.5 = 2.5.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, final

from dalenius.bounds import Enclosure, float_up
from dalenius.errors import InputError
from dalenius.leave_one_out import exact
from dalenius.ratios.pairs.edge_tables import COEFFICIENT_UNITS, MOVE_BITS, EdgeTable, halves, open_edges
from dalenius.ratios.pairs.friend_graphs import Dropped
from dalenius.tables.engine import IbisTable, counted, engine_errors, ibis

_LIMB: Final = 32
"""Bits of the lower part of a product, where sensitivities differ between people: sums of either part over 2^30 edges
stay below 2^63."""
_LOW: Final = 2**_LIMB - 1


@final
@dataclass(frozen=True, eq=False)
class DependentSensitivity:
    """value: max_i DS_i, in the query's unit, an enclosure; exact: its upper end as a number of whole units.

    person: who attains it, the least name of those (None where nobody has an edge and no table of people says who there
    is); neighbours: how many records that person's counts, its own not among them. per_person: an Ibis table with
    person, neighbours and sensitivity, an upper end to one rounding, which is computed when it is read.
    """

    value: Enclosure
    exact: Fraction
    person: int | str | None
    neighbours: int
    edges: int
    dropped: Dropped
    per_person: IbisTable

    def shown(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "dependent_sensitivity": {"lower": self.value.lower, "upper": self.value.upper},
            "person": self.person,
            "neighbours": self.neighbours,
            "edges": self.edges,
            "dropped": self.dropped.shown(),
        }


def dependent_sensitivity(
    edges: IbisTable | Path | str,
    coefficient: float | Fraction | str | Mapping[str, float | Fraction],
    sensitivity: float | Fraction | str = 1,
    *,
    ends: tuple[str, str] = ("first", "second"),
    kind: str | None = None,
    people: IbisTable | Path | str | None = None,
    person: str = "person",
    directed: bool = False,
) -> DependentSensitivity:
    """max_i DS_i with DS_i = ΔQ_i + Σ_j ρ_ij ΔQ_j over the edges of i (DDP Eq 23, 24), and DS_i of everybody.

    edges, people: Ibis tables of one engine, or CSV or Parquet files. coefficient: ρ as one number, the name of a
    column, or one for each value of the column `kind`; sensitivity: ΔQ as one number, or a column of `people`.
    Undirected edges count at both ends however they are stored; directed: row (i, j) says ρ_ij, and counts at i only.
    Edges are cleaned as open_edges says. The noise of scale DS/ε promises nothing in general (errata E2).
    """
    # Family .5 and work .1: the kinds need a column, and a column of kinds needs their numbers.
    if isinstance(coefficient, Mapping) != (kind is not None):
        raise InputError("kind", kind or "missing", "a column of kinds, and a coefficient for each of its values")
    named, move = (each if isinstance(each, str) else None for each in (coefficient, sensitivity))
    given = None if isinstance(coefficient, str) else _coefficients(coefficient)
    alike = Fraction(1) if isinstance(sensitivity, str) else _sensitivity(sensitivity)
    table = open_edges(
        edges, ends, coefficient=named, kind=kind, people=people, person=person, move=move, directed=directed
    )
    if given is not None and kind is not None:
        _check_kinds(table, given, kind)
    return over_edges(table, given, alike, moving=move is not None)


def over_edges(
    edges: EdgeTable,
    coefficients: Mapping[str, Fraction] | None,
    sensitivity: Fraction = Fraction(1),
    moving: bool = False,
) -> DependentSensitivity:
    """The same of a table that is clean. coefficients: by kind, "" where edges have none; None: each edge's own units.

    moving: ΔQ is each member's own move, and not `sensitivity`, which then multiplies it.
    """
    if moving and edges.members is None:
        raise InputError("people", "missing", "the table that says how far each person moves the answer")
    unit = sensitivity * edges.members.unit if moving and edges.members is not None else sensitivity
    sums = _sums(edges, _units(edges, coefficients), moving)
    with engine_errors("edges", "first, second", "columns that the engine can add up"):
        rows = sums.order_by([sums.high.desc(), sums.low.desc(), sums.person.asc()]).limit(1).to_pyarrow().to_pylist()
    first: dict[str, Any] = rows[0] if rows else {"person": None, "high": 1, "low": 0, "neighbours": 0}
    neighbours = int(first["neighbours"])
    upper = unit * (int(first["high"]) + Fraction(int(first["low"]), COEFFICIENT_UNITS))
    lower = max(upper - unit * _doubt(neighbours, moving), Fraction(0) if moving else unit)
    # One coefficient for all, and everybody moves alike: the sum is a product, and nothing was rounded to units.
    if not moving and coefficients is not None and set(coefficients) == {""}:
        lower = upper = unit * (1 + neighbours * coefficients[""])
    per_person = sums.select(
        "person",
        "neighbours",
        sensitivity=(sums.high.cast("float64") + sums.low.cast("float64") / float(COEFFICIENT_UNITS)) * float(unit),
    )
    value = Enclosure(-float_up(-lower), float_up(upper))
    return DependentSensitivity(value, upper, first["person"], neighbours, edges.edges, edges.dropped, per_person)


def _doubt(neighbours: int, moving: bool) -> Fraction:
    """How far a sum may be above the truth. Units and moves are less than 1 above it: where everybody moves alike, a
    product less than a unit; else less than their sum, at most 2^32 + 2^MOVE_BITS."""
    if not moving:
        return Fraction(neighbours, COEFFICIENT_UNITS)
    return 1 + neighbours * (1 + Fraction(2**MOVE_BITS, COEFFICIENT_UNITS))


def _units(edges: EdgeTable, coefficients: Mapping[str, Fraction] | None) -> Any:
    """Of each edge its coefficient in whole units, rounded up."""
    if coefficients is None:
        return edges.rows.units
    in_units = {kind: -((-number * COEFFICIENT_UNITS) // 1) for kind, number in coefficients.items()}
    if set(in_units) == {""}:
        return ibis().literal(in_units[""], "int64")
    cases = [(kind, ibis().literal(units, "int64")) for kind, units in sorted(in_units.items())]
    return edges.rows.kind.cases(*cases, else_=ibis().literal(0, "int64"))


def _sums(edges: EdgeTable, units: Any, moving: bool) -> IbisTable:
    """person, high, low, neighbours: q_i + Σ units_ij q_j 2^-32 in two parts of 32 bits and more, where q is
    everybody's own move, or 1."""
    _, zero, one = ibis()._, ibis().literal(0, "int64"), ibis().literal(1, "int64")
    parts = halves(edges, units=units)
    # No table of people: whoever has an edge, and all move the answer alike.
    if edges.members is None:  # counting rows is cheaper than adding up ones
        sums = parts.group_by("person").agg(lows=_.units.sum(), neighbours=_.count()).mutate(highs=one)
    else:
        members = edges.members.rows
        if moving:
            moves = members.select(of="person", move="move")
            parts = parts.join(moves, parts.other == moves.of)
            parts = parts.mutate(units=parts.units * parts.move)
            parts = parts.select("person", high=parts.units >> _LIMB, low=parts.units & _LOW, neighbours=one)
        else:
            parts = parts.select("person", high=zero, low="units", neighbours=one)
        own = members.select("person", high="move" if moving else one, low=zero, neighbours=zero)
        grouped = parts.union(own, distinct=False).group_by("person")
        sums = grouped.agg(highs=_.high.sum(), lows=_.low.sum(), neighbours=_.neighbours.sum())
    carried = sums.mutate(high=sums.highs + (sums.lows >> _LIMB), low=sums.lows & _LOW)
    return carried.select("person", "high", "low", "neighbours")


def _coefficients(given: object) -> dict[str, Fraction]:
    """By kind, "" where there are none. InputError for none at all, and for one that is not from 0 to 1."""
    named = dict(given) if isinstance(given, Mapping) else {"": given}
    if not named:
        raise InputError("coefficient", "none", "one for each kind of edge")
    found = {}
    for kind, number in named.items():
        key = f"coefficient of {kind}" if isinstance(given, Mapping) else "coefficient"
        coefficient = exact(number, key)
        if not 0 <= coefficient <= 1:
            raise InputError(key, number, "a number from 0 to 1")
        found[str(kind)] = coefficient
    return found


def _sensitivity(given: object) -> Fraction:
    """ΔQ in the query's unit, exactly. InputError below 0."""
    number = exact(given, "sensitivity")
    if number < 0:
        raise InputError("sensitivity", given, "a number of at least 0")
    return number


def _check_kinds(edges: EdgeTable, known: Collection[str], column: str) -> None:
    """InputError where an edge is of another kind."""
    others = edges.rows.filter(~edges.rows.kind.isin(sorted(known)))
    question = others.aggregate(edges=others.count(), first=others.kind.min())
    answer = counted(question, "kind", column)
    # A kind that was forgotten, or written in capitals: it is not taken to be 0 unsaid.
    if answer["edges"]:
        kinds = ", ".join(sorted(known))
        raise InputError(f"kind {column}", str(answer["first"]), f"one of {kinds}; {answer['edges']} edges are of none")
