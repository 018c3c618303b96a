"""Two-sided geometric noise, then clamped: outputs beyond two ends become those ends (Result 8.2)."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp, expm1, inf, log, log1p, prod, tanh
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.bounds import UNIT, ZERO, Enclosure
from dalenius.errors import InputError, TooLarge
from dalenius.laws.laplace_smoothing import smoothed
from dalenius.laws.lattice import Lattice, Sums, index_of
from dalenius.laws.law import Array, IntArray, Law, without_floor
from dalenius.laws.neighbouring_data import Neighbours
from dalenius.noise.answer_intervals import (
    NEVER,
    SURE,
    answers_listed,
    geometric_beyond,
    geometric_reach,
    missed,
    one_side,
    rounded_outward,
    whole_steps,
)
from dalenius.noise.exponential import MOST_DECAY
from dalenius.noise.finite import FiniteNoise
from dalenius.noise.sampling import float_up, with_discrete_laplace
from dalenius.noise.scaled import of_distance, of_pairs, of_widest
from dalenius.schema import Finite

if TYPE_CHECKING:
    pass


def covering(law: Law, low: int, high: int, axis: int) -> Law:
    """The law with empty points added along the axis, so that the box holds both lattice points, low and high."""
    before, after = max(law.start[axis] - low, 0), max(high - (law.start[axis] + law.box[axis] - 1), 0)
    widths = [(before, after) if place == axis else (0, 0) for place in range(len(law.box))]
    moved = tuple(i - before if place == axis else i for place, i in enumerate(law.start))
    base = np.pad(law.base, widths, mode="edge")
    relative = np.pad(law.relative, [(0, 0), *widths], constant_values=-inf)
    floor = None if law.floor is None else np.pad(law.floor, widths, constant_values=-inf)
    return replace(law, start=moved, base=base, relative=relative, floor=floor)


def tails_merged(law: Law, low: int, high: int, axis: int, beyond: float) -> Law:
    """Points up to `low` become one, and those from `high` on; both ends lie in the box.

    beyond: log of the factor by which the box's end points stand for themselves and all points beyond them.
    """
    # A constant output, as of a promise so strict that nothing may be said.
    if low == high:
        return _joined([_run(law, 0, law.box[axis], axis, beyond, beyond)], law, low, axis)
    first, last = low - law.start[axis], high - law.start[axis]
    parts = [_run(law, 0, first + 1, axis, beyond, 0.0)]
    # Ends next to each other have nothing between them.
    if last > first + 1:
        parts.append(_taken(law, slice(first + 1, last), axis))
    return _joined([*parts, _run(law, last, law.box[axis], axis, 0.0, beyond)], law, low, axis)


def _taken(law: Law, place: slice, axis: int) -> Law:
    """The points of a slice of one axis; where they start is left as it was."""
    index = (slice(None),) * axis + (place,)
    floor = None if law.floor is None else law.floor[index]
    return replace(law, base=law.base[index], relative=law.relative[(slice(None), *index)], floor=floor)


def _run(law: Law, start: int, stop: int, axis: int, before: float, after: float) -> Law:
    """One point for the points start..stop-1; `before` and `after` are added to the logs of the first and the last."""
    part = _taken(law, slice(start, stop), axis)
    weights = np.zeros(stop - start)
    weights[0] += before
    # The box has one point, which stands for itself once and for all that is beyond it on either side.
    if stop - start == 1 and after:
        weights[0] = np.log(np.exp(before) + np.exp(after) - 1)
    else:
        weights[-1] += after
    shaped = weights.reshape((-1,) + (1,) * (len(law.box) - axis - 1))
    logs = part.base + part.relative + shaped
    tops = np.max(logs, axis=axis + 1, keepdims=True)
    level = np.where(np.max(tops, axis=0) > -inf, np.max(tops, axis=0), 0.0)
    merged = _log_sum(logs - level, axis + 1)
    floor = None if part.floor is None else _log_sum(part.base + part.floor + shaped - level, axis)
    # A term below e^-745 of the largest is 0 as a double: its own rounding does not count.
    near = logs > tops - 745.0
    sizes = np.abs(part.base) + np.abs(np.where(near, part.relative, 0.0))
    deepest = float(np.max(np.where(near, sizes, 0.0), initial=0.0))
    error = part.error + (stop - start + 4 * (deepest + float(np.max(np.abs(level)))) + 32) * UNIT
    return replace(part, base=level, relative=merged, floor=floor, error=error)


def _log_sum(logs: Array, axis: int) -> Array:
    """The logs of the sums along an axis, which stays with length 1; −∞ where all are impossible."""
    top = np.max(logs, axis=axis, keepdims=True)
    top = np.where(top > -inf, top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.sum(np.exp(logs - top), axis=axis, keepdims=True)) + top)


def _joined(parts: list[Law], law: Law, low: int, axis: int) -> Law:
    """Parts side by side along the axis, from the lattice point `low` on."""
    start = tuple(low if place == axis else i for place, i in enumerate(law.start))
    base = np.concatenate([part.base for part in parts], axis=axis)
    relative = np.concatenate([part.relative for part in parts], axis=axis + 1)
    floors = [part.floor for part in parts if part.floor is not None]
    floor = np.concatenate(floors, axis=axis) if floors else None
    return Law(start, base, relative, max(part.error for part in parts), floor)


@final
class Clamped(FiniteNoise):
    """The answer with geometric noise, moved to the nearer end where it falls outside a range.

    scale 0: the answer itself, clamped; lower, upper: the ends, in the query's unit and on the answers' lattice, the
    same for every coordinate.

    With scale 1 and the ends 0 and 1 the answer 0 goes out as 0 with probability 0.731 and as 1 with 0.269.

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
        """Smoothed on a box that holds the ends, then all beyond them merged into them: tails are summed, not cut."""
        ends = [self.ends(step) for step in lattice.steps]
        spans = zip(ends, law.start, law.box, strict=True)
        points = prod(max(start + length, high + 1) - min(start, low) for (low, high), start, length in spans)
        # Ends given by hand, far beyond the answers: every point between them would be a number.
        if points > 2**24:
            raise TooLarge("the clamped answers", f"{points:,} points", "set lower and upper nearer to them")
        for axis, (low, high) in enumerate(ends):
            law = covering(law, low, high, axis)
        decays = [self.decay(step) for step in lattice.steps]
        if self.scale > 0:
            law = smoothed(law, [decay for decay in decays if decay is not None])
        for axis, (low, high) in enumerate(ends):
            share, beyond = _shares(decays[axis])
            law = tails_merged(law, low, high, axis, beyond)
            law = replace(law, base=law.base + share, error=law.error + 4 * UNIT * (1 - share + beyond))
        return without_floor(law)

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """For answers anywhere: below the upper end, say, the output at that end has geometric noise's log-ratio."""
        # A constant output, or data sets with the same answer: nothing leaks.
        if self.lower == self.upper or not any(distances):
            return 0.0
        return of_distance(sum(distances, Fraction(0)), self.scale) if self.scale > 0 else inf

    def group_loss(self, distance: Fraction, axes: int) -> float:
        return self.privacy_loss([distance])

    def neighbour_loss(self, neighbours: Neighbours, lattice: Lattice) -> Enclosure:
        """At most that of answers anywhere. Each coordinate attains its own unless the answers may lie one beyond each
        end; without noise, where two of them do not lie beyond the same end."""
        upper = of_widest(self.privacy_loss(neighbours.distances)).upper
        # Without noise an answer between the ends goes out as it is, and which answers can occur decides.
        if self.scale == 0:
            return of_pairs(neighbours, lattice, self._exact_loss, upper, self.ends)
        width = Fraction(str(self.upper)) - Fraction(str(self.lower))
        pairs = zip(neighbours.distances, lattice.steps, strict=True)
        losses = [self.privacy_loss([distance]) for distance, step in pairs if distance - step <= width]
        return Enclosure(of_widest(max(losses, default=0.0)).lower, upper)

    def alike_beyond(self, step: Fraction, extent: tuple[int, int]) -> tuple[int, int] | None:
        """Its ends: an output short of one is the less likely the further beyond that the answer is, and the end itself
        has at least half of the mass given any answer beyond."""
        return self.ends(step)

    def leaves_exact(self, answers: Sums | None, step: Fraction) -> bool:
        """Without noise, unless all of them lie beyond the same end."""
        low, high = self.ends(step)
        # With noise, or one constant output, no output is of a single answer.
        if self.scale > 0 or low == high:
            return False
        return answers is None or min(max(int(answers[0]), low), high) != min(max(int(answers[-1]), low), high)

    def mean_moves(self, indices: IntArray, step: Fraction) -> Array:
        """E|output - answer| given each of these answers, in lattice steps: a closed sum of the geometric tails.

        >>> Clamped(scale=1.0, lower=0, upper=1).mean_moves(np.array([0, 1, 3]), Fraction(1)).round(6).tolist()
        [0.268941, 0.268941, 2.036397]
        """
        low, high = self.ends(step)
        inside = np.clip(indices, low, high)
        beyond = np.abs(indices - inside).astype(np.float64)
        # Without noise an answer is moved by clamping only.
        if (decay := self.decay(step)) is None:
            return np.asarray(beyond)
        # Pr[noise >= k] = a^k/(1+a), summed over k up to the way to either end; from beyond an end to the other one.
        near = float(decay)
        share = 1 / -expm1(-2 * near)
        up, down = (high - inside).astype(np.float64), (inside - low).astype(np.float64)
        moves = share * np.exp(-near * (1 + beyond)) * -(np.expm1(-near * up) + np.expm1(-near * down))
        return np.asarray(beyond + moves)

    def interval(self, output: Fraction | str, confidence: float, step: Fraction) -> Enclosure | None:
        """The answers that a test at this confidence leaves, in the query's unit: as far from the output as the noise
        reaches, and open beyond an end that is the output. None where the output is no number."""
        rest = missed(confidence)
        if isinstance(output, str):
            return None
        near = 0 if self.scale == 0 else geometric_reach(self._steps(step), rest)
        low, high = self.ends(step)
        lower, upper = rounded_outward(output - near * step, output + near * step)
        return Enclosure(lower if output > low * step else -inf, upper if output < high * step else inf)

    def beyond(self, distance: Fraction, step: Fraction, answers: Sums | None) -> Enclosure | None:
        """Of answers anywhere: far beyond an end every output is that far away."""
        known, far = answers_listed(answers), whole_steps(distance, step)
        # Answers that are not listed may lie anywhere, also so far beyond an end that every output is that far away.
        if known is None:
            return SURE
        low, high = self.ends(step)
        if np.any((known - far >= high) | (known + far <= low)):
            return SURE
        # Both sides of an answer, as far as they lie within the ends.
        sides = int(np.max((known - far >= low).astype(np.int64) + (known + far <= high)))
        decay = self.decay(step)
        # The ends are nearer than that to every answer, or there is no noise.
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

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        """Exact: a discrete Laplace variable of rational scale, then whole numbers are clamped."""
        drawn = []
        for index, step in zip(answer, lattice.steps, strict=True):
            low, high = self.ends(step)
            if self.scale > 0:
                index = with_discrete_laplace([index], Fraction(self._steps(step)))[0]
            drawn.append(min(max(int(index), low), high) * step)
        return tuple(drawn)

    def _exact_loss(self, pairs: IntArray, step: Fraction) -> Enclosure:
        """Without noise: whether two of these answers are not clamped to the same."""
        differ = np.ptp(np.clip(pairs, *self.ends(step)), axis=1).any()
        return Enclosure(inf, inf) if differ else ZERO

    def ends(self, step: Fraction) -> tuple[int, int]:
        """The ends as lattice indices. InputError where they are off the lattice."""
        return end_index("lower", self.lower, step), end_index("upper", self.upper, step)

    def decay(self, step: Fraction) -> Fraction | None:
        """A step over the scale that is drawn with; None without noise."""
        if self.scale == 0:
            return None
        found = 1 / Fraction(self._steps(step))
        if found > MOST_DECAY:
            raise InputError("noise.scale", self.scale, f"0, or at least {float(step / MOST_DECAY):g} on this lattice")
        return found

    def _steps(self, step: Fraction) -> float:
        # More noise may leak more here: what is drawn with is what is audited, to the last digit.
        return float_up(Fraction(self.scale) / step)


def end_index(key: str, end: float, step: Fraction) -> int:
    """The lattice index of an end. InputError where it is off the lattice."""
    index = index_of(end, step)
    if index is None:
        raise InputError(f"noise.{key}", end, f"a multiple of {step}")
    return index


def _shares(decay: Fraction | None) -> tuple[float, float]:
    """Logs of Pr[noise = 0], tanh(1/2b), and of the factor by which merging all points beyond an end raises its mass,
    1/(1 − e^{−1/b}), where b is the scale in lattice steps; both 0 without noise."""
    if decay is None:
        return 0.0, 0.0
    near = float(decay)
    return log(tanh(near / 2)), -log1p(-exp(-near)) if near > 1 else -log(-expm1(-near))
