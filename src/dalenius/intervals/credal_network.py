"""A network whose conditional probabilities are known to lie in intervals, a chain being one: a set of laws, and no one
law of it.

No record has two parents, so that what outputs say of a record is bounded by messages along the branches (Results
21.11 and 21.13).
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.channel.bounded_channel import INTERVALS, BoundedBelief
from dalenius.channel.large.message_bounds import IntervalNode, Net, SharedArrays
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.joints.joint import WITHIN, Nature, Stratum, Subject
from dalenius.joints.network import Records


@final
class CredalNetwork(BoundedBelief):
    """Every law under which each row of each node's conditional probabilities lies in its box, whatever the others
    are. records: the nodes' names, of a chain none, and strata; net: their boxes, in the same order; kind: of model.

    Ten days, of which each healthy one is followed by an ill one with .02 to .06:

    >>> import dalenius as dl
    >>> rows = [[[0.94, 0.98], [0.02, 0.06]], [0.1, 0.9]]
    >>> days = dl.Chain(n=10, initial=[0.8, 0.2], transition=rows)
    >>> found = dl.InferentialPrivacy().leakage(dl.Release(days, dl.Count(), dl.Laplace(scale=2.0)))
    >>> f"{found.lower:.3f} {found.upper:.3f}"
    '0.000 3.886'
    """

    nature: ClassVar[Nature] = Nature("network with intervals", over=WITHIN, instead=INTERVALS)
    unconditioned: ClassVar[str] = "no known records beside intervals: they are conditioned on under one law"

    def __init__(self, records: Records, net: Net, kind: str = "network") -> None:
        self.records, self.net, self.kind = records, net, kind

    @property
    def people(self) -> int:
        return len(self.net.nodes)

    def strata(self) -> tuple[Stratum, ...]:
        return self.records.strata

    def values(self, person: int) -> tuple[RecordValue, ...]:
        """That person's universe."""
        return self.records.strata[self.records.stratum[person - 1]].values

    def possible(self, person: int) -> list[int]:
        """Which values that person's record has under some law, by their indices."""
        return self.net.possible(person - 1)

    def subject_of(self, person: int, single: bool = False) -> Subject:
        """The prior is not known: its logs are NaN. InputError for nobody's number."""
        self.check_person(person)
        own = self.possible(person)
        secrets = tuple(self.values(person)[i] for i in own)
        stratum, dependents = self.records.stratum[person - 1], self.net.sizes[self.net.roots[person - 1]]
        names = self.records.names
        who = f"node {names[person - 1]} of the network" if names else f"record {person} of a chain of {self.people}"
        return Subject(person, 1, stratum, secrets, np.full(len(secrets), np.nan), dependents, who)

    def number_of(self, name: str) -> int | None:
        return self.records.names.index(name) + 1 if name in self.records.names else None


def network_in_intervals(
    records: Records, nodes: Iterable[tuple[tuple[int, ...], Array]], order: Sequence[int]
) -> CredalNetwork:
    """The set of laws of a network as a model gives it: of each node its parents and the ends of its rows (2, rows, k);
    order: of the nodes, parents first. InputError for a node with two parents."""
    kept, found = SharedArrays(), list[IntervalNode]()
    for name, (parents, rows) in zip(records.names, nodes, strict=True):
        if len(parents) > 1:
            wanted = "one parent at most of each node beside intervals (or numbers for all probabilities)"
            raise InputError("model.nodes", f"node {name} with {len(parents)} parents", wanted)
        found.append(IntervalNode(parents[0] if parents else None, kept(rows)))
    return CredalNetwork(records, Net(tuple(found), tuple(order)))


def chain_in_intervals(
    values: Sequence[RecordValue], first: Array, rows: Array, which: IntArray, labels: Sequence[str] | None
) -> CredalNetwork:
    """That of a chain. first (2, k): the ends of the first record's probabilities; rows (m, 2, k, k): those of the
    distinct transitions; which (n - 1,): the one of each step; labels: one public label per record."""
    own = tuple(labels) if labels is not None else ("",) * (len(which) + 1)
    kinds = list(dict.fromkeys(own))
    strata = tuple(Stratum(label, tuple(values), own.count(label)) for label in kinds)
    number = {label: kind for kind, label in enumerate(kinds)}
    records = Records((), tuple(number[label] for label in own), strata)
    steps = list(rows)
    nodes = [
        IntervalNode(None, first[:, None]),
        *(IntervalNode(i, steps[each]) for i, each in enumerate(which.tolist())),
    ]
    return CredalNetwork(records, Net(tuple(nodes), tuple(range(len(nodes)))), "chain")
