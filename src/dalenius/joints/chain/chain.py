"""A Markov chain of records, as the one factor of a joint law.

Probabilities, and those derived from them, are held in unlimited range: a value has probability 0 only if no path of
possible steps leads to it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import log2
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.joints.chain.products import running
from dalenius.joints.factors import MANY, Factor, Numbering, Path
from dalenius.laws.law import Array, IntArray
from dalenius.laws.masses import Masses

FAINT: Final = 1e-300
SAME: Final = 1e-9
"""How far, relatively, steps of one chain may be apart and count as the same where a bound is asked for."""


@final
@dataclass(frozen=True, eq=False)
class MarkovChain(Factor):
    """n records of k values each, numbered on from `before`. Build it with `markov_chain`.

    initial (k,); matrices (m, k, k): the distinct transition matrices, by rows; which (n - 1,): the one of each step;
    forward (n, k): each record's law up to the roundings of the rows' sums; stratum (n,): each record's stratum;
    slots (n, k): the slots of its values.
    """

    initial: Masses
    matrices: Masses
    which: IntArray
    forward: Masses
    stratum: IntArray
    slots: IntArray
    before: int = 0

    def __len__(self) -> int:
        return len(self.stratum)

    @property
    def count(self) -> int:
        return 1

    @property
    def people(self) -> range:
        return range(self.before + 1, self.before + len(self) + 1)

    @cached_property
    def strata(self) -> Mapping[int, int]:
        found, counts = np.unique(self.stratum, return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))

    @property
    def steps(self) -> Masses:
        """Every step's transition matrix (n - 1, k, k), by rows."""
        return self.matrices[self.which]

    @property
    def one_step(self) -> Masses | None:
        """The transition matrix (k, k) of all steps; None where they are not the same, or there is none."""
        return self.matrices[0] if len(self.matrices) == 1 and len(self) > 1 else None

    @property
    def even(self) -> tuple[Array, Array] | None:
        """The first record's law and the one transition matrix of a homogeneous chain; None where steps or strata
        differ, or a probability is no double."""
        if self.one_step is None or len(self.strata) > 1 or not (self.initial.fits and self.one_step.fits):
            return None
        return self.initial.doubles(), self.one_step.doubles()

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """Which values each record can have (n, k)."""
        return self.forward.solid

    @cached_property
    def masses(self) -> Masses:
        """Every record's law (n, k)."""
        return self.forward.over(self.forward.summed((-1,)).with_last_axis())

    @property
    def marginals(self) -> Array:
        """Every record's law in doubles (n, k), in which a possible value may underflow to 0: see `possible`."""
        return self.masses.doubles()

    @cached_property
    def log_marginals(self) -> Array:
        """The logs of every record's law (n, k): -inf where a value cannot occur."""
        return _logs(self.masses)

    @cached_property
    def backward(self) -> Masses:
        """Pr[X_place = s | X_place+1 = t] at (place, t, s), (n - 1, k, k); uniform where t cannot occur."""
        arriving = self.forward[:-1].with_last_axis().times(self.steps).turned()
        # What one place divides by, the next multiplies with, rounding included: the product along the chain keeps the
        # roundings of single steps only.
        given = arriving.over(self.forward[1:].with_last_axis())
        return given.filled(self.possible[1:, :, None], 1 / self.slots.shape[1])

    @cached_property
    def log_matrices(self) -> Array:
        """The logs of the distinct transition matrices (m, k, k)."""
        return _logs(self.matrices)

    @cached_property
    def log_backward(self) -> Array:
        """log Pr[X_place | X_place+1] (n - 1, k, k): rows are the later record's states."""
        return _logs(self.backward)

    @cached_property
    def path(self) -> Path | None:
        """Steps back that are the same but for their last digits count as one. None where a chance is no double."""
        if any(np.any(each.solid & (each.doubles() < FAINT)) for each in (self.masses, self.matrices, self.backward)):
            return None
        backward = np.where(self.possible[1:, :, None], self.backward.doubles(), 0.0)
        kernels, before = _gathered(backward)
        error = SAME + 8 * (len(self) + 1) * (self.slots.shape[1] + 1) * UNIT
        return Path(self.marginals, self.matrices.doubles(), self.which, kernels, before, error, self.slots)

    @property
    def assignments(self) -> int:
        people, states = self.slots.shape
        # Past any use, and as a float 2^1024 would overflow.
        return int(states**people) if people * log2(states) < log2(MANY) else MANY

    def alone(self) -> tuple[IntArray, Array]:
        k = self.slots.shape[1]
        states = np.flatnonzero(self.possible[0])[:, None]
        logs = self.log_marginals[0][states[:, 0]]
        for matrix in self.which:
            grown = (logs[:, None] + self.log_matrices[matrix][states[:, -1]]).ravel()
            wide = [np.repeat(states, k, axis=0), np.tile(np.arange(k), len(logs))[:, None]]
            states, logs = np.concatenate(wide, axis=1)[grown > -np.inf], grown[grown > -np.inf]
        return self.slots[np.arange(len(self)), states], logs

    def within(self, numbering: Numbering) -> "MarkovChain":
        return replace(
            self,
            stratum=numbering.strata[self.stratum],
            slots=numbering.slots[self.slots],
            before=self.before + numbering.before,
        )


def markov_chain(initial: Masses, matrices: Masses, which: IntArray, stratum: IntArray) -> MarkovChain:
    """Arguments as the fields of `MarkovChain`; slots are numbered stratum by stratum."""
    states = len(initial)
    slots = np.arange(states) + states * stratum[:, None]
    return MarkovChain(initial, matrices, which, running(initial, matrices[which]), stratum, slots)


def _gathered(kernels: Array) -> tuple[Array, IntArray]:
    """Runs of kernels, (n - 1, k, k), none further from the first of its run than SAME, relatively; and the run of
    each."""
    if not len(kernels):
        return kernels, np.zeros(0, dtype=np.int64)
    starts = [0]
    while True:
        first = kernels[starts[-1]]
        rest = kernels[starts[-1] :]
        new = np.flatnonzero((np.abs(rest - first) > SAME / 2 * first).any(axis=(1, 2)))
        if not len(new):
            break
        starts.append(starts[-1] + int(new[0]))
    which = np.zeros(len(kernels), dtype=np.int64)
    which[starts[1:]] = 1
    return kernels[starts], np.cumsum(which)


def _logs(masses: Masses) -> Array:
    """Natural logs, rounded once where the number is a normal double."""
    numbers = masses.doubles()
    plain = numbers >= np.finfo(np.float64).tiny
    return np.where(plain, np.log(np.where(plain, numbers, 1.0)), masses.logs())
