"""How many friends everybody has."""

import numpy as np

from dalenius.dependent.graphs.edges import Edges
from dalenius.laws.law import IntArray


def degrees(edges: Edges) -> IntArray:
    """The number of edges at each person (people,)."""
    found = np.bincount(edges.first, minlength=edges.people) + np.bincount(edges.second, minlength=edges.people)
    return found.astype(np.int64, copy=False)
