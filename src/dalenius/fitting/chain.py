"""Fits a Markov chain to past sequences, and tests whether one step of memory is enough.

In 0 0 1 1 1 0 0 0 1 0 a 0 is followed by 0 three times and by 1 twice, a 1 by either twice. With one pseudo-count in
each row the chances after a 0 are 3.5/6 and 2.5/6:

>>> found = fit_chain([0, 0, 1, 1, 1, 0, 0, 0, 1, 0])
>>> [[round(chance, 4) for chance in row] for row in found.model.transition]
[[0.5833, 0.4167], [0.5, 0.5]]
>>> round(found.memory.p_value, 4)  # no evidence that a record depends on the one before it
0.7642

With confidence 0.9 the chance of a 0 after a 0 is between 0.147 and 0.947: ten records say little.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, final

import numpy as np
from scipy.special import xlogy

from dalenius.arrays import IntArray
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.fitting.fit import (
    Cells,
    Fit,
    Statistic,
    as_values,
    check_smoothing,
    coded,
    crossed,
    judged,
    likelihood_ratio,
    section_rows,
    smoothed_law,
)
from dalenius.fitting.simultaneous_intervals import clopper_pearson, robbins, simultaneous, stationary_row
from dalenius.joints.chain_joint_law import stationary
from dalenius.laws.extended_range import Masses
from dalenius.models.chain import Chain

Sequences: TypeAlias = Cells | Sequence[Cells]
"""One sequence of values, or several; an array of two axes has a sequence a row."""


@final
@dataclass(frozen=True)
class ChainFit(Fit):
    """A fitted chain of order 1, as long as the longest sequence; its log-likelihood is of the points in either case.

    Attributes:
        sequences: How many sequences there are.
        transitions: How many pairs of neighbours there are; `observations` counts records.
        log_likelihood: That of all sequences under `model`, in nats.
        memory: The test of order 1 against order 0, independent records.
        order_two: The test of order 2 against order 1. A small p-value is evidence for the longer memory.
    """

    model: Chain
    sequences: int
    transitions: int
    log_likelihood: float
    memory: Statistic = field(metadata={"key": "order_1_against_0"})
    order_two: Statistic = field(metadata={"key": "order_2_against_1"})

    @property
    def in_words(self) -> str:
        one = judged(
            self.memory,
            "nothing says that a record depends on the one before it: independent records fit, too",
            "a record seems to depend on the one before it",
            "a record depends on the one before it",
        )
        two = judged(
            self.order_two,
            "the record before that adds nothing that is seen, so a chain fits",
            "the record before that seems to add something, so a chain hardly fits",
            "the record before that adds something, so a chain does not fit: take pairs of records",
        )
        return f"{one}; {two}"


def fit_chain(sequences: Sequences, smoothing: float = 1.0, confidence: float | None = None) -> ChainFit:
    """Fits the chain of order 1 that the sequences share.

    The hypothesis is that all sequences are of one chain, whose transitions are the same at every place. The first
    record's law is the chain's stationary one.

    Args:
        sequences: One sequence of values, or several.
        smoothing: Pseudo-counts of each row in all, shared evenly by the values.
        confidence: The confidence that all probabilities lie in the model's intervals, which then stand instead of
            points. How often a state is visited is up to the chain, so Clopper and Pearson's intervals serve one
            sequence of two values only, and Robbins' all others. None for points.

    Raises:
        InputError: If no sequence has a transition, or there is one value only.
    """
    check_smoothing(smoothing)
    universe, codes = _coded(sequences)
    k = len(universe)
    pairs = np.zeros((k, k), dtype=np.int64)
    for each in codes:
        pairs += crossed(each[:-1], each[1:], (k, k))
    # Because sequences of one record each have no transition to learn from.
    if not pairs.any():
        raise InputError("sequences", "one record in each", "a sequence of at least 2 records")
    firsts = np.bincount([each[0] for each in codes], minlength=k)
    transition = smoothed_law(pairs, smoothing)
    # Because smoothed rows have no zeros, there is exactly one stationary law.
    first_law = stationary(Masses.of(transition)).doubles()
    # Because how often a state is tried is up to the chain: Robbins' intervals hold nevertheless, and are wider.
    ends = clopper_pearson if k == 2 and len(codes) == 1 else robbins
    intervals = simultaneous(confidence, [k] * k, ends)
    shown = section_rows(pairs, smoothing, intervals)
    # Because intervals have no one stationary law, the first record's row holds those of all chains within them.
    first: Any = "stationary" if intervals is None else stationary_row(shown)
    model = Chain(n=max(map(len, codes)), values=universe, confidence=confidence, initial=first, transition=shown)
    score = float(xlogy(firsts, first_law).sum() + xlogy(pairs, transition).sum())
    total, moves = sum(map(len, codes)), int(pairs.sum())
    order_two = _second_order(codes, k)
    memory = likelihood_ratio(pairs)
    return ChainFit(model, total, smoothing, len(codes), moves, score, memory, order_two, intervals=intervals)


def _second_order(codes: Sequence[IntArray], states: int) -> Statistic:
    """Returns the likelihood ratio of order 2 against order 1: are the neighbours independent given the record between?

    There is one two-way table for each middle state. The degrees of freedom are states (states - 1)² where every pair
    of neighbours occurs (Hoel, Biometrika 41, 1954), fewer where some never do.
    """
    before = np.concatenate([each[:-2] for each in codes])
    middle = np.concatenate([each[1:-1] for each in codes])
    after = np.concatenate([each[2:] for each in codes])
    tables = [
        likelihood_ratio(crossed(before[middle == state], after[middle == state], (states, states)))
        for state in range(states)
    ]
    # Because a middle state that never occurs between two records has a table without cells.
    least = [each.smallest_expected for each in tables if each.smallest_expected is not None]
    return Statistic(
        sum(each.statistic for each in tables),
        sum(each.degrees_of_freedom for each in tables),
        min(least, default=None),
    )


def _coded(sequences: Sequences) -> tuple[tuple[RecordValue, ...], list[IntArray]]:
    """Returns the values that occur in the sequences, and each sequence as places among them, no empty ones."""
    # Because one sequence may be given as it is, without a list around it.
    many = bool(len(sequences)) and isinstance(sequences[0], list | tuple | np.ndarray)
    plain = [as_values(each, "value") for each in (sequences if many else [sequences])]
    plain = [each for each in plain if each]
    if not plain:
        raise InputError("sequences", "none", "at least one sequence of at least 2 records")
    universe, codes = coded([value for each in plain for value in each], "value")
    return universe, np.split(codes, np.cumsum([len(each) for each in plain])[:-1])
