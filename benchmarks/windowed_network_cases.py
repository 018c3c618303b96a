"""What the benchmark of large networks by windows calls."""

from typing import Any

import numpy as np

from benchmarks.windowed_chain_cases import leaks
from dalenius import Network, Node


def binary(nodes: int) -> tuple[float, ...]:
    """What a count of a binary tree leaks, every table its own: both ends, inferential and mutual information."""
    return _leaks(nodes, lambda node, _: (node - 1) // 2)


def recursive(nodes: int) -> tuple[float, ...]:
    """The same of a tree whose nodes choose their parents at random."""
    return _leaks(nodes, lambda node, random: int(random.integers(node)))


def comb(nodes: int) -> tuple[float, ...]:
    """The same of a path each of whose nodes has a leaf: from leaf to leaf half as far as there are nodes."""
    return _leaks(nodes, lambda node, _: max(node - 3 + node % 2, 0))


def star(nodes: int) -> tuple[float, ...]:
    """The same of a hub and its leaves."""
    return _leaks(nodes, lambda *_: 0)


def _leaks(count: int, parent: Any) -> tuple[float, ...]:
    random = np.random.default_rng(count)
    nodes = [Node(name="0", probabilities=[0.7, 0.3])]
    for node in range(1, count):
        rows = [[1 - chance, chance] for chance in random.uniform(0.05, 0.95, size=2).tolist()]
        nodes.append(Node(name=str(node), parents=[str(parent(node, random))], probabilities=rows))
    return leaks(Network(nodes=nodes), 2.0)
