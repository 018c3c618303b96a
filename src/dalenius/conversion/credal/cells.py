"""A simplex of laws, and the questions that bound what any of them leaks (Result 21.25)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, final

import numpy as np

from dalenius.conversion.credal.asked import Asked
from dalenius.conversion.dependence import Dependence
from dalenius.laws.law import Array

OFF: Final = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Cell:
    """The laws between these (r, m), all on one face of the box."""

    asked: Asked
    laws: Array

    @property
    def is_empty(self) -> bool:
        """Whether the secret, or what it is compared with, is impossible under all of them."""
        return not (self._own > 0).any() or not (self._other > 0).any()

    def around(self) -> Iterator[Dependence]:
        """Questions of which one leaks no less than that about any of the laws, at every ε and δ, or a law at a corner
        does, which are not among them.

        A law between them mixes what they give given the secret, and given what that is compared with, in shares θ and
        θ′ that are apart by the odds of the two only: in total variation at most τ. So both are a mixture of pairs of
        laws that share 1 − τ at least, and what leaks is convex in each.
        """
        apart, odds = self._apart, self._odds
        for common, one, other in product(range(len(self.laws)), repeat=3):
            if apart > 0 and odds[one] < odds[other]:
                yield self._mixed(apart, common, one, other)
            elif one == other == common and self.asked.at(self.laws[one]) is None:
                yield self._mixed(1.0, one, one, one)

    def halves(self) -> tuple[Array, "Cell", "Cell"]:
        """The law in the middle of its longest edge, and what lies on either side."""
        far = np.abs(self.laws[:, None] - self.laws[None]).sum(axis=-1)
        one, other = np.unravel_index(int(np.argmax(far)), far.shape)
        middle = (self.laws[one] + self.laws[other]) / 2
        parts = []
        for end in (one, other):
            laws = self.laws.copy()
            laws[end] = middle
            parts.append(Cell(self.asked, laws))
        return middle, parts[0], parts[1]

    def _mixed(self, apart: float, common: int, one: int, other: int) -> Dependence:
        gain = (1 - apart) * self._gains[common] + apart * self._gains[one]
        cost = (1 - apart) * self._costs[common] + apart * self._costs[other]
        if self.asked.against is not None:
            return self.asked.under(gain, cost, 0.0)
        # The secret counts in what it is compared with: for no less, in any state, than this much of what it gains.
        joint = (1 - apart) * self._joint[common] + apart * self._joint[other]
        share = float(np.min(joint[gain > 0] / gain[gain > 0])) * (1 - OFF)
        return self.asked.under(gain, cost, share)

    @cached_property
    def _own(self) -> Array:
        return np.asarray(self.laws @ self.asked.own)

    @cached_property
    def _other(self) -> Array:
        return np.asarray(self.laws @ self.asked.other)

    @cached_property
    def _odds(self) -> Array:
        """Of what the secret is compared with, against it (r,)."""
        against = self._other if self.asked.against is not None else self._own + self._other
        return np.where(self._own > 0, against / np.where(self._own > 0, self._own, 1.0), np.inf)

    @cached_property
    def _apart(self) -> float:
        """τ, of odds whose logs range over that much."""
        if (self._own <= 0).any() or (self._odds <= 0).any():
            return 1.0
        root = float(np.sqrt(self._odds.max() / self._odds.min()))
        return min((root - 1) / (root + 1) * (1 + OFF) + OFF, 1.0) if root > 1 else 0.0

    @cached_property
    def _gains(self) -> Array:
        return self._given(self.asked.gain, self._own)

    @cached_property
    def _costs(self) -> Array:
        """Given what the secret is compared with; with information, together with any other value."""
        if self.asked.against is None:
            return np.asarray(self._joint_of(self.asked.cost))
        return self._given(self.asked.cost, self._other)

    @cached_property
    def _joint(self) -> Array:
        return self._joint_of(self.asked.gain)

    def _joint_of(self, chances: Array) -> Array:
        """By law, together with the value (r, n)."""
        return np.asarray(self.laws @ chances.T / (self._own + self._other)[:, None])

    def _given(self, joint: Array, chance: Array) -> Array:
        """By law, the others' states given the value (r, n); where it is impossible, those of another law: it has no
        share there."""
        rows = np.flatnonzero(chance > 0)
        found = np.empty((len(chance), len(joint)))
        found[:] = joint @ self.laws[rows[0]] / chance[rows[0]]
        found[rows] = (self.laws[rows] @ joint.T) / chance[rows, None]
        return found
