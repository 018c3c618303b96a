"""Which records of a binary chain are exchangeable, up to a counted error (Result 4.2).

Any symmetric answer is a function of N, how many records are 1. Write F_a(s) for E[z^N; X = s] with N over the a
records before one, H_b(s) for E[z^N | X = s] over the b after it. Both obey the chain's recurrence of order two, whose
determinant is δz with δ = det P. So, wherever a record has d or more others on both sides,

    F_d H_(d+m) - F_(d+t) H_(d+m-t) = (δz)^d (F_0 H_m - F_t H_(m-t)).

Let R be the largest ratio of two entries in one column of P, and R₀ that of an entry of `initial` to one of P. Then the
right side is at most |δ|^d R (1 + R₀) min_c H_m(c), coefficient by coefficient, shifted by d; and F_d H_(d+m) is at
least κ min_c H_m(c) there, where κ = [z^d] F_d H_d is the mass with d ones among the nearest 2d. Hence the laws of
N given two such records differ by a factor within 1 ± x everywhere, x = |δ|^d R (1 + R₀) / κ.
"""

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array

FURTHEST: Final = 4096
NEGLIGIBLE: Final = UNIT / 4
FAINTEST: Final = 1e-290
"""Doubles below it are too imprecise to decide symmetry."""


@final
@dataclass(frozen=True)
class Places:
    """One class of exchangeable records, by their places from 0: first, .., last, or these two only (mirrored).

    class_error: how far, in nats, log Pr[answer | record] of any of them may be from that of the first.
    """

    first: int
    last: int
    mirrored: bool = False
    class_error: float = 0.0

    def __contains__(self, place: int) -> bool:
        return place in (self.first, self.last) if self.mirrored else self.first <= place <= self.last

    @property
    def people(self) -> int:
        return 2 if self.mirrored else self.last - self.first + 1

    @property
    def rows(self) -> tuple[tuple[int, int], ...]:
        """From 1: the first and the last position of each row of them."""
        first, last = self.first + 1, self.last + 1
        return ((first, first), (last, last)) if self.mirrored else ((first, last),)

    def __str__(self) -> str:
        if self.first == self.last:
            return f"record {self.first + 1}"
        return f"records {self.first + 1} {'and' if self.mirrored else 'to'} {self.last + 1}"


def exchangeable_places(n: int, initial: Array, step: Array | None) -> tuple[Places, ...]:
    """The equivalence classes of a chain's n places, in order; step: its only transition matrix, None if there is none.

    A stationary binary chain is reversible: places at equal distances from the two ends are exchangeable exactly.
    """
    if step is None or not (step > 0).all():
        return tuple(Places(place, place) for place in range(n))
    depth, class_error = _depth(n, initial, step)
    stationary = np.array([step[1, 0], step[0, 1]]) / (step[1, 0] + step[0, 1])
    near = np.all(np.abs(initial - stationary) <= 8 * UNIT * stationary)
    mirrored = bool(near and stationary.min() > FAINTEST)
    ends = [(place, n - 1 - place) for place in range(min(depth, n // 2))]
    middle = [Places(len(ends), n - 1 - len(ends), class_error=class_error)] if n > 2 * len(ends) else []
    if mirrored:
        return (*(Places(*pair, mirrored=True, class_error=32 * UNIT) for pair in ends), *middle)
    return (
        *(Places(first, first) for first, _ in ends),
        *middle,
        *(Places(last, last) for _, last in reversed(ends)),
    )


def _depth(n: int, initial: Array, step: Array) -> tuple[int, float]:
    """How many places at each end are classes of their own (all if n is small), and the middle class's error."""
    everybody = (n + 1) // 2
    determinant = abs(float(step[0, 0] - step[1, 0]))
    if step.min() < FAINTEST:
        return everybody, 0.0
    ratio = float(np.max(step.max(axis=0) / step.min(axis=0)))
    constant = ratio * (1 + float(np.max(initial / step.min(axis=0))))
    before, after = initial[:, None], np.ones((2, 1))
    for depth in range(min(n // 2, FURTHEST)):
        if constant * determinant**depth < NEGLIGIBLE:
            kappa = min(float(b @ a[::-1]) for b, a in zip(before, after, strict=True))
            difference = constant * determinant**depth / kappa if kappa > FAINTEST else np.inf
            if difference < NEGLIGIBLE:
                return depth, 3 * difference
        # F_{a+1}(s) = Σ_t F_a(t) z^t P(t,s) and H_{b+1}(s) = Σ_t P(s,t) z^t H_b(t).
        before, after = step.T @ _shifted(before), step @ _shifted(after)
    return everybody, 0.0


def _shifted(rows: Array) -> Array:
    """Row t times z^t."""
    return np.array([np.append(rows[0], 0.0), np.append(0.0, rows[1])])
