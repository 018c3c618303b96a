"""The least error over all mechanisms as a linear program (Theory §8).

A mechanism is a kernel K(r | v) >= 0 from exact answers to outputs. Its unknowns here are the flows mass(v)·K(r | v),
r ≠ v, away from the mechanism that releases every answer as it is: of the size of the mass that has to move, however
small. Outputs beyond the answers' range never help: merging them into its ends is post-processing and shortens every
move. Nor do outputs between two possible answers, where the error is |r - v|: drawn at random to the two neighbours so
that the mean stays, they cost the same, since |r - v| is linear between neighbours for every possible v.

For one fair bit and ε = 1 either answer goes out as the other with probability 1/(1 + e) = 0.2689, and that is the
least expected error. For twelve households of four it is 0.4888, where geometric noise errs by 3.613.

There may be further constraints: differential privacy, on the rows of neighbouring answers (Result 8.3).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import exp, inf, log
from typing import Final, Literal, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.channel import Release
from dalenius.errors import InputError, TooLarge
from dalenius.knowledge.any_records import how_many
from dalenius.laws.limits import MOST_LISTED
from dalenius.notions import InferentialPrivacy, Notion
from dalenius.optimum.answer_laws import RARER, AnswerLaws
from dalenius.optimum.limits import LARGEST_EPSILON, MOST_PAIRS

Objective = Literal["absolute", "squared", "worst"]
FAINTEST_MASS: Final = 1e-280
"""Answers less likely than this share their neighbour's row."""
_RAREST: Final = 1e-290
"""Less likely answers are scaled to this mass, times e^epsilon, so that their coefficients are doubles."""
ANYBODY: Final = -1
"""The person of constraints that are everybody's."""
NEGLIGIBLE: Final = 1e-13
"""A mass that is negligible, relative to the mass that has to move."""
SMALL: Final = 1e-3
"""An optimum this far below the mass that has to move is solved in units of its own."""


@final
@dataclass(frozen=True)
class Program:
    """The linear program over the answers v and outputs r, both lattice indices in ascending order.

    Each output must satisfy sum_v mass(v) K(r | v) excess(c, v) <= 0, or the positive parts sum to at most its delta
    over the outputs. The least t is sought with sum_v mass(v) weights(m, v) sum_r K(r | v) |r - v|^power <=
    t·limits(m).

    Attributes:
        answers: v (answers,).
        outputs: r (outputs,).
        mass: The answers' probability, the largest any model gives, or `rarest` where that is less (answers,).
        excess: The constraints' coefficients (constraints, answers), each a difference of two terms.
        sizes: The sums of these two terms.
        whose: The person each constraint is about, or ANYBODY (constraints,).
        epsilons: The ε of the promise each belongs to (constraints,).
        deltas: The δ of that promise (constraints,).
        weights: The objectives' weights (objectives, answers); None for an objective per answer.
        power: 1 for absolute errors, 2 for squared ones.
        rarest: The least mass of an answer.
    """

    answers: IntArray | Array
    outputs: IntArray | Array
    mass: Array
    excess: Array
    sizes: Array
    whose: IntArray
    epsilons: Array
    deltas: Array
    weights: Array | None
    power: int
    rarest: float = _RAREST

    @property
    def violation(self) -> Array:
        """How much each answer, released as it is, violates each constraint (constraints, answers)."""
        return np.maximum(self.mass * self.excess, 0.0)

    @property
    def most_violated(self) -> Array:
        """The most by which each answer violates a constraint (answers,)."""
        most = np.zeros(len(self.mass))
        for excess in self.excess:  # one after another: all of them at once take as much room as the program
            np.maximum(most, self.mass * excess, out=most)
        return most

    @property
    def binds_everybody(self) -> bool:
        """Whether it has constraints on the rows of neighbouring answers."""
        return bool(np.any(self.whose == ANYBODY))

    @property
    def constant(self) -> float:
        """A bound on the objective of always releasing the likeliest answer; infinite for the worst case.

        Where one answer is almost certain, it is small next to the mass that violates the promise, which is counted
        given secrets.
        """
        if self.weights is None:
            return inf
        difference = self.distances(self.answers, self.answers[np.argmax(self.mass)])
        return float(np.max((self.mass * self.weights) @ difference))

    def about(self, people: Sequence[int]) -> "Program":
        """Returns the program with the constraints of these `people` only, and everybody's that are not too steep.

        Mixing in a little keeps those that are too steep to be solved (see `repaired`).
        """
        # The epsilon, over everybody's constraints, beyond which a solver's tolerance is no match for e^epsilon.
        kept = np.isin(self.whose, people) | ((self.whose == ANYBODY) & (self.epsilons < 13.5))
        excess, sizes, whose = self.excess[kept], self.sizes[kept], self.whose[kept]
        epsilons, deltas = self.epsilons[kept], self.deltas[kept]
        return replace(self, excess=excess, sizes=sizes, whose=whose, epsilons=epsilons, deltas=deltas)

    def distances(self, answers: IntArray | Array, outputs: IntArray | Array) -> Array:
        """Returns |r - v|^power for `answers` v and `outputs` r, in lattice steps."""
        return np.asarray(np.abs(answers - outputs).astype(np.float64) ** self.power)

    def tightened(self, margin: float) -> "Program":
        """Returns the program with every epsilon and delta smaller by that relative margin."""
        # W(r|s) - e^ε W(r|s′) = excess, their sum is sizes.
        excess = np.empty_like(self.excess)
        for row, own, size, epsilon in zip(excess, self.excess, self.sizes, self.epsilons.tolist(), strict=True):
            more, less = (size + own) / 2, (size - own) / 2
            np.subtract(more, less * exp(-epsilon * margin), out=row)
        return replace(self, excess=excess, epsilons=self.epsilons * (1 - margin), deltas=self.deltas * (1 - margin))


