"""Gaussian noise: density e^{-x²/2σ²} / σ√2π on the reals; the scale is σ, the standard deviation.

At a given distance its privacy profile is exact (Balle and Wang 2018, Theorem 8; Result 7.3).
"""

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import partial
from math import exp, expm1, inf, log, pi, sqrt
from typing import Final, Literal, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import Enclosure, float_up, up_to_digits
from dalenius.errors import InputError, TooLarge
from dalenius.laws.gaussian_leakage_tail import GaussianOutputs
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.laws.integrals.gaussian_likelihood_enclosures import GaussianLine, is_short
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.limits import MOST_GAUSSIAN_TERMS
from dalenius.laws.output_chances import Outputs
from dalenius.noise.error_law import AddedError, gaussian_beyond, gaussian_reach
from dalenius.noise.limits import MOST_DEVIATIONS
from dalenius.noise.mechanism import AddedMechanism
from dalenius.noise.noise import SCALE_DIGITS, ScaledNoise
from dalenius.noise.place_of_given_output import Answer, positions
from dalenius.noise.sampling import FINENESS, on_fine_lattice, rounded_gaussian
from dalenius.noise.shape import Shape
from dalenius.special_functions import brentq, log_ndtr

_TOLERANCE: Final = 1e-11


def gaussian_delta(distance: float, scale: float, epsilon: float) -> float:
    """Returns δ(ε) = Φ(Δ/2s - εs/Δ) - e^ε Φ(-Δ/2s - εs/Δ) at `epsilon` nats; it falls in s.

    It has full relative accuracy. distance: Δ, how far a record moves the answer, in the unit of the scale s. A count
    with a deviation of 1 keeps ε = 1 nat with a delta of .127, and with one of 1e-6 only at a deviation of 4.2:

    >>> round(gaussian_delta(1.0, 1.0, 1.0), 6), round(gaussian_scale(Fraction(1), 1.0, 1e-6), 4)
    (0.126937, 4.2247)
    """
    half, rest = distance / (2 * scale), epsilon * scale / distance
    above, below = float(log_ndtr(half - rest)), float(log_ndtr(-half - rest))
    lead = above - (epsilon + below)
    # Because both terms are nearly equal where ε is close to 0, this is in logs.
    return exp(above) * -expm1(-lead) if lead > 0 else 0.0


def gaussian_profile(distance: Fraction, scale: float) -> Callable[[float], float]:
    """Returns the function δ(ε) from above, for answers at most `distance` apart, in the scale's unit.

    >>> round(gaussian_profile(Fraction(1), 1.0)(1.0), 6), gaussian_profile(Fraction(0), 1.0)(1.0)
    (0.126937, 0.0)
    """
    width = float_up(distance)
    return lambda epsilon: gaussian_delta(width, scale / (1 + _TOLERANCE), epsilon) if width else 0.0


def gaussian_scale(distance: Fraction, epsilon: float, delta: float) -> float:
    """Returns the least s with δ(epsilon) <= delta for answers `distance` apart, of SCALE_DIGITS digits.

    It is up to rounding.
    """
    width = float(distance)

    def gap(log_scale: float) -> float:
        value = gaussian_delta(width, exp(log_scale), epsilon)
        return (log(value) if value > 0 else -745.0) - log(delta)

    low, high = log(width) - 60.0, log(width)
    # So that the bracket holds the root: a delta of 10^-300 takes some tens of distances.
    while gap(high) > 0:
        high += 1.0
        if high > 700:
            raise InputError("notion.delta", delta, "a delta whose noise has a finite scale")
    root = float(brentq(gap, low, high, xtol=_TOLERANCE / 4, rtol=1e-15)) if gap(low) > 0 else low
    scale = up_to_digits(exp(root) * (1 - _TOLERANCE), SCALE_DIGITS)
    # Because rounding to digits may have left it a hair too small, and the promise must hold.
    while gaussian_delta(width, scale / (1 + _TOLERANCE), epsilon) > delta:
        scale = float(Context(prec=SCALE_DIGITS).next_plus(Decimal(repr(scale))))
    return scale


