"""Noise for a graph in the user's engine: by dependence coefficients (DDP Thm 9; unsound: errata E2), and soundly."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, Final, Literal, final, get_args

import numpy as np
from numpy.typing import ArrayLike

from dalenius.calibration.pairwise.by_counts import Curves, added_up, comonotone_curves
from dalenius.calibration.pairwise.value_grid import Formula, coefficient, diameter
from dalenius.calibration.search import least_scale_by_worst
from dalenius.errors import InputError
from dalenius.graphs import Dropped
from dalenius.laws.law import IntArray
from dalenius.tables.cliques import of_cliques
from dalenius.tables.edges import EdgeTable, open_edges
from dalenius.tables.kinds import check_kinds, kind_counts, several_kinds

By = Formula | Literal["comonotone"]
ALL = "all"
"""What the one kind is called where edges have none."""
UNSOUND: Final = "the joint law of the others matters, not that of each alone (errata E2)"
SOUND: Final = "people who are not connected are independent of the vector of all who are, and all who are have an edge"
OPEN: Final = (
    "some who share a neighbour have no edge: the pairs contradict that others are independent of a neighbourhood"
)


@final
@dataclass(frozen=True)
class NetworkScale:
    """scale: of the noise; dependent_sensitivity: ε times it, which is DS where coefficients are added up.

    coefficients: ρ of each kind of edge at that scale, upper ends; none for the comonotone bound. worst: how many edges
    of each kind those have who ask for most noise, and people: how many of them there are. sound: whether every joint
    law with these pair laws keeps the promise; why: what that rests on, or what fails.
    """

    scale: float
    dependent_sensitivity: float
    coefficients: Mapping[str, float]
    worst: Mapping[str, int]
    people: int
    edges: int
    dropped: Dropped
    sound: bool
    why: str


def network_scale(
    edges: Any,
    laws: Mapping[str, ArrayLike] | ArrayLike,
    points: ArrayLike,
    epsilon: float,
    formula: By = "exact",
    *,
    ends: tuple[str, str] = ("first", "second"),
    kind: str | None = None,
    people: Any = None,
    person: str = "person",
    directed: bool = False,
) -> NetworkScale:
    """The least Laplace scale, over people's numbers of edges by kind, which are counted once, in the engine.

    edges, ends, kind, people, person, directed: as in dependent_sensitivity. laws: Pr[D_j = v | D_i = s] (s, v) of
    every edge, or of each kind; points (v,) or (v, d): what value v adds to the answer, in the query's unit, so that
    ΔQ is their diameter.
    formula: how what a person's value reveals is bounded. exact, fixed, far: own ΔQ/σ plus ρ_ij ΔQ/σ of each neighbour,
    by DDP Eq 14 or a reading of Eq 18, so that σ = DS(σ)/ε is a fixed point; not sound. comonotone: by Result 15.2, for
    points of one coordinate and undirected edges; sound where people who share a neighbour are neighbours. Elsewhere
    the pairs contradict what it supposes, that all others are independent of a person's and the neighbours' records.
    """
    if formula not in (*get_args(Formula), "comonotone"):
        raise InputError("formula", formula, f"one of {', '.join(get_args(Formula))}, comonotone")
    given = {name: np.asarray(law, dtype=np.float64) for name, law in _named(laws, kind).items()}
    own = diameter(points)
    if not 0 < epsilon < inf:
        raise InputError("epsilon", epsilon, "a finite number above 0")
    if not own:
        raise InputError("points", "all the same", "values that change the answer")
    if formula == "comonotone" and directed:
        raise InputError("directed", True, "undirected edges with the formula comonotone: neighbours either way count")
    table = open_edges(edges, ends, kind=kind, people=people, person=person, directed=directed)
    names = sorted(given)
    counts, those = _counts(table, names, kind)
    curves: Curves
    if formula == "comonotone":
        _check_one_kind(table)
        curves = comonotone_curves(counts, [given[name] for name in names], points)
    else:
        curves = added_up(counts, [given[name] for name in names], points, formula)
    most = own * (1 + int(counts.sum(axis=1).max())) / epsilon
    scale = least_scale_by_worst(partial(_look, curves), epsilon, most)
    at = curves.worst(scale)
    rho = {} if formula == "comonotone" else {name: _upper(given[name], points, scale, formula) for name in names}
    worst = dict(zip(names, counts[at].tolist(), strict=True))
    sound, why = (False, UNSOUND) if formula != "comonotone" else (True, SOUND) if of_cliques(table) else (False, OPEN)
    return NetworkScale(scale, scale * epsilon, rho, worst, int(those[at]), table.edges, table.dropped, sound, why)


def _look(curves: Curves, scale: float) -> tuple[float, Any]:
    at = curves.worst(scale)
    return curves.at(at, scale), partial(curves.at, at)


def _upper(law: ArrayLike, points: ArrayLike, scale: float, formula: Formula) -> float:
    return coefficient(law, points, scale, formula).upper


def _named(laws: Mapping[str, ArrayLike] | ArrayLike, kind: str | None) -> Mapping[str, ArrayLike]:
    if isinstance(laws, Mapping) != (kind is not None):
        raise InputError("kind", kind or "missing", "a column of kinds, and a law for each of its values")
    return laws if isinstance(laws, Mapping) else {ALL: laws}


def _counts(table: EdgeTable, names: list[str], kind: str | None) -> tuple[IntArray, IntArray]:
    """Edges by kind, and how many people have so many; one person without any where there is nobody."""
    if kind is not None:
        check_kinds(table, names, kind)
    counts, those = kind_counts(table, names if kind is not None else [""])
    if not len(counts):
        return np.zeros((1, len(names)), dtype=np.int64), np.zeros(1, dtype=np.int64)
    return counts, those


def _check_one_kind(table: EdgeTable) -> None:
    if pairs := several_kinds(table):
        wanted = "one law for each pair of people with the formula comonotone"
        raise InputError("kind", f"several between the same two people, {pairs} times", wanted)
