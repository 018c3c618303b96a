"""What a set of laws says about one person's channel."""

import abc
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Final

from dalenius.bounds import UNIT, Enclosure, known
from dalenius.channel.sensitivity import Spread
from dalenius.channel.witness import Found, Witness
from dalenius.laws.lattice import Lattice
from dalenius.noise import Noise
from dalenius.ratios.intervals.trees.attained import Quantity
from dalenius.ratios.intervals.trees.regions import Regions, divergence_of, lowered_of, raised_of, ratio_of, reverse_of
from dalenius.schema import RecordValue

LOOSE: Final = 64 * UNIT
QUANTITIES: Final[dict[str, Quantity]] = {
    "raised": raised_of,
    "lowered": lowered_of,
    "divergence": divergence_of,
    "reverse": reverse_of,
}
"""By the name of their bound in `Regions`."""


@dataclass(frozen=True, eq=False)
class CredalSubject(abc.ABC):
    """One class of people; values: those their records can have; asked: the pairs of values that must not be
    distinguished, by their indices, all where None; moved: how far, in nats, all that depends on the record can move
    the log-likelihood of an output."""

    number: int
    who: str
    values: tuple[RecordValue, ...]
    asked: tuple[tuple[int, int], ...] | None
    spread: Spread
    lattice: Lattice
    moved: float

    @property
    @abc.abstractmethod
    def regions(self) -> Regions:
        """Bounds over all laws and outputs, of `values`."""

    @abc.abstractmethod
    def attained(self, quantity: Quantity) -> float:
        """A value that some law attains at outputs far above or below all answers, or comes close to; from below."""

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Ordered pairs that must not be distinguished."""
        if self.asked is None:
            return tuple(permutations(range(len(self.values)), 2))
        return tuple(dict.fromkeys(pair for a, b in self.asked for pair in ((a, b), (b, a))))

    def neighbours(self, noise: Noise) -> Found:
        """The log-ratio of data sets that differ in this record."""
        if not self.spread.total:
            return Found(Enclosure(0.0, 0.0))
        assert self.spread.neighbours is not None
        value = noise.neighbour_loss(self.spread.neighbours, self.lattice)
        return Found(value, self.witness(*self.spread.values))

    def bound(self, name: str) -> float:
        """The upper end of a quantity, or of the ratio."""
        if len(self.values) < 2 or not self.moved:
            return 0.0
        if name != "ratio":
            return min(known(float(getattr(self.regions, name))), self.moved)
        return min(max((known(float(self.regions.ratio[pair])) for pair in self.pairs), default=0.0), self.moved)

    def found(self, name: str) -> Found:
        """Both ends."""
        upper = self.bound(name)
        if not upper:
            return Found(Enclosure(0.0, 0.0))
        quantity = partial(ratio_of, self.pairs) if name == "ratio" else QUANTITIES[name]
        lower = self.attained(quantity) if name != "ratio" or self.pairs else 0.0
        return Found(Enclosure(min(max(lower, 0.0), upper), upper), self._worst(name))

    def _worst(self, name: str) -> Witness:
        if name != "ratio" or not self.pairs:
            return self.witness()
        ratios = [known(float(self.regions.ratio[pair])) for pair in self.pairs]
        near = max(ratios) * (1 - LOOSE)
        s, t = next(pair for pair, each in zip(self.pairs, ratios, strict=True) if each >= near)
        return self.witness(self.values[s], self.values[t])

    def witness(self, secret: RecordValue | None = None, against: RecordValue | None = None) -> Witness:
        """The person, and two values."""
        return Witness(self.number, self.who, secret, against)
