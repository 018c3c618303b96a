"""How many people have 0, 1, 2, .. connections, from noisy cumulative counts (Theory §18).

c(d) is how many people have at most d. One edge moves c by 2 in all (Result 18.1). All edges of one person move it by
2D in a projected graph, whose edges are taken in a fixed order, each if both ends have fewer than D so far (Result
18.3).
"""

from fractions import Fraction
from typing import Any, Final, Self, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.dependent.arguments import BadArgument, one_of, whole
from dalenius.dependent.estimator import PrivateEstimator, noised
from dalenius.dependent.guarantee import Drawn
from dalenius.models import Model
from dalenius.sentences.sentence import said

_NEIGHBOURS: Final = ("person", "edge")


def cumulative(degrees: IntArray, most: int) -> IntArray:
    """Counts the people with at most d edges, for each d from 0 to most - 1 (most,).

    Args:
        degrees: How many edges each person has (people,).
        most: The degree from which on people are not told apart.
    """
    counts = np.bincount(np.minimum(degrees, most), minlength=most + 1)
    return np.cumsum(counts)[:-1].astype(np.int64)


def projected(edges: IntArray, people: int, most: int) -> IntArray:
    """The degrees (people,) in the graph of the edges (m, 2), each pair once, lower end first, that are taken in order
    of their ends where both have fewer than `most` so far."""
    found = [0] * people
    for one, other in edges[np.lexsort((edges[:, 1], edges[:, 0]))].tolist():
        if found[one] < most and found[other] < most:
            found[one] += 1
            found[other] += 1
    return np.array(found, dtype=np.int64)


@final
class DegreeDistribution(PrivateEstimator):
    """The degree distribution of a graph of people, with a promise for all edges of a person, or for one edge.

    After `fit` it has `counts_` (max_degree + 1,), how many people have 0, 1, .. edges, the last of at least
    `max_degree`; they are at least 0 and sum to `people`. `drawn_` is the noise.

    Args:
        people: How many there are, with and without edges; it is public.
        max_degree: How many edges of a person count at most; of a person's neighbours edges beyond it are left out.
        epsilon: The promise in nats.
        neighbours: What is hidden: "person" (the default), all edges of one person, or "edge", one edge.
        method: What multiplies the noise under dependence: "independent" (once, the default), "group", "comonotone",
            "exact", "dependence_coefficient" or "dependence_coefficient_closed".
        dependence: How what is hidden depends on each other: the largest group's size, or a model whose records say
            what a person's (or pair's) edges are; None beside "independent".
        accept_unsound: Whether to release by a method that promises nothing.

    Raises:
        InputError: For arguments and edges that are not what was wanted, by `fit`; a ValueError too.

    Example:
        >>> import dalenius as dl
        >>> import numpy as np
        >>> ring = np.column_stack([np.arange(3000), (np.arange(3000) + 1) % 3000])
        >>> found = dl.DegreeDistribution(3000, max_degree=5, epsilon=2.0).fit(ring)
        >>> bool(found.counts_[2] > 2500), found.score(ring) > 0.8
        (True, True)

    Notes:
        Theory §18, after Hay, Li, Miklau and Jensen 2009 and Day, Li and Lyu 2016; DDP §VII-B3.
    """

    def __init__(
        self,
        people: int = 1,
        *,
        max_degree: int = 10,
        epsilon: float = 1.0,
        neighbours: str = "person",
        method: str = "independent",
        dependence: int | Model | None = None,
        accept_unsound: bool = False,
    ) -> None:
        self.people = people
        self.max_degree = max_degree
        self.epsilon = epsilon
        self.neighbours = neighbours
        self.method = method
        self.dependence = dependence
        self.accept_unsound = accept_unsound

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Draw the release of this graph.

        Args:
            X: The edges: two columns (m, 2) of people's numbers or names. Self-loops and repeated edges count for
                nothing.
            y: Nothing; it is there for pipelines.

        Returns:
            The estimator, with counts.
        """
        from sklearn.isotonic import isotonic_regression  # a second of scipy, which nothing else here needs

        exact, people = self._exact(X), whole("people", self.people)
        drawn = self._drawn(self._promised(people if self.neighbours == "person" else 0))
        noisy = noised(exact, drawn.scale).astype(np.float64)
        rising = isotonic_regression(noisy, y_min=0.0, y_max=float(people))
        self.counts_: Array = np.diff(rising, prepend=0.0, append=float(people))
        self.drawn_, self.n_people_ = (drawn,), people
        return self

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """Compute the accuracy 1 - ‖C - C′‖₁/‖C + C′‖₁ of the released counts C′ (DDP §VII-B3).

        Args:
            X: The edges (m, 2).
            y: Nothing; it is there for pipelines.

        Returns:
            The accuracy from 0 to 1, where all edges beyond `max_degree` count as that many. It is private.
        """
        self._check_fitted()
        ends, people = self._edges(X), whole("people", self.people)
        true = np.bincount(np.minimum(np.bincount(ends.ravel(), minlength=people), self.max_degree))
        true = np.pad(true, (0, len(self.counts_) - len(true)))
        return 1.0 - float(np.abs(true - self.counts_).sum() / (true + self.counts_).sum())

    def _exact(self, given: Any) -> IntArray:
        """The exact cumulative counts, of the projected graph where a person is hidden."""
        hidden = one_of("neighbours", self.neighbours, _NEIGHBOURS)
        people, most = whole("people", self.people), whole("max_degree", self.max_degree)
        edges = self._edges(given)
        if hidden == "person":
            return cumulative(projected(edges, people, most), most)
        return cumulative(np.bincount(edges.ravel(), minlength=people), most)

    def _drawn(self, epsilon: Fraction) -> Drawn:
        moved = Fraction(2 if self.neighbours == "edge" else 2 * self.max_degree)
        return Drawn(said("on_degrees"), moved / epsilon, Fraction(1), moved)

    def _edges(self, given: Any) -> IntArray:
        """Each pair of two people once (m, 2), by numbers in the order of their names, the lower one first."""
        found = np.asarray(given)
        if found.ndim != 2 or found.shape[1] != 2:
            raise BadArgument("X", f"shape {found.shape}", "edges: two columns of people's numbers or names")
        if found.dtype == object:
            found = found.astype(str)
        # A missing end has no name; which people there are is public, so that it is no secret.
        if found.dtype.kind not in "iuU":
            raise BadArgument("X", str(found.dtype), "edges: two columns of people's numbers or names")
        names, numbers = np.unique(found, return_inverse=True)
        if len(names) > self.people:
            raise BadArgument("people", self.people, f"at least the {len(names)} that have edges")
        ends = np.sort(numbers.reshape(-1, 2), axis=1)
        return np.unique(ends[ends[:, 0] < ends[:, 1]], axis=0).astype(np.int64).reshape(-1, 2)

    def _kind(self) -> str:
        return "degrees"
