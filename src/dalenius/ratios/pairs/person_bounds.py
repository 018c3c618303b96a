"""What Laplace or geometric noise leaks about one person of a network, over all joint laws with the laws of pairs.

From above it is the comonotone bound, or all that may depend on the record moved at once. From below something is known
where the bound is attained (Result 15.3): at outputs far above or below all answers whatever all others add.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp, expm1, inf, log, nextafter
from typing import Final, final

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.leakage import Found, Witness
from dalenius.errors import Meaningless
from dalenius.noise import Noise
from dalenius.noise.gaussian import gaussian_delta
from dalenius.ratios.bounded_channel import BoundedSubject
from dalenius.ratios.pairs.comonotone import ComonotoneBound, comonotone_bound_of
from dalenius.ratios.pairs.neighbourhood import Neighbourhood

_OFF: Final = 16 * UNIT


@final
@dataclass(frozen=True)
class PersonLeakage:
    """lower, upper: between which the largest log-ratio of likelihoods of two values lies; witness: of which values.

    least: the least prior probability of a value, 0 where no prior is known.
    """

    lower: float
    upper: float
    witness: Witness | None
    least: float

    @property
    def ratio(self) -> Found:
        """The largest log-ratio."""
        return Found(Enclosure(self.lower, self.upper), self.witness)

    @property
    def raised(self) -> Found:
        """How far chances rise: W(y) >= W(y|s)(π + (1 - π)e^-upper).

        A person ill with .1, whose log-ratio is at most 1 nat: the chance rises by at most 0.841435 and falls by at
        most 0.934702.

        >>> leakage = PersonLeakage(1.0, 1.0, None, 0.1)
        >>> f"{leakage.raised.value.upper:.6f} {leakage.lowered.value.upper:.6f}"
        '0.841435 0.934702'
        """
        share = self.least
        # Without a prior a chance may rise as much as odds do; of an exact answer it may come to 1.
        return self._found(-log(share + (1 - share) * exp(-self.upper)) if share else self.upper)

    @property
    def lowered(self) -> Found:
        """How far they fall: W(y) <= W(y|s)(π + (1 - π)e^upper)."""
        # An exact answer: a chance may fall to 0.
        share = self.least if self.upper < inf else 0.0
        return self._found(self.upper + log((1 - share) + share * exp(-self.upper)) if share else self.upper)

    def _found(self, upper: float) -> Found:
        most = min(max(upper, 0.0) * (1 + _OFF) + _OFF * (1 + self.upper if self.upper < inf else 1), self.upper)
        return Found(Enclosure(0.0, most), self.witness)


@final
@dataclass(frozen=True, eq=False)
class PersonBounds(BoundedSubject):
    """One person of a class, its neighbourhood, and what else may depend on it.

    neighbourhood: over the record's possible values; known_prior: whether its prior is known. moved: how far the record
    and all that may depend on it can move the answer; further: that of records of which nothing is known. alone:
    whether nobody else's record moves the answer.
    """

    neighbourhood: Neighbourhood
    known_prior: bool
    moved: Fraction
    further: Fraction
    alone: bool

    def group_loss(self, noise: Noise) -> float:
        """The bound of all that may depend on the record, moved at once (Theory §5, group)."""
        return noise.group_loss(self.moved, 1) if self.moved else 0.0

    def moved_delta(self, noise: Noise, epsilon: float) -> float:
        """The δ at ε of moving all that may depend on the record at once; 1 where that is not known of the noise."""
        # Nothing that may depend on the person moves the answer, or there is nothing to hide.
        if not self.moved or len(self.values) < 2:
            return 0.0
        if noise.gaussian_deviation:
            return min(gaussian_delta(float(self.moved), noise.gaussian_deviation, epsilon) * (1 + 1e-9), 1.0)
        if not noise.exponential or noise.needs_lattice:
            return 1.0
        # Laplace noise moved by d nats has δ(ε) = 1 - e^{(ε - d)/2}, exactly.
        past = epsilon - noise.group_loss(self.moved, 1)
        return -expm1(past / 2) * (1 + _OFF) if past < 0 else 0.0

    def leaked(self, noise: Noise) -> PersonLeakage:
        """Meaningless for a noise other than Laplace's, geometric, or none."""
        whole = self.group_loss(noise)
        if not whole or len(self.values) < 2:
            return PersonLeakage(0.0, 0.0, None, 1.0)
        least = float(self.neighbourhood.prior.min()) * (1 - _OFF) if self.known_prior else 0.0
        # Some joint law may let the answer give the record away.
        if noise.adds_nothing:
            return PersonLeakage(0.0, inf, self.witness(), least)
        if not noise.exponential:
            raise Meaningless("noise.kind", noise.kind, "laplace, geometric or none beside model pairwise")
        scale = noise.known_scale()
        assert self._bound is not None
        found = self._bound.at(scale)
        far = nextafter(float(self.further / Fraction(scale)), inf) if self.further else 0.0
        upper = min(whole, (found.upper + far) * (1 + _OFF))
        # Far out, or where nobody else counts, all others cancel; only there is the neighbourhood's leakage attained.
        lower = found.lower if self.secret_pairs is None and (self.alone or found.far) else 0.0
        witness = self.witness(self.values[found.secret], self.values[found.against])
        return PersonLeakage(min(lower, upper), upper, witness, least)

    @cached_property
    def _bound(self) -> ComonotoneBound | None:
        """None where the record has one value; what does not depend on the scale is computed once for a search."""
        return comonotone_bound_of(self.neighbourhood)
