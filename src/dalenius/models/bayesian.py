"""The joint law of a Bayesian network's records, by elimination (THEORY §4)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.laws.transform import Element, Transform, leave_one_out
from dalenius.models.clusters import Cluster, Family, clusters_of
from dalenius.models.elimination import connected, eliminated
from dalenius.models.messages import Factors, given_each_value, inward, outward
from dalenius.models.model import Joint, Stratum, Subject

MANY: Final = 2.0**200
"""More assignments than any use."""


@final
@dataclass(frozen=True)
class Records:
    """Who the nodes are: a name and a stratum each; the strata's slots start at first_slot."""

    names: tuple[str, ...]
    stratum: tuple[int, ...]
    strata: tuple[Stratum, ...]

    @property
    def first_slot(self) -> IntArray:
        starts = np.cumsum([0, *(len(stratum.values) for stratum in self.strata)])
        return np.asarray(starts[list(self.stratum)], dtype=np.int64)


@final
class _Component:
    """Nodes linked to each other. What it takes to sum them out is found when it is first asked for."""

    def __init__(self, nodes: tuple[int, ...], families: Sequence[Family]) -> None:
        self.nodes = nodes
        self.families = tuple(families)

    @cached_property
    def clusters(self) -> tuple[Cluster, ...]:
        """In the order of elimination. TooLarge where they would not fit memory."""
        sizes = {family.node: int(family.table.shape[-1]) for family in self.families}
        buckets = eliminated([family.members for family in self.families], sizes)
        return clusters_of(buckets, self.families, sizes)

    @cached_property
    def by_node(self) -> dict[int, Cluster]:
        return {cluster.node: cluster for cluster in self.clusters}


@final
class BayesianNetwork(Joint):
    """Nodes with their families' tables. Build it with `bayesian_network`."""

    def __init__(self, records: Records, components: Sequence[_Component]) -> None:
        self._records = records
        self._components = tuple(components)
        self._component_of = dict(
            sorted((node, number) for number, component in enumerate(components) for node in component.nodes)
        )

    def strata(self) -> tuple[Stratum, ...]:
        return self._records.strata

    def subjects(self) -> tuple[Subject, ...]:
        return tuple(self._subject(node) for node in self._component_of)

    def subject_of(self, person: int) -> Subject:
        if person - 1 not in self._component_of:
            raise InputError("secrets.people", person, f"a person's number from 1 to {len(self._records.names)}")
        return self._subject(person - 1)

    def _subject(self, node: int) -> Subject:
        component = self._components[self._component_of[node]]
        stratum = self._records.stratum[node]
        cluster = component.by_node[node]
        return Subject(
            person=node + 1,
            people=1,
            stratum=stratum,
            secrets=tuple(self._records.strata[stratum].values[value] for value in cluster.values),
            log_prior=cluster.log_prior,
            dependents=len(component.nodes),
            who=f"node {self._records.names[node]} of the network",
        )

    def groups(self) -> tuple[frozenset[int], ...]:
        strata = self._records.stratum
        return tuple(frozenset(strata[node] for node in component.nodes) for component in self._components)

    def part(self, groups: Collection[int]) -> "BayesianNetwork":
        return BayesianNetwork(self._records, [self._components[i] for i in sorted(groups)])

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        factors = self._factors(transform)
        inner = [inward(transform, component.clusters, factors) for component in self._components]
        pairs = zip(self._components, inner, strict=True)
        outer = [outward(transform, component.clusters, factors, messages) for component, messages in pairs]
        others = leave_one_out(transform, self._totals(inner), [1] * len(inner))
        for node, number in self._component_of.items():
            cluster = self._components[number].by_node[node]
            own = given_each_value(transform, cluster, factors, inner[number], outer[number])
            if len(inner) > 1:
                own = [transform.product([others[number], each], [1, 1]) for each in own]
            yield self._subject(node), own

    def total(self, transform: Transform[Element]) -> Element:
        factors = self._factors(transform)
        totals = self._totals([inward(transform, component.clusters, factors) for component in self._components])
        return transform.product(totals, [1] * len(totals))

    def _totals(self, inner: Sequence[Mapping[int, Sequence[Element]]]) -> list[Element]:
        pairs = zip(self._components, inner, strict=True)
        return [messages[component.clusters[-1].node][0] for component, messages in pairs]

    def _factors(self, transform: Transform[Element]) -> Factors[Element]:
        """By node and value; nodes of one stratum share theirs."""
        one, free = np.ones((1, 1), dtype=np.int64), np.zeros(1)
        by_stratum, slot = [], 0
        for stratum in self._records.strata:
            by_stratum.append([transform.mean(free, np.array([slot + i]), one) for i in range(len(stratum.values))])
            slot += len(stratum.values)
        return {node: by_stratum[self._records.stratum[node]] for node in self._component_of}

    def outcome_count(self) -> int:
        total = 1.0
        for component in self._components:
            ways: dict[int, Array] = {}
            for cluster in component.clusters:
                rows = np.ones(len(cluster.value))
                for child, by in zip(cluster.children, cluster.by_child, strict=True):
                    rows = np.minimum(rows * ways[child][by.part], MANY)
                ways[cluster.node] = np.minimum(np.bincount(cluster.by_boundary.part, rows), MANY)
            total = min(total * float(ways[component.clusters[-1].node][0]), MANY)
        return int(total)

    def outcomes(self) -> tuple[IntArray, Array]:
        values: dict[int, IntArray] = {}
        logs = np.zeros(1)
        for family in (family for component in self._components for family in component.families):
            with np.errstate(divide="ignore"):
                chances = np.log(family.table)[tuple(values[parent] for parent in family.parents)]
            chances = np.broadcast_to(chances, (len(logs), family.table.shape[-1]))
            row, value = np.nonzero(chances > -np.inf)
            values = {node: column[row] for node, column in values.items()} | {family.node: value}
            logs = logs[row] + chances[row, value]
        first = self._records.first_slot
        return np.stack([first[node] + values[node] for node in self._component_of], axis=1), logs

    def people(self) -> tuple[int, ...]:
        return tuple(node + 1 for node in self._component_of)

    def group_strata(self) -> tuple[IntArray, ...]:
        strata, count = self._records.stratum, len(self._records.strata)
        return tuple(
            np.bincount([strata[node] for node in component.nodes], minlength=count) for component in self._components
        )


def bayesian_network(records: Records, families: Sequence[Family]) -> BayesianNetwork:
    """The law in which every node has the table of its family; ancestors come first, nodes are numbered from 0."""
    components = connected([family.members for family in families])
    number = {node: i for i, nodes in enumerate(components) for node in nodes}
    own: list[list[Family]] = [[] for _ in components]
    for family in families:
        own[number[family.node]].append(family)
    return BayesianNetwork(records, [_Component(*both) for both in zip(components, own, strict=True)])
