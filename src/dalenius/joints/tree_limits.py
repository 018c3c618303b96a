"""The memory limits of a network's junction tree: its cliques' tables, and the messages between them.

A budget that a refusal names is enough for both. A clique of 21 bits has 2^21 states, whose messages need 8 GiB:

>>> spelled(_needed(21, 1 << 21, 1 << 20))
'8G'
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final, final

from dalenius.errors import TooLarge
from dalenius.joints.limits import MOST_MESSAGE_BYTES, MOST_MESSAGE_STATES, MOST_TABLE_STATES
from dalenius.limits import Limit
from dalenius.memory_budget import allowed, budget_in_use, enough, or_more, spelled as spelled

_HOPELESS: Final = 1 << 32
"""Most states of one clique for which some machine has the memory."""


@final
@dataclass(frozen=True)
class Bucket:
    """A node and its boundary: the nodes that it is linked to when it is summed out.

    Given the boundary, it and all nodes summed out through it are independent of every other node. The boundary is in
    the order of elimination, last first.
    """

    node: int
    boundary: tuple[int, ...]


def is_hopeless(bucket: Bucket, sizes: Mapping[int, int]) -> bool:
    """Says whether the clique of `bucket` alone has more states than any memory holds.

    sizes: how many values each node has.
    """
    return _states_of(bucket, sizes) > _HOPELESS


def _states_of(bucket: Bucket, sizes: Mapping[int, int]) -> int:
    return prod(sizes[node] for node in (*bucket.boundary, bucket.node))


def check_tables(buckets: Sequence[Bucket], sizes: Mapping[int, int]) -> None:
    """Raises TooLarge if the cliques of `buckets` have too many states for their tables.

    sizes: how many values each node has.
    """
    cells = sum(_states_of(bucket, sizes) for bucket in buckets)
    if cells > allowed(MOST_TABLE_STATES):
        # Because the messages between them come next: the named budget must be enough for these too.
        boundaries = sum(prod(sizes[node] for node in bucket.boundary) for bucket in buckets)
        raise _too_large(buckets, cells, _needed(len(sizes), cells, boundaries), MOST_TABLE_STATES)


def fit_messages(nodes: int, states: int, boundaries: int) -> bool:
    """Says whether the messages of a component of `nodes` nodes fit the memory and some minutes.

    states, boundaries: how many states of positive probability all cliques, and all their boundaries, have.
    """
    return _needed(nodes, states, boundaries) <= budget_in_use()


def check_messages(buckets: Sequence[Bucket], shapes: Mapping[int, tuple[int, ...]], states: int) -> None:
    """Raises TooLarge, with a budget that is enough for the messages of all `buckets`.

    shapes: by node that of its clique's table, the node last; states: how many of positive probability all cliques
    have.
    """
    boundaries = sum(prod(shapes[bucket.node][:-1]) for bucket in buckets)
    limit = MOST_MESSAGE_STATES if states > allowed(MOST_MESSAGE_STATES) else MOST_MESSAGE_BYTES
    raise _too_large(buckets, states, _needed(len(buckets), states, boundaries), limit)


def _needed(nodes: int, states: int, boundaries: int) -> int:
    """Returns the budget, in bytes, with which the messages fit."""
    # Because each state of a boundary has the law of a count inside and that of one outside, which share the nodes; in
    # bytes.
    taken = 750 * states + (1000 + 32 * (nodes + 2)) * boundaries
    return max(enough(states, MOST_MESSAGE_STATES), taken)


def _too_large(buckets: Sequence[Bucket], states: int, needed: int, limit: Limit) -> TooLarge:
    width = max(len(bucket.boundary) for bucket in buckets)
    return TooLarge(
        "summing out the network",
        f"a width of {width} ({states:.2g} states of cliques)",
        or_more("leave out links, merge values, or use calibrate --method group, which needs no law", needed),
        limit,
    )