@final
class GaussianMechanism(AddedMechanism):
    """Mechanism for one answer: the likelihoods are functions on a line of outputs."""

    def likelihood(self, law: Law) -> Law:
        """Returns some outputs of the line of `law` and its two limits.

        Suprema and integrals are read from the line itself. InputError for a scale that is negligible next to
        the step; TooLarge where `serves` says so.
        """
        step = self.lattice.steps[0]
        scale = Fraction(self.noise.known_scale()) / step
        # The case of neighbouring answers 100σ apart: the exact answer can be read off.
        if scale < Fraction(1, MOST_DEVIATIONS):
            least = float(step / MOST_DEVIATIONS)
            wanted = f"at least {least:g} on this lattice (or kind = none; limit {MOST_DEVIATIONS.name})"
            raise InputError("noise.scale", self.noise.scale, wanted)
        points = law.box[0]
        if not self.serves(points, law.secrets):
            size = f"{points:,} answers at a scale of {float(scale):.3g} steps"
            instead = "use laplace or geometric noise, or coarser values"
            raise TooLarge("gaussian noise", size, instead, MOST_GAUSSIAN_TERMS)
        return self._line_of(law).likelihood()

    def _line_of(self, law: Law) -> GaussianLine:
        """Makes the line. Nothing of it is read yet."""
        step = self.lattice.steps[0]
        return GaussianLine(law, float(step), float(Fraction(self.noise.known_scale()) / step))

    def serves(self, points: int, secrets: int) -> bool:
        return is_short(points, secrets, self.noise.known_scale() / float(self.lattice.steps[0]))

    def limits(self, law: Law) -> Law | None:
        """Returns the likelihoods given the least and the greatest answer of `law`: all others are rarer far out."""
        if law.floor is not None:
            return None
        possible = np.flatnonzero(np.max(law.relative, axis=0) > -inf)
        ends = law.relative[:, possible[[0, -1]]]
        return Law((0,), np.zeros(2), ends, law.error, points=np.array([-inf, inf]), line=self._line_of(law))

    def integral(self, functional: Functional, likelihood: Law) -> Enclosure:
        return functional.over_line(_line(likelihood))

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        line = _line(likelihood)
        place = float(positions(output, line.hull, self.lattice)[0])
        return line.at(place, -log(self.noise.known_scale() * sqrt(2 * pi)))

    def sides(self, likelihood: Law, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
        line = _line(likelihood)
        return (line.sides(float(positions(output, line.hull, self.lattice)[0]), log_prior),)

    def outputs_of(self, likelihood: Law) -> Outputs:
        line = _line(likelihood)
        extent = line.hull.box[0] * line.step / self.noise.known_scale()
        return GaussianOutputs(line.counting(extent / FINENESS))


@final
class Gaussian(ScaledNoise):
    """Gaussian noise: adds to each answer an independent normal number whose standard deviation is the scale.

    Args:
        scale: The standard deviation σ, a finite number above 0 in the query's unit. None (the default) leaves it
            open, for `calibrate` and `compare`.

    Example:
        >>> import dalenius as dl
        >>> noise = dl.Gaussian(scale=4.0)
        >>> round(noise.scale_for(Fraction(1), epsilon=1.0, delta=1e-6), 4)
        4.2247

    Notes:
        More noise never leaks more: N(0, σ₂²), σ₂ > σ₁, is N(0, σ₁²) plus an independent Gaussian of variance
        σ₂² - σ₁². Towards ±∞ the answers' end masses decide. If the answer can go further under one secret than
        under another, their log-ratio has no bound, however large σ is. So no scale is differentially private
        without a delta.
    """

    kind: Literal["gaussian"] = "gaussian"

    @property
    def shape(self) -> Shape:
        return Shape(additive=True, needs_lattice=False, gaussian=True, log_concave=True, light_tailed=True)

    def mechanism(self, lattice: Lattice) -> AddedMechanism:
        if lattice.axes == 1:
            return GaussianMechanism(self, lattice)
        # So that other noises load nothing of it: imported here.
        from dalenius.noise.joint_mechanism import JointMechanism

        return JointMechanism(self, lattice)

    def error(self, step: Fraction) -> AddedError:
        """Returns how far the output of one coordinate is from its exact answer, on the reals and as it is rounded.

        Args:
            step: The step of the coordinate's lattice, in the query's unit.
        """
        deviation = self.known_scale()
        reach = partial(gaussian_reach, step, deviation)
        return AddedError(step, deviation * sqrt(2 / pi), reach, lambda far: gaussian_beyond(far, deviation))

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        # Because the log-ratio of two answers has no bound at the outermost outputs (see the class).
        if delta > 0:
            return gaussian_scale(distance, epsilon, delta)
        raise InputError("noise.kind", self.kind, "laplace or geometric: pure differential privacy needs a delta here")

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        """Draws one release: normal noise, rounded to a lattice that contains the answers' own.

        Every leakage of what goes out is at most that over the reals (Result 3.6).

        Args:
            answer: The exact answer, one whole number of lattice steps for each coordinate.
            lattice: The lattice of the answers.

        Returns:
            One number for each coordinate, in the query's unit.
        """
        return on_fine_lattice(answer, lattice.steps, self.known_scale(), rounded_gaussian)


def _line(likelihood: Law) -> GaussianLine:
    # Because only `likelihood` above makes such a line: another law is a mistake of the caller.
    if not isinstance(likelihood.line, GaussianLine):
        raise TypeError("the likelihood of another noise")
    return likelihood.line
