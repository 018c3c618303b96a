"""One person's values over time: a Markov chain, as the step forward and the step back (Theory §9)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.fields import RecordValue
from dalenius.joints.markov_chain_factor import MarkovChain
from dalenius.laws.extended_range import Masses


@final
@dataclass(frozen=True, eq=False)
class Kernels:
    """Transition matrices between neighbouring steps.

    Args:
        logs: The logs of the distinct matrices (m, k, k), by rows, -inf where impossible.
        which: The number of the matrix between steps t and t + 1 (T - 1,).
        error: How far, relatively, any entry may be off.
    """

    logs: Array
    which: IntArray
    error: float

    @property
    def only(self) -> bool:
        """Whether all steps are the same."""
        return len(self.logs) == 1

    def turned(self) -> "Kernels":
        """Returns the kernels in the opposite order of time."""
        return replace(self, which=self.which[::-1])


@final
@dataclass(frozen=True, eq=False)
class OverTime:
    """A person's k possible values at T steps.

    Args:
        values: The values (k,).
        possible: Which values each step can have (T, k); rows of other values have no meaning.
        forward: Kernels whose rows are the earlier step's value.
        backward: Kernels whose rows are the later step's value, at the same places.
    """

    values: tuple[RecordValue, ...]
    possible: NDArray[np.bool_]
    forward: Kernels
    backward: Kernels

    def __len__(self) -> int:
        return len(self.possible)

    def reversed(self) -> "OverTime":
        """Returns the values over time with the last step first."""
        return OverTime(self.values, self.possible[::-1], self.backward.turned(), self.forward.turned())


def over_time(values: Sequence[RecordValue], chain: MarkovChain, stationary: bool) -> OverTime:
    """Returns both directions of a chain, by Bayes' rule.

    The log of a kernel's entry is -inf where a step is impossible, and may be any number for a value that a step
    cannot have.

    Args:
        values: The values of a record (k,).
        chain: The chain of the records.
        stationary: Whether it has one law and one matrix throughout.
    """
    states, steps = len(values), len(chain)
    forward = Kernels(chain.log_matrices, chain.which, 4 * (states + 1) * UNIT)
    # Because over 1e5 steps the roundings of a running law would add up in every one of them, one matrix leads back.
    if stationary:
        law = chain.masses[0].with_last_axis()
        joint = law.times(chain.matrices[0]).turned()
        logs = _logs(joint.over(law).filled(law.solid, 1 / states))
        # Because 8 k³ roundings are the relative error of a stationary law and of the numbers derived from it.
        back = Kernels(logs[None], np.zeros(steps - 1, dtype=np.int64), 8 * states**3 * UNIT)
    else:
        # Because each is Bayes' rule for a law whose entries are off by the roundings of all steps before (`running`).
        error = 2 * (states + 1) * (steps + 4) * UNIT
        back = Kernels(chain.log_backward, np.arange(steps - 1), error)
    return OverTime(tuple(values), chain.possible, forward, back)


def persistent(values: Sequence[RecordValue], steps: int, persistence: float) -> OverTime:
    """Returns values that are kept from each step to the next with a probability, and otherwise drawn anew.

    Two values kept with .8: the same one is drawn anew with half of .2, so that it stays with .9.

    >>> np.exp(persistent(("home", "out"), 3, 0.8).forward.logs).round(6).tolist()
    [[[0.9, 0.1], [0.1, 0.9]]]

    Args:
        values: The k values, equally likely when drawn.
        steps: How many steps there are.
        persistence: The probability that a value is kept.
    """
    states = len(values)
    # The case of 1: no step is ever drawn anew. The case of 0: all are, and steps are independent.
    other = np.log1p(-persistence) - log(states) if persistence < 1 else -np.inf
    same = np.logaddexp(log(persistence), other) if persistence > 0 else other
    logs = np.where(np.eye(states, dtype=np.bool_), same, other)
    size = 0.0 if persistence >= 1 else -float(other)
    kernels = Kernels(logs[None], np.zeros(steps - 1, dtype=np.int64), 8 * UNIT * (1 + size))
    return OverTime(tuple(values), np.ones((steps, states), dtype=np.bool_), kernels, kernels)


def _logs(masses: Masses) -> Array:
    """Returns natural logs, -inf where a step is impossible."""
    return np.where(masses.solid, masses.logs(), -np.inf)
