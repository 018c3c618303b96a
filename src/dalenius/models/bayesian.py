"""The joint law of a Bayesian network's records, by elimination (THEORY §4)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.laws.transform import Element, Transform, leave_one_out
from dalenius.models.clusters import Cluster, Family, clusters_of
from dalenius.models.elimination import eliminated
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
class BayesianNetwork(Joint):
    """families: ancestors first. Build it with `bayesian_network`."""

    def __init__(self, records: Records, families: Sequence[Family], components: Sequence[Sequence[Cluster]]) -> None:
        self._records = records
        self._families = tuple(families)
        self._components = tuple(tuple(clusters) for clusters in components)
        found = [(cluster, number) for number, clusters in enumerate(self._components) for cluster in clusters]
        self._clusters = {each[0].node: each for each in sorted(found, key=lambda each: each[0].node)}
        self._first_slot = records.first_slot

    def strata(self) -> tuple[Stratum, ...]:
        return self._records.strata

    def subjects(self) -> tuple[Subject, ...]:
        return tuple(self._subject(cluster, number) for cluster, number in self._clusters.values())

    def subject_of(self, person: int) -> Subject:
        if person - 1 not in self._clusters:
            raise InputError("secrets.people", person, f"a person's number from 1 to {len(self._records.names)}")
        return self._subject(*self._clusters[person - 1])

    def _subject(self, cluster: Cluster, component: int) -> Subject:
        stratum = self._records.stratum[cluster.node]
        return Subject(
            person=cluster.node + 1,
            people=1,
            stratum=stratum,
            secrets=tuple(self._records.strata[stratum].values[value] for value in cluster.values),
            log_prior=cluster.log_prior,
            dependents=len(self._components[component]),
            who=f"node {self._records.names[cluster.node]} of the network",
        )

    def groups(self) -> tuple[frozenset[int], ...]:
        strata = self._records.stratum
        return tuple(frozenset(strata[cluster.node] for cluster in clusters) for clusters in self._components)

    def part(self, groups: Collection[int]) -> "BayesianNetwork":
        return BayesianNetwork(self._records, self._families, [self._components[i] for i in sorted(groups)])

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        factors = self._factors(transform)
        inner = [inward(transform, clusters, factors) for clusters in self._components]
        pairs = list(zip(self._components, inner, strict=True))
        outer = [outward(transform, clusters, factors, messages) for clusters, messages in pairs]
        others = leave_one_out(transform, self._totals(inner), [1] * len(inner))
        for cluster, number in self._clusters.values():
            own = given_each_value(transform, cluster, factors, inner[number], outer[number])
            if len(inner) > 1:
                own = [transform.product([others[number], each], [1, 1]) for each in own]
            yield self._subject(cluster, number), own

    def total(self, transform: Transform[Element]) -> Element:
        factors = self._factors(transform)
        totals = self._totals([inward(transform, clusters, factors) for clusters in self._components])
        return transform.product(totals, [1] * len(totals))

    def _totals(self, inner: Sequence[Mapping[int, Sequence[Element]]]) -> list[Element]:
        pairs = zip(self._components, inner, strict=True)
        return [messages[clusters[-1].node][0] for clusters, messages in pairs]

    def _factors(self, transform: Transform[Element]) -> Factors[Element]:
        """By node and value; nodes of one stratum share theirs."""
        one, free = np.ones((1, 1), dtype=np.int64), np.zeros(1)
        by_stratum, slot = [], 0
        for stratum in self._records.strata:
            by_stratum.append([transform.mean(free, np.array([slot + i]), one) for i in range(len(stratum.values))])
            slot += len(stratum.values)
        return {cluster.node: by_stratum[self._records.stratum[cluster.node]] for cluster, _ in self._clusters.values()}

    def outcome_count(self) -> int:
        total = 1.0
        for clusters in self._components:
            ways: dict[int, Array] = {}
            for cluster in clusters:
                rows = np.ones(len(cluster.value))
                for child, by in zip(cluster.children, cluster.by_child, strict=True):
                    rows = np.minimum(rows * ways[child][by.part], MANY)
                ways[cluster.node] = np.minimum(np.bincount(cluster.by_boundary.part, rows), MANY)
            total = min(total * float(ways[clusters[-1].node][0]), MANY)
        return int(total)

    def outcomes(self) -> tuple[IntArray, Array]:
        values: dict[int, IntArray] = {}
        logs = np.zeros(1)
        for family in self._families:
            if family.node not in self._clusters:
                continue
            with np.errstate(divide="ignore"):
                chances = np.log(family.table)[tuple(values[parent] for parent in family.parents)]
            chances = np.broadcast_to(chances, (len(logs), family.table.shape[-1]))
            row, value = np.nonzero(chances > -np.inf)
            values = {node: column[row] for node, column in values.items()} | {family.node: value}
            logs = logs[row] + chances[row, value]
        columns = [self._first_slot[cluster.node] + values[cluster.node] for cluster, _ in self._clusters.values()]
        return np.stack(columns, axis=1), logs

    def people(self) -> tuple[int, ...]:
        return tuple(cluster.node + 1 for cluster, _ in self._clusters.values())

    def group_strata(self) -> tuple[IntArray, ...]:
        strata, count = self._records.stratum, len(self._records.strata)
        return tuple(
            np.bincount([strata[cluster.node] for cluster in clusters], minlength=count)
            for clusters in self._components
        )


def bayesian_network(records: Records, families: Sequence[Family]) -> BayesianNetwork:
    """The law in which every node has the table of its family; ancestors come first, nodes are numbered from 0.

    TooLarge where the network is too densely linked for an elimination to fit memory.
    """
    sizes = [0] * len(families)
    for family in families:
        sizes[family.node] = family.table.shape[-1]
    orders = eliminated([family.members for family in families], sizes)
    own = {family.node: family for family in families}
    components = [clusters_of(buckets, [own[bucket.node] for bucket in buckets], sizes) for buckets in orders]
    return BayesianNetwork(records, families, components)
