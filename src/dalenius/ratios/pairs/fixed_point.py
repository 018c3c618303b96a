"""Scales that add up one number for each record that a person's record depends on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from dalenius.calibration.search import least_scale
from dalenius.channel.pairs import Pairs
from dalenius.laws.law import Array, IntArray


class Influence(Protocol):
    """What X_i reveals of a noisy score, in nats; decreasing in the scale.

    laws (kinds, s, v): of the score given each value of X_i, over points (v,); low, high (kinds,): its range's ends.
    """

    def __call__(self, laws: Array, points: Array, low: Array, high: Array, scale: float) -> Array: ...


@final
@dataclass(frozen=True)
class _Kinds:
    """The distinct laws and ranges of pairs: chosen, one pair for each; kind (pairs,): which of them a pair has."""

    pairs: Pairs
    chosen: IntArray
    kind: IntArray

    def largest_sum(self, influence: Influence, scale: float) -> float:
        """max over i of Δ_i/scale plus what X_i reveals of all others."""
        pairs, chosen = self.pairs, self.chosen
        each = influence(pairs.laws[chosen], pairs.points, pairs.low[chosen], pairs.high[chosen], scale)
        others = np.bincount(pairs.first, pairs.times * each[self.kind], minlength=len(pairs.move))
        return float(np.max(pairs.move / scale + others))


def dependent_scale(pairs: Sequence[Pairs], influence: Influence, own: float, epsilon: float) -> float:
    """σ = DS/ε with DS = max_i Σ_j ρ_ij ΔQ_j, ρ_ii = 1 and ρ_ij ΔQ_j/σ = influence: where DS/σ, which falls in σ, is ε.

    own: Δ, what the record that matters most adds by itself.
    """
    kinds = [_kinds(each) for each in pairs if len(each.first)]

    def total(scale: float) -> float:
        # A bound met up to rounding counts as met: no promise rests on it.
        return max([own / scale, *(each.largest_sum(influence, scale) for each in kinds)]) * (1 - 1e-13)

    return least_scale(total, epsilon, own / epsilon)


def _kinds(pairs: Pairs) -> _Kinds:
    flat = pairs.laws.reshape(len(pairs.first), -1).round(13)
    rows = np.concatenate([flat, pairs.low[:, None], pairs.high[:, None]], axis=1)
    return _Kinds(pairs, *distinct(rows))


def distinct(rows: Array) -> tuple[IntArray, IntArray]:
    """The first place of each distinct row, in the rows' order, and which of them each row is: what np.unique says,
    which compares whole rows field by field and takes several times as long."""
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    begins = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    kind = np.empty(len(rows), dtype=np.int64)
    kind[order] = np.cumsum(begins) - 1
    return order[begins].astype(np.int64), kind
