"""The least error over all mechanisms as a linear program (Theory §8).

A mechanism is a kernel K(r | v) >= 0 from exact answers to outputs. Its unknowns here are the flows mass(v)·K(r | v),
r ≠ v, away from the mechanism that releases every answer as it is: of the size of the mass that has to move, however
small. Outputs beyond the answers' range never help: merging them into its ends is post-processing and shortens every
move. Nor do outputs between two possible answers, where the error is |r - v|: drawn at random to the two neighbours so
that the mean stays, they cost the same, since |r - v| is linear between neighbours for every possible v.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log
from typing import Final, Literal, final

import numpy as np

from dalenius.calibration.optimal.answer_laws import AnswerLaws, PersonLaws
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.notions import Notion

Objective = Literal["absolute", "squared", "worst"]
FAINTEST: Final = 1e-280
"""Answers less likely than this share their neighbour's row."""
RAREST: Final = 1e-290
"""Times e^epsilon: the mass by which less likely answers are scaled, so that their coefficients are doubles."""
MOST_EPSILON: Final = 300.0
NEGLIGIBLE: Final = 1e-13
"""Relative to the mass that has to move."""
SMALL: Final = 1e-3
"""An optimum this far below the mass that has to move is solved in units of its own."""


@final
@dataclass(frozen=True)
class Program:
    """Over the answers v and outputs r, both lattice indices in ascending order.

    mass (answers,): their probability, the largest any model gives, or `rarest` where that is less; excess
    (constraints, answers): each output must satisfy sum_v mass(v) K(r | v) excess(c, v) <= 0, or the positive parts sum
    to at most delta over the outputs;
    sizes: `excess` is a difference of two terms, this is their sum; whose (constraints,): the person each is about.
    weights (objectives, answers), limits (objectives,): the least t is sought with
    sum_v mass(v) weights(m, v) sum_r K(r | v) |r - v|^power <= t·limits(m); weights None: an objective per answer.
    """

    answers: IntArray | Array
    outputs: IntArray | Array
    mass: Array
    excess: Array
    sizes: Array
    whose: IntArray
    delta: float
    weights: Array | None
    power: int
    rarest: float = RAREST

    @property
    def violation(self) -> Array:
        """By how much each answer, released as it is, violates each constraint (constraints, answers)."""
        return np.maximum(self.mass * self.excess, 0.0)

    @property
    def constant(self) -> float:
        """A bound on the objective of always releasing the likeliest answer: where one is almost certain, small next to
        the mass that violates the promise, which is counted given secrets. Infinite for the worst case."""
        if self.weights is None:
            return inf
        apart = self.distances(self.answers, self.answers[np.argmax(self.mass)])
        return float(np.max((self.mass * self.weights) @ apart))

    def about(self, people: Sequence[int]) -> "Program":
        """Only their constraints."""
        theirs = np.isin(self.whose, people)
        return replace(self, excess=self.excess[theirs], sizes=self.sizes[theirs], whose=self.whose[theirs])

    def distances(self, answers: IntArray | Array, outputs: IntArray | Array) -> Array:
        """|r - v|^power, in lattice steps."""
        return np.asarray(np.abs(answers - outputs).astype(np.float64) ** self.power)

    def tightened(self, epsilon: float, margin: float) -> "Program":
        """Its constraints with epsilon and delta both smaller by that relative margin."""
        # W(r|s) - e^ε W(r|s′) = excess, their sum is sizes.
        more, less = (self.sizes + self.excess) / 2, (self.sizes - self.excess) / 2
        return replace(self, excess=more - less * np.exp(-epsilon * margin), delta=self.delta * (1 - margin))


def program_of(laws: AnswerLaws, notion: Notion, objective: Objective) -> Program:
    """Over all answers that can occur. InputError for a notion that is not linear in the mechanism, and for an epsilon
    whose exponential nearly overflows."""
    epsilon, delta = promise_of(notion)
    if epsilon > MOST_EPSILON:
        raise InputError("notion.epsilon", epsilon, f"at most {MOST_EPSILON:g} nats with this method (or method exact)")
    most_likely = np.max(laws.models, axis=0)
    rarest = RAREST * exp(epsilon)
    log_mass, possible = np.maximum(most_likely, log(rarest)), np.flatnonzero(most_likely > -inf)
    sides = [pair for each in laws.each for pair in _sides(each, notion, epsilon, log_mass)]
    most, least = np.array(sides).reshape(-1, 2, laws.count)[:, :, possible].swapaxes(0, 1)
    _, first = np.unique(np.round(most - least, 14), axis=0, return_index=True)  # people with identical constraints
    first = np.sort(first)
    excess, sizes = (most - least)[first], (most + least)[first]
    whose = np.array([each.person for each in laws.each for _ in _sides(each, notion, epsilon, log_mass)])[first]
    weights = None if objective == "worst" else np.exp(laws.models - log_mass)[:, possible]
    answers = laws.start + possible
    outputs = laws.start + np.arange(laws.count) if objective == "squared" else answers
    power = 2 if objective == "squared" else 1
    return Program(answers, outputs, np.exp(log_mass[possible]), excess, sizes, whose, delta, weights, power, rarest)


def promise_of(notion: Notion) -> tuple[float, float]:
    """epsilon and delta. InputError for a notion that is not linear in the mechanism."""
    if notion.linear is None:
        raise InputError("notion.kind", notion.kind, "inferential or information")
    if notion.epsilon is None:
        raise InputError("notion.epsilon", "missing", "a finite number above 0")
    return notion.epsilon, notion.promised_delta or 0.0


def _sides(subject: PersonLaws, notion: Notion, epsilon: float, log_mass: Array) -> Iterator[tuple[Array, Array]]:
    """W(r|s) / mass and e^ε W(r|s′) / mass (or e^ε W(r) / mass) of every answer released as it is."""
    for own, other in subject.against(average=notion.linear == "average"):
        yield np.exp(own - log_mass), exp(epsilon) * np.exp(other - log_mass)
