"""A network of people if only the laws of linked pairs are known (DDP §V and §VI).

If the links are a forest, they have one Markov law, which is a Bayesian network.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, final
from weakref import ReferenceType, ref

import numpy as np
from pydantic import BeforeValidator, Discriminator, Field, PrivateAttr, Tag, model_validator

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError, TooLarge
from dalenius.fields import Count, Probabilities, RecordValue
from dalenius.joints.joint import Belief
from dalenius.models.bayesian_network import Network, Node
from dalenius.models.model import Model
from dalenius.omitted import Omitted
from dalenius.pairs.dropped_edges import Dropped
from dalenius.pairs.law_of_two_records import (
    ConditionalRows,
    Distance,
    Entries,
    NamedLaw,
    OnlyLaw,
    PairLaw,
    furthest,
)
from dalenius.pairs.limits import MOST_PEOPLE
from dalenius.pairs.linked_people import EdgeFile, EdgeRow, LinkedPeople, NamedPeople, as_edges, linked_people
from dalenius.pairs.pairwise_belief import UNKNOWN, PairwiseLaw
from dalenius.sentences.sentence import counted, few_listed, phrase, said, semicolons, value_phrase


def _markov_nodes(law: PairwiseLaw) -> tuple[Node, ...]:
    """Returns a node for each person, in their order.

    The first person of each connected part is its root. Everybody else's parent is the neighbour on the way there.

    Raises:
        InputError: If edges have a cycle, or a marginal is not known.
    """
    # Somebody with no edges, or whose edges' laws go with several marginals.
    unknown = np.flatnonzero(law.prior == UNKNOWN)
    if len(unknown):
        raise InputError(
            "model.prior", "missing", f"the marginal of person {unknown[0] + 1}, which no law of a pair says"
        )
    names = law.names if law.names is not None else tuple(str(i) for i in range(1, law.people + 1))
    nodes = []
    for person, (above, edge) in sorted(_forest(law).items()):
        own = law.priors[law.prior[person]]
        rows: Array = own[None]
        # All but the first of each connected part, who has no parent.
        if above >= 0:
            pair = law.laws[law.law[edge]]
            rows = pair.forward if law.first[edge] == above else pair.backward
            # Given what a parent cannot be, anything may be said.
            rows = np.where(law.possible(int(law.prior[above]))[:, None], rows, own)
        given = [tuple(row) for row in rows.tolist()]
        node = Node(
            name=names[person],
            values=law.values,
            parents=() if above < 0 else (names[above],),
            probabilities=given[0] if above < 0 else tuple(given),
            label=law.labels[law.stratum[person]],
        )
        nodes.append(node)
    return tuple(nodes)


def _forest(law: PairwiseLaw) -> dict[int, tuple[int, int]]:
    """Returns each person's parent and the edge to it; both are -1 for roots."""
    n = law.people
    parts = int(law.component.max()) + 1
    # More edges than a forest has: some friends of friends are friends.
    if len(law.first) > n - parts:
        wanted = (
            "a forest: with a cycle of edges, the pairs' laws and the Markov property fix no joint law in closed form"
        )
        raise InputError("model.edges", f"{len(law.first)} edges among {n} people in {parts} parts", wanted)
    near: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for edge, (one, other) in enumerate(zip(law.first.tolist(), law.second.tolist(), strict=True)):
        near[one].append((other, edge))
        near[other].append((one, edge))
    found: dict[int, tuple[int, int]] = {}
    for root in range(n):
        waiting = [] if root in found else [root]
        found.setdefault(root, (-1, -1))
        while waiting:
            person = waiting.pop()
            for other, edge in near[person]:
                if other not in found:
                    found[other] = person, edge
                    waiting.append(other)
    return found


_Edges = Annotated[
    Annotated[EdgeFile, Tag("file")] | Annotated[tuple[EdgeRow, ...], BeforeValidator(as_edges), Tag("list")],
    Discriminator(lambda given: "file" if isinstance(given, dict | EdgeFile) else "list"),
]

