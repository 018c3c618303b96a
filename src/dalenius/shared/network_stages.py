"""Networks of records as networks of processes: the same people in several data sets (IP Def 5)."""

from collections.abc import Iterator, Sequence

import numpy as np

from dalenius.errors import InputError
from dalenius.joints.joint import Stratum
from dalenius.joints.network.conditionals import Potential
from dalenius.laws.law import IntArray
from dalenius.laws.masses import Masses
from dalenius.shared.steps import Processes, joined_values, paired_label


def moved(potentials: Sequence[Potential], places: Sequence[IntArray]) -> Iterator[Potential]:
    """The same functions of processes; places: by node, that of each process's value among those before."""
    for potential in potentials:
        grid = np.ix_(*(places[node] for node in potential.nodes))
        yield Potential(potential.nodes, np.ascontiguousarray(potential.table[grid]))


def going_on(node: int, kind: Processes, own: Masses) -> Iterator[Potential]:
    """Pr[a node's process | its first value], a factor for each step; own: the law of its first value.

    InputError where a chance is no double.
    """
    for stage, step in enumerate(kind.steps.each):
        chances = step.matrix(own)[kind.paths[:, stage], kind.paths[:, stage + 1]]
        numbers = chances.doubles()
        if np.any(chances.solid & (numbers == 0)):
            raise InputError("model.persistence", 1 - step.stay, "chances that doubles hold, in a network")
        yield Potential((node,), numbers)


def paired_strata(pairs: Sequence[tuple[Stratum, Stratum]]) -> tuple[tuple[Stratum, ...], tuple[int, ...]]:
    """By person their strata in two laws: the strata of their processes through both, and each person's number."""
    keys = [(paired_label(a.label, b.label), joined_values(a.values, b.values)) for a, b in pairs]
    kinds = list(dict.fromkeys(keys))
    strata = tuple(Stratum(label, values, keys.count((label, values))) for label, values in kinds)
    return strata, tuple(kinds.index(key) for key in keys)
