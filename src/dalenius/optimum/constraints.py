"""Further constraints of the program: differential privacy, on the rows of neighbouring answers (Result 8.3)."""

from math import exp

import numpy as np
from numpy.typing import NDArray

from dalenius.channel import Release
from dalenius.errors import TooLarge
from dalenius.knowledge.any_records import how_many
from dalenius.laws.law import Array, IntArray
from dalenius.notions import InferentialPrivacy, Notion
from dalenius.optimum.answer_laws import AnswerLaws
from dalenius.optimum.program import ANYBODY, Program, nearest


def as_constraint(release: Release, notion: Notion) -> Notion:
    """The notion, or where it lets nobody know any record inferential privacy, which it then is."""
    fraction = notion.background_fraction
    if notion.linear != "known" or fraction is None:
        return notion
    if any(how_many(world, fraction) for world in release.record_worlds):
        return notion
    return InferentialPrivacy(epsilon=notion.epsilon, delta=notion.promised_delta or 0.0)


def neighbours_of(release: Release, laws: AnswerLaws) -> IntArray:
    """The pairs (pairs, 2) of answers, both ways, of data sets that differ in one record: lattice indices within the
    range of the laws. TooLarge where there are too many, or they are not known."""
    low, high = laws.start, laws.start + laws.count - 1
    found = [np.empty((0, 2), dtype=np.int64)]
    for world in release.finite_worlds:
        for spread, _, _ in world.spreads():
            pairs = None if spread.neighbours is None else spread.neighbours.pairs(0, low, high)
            if pairs is None:
                raise TooLarge("the pairs of neighbouring answers", "too many to list", "use method clamped")
            found.append(pairs)
    every = np.concatenate(found)
    every = every[((every >= low) & (every <= high)).all(axis=1)]
    return np.unique(np.concatenate([every, every[:, ::-1]]), axis=0)


def with_neighbours(whole: Program, fewer: Program, pairs: IntArray, epsilon: float) -> tuple[Program, Program]:
    """Both programs with K(r | v) <= e^ε K(r | v') for neighbouring answers v, v'.

    The mechanism applied is that of the nearest answer retained, whose rows are constrained wherever two neighbours are
    replaced by them. The whole program has the same constraint if these two are neighbours themselves, and an idle one
    if not: its dual bound then holds of every mechanism.
    """
    images = np.unique(nearest(fewer.answers, pairs).reshape(-1, 2), axis=0)
    images = images[images[:, 0] != images[:, 1]]
    # Of neighbouring answers.
    if len(images) > 20_000:
        raise TooLarge("the pairs of neighbouring answers", f"{len(images):,}", "use method clamped")
    ends = fewer.answers[images]
    direct = (ends[:, None, :] == pairs[None, :, :]).all(axis=2).any(axis=1) if len(images) else np.empty(0, dtype=bool)
    places = np.searchsorted(whole.answers, ends)
    every = np.ones(len(images), dtype=np.bool_)
    return _constrained(whole, places, epsilon, direct), _constrained(fewer, images, epsilon, every)


def _constrained(program: Program, places: IntArray, epsilon: float, active: NDArray[np.bool_]) -> Program:
    rows = np.arange(len(places))
    one, other = np.zeros((2, len(places), len(program.answers)))
    one[rows, places[:, 0]] = active / program.mass[places[:, 0]]
    other[rows, places[:, 1]] = active * exp(epsilon) / program.mass[places[:, 1]]
    return program.also(one - other, one + other, epsilon)


def geometric_rows(program: Program, pairs: IntArray, margin: float) -> Array:
    """Geometric noise that keeps the constraints on neighbours by itself, its outputs moved to the nearest of the
    program's (answers, outputs): a mechanism to fall back on, whatever the solver's tolerance."""
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
