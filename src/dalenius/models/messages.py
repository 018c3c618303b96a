"""Messages between the cliques of a network, in whatever algebra a transform speaks: everybody at once (THEORY §4).

Every message is an expectation given the state of a boundary, weighted by conditional probabilities: nothing is ever
divided or subtracted, and states of probability 0 have no messages.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.laws.transform import Element, Transform, leave_one_out
from dalenius.models.clusters import Cluster

Messages: TypeAlias = dict[int, list[Element]]
"""By node: an element per state of its boundary."""
Factors: TypeAlias = Mapping[int, Sequence[Element]]
"""By node: an element per value."""


def inward(transform: Transform[Element], clusters: Sequence[Cluster], factors: Factors[Element]) -> Messages[Element]:
    """E[ prod of the factors of a node and of all summed out through it | its boundary ]; the root's is the total."""
    messages: Messages[Element] = {}
    for cluster in clusters:
        parts = [(factors[cluster.node], cluster.value)]
        parts += [(messages[child], by.part) for child, by in zip(cluster.children, cluster.by_child, strict=True)]
        known: dict[tuple[int, ...], Element] = {}
        rows = []
        for places in zip(*(part.tolist() for _, part in parts), strict=True):
            if places not in known:
                known[places] = _times(transform, [each[i] for (each, _), i in zip(parts, places, strict=True)])
            rows.append(known[places])
        messages[cluster.node] = _mixed(transform, cluster.by_boundary.states, cluster.by_boundary.log_weights, rows)
    return messages


def outward(
    transform: Transform[Element],
    clusters: Sequence[Cluster],
    factors: Factors[Element],
    inner: Messages[Element],
) -> Messages[Element]:
    """E[ prod of the factors of all other nodes | a node's boundary ]: all but itself and those summed out through it.

    The root has none.
    """
    messages: Messages[Element] = {}
    for cluster in reversed(clusters):
        parts = [(inner[child], by.part) for child, by in zip(cluster.children, cluster.by_child, strict=True)]
        if cluster.node in messages:
            parts.append((messages[cluster.node], cluster.by_boundary.part))
        around = _around(transform, parts) if cluster.children else []
        for number, (child, by) in enumerate(zip(cluster.children, cluster.by_child, strict=True)):
            own = [factors[cluster.node][int(cluster.value[states[0]])] for states in by.states]
            if len(parts) == 1:
                messages[child] = own
                continue
            others = _mixed(transform, by.states, by.log_weights, [each[number] for each in around])
            messages[child] = [_times(transform, [mine, rest]) for mine, rest in zip(own, others, strict=True)]
    return messages


def given_each_value(
    transform: Transform[Element],
    cluster: Cluster,
    factors: Factors[Element],
    inner: Messages[Element],
    outer: Messages[Element],
) -> list[Element]:
    """E[ prod of all factors | the cluster's node has that value ], for each of its values."""
    by = cluster.by_value
    if cluster.nearest is not None:
        sides = zip(inner[cluster.nearest], outer[cluster.nearest], strict=True)
        return _mixed(transform, by.states, by.log_weights, [_times(transform, list(both)) for both in sides])
    own = [factors[cluster.node][value] for value in cluster.values]
    if cluster.node not in outer:
        return own
    rows = [outer[cluster.node][place] for place in cluster.by_boundary.part]
    others = _mixed(transform, by.states, by.log_weights, rows)
    return [_times(transform, [mine, rest]) for mine, rest in zip(own, others, strict=True)]


def _around(transform: Transform[Element], parts: Sequence[tuple[Sequence[Element], IntArray]]) -> list[list[Element]]:
    """State by state, the product of all parts but each."""
    known: dict[tuple[int, ...], list[Element]] = {}
    rows = []
    for places in zip(*(part.tolist() for _, part in parts), strict=True):
        if places not in known:
            elements = [each[i] for (each, _), i in zip(parts, places, strict=True)]
            two = len(elements) == 2
            known[places] = elements[::-1] if two else leave_one_out(transform, elements, [1] * len(elements))
        rows.append(known[places])
    return rows


def _mixed(
    transform: Transform[Element],
    states: Sequence[IntArray],
    log_weights: Sequence[Array],
    rows: Sequence[Element],
) -> list[Element]:
    """Part by part, the average over its states."""
    found = []
    for own, logs in zip(states, log_weights, strict=True):
        elements = [rows[i] for i in own.tolist()]
        # Where one state is left it is certain; its weight says so but for rounding.
        found.append(elements[0] if len(elements) == 1 else transform.mix(np.asarray(logs), elements))
    return found


def _times(transform: Transform[Element], elements: Sequence[Element]) -> Element:
    return elements[0] if len(elements) == 1 else transform.product(elements, [1] * len(elements))
