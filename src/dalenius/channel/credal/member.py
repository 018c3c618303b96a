"""What one class of exchangeable people can leak under any law of their group: linear functions of that law."""

from collections.abc import Sequence
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.joints import CredalBlock, Subject
from dalenius.joints.groups.block import Member
from dalenius.laws.credal.box import Box
from dalenius.laws.credal.quotients import Quotients
from dalenius.laws.law import Array


@final
class CredalMember:
    """Of their group alone: W(y|s) = seen_s(y)·p / chance_s·p under its law p.

    likelihoods (outputs, rows): of every output that matters given a row, up to a factor of the output. attained
    (outputs,): those at which the rest of the population cannot make less of what leaks.
    """

    def __init__(
        self,
        block: CredalBlock,
        member: Member,
        subject: Subject,
        likelihoods: Array,
        attained: NDArray[np.bool_],
        pairs: Sequence[tuple[int, int]],
    ) -> None:
        self.subject = subject
        self.box: Box = block.box
        self.attained = attained
        self.pairs = tuple(pairs)
        given = block.given(member)
        self.chance = block.by_entry(given)
        self.seen = block.by_entry(likelihoods[:, None, :] * given)
        self.secrets = len(given)

    @cached_property
    def outputs(self) -> int:
        """How many."""
        return len(self.attained)

    @property
    def ratios(self) -> Quotients:
        """log W(y|s)/W(y|s'), pair by pair, output by output."""
        return Quotients.joined([self._problem(s, self.seen[:, t], self.chance[t]) for s, t in self.pairs])

    @property
    def raised(self) -> Quotients:
        """log W(y|s)/W(y), secret by secret, output by output."""
        one = np.ones(len(self.box))
        return Quotients.joined([self._problem(s, self._any, one) for s in range(self.secrets)])

    @property
    def lowered(self) -> Quotients:
        """log W(y)/W(y|s)."""
        ones = np.ones_like(self._any)
        parts = [
            Quotients(self._any, ones, np.broadcast_to(self.chance[s], ones.shape), self.seen[:, s])
            for s in range(self.secrets)
        ]
        return Quotients.joined(parts)

    def _problem(self, s: int, against: Array, chance: Array) -> Quotients:
        shape = against.shape
        own, other = np.broadcast_to(self.chance[s], shape), np.broadcast_to(chance, shape)
        return Quotients(self.seen[:, s], own, other, against)

    @property
    def _any(self) -> Array:
        """Of any secret (outputs, m): W(y) is this·p."""
        return np.asarray(self.seen.sum(axis=1))

    def divergences(self, laws: Array) -> tuple[Array, Array]:
        """D(S | Y=y ‖ S) and D(S ‖ S | Y=y) (laws, outputs) of the group alone under laws (laws, m)."""
        prior = laws @ self.chance.T
        joint = np.einsum("ysm,lm->lys", self.seen, laws)
        posterior = joint / joint.sum(axis=-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.log(posterior) - np.log(prior)[:, None, :]
        moved = np.where(posterior > 0, moved, 0.0)
        forward = (posterior * moved).sum(axis=-1)
        return forward, -(prior[:, None, :] * moved).sum(axis=-1)
