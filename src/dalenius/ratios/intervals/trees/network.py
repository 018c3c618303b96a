"""A network whose conditional probabilities are known to lie in intervals: a set of laws, and no one law of it."""

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import ClassVar, Final, NoReturn, final

import numpy as np

from dalenius.errors import InputError
from dalenius.joints.joint import Belief, Stratum, Subject
from dalenius.joints.network.conditionals import Potential
from dalenius.joints.network.network import NetworkLaw, Records, bayesian_network
from dalenius.laws.law import Array
from dalenius.ratios.intervals.trees.nets import Net, Node
from dalenius.schema import RecordValue

FEW: Final = 4096
"""So many assignments of a component are listed sooner than eliminated."""


@final
class CredalNetwork(Belief):
    """Every law under which each row of each node's conditional probabilities lies in its box, whatever the others
    are. records: the nodes' names and strata; net: their boxes, in the same order."""

    nature: ClassVar[str] = "network with intervals"

    def __init__(self, records: Records, net: Net) -> None:
        self.records, self.net = records, net

    @property
    def people(self) -> int:
        """How many nodes there are."""
        return len(self.records.names)

    @property
    def is_set(self) -> bool:
        return True

    def strata(self) -> tuple[Stratum, ...]:
        return self.records.strata

    def labelled(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for stratum in self.strata():
            found[stratum.label] = found.get(stratum.label, 0) + stratum.people
        return found

    def values(self, person: int) -> tuple[RecordValue, ...]:
        """That person's universe."""
        return self.records.strata[self.records.stratum[person - 1]].values

    def possible(self, person: int) -> list[int]:
        """Which values that person's record has under some law, by their indices."""
        return [int(i) for i in np.flatnonzero(self.net.priors[person - 1][1] > 0)]

    def subject_of(self, person: int) -> Subject:
        if not 1 <= person <= self.people:
            raise InputError("secrets.people", person, f"a person's number from 1 to {self.people}")
        own = self.possible(person)
        secrets = tuple(self.values(person)[i] for i in own)
        stratum, dependents = self.records.stratum[person - 1], 1 + len(self.net.dependent(person - 1))
        who = f"node {self.records.names[person - 1]} of the network"
        return Subject(person, 1, stratum, secrets, np.full(len(secrets), np.nan), dependents, who)

    def number_of(self, name: str) -> int | None:
        return self.records.names.index(name) + 1 if name in self.records.names else None

    def given(self, known: Mapping[int, RecordValue]) -> NoReturn:
        for person in known:
            self.subject_of(person)
        wanted = "no known records beside intervals: they are conditioned on under one law"
        raise InputError("adversary.known", str(dict(known)), wanted)

    def chances(self, person: int, rows: Sequence[Array], weights: Sequence[Array] | None = None) -> Array:
        """That person's law (k,) under one law of the set, as `law`: up to a factor where there are weights."""
        part = next(part for part in self.net.components if person - 1 in part)
        sizes = [self.net.nodes[node].size for node in part]
        if prod(sizes) > FEW:
            return self._by_elimination(person, self.law(rows, weights))
        axis = {node: i for i, node in enumerate(part)}
        total = np.ones(sizes)
        for node in part:
            own = rows[node] if weights is None else rows[node] * weights[node]
            nodes = (*self.net.nodes[node].parents, node)
            table = own.reshape([self.net.nodes[each].size for each in nodes])
            order = sorted(range(len(nodes)), key=lambda i: axis[nodes[i]])
            shape = [sizes[axis[each]] if each in nodes else 1 for each in part]
            total = total * table.transpose(order).reshape(shape)
        return np.asarray(total.sum(axis=tuple(i for i in range(len(part)) if i != axis[person - 1])))

    def _by_elimination(self, person: int, law: NetworkLaw) -> Array:
        subject, values = law.subject_of(person), self.values(person)
        found = np.zeros(len(values))
        for value, log in zip(subject.secrets, subject.log_prior, strict=True):
            found[values.index(value)] = np.exp(log)
        return found

    def law(self, rows: Sequence[Array], weights: Sequence[Array] | None = None) -> NetworkLaw:
        """One law of the set, by each node's rows (assignments, k); weights: by node, what each value's probability is
        multiplied by, for the law that has these as likelihoods."""
        found = []
        for number, (node, own) in enumerate(zip(self.net.nodes, rows, strict=True)):
            weighed = own if weights is None else own * weights[number]
            # A parent with one value only is a constant, and links no nodes.
            parents = [parent for parent in node.parents if self.net.nodes[parent].size > 1]
            shape = [self.net.nodes[each].size for each in (*parents, number)]
            found.append(Potential((*parents, number), weighed.reshape(shape)))
        return bayesian_network(self.records, found)


def network_in_intervals(
    records: Records, nodes: Iterable[tuple[tuple[int, ...], Array]], order: Sequence[int]
) -> CredalNetwork:
    """The set of laws of a network as a model gives it: of each node its parents and the ends of its rows (2, rows, k);
    order: of the nodes, parents first."""
    return CredalNetwork(records, Net(tuple(Node(*node) for node in nodes), tuple(order)))
