"""The degree distribution of a graph, released with noise for one edge or for all edges of one person (Hay, Li, Miklau
and Jensen 2009; Day, Li and Lyu 2016; DDP §VII-B).

In a graph with no degree above D edges are taken one after the other, each where both ends have room. The order of any
two edges is the same in every graph, so that one person's edges change little (Result 18.2). One edge more or less
moves the sorted degrees by 2 in all, so ε = .5 takes noise of scale 4; where five edges depend on each other, of 20.

>>> releases = DegreeDistribution(0.5), DegreeDistribution(0.5, dependence_size=5)
>>> [each._guarantee(STATISTICS["sequence"], most=2).scale for each in releases]
[4.0, 20.0]
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, Self, TypeAlias, final, get_args

import numpy as np
from numpy.typing import NDArray

from dalenius.dependent.arguments import checked_nats, one_of, whole_number
from dalenius.dependent.graphs import Dropped, Edges, clean_edges, degrees
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.noise.sampling import float_up, with_discrete_laplace

_MULTIPLIERS: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS: Final = (np.uint64(30), np.uint64(27))


def projected(edges: Edges, most: int) -> Edges:
    """The edges that are taken where nobody may have more than `most`."""
    own = degrees(edges)
    # Who has no more than `most` edges never runs out of room: what is between two of them is taken in any order.
    taken = (own[edges.first] <= most) & (own[edges.second] <= most)
    rest = np.flatnonzero(~taken)
    first, second = edges.first[rest], edges.second[rest]
    order = np.argsort(_places(first, second))
    room, kept = [most] * edges.people, []
    for one, other, edge in zip(first[order].tolist(), second[order].tolist(), rest[order].tolist(), strict=True):
        if room[one] and room[other]:
            room[one] -= 1
            room[other] -= 1
            kept.append(edge)
    taken[kept] = True
    return Edges(edges.people, edges.first[taken], edges.second[taken])


def _places(first: IntArray, second: IntArray) -> NDArray[np.uint64]:
    """A number per edge, different for all, by which they are ordered: the mixing of splitmix64, a bijection of 64
    bits. By the people's numbers themselves, low numbers would keep their edges and high ones lose them."""
    mixed = (first.astype(np.uint64) << np.uint64(32)) | second.astype(np.uint64)
    for shift, multiplier in zip(_SHIFTS, _MULTIPLIERS, strict=True):
        mixed = (mixed ^ (mixed >> shift)) * multiplier
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


@final
@dataclass(frozen=True)
class DegreeStatistic:
    """What is counted of the degrees, a vector of whole numbers, and what is inferred of it once it is noised: what it
    must satisfy (order, totals) is public, and the nearest that satisfies it is post-processing.

    counted: of degrees (people,) between 0 and D, the largest that is counted; inferred: degrees (people,), ascending,
    between 0 and D, whose statistic is near a noised one, of so many people, which is public. by_edge: how far (L1) one
    edge more or less moves it at the most (Result 18.1).
    """

    counted: Callable[[IntArray, int], IntArray]
    inferred: Callable[[IntArray, int, int], IntArray]
    by_edge: int = 2
    further: int = 0

    def by_person(self, most: int) -> int:
        """How far it moves where all edges of one person change and the graph is projected to degrees of at most D
        (Result 18.3)."""
        return self.by_edge * most + self.further


def _in_order(noised: IntArray, people: int, most: int) -> IntArray:
    return _rounded(np.clip(increasing(noised), 0, most))


def _of_counts_up(noised: IntArray, people: int, most: int) -> IntArray:
    """Degrees from noisy numbers of people with at most 0, 1, .. edges."""
    # A public bound of no edges: nothing was noised, and all have none.
    at_most = _rounded(np.clip(increasing(noised), 0, people)) if most else np.zeros(0, dtype=np.int64)
    return np.repeat(np.arange(most + 1), np.diff(np.concatenate([[0], at_most, [people]])))


def _counts(degrees: IntArray, most: int) -> IntArray:
    return np.bincount(degrees, minlength=most + 1)


def _of_counts(noised: IntArray, people: int, most: int) -> IntArray:
    return np.repeat(np.arange(most + 1), shares(noised, people))


STATISTICS: Final[dict[str, DegreeStatistic]] = {
    # All degrees in ascending order.
    "sequence": DegreeStatistic(lambda degrees, most: np.sort(degrees), _in_order),
    # How many people have at most 0, 1, .., D - 1 edges; at most D have all. It moves as far as the sorted sequence:
    # the area between two of these staircases is the same along either axis.
    "cumulative": DegreeStatistic(lambda degrees, most: np.cumsum(_counts(degrees, most))[:most], _of_counts_up),
    # How many people have 0, 1, .., D edges.
    "histogram": DegreeStatistic(_counts, _of_counts, by_edge=4, further=2),
}


