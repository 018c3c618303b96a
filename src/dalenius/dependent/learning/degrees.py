"""The degree distribution of a graph, released with noise for one edge or for all edges of one person (Hay, Li, Miklau
and Jensen 2009; Day, Li and Lyu 2016; DDP §VII-B)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, Self, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.dependent.graphs import Dropped, Edges, clean_edges, degrees
from dalenius.dependent.learning.arguments import moderate, nats
from dalenius.dependent.learning.degree_projection import projected
from dalenius.dependent.learning.degree_statistics import STATISTICS, DegreeStatistic
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.noise.sampling import float_up, with_discrete_laplace

Graph: TypeAlias = Edges | NDArray[Any] | Sequence[tuple[int, int]] | Sequence[int]
"""Clean edges; rows of two people, numbered from 0; or everybody's degree."""
LARGEST: Final = 2**53
"""The most people who may depend on each other."""
Neighbours: TypeAlias = Literal["edge", "node"]


@final
@dataclass(frozen=True)
class DegreeGuarantee:
    """epsilon: what is promised (nats), of one edge more or less (`edge`), or of all edges of one person together
    (`node`). sensitivity: the distance (L1) that the noise is for; scale: of the discrete Laplace noise; differential:
    the ε of differential privacy that it has, whatever depends on whatever. sound: whether the promise follows."""

    epsilon: float
    neighbours: str
    sensitivity: float
    scale: float
    differential: float
    sound: bool
    why: str


@final
class DegreeDistribution:
    """How many people have how many edges, from whole numbers with discrete Laplace noise and constrained inference.

    neighbours: what the promise hides: `edge`, one edge more or less; `node`, all edges of one person, whoever they
    lead to; the number of people is public. mode: what is noised: `cumulative`, how many have at most 0, 1, .. edges;
    `sequence`, all degrees in ascending order, which moves as far and mostly has more numbers; `histogram`, how many
    have 0, 1, .. of them. max_degree: a public bound D, by default the people less one: larger degrees count as D
    (`edge`); edges beyond D per person are left out by a fixed order (`node`, where it is needed).

    Edges depend on each other. dependence_size: L of group noise, where any edge (or person) is independent of the
    vector of all but L of them, itself among these; the promise then is ε-dependent differential privacy (DDP Thm 7 as
    corrected). sensitivity: given in place of the plain one, the dependent sensitivity of DDP Thm 9, which promises
    nothing in general (E2) unless it is at least L times the plain one.
    """

    def __init__(
        self,
        epsilon: float,
        *,
        neighbours: Neighbours = "edge",
        mode: str = "cumulative",
        max_degree: int | None = None,
        dependence_size: int | None = None,
        sensitivity: float | None = None,
    ) -> None:
        _check(epsilon, neighbours, mode, max_degree, dependence_size, sensitivity)
        self.epsilon = epsilon
        self.neighbours = neighbours
        self.mode = mode
        self.max_degree = max_degree
        self.dependence_size = dependence_size
        self.sensitivity = sensitivity

    def fit(self, graph: Graph, people: int | None = None) -> Self:
        """Draw the release of this graph. people: how many there are, where edges are given by pairs.

        Sets degrees_ (people,), ascending; counts_ (degrees,), how many have 0, 1, ..; guarantee_; and dropped_, what
        was left out of pairs that were no edges. InputError for a graph that cannot be read, and for degrees alone
        where whole people are hidden: what one person's edges add to others' degrees is not in them.
        """
        edges, found, dropped = _read(graph, people)
        statistic = STATISTICS[self.mode]
        most = min(len(found) - 1, len(found) if self.max_degree is None else self.max_degree)
        if self.neighbours == "node":
            if edges is None:
                raise InputError("graph", "degrees alone", "edges where neighbours are nodes")
            found = degrees(projected(edges, most))
        counted = statistic.counted(np.minimum(found, most), most)
        self.guarantee_ = self._guarantee(statistic, most)
        noised = _noised(counted, self.guarantee_.scale)
        self.dropped_ = dropped
        self.degrees_ = statistic.inferred(noised, len(found), most)
        self.counts_ = np.bincount(self.degrees_, minlength=(0 if self.max_degree is None else most) + 1)
        return self

    def distribution(self) -> Array:
        """The share of people who have 0, 1, .. edges. InputError before `fit`."""
        if not hasattr(self, "counts_"):
            raise InputError("DegreeDistribution", "not fitted", "fit before distribution")
        return np.asarray(self.counts_ / self.counts_.sum())

    def _guarantee(self, statistic: DegreeStatistic, most: int) -> DegreeGuarantee:
        plain = statistic.by_edge() if self.neighbours == "edge" else statistic.by_person(most)
        group = plain * (self.dependence_size or 1)
        asked = Fraction(group if self.sensitivity is None else self.sensitivity)
        scale = float_up(asked / Fraction(self.epsilon))
        differential = 0.0 if plain == 0 else float_up(plain / Fraction(scale)) if scale else float("inf")
        sound, why = self._judged(float(asked), group)
        return DegreeGuarantee(self.epsilon, self.neighbours, float(asked), scale, differential, sound, why)

    def _judged(self, asked: float, group: int) -> tuple[bool, str]:
        what = "edge" if self.neighbours == "edge" else "person's edges"
        size = self.dependence_size
        if self.sensitivity is not None and (size is None or asked < group):
            return False, f"pairwise dependence does not bound what depends on one {what} together (E2)"
        if size is None:
            return True, f"ε-differential privacy of one {what}, independent of all others"
        return True, f"where one {what} is independent of the vector of all but {size}, itself among them"


