"""When a chain is so long that its suprema are read from the limits at ±∞, and how (Theory §20)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.channel.channel import Channel
from dalenius.channel.finite.long_chain import LongChain
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity.sensitivity import Spread, spread_of
from dalenius.joints import ChainEnds, Joint, MarkovChain, Outermost
from dalenius.laws.law import IntArray
from dalenius.noise import Noise
from dalenius.queries import Scores
from dalenius.schema import RecordValue

Named: TypeAlias = tuple[RecordValue, ...]

LONG: Final = 2000
"""Records, up to which the law of the answer is computed."""
MOST_CELLS: Final = 1 << 24
"""Records times pairs of values."""
MOST_POINTS: Final = 1 << 19
"""Records that are not exchangeable times answers: up to so many, averages are computed from every record's law."""
MOST_WAITED: Final = 1 << 29
"""The same with Gaussian noise, which is used for promises with a delta: some minutes."""
MOST_FREQUENCIES: Final = 1 << 25
"""Records times answers, up to which one law of the answer is computed for advice."""


@final
@dataclass(frozen=True, eq=False)
class LongWorld:
    """Chains that are independent of each other, one of them of more than `LONG` records, of which one sum is asked:
    what it leaks about a record is what the record's chain alone would (Result 20.28)."""

    joint: Joint
    chains: tuple[MarkovChain, ...]
    scores: Scores
    secrets: Secrets

    @cached_property
    def _ends(self) -> tuple[ChainEnds, ...]:
        return tuple(ChainEnds(chain, self.scores.indices[:, 0][chain.slots]) for chain in self.chains)

    @property
    def why(self) -> str:
        alone = "" if len(self.chains) == 1 else ", of each chain alone"
        if any(each.order is None for each in self._ends):
            above = "stretches of the chain and the range of the messages' ratios above"
            return f"limits at ±∞ by recursion below, {above}{alone}"
        return f"limits at ±∞ by recursion, and no other output can leak more about two values{alone}"

    @property
    def is_quick(self) -> bool:
        """Whether one law of the answer takes seconds."""
        least, most = self._range
        return sum(map(len, self.chains)) * (most - least + 1) <= MOST_FREQUENCIES

    def serves(self, noise: Noise) -> bool:
        """Whether no law of the answer is needed: with such noise; or with Gaussian noise or none, where it would take
        too long."""
        return noise.exponential or ((noise.adds_nothing or noise.gaussian_deviation > 0) and not self.is_quick)

    def channel(
        self, noise: Noise, firsts: frozenset[int] | None, alone: Callable[[], Iterator[Channel]]
    ) -> Iterator[Channel]:
        """Of each chain that of all its records that are secrets; none where they do not move the answer. alone: see
        `LongChain`."""
        own = self._quick or (noise.gaussian_deviation > 0 and self._patient)
        for ends in self._ends:
            people = ends.chain.people
            if firsts is None:
                places = np.arange(len(ends.chain))
            else:
                places = np.array(sorted(each for each in firsts if each in people), dtype=np.int64) - people[0]
            if not len(places) or not np.ptp(ends.scores, axis=1).any():
                continue
            yield LongChain(
                self.joint,
                ends.chain,
                self._outermost(ends, noise),
                places,
                self._against(ends.chain),
                noise,
                self.scores.lattice,
                self._spreads,
                self._outputs(ends, noise),
                self.scores.names[0],
                alone if own else None,
            )

    def _outermost(self, ends: ChainEnds, noise: Noise) -> Outermost:
        if noise.exponential:
            return ends.outermost(float(self.scores.lattice.steps[0]) / noise.known_scale())
        return ends.exactly()

    def _outputs(self, ends: ChainEnds, noise: Noise) -> Callable[[int, int, int | None], Named | None]:
        """See `LongChain`: without noise the extreme answer itself, of whoever has the value."""
        if not noise.adds_nothing:
            said = [noise.output([each], self.scores.lattice) for each in self._range]
            return lambda place, end, state: said[end] if end < 2 else None
        others = [each.reached for each in self._ends if each is not ends]

        def output(place: int, end: int, state: int | None) -> Named | None:
            if end > 1:
                return None
            own = ends.reached[end] if state is None else int(ends.extremes.sums[end, place, state])
            return noise.output([own + sum(each[end] for each in others)], self.scores.lattice)

        return output

    @cached_property
    def _range(self) -> tuple[int, int]:
        """Sums at and beyond which posteriors do not change."""
        scores = [each.scores for each in self._ends]
        least, most = (sum(int(side.sum()) for side in found) for found in zip(*map(_outer, scores), strict=True))
        return least, most

    @cached_property
    def _quick(self) -> bool:
        """Whether the records' own laws take seconds."""
        least, most = self._range
        return len(self.joint.subjects()) * (most - least + 1) <= MOST_POINTS

    @property
    def _patient(self) -> bool:
        """Whether the records' own laws take minutes."""
        least, most = self._range
        return len(self.joint.subjects()) * (most - least + 1) <= MOST_WAITED

    @cached_property
    def _spreads(self) -> tuple[Spread, ...]:
        strata = self.joint.strata()
        return tuple(spread_of(strata, self.scores, stratum) for stratum in range(len(strata)))

    def _against(self, chain: MarkovChain) -> NDArray[np.bool_]:
        values = self.joint.strata()[int(chain.stratum[0])].values
        if self.secrets.pairs is None:
            return np.ones((len(values), len(values)), dtype=np.bool_)
        found = np.zeros((len(values), len(values)), dtype=np.bool_)
        for one, other in self.secrets.pairs:
            if one in values and other in values:
                first, second = values.index(one), values.index(other)
                found[first, second] = found[second, first] = True
        return found


def _outer(scores: IntArray) -> tuple[IntArray, IntArray]:
    return scores.min(axis=1), scores.max(axis=1)


def long_chain(joint: Joint, scores: Scores, secrets: Secrets, engine: str | None) -> LongWorld | None:
    """None where the law of the answer is computed: for short chains, other models and several answers, and where a
    secret is no record, or an engine is asked for."""
    if engine is not None or not secrets.of_records or secrets.stage is not None:
        return None
    if scores.lattice.axes > 1 or not scores.additive:
        return None
    chains = joint.chains
    cells = sum(chain.slots.size * chain.slots.shape[1] for chain in chains)
    if cells > MOST_CELLS or max(map(len, chains), default=0) <= LONG:
        return None
    return LongWorld(joint, chains, scores, secrets)
