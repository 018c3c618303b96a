"""Dependent sensitivity over an edge table, in the user's engine (DDP Eq 23, 24): one pass, sums of whole numbers only.

What an engine adds up is whole, so that no order of summation shows: every engine finds the same digits. Coefficients
and sensitivities are rounded up to whole units first, so that the result is never below DS.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter
from pathlib import Path
from typing import Any, Final, final

from dalenius.bounds import Enclosure
from dalenius.dependent.edges import COEFFICIENT_UNITS, EdgeTable, halves, open_edges
from dalenius.dependent.graphs import Dropped
from dalenius.dependent.members import MOVE_BITS, Members
from dalenius.errors import InputError
from dalenius.tables.engine import Table, answer_of, engine_errors, ibis
from dalenius.tallies import exact

LIMB: Final = 32
"""Bits of the lower part of a product, where sensitivities differ between people: sums of either part over 2^30 edges
stay below 2^63."""
LOW: Final = 2**LIMB - 1


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
    per_person: Table

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
    edges: Table | Path | str,
    coefficient: float | Fraction | str | Mapping[str, float | Fraction],
    sensitivity: float | Fraction | str = 1,
    *,
    ends: tuple[str, str] = ("first", "second"),
    kind: str | None = None,
    people: Table | Path | str | None = None,
    person: str = "person",
    directed: bool = False,
) -> DependentSensitivity:
    """max_i DS_i with DS_i = ΔQ_i + Σ_j ρ_ij ΔQ_j over the edges of i (DDP Eq 23, 24), and DS_i of everybody.

    edges, people: Ibis tables of one engine, or CSV or Parquet files. coefficient: ρ as one number, the name of a
    column, or one for each value of the column `kind`; sensitivity: ΔQ as one number, or a column of `people`.
    Undirected edges count at both ends however they are stored; directed: row (i, j) says ρ_ij, and counts at i only.
    Edges are cleaned as open_edges says. The noise of scale DS/ε promises nothing in general (errata E2).
    """
    if isinstance(coefficient, Mapping) != (kind is not None):
        raise InputError("kind", kind or "missing", "a column of kinds, and a coefficient for each of its values")
    named, move = (each if isinstance(each, str) else None for each in (coefficient, sensitivity))
    given = None if isinstance(coefficient, str) else _coefficients(coefficient)
    whole = Fraction(1) if isinstance(sensitivity, str) else _sensitivity(sensitivity)
    table = open_edges(
        edges, ends, coefficient=named, kind=kind, people=people, person=person, move=move, directed=directed
    )
    if given is not None and kind is not None:
        _check_kinds(table, given, kind)
    return over_edges(table, given, whole, moving=move is not None)


def over_edges(
    edges: EdgeTable,
    coefficients: Mapping[str, Fraction] | None,
    sensitivity: Fraction = Fraction(1),
    moving: bool = False,
) -> DependentSensitivity:
    """The same of a table that is clean. coefficients: by kind, "" where edges have none; None: each edge's own units.

    moving: ΔQ is each member's own move, and not `sensitivity`, which then multiplies it.
    """
    found = _Moving(edges, coefficients, sensitivity) if moving else _Alike(edges, coefficients, sensitivity)
    sums = found.sums()
    with engine_errors("edges", "first, second", "columns that the engine can add up"):
        rows = sums.order_by([sums.high.desc(), sums.low.desc(), sums.person.asc()]).limit(1).to_pyarrow().to_pylist()
    first: dict[str, Any] = rows[0] if rows else {"person": None, "high": 0, "low": 0, "neighbours": 0}
    lower, upper = found.ends(int(first["high"]), int(first["low"]), int(first["neighbours"]))
    return DependentSensitivity(
        Enclosure(_below(lower), _above(upper)),
        upper,
        first["person"],
        int(first["neighbours"]),
        edges.edges,
        edges.dropped,
        found.per_person(sums),
    )


@dataclass(frozen=True, eq=False)
class _Sums(ABC):
    """What is added up for each person: `high` and `low`, whole numbers."""

    edges: EdgeTable
    coefficients: Mapping[str, Fraction] | None
    sensitivity: Fraction

    @abstractmethod
    def sums(self) -> Table:
        """person, high, low, neighbours: higher pairs (high, low) for greater DS."""

    @abstractmethod
    def ends(self, high: int, low: int, neighbours: int) -> tuple[Fraction, Fraction]:
        """DS of a person with these sums: not more than the truth, and not less."""

    @abstractmethod
    def per_person(self, sums: Table) -> Table:
        """person, neighbours, sensitivity: DS_i, an upper end to rounding."""

    def halves(self) -> Table:
        """Every edge as person, other and units: at both its ends, or at its first only."""
        return halves(self.edges, units=self._units())

    def _units(self) -> Any:
        rows, given = self.edges.rows, self.coefficients
        if given is None:
            return rows.units
        whole = {kind: _up(number) for kind, number in given.items()}
        if set(whole) == {""}:
            return ibis().literal(whole[""], "int64")
        cases = [(kind, ibis().literal(units, "int64")) for kind, units in sorted(whole.items())]
        return rows.kind.cases(*cases, else_=ibis().literal(0, "int64"))


@final
class _Alike(_Sums):
    """ΔQ is one number: DS_i = ΔQ (1 + Σ units · 2^-32)."""

    def sums(self) -> Table:
        _, zero = ibis()._, ibis().literal(0, "int64")
        parts = self.halves().select("person", "units")
        if self.edges.members is None:  # counting rows is cheaper than adding up ones
            sums = parts.group_by("person").agg(high=_.units.sum(), neighbours=_.count())
            return sums.mutate(low=zero)
        there = parts.mutate(neighbours=ibis().literal(1, "int64"))
        own = self.edges.members.rows.select("person", units=zero, neighbours=zero)
        sums = (
            there.union(own, distinct=False).group_by("person").agg(high=_.units.sum(), neighbours=_.neighbours.sum())
        )
        return sums.mutate(low=zero)

    def ends(self, high: int, low: int, neighbours: int) -> tuple[Fraction, Fraction]:
        if self.coefficients is not None and set(self.coefficients) == {""}:
            exactly = self.sensitivity * (1 + neighbours * self.coefficients[""])
            return exactly, exactly
        upper = self.sensitivity * (1 + Fraction(high, COEFFICIENT_UNITS))
        return max(upper - self.sensitivity * Fraction(neighbours, COEFFICIENT_UNITS), self.sensitivity), upper

    def per_person(self, sums: Table) -> Table:
        unit = float(self.sensitivity / COEFFICIENT_UNITS)
        sensitivity = (sums.high + COEFFICIENT_UNITS).cast("float64") * unit
        return sums.select("person", "neighbours", sensitivity=sensitivity)


@final
class _Moving(_Sums):
    """ΔQ is each person's own: DS_i = unit (q_i + Σ units_ij q_j 2^-32), in two parts of 32 bits and more."""

    def sums(self) -> Table:
        _, zero = ibis()._, ibis().literal(0, "int64")
        members = self._members()
        moves = members.rows.select(of="person", move="move")
        halves = self.halves()
        joined = halves.join(moves, halves.other == moves.of)
        product = joined.units * joined.move
        one = ibis().literal(1, "int64")
        parts = joined.select("person", high=product >> LIMB, low=product & LOW, neighbours=one)
        own = members.rows.select("person", high="move", low=zero, neighbours=zero)
        both = parts.union(own, distinct=False)
        sums = both.group_by("person").agg(highs=_.high.sum(), lows=_.low.sum(), neighbours=_.neighbours.sum())
        carried = sums.mutate(high=sums.highs + (sums.lows >> LIMB), low=sums.lows & LOW)
        return carried.select("person", "high", "low", "neighbours")

    def ends(self, high: int, low: int, neighbours: int) -> tuple[Fraction, Fraction]:
        unit = self.sensitivity * self._members().unit
        upper = unit * (high + Fraction(low, COEFFICIENT_UNITS))
        # Units and moves are less than 1 above the truth: a product less than their sum, at most 2^32 + 2^MOVE_BITS.
        doubt = 1 + neighbours * (1 + Fraction(2**MOVE_BITS, COEFFICIENT_UNITS))
        return max(upper - unit * doubt, Fraction(0)), upper

    def per_person(self, sums: Table) -> Table:
        unit = float(self.sensitivity * self._members().unit)
        sensitivity = (sums.high.cast("float64") + sums.low.cast("float64") / float(COEFFICIENT_UNITS)) * unit
        return sums.select("person", "neighbours", sensitivity=sensitivity)

    def _members(self) -> Members:
        if self.edges.members is None:
            raise InputError("people", "missing", "the table that says how far each person moves the answer")
        return self.edges.members


def _coefficients(given: object) -> dict[str, Fraction]:
    """By kind, "" where there are none."""
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
    number = exact(given, "sensitivity")
    if number < 0:
        raise InputError("sensitivity", given, "a number of at least 0")
    return number


def _up(number: Fraction) -> int:
    return -((-number * COEFFICIENT_UNITS) // 1)


def _above(number: Fraction) -> float:
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else nextafter(nearest, inf)


def _below(number: Fraction) -> float:
    nearest = float(number)
    return nearest if Fraction(nearest) <= number else nextafter(nearest, -inf)


def _check_kinds(edges: EdgeTable, known: Collection[str], column: str) -> None:
    """InputError where an edge is of another kind."""
    others = edges.rows.filter(~edges.rows.kind.isin(sorted(known)))
    question = others.aggregate(edges=others.count(), first=others.kind.min())
    with engine_errors("kind", column, "a column that the engine can count"):
        answer = answer_of(question).to_pylist()[0]
    if answer["edges"]:
        kinds = ", ".join(sorted(known))
        raise InputError(f"kind {column}", str(answer["first"]), f"one of {kinds}; {answer['edges']} edges are of none")
