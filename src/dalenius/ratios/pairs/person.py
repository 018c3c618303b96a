"""What Laplace or geometric noise leaks about one person of a network, over all joint laws with the laws of pairs."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import exp, expm1, inf, log, nextafter
from typing import Final, final

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.sensitivity import Spread
from dalenius.channel.witness import Found, Witness
from dalenius.errors import Meaningless
from dalenius.laws.lattice import Lattice
from dalenius.noise import Noise
from dalenius.noise.gaussian import gaussian_delta
from dalenius.ratios.pairs.comonotone import Bound, bound_of
from dalenius.ratios.pairs.law import Around
from dalenius.ratios.pairs.limits import Limits
from dalenius.ratios.pairs.neighbourhood import Neighbourhood
from dalenius.schema import RecordValue

NARROW: Final = 1e-9
OFF: Final = 16 * UNIT


@final
@dataclass(frozen=True)
class Leaked:
    """lower, upper: between which the largest log-ratio of likelihoods of two values lies; witness: of which.

    raised: a lower bound of the largest log(W(y|s)/W(y)); lowered: of log(W(y)/W(y|s)). least: the least prior
    probability of a value, 0 where no prior is known.
    """

    lower: float
    upper: float
    witness: Witness | None
    raised: float
    lowered: float
    least: float

    def ratio(self) -> Found:
        """The largest log-ratio."""
        return Found(Enclosure(self.lower, self.upper), self.witness)

    def movement(self) -> tuple[Found, Found]:
        """How far chances rise, and fall: W(y) >= W(y|s)(π + (1 - π)e^-upper), and at most the same with e^upper."""
        if self.upper == inf:
            up = -log(self.least) if self.least else inf
            return self._found(self.raised, up), self._found(self.lowered, inf)
        share, rest = self.least, 1 - self.least
        up = -log(share + rest * exp(-self.upper)) if share else self.upper
        down = self.upper + log(rest + share * exp(-self.upper)) if share else self.upper
        return self._found(self.raised, up), self._found(self.lowered, down)

    def _found(self, lower: float, upper: float) -> Found:
        most = min(max(upper, 0.0) * (1 + OFF) + OFF * (1 + self.upper if self.upper < inf else 1), self.upper)
        return Found(Enclosure(min(lower, most), most), self.witness)


@final
class Person:
    """One person of a class, its neighbourhood, and what else may depend on it.

    neighbourhood: over the record's possible values. moved: how far the record and all that may depend on it can move
    the answer; further: that of records of which nothing is known. pairs: of values that must not be distinguished, all
    where None; alone: whether nobody else's record moves the answer.
    """

    def __init__(
        self,
        around: Around,
        values: tuple[RecordValue, ...],
        neighbourhood: Neighbourhood,
        known_prior: bool,
        spread: Spread,
        moved: Fraction,
        further: Fraction,
        lattice: Lattice,
        pairs: tuple[tuple[int, int], ...] | None,
        alone: bool,
    ) -> None:
        self.around = around
        self.number = around.person
        self._values = values
        self._neighbourhood = neighbourhood
        self._known_prior = known_prior
        self._spread = spread
        self.moved = moved
        self._further = further
        self._lattice = lattice
        self._attained = alone and pairs is None
        self._pairs = tuple(permutations(range(len(values)), 2)) if pairs is None else both(pairs)

    def neighbours(self, noise: Noise) -> Found:
        """The log-ratio of data sets that differ in this record."""
        if not self._spread.total:
            return Found(Enclosure(0.0, 0.0))
        assert self._spread.neighbours is not None
        value = noise.neighbour_loss(self._spread.neighbours, self._lattice)
        return Found(value, self.witness(*self._spread.values))

    def whole(self, noise: Noise) -> float:
        """The bound of all that may depend on the record, moved at once (Theory §5, group)."""
        return noise.group_loss(self.moved, 1) if self.moved and self._pairs else 0.0

    def moved_delta(self, noise: Noise, epsilon: float) -> float:
        """The δ at ε of moving all that may depend on the record at once; 1 where that is not known of the noise."""
        if not self.moved or not self._pairs or len(self._values) < 2:
            return 0.0
        if noise.gaussian_deviation:
            return min(gaussian_delta(float(self.moved), noise.gaussian_deviation, epsilon) * (1 + NARROW), 1.0)
        if not noise.exponential or noise.needs_lattice:
            return 1.0
        past = epsilon - noise.group_loss(self.moved, 1)
        return -expm1(past / 2) * (1 + OFF) if past < 0 else 0.0

    def leaked(self, noise: Noise) -> Leaked:
        """Meaningless for a noise other than Laplace's, geometric, or none."""
        whole = self.whole(noise)
        if not whole or len(self._values) < 2:
            return Leaked(0.0, 0.0, None, 0.0, 0.0, 1.0)
        least = float(self._neighbourhood.prior.min()) * (1 - OFF) if self._known_prior else 0.0
        if noise.adds_nothing:
            return Leaked(0.0, inf, self.witness(), 0.0, 0.0, least)
        if not noise.exponential:
            raise Meaningless("noise.kind", noise.kind, "laplace, geometric or none beside model pairwise")
        scale = noise.known_scale()
        assert self._bound is not None
        found = self._bound.at(scale)
        upper = min(whole, (found.upper + self._far(noise)) * (1 + OFF))
        lower, raised, lowered = self._limits.lower(scale, self._pairs, self._known_prior)
        if self._attained:
            lower = max(lower, found.lower)
        witness = self.witness(self._values[found.secret], self._values[found.against])
        return Leaked(min(lower, upper), upper, witness, min(raised, upper), min(lowered, upper), least)

    def _far(self, noise: Noise) -> float:
        return nextafter(float(self._further / Fraction(noise.known_scale())), inf) if self._further else 0.0

    @cached_property
    def _bound(self) -> Bound | None:
        return bound_of(self._neighbourhood)

    @cached_property
    def _limits(self) -> Limits:
        return Limits(self._neighbourhood)

    def witness(self, secret: RecordValue | None = None, against: RecordValue | None = None) -> Witness:
        """The person, and two values."""
        return Witness(self.number, self.around.who, secret, against)


def both(pairs: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """Each pair either way, once."""
    return tuple(dict.fromkeys(pair for a, b in pairs for pair in ((a, b), (b, a))))
