"""A Markov chain as it was before some of its records became known.

Given known records every step of a chain is another one. What it was still repeats, which windows of long chains need.
"""

from dataclasses import dataclass
from typing import final

from dalenius.arrays import IntArray
from dalenius.laws.extended_range import Masses


@final
@dataclass(frozen=True, eq=False)
class Unconditioned:
    """The law of a chain before some of its records became known, and these.

    Args:
        initial: The law of the first record (k,).
        matrices: The distinct transition matrices (m, k, k), by rows.
        which: The number of each step's matrix (n - 1,).
        known: The places of the known records, from 0, in order, and their states.
    """

    initial: Masses
    matrices: Masses
    which: IntArray
    known: tuple[tuple[int, int], ...]