def increasing(noised: IntArray) -> Array:
    """The nearest (L2) sequence that does not fall: isotonic regression, by pooling adjacent violators."""
    from scipy.optimize import isotonic_regression

    if len(noised) == 0:
        return np.zeros(0)
    return np.asarray(isotonic_regression(noised.astype(np.float64)).x, dtype=np.float64)


def shares(noised: IntArray, total: int) -> IntArray:
    """The nearest (L2) numbers of at least 0 with that sum, rounded to whole ones with that sum: all less the same
    amount, and 0 where that is below 0; then the largest remainders are rounded up, the first of equal ones first."""
    falling = np.sort(noised)[::-1].astype(np.float64)
    excess = (np.cumsum(falling) - total) / np.arange(1, len(falling) + 1)
    # Of nobody every share is 0, and no entry is above it.
    kept = int(np.flatnonzero(falling > excess)[-1]) if total else 0
    exact = np.maximum(noised - excess[kept], 0.0) if total else np.zeros(len(noised))
    found = np.floor(exact).astype(np.int64)
    left = total - int(found.sum())
    found[np.argsort(found - exact, kind="stable")[:left]] += 1
    return found


def _rounded(values: Array) -> IntArray:
    """The nearest whole numbers, halves upwards."""
    return np.floor(values + 0.5).astype(np.int64)


Graph: TypeAlias = Edges | NDArray[Any] | Sequence[tuple[int, int]] | Sequence[int]
"""Clean edges; rows of two people, numbered from 0; or everybody's degree."""
_LARGEST: Final = 2**53
"""The most people who may depend on each other."""
GraphNeighbours: TypeAlias = Literal["edge", "node"]


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
    corrected). The dependent sensitivity of DDP Thm 9 promises nothing in general (E2), and is no option.
    """

    def __init__(
        self,
        epsilon: float,
        *,
        neighbours: GraphNeighbours = "edge",
        mode: str = "cumulative",
        max_degree: int | None = None,
        dependence_size: int | None = None,
    ) -> None:
        checked_nats("epsilon", epsilon)
        one_of("neighbours", neighbours, get_args(GraphNeighbours))
        one_of("mode", mode, tuple(STATISTICS))
        # One person may have edges to all others: without a bound no noise hides them.
        if max_degree is None and neighbours == "node":
            raise InputError("max_degree", "missing", "a public bound where neighbours are nodes")
        if max_degree is not None:
            whole_number("max_degree", max_degree, 0)
        if dependence_size is not None and whole_number("dependence_size", dependence_size) > _LARGEST:
            raise InputError("dependence_size", dependence_size, f"at most {_LARGEST}")
        self.epsilon = epsilon
        self.neighbours = neighbours
        self.mode = mode
        self.max_degree = max_degree
        self.dependence_size = dependence_size

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
            if edges is None:  # who is connected to whom decides what is left out
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
        """What noise for so many dependent edges, or people, promises; most: D."""
        person = self.neighbours == "node"
        plain = statistic.by_person(most) if person else statistic.by_edge
        size = self.dependence_size
        moved = plain * (size or 1)
        scale = float_up(Fraction(moved) / Fraction(self.epsilon))
        differential = float_up(plain / Fraction(scale)) if plain else 0.0
        what = "person's edges" if person else "edge"
        why = f"ε-differential privacy of one {what}, independent of all others"
        if size is not None:
            why = f"where one {what} is independent of the vector of all but {size}, itself among them"
        return DegreeGuarantee(self.epsilon, self.neighbours, float(moved), scale, differential, True, why)


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
    # A public bound of no edges at all: nothing is counted, and nothing is hidden.
    if not len(counted) or scale == 0:
        return counted
    return np.array(with_discrete_laplace(counted.tolist(), Fraction(scale)), dtype=np.int64)


def _read(graph: Graph, people: int | None) -> tuple[Edges | None, IntArray, Dropped]:
    """The edges, where they are given; everybody's degree; what was left out."""
    if isinstance(graph, Edges):  # cleaned before, for several releases of one graph
        return graph, degrees(graph), Dropped()
    given = np.asarray(graph)
    # Degrees alone, as a survey asks for them; but an empty list and a number of people are a graph without edges.
    if given.ndim == 1 and (given.size or people is None):
        if people not in (None, given.size):
            raise InputError("people", people, f"{given.size}, as many as there are degrees")
        return None, _degrees(given), Dropped()
    if people is None:
        raise InputError("people", "missing", "how many there are, beside pairs of them")
    edges, dropped = clean_edges(people, given if given.size else np.zeros((0, 2), dtype=np.int64))
    return edges, degrees(edges), dropped


def _degrees(given: NDArray[Any]) -> IntArray:
    """Everybody's degree, checked. InputError for none, for fractions, and for more edges than there are others."""
    if given.size == 0 or given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= given.size:
        wanted = "a whole number from 0 to people - 1 for each of at least one person"
        shown = "none" if given.size == 0 else f"{given.dtype} from {given.min()} to {given.max()} of {given.size}"
        raise InputError("degrees", shown, wanted)
    return given.astype(np.int64)
