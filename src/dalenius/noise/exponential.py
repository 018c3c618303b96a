"""Exponential noise: Laplace on the reals, with density (1/2b) e^{-|x|/b}, and geometric on the answer's own lattice.

Geometric noise has mass proportional to e^{-|x|/b}. The file also has the law of outputs whose coordinates each have
such a noise, or none.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from math import fsum, inf, log, sinh, tanh
from typing import Final, Literal, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import Enclosure, float_up
from dalenius.errors import InputError
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.integrals.cumulative_probability import Sides, sides
from dalenius.laws.integrals.functionals_over_outputs import between_knots, over_axes
from dalenius.laws.laplace_smoothing import Along, smoothed
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.output_chances import AxesOutputs, Outputs
from dalenius.noise.error_law import (
    AddedError,
    geometric_beyond,
    geometric_reach,
    laplace_beyond,
    laplace_reach,
    steps_up_to,
)
from dalenius.noise.limits import MOST_DECAY
from dalenius.noise.mechanism import AddedMechanism
from dalenius.noise.noise import Noise, ScaledNoise
from dalenius.noise.place_of_given_output import Answer, cannot_occur, is_possible, on_lattice, positions
from dalenius.noise.sampling import FINENESS, on_fine_lattice, rounded_laplace, with_discrete_laplace
from dalenius.noise.shape import Shape

_SHAPE: Final = Shape(additive=True, lipschitz=1.0, exponential=True, log_concave=True)
_BOUNDED: Final = "what they leak together at a delta is bounded by `compose`, and so released"


class AxesMechanism(AddedMechanism):
    """Mechanism in which every coordinate has its own exponential noise, or none.

    The likelihood of a law at an output is the law smoothed by e^{-|distance|/scale}, coordinate by coordinate. Only
    the points of the answers' own box are kept: every supremum is attained there, the ends standing for all beyond
    (Result 3.1). Sums over outputs are integrated between the points, in closed form.
    """

    @cached_property
    def axes(self) -> list[Along]:
        """The noise along each coordinate. InputError for a noise that cannot stand with another."""
        parts = zip(self.noise.by_coordinate(self.lattice.axes), self.lattice.steps, strict=True)
        return [_along(part, step) for part, step in parts]

    def likelihood(self, law: Law) -> Law:
        return smoothed(law, [axis.decay for axis in self.axes])

    def integral(self, functional: Functional, likelihood: Law) -> Enclosure:
        return over_axes(functional, likelihood, self.axes)

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        """Returns the likelihood at one output; on a lattice, at that point or at the end that stands for it."""
        axes, lattice = self.axes, self.lattice
        # Because a coordinate without noise has no output beyond the ends of its box; one with noise has.
        ends = [
            (start, start + length - 1) if axis.decay is None else None
            for axis, start, length in zip(axes, likelihood.start, likelihood.box, strict=True)
        ]
        discrete = [place for place, axis in enumerate(axes) if not axis.real]
        real = [place for place, axis in enumerate(axes) if axis.real]
        given = lattice.restricted(discrete)
        found = on_lattice([output[place] for place in discrete], given, [ends[place] for place in discrete])
        index = [slice(None)] * len(axes)
        lift = 0.0
        for place, each in zip(discrete, found, strict=True):
            # Because likelihoods only fall beyond the box, by the same rate given every secret: its end stands for
            # them.
            inside = min(max(each - likelihood.start[place], 0), likelihood.box[place] - 1)
            index[place] = slice(inside, inside + 1)
            if axes[place].decay is not None:
                beyond = abs(each - likelihood.start[place] - inside)
                lift += log(tanh(axes[place].rate / 2)) - axes[place].rate * beyond
        # Because outputs that are real numbers have densities, per the query's unit and not per step.
        lift -= fsum(log(2 * float(lattice.steps[place] / (axes[place].decay or 1))) for place in real)
        places = positions([output[place] for place in real], _of(likelihood, real, index), lattice.restricted(real))
        there = between_knots(_of(likelihood, real, index), places, [axes[place].rate for place in real], lift)
        # The case of an exact answer beside it that nobody can have given.
        if not is_possible(there):
            raise cannot_occur(output, lattice.point(_first(likelihood)))
        return there

    def sides(self, likelihood: Law, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
        along = list(zip(self.axes, likelihood.box, positions(output, likelihood, self.lattice), strict=True))
        # Because outputs on one side may be so many nats likelier than any likelihood in the box; none is beyond 1,000.
        depth = max(axis.rate * (abs(float(place)) + length) for axis, length, place in along)
        return sides(likelihood, log_prior, [axis.sides(length, at) for axis, length, at in along], min(depth, 1e3))

    def outputs_of(self, likelihood: Law) -> Outputs:
        # So that likelihoods hold for the rounded outputs, too: by so many nats they change over a step of these.
        moved = sum(axis.real for axis in self.axes) / FINENESS
        return AxesOutputs(replace(likelihood, error=likelihood.error + moved), self.axes)


def _along(noise: Noise, step: Fraction) -> Along:
    if noise.shape.adds_nothing:
        return Along(None)
    if noise.shape.exponential:
        return Along(exact_decay(noise, step), real=not noise.shape.needs_lattice)
    # The case of Gaussian noise on one question and Laplace on another about the same people: no law of both is
    # computed.
    wanted = "laplace, geometric or none beside another noise on answers about the same people; " + _BOUNDED
    raise InputError("noise.kind", noise.kind, wanted)


def _of(law: Law, axes: Sequence[int], index: Sequence[slice]) -> Law:
    """Returns the law on some axes, at single points of the others."""
    box = tuple(law.box[axis] for axis in axes)
    relative = law.relative[(slice(None), *index)].reshape(law.secrets, *box)
    return Law(tuple(law.start[axis] for axis in axes), law.base[tuple(index)].reshape(box), relative, law.error)


def _first(law: Law) -> list[int]:
    """Returns the lattice index of the first possible point of the box."""
    index = np.unravel_index(int(np.argmax(np.max(law.relative, axis=0) > -inf)), law.box)
    return [int(i) + start for i, start in zip(index, law.start, strict=True)]


@final
class Laplace(ScaledNoise):
    """Laplace noise: adds to each answer a number of density e^{-|x|/scale}/(2 scale), independently.

    The output is rounded to a fine lattice that contains the answers' own.

    Args:
        scale: The scale b, a finite number above 0 in the query's unit. The noise has mean size b and deviation √2 b.
            None (the default) leaves it open, for `calibrate` and `compare`.

    Example:
        >>> import dalenius as dl
        >>> dl.Laplace(scale=2.0).words, dl.Laplace(2.0).scale
        ('laplace, scale 2', 2.0)

    Notes:
        More noise never leaks more: Lap(b₂) is Lap(b₁) plus an independent variable that is 0 with probability
        b₁²/b₂² and Lap(b₂) otherwise. So the channel at b₂ > b₁ is a post-processing of the one at b₁.
    """

    kind: Literal["laplace"] = "laplace"

    @property
    def shape(self) -> Shape:
        return _SHAPE._replace(needs_lattice=False)

    def mechanism(self, lattice: Lattice) -> AxesMechanism:
        return AxesMechanism(self, lattice)

    def error(self, step: Fraction) -> AddedError:
        """Returns how far the output of one coordinate is from its exact answer, on the reals and as it is rounded.

        Args:
            step: The step of the coordinate's lattice, in the query's unit.
        """
        scale = self.known_scale()
        return AddedError(step, scale, partial(laplace_reach, step, scale), lambda far: laplace_beyond(far, scale))

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        """Draws one release: Laplace noise, rounded to a lattice that contains the answers' own.

        Every leakage of what goes out is at most that over the reals (Result 3.6).

        Args:
            answer: The exact answer, one whole number of lattice steps for each coordinate.
            lattice: The lattice of the answers.

        Returns:
            One number for each coordinate, in the query's unit.
        """
        return on_fine_lattice(answer, lattice.steps, self.known_scale(), rounded_laplace)


@final
class Geometric(ScaledNoise):
    """Two-sided geometric noise: adds to each answer k steps of its lattice, k any whole number.

    The probability of k is proportional to e^{-|k| step/scale}. A count stays a whole number.

    Args:
        scale: The scale b, a finite number above 0 in the query's unit; the noise is e times rarer for every b it
            is further off. None (the default) leaves it open, for `calibrate` and `compare`.

    Example:
        >>> import dalenius as dl
        >>> noise = dl.Geometric(scale=1.0)
        >>> round(noise.error(Fraction(1)).expected, 6)  # mean distance from an exact count
        0.850918

    Notes:
        More noise never leaks more. With a = e^{-step/b}, the generating function of the noise at a₂ over the one at
        a₁ < a₂ is a constant times a₁/a₂ + (a₂-a₁)(1-a₁a₂)/a₂ / ((1-a₂z)(1-a₂/z)): a mixture of 0 and the noise at a₂.
    """

    kind: Literal["geometric"] = "geometric"

    @property
    def shape(self) -> Shape:
        return _SHAPE

    def mechanism(self, lattice: Lattice) -> AxesMechanism:
        return AxesMechanism(self, lattice)

    def error(self, step: Fraction) -> AddedError:
        decay, drawn = step / Fraction(self.known_scale()), float_up(Fraction(self.known_scale()) / step)
        # Because E|k| = 2a/(1-a²) = 1/sinh(step/b) steps; past 700 it is 0 to every digit.
        mean = float(step) / sinh(min(float(decay), 700.0))
        return AddedError(
            step,
            mean,
            lambda rest: geometric_reach(drawn, rest) * step,
            lambda far: geometric_beyond(steps_up_to(far, step), decay),
        )

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        return tuple(
            with_discrete_laplace([index], Fraction(self.known_scale()) / step)[0] * step
            for index, step in zip(answer, lattice.steps, strict=True)
        )


def exact_decay(noise: Noise, step: Fraction) -> Fraction:
    """Returns the step over the scale of `noise`: the most a log-likelihood changes between lattice points.

    InputError for a scale that is negligible next to the `step`.
    """
    scale = noise.known_scale()
    # The case of a scale of a millionth of a step: the answer goes out as it is, but for once in e^1000000 times.
    if step / Fraction(scale) > MOST_DECAY:
        least = float(step / MOST_DECAY)
        wanted = f"at least {least:g} on this lattice (or kind = none; limit {MOST_DECAY.name})"
        raise InputError("noise.scale", scale, wanted)
    return step / Fraction(scale)
