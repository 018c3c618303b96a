"""One record of a mixture of normal laws: the answer's law given each of its values, and over all of them.

Given x_i the component is k with probability π_k(x_i) ∝ w_k N(x_i; μ_k, σ_k²) (Result 10.5).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import log, pi, sqrt
from typing import NamedTuple, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import InputError
from dalenius.gaussian.channel_of_one_record import GaussianRecord
from dalenius.gaussian.mixture_entropy import Joint
from dalenius.gaussian.noisy_mixture import NoisyMixture, Supremum, supremum
from dalenius.noise import gaussian_deviation


@final
@dataclass(frozen=True)
class MixtureRecord:
    """One record of a mixture, and the answer's law given each of its values.

    Attributes:
        weights: The components' probabilities.
        parts: The record in each component.
        doubt: Bounds the error of each weight's log, in nats.
    """

    weights: tuple[Fraction, ...]
    parts: tuple[GaussianRecord, ...]
    doubt: float = 0.0

    @property
    def first(self) -> GaussianRecord:
        """The record in the first component: what does not depend on components is read from it."""
        return self.parts[0]

    @property
    def idle(self) -> bool:
        """Whether no answer depends on this record: there is one component, and the answer does not move with it."""
        return len(self.parts) == 1 and self.first.idle

    @property
    def exact(self) -> bool:
        """Whether the answer determines the record in some component: without noise, where nobody else varies."""
        return self.first.noise.shape.adds_nothing and not all(part.residual for part in self.parts)

    @property
    def pairs(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The pairs of secrets; InputError where there are none."""
        if self.first.pairs is None:
            wanted = "pairs of values: with model gaussian_mixture the worst pair of a range has no formula"
            raise InputError("secrets.pairs", "missing", wanted)
        return self.first.pairs

    @property
    def values(self) -> list[Fraction]:
        """The secrets, ascending."""
        return sorted({value for pair in self.pairs for value in pair})

    @cached_property
    def mixed(self) -> NoisyMixture:
        """The answer's law over all secrets."""
        centres, spreads = [part.centre[0] for part in self.parts], [part.answers[0][0] for part in self.parts]
        found = NoisyMixture.of(self.weights, centres, spreads, *self._noise)
        return replace(found, doubt=found.doubt + self.doubt)

    def given(self, value: Fraction) -> NoisyMixture:
        """Returns the answer's law given that the record has this `value`."""
        shifted = [part.centre[0] + part.shift[0] * (value - part.mean) for part in self.parts]
        found = NoisyMixture.of(self.weights, shifted, [part.residual for part in self.parts], *self._noise)
        logs = np.array([_log_normal(part, value) for part in self.parts]) + found.log_weights
        most = float(np.abs(logs).max()) + float(np.abs(found.log_weights).max())
        doubt = 2 * (found.doubt + self.doubt + 16 * UNIT * (1 + most))
        shares = logs - logs.max()
        shares = shares - log(float(np.exp(shares).sum()))
        return NoisyMixture(shares, found.means, found.variances, found.scale, doubt)

    @cached_property
    def tests(self) -> "list[Test]":
        """Each secret of a pair against the other, with the largest log-ratio of their likelihoods."""
        ordered = [each for one, other in self.pairs for each in ((one, other), (other, one)) if one != other]
        laws = {value: self.given(value) for value in self.values}
        return [
            Test(laws[one], laws[other], supremum(laws[one], laws[other]), float(one), float(other))
            for one, other in dict.fromkeys(ordered)
        ]

    @property
    def joints(self) -> list[Joint]:
        """The law of the record and the answer in each component, about their means over all, in their own units."""
        record = sum((weight * part.mean for weight, part in zip(self.weights, self.parts, strict=True)), Fraction(0))
        answer = sum(
            (weight * part.centre[0] for weight, part in zip(self.weights, self.parts, strict=True)), Fraction(0)
        )
        return [
            Joint(
                log(float(weight)),
                float(part.mean - record),
                sqrt(float(part.variance)),
                float(part.shift[0]),
                float(part.centre[0] - answer),
                sqrt(float(part.residual + self._noise[1] ** 2)),
            )
            for weight, part in zip(self.weights, self.parts, strict=True)
        ]

    @property
    def alike(self) -> tuple[object, ...]:
        """All that leakages depend on: records with an equal key leak as much."""
        return self.weights, *(
            (part.mean, part.variance, part.shift, part.centre, part.answers, part.pairs) for part in self.parts
        )

    @property
    def _noise(self) -> tuple[Fraction, Fraction]:
        noise = self.first.noise
        if self.first.is_laplace:
            return Fraction(noise.known_scale()), Fraction(0)
        return Fraction(0), Fraction(gaussian_deviation(noise))


def _log_normal(part: GaussianRecord, value: Fraction) -> float:
    square = float((value - part.mean) ** 2 / part.variance)
    return -(square + log(float(part.variance)) + log(2 * pi)) / 2


@final
class Test(NamedTuple):
    """One secret against another: the answer's laws, their largest log-ratio, and both values."""

    ours: NoisyMixture
    theirs: NoisyMixture
    largest: Supremum
    secret: float
    against: float
