"""When a chain is so long that its suprema are read from the limits at ±∞, and how (Theory §20)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.channel.channel import Channel
from dalenius.channel.finite.long_chain import LongChain
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity.sensitivity import Spread, spread_of
from dalenius.joints import ChainEnds, Joint, MarkovChain, Outermost
from dalenius.noise import Noise
from dalenius.queries import Scores

LONG: Final = 2000
"""Records, up to which the law of the answer is computed."""
MOST_CELLS: Final = 1 << 24
"""Records times pairs of values."""
MOST_POINTS: Final = 1 << 19
"""Records that are not exchangeable times answers: up to so many, averages are computed from every record's law."""

MOST_FREQUENCIES: Final = 1 << 25
"""Records times answers, up to which one law of the answer is computed for advice."""


@final
@dataclass(frozen=True, eq=False)
class LongWorld:
    """A chain of more than `LONG` records, of which one sum is asked."""

    joint: Joint
    chain: MarkovChain
    scores: Scores
    secrets: Secrets

    @cached_property
    def _ends(self) -> ChainEnds:
        return ChainEnds(self.chain, self.scores.indices[:, 0][self.chain.slots])

    @property
    def why(self) -> str:
        if self._ends.order is None:
            return "limits at ±∞ by recursion below, the range of the messages' ratios above"
        return "limits at ±∞ by recursion, and no other output can leak more about two values"

    @property
    def is_quick(self) -> bool:
        """Whether one law of the answer takes seconds."""
        least, most = self._range
        return len(self.chain) * (most - least + 1) <= MOST_FREQUENCIES

    def serves(self, noise: Noise) -> bool:
        """Whether no law of the answer is needed: with such noise; or without noise, where it would take too long."""
        return noise.exponential or (noise.adds_nothing and not self.is_quick)

    def channel(
        self, noise: Noise, firsts: frozenset[int] | None, alone: Callable[[], Iterator[Channel]]
    ) -> Iterator[Channel]:
        """That of all records that are secrets; none where nothing moves the answer. alone: see `LongChain`."""
        if not np.ptp(self._ends.scores, axis=1).any():
            return
        places = np.arange(len(self.chain)) if firsts is None else np.array(sorted(firsts), dtype=np.int64) - 1
        yield LongChain(
            self.joint,
            self._outermost(noise),
            places,
            self._against,
            noise,
            self.scores.lattice,
            self._spreads,
            (noise.output([self._range[0]], self.scores.lattice), noise.output([self._range[1]], self.scores.lattice)),
            self.scores.names[0],
            alone if self._quick else None,
        )

    def _outermost(self, noise: Noise) -> Outermost:
        if noise.exponential:
            return self._ends.outermost(float(self.scores.lattice.steps[0]) / noise.known_scale())
        # The exact answer may rule out any value: nothing is known but that.
        shape = self._ends.scores.shape
        apart = np.where(np.eye(shape[1], dtype=np.bool_), 0.0, inf)
        return Outermost(np.zeros((2, *shape)), 0.0, np.broadcast_to(apart, (*shape, shape[1])))

    @cached_property
    def _range(self) -> tuple[int, int]:
        """Sums at and beyond which posteriors do not change."""
        scores = self._ends.scores
        return int(scores.min(axis=1).sum()), int(scores.max(axis=1).sum())

    @cached_property
    def _quick(self) -> bool:
        """Whether the records' own laws take seconds."""
        least, most = self._range
        return len(self.joint.subjects()) * (most - least + 1) <= MOST_POINTS

    @cached_property
    def _spreads(self) -> tuple[Spread, ...]:
        strata = self.joint.strata()
        return tuple(spread_of(strata, self.scores, stratum) for stratum in range(len(strata)))

    @cached_property
    def _against(self) -> NDArray[np.bool_]:
        values = self.joint.strata()[0].values
        if self.secrets.pairs is None:
            return np.ones((len(values), len(values)), dtype=np.bool_)
        found = np.zeros((len(values), len(values)), dtype=np.bool_)
        for one, other in self.secrets.pairs:
            first, second = values.index(one), values.index(other)
            found[first, second] = found[second, first] = True
        return found


def long_chain(joint: Joint, scores: Scores, secrets: Secrets, engine: str | None) -> LongWorld | None:
    """None where the law of the answer is computed: for short chains and several answers, and where a secret is no
    record, or an engine is asked for."""
    chain = joint.chain
    if chain is None or engine is not None or not secrets.of_records or secrets.stage is not None:
        return None
    cells = chain.slots.size * chain.slots.shape[1]
    if len(chain) <= LONG or cells > MOST_CELLS or scores.lattice.axes > 1 or not scores.additive:
        return None
    return LongWorld(joint, chain, scores, secrets)
