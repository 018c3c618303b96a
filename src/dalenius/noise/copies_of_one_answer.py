"""Several noised copies of one exact answer, as one axis (Result 9.5).

Examples are a total that is published twice, or the ill and the well of a fixed number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import inf, nextafter, sqrt
from typing import Final, final

from dalenius.bounds import UNIT, Enclosure
from dalenius.fields import RecordValue
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.output_chances import Outputs, Unweighted
from dalenius.laws.same_law import SameLaw
from dalenius.noise.copied_answer import Copies, Copy
from dalenius.noise.exponential import Geometric, Laplace
from dalenius.noise.gaussian import Gaussian
from dalenius.noise.mechanism import Mechanism
from dalenius.noise.no_noise import NoNoise
from dalenius.noise.noise import Noise, rate_of
from dalenius.noise.place_of_given_output import Answer
from dalenius.noise.separate_noise import separate
from dalenius.noise.shape import Shape

_KEPT: Final = 128
"""Most laws of exact answers whose likelihoods are kept."""
_SMALL: Final = 1 << 14
"""Most entries of such a law: 128 kB of doubles."""


@final
@dataclass(frozen=True)
class CopiedMechanism(Mechanism):
    """Mechanism of coordinates, several of which copy one answer.

    Attributes:
        noise: The noise of all coordinates.
        lattice: The lattice of the axes.
        copies: The axis that each coordinate copies, and how.
        most: The mechanism with one output per axis of which all coordinates are a post-processing. Its likelihoods, as
            functions of the answer, are equal where all copies agree, so that every supremum over outputs is exactly
            that of `most`.
        least: The mechanism with outputs that are a post-processing of the coordinates. Where it is the same as `most`,
            every sum over outputs is exact.

    A total that is published twice, at scales 2 and 3, says no more than once at 1/(1/2 + 1/3), and no less than the
    first alone. Twice under Gaussian noise of 3 and 4 it says exactly what 1/√(1/9 + 1/16) says:

    >>> once = Copy(axis=0, multiple=Fraction(1), shift=Fraction(0), step=Fraction(1))
    >>> twice = copied([Laplace(scale=2.0), Laplace(scale=3.0)], [once, once], Lattice((Fraction(1),)))
    >>> twice.most.noise.words, twice.least.noise.words
    ('laplace, scale 1.2', 'laplace, scale 2')
    >>> copied([Gaussian(scale=3.0), Gaussian(scale=4.0)], [once, once], Lattice((Fraction(1),))).most.noise.words
    'gaussian, scale 2.4'
    """

    copies: tuple[Copy, ...]
    most: Mechanism
    least: Mechanism

    @property
    def shape(self) -> Shape:
        """The facts without one density: only that the tails are light, and that nothing is added."""
        most = self.most.shape
        return Shape(additive=True, light_tailed=most.light_tailed, adds_nothing=most.adds_nothing)

    def likelihood(self, law: Law) -> Law:
        """Returns the likelihood under `most`, with the exact answers' law; its scale is rounded once."""
        found = self.most.likelihood(law)
        error = 8 * UNIT * self._depth(law)
        line = None if found.line is None else found.line.counting(error)
        return replace(found, error=found.error + error, line=line, answers=law)

    def integral(self, functional: Functional, likelihood: Law) -> Enclosure:
        found = self.most.integral(functional, likelihood)
        # The case of copies of one scale and one lattice: a single output says as much as all together.
        if self.least == self.most:
            return found
        lower = self._under_least(SameLaw(_answers(likelihood)))
        return Enclosure(min(self.least.integral(functional, lower).lower, found.upper), found.upper)

    @cached_property
    def _under_least(self) -> "Callable[[SameLaw], Law]":
        """The likelihoods under `least` of an exact answer's law: small ones are kept for the next epsilon."""
        found = lru_cache(maxsize=_KEPT)(lambda answers: self.least.likelihood(answers.law))
        return lambda answers: (found if answers.law.relative.size <= _SMALL else found.__wrapped__)(answers)

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        return self._coordinates.likelihood(_answers(likelihood), output)

    def serves(self, points: int, secrets: int) -> bool:
        return self.most.serves(points, secrets)

    def outputs_of(self, likelihood: Law) -> Outputs:
        return self.most.outputs_of(likelihood) if self.least == self.most else Unweighted()

    def output(self, index: Sequence[int]) -> tuple[RecordValue, ...]:
        return self._coordinates.outputs([int(i) * step for i, step in zip(index, self.lattice.steps, strict=True)])

    def coordinates(self, point: Sequence[RecordValue]) -> tuple[RecordValue, ...]:
        # Because outputs at infinity have no fractions; an infinite answer stays so under any copy.
        if any(isinstance(each, str) or abs(each) == inf for each in point):
            return tuple(
                each if isinstance(each, str) else float(copy.multiple) * each + float(copy.shift)
                for copy in self.copies
                for each in (point[copy.axis],)
            )
        return self._coordinates.outputs([Fraction(each) for each in point])

    def index(self, output: Sequence[RecordValue]) -> tuple[float, ...]:
        found = [0.0] * self.lattice.axes
        for copy, each in zip(self.copies, output, strict=True):
            point = (float(each) - float(copy.shift)) / float(copy.multiple)
            found[copy.axis] = point / float(self.lattice.steps[copy.axis])
        return tuple(found)

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        """Encloses the loss between neighbours, which are those of all coordinates."""
        return self.noise.mechanism(Lattice(tuple(copy.step for copy in self.copies))).neighbour_loss(neighbours)

    @cached_property
    def _coordinates(self) -> Copies:
        return Copies(self.noise.by_coordinate(len(self.copies)), self.copies, self.lattice)

    def _depth(self, law: Law) -> float:
        """Returns how many nats, at most, the likelihoods fall over the box, and 80 deviations beyond it."""
        depth = 0.0
        for part, length, step in zip(
            self.most.noise.by_coordinate(len(law.box)), law.box, self.lattice.steps, strict=True
        ):
            # Because the log is a parabola, steepest at the end that is farthest.
            if part.shape.gaussian:
                wide = float(length * step) / part.known_scale()
                # Because no output more than 80 deviations beyond the answers is likelier than e^-3000.
                depth += wide * (wide + 80.0)
            elif not part.shape.adds_nothing:
                depth += float(length * step) * rate_of(part)
        return depth


