"""The joint law of a Bayesian network's records, by elimination (Theory §4).

Its connected components are factors, given by listing their assignments where these are few.

Rain, with probability 1/2, and two people who each go out with .9 if it is dry (0) and .2 if not (1). The two are one
class; how many of the three nodes are 1 is given for each value of the rain:

>>> from dalenius.laws.convolution import Coefficients, law_of
>>> names, out = Records(("rain", "a", "b"), (0, 0, 0), (Stratum("", (0, 1), 3),)), np.array([[0.1, 0.9], [0.8, 0.2]])
>>> tables = [Potential((0,), np.array([0.5, 0.5])), Potential((0, 1), out), Potential((0, 2), out)]
>>> network = bayesian_network(names, tables)
>>> [(each.who, each.people) for each in network.subjects()]
[('node rain of the network', 1), ('node a, and 1 like it, of the network', 2)]
>>> rain, given = next(network.mean_product(Coefficients(np.array([[0], [1]]))))
>>> np.exp(law_of(given).log_mass()).round(6).tolist()
[[0.01, 0.18, 0.81, 0.0], [0.0, 0.64, 0.32, 0.04]]
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.joints.clique_laws import Cliques
from dalenius.joints.factor import Factor, Numbering
from dalenius.joints.joint import Joint, Stratum, Subject, own_label
from dalenius.joints.junction_tree import Cluster, connected_parts
from dalenius.joints.known_records import ImpossibleTogether, known_places
from dalenius.joints.tree_messages import Component, Factors, Messages, Potential, given_each_value, inward, outward
from dalenius.laws.generating_function_algebra import Element, ElementTable, RowAlgebra, Transform, leave_one_out
from dalenius.memory_budget import budget_in_use


@final
@dataclass(frozen=True)
class Listed(Factor):
    """Isomorphic components as a factor, node by node.

    Args:
        components: Components of the network that are alike, each with its nodes (size,).
        places: Each node's stratum (size,).
        first_slots: That stratum's first slot (size,).
        before: How many people of other factors come before the network's nodes.
    """

    components: Sequence[Component]
    places: IntArray
    first_slots: IntArray
    before: int = 0

    @property
    def count(self) -> int:
        return len(self.components)

    @property
    def people(self) -> Sequence[int]:
        return [self.before + node + 1 for component in self.components for node in component.nodes]

    @property
    def strata(self) -> Mapping[int, int]:
        return Counter(self.places.tolist())

    @property
    def assignments(self) -> int:
        return int(self.components[0].outcome_count())

    def group_assignments(self) -> tuple[IntArray, Array]:
        values, logs = self.components[0].outcomes()
        return values + self.first_slots, logs

    @property
    def cliques(self) -> Cliques:
        """The cliques of the first component's junction tree. TooLarge where their tables would not fit memory."""
        records, laws, parents, error = self.components[0].cliques
        sizes = {
            place: size
            for own, law in zip(records, laws, strict=True)
            for place, size in zip(own, law.mantissa.shape, strict=True)
        }
        slots = tuple(first + np.arange(sizes[place]) for place, first in enumerate(self.first_slots.tolist()))
        return Cliques(records, laws, parents, error, slots)

    def within(self, numbering: Numbering) -> "Listed":
        return replace(
            self,
            places=numbering.strata[self.places],
            first_slots=numbering.slots[self.first_slots],
            before=self.before + numbering.before,
        )


@final
@dataclass(frozen=True)
class Records:
    """The nodes' names and strata; each stratum's slots start at first_slot.

    error: by how many nats, at most, the log of the potentials' product may be off. called: what reports call a node,
    and all of them together.
    """

    names: tuple[str, ...]
    stratum: tuple[int, ...]
    strata: tuple[Stratum, ...]
    error: float = 0.0
    called: tuple[str, str] = ("node", "network")

    def who(self, node: int, people: int = 1) -> str:
        """Returns the words for a `node` and those like it, so many `people` in all."""
        (one, all_of_them), others = self.called, f", and {people - 1} like it," if people > 1 else ""
        return f"{one} {self.names[node]}{others} of the {all_of_them}"

    @cached_property
    def first_slot(self) -> IntArray:
        return np.cumsum([0, *(len(stratum.values) for stratum in self.strata)], dtype=np.int64)


