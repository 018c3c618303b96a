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

from dalenius.bounds import UNIT
from dalenius.calibration.answer_laws import AnswerLaws, PersonLaws
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.notions import InferentialPrivacy, InformationPrivacy, Notion

Objective = Literal["absolute", "squared", "worst"]
FAINTEST: Final = 1e-280
"""Answers less likely than this share their neighbour's row."""
NEGLIGIBLE: Final = 1e-13
"""Next to all that has to move."""
CHUNK: Final = 4_000_000


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

    answers: IntArray
    outputs: IntArray
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

    def distances(self, answers: IntArray, outputs: IntArray) -> Array:
        """|r - v|^power, in lattice steps."""
        return np.asarray(np.abs(answers - outputs).astype(np.float64) ** self.power)


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


@final
@dataclass(frozen=True)
class Merged:
    """A programme of fewer answers: every answer of the whole first becomes its nearest kept one.

    programme: over those; row (answers of the whole,): which of them stands for each.
    """

    programme: Programme
    row: IntArray


def merged(whole: Programme) -> Merged:
    """Answers of next to no probability share a neighbour's row, and their outputs are given up: the answer is clamped,
    so to speak, before the mechanism sees it, and what that costs is counted in the error. Where the worst over the
    answers is sought none are."""
    if whole.weights is None:
        return Merged(whole, np.arange(len(whole.answers)))
    least = max(FAINTEST, NEGLIGIBLE * float(np.sum(np.max(whole.excess, axis=0, initial=0.0))))
    return _merged_to(whole, np.flatnonzero(whole.mass >= least))


def thinned(whole: Programme, count: int) -> Merged:
    """The whole with so many answers, evenly spread over those that `merged` keeps: where neighbours are much alike its
    prices bound the whole's optimum nearly as well as the whole's own."""
    least = max(FAINTEST, NEGLIGIBLE * float(np.sum(np.max(whole.excess, axis=0, initial=0.0))))
    kept = np.flatnonzero(whole.mass >= least)
    places = np.unique(np.rint(np.linspace(0, len(kept) - 1, min(count, len(kept)))).astype(np.int64))
    return _merged_to(whole, kept[places])


def _merged_to(whole: Programme, kept: IntArray) -> Merged:
    edges = (whole.answers[kept][1:] + whole.answers[kept][:-1]) / 2
    row = np.searchsorted(edges, whole.answers)
    first = np.searchsorted(row, np.arange(len(kept)))
    mass = np.add.reduceat(whole.mass, first)

    def averaged(rows: Array) -> Array:
        return np.asarray(np.add.reduceat(whole.mass * rows, first, axis=1) / mass)

    answers = whole.answers[kept]
    inside = (whole.outputs >= answers[0]) & (whole.outputs <= answers[-1])
    outputs = whole.outputs[inside] if whole.power == 2 else answers
    tells, sizes = averaged(whole.tells), averaged(whole.sizes)
    weights = None if whole.weights is None else averaged(whole.weights)
    small = replace(whole, answers=answers, outputs=outputs, mass=mass, tells=tells, sizes=sizes, weights=weights)
    return Merged(small, row)


@final
@dataclass(frozen=True)
class Prices:
    """Of the constraints (constraints, outputs) at some outputs, and of the objectives (objectives,), with their limits
    1 in all."""

    outputs: IntArray
    told: Array
    objectives: Array

    def times(self, factor: float) -> "Prices":
        """Those of the constraints lowered."""
        return replace(self, told=self.told * factor)


def lower_bound(whole: Programme, small: Programme, prices: Prices, error: float) -> float:
    """No mechanism whatever has a smaller objective: the Lagrangian of the whole programme at any prices >= 0,

        sum_v mass(v) min_r [ (y·weights(v))·|r - v|^power + sum_c prices(c, r)·tells(c, v) ]
            - delta sum_c max_r prices(c, r).

    Outputs without prices have those of a straight line between their neighbours. error: relative, of the laws.
    """
    # What rounding and the laws' own error may add to a share is taken off.
    slack = 4 * error + 64 * UNIT
    # Between outputs with prices all is linear but for the kink of |r - v| at v.
    outputs = prices.outputs if whole.power == 1 else whole.outputs
    told = _interpolated(prices, outputs)
    own = np.sum(_interpolated(prices, whole.answers) * (whole.tells - slack * whole.sizes), axis=0)
    if whole.weights is None:
        weight = np.interp(whole.answers, small.answers, prices.objectives) * np.isin(whole.answers, small.answers)
    else:
        weight = prices.objectives @ whole.weights
    total, size = 0.0, 0.0
    for part in np.array_split(np.arange(len(whole.answers)), 1 + len(whole.answers) * len(outputs) // CHUNK):
        apart = whole.distances(whole.answers[part][:, None], outputs)
        paid = (whole.tells[:, part] - slack * whole.sizes[:, part]).T @ told
        least = np.minimum(np.min(weight[part][:, None] * apart + paid, axis=1), own[part])
        total += float(np.sum(whole.mass[part] * least))
        size += float(np.sum(whole.mass[part] * np.abs(least)))
    given = whole.delta * float(np.sum(np.max(told, axis=1, initial=0.0)))
    return max(0.0, total - given - slack * (size + given))


def _interpolated(prices: Prices, outputs: IntArray) -> Array:
    return np.array([np.interp(outputs, prices.outputs, row) for row in prices.told])