_HYPOTHESES: Final = {"independent": "pairs_independent", "anything": "pairs_anything", "markov": "pairs_markov"}


@final
@dataclass(frozen=True, eq=False)
class _Network:
    """The checked network of one model. All are equal, since models are compared by their fields alone."""

    owner: "ReferenceType[Pairwise]"
    law: PairwiseLaw
    dropped: Dropped

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, _Network)

    def __hash__(self) -> int:
        return 0

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        """Pickles nothing: the model makes it again."""
        return type(None), ()


@final
class Pairwise(Model):
    """People whose linked pairs of records have known laws. No joint law of everybody is known.

    The law of a pair is one of `given`, `table` and `distance`, for all edges; or each edge names one of `laws`.

    Args:
        n: How many people there are, if they are called by number, from 1; or `people`.
        people: The names of the people.
        values: The universe of each record, k different numbers or texts; None (the default) for 0..k-1.
        labels: Public labels for queries, one per record; None (the default) for no labels.
        prior: The marginal of every record, k probabilities; None (the default) for what the laws imply.
        edges: The linked pairs of people, by number from 1 or by name, with the name of their law if there are several;
            or a file of them. None by default.
        given: The law as rows (k, k), the same from either end: row s has Pr[X_j = . | X_i = s].
        table: The law as joint probabilities (k, k), with a row for each value of an edge's first person.
        distance: The law as friends' distance, Pr[X_j = d | X_i = d'] ∝ (distance from d to d' + b)^-c (DDP Eq 26).
        laws: Several laws, each with a name and one of `given`, `table` and `distance`.
        others: What is supposed of all that the laws of pairs leave open. "independent" (the default): all records but
            a person's neighbours' are independent of the vector of the person's record and the neighbours'. "anything":
            people connected by no path are independent of the vector of those who are; nothing else is known. "markov":
            given the record of the people between two people, theirs are independent.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        Three friends stand in a row; each is like the next with .9. The middle one is the most exposed if strangers are
        independent; 1.2940 is the leakage of the Markov law.

        >>> import dalenius as dl
        >>> row = dl.Pairwise(n=3, edges=((1, 2), (2, 3)), given=((0.9, 0.1), (0.1, 0.9)))
        >>> for others in ("independent", "anything", "markov"):
        ...     friends = row.model_copy(update={"others": others})
        ...     found = dl.InferentialPrivacy().leakage(dl.Release(friends, dl.Count(), dl.Laplace(scale=2.0)))
        ...     print(others, f"{found.lower:.4f} {found.upper:.4f}")
        independent 1.3127 1.3127
        anything 1.3127 1.3970
        markov 1.2940 1.2940

    Notes:
        DDP §V and §VI.
    """

    kind: Literal["pairwise"] = "pairwise"
    n: Count | None = None
    people: tuple[Annotated[str, Field(min_length=1)], ...] | None = Field(default=None, min_length=1)
    values: Annotated[tuple[RecordValue, ...], Field(min_length=1)] | None = None
    labels: tuple[str, ...] | None = None
    prior: Probabilities | None = None
    edges: _Edges = ()
    given: ConditionalRows | None = None
    table: Entries | None = None
    distance: Distance | None = None
    laws: tuple[NamedLaw, ...] | None = Field(default=None, min_length=1)
    others: Literal["independent", "anything", "markov"] = "independent"
    _known: _Network | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _check(self) -> "Pairwise":
        """Checks that the people, the law or laws, the values, the labels and the prior fit together."""
        if (self.n is None) == (self.people is None):
            raise ValueError("either n, how many people there are, or people, their names")
        if self.people is not None and len(set(self.people)) < len(self.people):
            twice = next(name for name in self.people if self.people.count(name) > 1)
            raise ValueError(f"people of different names ({twice!r} is there twice)")
        given = self._single.is_given + (self.laws is not None)
        # Without edges no law is needed: everybody is independent.
        if given > 1 or (given == 0 and self.edges):
            raise ValueError(f"one of given, table, distance and laws, the law of linked people (there are {given})")
        names = [each.name for each in self.laws or ()]
        if len(set(names)) < len(names):
            raise ValueError(
                f"laws of different names ({next(n for n in names if names.count(n) > 1)!r} is there twice)"
            )
        # A law by distance needs places, which only values or points are.
        if self.values is None and self.distance is not None:
            raise ValueError("values beside distance")
        if self.values is not None and len(set(self.values)) < len(self.values):
            raise ValueError(f"distinct values (they are {list(self.values)})")
        if self.values is None and self._size is None:
            raise ValueError("values, what a record can be")
        if self.labels is not None and len(self.labels) != self.count:
            raise ValueError(f"a label for each of the {self.count} people (there are {len(self.labels)})")
        if self.prior is not None and len(self.prior) != len(self.universe):
            raise ValueError(
                f"a prior of {len(self.universe)} probabilities, one for each value (it has {len(self.prior)})"
            )
        return self

    @property
    def words(self) -> str:
        values = few_listed(map(value_phrase, self.universe))
        return semicolons([counted("record_among", "records_among", self.count, values=values), said("pairs_known")])

    @property
    def count(self) -> int:
        """The number of people."""
        return self.n if self.n is not None else len(self.people or ())

    @property
    def universe(self) -> tuple[RecordValue, ...]:
        """The values that a record can have."""
        return self.values if self.values is not None else tuple(range(self._size or 0))

    @property
    def _single(self) -> OnlyLaw:
        return OnlyLaw(given=self.given, table=self.table, distance=self.distance)

    @property
    def _size(self) -> int | None:
        """The number of values that the prior or the laws imply; None where they imply none."""
        if self.prior is not None:
            return len(self.prior)
        rows = [each.given or each.table for each in (self._single, *(self.laws or ()))]
        return next((len(each) for each in rows if each is not None), None)

    def joints(self) -> tuple[Belief, ...]:
        return (self.law,) if self.others != "markov" else self.markov().joints()

    @property
    def law(self) -> PairwiseLaw:
        """The network of the people with the laws of their pairs.

        Raises:
            InputError: If edges or laws make no sense together.
        """
        return self._network.law

    @property
    def dropped(self) -> Dropped:
        """The rows of the file of edges that are no edges of their own, counted by reason."""
        return self._network.dropped

    def markov(self) -> Network:
        """Returns the Bayesian network in which two records are independent given the people between them.

        It is the one Markov law with these pairs: the hypothesis of `others = "markov"`.

        Raises:
            InputError: If edges have a cycle, or a marginal is not known.
        """
        return Network(nodes=_markov_nodes(self.law))

    def rests_on(self) -> tuple[str, ...]:
        """Returns the hypothesis about people who are not linked, and whether the pairs contradict it, in words."""
        found = [said(_HYPOTHESES[self.others])]
        against = None if self.others == "markov" else self.law.contradiction()
        if against is not None:
            found.append(said("pairs_contradicted", why=phrase(against)))
        return tuple(found)

    def omitted(self) -> tuple[Omitted, ...]:
        return () if not isinstance(self.edges, EdgeFile) else (self.dropped.omitted("model.edges.file"),)

    def in_folder(self, folder: Path) -> "Pairwise":
        if not isinstance(self.edges, EdgeFile):
            return self
        return self.altered({"edges": self.edges.altered({"file": folder / self.edges.file})})

    def self_contained(self) -> "Pairwise":
        if not isinstance(self.edges, EdgeFile):
            return self
        law = self.law
        ends = zip((law.first + 1).tolist(), (law.second + 1).tolist(), law.law.tolist(), strict=True)
        several = self.laws is not None
        rows = tuple((one, two, law.laws[kind].name) if several else (one, two) for one, two, kind in ends)
        return self.altered({"edges": rows})

    @property
    def _network(self) -> _Network:
        """The checked network, built once, as it may read a file."""
        # A copy with other fields has what was known of the first: what is known says of whom it is.
        if self._known is None or self._known.owner() is not self:
            self._known = self._built()
        return self._known

    def _built(self) -> _Network:
        """Returns the network; InputError from edges, laws and marginals, TooLarge for too many people for memory."""
        if self.count > MOST_PEOPLE:
            shown = f"a network of {self.count:,} people"
            raise TooLarge("model.n", shown, f"use {MOST_PEOPLE:,} at most", MOST_PEOPLE)
        prior = None if self.prior is None else np.array(self.prior, dtype=np.float64)
        laws = self._laws(prior)
        numbers = None if self.people is None else {name: i for i, name in enumerate(self.people, 1)}
        named = {} if self.laws is None else {law.name: i for i, law in enumerate(laws)}
        directed = frozenset(i for i, law in enumerate(laws) if not law.symmetric)
        found = linked_people(self.edges, NamedPeople(self.count, numbers), named, directed)
        priors, whose = _marginals(self.count, laws, found, prior, self.universe)
        labels = self.labels if self.labels is not None else ("",) * self.count
        distinct = tuple(dict.fromkeys(labels))
        place = {label: i for i, label in enumerate(distinct)}
        stratum = np.array([place[label] for label in labels], dtype=np.int64)
        law = PairwiseLaw(
            self.universe,
            distinct,
            stratum,
            self.people,
            found.first,
            found.second,
            found.law,
            laws,
            priors,
            whose,
            self.others == "anything",
        )
        return _Network(ref(self), law, found.dropped)

    def _laws(self, prior: Array | None) -> tuple[PairLaw, ...]:
        """Returns the laws of pairs in the order of their numbers; none where there are no edges."""
        if self.laws is not None:
            each = enumerate(self.laws, 1)
            return tuple(law.law(f"model.laws {row}", law.name, self.universe, prior) for row, law in each)
        return (self._single.law("model", "", self.universe, prior),) if self._single.is_given else ()


