"""What noises have in common: outputs that are points, an exponential, a density along the line."""

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from typing import Any

from tests.reference.channel import DIGITS, Amount, Answers, Channel, Likelihoods, Noise, Real, Vector, mp, real
from tests.reference.joints import Value
from tests.reference.line import split

QUADRATURE_DIGITS = 30


class OnPoints(Noise):
    """Noise whose outputs have probabilities."""

    def cells(self, channel: Channel) -> list[tuple[Real, Likelihoods]]:
        return [
            (mp.fprod(weight for _, weight in cell), channel.likelihoods([point for point, _ in cell]))
            for cell in product(*map(self.along, channel.axes))
        ]

    def total(self, channel: Channel, amount: Amount, kinks: Sequence[Amount] = (), linear: bool = False) -> Real:
        return mp.fdot((weight, amount(likelihoods)) for weight, likelihoods in channel.cells)

    def probability(self, channel: Channel, height: Amount) -> Real:
        masses = ((weight * channel.mixture(found), found) for weight, found in channel.cells)
        return mp.fsum(mass for mass, found in masses if mass > 0 and height(found) > 0)


class OnCandidates(OnPoints):
    """Noise that can let only the candidates out."""

    finite = True

    @abstractmethod
    def candidates(self, channel: Channel) -> list[Vector]: ...

    def cells(self, channel: Channel) -> list[tuple[Real, Likelihoods]]:
        return [(mp.one, channel.likelihoods(output)) for output in channel.candidates]


@dataclass(frozen=True)
class Added(Noise):
    """Noise of one scale, added to each coordinate."""

    scale: Fraction

    def __post_init__(self) -> None:
        if self.scale <= 0:
            raise ValueError(f"scale is {self.scale}, wanted a positive one; no noise is NONE")

    @cached_property
    def rate(self) -> Real:
        """1/b."""
        return real(1 / self.scale)

    @abstractmethod
    def at(self, distance: Real) -> Real:
        """Density or probability that far from the answer."""

    def weight(self, output: Any, answer: Fraction) -> Real:
        """Many outputs and answers ask for the same offset, which is found once at each precision."""
        if not isinstance(output, Fraction):
            return self.at(abs(output - real(answer)))
        offset = output - answer
        return self.once((mp.prec, offset), lambda: self.at(abs(real(offset))))


@dataclass(frozen=True)
class Exponential(Added):
    """Density or probability fall by e^(-1/b) with every unit of distance."""

    @property
    @abstractmethod
    def top(self) -> Real:
        """Density or probability of no noise at all."""

    def decay_over(self, distance: Fraction) -> Real:
        """e^(-distance/b), of full precision."""
        with mp.workdps(DIGITS):
            return mp.exp(-real(distance) * self.rate)

    def at(self, distance: Real) -> Real:
        return mp.exp(-distance * self.rate) * self.top

    def group_loss(self, one: Answers, other: Answers) -> Real:
        """The L1 distance over b."""
        pairs = ((a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None)
        return real(sum((abs(a - b) for a, b in pairs), Fraction(0))) * self.rate

    def likelihoods(self, channel: Channel, output: Sequence[Any]) -> Likelihoods:
        """On one axis, between two answers all those below decay as one with y, and all those above grow as one (Theory
        §3). test_reference.py holds it to the definition."""
        if len(channel.axes) != 1:
            return channel.one_by_one(output)
        y, exact = output[0], isinstance(output[0], Fraction)
        place = bisect_right(channel.axes[0] if exact else channel.marks, y)
        grown = mp.exp(((real(y) if exact else y) - channel.marks[0]) * self.rate)
        falling, rising = self.top / grown, self.top * grown
        return {s: below * falling + above * rising for s, (below, above) in self.sides(channel)[place].items()}

    def sides(self, channel: Channel) -> list[dict[Value, tuple[Real, Real]]]:
        """By how many answers v are below, Σ p e^(v/b) over these and Σ p e^(-v/b) over the others, v counted from the
        first; by secret."""
        return channel.once("sides", lambda: self._sides(channel))

    def _sides(self, channel: Channel) -> list[dict[Value, tuple[Real, Real]]]:
        axis = channel.axes[0]
        with mp.workdps(DIGITS):
            grown = {v: mp.exp(real(v - axis[0]) / real(self.scale)) for v in axis}
            return [
                {
                    secret: (
                        mp.fsum(p * grown[v] for (v,), p in law.items() if v in below),
                        mp.fsum(p / grown[v] for (v,), p in law.items() if v not in below),
                    )
                    for secret, law in channel.real_laws.items()
                }
                for below in ({*axis[:place]} for place in range(len(axis) + 1))
            ]


class OnLine(Added):
    """Noise with a density: sums over outputs are integrals, of one axis only."""

    density = True

    @abstractmethod
    def edges(self, channel: Channel) -> list[Real]:
        """Where the line is cut for quadrature, from end to end."""

    @abstractmethod
    def beyond(self, channel: Channel, amount: Amount) -> list[Real]:
        """The integrals beyond both ends."""

    @abstractmethod
    def masses(self, channel: Channel, left: Real, right: Real) -> Likelihoods:
        """∫ W(y|s) dy from left to right, between two neighbouring answers."""

    @abstractmethod
    def smoothed(self, y: Real, variance: Real) -> Real:
        """Density at y of N(0, variance) plus the noise."""

    def summable(self, steps: Sequence[Fraction]) -> bool:
        return len(steps) == 1

    def cells(self, channel: Channel) -> list[tuple[Real, Likelihoods]]:
        raise ValueError(f"{type(self).__name__} noise has a density")

    def total(self, channel: Channel, amount: Amount, kinks: Sequence[Amount] = (), linear: bool = False) -> Real:
        check_one_axis(channel)
        with mp.workdps(QUADRATURE_DIGITS):
            inside = []
            for edges in pairwise(self.edges(channel)):
                cuts = split(channel, kinks, *edges)
                if linear:
                    inside += [amount(self.masses(channel, *piece)) for piece in pairwise(cuts)]
                else:
                    inside.append(mp.quad(lambda y: amount(channel.likelihoods([y])), cuts, method="gauss-legendre"))
            return mp.fsum([*self.beyond(channel, amount), *inside])


def check_one_axis(channel: Channel) -> None:
    if len(channel.axes) != 1:
        raise ValueError(f"quadrature has {len(channel.axes)} axes, wanted 1; use geometric noise or none")
