"""Two-sided geometric noise, then clamped: outputs beyond two ends become those ends (Result 8.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import expm1, inf, prod
from typing import Annotated, ClassVar, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, ZERO, Enclosure, float_up
from dalenius.errors import InputError, TooLarge
from dalenius.fields import Finite
from dalenius.laws.laplace_smoothing import smoothed
from dalenius.laws.lattice import Lattice, index_of
from dalenius.laws.law import Law, without_floor
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Sums
from dalenius.noise import Noise
from dalenius.noise.error_law import (
    NEVER,
    SURE,
    ErrorLaw,
    answers_listed,
    geometric_beyond,
    geometric_reach,
    missed,
    one_side,
    rounded_outward,
    steps_up_to,
)
from dalenius.noise.finite_mechanism_base import FiniteMechanism
from dalenius.noise.limits import MOST_DECAY
from dalenius.noise.losses_between_neighbours import of_distance, of_pairs, of_widest
from dalenius.noise.sampling import with_discrete_laplace
from dalenius.noise.shape import Shape
from dalenius.optimum.clamped_law import covering, end_shares, tails_merged
from dalenius.optimum.limits import MOST_CLAMPED_POINTS
from dalenius.sentences.sentence import Figure, said


@final
class Clamped(Noise):
    """Geometric noise, then clamping: an output outside a range is moved to the nearer end.

    Args:
        scale: The scale of the geometric noise, in the query's unit; 0 for the answer itself, clamped.
        lower: The lower end, in the query's unit and on the answers' lattice, the same for every coordinate.
        upper: The upper end, in the query's unit and on the answers' lattice; at least `lower`.

    Example:
        The answer 0 goes out as 0 with probability 0.731 and as 1 with 0.269, so that it moves by 0.269 on average:

        >>> noise = Clamped(scale=1.0, lower=0, upper=1)
        >>> noise.words, noise.error(Fraction(1)).mean_moves(np.array([0])).round(6).tolist()
        ('clamped to 0 .. 1, scale 1', [0.268941])

    Notes:
        Clamping is post-processing, so this never leaks more than the geometric noise of its scale. But with ends
        inside the answers' range *more noise can leak more*: it distinguishes an answer far beyond an end from one
        just beyond.
    """

    _instead: ClassVar[str] = "laplace, geometric or gaussian (or method clamped)"

    kind: Literal["clamped"] = "clamped"
    scale: Annotated[Finite, Field(ge=0)]
    lower: Finite
    upper: Finite

    @model_validator(mode="after")
    def _check(self) -> "Clamped":
        if self.lower > self.upper:
            raise ValueError(f"lower of at most upper (they are {self.lower:g} and {self.upper:g})")
        return self

    @property
    def shape(self) -> Shape:
        outcome = "noised answer, clamped" if self.scale > 0 else "exact answer, clamped"
        return Shape(scaled=False, outcome=outcome)

    def mechanism(self, lattice: Lattice) -> "ClampedMechanism":
        return ClampedMechanism(self, lattice)

    def error(self, step: Fraction) -> "ClampedError":
        return ClampedError(self, step)

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """Bounds the worst log-ratio between answers anywhere, by how far each coordinate moves.

        Below the upper end, say, the output at that end has geometric noise's log-ratio.

        Args:
            distances: The most that each coordinate moves, in the query's unit, one number for each coordinate.

        Returns:
            Nats; 0 where the output is constant, inf without noise where something moves.
        """
        # A constant output, or data sets with the same answer: nothing leaks.
        if self.lower == self.upper or not any(distances):
            return 0.0
        return of_distance(sum(distances, Fraction(0)), self.scale) if self.scale > 0 else inf

    def group_loss(self, distance: Fraction, axes: int) -> float:
        return self.privacy_loss([distance])

    @property
    def words(self) -> str:
        low, high = Figure(f"{self.lower:g}"), Figure(f"{self.upper:g}")
        return said("with_scale", noise=said("clamped", low=low, high=high), scale=Figure(f"{self.scale:.6g}"))

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        """Draws one release, exactly: a discrete Laplace variable of rational scale, then whole numbers are clamped.

        Args:
            answer: The exact answer, one whole number of lattice steps for each coordinate.
            lattice: The lattice of the answers.

        Returns:
            One number for each coordinate, in the query's unit.

        Raises:
            InputError: An end is off the lattice.
        """
        drawn = []
        for index, step in zip(answer, lattice.steps, strict=True):
            low, high = self.ends(step)
            if self.scale > 0:
                index = with_discrete_laplace([index], Fraction(self.steps_of_scale(step)))[0]
            drawn.append(min(max(int(index), low), high) * step)
        return tuple(drawn)

    def ends(self, step: Fraction) -> tuple[int, int]:
        """Returns the two ends as lattice indices.

        Args:
            step: The lattice's step, in the query's unit.

        Raises:
            InputError: An end is off the lattice.
        """
        return end_index("lower", self.lower, step), end_index("upper", self.upper, step)

    def decay(self, step: Fraction) -> Fraction | None:
        """Returns a step over the scale that is drawn with; None without noise.

        Args:
            step: The lattice's step, in the query's unit.

        Raises:
            InputError: The scale is above 0 and negligible next to the step.
        """
        if self.scale == 0:
            return None
        found = 1 / Fraction(self.steps_of_scale(step))
        if found > MOST_DECAY:
            wanted = f"0, or at least {float(step / MOST_DECAY):g} on this lattice (limit {MOST_DECAY.name})"
            raise InputError("noise.scale", self.scale, wanted)
        return found

    def steps_of_scale(self, step: Fraction) -> float:
        """Returns the scale in lattice steps, rounded up.

        Args:
            step: The lattice's step, in the query's unit.
        """
        # More noise may leak more here: what is drawn with is what is audited, to the last digit.
        return float_up(Fraction(self.scale) / step)


@final
@dataclass(frozen=True)
class ClampedMechanism(FiniteMechanism):
    """Mechanism that clamps every coordinate to the same ends."""

    noise: Clamped

    def likelihood(self, law: Law) -> Law:
        """Smooths the law on a box that holds the ends, then merges all beyond them into them.

        Tails are summed, not cut.
        """
        ends = [self.noise.ends(step) for step in self.lattice.steps]
        spans = zip(ends, law.start, law.box, strict=True)
        points = prod(max(start + length, high + 1) - min(start, low) for (low, high), start, length in spans)
        # Ends given by hand, far beyond the answers: every point between them would be a number.
        if points > MOST_CLAMPED_POINTS:
            instead = "set lower and upper nearer to them"
            raise TooLarge("the clamped answers", f"{points:,} points", instead, MOST_CLAMPED_POINTS)
        for axis, (low, high) in enumerate(ends):
            law = covering(law, low, high, axis)
        decays = [self.noise.decay(step) for step in self.lattice.steps]
        if self.noise.scale > 0:
            law = smoothed(law, [decay for decay in decays if decay is not None])
        for axis, (low, high) in enumerate(ends):
            share, beyond = end_shares(decays[axis])
            law = tails_merged(law, low, high, axis, beyond)
            law = replace(law, base=law.base + share, error=law.error + 4 * UNIT * (1 - share + beyond))
        return without_floor(law)

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        """Encloses the loss of `neighbours` in nats, which is at most that of answers anywhere.

        Each coordinate attains its own unless the answers may lie one beyond each end; without noise, where two of them
        do not lie beyond the same end.
        """
        upper = of_widest(self.noise.privacy_loss(neighbours.distances)).upper
        # Without noise an answer between the ends goes out as it is, and which answers can occur decides.
        if self.noise.scale == 0:
            return of_pairs(neighbours, self.lattice, self._exact_loss, upper, self.noise.ends)
        width = Fraction(str(self.noise.upper)) - Fraction(str(self.noise.lower))
        pairs = zip(neighbours.distances, self.lattice.steps, strict=True)
        losses = [self.noise.privacy_loss([distance]) for distance, step in pairs if distance - step <= width]
        return Enclosure(of_widest(max(losses, default=0.0)).lower, upper)

    def alike_beyond(self, extent: tuple[int, int]) -> tuple[int, int] | None:
        """Returns the ends, whatever the `extent` of the answers.

        An output short of an end is the less likely the further beyond that the answer is. The end itself has at least
        half of the mass given any answer beyond.
        """
        return self.noise.ends(self.lattice.steps[0])

    def leaves_exact(self, answers: Sums | None) -> bool:
        """Says whether there is no noise, unless all answers lie beyond the same end."""
        low, high = self.noise.ends(self.lattice.steps[0])
        # With noise, or one constant output, no output is of a single answer.
        if self.noise.scale > 0 or low == high:
            return False
        return answers is None or min(max(int(answers[0]), low), high) != min(max(int(answers[-1]), low), high)

    def _exact_loss(self, pairs: IntArray, step: Fraction) -> Enclosure:
        """Says, without noise, whether two of these answers are not clamped to the same."""
        differ = np.ptp(np.clip(pairs, *self.noise.ends(step)), axis=1).any()
        return Enclosure(inf, inf) if differ else ZERO


@final
@dataclass(frozen=True)
class ClampedError(ErrorLaw):
    """The distance of a clamped output from its answer, on a lattice of that step, which has the ends."""

    noise: Clamped
    step: Fraction

    def mean_moves(self, indices: IntArray) -> Array:
        """Returns E|output - answer| given each answer, in lattice steps, as a closed sum of geometric tails.

        indices: the answers, as lattice indices.

        >>> Clamped(scale=1.0, lower=0, upper=1).error(Fraction(1)).mean_moves(np.array([0, 1, 3])).round(6).tolist()
        [0.268941, 0.268941, 2.036397]
        """
        low, high = self.noise.ends(self.step)
        inside = np.clip(indices, low, high)
        beyond = np.abs(indices - inside).astype(np.float64)
        # Without noise an answer is moved by clamping only.
        if (decay := self.noise.decay(self.step)) is None:
            return np.asarray(beyond)
        # Pr[noise >= k] = a^k/(1+a), summed over k up to the way to either end; from beyond an end to the other one.
        near = float(decay)
        share = 1 / -expm1(-2 * near)
        up, down = (high - inside).astype(np.float64), (inside - low).astype(np.float64)
        moves = share * np.exp(-near * (1 + beyond)) * -(np.expm1(-near * up) + np.expm1(-near * down))
        return np.asarray(beyond + moves)

    def interval(self, output: Fraction | str, confidence: float) -> Enclosure | None:
        """Returns the answers that a test at this confidence leaves, in the query's unit.

        They are as far from the output as the noise reaches; the interval is open beyond an end that is the output.
        None where the output is no number.
        """
        rest = missed(confidence)
        if isinstance(output, str):
            return None
        near = 0 if self.noise.scale == 0 else geometric_reach(self.noise.steps_of_scale(self.step), rest)
        low, high = self.noise.ends(self.step)
        lower, upper = rounded_outward(output - near * self.step, output + near * self.step)
        return Enclosure(lower if output > low * self.step else -inf, upper if output < high * self.step else inf)

    def beyond(self, distance: Fraction, answers: Sums | None) -> Enclosure | None:
        """Bounds the tail beyond this `distance` (the query's unit) for the `answers`, or for answers anywhere if None.

        Far beyond an end every output is that far away.
        """
        known, far = answers_listed(answers), steps_up_to(distance, self.step)
        # Answers that are not listed may lie anywhere, also so far beyond an end that every output is that far away.
        if known is None:
            return SURE
        low, high = self.noise.ends(self.step)
        if np.any((known - far >= high) | (known + far <= low)):
            return SURE
        # Both sides of an answer, as far as they lie within the ends.
        sides = int(np.max((known - far >= low).astype(np.int64) + (known + far <= high)))
        decay = self.noise.decay(self.step)
        # The ends are nearer than that to every answer, or there is no noise.
        if sides == 0 or decay is None:
            return NEVER
        both = geometric_beyond(far, decay)
        return both if sides == 2 else one_side(both)


def end_index(key: str, end: float, step: Fraction) -> int:
    """Returns the lattice index of the end `key`, a number `end` in the query's unit; InputError if off the lattice.

    step: the lattice's step, in that unit.
    """
    index = index_of(end, step)
    if index is None:
        raise InputError(f"noise.{key}", end, f"a multiple of {step}")
    return index
