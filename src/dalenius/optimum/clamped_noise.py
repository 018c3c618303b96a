"""Two-sided geometric noise, then clamped: outputs beyond two ends become those ends (Result 8.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, expm1, inf, log, log1p, prod, tanh
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.bounds import UNIT, Enclosure
from dalenius.drawing import given_axes
from dalenius.errors import InputError, TooLarge
from dalenius.laws.integrals.sides import Sides, Weights, of_box, sides
from dalenius.laws.lattice import Lattice, index_of
from dalenius.laws.law import Array, IntArray, Law, without_floor
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.smoothing import smoothed
from dalenius.laws.sumsets import Sums
from dalenius.noise.exponential import FAINTEST
from dalenius.noise.finite import FiniteNoise
from dalenius.noise.intervals import (
    NEVER,
    SURE,
    geometric_beyond,
    geometric_reach,
    listed,
    missed,
    one_side,
    outward,
    whole_steps,
)
from dalenius.noise.output import MOST_DRAWN, Answer, at_index, at_point, draw_masses, on_lattice, sides_of_point
from dalenius.noise.sampling import float_up, with_discrete_laplace
from dalenius.noise.scaled import of_distance, of_widest
from dalenius.optimum.clamping import padded, tails_merged
from dalenius.schema import Finite

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS: Final = 2**24


@final
class Clamped(FiniteNoise):
    """The answer with geometric noise, moved to the nearer end where it falls outside a range.

    scale 0: the answer itself, clamped; lower, upper: the ends, in the query's unit and on the answers' lattice, the
    same for every coordinate.

    Clamping is post-processing, so this never leaks more than the geometric noise of its scale. But with ends inside
    the answers' range *more noise can leak more*: it distinguishes an answer far beyond an end from one just beyond.
    """

    instead: ClassVar[str] = "laplace, geometric or gaussian (or method clamped)"

    kind: Literal["clamped"] = "clamped"
    scale: Annotated[Finite, Field(ge=0)]
    lower: Finite
    upper: Finite

    @model_validator(mode="after")
    def _check(self) -> "Clamped":
        if self.lower > self.upper:
            raise ValueError(f"lower of at most upper (they are {self.lower:g} and {self.upper:g})")
        return self

    def likelihood(self, law: Law, lattice: Lattice) -> Law:
        ends = [self.ends(step) for step in lattice.steps]
        spans = zip(ends, law.start, law.box, strict=True)
        points = prod(max(start + length, low + 1) - min(start, high) + 2 for (low, high), start, length in spans)
        if points > MOST_POINTS:
            raise TooLarge("the clamped answers", f"{points:,} points", "set lower and upper nearer to them")
        for axis, (low, high) in enumerate(ends):
            law, low, high = padded(law, low, high, axis)
            ends[axis] = low, high
        decays = [self.decay(step) for step in lattice.steps]
        if self.scale > 0:
            law = smoothed(law, [decay for decay in decays if decay is not None])
        for axis, (low, high) in enumerate(ends):
            share, beyond = _shares(decays[axis])
            law = tails_merged(law, low, high, axis, beyond)
            law = replace(law, base=law.base + share, error=law.error + 4 * UNIT * (1 - share + beyond))
        return without_floor(law)

    def at(self, likelihood: Law, lattice: Lattice, output: Sequence[Answer]) -> Law:
        """Where the box ends one beyond the answers, that point holds all outputs from there to the noise's end."""
        if self.scale == 0:
            return at_point(likelihood, lattice, output)
        held = self._held(likelihood, lattice, output)
        lift = sum(log(-expm1(-each.decay)) if each.more else 0.0 for each in held)
        lift -= sum(each.decay * each.beyond for each in held)
        return at_index(likelihood, [each.index for each in held], lift)

    def sides(
        self, likelihood: Law, lattice: Lattice, output: Sequence[Answer], log_prior: Array
    ) -> tuple[Sides | None, ...]:
        if self.scale == 0:
            return sides_of_point(likelihood, lattice, output, log_prior)
        held = self._held(likelihood, lattice, output)
        weights = [each.weights(length) for each, length in zip(held, likelihood.box, strict=True)]
        return sides(likelihood, log_prior, weights, max(each.decay * each.beyond for each in held))

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """For answers anywhere: below the upper end, say, the output at that end has geometric noise's log-ratio."""
        if self.lower == self.upper or not any(distances):
            return 0.0
        return of_distance(sum(distances, Fraction(0)), self.scale) if self.scale > 0 else inf

    def group_loss(self, distance: Fraction, axes: int) -> float:
        return self.privacy_loss([distance])

    def neighbour_loss(self, neighbours: Neighbours, lattice: Lattice) -> Enclosure:
        """At most that of answers anywhere. Each coordinate attains its own unless the answers may lie one beyond each
        end; without noise, where two of them do not lie beyond the same end."""
        upper = of_widest(self.privacy_loss(neighbours.distances)).upper
        if self.scale == 0:
            return Enclosure(inf if self._sets_apart(neighbours, lattice) else 0.0, upper)
        width = Fraction(str(self.upper)) - Fraction(str(self.lower))
        pairs = zip(neighbours.distances, lattice.steps, strict=True)
        alone = [self.privacy_loss([distance]) for distance, step in pairs if distance - step <= width]
        return Enclosure(of_widest(max(alone, default=0.0)).lower, upper)

    def alike_beyond(self, step: Fraction, extent: tuple[int, int]) -> tuple[int, int] | None:
        """Its ends: an output short of one is the less likely the further beyond that the answer is, and the end itself
        has at least half of the mass given any answer beyond."""
        return self.ends(step)

    def leaves_exact(self, answers: Sums | None, step: Fraction) -> bool:
        """Without noise, unless all of them lie beyond the same end."""
        low, high = self.ends(step)
        if self.scale > 0 or low == high:
            return False
        return answers is None or min(max(int(answers[0]), low), high) != min(max(int(answers[-1]), low), high)

    def mean_moves(self, indices: IntArray, step: Fraction) -> Array:
        low, high = self.ends(step)
        inside = np.clip(indices, low, high)
        beyond = np.abs(indices - inside).astype(np.float64)
        if (decay := self.decay(step)) is None:
            return np.asarray(beyond)
        # Pr[noise >= k] = a^k/(1+a), summed over k up to the way to either end; from beyond an end to the other one.
        near = float(decay)
        share = 1 / -expm1(-2 * near)
        up, down = (high - inside).astype(np.float64), (inside - low).astype(np.float64)
        moves = share * np.exp(-near * (1 + beyond)) * -(np.expm1(-near * up) + np.expm1(-near * down))
        return np.asarray(beyond + moves)

    def interval(self, output: Fraction | str, confidence: float, step: Fraction) -> Enclosure | None:
        """Open beyond an end that is the output."""
        rest = missed(confidence)
        if isinstance(output, str):
            return None
        near = 0 if self.scale == 0 else geometric_reach(self._steps(step), rest)
        low, high = self.ends(step)
        lower, upper = outward(output - near * step, output + near * step)
        return Enclosure(lower if output > low * step else -inf, upper if output < high * step else inf)

    def beyond(self, distance: Fraction, step: Fraction, answers: Sums | None) -> Enclosure | None:
        """Of answers anywhere: far beyond an end every output is that far away."""
        known, far = listed(answers), whole_steps(distance, step)
        if known is None:
            return SURE
        low, high = self.ends(step)
        if np.any((known - far >= high) | (known + far <= low)):
            return SURE
        # Both sides of an answer, as far as they lie within the ends.
        sides = int(np.max((known - far >= low).astype(np.int64) + (known + far <= high)))
        decay = self.decay(step)
        if sides == 0 or decay is None:
            return NEVER
        both = geometric_beyond(far, decay)
        return both if sides == 2 else one_side(both)

    @property
    def outcome(self) -> str:
        return "noised answer, clamped" if self.scale > 0 else "exact answer, clamped"

    @property
    def words(self) -> str:
        return f"clamped to {self.lower:g} .. {self.upper:g}, scale {self.scale:.6g}"

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """The probability of each whole output, given an answer halfway between the ends. InputError where these are no
        whole numbers, TooLarge where they are too far apart."""
        low, high = self.ends(Fraction(1))
        if high - low >= MOST_DRAWN:
            raise TooLarge("a picture", f"{high - low + 1:,} points", f"at most {MOST_DRAWN:,} between lower and upper")
        axes, middle = given_axes(ax), (low + high) // 2
        places = np.arange(low, high + 1)
        masses = np.where(places == middle, 1.0, 0.0)
        if (decay := self.decay(Fraction(1))) is not None and low < high:
            near = float(decay)
            masses = tanh(near / 2) * np.exp(-near * np.abs(places - middle))
            masses[[0, -1]] = np.exp(-near * np.abs(places[[0, -1]] - middle)) / (1 + exp(-near))
        across = f"output, where the answer is {middle} (the query's unit)"
        draw_masses(axes, places.astype(np.float64), masses, self.words, across)
        return axes

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        drawn = []
        for index, step in zip(answer, lattice.steps, strict=True):
            low, high = self.ends(step)
            if self.scale > 0:
                index = with_discrete_laplace([index], Fraction(self._steps(step)))[0]
            drawn.append(min(max(int(index), low), high) * step)
        return tuple(drawn)

    def _sets_apart(self, neighbours: Neighbours, lattice: Lattice) -> bool:
        """Whether a record's change can change the clamped answer."""
        for axis, step in enumerate(lattice.steps):
            low, high = self.ends(step)
            pairs = neighbours.pairs(axis, low, high)
            if pairs is not None and np.any(np.ptp(np.clip(pairs, low, high), axis=1) > 0):
                return True
        return False

    def _held(self, law: Law, lattice: Lattice, output: Sequence[Answer]) -> list["_Held"]:
        ends = [self.ends(step) for step in lattice.steps]
        found = []
        for axis, index in enumerate(on_lattice(output, lattice, ends)):
            low, high = law.start[axis], law.start[axis] + law.box[axis] - 1
            inside = min(max(index, low), high)
            side = 1 if inside == high < ends[axis][1] else -1 if inside == low > ends[axis][0] else 0
            more = side != 0 and index not in ends[axis]
            decay = float(self.decay(lattice.steps[axis]) or 0)
            found.append(_Held(inside - low, abs(index - inside), more, side, decay))
        return found

    def ends(self, step: Fraction) -> tuple[int, int]:
        """The ends as lattice indices. InputError where they are off the lattice."""
        return end_index("lower", self.lower, step), end_index("upper", self.upper, step)

    def decay(self, step: Fraction) -> Fraction | None:
        """A step over the scale that is drawn with; None without noise."""
        if self.scale == 0:
            return None
        found = 1 / Fraction(self._steps(step))
        if found > FAINTEST:
            raise InputError("noise.scale", self.scale, f"0, or at least {float(step / FAINTEST):g} on this lattice")
        return found

    def _steps(self, step: Fraction) -> float:
        # More noise may leak more here: what is drawn with is what is audited, to the last digit.
        return float_up(Fraction(self.scale) / step)


