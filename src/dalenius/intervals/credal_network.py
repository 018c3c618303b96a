"""A network, or a chain, whose conditional probabilities are known to lie in intervals: a set of laws.

No record has two parents, so that what outputs say of a record is bounded by messages along the branches (Results 21.11
and 21.13).
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
    """The set of laws under which each row of each node's conditional probabilities lies in its own box.

    Attributes:
        records: The nodes' names (none for a chain) and strata.
        net: The nodes' boxes, in the same order.
        kind: The model's kind, for messages.

    Take ten days, where a healthy one is followed by an ill one with .02 to .06:

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
        """Returns the values that the record of `person` (numbered from 1) can have in its stratum."""
        return self.records.strata[self.records.stratum[person - 1]].values

    def possible(self, person: int) -> list[int]:
        """Returns the indices of the values that the record of `person` has under some law."""
        return self.net.possible(person - 1)

    def subject_of(self, person: int, single: bool = False) -> Subject:
        """Returns the person as a subject, whose prior is not known: its logs are NaN.

        Args:
            person: The person's number, from 1. InputError for nobody's number.
            single: Ignored: every class is one person.
        """
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
    """Returns the set of laws of a network as a model gives it.

    Args:
        records: The nodes' names and strata.
        nodes: For each node its parents, and the ends of its rows (2, rows, k).
        order: The nodes' places, parents first.

    Raises:
        InputError: If a node has two parents.
    """
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
    """Returns the set of laws of a chain of n records.

    Args:
        values: The k values of each record.
        first: The ends of the first record's probabilities (2, k).
        rows: The ends of the m distinct transitions (m, 2, k, k).
        which: The transition of each step (n - 1,), by its place in `rows`.
        labels: One public label per record; None for none.
    """
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
