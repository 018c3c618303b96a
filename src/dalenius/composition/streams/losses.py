"""What a stream of answers can leak of each step's value, whatever private mechanisms give them (Result 9.8)."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum, inf, nextafter
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.composition.streams.contraction import Contraction, contraction
from dalenius.joints.chain.over_time import Kernels, OverTime
from dalenius.laws.law import Array, IntArray

LATELY: Final = 4
"""Steps among whose losses one is looked for that comes again."""
AT_ONCE: Final = 1 << 19
"""Numbers of candidates that are held at a time."""


@final
@dataclass(frozen=True, eq=False)
class Losses:
    """Of every step (T,), in nats: lower <= truth <= upper."""

    lower: Array
    upper: Array

    def __len__(self) -> int:
        return len(self.upper)

    def __getitem__(self, step: int) -> Enclosure:
        """Of one step, from 0."""
        return Enclosure(float(self.lower[step]), float(self.upper[step]))

    @property
    def largest(self) -> Enclosure:
        """Of the step about which most leaks."""
        return Enclosure(float(self.lower.max()), float(self.upper.max()))

    def at_most(self, other: "Losses") -> "Losses":
        """The same, known to be at most another's upper ends."""
        upper = np.minimum(self.upper, other.upper)
        return Losses(np.minimum(self.lower, upper), upper)

    def turned(self) -> "Losses":
        return Losses(self.lower[::-1], self.upper[::-1])


def backward_losses(stream: OverTime, epsilons: Array) -> Losses:
    """Of each step's value, by the answers up to it: α_t = ε_t + L_t(α_{t−1}).

    0 where the step has one possible value. Without backward matrices the adversary knows of no dependence: ε_t.
    """
    alone = stream.possible.sum(axis=1) < 2
    if stream.backward is None:
        return Losses(np.where(alone, 0.0, epsilons), np.where(alone, 0.0, epsilons))
    lower, upper = np.zeros(len(stream)), np.zeros(len(stream))
    low = high = 0.0 if alone[0] else float(epsilons[0])
    lower[0], upper[0] = low, high
    again = np.append(False, (np.diff(epsilons) == 0) & (alone[1:] == alone[:-1])).tolist()
    last: tuple[Contraction, int] | None = None
    seen: list[tuple[float, float]] = []
    settled = False
    for step, (found, which) in enumerate(_steps(stream, stream.backward), 1):
        if not (again[step] and last == (found, which)):
            seen, settled, last = [], False, (found, which)
        if not settled:
            epsilon = float(epsilons[step])
            low, high = found.ends(which, low, high)
            low, high = max(epsilon, nextafter(epsilon + low, -inf)), nextafter(epsilon + high, inf)
            if alone[step]:
                low = high = 0.0
            if settled := (low, high) in seen:
                # Steps that are alike go round the same few numbers, to the last digit, from here on.
                round_ = seen[seen.index((low, high)) :]
                low, high = min(each for each, _ in round_), max(each for _, each in round_)
            seen = [*seen[1 - LATELY :], (low, high)]
        lower[step], upper[step] = low, high
    return Losses(lower, upper)


def forward_losses(stream: OverTime, epsilons: Array) -> Losses:
    """Of each step's value, by the answers from it on."""
    return backward_losses(stream.reversed(), epsilons[::-1]).turned()


def total_losses(backward: Losses, forward: Losses, epsilons: Array) -> Losses:
    """Of each step's value, by all answers: the step's own counts once."""
    size = 4 * UNIT * (backward.upper + forward.upper + epsilons)
    lower = backward.lower + forward.lower - epsilons - size
    upper = backward.upper + forward.upper - epsilons + size
    secret = backward.upper > 0
    return Losses(np.where(secret, np.maximum(lower, 0.0), 0.0), np.where(secret, upper, 0.0))


def limit(kernels: Kernels | None, stream: OverTime, epsilon: float) -> Enclosure | None:
    """What the losses rise to with the number of steps; None where the steps are not all alike."""
    if kernels is None:
        return Enclosure(epsilon, epsilon)
    if not kernels.only or not (stream.possible == stream.possible[0]).all():
        return None
    return contraction(kernels.logs, stream.possible[:1], kernels.error).limit(epsilon)


def summed(epsilons: Array) -> Enclosure:
    """Σε_t."""
    total = fsum(epsilons.tolist())
    return Enclosure(total * (1 - UNIT), total * (1 + UNIT)) if len(epsilons) > 1 else Enclosure(total, total)


def _steps(stream: OverTime, kernels: Kernels) -> Iterator[tuple[Contraction, int]]:
    """By step from the second on: the contraction from the one before, and its place there."""
    states = len(stream.values)
    if len(stream) == 1:
        return
    keys = np.column_stack([kernels.which, stream.possible[1:]])
    distinct, place = _distinct(keys) if kernels.only else (keys, np.arange(len(keys)))
    at_once = max(AT_ONCE // max(states**3, 1), 1)
    if len(distinct) <= at_once:
        found = contraction(kernels.logs[distinct[:, 0]], distinct[:, 1:] > 0, kernels.error)
        yield from ((found, which) for which in place.tolist())
        return
    for start in range(0, len(place), at_once):
        chosen = keys[start : start + at_once]
        found = contraction(kernels.logs[chosen[:, 0]], chosen[:, 1:] > 0, kernels.error)
        yield from ((found, which) for which in range(len(chosen)))


def _distinct(keys: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct rows, and the place of each among them."""
    if (keys == keys[0]).all():
        return keys[:1], np.zeros(len(keys), dtype=np.int64)
    distinct, place = np.unique(keys, axis=0, return_inverse=True)
    return distinct, place.ravel()