@final
class NetworkLaw(Joint):
    """The law of independent components, grouped by isomorphism. Build it with `bayesian_network`."""

    def __init__(self, records: Records, types: Sequence[tuple[Component, ...]]) -> None:
        self.records = records
        self.types = tuple(types)
        self._refusals: dict[int, TooLarge | None] = {}
        self._place = {
            node: (number, place)
            for number, components in enumerate(self.types)
            for component in components
            for place, node in enumerate(component.nodes)
        }

    def strata(self) -> tuple[Stratum, ...]:
        return self.records.strata

    def subjects(self) -> tuple[Subject, ...]:
        return tuple(subject for classes in self._classes for subject, _ in classes.values())

    def subject_of(self, person: int, single: bool = False) -> Subject:
        """Returns the class of the node of `person`: all nodes like it, in all components like its own.

        With `single` it is the node alone, by its own law. InputError for no node.
        """
        self._check(person)
        if single:
            return self._single(person)
        number, place = self._place[person - 1]
        first = self.types[number][0]
        # Because a network too wide for messages may still have everybody's own law.
        if self._classless[number]:
            return self._single(person)
        return self._classes[number][first.tree.like[first.nodes[place]]][0]

    @cached_property
    def _classless(self) -> list[bool]:
        """Whether a type's components have too many messages for its nodes' classes to be told apart."""
        found = []
        for first, *_ in self.types:
            # Because TooLarge leaves the True in place.
            found.append(True)
            with suppress(TooLarge):
                found[-1] = not first.tree.like
        return found

    def stratum_of(self, person: int) -> int:
        self._check(person)
        return self.records.stratum[person - 1]

    @property
    def refusal(self) -> TooLarge | None:
        """The refusal of the first component whose messages do not fit the memory budget in use; None where all fit."""
        budget = budget_in_use()
        if budget not in self._refusals:
            self._refusals[budget] = self._refused()
        return self._refusals[budget]

    def _refused(self) -> TooLarge | None:
        for first, *_ in self.types:
            try:
                first.tree  # noqa: B018 — making it is the test
            except TooLarge as error:
                # Because its frames would keep half-made tables, the error alone is kept.
                return error.with_traceback(None)
        return None

    def _single(self, person: int) -> Subject:
        """Returns the subject of one node, by its own law: no messages, and no search for nodes like it."""
        node = person - 1
        number, place = self._place[node]
        component = self.types[number][0]
        universe, law = self._universe(node), component.marginals[component.nodes[place]]
        possible = law.possible.tolist()
        return Subject(
            person=node + 1,
            people=1,
            stratum=self.records.stratum[node],
            secrets=tuple(universe[value] for value in possible),
            log_prior=np.minimum(law.at(law.possible).logs(), 0.0),
            dependents=len(component.nodes),
            who=self.records.who(node),
            class_error=4 * component.law_error + 2 * self.records.error,
        )

    def _check(self, person: int) -> None:
        """Raises InputError for a number that no node of this part has."""
        if person - 1 not in self._place:
            raise InputError("secrets.people", person, f"a person's number from 1 to {len(self.records.names)}")

    @cached_property
    def _classes(self) -> list[dict[int, tuple[Subject, Cluster]]]:
        """The class representatives of each type of component, by node."""
        return [self._classes_of(components) for components in self.types]

    def _classes_of(self, components: Sequence[Component]) -> dict[int, tuple[Subject, Cluster]]:
        """Returns the classes of isomorphic components' nodes, by the first component's representatives."""
        first = components[0]
        places: dict[int, list[int]] = {}
        for place, node in enumerate(first.nodes):
            places.setdefault(first.tree.like[node], []).append(place)
        clusters = {cluster.node: cluster for cluster in first.tree.clusters}
        found = {}
        for node, own in places.items():
            nodes = [component.nodes[place] for component in components for place in own]
            found[node] = self._subject(min(nodes), len(nodes), first, clusters[node]), clusters[node]
        return found

    def _subject(self, node: int, people: int, component: Component, cluster: Cluster) -> Subject:
        """Returns a class of so many nodes. `node` is the first of them."""
        universe = self._universe(node)
        return Subject(
            person=node + 1,
            people=people,
            stratum=self.records.stratum[node],
            secrets=tuple(universe[value] for value in cluster.secrets),
            log_prior=cluster.log_prior,
            dependents=len(component.nodes),
            who=self.records.who(node, people),
            class_error=component.error + 2 * self.records.error,
        )

    def given(self, known: Mapping[int, RecordValue]) -> "NetworkLaw":
        """Returns the law with its tables restricted to the `known` records.

        A known node stays, certain and linked to nobody, which may leave the rest in several components.
        """
        places = self._places(known)
        left = [potential.given(places) for potential in self.potentials]
        left += self._certain(places)
        # The case of known records of probability 0: those of one table show it, or only elimination does.
        if any(not potential.nodes and potential.table == 0 for potential in left):
            raise ImpossibleTogether(known)
        return self._possible([potential for potential in left if potential.nodes], known)

    def given_together(self, known: Mapping[int, RecordValue]) -> "NetworkLaw":
        """Returns the law given the `known` records, in which a known node stays linked to its component."""
        return self._possible([*self.potentials, *self._certain(self._places(known))], known)

    def _places(self, known: Mapping[int, RecordValue]) -> dict[int, int]:
        """Returns the place of each known node's value. InputError for no node, and for no value of its."""
        for person in known:
            self._check(person)
        found = known_places(known, {person: self._universe(person - 1) for person in known})
        return {person - 1: place for person, place in found.items()}

    def _certain(self, places: Mapping[int, int]) -> list[Potential]:
        """Returns a table for each node that is certain to have its value at that place."""
        return [Potential((node,), np.eye(len(self._universe(node)))[place]) for node, place in places.items()]

    def _possible(self, potentials: Sequence[Potential], known: Mapping[int, RecordValue]) -> "NetworkLaw":
        """Returns the law with these `potentials`. InputError where the `known` records have probability 0."""
        network = bayesian_network(self.records, potentials)
        if not all(first.possible for first, *_ in network.types):
            raise ImpossibleTogether(known)
        return network

    def apart(self, people: Mapping[int, str] | None, before: int = 0) -> "NetworkLaw":
        """Returns the network whose nodes have labels of their own: their names, where everybody is labelled.

        In it no two nodes are alike.

        Args:
            people: Labels by the nodes' numbers, from 1; None to label every node by its name.
            before: Has no effect, because nodes have names.
        """
        own = (
            {number: own_label(name) for number, name in enumerate(self.records.names, 1)} if people is None else people
        )
        given = [self.records.strata[stratum] for stratum in self.records.stratum]
        keys = [(own.get(number, each.label), each.values) for number, each in enumerate(given, 1)]
        kinds = list(dict.fromkeys(keys))
        strata = tuple(Stratum(label, values, keys.count((label, values))) for label, values in kinds)
        records = replace(self.records, stratum=tuple(map(kinds.index, keys)), strata=strata)
        return bayesian_network(records, self.potentials)

    @property
    def potentials(self) -> list[Potential]:
        """The tables of every component, the known nodes' among them."""
        return [each for components in self.types for component in components for each in component.potentials]

    def log_own(self, node: int) -> Array:
        """Returns the logs of the law of the value of `node`, from 0."""
        subject, universe = self.subject_of(node + 1), self._universe(node)
        logs = np.full(len(universe), -np.inf)
        logs[[universe.index(value) for value in subject.secrets]] = subject.log_prior
        return logs

    def _universe(self, node: int) -> tuple[RecordValue, ...]:
        return self.records.strata[self.records.stratum[node]].values

    def number_of(self, name: str) -> int | None:
        """Returns the number of the node called `name`: a user writes `alice`, not the number of her node."""
        names = self.records.names
        return names.index(name) + 1 if name in names else None

    def factors(self) -> tuple[Listed, ...]:
        return self._listed

    @cached_property
    def _listed(self) -> tuple[Listed, ...]:
        return tuple(self._factor(components) for components in self.types)

    def _factor(self, components: Sequence[Component]) -> Listed:
        places = np.array([self.records.stratum[node] for node in components[0].nodes], dtype=np.int64)
        return Listed(components, places, self.records.first_slot[places])

    def part(self, factors: Collection[int], first_only: bool = False) -> "NetworkLaw":
        kept = [self.types[i] for i in sorted(factors)]
        return NetworkLaw(self.records, [components[:1] if first_only else components for components in kept])

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        """Yields the averages in the algebra of `transform`, component by component.

        Messages go inwards and outwards once; all nodes' averages follow from these.
        """
        rows, factors = transform.rows(), self._factors(transform)
        inner = self._inner(rows, factors)
        totals, powers = self._totals(rows, inner)
        others = leave_one_out(transform, totals, powers)
        for number, (first, *_) in enumerate(self.types):
            outer = outward(rows, first.tree.clusters, factors, inner[number])
            for subject, cluster in self._classes[number].values():
                own = given_each_value(rows, cluster, factors, inner[number], outer)
                # The case of one component only: there are no others to multiply with.
                if sum(powers) > 1:
                    own = [transform.product([others[number], each], [1, 1]) for each in own]
                yield subject, own

    def total(self, transform: Transform[Element]) -> Element:
        rows = transform.rows()
        return transform.product(*self._totals(rows, self._inner(rows, self._factors(transform))))

    def _inner(
        self, rows: RowAlgebra[Element, ElementTable], factors: Factors[ElementTable]
    ) -> list[Messages[ElementTable]]:
        return [inward(rows, first.tree.clusters, factors) for first, *_ in self.types]

    def _totals(
        self, rows: RowAlgebra[Element, ElementTable], inner: Sequence[Messages[ElementTable]]
    ) -> tuple[list[Element], list[int]]:
        """Returns the total of one component of each type, and how many components there are."""
        pairs = zip(self.types, inner, strict=True)
        totals = [rows.elements(messages[components[0].root])[0] for components, messages in pairs]
        return totals, [len(each) for each in self.types]

    def _factors(self, transform: Transform[Element]) -> Factors[Any]:
        """Returns the factors by node and value; nodes of one stratum share their elements."""
        one, free, slots = np.ones((1, 1), dtype=np.int64), np.zeros(1), self.records.first_slot
        rows = transform.rows()
        by_stratum = [
            rows.stack([transform.mean(free, np.array([slots[number] + i]), one) for i in range(len(stratum.values))])
            for number, stratum in enumerate(self.records.strata)
        ]
        return {node: by_stratum[self.records.stratum[node]] for node in self._place}


def bayesian_network(records: Records, potentials: Sequence[Potential]) -> NetworkLaw:
    """Makes the law proportional to the product of the `potentials`; `records` has the nodes' names and strata.

    Nodes are numbered from 0, and each is in one potential or more. Nothing is summed out yet: a network that does
    not fit memory is refused (TooLarge) by the first call that needs messages or tables.
    """
    components = connected_parts([potential.nodes for potential in potentials])
    number = {node: i for i, nodes in enumerate(components) for node in nodes}
    own: list[list[Potential]] = [[] for _ in components]
    for potential in potentials:
        own[number[potential.nodes[0]]].append(potential)
    kind = dict(enumerate(records.stratum))
    types: dict[object, list[Component]] = {}
    for nodes, inside in zip(components, own, strict=True):
        # So that households of one kind, equal up to their nodes' numbers, are summed out once.
        component = Component(nodes, inside, kind)
        types.setdefault(component.signature, []).append(component)
    return NetworkLaw(records, [tuple(components) for components in types.values()])
