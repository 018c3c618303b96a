"""Messages between the clusters of a junction tree, in any transform's algebra, for all nodes at once (Theory §4).

Every message is an expectation given the state of a boundary, weighted by conditional probabilities: no message is
divided or subtracted, and states of probability 0 have none.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from dalenius.joints.network.junction_tree import Average, Cluster
from dalenius.laws.transform import Element, Transform, leave_one_out

Messages: TypeAlias = dict[int, list[Element]]
"""By a cluster's node: an element per state of its boundary."""
Factors: TypeAlias = Mapping[int, Sequence[Element]]
"""By node: an element per value."""


def inward(transform: Transform[Element], clusters: Sequence[Cluster], factors: Factors[Element]) -> Messages[Element]:
    """E[ prod of factors of a node and of all nodes summed out through it | its boundary ]; the root's is the total."""
    messages: Messages[Element] = {}
    for cluster in clusters:
        powers = [1, *(child.count for child in cluster.children)]
        rows = []
        for state, value in enumerate(cluster.value.tolist()):
            below = [messages[child.node][child.place[state]] for child in cluster.children]
            rows.append(_times(transform, [factors[cluster.node][value], *below], powers))
        messages[cluster.node] = _mixed(transform, cluster.up, rows)
    return messages


def outward(
    transform: Transform[Element], clusters: Sequence[Cluster], factors: Factors[Element], inner: Messages[Element]
) -> Messages[Element]:
    """E[ prod of factors of all nodes but a node and those summed out through it | its boundary ].

    The root has none.
    """
    messages: Messages[Element] = {}
    for cluster in reversed(clusters):
        if not cluster.children:
            continue
        rows = _beyond(transform, cluster, factors, messages)
        around = []
        for state, own in enumerate(rows):
            below = [inner[child.node][child.place[state]] for child in cluster.children]
            around.append(_around(transform, own, below, [child.count for child in cluster.children]))
        for child, column in zip(cluster.children, zip(*around, strict=True), strict=True):
            messages[child.node] = _mixed(transform, child.average, column)
    return messages


def given_each_value(
    transform: Transform[Element],
    cluster: Cluster,
    factors: Factors[Element],
    inner: Messages[Element],
    outer: Messages[Element],
) -> list[Element]:
    """E[ prod of all factors | the cluster's node = value ], for each of its values."""
    if cluster.nearest is None:
        rows = _beyond(transform, cluster, factors, outer)
    else:
        near = cluster.children[cluster.nearest].node
        rows = [transform.product(both, [1, 1]) for both in zip(inner[near], outer[near], strict=True)]
    return _mixed(transform, cluster.by_value, rows)


def _beyond(
    transform: Transform[Element], cluster: Cluster, factors: Factors[Element], outer: Messages[Element]
) -> list[Element]:
    """E[ prod of factors of the node and of all nodes that are not summed out through it | its core ]."""
    own = [factors[cluster.node][value] for value in cluster.value.tolist()]
    if cluster.node not in outer:
        return own
    others = _mixed(transform, cluster.down, outer[cluster.node])
    return [transform.product(both, [1, 1]) for both in zip(own, others, strict=True)]


def _around(
    transform: Transform[Element], own: Element, below: Sequence[Element], counts: Sequence[int]
) -> list[Element]:
    """For each element below, the product of all elements with one factor fewer of it."""
    if list(counts) == [1]:
        return [own]
    if list(counts) == [1, 1]:
        return [transform.product([own, other], [1, 1]) for other in reversed(below)]
    return leave_one_out(transform, [own, *below], [1, *counts])[1:]


def _mixed(transform: Transform[Element], average: Average, rows: Sequence[Element]) -> list[Element]:
    # A single state is certain: its weight is 1 up to rounding.
    found = []
    for states, logs in zip(average.states, average.log_weights, strict=True):
        elements = [rows[state] for state in states.tolist()]
        found.append(elements[0] if len(elements) == 1 else transform.mix(logs, elements))
    return found


def _times(transform: Transform[Element], elements: Sequence[Element], powers: Sequence[int]) -> Element:
    return elements[0] if len(elements) == 1 else transform.product(elements, powers)
