"""The least expected error over all mechanisms that keep the promise (THEORY §8)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar, Final, final

import numpy as np

from dalenius.calibration.answer_laws import AnswerLaws, laws_of
from dalenius.calibration.bounding import bound_by
from dalenius.calibration.method import Calibration, Method, promised
from dalenius.calibration.programme import Merged, Objective, merged, programme_of, promise_of
from dalenius.calibration.repair import achieved, repaired
from dalenius.calibration.solving import solved
from dalenius.channel import Release
from dalenius.errors import DaleniusError, TooLarge
from dalenius.laws.law import Array, IntArray
from dalenius.noise import Kernel, NoNoise
from dalenius.notions import Leakage, Notion

MARGINS: Final = (1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6)
"""By how much of epsilon the kernel stays below it, for the roundings that an audit must count."""
CLOSE: Final = 1e-4
MOST_PEOPLE: Final = 16
MOST_ANSWERS: Final = 20_000
MOST_ENTRIES: Final = 4_000_000


@final
@dataclass(frozen=True)
class OptimalMethod(Method):
    """A linear programme over all kernels, its solution mixed with a little of an output that says nothing so that the
    promise holds, then audited. No mechanism, additive or not, has an error below `lower_bound` (the programme's dual).

    objective: `absolute`, E|output - answer|; `squared`, its square, among outputs on the answers' lattice; `worst`,
    the largest E|output - answer| over the true answer. Of several models (`any`) all must keep the promise, and the
    largest of their expected errors is minimised. A constant output is always feasible, so there always is an optimum.
    """

    objective: Objective = "absolute"

    name: ClassVar[str] = "optimal"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = promised(notion)
        laws = laws_of(release)
        if laws is None:
            return self._nothing(notion.leakage(release.with_noise(NoNoise())))
        promise_of(notion)
        bare = notion.leakage(release.with_noise(NoNoise()))
        if bare.upper <= epsilon:
            return self._nothing(bare)
        if laws.count > MOST_ANSWERS:
            raise TooLarge("the optimal kernel", f"{laws.count:,} answers", "use method clamped")
        first = laws.each[0].person if bare.witness is None else bare.witness.person
        found = _settled(laws, notion, self.objective, first)
        for margin in MARGINS:
            noise = _kernel(laws, found, epsilon, margin)
            leakage = notion.leakage(release.with_noise(noise))
            if leakage.upper <= epsilon:
                return self._found(laws, noise, leakage, found.bound)
        raise DaleniusError(f"no audit confirms {epsilon:g} nats: the last shows {leakage.upper:g}")

    def _nothing(self, bare: Leakage) -> Calibration:
        why = "the exact answer already keeps the promise under this model"
        details = {"objective": self.objective, "achieved": 0.0, "lower_bound": 0.0}
        return Calibration(self.name, True, why, NoNoise(), 0.0, bare, details)

    def _found(self, laws: AnswerLaws, noise: Kernel, leakage: Leakage, bound: float) -> Calibration:
        absolute = _errors(noise, 1)
        errors = _errors(noise, 2) if self.objective == "squared" else absolute
        step = laws.step ** (2 if self.objective == "squared" else 1)
        possible = np.max(laws.models, axis=0) > -np.inf
        expected = float(np.max(np.exp(laws.models) @ absolute))
        means = np.exp(laws.models) @ errors
        reached = float(np.max(errors[possible]) if self.objective == "worst" else np.max(means))
        details: Mapping[str, Any] = {
            "objective": self.objective,
            "achieved": reached,
            "lower_bound": min(bound * step, reached),
            "error_given_answer": {noise.answers[i]: float(absolute[i]) for i in np.flatnonzero(possible)},
        }
        why = "the linear programme's solution was audited; no mechanism's error is below the dual bound"
        return Calibration(self.name, True, why, noise, expected, leakage, details)


@final
@dataclass(frozen=True)
class _Settled:
    """fewer: the programme of everybody's constraints; kernel: what the solver found; bound: in lattice steps."""

    fewer: Merged
    kernel: Array
    bound: float


def _settled(laws: AnswerLaws, notion: Notion, objective: Objective, first: int) -> _Settled:
    """Solved for some people's sake, repaired for everybody's; while that costs more than CLOSE, whoever is told most
    beyond the promise joins them. Fewer constraints bound the optimum all the same."""
    whole, epsilon = programme_of(laws, notion, objective), promised(notion)
    fewer = merged(whole)
    if (entries := laws.count * len(fewer.programme.outputs)) > MOST_ENTRIES:
        raise TooLarge("the optimal kernel", f"{laws.count:,} answers, {entries:,} entries", "use method clamped")
    people, best, least, bound = [first], None, inf, 0.0
    while len(people) <= MOST_PEOPLE:
        small = fewer.programme.about(people)
        try:
            solution = solved(small)
        except TooLarge:
            break
        bound = max(bound, bound_by(solution.prices, laws, whole.about(people), small, epsilon))
        cost = achieved(fewer.programme, repaired(fewer.programme, solution.kernel, epsilon))
        if cost < least:
            best, least = solution.kernel, cost
        over = np.sum(np.maximum((fewer.programme.mass * fewer.programme.tells) @ solution.kernel, 0.0), axis=1)
        over[np.isin(fewer.programme.whose, people)] = 0.0
        if least <= bound * (1 + CLOSE) or not np.any(over > 0):
            break
        people.append(int(fewer.programme.whose[np.argmax(over)]))
    if best is None:
        size = f"{len(fewer.programme.answers):,} answers, {len(small.tells):,} constraints on each output"
        raise TooLarge("the programme", size, "use method clamped")
    return _Settled(fewer, best, bound)


def _kernel(laws: AnswerLaws, found: _Settled, epsilon: float, margin: float) -> Kernel:
    """A row for every lattice point of the answers' range: one that cannot occur has its neighbour's."""
    fewer = found.fewer
    tighter = _tightened(fewer, epsilon, margin)
    stay = np.equal.outer(tighter.programme.answers, tighter.programme.outputs).astype(np.float64)
    candidates = [repaired(tighter.programme, each, epsilon * (1 - margin)) for each in (found.kernel, stay)]
    matrix = min(candidates, key=lambda kernel: achieved(tighter.programme, kernel))
    points = laws.start + np.arange(laws.count)
    edges = (fewer.programme.answers[1:] + fewer.programme.answers[:-1]) / 2
    rows = matrix[np.searchsorted(edges, points)]
    return Kernel(
        answers=_values(laws, points),
        outputs=_values(laws, fewer.programme.outputs),
        probabilities=tuple(tuple(row) for row in rows.tolist()),
    )


def _tightened(fewer: Merged, epsilon: float, margin: float) -> Merged:
    """The constraints of a slightly smaller epsilon, and a slightly smaller delta."""
    programme = fewer.programme
    # W(r|s) - e^ε W(r|s′) = tells, their sum is sizes.
    more, less = (programme.sizes + programme.tells) / 2, (programme.sizes - programme.tells) / 2
    tells = more - less * np.exp(-epsilon * margin)
    return replace(fewer, programme=replace(programme, tells=tells, delta=programme.delta * (1 - margin)))


def _values(laws: AnswerLaws, points: IntArray) -> tuple[int | float, ...]:
    step = laws.lattice.steps[0]
    exact = (int(point) * step for point in points)
    return tuple(int(value) if value.denominator == 1 else float(value) for value in exact)


def _errors(noise: Kernel, power: int) -> Array:
    """E|output - answer|^power given each answer of the kernel, in the query's unit."""
    outputs = np.array(noise.outputs, dtype=np.float64)
    apart = np.abs(outputs[None, :] - np.array(noise.answers)[:, None]) ** power
    return np.asarray(np.sum(np.array(noise.probabilities) * apart, axis=1))
