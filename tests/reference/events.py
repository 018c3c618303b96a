"""What two answers leak together, by their outputs: cells of outputs are a post-processing, and so never leak more."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pair = tuple[Array, Array]
"""The probabilities of an answer's cells under either of two laws."""


def cells(cumulative: Callable[[Array], Array], ends: Array, shift: float) -> Pair:
    """Cells between these ends, of noise around `shift` and around 0."""
    found = []
    for centre in (shift, 0.0):
        values = np.concatenate([[0.0], cumulative(ends - centre), [1.0]])
        found.append(np.diff(values))
    return found[0], found[1]


def sampled(pair: Pair, probability: float) -> Pair:
    """With a record that is in the sample with that probability, and without it."""
    return probability * pair[0] + (1 - probability) * pair[1], pair[1]


def together(pairs: Sequence[Pair], epsilon: float, exchanged: bool) -> float:
    """The hockey-stick of the product laws, summed over all cells of all answers."""
    ones, others = np.ones(1), np.ones(1)
    for one, other in pairs:
        ones = np.multiply.outer(ones, other if exchanged else one).ravel()
        others = np.multiply.outer(others, one if exchanged else other).ravel()
    return float(np.maximum(ones - np.exp(epsilon) * others, 0.0).sum())


def coin_flips(count: int, odds: Fraction, fold: Fraction) -> Fraction:
    """δ at e^ε = fold of so many independent bits, each `odds` times as likely to be right as wrong."""
    a, b, over, under = odds.numerator, odds.denominator, fold.numerator, fold.denominator
    found = 0
    for wrong in range(count + 1):
        one, other = a ** (count - wrong) * b**wrong, a**wrong * b ** (count - wrong)
        found += comb(count, wrong) * max(under * one - over * other, 0)
    return Fraction(found, under * (a + b) ** count)