def _marginals(
    people: int, laws: tuple[PairLaw, ...], edges: LinkedPeople, prior: Array | None, values: tuple[RecordValue, ...]
) -> tuple[Array, IntArray]:
    """Returns the marginals that occur (m, s), and which one each person has, or UNKNOWN.

    Raises:
        InputError: If two edges of one person imply different marginals, or if one law has its own marginal and several
            go with another law.
    """
    if prior is not None:
        return prior[None], np.zeros(people, dtype=np.int64)
    open_laws = [law for law in laws if law.first is None]
    # Every law leaves its marginals open: nobody's is known, and how chances move is then bounded by odds.
    if len(open_laws) == len(laws):
        return np.zeros((0, len(values))), np.full(people, UNKNOWN, dtype=np.int64)
    if open_laws:
        raise InputError("model.prior", "missing", f"a record's marginal, as several go with law {open_laws[0].name}")
    distinct: list[Array] = []
    ends = np.array([[_place(distinct, end) for end in (law.first, law.second)] for law in laws], dtype=np.int64)
    # One marginal for all laws is everybody's, of people without edges too.
    whose = np.full(people, UNKNOWN if len(distinct) > 1 else 0, dtype=np.int64)
    for column, side in ((0, edges.first), (1, edges.second)):
        whose[side] = ends[edges.law, column]
    for column, side in ((0, edges.first), (1, edges.second)):
        # One edge has the person ill with .1, another with .2.
        off = np.flatnonzero(whose[side] != ends[edges.law, column])
        if len(off):
            one, other = distinct[ends[edges.law[off[0]], column]], distinct[whose[side[off[0]]]]
            value = furthest(one, other) or 0
            person = int(side[off[0]]) + 1
            name = laws[edges.law[off[0]]].name
            by = f" by law {name}" if name else ""
            shown = f"Pr[X_{person} = {values[value]}] = {one[value]:.9g}{by}"
            raise InputError("model.edges", shown, f"{other[value]:.9g}, as another edge of person {person} has it")
    return np.array(distinct), whose


def _place(distinct: list[Array], marginal: Any) -> int:
    """Returns a marginal's index among those found so far; adds it if it is new."""
    for i, known in enumerate(distinct):
        if furthest(marginal, known) is None:
            return i
    distinct.append(marginal)
    return len(distinct) - 1
