"""The sparse mechanism: most answers go out as they are, the others move from their bin to another (Theory §8)."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import fsum, inf
from typing import Annotated, ClassVar, Final, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.bounds import UNIT, Enclosure
from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, IntArray, Law, without_floor
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sumsets import Sums, within
from dalenius.noise.finite import FiniteNoise
from dalenius.noise.intervals import SURE, accepted, listed, missed, outward, whole_steps, worst_of
from dalenius.noise.sampling import drawn_place
from dalenius.noise.scaled import NOTHING, of_logs, of_pairs
from dalenius.optimum.clamped_noise import end_index
from dalenius.optimum.clamping import covering, tails_merged
from dalenius.optimum.relocation_law import Moves, relocated
from dalenius.schema import Finite, Probabilities, Probability

SUMS: Final = 16 * UNIT
"""Rows and shares sum to 1 to 2^-52, what is drawn is each over its sum, and 1 - leaves is rounded once."""

Share = Annotated[Probability, Field(ge=0, le=1)]


@final
class Relocation(FiniteNoise):
    """An answer is clamped to lower..upper; with the probability that its bin states it leaves: to a bin,
    chosen by its own bin's row of `moves`, and there to a point, chosen by that bin's `shares`. Else it stays as it is.

    leaves (bins,); moves (bins, bins); shares (bins, points of the bin): probabilities. The bins follow each other
    without gaps and are all the lattice points from lower to upper, in the query's unit. No scale; every coordinate of
    the answer goes through it independently. A kernel of a million answers takes a few thousand numbers.
    """

    instead: ClassVar[str] = "laplace, geometric or gaussian (or method optimal)"

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

    @cached_property
    def law(self) -> Moves:
        """The mechanism on points counted from lower."""
        first = np.cumsum([0, *(len(row) for row in self.shares[:-1])])
        return Moves(first, np.array(self.leaves), np.array(self.moves), np.concatenate(self.shares))

    def likelihood(self, law: Law, lattice: Lattice) -> Law:
        for axis, step in enumerate(lattice.steps):
            low, high = self._ends(step)
            law = without_floor(tails_merged(covering(law, low, high, axis), low, high, axis, 0.0))
            law = relocated(law, axis, self.law)
        return Law(law.start, law.base, law.relative, law.error + SUMS * len(lattice.steps))

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """For answers anywhere: at most the largest loss between two bins within that distance, or within one bin."""
        return fsum(of_logs(self._loss(distance), self.law.deepest).upper for distance in distances if distance)

    def neighbour_loss(self, neighbours: Neighbours, lattice: Lattice) -> Enclosure:
        return of_pairs(neighbours, lattice, self._pair_loss, self.privacy_loss(neighbours.reach), self._ends)

    def alike_beyond(self, step: Fraction, extent: tuple[int, int]) -> tuple[int, int] | None:
        """Its ends: the answer is clamped to them first."""
        return self._ends(step)

    def leaves_exact(self, answers: Sums | None, step: Fraction) -> bool:
        low, high = self._ends(step)
        there = None if answers is None else within(answers, low, high)
        if answers is None or there is None:
            return self.law.reveals_surely(np.arange(high - low + 1))
        beyond = [end - low for end, out in ((low, answers[0] < low), (high, answers[-1] > high)) if out]
        return self.law.reveals_surely(np.unique(np.concatenate([there - low, np.array(beyond, dtype=np.int64)])))

    def interval(self, output: Fraction | str, confidence: float, step: Fraction) -> Enclosure | None:
        """From the least to the greatest of the answers that a test leaves; open beyond an end that is one of them."""
        rest = missed(confidence)
        low, high = self._ends(step)
        if isinstance(output, str) or (output / step).denominator != 1 or not low <= output / step <= high:
            return None
        at_most, at_least = self.law.tails(int(output / step) - low)
        left = accepted(at_most, at_least, rest, (8 * len(at_most) + 64) * UNIT)
        lower, upper = outward((low + int(left[0])) * step, (low + int(left[-1])) * step)
        return Enclosure(lower if left[0] > 0 else -inf, upper if left[-1] < high - low else inf)

    def beyond(self, distance: Fraction, step: Fraction, answers: Sums | None) -> Enclosure | None:
        """Of answers anywhere: far beyond an end every output is that far away."""
        known, far = listed(answers), whole_steps(distance, step)
        if known is None:
            return SURE
        low, high = self._ends(step)
        inside = np.clip(known, low, high) - low
        return worst_of(self.law.beyond(inside, known - low, far), (4 * len(self.law.shares) + 64) * UNIT)

    @property
    def outcome(self) -> str:
        return "answer, kept or moved"

    @property
    def words(self) -> str:
        return f"moves within {self.lower:g} .. {self.upper:g}, by {len(self.leaves)} bins (--json has them)"

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        """Exact: every probability is a multiple of a power of 1/2, so that whole numbers decide."""
        drawn = []
        for index, step in zip(answer, lattice.steps, strict=True):
            low, high = self._ends(step)
            point = min(max(int(index), low), high) - low
            drawn.append((low + self._drawn(point)) * step)
        return tuple(drawn)

    def mean_moves(self, indices: IntArray, step: Fraction) -> Array:
        """E|output - answer| given each of these answers, both in lattice steps."""
        low, high = self._ends(step)
        points = np.arange(low, high + 1, dtype=np.float64)
        inside = np.clip(indices, low, high)
        # Beyond an end every output lies on one side: what clamping adds is the way to that end.
        return np.asarray(self.law.mean_moves(points)[inside - low] + np.abs(indices - inside))

    def _drawn(self, point: int) -> int:
        law = self.law
        home = int(law.bin_of[point])
        leave = Fraction(self.leaves[home])
        if drawn_place([leave, 1 - leave]) == 1:
            return point
        away = drawn_place(list(map(Fraction, self.moves[home])))
        return int(law.first[away]) + drawn_place(list(map(Fraction, self.shares[away])))

    def _ends(self, step: Fraction) -> tuple[int, int]:
        """The ends as lattice indices. InputError where they are off the lattice, or the shares do not fill them."""
        low, high = end_index("lower", self.lower, step), end_index("upper", self.upper, step)
        points = len(self.law.shares)
        if high - low + 1 != points:
            raise InputError("noise.shares", f"{points} points", f"the {high - low + 1} from lower to upper")
        return low, high

    @cached_property
    def _losses(self) -> dict[Fraction, float]:
        """Those found: groups of equally many people ask for the same."""
        return {}

    def _loss(self, distance: Fraction) -> float:
        if distance not in self._losses:
            self._losses[distance] = self._loss_within(distance)
        return self._losses[distance]

    def _loss_within(self, distance: Fraction) -> float:
        step = (Fraction(str(self.upper)) - Fraction(str(self.lower))) / max(len(self.law.shares) - 1, 1)
        within = distance + distance / 10**12  # an end like 5/6 is written to a double's digits only
        edges = self.law.edges
        worst = 0.0
        for one, (_, stop) in enumerate(edges):
            for other in range(one, len(edges)):
                if (edges[other][0] - stop + 1) * step > within:
                    break
                worst = max(worst, self.law.loss_by_bins(one, other))
        return worst

    def _pair_loss(self, pairs: IntArray, step: Fraction) -> Enclosure:
        low, high = self._ends(step)
        points = np.unique(np.clip(pairs, low, high) - low, axis=0)
        points = points[points[:, 0] != points[:, 1]]
        return of_logs(self.law.loss_by_points(points), self.law.deepest) if len(points) else NOTHING
