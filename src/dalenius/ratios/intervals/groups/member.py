"""What one class of exchangeable people can leak under any law of their group: linear functions of that law."""

from collections.abc import Sequence
from functools import cached_property
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.joints import Subject
from dalenius.joints.groups.block import Member
from dalenius.laws.box import Box
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.intervals.groups.block import CredalBlock
from dalenius.ratios.intervals.groups.quotients import Quotients

MOST_VERTICES: Final = 3000
INWARD: Final = (1e-3, 1e-2, 0.1)


@final
class CredalMember:
    """Of their group alone: W(y|s) = seen_s(y)·p / chance_s·p under its law p, and Pr[s] = chance_s·p / known·p, where
    known·p is the probability of all that is known of the group, 1 of nothing.

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
        self.known = block.known_given
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
        return Quotients.joined([self._problem(s, self._any, self.known) for s in range(self.secrets)])

    @property
    def lowered(self) -> Quotients:
        """log W(y)/W(y|s)."""
        known = np.broadcast_to(self.known, self._any.shape)
        parts = [
            Quotients(self._any, known, np.broadcast_to(self.chance[s], known.shape), self.seen[:, s])
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

    def farthest(self, reverse: bool, attained: bool) -> tuple[int, int, float]:
        """A secret, an output (of the attained only), and D(S | Y=y ‖ S), or the reverse, there: the largest at
        corners of the box; the secret whose probability grows most."""
        outputs = np.flatnonzero(self.attained) if attained else np.arange(self.outputs)
        if not len(outputs):
            return 0, 0, 0.0
        values = self._divergences(self._corners, outputs, reverse)
        law, place = np.unravel_index(int(values.argmax()), values.shape)
        own, output = self._corners[law], int(outputs[place])
        joint = self.seen[output] @ own
        return int(np.argmax(joint / (self.chance @ own))), output, float(values[law, place])

    def _divergences(self, laws: Array, outputs: IntArray, reverse: bool) -> Array:
        """(laws, outputs) of the group alone under laws (laws, m); 0 where a secret is certain."""
        joint = np.einsum("ysm,lm->lys", self.seen[outputs], laws)
        with np.errstate(divide="ignore", invalid="ignore"):
            prior = laws @ self.chance.T / (laws @ self.known)[:, None]
            posterior = joint / joint.sum(axis=-1, keepdims=True)
            moved = np.log(posterior) - np.log(prior)[:, None, :]
            weighed = -prior[:, None, :] * moved if reverse else posterior * moved
        return np.asarray(np.where(posterior > 0, weighed, 0.0).sum(axis=-1))

    @cached_property
    def _corners(self) -> Array:
        """Extreme laws, all where these are few, others near them, and one in the middle (laws, m)."""
        directions = np.concatenate([self.seen.reshape(-1, len(self.box)), self.chance])
        corners = self.box.best(np.concatenate([directions, -directions]))
        if (self.box.upper > self.box.lower).sum() <= 12 and self.box.vertex_bound <= MOST_VERTICES:
            corners = np.concatenate([corners, self.box.vertices()])
        inward = self.box.point - corners
        return np.concatenate([corners, *(corners + share * inward for share in INWARD), self.box.point[None, :]])