@final
@dataclass(frozen=True)
class _Held:
    """Where an output is: the point of the box, and how many steps beyond it. An end of the box that is not the noise's
    holds all outputs from there to that one (side: -1, 1, else 0), `more` of them further out."""

    index: int
    beyond: int
    more: bool
    side: int
    decay: float

    def weights(self, length: int) -> Weights:
        every, at_most, at_least = of_box(length, self.index)
        out, back = (at_least, at_most) if self.side > 0 else (at_most, at_least)
        if self.side:
            out[self.index] = exp(-self.decay * self.beyond)
            back[self.index] = -expm1(-self.decay * (self.beyond + 1)) if self.more else 1.0
        return Weights(every, at_most, at_least)


def end_index(key: str, end: float, step: Fraction) -> int:
    """The lattice index of an end. InputError where it is off the lattice."""
    index = index_of(end, step)
    if index is None:
        raise InputError(f"noise.{key}", end, f"a multiple of {step}")
    return index


def _shares(decay: Fraction | None) -> tuple[float, float]:
    """Logs of Pr[noise = 0], and of the factor by which merging all points beyond an end raises its mass."""
    if decay is None:
        return 0.0, 0.0
    near = float(decay)
    return log(tanh(near / 2)), -log1p(-exp(-near)) if near > 1 else -log(-expm1(-near))