def degree_accuracy(counts: IntArray, published: IntArray) -> float:
    """1 - ‖C - C′‖₁/‖C + C′‖₁ of two degree distributions, both by 0, 1, .. edges (DDP §VII-B3): 1 where they are
    equal, 0 where nobody has a degree that anybody has in the other."""
    length = max(len(counts), len(published))
    one, other = (np.pad(np.asarray(each), (0, length - len(each))) for each in (counts, published))
    total = int(np.abs(one + other).sum())
    if total == 0:
        raise InputError("counts", "nobody", "at least one person")
    return 1 - int(np.abs(one - other).sum()) / total


def _noised(counted: IntArray, scale: float) -> IntArray:
    if not len(counted) or scale == 0:
        return counted
    return np.array(with_discrete_laplace(counted.tolist(), Fraction(scale)), dtype=np.int64)


def _read(graph: Graph, people: int | None) -> tuple[Edges | None, IntArray, Dropped]:
    """The edges, where they are given; everybody's degree; what was left out."""
    if isinstance(graph, Edges):
        return graph, degrees(graph), Dropped()
    given = np.asarray(graph)
    if given.ndim == 1 and (given.size or people is None):
        if people not in (None, given.size):
            raise InputError("people", people, f"{given.size}, as many as there are degrees")
        return None, _degrees(given), Dropped()
    if people is None:
        raise InputError("people", "missing", "how many there are, beside pairs of them")
    edges, dropped = clean_edges(people, given if given.size else np.zeros((0, 2), dtype=np.int64))
    return edges, degrees(edges), dropped


def _degrees(given: NDArray[Any]) -> IntArray:
    if given.size == 0 or given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= given.size:
        wanted = "a whole number from 0 to people - 1 for each of at least one person"
        shown = "none" if given.size == 0 else f"{given.dtype} from {given.min()} to {given.max()} of {given.size}"
        raise InputError("degrees", shown, wanted)
    return given.astype(np.int64)


NEIGHBOURS: Final = ("edge", "node")


def _check(
    epsilon: float,
    neighbours: str,
    mode: str,
    max_degree: int | None,
    dependence_size: int | None,
    sensitivity: float | None,
) -> None:
    nats("epsilon", epsilon)
    if neighbours not in NEIGHBOURS:
        raise InputError("neighbours", neighbours, f"one of {', '.join(NEIGHBOURS)}")
    if mode not in STATISTICS:
        raise InputError("mode", mode, f"one of {', '.join(STATISTICS)}")
    if max_degree is None and neighbours == "node":
        raise InputError("max_degree", "missing", "a public bound where neighbours are nodes")
    if max_degree is not None and max_degree < 0:
        raise InputError("max_degree", max_degree, "at least 0")
    if dependence_size is not None and not 1 <= dependence_size <= LARGEST:
        raise InputError("dependence_size", dependence_size, f"at least 1, and at most {LARGEST}")
    if sensitivity is not None:
        moderate("sensitivity", sensitivity)