def nearest_place(among: IntArray | Array, points: IntArray | Array) -> IntArray:
    """Returns the place of the nearest of these ascending numbers, `among`, for each of the points; of two the lower.

    >>> nearest_place(np.array([0, 4, 10]), np.array([2, 3, 9])).tolist()
    [0, 1, 2]
    """
    return np.searchsorted((among[1:] + among[:-1]) / 2, points).astype(np.int64)


def beyond_delta(total: Array, deltas: Array | float) -> Array:
    """Returns the share of violations that sum to `total` that is more than the `deltas` allow."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(np.maximum(0.0, 1 - deltas / total), nan=0.0)


def program_of(laws: AnswerLaws, notions: Sequence[Notion], objective: Objective) -> Program:
    """Returns the program over all answers that can occur, with the notions' constraints on pairs and averages.

    Args:
        laws: The laws of the answer.
        notions: The promises.
        objective: The error that is minimised.

    Raises:
        InputError: For a notion that is not linear in the mechanism, and for an epsilon whose exponential nearly
            overflows.
    """
    promises = [side for notion in notions for side in _sides_of(notion)]
    largest = max(side.epsilon for side in promises)
    # A promise of hundreds of nats, which hides nothing that is not all but impossible: doubles end before it matters.
    if largest > LARGEST_EPSILON:
        wanted = f"at most {LARGEST_EPSILON} nats with this method (or exact; limit {LARGEST_EPSILON.name})"
        raise InputError("notion.epsilon", largest, wanted)
    most_likely = np.max(laws.models, axis=0)
    # Answers hardly more likely than those beyond the laws are clamped with them.
    rarest = max(_RAREST * exp(largest), RARER * laws.lost)
    log_mass, possible = np.maximum(most_likely, log(rarest)), np.flatnonzero(most_likely > -inf)
    compared = [(each, side) for side in promises for each in laws.each if side.compares is not None]
    found: dict[tuple[bytes, float, float], int] = {}
    rows: list[tuple[Array, ...]] = []
    for each, side in compared:
        epsilon, delta = side.epsilon, side.delta
        for pair in each.against("pairs" if side.compares == "pairs" else "average"):
            own, other = reversed(pair) if side.compares == "below" else pair
            # W(r|s) / mass and e^ε W(r|s′) / mass (or e^ε W(r) / mass) of every answer released as it is.
            most = np.exp(own - log_mass)[possible]
            least = (exp(epsilon) * np.exp(other - log_mass))[possible]
            # If several people have identical constraints, the first person's count; -0 is 0.
            key = blake2b((np.round(most - least, 14) + 0.0).tobytes()).digest(), epsilon, delta
            if key not in found:
                found[key] = each.person
                rows.append((most - least, most + least))
    excess, sizes = np.empty((2, len(rows), len(possible)))
    for place, row in enumerate(rows):
        excess[place], sizes[place] = row
        rows[place] = ()  # all of them twice would be the most that is there at once
    whose = np.array(list(found.values()), dtype=np.int64)
    epsilons, deltas = np.array([key[1:] for key in found]).reshape(-1, 2).T
    weights = None if objective == "worst" else np.exp(laws.models - log_mass)[:, possible]
    answers = laws.start + possible
    outputs = laws.start + np.arange(laws.count) if objective == "squared" else answers
    power = 2 if objective == "squared" else 1
    mass = np.exp(log_mass[possible])
    return Program(answers, outputs, mass, excess, sizes, whose, epsilons, deltas, weights, power, rarest)


@final
@dataclass(frozen=True)
class _Side:
    """One side of a promise: W(y|s) <= e^epsilon W(y|s') for `pairs`, W(y) in place of W(y|s') for `above`.

    `below` is W(y) <= e^epsilon W(y|s); None constrains the kernel's own rows.
    """

    compares: Literal["pairs", "above", "below"] | None
    epsilon: float
    delta: float


def _sides_of(notion: Notion) -> list[_Side]:
    """Returns the sides of a promise; InputError for a notion that is not linear in the mechanism."""
    epsilon, delta = promise_of(notion)
    match notion.properties.linear:
        case "pairs":
            return [_Side("pairs", epsilon, delta)]
        case "average":
            return [_Side("above", epsilon, delta)]
        case "average both ways":
            return [_Side("above", epsilon, delta), _Side("below", epsilon, delta)]
        case "both":
            raised, lowered = notion.properties.log_ratio_bounds or (epsilon, epsilon)
            return [_Side("above", raised, delta), _Side("below", lowered, delta)]
        case _:
            return [_Side(None, epsilon, delta)]


def promise_of(notion: Notion) -> tuple[float, float]:
    """Returns epsilon and delta; InputError for a notion that is not linear in the mechanism."""
    if notion.properties.linear in (None, "known"):
        raise InputError("notion.kind", notion.kind, "inferential, information or differential (or method exact)")
    if notion.epsilon is None:
        raise InputError("notion.epsilon", "missing", "a finite number above 0")
    return notion.epsilon, notion.promised_delta or 0.0


def as_constraint(release: Release, notion: Notion) -> Notion:
    """Returns the notion, or inferential privacy where it lets nobody of `release` know any record."""
    fraction = notion.properties.background_fraction
    if notion.properties.linear != "known" or fraction is None:
        return notion
    if any(how_many(world, fraction) for world in release.worlds.plain):
        return notion
    return InferentialPrivacy(epsilon=notion.epsilon, delta=notion.promised_delta or 0.0)


def neighbours_of(release: Release, laws: AnswerLaws) -> IntArray:
    """Returns the pairs (pairs, 2) of answers, both ways, of data sets that differ in one record.

    They are lattice indices within the range of the `laws` of `release`. TooLarge where there are too many, or they are
    not known.
    """
    low, high = laws.start, laws.start + laws.count - 1
    found = [np.empty((0, 2), dtype=np.int64)]
    for world in release.worlds.finite:
        for spread, _, _ in world.spreads:
            pairs = None if spread.neighbours is None else spread.neighbours.pairs(0, low, high)
            if pairs is None:
                raise TooLarge(
                    "the pairs of neighbouring answers", "too many to list", "use method clamped", MOST_LISTED
                )
            found.append(pairs)
    every = np.concatenate(found)
    every = every[((every >= low) & (every <= high)).all(axis=1)]
    return np.unique(np.concatenate([every, every[:, ::-1]]), axis=0)


def with_neighbours(full: Program, fewer: Program, pairs: IntArray, epsilon: float) -> tuple[Program, Program]:
    """Returns both programs with K(r | v) <= e^ε K(r | v') for neighbouring answers v, v'.

    The mechanism applied is that of the nearest answer retained, whose rows are constrained wherever two neighbours are
    replaced by them. The whole program has the same constraint if these two are neighbours themselves, and an idle one
    if not: its dual bound then holds of every mechanism.

    Args:
        full: The whole program.
        fewer: The program over the answers retained.
        pairs: The neighbouring answers (pairs, 2), lattice indices.
        epsilon: ε of differential privacy, in nats.
    """
    images = np.unique(nearest_place(fewer.answers, pairs).reshape(-1, 2), axis=0)
    images = images[images[:, 0] != images[:, 1]]
    if len(images) > MOST_PAIRS:
        raise TooLarge("the pairs of neighbouring answers", f"{len(images):,}", "use method clamped", MOST_PAIRS)
    ends = fewer.answers[images]
    direct = (ends[:, None, :] == pairs[None, :, :]).all(axis=2).any(axis=1) if len(images) else np.empty(0, dtype=bool)
    places = np.searchsorted(full.answers, ends)
    every = np.ones(len(images), dtype=np.bool_)
    return _constrained(full, places, epsilon, direct), _constrained(fewer, images, epsilon, every)


def _constrained(program: Program, places: IntArray, epsilon: float, active: NDArray[np.bool_]) -> Program:
    """Returns the program with further constraints about everybody, of the rows at these places (constraints, 2)."""
    rows = np.arange(len(places))
    one, other = np.zeros((2, len(places), len(program.answers)))
    one[rows, places[:, 0]] = active / program.mass[places[:, 0]]
    other[rows, places[:, 1]] = active * exp(epsilon) / program.mass[places[:, 1]]
    return replace(
        program,
        excess=np.concatenate([program.excess, one - other]),
        sizes=np.concatenate([program.sizes, one + other]),
        whose=np.append(program.whose, np.full(len(places), ANYBODY)),
        epsilons=np.append(program.epsilons, np.full(len(places), epsilon)),
        deltas=np.append(program.deltas, np.zeros(len(places))),
    )


def geometric_rows(program: Program, pairs: IntArray, margin: float) -> Array:
    """Returns geometric noise that keeps the constraints on neighbours by itself, as rows (answers, outputs).

    Its outputs are moved to the nearest of the program's. It is a mechanism to fall back on, whatever the solver's
    tolerance.

    Args:
        program: The program.
        pairs: The neighbouring answers (pairs, 2), lattice indices.
        margin: The relative margin below epsilon.
    """
    epsilon = float(np.min(program.epsilons[program.whose == ANYBODY])) * (1 - margin)
    reach = float(np.max(np.abs(pairs[:, 0] - pairs[:, 1])))
    edges = (program.outputs[1:] + program.outputs[:-1]) / 2
    # Pr[noise <= x], x between two lattice points or on one, where the point goes either way for all answers alike.
    away = np.floor(edges[None, :] - program.answers[:, None])
    fall = np.exp(-epsilon / reach)
    left, right = (fall ** np.maximum(steps, 0.0) / (1 + fall) for steps in (-away, away + 1))
    below = np.where(away < 0, left, 1 - right)
    ends = np.zeros((len(program.answers), 1)), np.ones((len(program.answers), 1))
    return np.asarray(np.diff(np.concatenate([ends[0], below, ends[1]], axis=1), axis=1))
