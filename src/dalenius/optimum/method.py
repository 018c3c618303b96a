"""The method of least expected error over all mechanisms that keep the promise (Theory §8).

Take twelve households of four, ill as [0.9, 0.04, 0, 0, 0.06], and ε = 1. The expected error of the count is 0.488839
with the kernel for `absolute`, the mean square 3.010710 with that for `squared`, and the largest mean error of an
answer 0.842424 with that for `worst`; no mechanism is more than 2e-6 below any of these. The exact count of 500
households says nearly little enough by itself: 320 bins err by 7.19e-6, and no mechanism by less than 7.15e-6.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, final, get_args

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.calibration.method_base import Calibration, Kept, Method, Optimum, promised
from dalenius.channel import Release
from dalenius.errors import InputError, TooLarge
from dalenius.noise import Kernel, Noise, NoNoise
from dalenius.notions import Notion
from dalenius.optimum.answer_laws import AnswerLaws
from dalenius.optimum.bins import Binned, binned, merged, retained, spread
from dalenius.optimum.clamped_method import confirmed, nothing_needed
from dalenius.optimum.constraint_generation import objective_of, repaired, settled
from dalenius.optimum.laws_of_release import check_law, laws_of
from dalenius.optimum.limits import DENSE, MOST_ANSWERS, MOST_BINNED_POINTS, MOST_KERNEL_CELLS
from dalenius.optimum.program import (
    FAINTEST_MASS,
    Objective,
    Program,
    as_constraint,
    geometric_rows,
    nearest_place,
    neighbours_of,
    program_of,
    promise_of,
    with_neighbours,
)
from dalenius.optimum.relocation_noise import Moves, Relocation

_MARGINS: Final = (1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)
"""The relative margins below epsilon that the kernel keeps, for the roundings that an audit must count."""
# How many bins are tried, one after the other.
BINS: Final = (160, 320)


@final
@dataclass(frozen=True)
class _Mechanism:
    """A noise that keeps the promise, as far as doubles say before its audit.

    Attributes:
        noise: The noise.
        first: The lattice index below which answers are clamped.
        last: The lattice index above which they are.
        squares: Returns E|output - answer|² given each of some answers, in squares of lattice steps; None unless the
            objective is `squared`.
    """

    noise: Noise
    first: int
    last: int
    squares: Callable[[IntArray], Array] | None = None


@final
@dataclass(frozen=True)
class OptimalMethod(Method):
    """The method of a linear program over all kernels, whose solution is made feasible, then audited.

    It is made feasible by mixing with outputs that do not depend on the answer. Several promises are constraints of one
    program; those to adversaries who know others' records are refused. No mechanism, additive or not, has an error
    below `lower_bound` (the program's dual).

    objective: `absolute`, E|output - answer|; `squared`, its square, among outputs on the answers' lattice; `worst`,
    the largest E|output - answer| over the true answer. With several models (`any`) all must keep the promise, and the
    largest expected error is minimised; sets of laws, of probabilities that are intervals, are refused. A constant
    output is always feasible, so there always is an optimum.

    Beyond some hundreds of likely answers those of a bin leave it with the same probability, and each output's share of
    the arrivals is set so that it keeps the promise (see `optimum.bins`): a `relocation`, not quite the optimum; the
    dual bound, of the whole program, limits the gap. This is for absolute errors only.
    """

    objective: Objective = "absolute"

    name: ClassVar[str] = "optimal"
    reads_channel: ClassVar[bool] = True

    def with_objective(self, objective: str) -> "OptimalMethod":
        for known in get_args(Objective):
            if objective == known:
                return OptimalMethod(known)
        raise InputError("objective", objective, f"one of {', '.join(get_args(Objective))}")

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        return self.calibrate_all(release, [notion])

    def calibrate_all(self, release: Release, notions: Sequence[Notion]) -> Calibration:
        """Returns the noise for `release`, with all `notions` as constraints of one program; it is audited first."""
        constrained = [as_constraint(release, notion) for notion in notions]
        for notion in constrained:
            promise_of(notion)
        check_law(release)
        bare = [notion.leakage(release.with_noise(NoNoise())) for notion in notions]
        laws = laws_of(release)
        # Nobody has a secret that the query reads, or the exact answer says little enough: it goes out.
        if laws is None or all(each.upper <= promised(notion) for each, notion in zip(bare, notions, strict=True)):
            return nothing_needed(self.name, notions, bare, Optimum(0.0, self.objective, 0.0))
        every = laws
        # Counts of tens of thousands: only the likely answers enter the program, the others are clamped to them.
        if laws.count > MOST_ANSWERS or not laws.complete:
            every, laws = laws.unconditional, laws.likely  # all laws twice would be the most that is there at once
        full = program_of(laws, constrained, self.objective)
        if not laws.complete:  # long, and all in the program from here on
            laws = laws.unconditional
        make, bound = self._mechanism(release, laws, full, constrained)
        del full  # what is made from here on is as large

        def noise_of(margin: float) -> tuple[Noise, _Mechanism]:
            made = make(margin)
            return made.noise, made

        _, made, kept = confirmed(release, notions, laws.affordable(_MARGINS, notions), noise_of)
        return self._found(every, made, kept, bound)

    def _mechanism(
        self, release: Release, laws: AnswerLaws, full: Program, notions: Sequence[Notion]
    ) -> tuple[Callable[[float], _Mechanism], float]:
        """Returns the mechanism as a function of its relative margin below epsilon, and the dual bound.

        The bound is in lattice steps or, for squared errors, in squares of them. TooLarge where neither a kernel nor
        bins are for such a program.
        """
        answers = retained(full)
        rivals = [promised(notion) for notion in notions if notion.properties.linear == "neighbours"]
        points = int(answers[-1] - answers[0]) + 1
        rows, outputs = laws.count if laws.complete else points, points if self.objective == "squared" else len(answers)
        exceeded = MOST_ANSWERS if rows > MOST_ANSWERS else None
        exceeded = MOST_KERNEL_CELLS if exceeded is None and rows * outputs > MOST_KERNEL_CELLS else exceeded
        # The demands of the largest error, or of another's answers, on answers beyond the laws are not known.
        fits = exceeded is None and (laws.complete or (self.objective != "worst" and not rivals))
        # Beyond some thousands of people: bins are for absolute errors alone.
        if self.objective != "absolute" and not fits:
            what = f"the optimal kernel for {self.objective} errors"
            raise TooLarge(what, f"{laws.count:,} answers", "use objective absolute, or method clamped", exceeded)
        # A few hundred likely answers, or an objective that bins are not for: a kernel with a row for each.
        if fits and (len(answers) <= DENSE or self.objective != "absolute"):
            fewer = merged(full)
            pairs = neighbours_of(release, laws) if rivals else None
            if pairs is not None:
                full, fewer = with_neighbours(full, fewer, pairs, min(rivals))
            kernel, bound = settled(laws, full, fewer)
            return lambda margin: _kernel(laws, fewer, kernel, pairs, margin), bound
        # Differential privacy of thousands of answers binds every row to the next: bins would break it.
        if rivals:
            size = f"{len(answers):,} likely answers under differential privacy"
            raise TooLarge("the optimal kernel", size, "use method clamped or exact", exceeded or DENSE)
        return _by_bins(laws, full)

    def _found(self, laws: AnswerLaws, made: _Mechanism, kept: tuple[Kept, ...], bound: float) -> Calibration:
        """Returns the calibration, with the mechanism's errors by answer and on average, never below the bound."""
        answers, step = laws.start + np.arange(laws.count), laws.lattice.steps[0]
        absolute = made.noise.error(step).mean_moves(answers) * laws.step
        errors = absolute if made.squares is None else made.squares(answers) * laws.step**2
        possible = np.max(laws.models, axis=0) > -np.inf
        power = 2 if self.objective == "squared" else 1
        expected = float(np.max(np.exp(laws.models) @ absolute)) + laws.beyond(1) * laws.step
        means = np.exp(laws.models) @ errors + laws.beyond(power) * laws.step**power
        reached = float(np.max(errors[possible]) if self.objective == "worst" else np.max(means))
        open_ = np.flatnonzero(possible & (made.first <= answers) & (answers <= made.last))
        errors_by_answer = dict(zip(_values(laws, answers[open_]), absolute[open_].tolist(), strict=True))
        optimum = Optimum(min(bound * laws.step**power, reached), self.objective, reached, errors_by_answer)
        why = "the linear program's solution was audited, and no mechanism's error is below the dual bound"
        details = optimum.as_json()
        leakage = kept[0].leakage
        return Calibration(
            self.name, True, why, made.noise, expected, leakage, details, solved=True, optimum=optimum, promises=kept
        )


def _kernel(laws: AnswerLaws, fewer: Program, found: Array, pairs: IntArray | None, margin: float) -> _Mechanism:
    """Returns a mechanism with a row for every lattice point of the answers' range; impossible ones have a neighbour's.

    Where there are answers beyond the laws, all are clamped to the likely ones, each a bin of its own.
    """
    program = fewer.tightened(margin)
    stay = np.equal.outer(program.answers, program.outputs).astype(np.float64)
    always = np.zeros_like(stay)
    always[:, np.argmax(program.mass @ stay)] = 1.0  # a constant output leaks nothing: no mixing is needed
    # Differential privacy beside the promise: geometric noise is at hand where the solver comes out imprecise.
    plain = [] if pairs is None or not len(pairs) else [geometric_rows(program, pairs, margin)]
    candidates = [repaired(program, each) for each in (found, stay, always, *plain)]
    matrix = min(candidates, key=lambda kernel: objective_of(program, kernel))
    if pairs is not None:
        matrix = (
            matrix + FAINTEST_MASS
        )  # a probability that underflows beside one that does not would be a broken promise
    points = laws.start + np.arange(laws.count)
    points = points if laws.complete else np.arange(program.answers[0], program.answers[-1] + 1)
    rows = matrix[nearest_place(program.answers, points)]

    def squares(answers: IntArray) -> Array:
        own = rows[np.clip(answers, points[0], points[-1]).astype(np.int64) - int(points[0])]
        return np.asarray(np.sum(own * program.distances(answers[:, None], program.outputs), axis=1))

    if laws.complete:
        kept = tuple(tuple(row) for row in rows.tolist())
        noise: Noise = Kernel(answers=_values(laws, points), outputs=_values(laws, program.outputs), probabilities=kept)
    else:
        moves = np.zeros((len(points), len(points)))
        moves[:, (program.outputs - points[0]).astype(np.int64)] = rows
        ones = np.ones(len(points))
        noise = _relocating(laws, points, Moves(np.arange(len(points)), ones, moves, ones))
    return _Mechanism(noise, int(points[0]), int(points[-1]), squares if program.power == 2 else None)


def _relocating(laws: AnswerLaws, points: IntArray, moves: Moves) -> Relocation:
    """Returns the noise that sends these consecutive points (points,) through `moves`; others are clamped.

    The points of `moves` are counted from the first of them.
    """
    lower, upper = _values(laws, points[[0, -1]])
    return Relocation(
        lower=lower,
        upper=upper,
        leaves=tuple(moves.leaves.tolist()),
        moves=tuple(tuple(row) for row in moves.bins.tolist()),
        shares=tuple(tuple(part.tolist()) for part in np.split(moves.shares, moves.first[1:])),
    )


def _by_bins(laws: AnswerLaws, full: Program) -> tuple[Callable[[float], _Mechanism], float]:
    """Returns the finest of the bins tried, or the first that comes near the bound."""
    bound = 0.0
    for count in BINS:
        bins = binned(full, count)
        if (points := int(bins.fine.answers[-1] - bins.fine.answers[0]) + 1) > MOST_BINNED_POINTS:
            size = f"{points:,} likely answers"
            raise TooLarge("the optimal kernel", size, "use method clamped", MOST_BINNED_POINTS)
        kernel, own = settled(laws, full, bins.coarse)
        bound = max(bound, own)
        # Coarse bins are near enough: finer ones would take longer for two thousandths of the error at most.
        if objective_of(bins.coarse, kernel) <= bound * (1 + 2e-3):
            break
    return lambda margin: _relocation(laws, bins, kernel, margin), bound


def _relocation(laws: AnswerLaws, bins: Binned, found: Array, margin: float) -> _Mechanism:
    """Returns the bins' kernel with a margin below epsilon, spread over all answers between the likely ends."""
    tighter = Binned(bins.fine.tightened(margin), bins.first, bins.coarse.tightened(margin))
    moves = spread(tighter, repaired(tighter.coarse, found))
    answers = bins.fine.answers.astype(np.int64)
    points = np.arange(answers[0], answers[-1] + 1)
    shares = np.zeros(len(points))
    shares[answers - points[0]] = moves.shares  # lattice points that cannot be the answer are no outputs
    first = (answers - points[0])[moves.first]
    noise = _relocating(laws, points, replace(moves, first=first, shares=shares))
    return _Mechanism(noise, int(points[0]), int(points[-1]))


def _values(laws: AnswerLaws, points: IntArray | Array) -> tuple[int | float, ...]:
    """Returns lattice indices in the query's unit: whole numbers stay whole."""
    step = laws.lattice.steps[0]
    # Counts and sums of whole numbers; a mean, say, has answers between them.
    if step.denominator == 1:
        return tuple((np.rint(points).astype(np.int64) * step.numerator).tolist())
    exact = (int(point) * step for point in points)
    return tuple(int(value) if value.denominator == 1 else float(value) for value in exact)