def copied(parts: Sequence[Noise], copies: Sequence[Copy], lattice: Lattice) -> CopiedMechanism | None:
    """Makes the mechanism of coordinates that are copies of the answers on the axes of a lattice.

    None where a coordinate's noise cannot be merged with that of another copy of its answer.

    Args:
        parts: The noise of each coordinate.
        copies: The axis that each coordinate copies, and how.
        lattice: The lattice of the axes.
    """
    most, least = [], []
    for axis in range(lattice.axes):
        own = [(part, copy) for part, copy in zip(parts, copies, strict=True) if copy.axis == axis]
        found = _merged([part for part, _ in own], [copy for _, copy in own], lattice.steps[axis])
        # The case of a Gaussian copy beside a Laplace one: no single output says as much as both.
        if found is None:
            return None
        most.append(found[0])
        least.append(found[1])
    upper, lower = separate(most).mechanism(lattice), separate(least).mechanism(lattice)
    return CopiedMechanism(separate(parts), lattice, tuple(copies), upper, lower)


def _merged(parts: Sequence[Noise], copies: Sequence[Copy], step: Fraction) -> tuple[Noise, Noise] | None:
    """Merges the copies' noises into `most` and `least` (see `CopiedMechanism`); None where they cannot be merged.

    An exact copy says all. The precisions of Gaussian ones add up, as the weighted mean is sufficient; so do the rates
    of exponential ones (Result 9.5).
    """
    # The case of an answer that nobody else repeats.
    if len(parts) == 1:
        return parts[0], parts[0]
    # The case of one copy that goes out exactly: the others add nothing to it.
    if any(part.shape.adds_nothing for part in parts):
        return NoNoise(), NoNoise()
    pairs = list(zip(parts, copies, strict=True))
    if all(part.shape.gaussian for part in parts):
        precision = sum(((copy.multiple / Fraction(part.known_scale())) ** 2 for part, copy in pairs), Fraction(0))
        noise: Noise = Gaussian(scale=1 / sqrt(precision))
        return noise, noise
    # Because a matrix has no rate that could be added to another's.
    if not all(part.shape.exponential for part in parts):
        return None
    rates = [abs(copy.multiple) / Fraction(part.known_scale()) for part, copy in pairs]
    best, own = pairs[rates.index(max(rates))]
    # Because noise of the reals is a post-processing of that of every lattice which holds the answers, not the reverse.
    scale, same = float(1 / max(rates)), best.shape.needs_lattice and own.step == abs(own.multiple) * step
    least: Noise = Geometric(scale=nextafter(scale, inf)) if same else Laplace(scale=nextafter(scale, inf))
    total = sum(rates, Fraction(0))
    # The case in which all are noises of the reals: the merged noise is of the reals, too.
    if all(not part.shape.needs_lattice for part in parts):
        return Laplace(scale=float(1 / total)), least
    return Geometric(scale=float(1 / total)), least


def _answers(likelihood: Law) -> Law:
    """Returns the exact answers' law."""
    if likelihood.answers is None:
        raise TypeError("the likelihood of another noise")
    return likelihood.answers
