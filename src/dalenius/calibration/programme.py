"""The least error over all mechanisms as a linear programme (THEORY §8).

A mechanism is a kernel K(r | v) >= 0 from exact answers to outputs. Its unknowns here are the flows mass(v)·K(r | v),
r ≠ v, away from the mechanism that releases every answer as it is: of the size of what has to move, however unlikely
that is. Outputs beyond the answers' range never help: merging them into its ends is post-processing and shortens every
move. Nor do outputs between two possible answers, where the error is |r - v|: drawn at random to the two neighbours so
that the mean stays, they cost the same, since |r - v| is linear between neighbours for every possible v.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, inf
from typing import Final, Literal, final

import numpy as np

from dalenius.calibration.answer_laws import AnswerLaws, PersonLaws
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.notions import InferentialPrivacy, InformationPrivacy, Notion

Objective = Literal["absolute", "squared", "worst"]
FAINTEST: Final = 1e-280
"""Answers less likely than this share their neighbour's row."""
NEGLIGIBLE: Final = 1e-13
"""Next to all that has to move."""


@final
@dataclass(frozen=True)
class Programme:
    """Over the answers v and outputs r, both lattice indices in ascending order.

    mass (answers,): their probability, the largest any model gives; tells (constraints, answers): each output must
    satisfy sum_v mass(v) K(r | v) tells(c, v) <= 0, or the positive parts sum to at most delta over the outputs;
    sizes: the sums of which those are the differences; whose (constraints,): about which person each is.
    weights (objectives, answers), limits (objectives,): the least t is sought with
    sum_v mass(v) weights(m, v) sum_r K(r | v) |r - v|^power <= t·limits(m); weights None: an objective per answer.
    """

    answers: IntArray | Array
    outputs: IntArray | Array
    mass: Array
    tells: Array
    sizes: Array
    whose: IntArray
    delta: float
    weights: Array | None
    power: int

    @property
    def excess(self) -> Array:
        """By how much each answer, released as it is, breaks each constraint (constraints, answers)."""
        return np.maximum(self.mass * self.tells, 0.0)

    def about(self, people: Sequence[int]) -> "Programme":
        """Only their constraints."""
        theirs = np.isin(self.whose, people)
        return replace(self, tells=self.tells[theirs], sizes=self.sizes[theirs], whose=self.whose[theirs])

    def distances(self, answers: IntArray | Array, outputs: IntArray | Array) -> Array:
        """|r - v|^power, in lattice steps."""
        return np.asarray(np.abs(answers - outputs).astype(np.float64) ** self.power)

    def tightened(self, epsilon: float, margin: float) -> "Programme":
        """Its constraints for an epsilon smaller by that share of it, and a delta smaller by that share too."""
        # W(r|s) - e^ε W(r|s′) = tells, their sum is sizes.
        more, less = (self.sizes + self.tells) / 2, (self.sizes - self.tells) / 2
        return replace(self, tells=more - less * np.exp(-epsilon * margin), delta=self.delta * (1 - margin))


def programme_of(laws: AnswerLaws, notion: Notion, objective: Objective) -> Programme:
    """Over all answers that can occur. InputError for a notion that is not linear in the mechanism."""
    epsilon, delta = promise_of(notion)
    log_mass = np.max(laws.models, axis=0)
    mass, possible = np.exp(log_mass), np.flatnonzero(log_mass > -inf)
    sides = [pair for each in laws.each for pair in _sides(each, notion, epsilon, log_mass)]
    most, least = np.array(sides).reshape(-1, 2, laws.count)[:, :, possible].swapaxes(0, 1)
    _, first = np.unique(np.round(most - least, 14), axis=0, return_index=True)  # classes of people who are told alike
    first = np.sort(first)
    tells, sizes = (most - least)[first], (most + least)[first]
    whose = np.array([each.person for each in laws.each for _ in _sides(each, notion, epsilon, log_mass)])[first]
    weights = None if objective == "worst" else _weights(laws.models)[:, possible]
    answers = laws.start + possible
    outputs = laws.start + np.arange(laws.count) if objective == "squared" else answers
    power = 2 if objective == "squared" else 1
    return Programme(answers, outputs, mass[possible], tells, sizes, whose, delta, weights, power)


def promise_of(notion: Notion) -> tuple[float, float]:
    """epsilon and delta. InputError for other notions than inferential and information privacy, which are linear."""
    if not isinstance(notion, InferentialPrivacy | InformationPrivacy):
        raise InputError("notion.kind", notion.kind, "inferential or information")
    if notion.epsilon is None:
        raise InputError("notion.epsilon", "missing", "a finite number above 0")
    return notion.epsilon, notion.delta if isinstance(notion, InferentialPrivacy) else 0.0


def _sides(subject: PersonLaws, notion: Notion, epsilon: float, log_mass: Array) -> Iterator[tuple[Array, Array]]:
    """W(r|s) / mass and e^ε W(r|s′) / mass (or e^ε W(r) / mass) of every answer released as it is."""
    ground = np.where(log_mass > -inf, log_mass, 0.0)
    shares = np.exp(subject.logs - ground)
    if isinstance(notion, InformationPrivacy):
        average = exp(epsilon) * np.exp(subject.mixture - ground)
        yield from ((share, average) for share in shares)
    else:
        yield from ((shares[one], exp(epsilon) * shares[other]) for one, other in subject.ordered_pairs())


def _weights(models: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nan_to_num(np.exp(models - np.max(models, axis=0)), nan=0.0))
