"""The sparse mechanism: most answers go out as they are, the others move from their bin to another (Theory §8)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Annotated, ClassVar, Final, Literal, final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.errors import InputError
from dalenius.fields import Finite, Probabilities, Probability
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law, without_floor
from dalenius.laws.matrix_ratios import through
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Sums, sums_within
from dalenius.noise.error_law import ErrorLaw, accepted, largest_chance, missed, rounded_outward
from dalenius.noise.finite_mechanism_base import FiniteMechanism
from dalenius.noise.losses_between_neighbours import of_pairs
from dalenius.noise.noise import Noise
from dalenius.noise.sampling import drawn_place
from dalenius.noise.shape import Shape
from dalenius.optimum.clamped_law import covering, tails_merged
from dalenius.optimum.clamped_noise import end_index
from dalenius.optimum.relocated_pairs import Leaving, worst_of_pairs
from dalenius.sentences.sentence import Figure, said

_SUMS: Final = 16 * UNIT
"""The error of rows and shares, which sum to 1 to 2^-52: each over its sum is drawn, and 1 - leaves is rounded once."""


@final
@dataclass(frozen=True)
class Moves:
    """The law of a point's moves: consecutive points form bins. Each bin keeps its points or sends them to bins.

    A point of bin i leaves with probability leaves[i], to bin j with probability bins[i, j], and there to each point
    with its share; else it stays.

    Attributes:
        first: The place where each bin starts, of shape (bins,).
        leaves: The probability of leaving, of shape (bins,).
        bins: The probability of each bin for points that leave, of shape (bins, bins).
        shares: The share of each point in its bin, of shape (points,).

    Take two bins, of the points 0 and 1, and of 2. Each point is moved by so much on average:

    >>> moves = [[0.5, 0.5], [0.75, 0.25]]
    >>> law = Moves(np.array([0, 2]), np.array([0.25, 1.0]), np.array(moves), np.array([0.1, 0.9, 1.0]))
    >>> law.mean_moves(np.arange(3.0)).round(4).tolist()
    [0.3625, 0.1375, 0.825]
    """

    first: IntArray
    leaves: Array
    bins: Array
    shares: Array

    @property
    def bin_of(self) -> IntArray:
        """The bin of each point (points,)."""
        widths = np.diff(np.append(self.first, len(self.shares)))
        return np.repeat(np.arange(len(self.first)), widths)

    @cached_property
    def leaving_for(self) -> Leaving:
        """Returns the law without where bins begin."""
        return Leaving(self.bin_of, self.leaves, self.bins, self.shares)

    @property
    def leaving(self) -> Array:
        """The probability of leaving bin i for bin j (bins, bins), whatever the point."""
        return np.asarray(self.leaves[:, None] * self.bins)

    @property
    def stays(self) -> Array:
        """The probability of staying (bins,)."""
        return np.asarray(1 - self.leaves)

    def mean_moves(self, points: Array) -> Array:
        """Returns E|output - answer| given each of these points (points,), which lie in ascending order."""
        means = np.add.reduceat(self.shares * points, self.first)
        found = np.empty(len(points))
        for here, (start, stop) in enumerate(pairwise([*self.first.tolist(), len(points)])):
            own = points[start:stop]
            # Whole bins lie on one side of a point, so that only their mean counts; its own bin is on both.
            far = np.abs(means[None, :] - own[:, None])
            weights = self.shares[start:stop]
            below, under = np.cumsum(weights), np.cumsum(weights * own)
            # The shares of its own bin below the point and above it, each by its own mean.
            far[:, here] = own * (2 * below - below[-1]) + under[-1] - 2 * under
            found[start:stop] = far @ self.leaving[here]
        return found

    def tails(self, output: int) -> tuple[Array, Array]:
        """Returns Pr[output <= this point], and >=, given each point (points,).

        The relative error is a rounding per point. A test of the exact answer goes by these, from either side. `output`
        is a point, counted from the first.
        """
        points = np.arange(len(self.shares))
        found = []
        for there in (points <= output, points >= output):
            reached = self.leaving @ np.add.reduceat(np.where(there, self.shares, 0.0), self.first)
            found.append(np.asarray(reached[self.bin_of] + np.where(there, self.stays[self.bin_of], 0.0)))
        return found[0], found[1]

    @property
    def sure(self) -> NDArray[np.bool_]:
        """The bins from which an answer has one output for certain (bins,).

        Such an answer stays, or can only leave for one point, at once or from there.
        """
        points = np.add.reduceat((self.shares > 0).astype(np.int64), self.first)
        goal, ways = np.argmax(self.bins > 0, axis=1), np.count_nonzero(self.bins, axis=1)
        to_a_point = (ways == 1) & (points[goal] == 1)
        return np.asarray((self.leaves == 0) | (to_a_point & ((self.leaves == 1) | (goal == np.arange(len(goal))))))


def _relocated(law: Law, axis: int, moves: Moves) -> Law:
    """Sends each point of that axis through the moves. The axis has as many points as `moves`.

    The error of every entry is counted; the law must have no unresolved mass.
    """
    logs = np.moveaxis(law.log_mass(), axis + 1, -1)
    flat = logs.reshape(-1, logs.shape[-1])
    bins, terms = _by_bin(flat, moves)
    with np.errstate(divide="ignore"):
        # Because a product of two rare moves may underflow, this does not go through `leaving`.
        arriving, roundings = through(bins + np.log(moves.leaves), moves.bins)
        arrived = arriving[:, moves.bin_of] + np.log(moves.shares)
        kept = flat + np.log(moves.stays)[moves.bin_of]
    found = np.moveaxis(np.logaddexp(kept, arrived).reshape(logs.shape), -1, axis + 1)
    deepest = float(np.max(np.abs(found), where=np.isfinite(found), initial=0.0))
    error = law.error + (terms + roundings + 8 * deepest + 64) * UNIT
    return replace(law, base=np.zeros(law.box), relative=found, error=error)


def _by_bin(logs: Array, moves: Moves) -> tuple[Array, float]:
    """Returns the log of the mass in each bin (rows, bins), and how many roundings lie behind it."""
    tops = np.maximum.reduceat(logs, moves.first, axis=1)
    tops = np.where(tops > -np.inf, tops, 0.0)
    with np.errstate(divide="ignore"):
        sums = np.log(np.add.reduceat(np.exp(logs - tops[:, moves.bin_of]), moves.first, axis=1)) + tops
    widest = int(np.max(np.diff(np.append(moves.first, logs.shape[1]))))
    return sums, widest + 4 * float(np.max(np.abs(tops))) + 800


Share = Annotated[Probability, Field(ge=0, le=1)]


@final
class Relocation(Noise):
    """The sparse mechanism: an answer, clamped to a range, stays as it is or moves from its bin to a point of another.

    An answer leaves with the probability that its bin states. It goes to a bin chosen by its own bin's row of `moves`,
    and there to a point chosen by that bin's `shares`. Every coordinate of the answer goes through it independently.
    Method `optimal` makes such a noise. For a million points it has a million shares and, in 320 bins, some hundred
    thousand moves, where a kernel would have a million rows of a million numbers.

    Args:
        lower: The least point, in the query's unit and on the answers' lattice.
        upper: The greatest point, in the query's unit and on the answers' lattice; at least `lower`.
        leaves: The probability that a point of each bin leaves, of shape (bins,).
        moves: Where those that leave go: probabilities of shape (bins, bins).
        shares: The probabilities of each bin's points, of shape (bins, points of the bin). The bins follow each other
            without gaps and are all the lattice points from lower to upper.
        scale: None, always: there is no scale to choose.

    Example:
        Randomised response on 0 and 1, which moves an answer one time in four:

        >>> noise = Relocation(lower=0, upper=1, leaves=[0.5], moves=[[1.0]], shares=[[0.5, 0.5]])
        >>> noise.error(Fraction(1)).mean_moves(np.array([0, 1])).tolist()
        [0.25, 0.25]
    """

    _instead: ClassVar[str] = "laplace, geometric or gaussian (or method optimal)"

    kind: Literal["relocation"] = "relocation"
    lower: Finite
    upper: Finite
    leaves: Annotated[tuple[Share, ...], Field(min_length=1)]
    moves: tuple[Probabilities, ...]
    shares: tuple[Probabilities, ...]

    @model_validator(mode="after")
    def _check(self) -> "Relocation":
        if self.scale is not None:
            raise ValueError("no scale beside kind = relocation")
        if self.lower > self.upper:
            raise ValueError(f"lower of at most upper (they are {self.lower:g} and {self.upper:g})")
        bins = len(self.leaves)
        for name, rows in (("moves", self.moves), ("shares", self.shares)):
            if len(rows) != bins:
                raise ValueError(f"a row of {name} for each of the {bins} bins of leaves (there are {len(rows)})")
        if any(len(row) != bins for row in self.moves):
            raise ValueError(f"{bins} probabilities in each row of moves, one per bin")
        return self

    @property
    def shape(self) -> Shape:
        return Shape(scaled=False, outcome="answer, kept or moved")

    def mechanism(self, lattice: Lattice) -> "RelocationMechanism":
        return RelocationMechanism(self, lattice)

    def error(self, step: Fraction) -> "RelocationError":
        return RelocationError(self, step)

    @cached_property
    def law(self) -> Moves:
        """The mechanism on points counted from lower."""
        first = np.cumsum([0, *(len(row) for row in self.shares[:-1])])
        return Moves(first, np.array(self.leaves), np.array(self.moves), np.concatenate(self.shares))

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """Bounds the worst log-ratio: infinite, as some outputs come from few answers alone; 0 where all answers
        have the same outputs.

        Args:
            distances: The most that each coordinate moves, in the query's unit, one number for each coordinate.

        Returns:
            inf or 0, in nats.
        """
        constant = self.lower == self.upper or self.law.leaving_for.constant
        return inf if any(distances) and not constant else 0.0

    @property
    def words(self) -> str:
        low, high = Figure(f"{self.lower:g}"), Figure(f"{self.upper:g}")
        return said("moves_within", low=low, high=high, count=len(self.leaves))

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        """Draws one release, exactly: every probability is a multiple of a power of 1/2, so that whole numbers decide.

        Args:
            answer: The exact answer, one whole number of lattice steps for each coordinate.
            lattice: The lattice of the answers.

        Returns:
            One number for each coordinate, in the query's unit.

        Raises:
            InputError: An end is off the lattice, or the shares do not fill the range.
        """
        drawn = []
        for index, step in zip(answer, lattice.steps, strict=True):
            low, high = self.ends(step)
            point = min(max(int(index), low), high) - low
            drawn.append((low + self._drawn(point)) * step)
        return tuple(drawn)

    def _drawn(self, point: int) -> int:
        """Draws where a point goes, both counted from lower.

        It draws whether the point leaves, then for which bin, then for which point.
        """
        law = self.law
        home = int(law.bin_of[point])
        leave = Fraction(self.leaves[home])
        if drawn_place([leave, 1 - leave]) == 1:
            return point
        away = drawn_place(list(map(Fraction, self.moves[home])))
        return int(law.first[away]) + drawn_place(list(map(Fraction, self.shares[away])))

    def ends(self, step: Fraction) -> tuple[int, int]:
        """Returns the two ends as lattice indices.

        Args:
            step: The lattice's step, in the query's unit.

        Raises:
            InputError: An end is off the lattice, or the shares do not fill the range between them.
        """
        low, high = end_index("lower", self.lower, step), end_index("upper", self.upper, step)
        points = len(self.law.shares)
        if high - low + 1 != points:
            raise InputError("noise.shares", f"{points} points", f"the {high - low + 1} from lower to upper")
        return low, high


@final
@dataclass(frozen=True)
class RelocationMechanism(FiniteMechanism):
    """Mechanism that sends every coordinate through the same moves."""

    noise: Relocation

    def likelihood(self, law: Law) -> Law:
        """Clamps the law to the ends axis by axis, then sends it through the moves.

        All mass beyond an end is merged into the end.
        """
        for axis, step in enumerate(self.lattice.steps):
            low, high = self.noise.ends(step)
            law = without_floor(tails_merged(covering(law, low, high, axis), low, high, axis, 0.0))
            law = _relocated(law, axis, self.noise.law)
        return Law(law.start, law.base, law.relative, law.error + _SUMS * len(self.lattice.steps))

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        """Returns the loss of `neighbours` in nats; beyond either end all answers are that end."""
        most = self.noise.privacy_loss(neighbours.reach)
        return of_pairs(neighbours, self.lattice, self._pair_loss, most, self.noise.ends)

    def alike_beyond(self, extent: tuple[int, int]) -> tuple[int, int] | None:
        """Returns the ends, to which the answer is clamped first, whatever its `extent`."""
        return self.noise.ends(self.lattice.steps[0])

    def leaves_exact(self, answers: Sums | None) -> bool:
        """Says whether one of the `answers` that can occur has one output for certain; None: any answer can."""
        low, high = self.noise.ends(self.lattice.steps[0])
        there = None if answers is None else sums_within(answers, low, high)
        # If answers are not listed, any point between the ends may be one.
        if low == high or answers is None or there is None:
            return low < high and bool(self.noise.law.sure.any())
        ends = np.clip([int(answers[0]), int(answers[-1])], low, high)
        return bool(self.noise.law.sure[self.noise.law.bin_of[np.append(there, ends) - low]].any())

    def _pair_loss(self, pairs: IntArray, step: Fraction) -> Enclosure:
        low, high = self.noise.ends(step)
        places = np.unique(np.clip(pairs, low, high) - low, axis=0)
        return worst_of_pairs(self.noise.law.leaving_for, places[places[:, 0] != places[:, 1]])


@final
@dataclass(frozen=True)
class RelocationError(ErrorLaw):
    """The distance of a relocated output from its answer, on a lattice of that step, which has the ends."""

    noise: Relocation
    step: Fraction

    def interval(self, output: Fraction | str, confidence: float) -> Enclosure | None:
        """Returns the answers that a test of `output` at this `confidence` leaves; open beyond an end of the range."""
        rest = missed(confidence)
        low, high = self.noise.ends(self.step)
        # Because a number off the lattice or beyond the ends is no output of this noise.
        if isinstance(output, str) or (output / self.step).denominator != 1 or not low <= output / self.step <= high:
            return None
        at_most, at_least = self.noise.law.tails(int(output / self.step) - low)
        left = accepted(at_most, at_least, rest, (8 * len(at_most) + 64) * UNIT)
        lower, upper = rounded_outward((low + int(left[0])) * self.step, (low + int(left[-1])) * self.step)
        return Enclosure(lower if left[0] > 0 else -inf, upper if left[-1] < high - low else inf)

    def beyond(self, distance: Fraction, answers: Sums | None) -> Enclosure | None:
        """Bounds how likely one of the `answers` leaves its place, at whatever `distance`.

        It is sure where an answer may lie beyond the ends, which it is moved to.
        """
        low, high = self.noise.ends(self.step)
        known = None if answers is None else sums_within(answers, low, high)
        # Because an answer beyond the ends may be any distance away from them, and is moved to one for certain.
        if answers is None or known is None or len(known) < len(answers):
            return Enclosure(-inf, 0.0)
        return Enclosure(
            -inf, largest_chance(self.noise.law.leaves[self.noise.law.bin_of[known - low]], 8 * UNIT).upper
        )

    def mean_moves(self, indices: IntArray) -> Array:
        """Returns E|output - answer| given each of these answers, `indices`, both in lattice steps."""
        low, high = self.noise.ends(self.step)
        points = np.arange(low, high + 1, dtype=np.float64)
        inside = np.clip(indices, low, high)
        # Because beyond an end every output lies on one side, clamping adds the way to that end.
        return np.asarray(self.noise.law.mean_moves(points)[inside - low] + np.abs(indices - inside))
