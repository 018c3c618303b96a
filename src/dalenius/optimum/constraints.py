"""Further constraints of the program: promises to whoever knows others' records, added as they are violated (Result
8.4), and differential privacy, on the rows of neighbouring answers (Result 8.3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.channel import Release
from dalenius.errors import InputError, TooLarge
from dalenius.knowledge.sets import GivenLaws, given_anything, given_some, how_many
from dalenius.laws.law import Array, IntArray, Law
from dalenius.noise import Noise
from dalenius.notions import InferentialPrivacy, Notion
from dalenius.optimum.answer_laws import AnswerLaws, KnownLaws, knowledge_of
from dalenius.optimum.bins import Merged
from dalenius.optimum.program import ANYBODY, Program, beyond_delta, nearest, promise_of

IDLE: Final = 1e-9
"""A law with more weight than this on answers that were merged binds the merged program only."""
VIOLATED: Final = 1e-10
MOST_AT_ONCE: Final = 1 << 22
PER_OUTPUT: Final = 2
AT_ONCE: Final = 8
"""Constraints with a delta that are added at once."""
MOST_PAIRS: Final = 20_000
"""Of laws given what is known, for the clamped family; of neighbouring answers."""


def as_constraint(release: Release, notion: Notion) -> Notion:
    """The notion, or where it lets nobody know any record inferential privacy, which it then is."""
    fraction = notion.background_fraction
    if notion.linear != "known" or fraction is None:
        return notion
    if any(how_many(world, fraction) for world in release.record_worlds):
        return notion
    return InferentialPrivacy(epsilon=notion.epsilon, delta=notion.promised_delta or 0.0)


def laws_given(release: Release, notion: Notion) -> list[GivenLaws]:
    """The laws given what the adversary of a notion may know. TooLarge where there are too many."""
    if notion.any_knowledge:
        return list(given_anything(release))
    return list(given_some(release, notion.background_fraction or 0.0))


@final
@dataclass(frozen=True, eq=False)
class Pool:
    """The constraints of one promise on laws given what is known: laws (laws, answers) of all answers of the whole
    program; pairs (pairs, 2)."""

    laws: Array
    pairs: IntArray
    epsilon: float
    delta: float
    error: float

    def merged(self, row: IntArray) -> "Pool":
        """Of the answers retained; row: which of them replaces each."""
        first = np.searchsorted(row, np.arange(int(row[-1]) + 1))
        return replace(self, laws=np.add.reduceat(self.laws, first, axis=1))

    def tightened(self, margin: float) -> "Pool":
        return replace(self, epsilon=self.epsilon * (1 - margin), delta=self.delta * (1 - margin))

    def added_to(self, program: Program, places: IntArray, kept: IntArray | None = None) -> Program:
        """With the constraints of these pairs. kept: the answers retained elsewhere, without which laws that lie on
        others too have no constraint here."""
        one, other = (self.laws[self.pairs[places, side]] for side in (0, 1))
        least = np.exp(self.epsilon) * other
        deltas = np.full(len(places), self.delta)
        if kept is not None:
            beyond = np.ones(one.shape[1], dtype=np.bool_)
            beyond[kept] = False
            idle = np.sum((one + least)[:, beyond], axis=1) > IDLE
            one, least, deltas = (np.where(idle.reshape(-1, *[1] * (a.ndim - 1)), 0.0, a) for a in (one, least, deltas))
        excess, sizes = (one - least) / program.mass, (one + least) / program.mass
        return program.also(excess, sizes, self.epsilon, deltas)

    def violated(self, kernel: Array) -> IntArray:
        """Pairs that violate the promise: at every output those that do so most, or with a delta, of those that do so
        there most, the one that does so most in all, AT_ONCE of them."""
        found: dict[int, tuple[float, int]] = {}
        several: list[IntArray] = [np.zeros(0, dtype=np.int64)]
        for first, over in self._over(kernel):
            total = np.sum(over, axis=1)
            open_ = np.flatnonzero(total > max(self.delta * (1 + 1e-7), VIOLATED))
            if self.delta:
                for place, where in zip(open_.tolist(), np.argmax(over[open_], axis=1).tolist(), strict=True):
                    found[where] = max(found.get(where, (0.0, 0)), (float(total[place]), first + place))
            elif len(open_):
                worst = np.argsort(-over[open_], axis=0, kind="stable")[:PER_OUTPUT]
                worst = worst[np.take_along_axis(over[open_], worst, axis=0) > VIOLATED]
                several.append(first + open_[np.unique(worst)])
        most = sorted(found.values(), key=lambda each: (-each[0], each[1]))[:AT_ONCE]
        return np.concatenate([*several, np.array(sorted(place for _, place in most), dtype=np.int64)])

    def mask(self, kernel: Array) -> Array:
        """Mass at each output whatever the answer, with which all constraints are kept (see `repaired`)."""
        found = np.zeros(kernel.shape[1])
        for _, over in self._over(kernel):
            total = np.sum(over, axis=1, keepdims=True)
            found = np.maximum(found, np.max(over * beyond_delta(total, self.delta), axis=0, initial=0.0))
        return np.asarray(found / np.expm1(self.epsilon))

    def _over(self, kernel: Array) -> Iterator[tuple[int, Array]]:
        """By how much outputs violate the constraints (pairs, outputs), some pairs at a time."""
        outputs = self.laws @ kernel
        at_once = max(1, MOST_AT_ONCE // kernel.shape[1])
        for first in range(0, len(self.pairs), at_once):
            some = self.pairs[first : first + at_once]
            yield first, np.maximum(outputs[some[:, 0]] - np.exp(self.epsilon) * outputs[some[:, 1]], 0.0)


def pools_of(release: Release, notions: Sequence[Notion], whole: Program) -> list[Pool]:
    """Those of the notions about what is known of others, over the whole program's answers."""
    found = []
    for notion in notions:
        if notion.linear == "known":
            epsilon, delta = promise_of(notion)
            every = [each for each in laws_given(release, notion) if len(each.pairs)]
            if every:
                laws = [_at(each, whole.answers.astype(np.int64)) for each in every]
                firsts = np.cumsum([0, *(len(each) for each in laws)])
                pairs = [each.pairs + first for each, first in zip(every, firsts, strict=False)]
                error = max(each.error for each in every)
                found.append(Pool(np.concatenate(laws), np.concatenate(pairs), epsilon, delta, error))
    return found


def _at(given: GivenLaws, answers: IntArray) -> Array:
    """The laws' masses at these answers (laws, answers): there are no others that can occur."""
    places = answers - given.start
    inside = (places >= 0) & (places < given.masses.shape[1])
    found = np.zeros((len(given.masses), len(places)))
    found[:, inside] = given.masses[:, places[inside]]
    return found


def beside(laws: AnswerLaws, release: Release, notions: Sequence[Notion]) -> AnswerLaws:
    """With the laws given what is known of others, for those of the notions of which they can be listed."""
    found: list[KnownLaws] = []
    for notion in notions:
        if notion.linear != "known":
            continue
        try:
            every = laws_given(release, notion)
        except (TooLarge, InputError):
            continue
        for given in every:
            if len(given.pairs) > MOST_PAIRS:
                found = [each for each in found if each.knowledge != knowledge_of(notion)]
                break
            with np.errstate(divide="ignore"):
                logs = np.log(_at(given, laws.start + np.arange(laws.count)))
            found.append(KnownLaws(knowledge_of(notion), logs, given.pairs))
    return replace(laws, given=tuple(found))


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


def with_neighbours(whole: Program, fewer: Merged, pairs: IntArray, epsilon: float) -> tuple[Program, Merged]:
    """Both programs with K(r | v) <= e^ε K(r | v') for neighbouring answers v, v'.

    The mechanism applied is that of the nearest answer retained, whose rows are constrained wherever two neighbours are
    replaced by them. The whole program has the same constraint if these two are neighbours themselves, and an idle one
    if not: its dual bound then holds of every mechanism.
    """
    program = fewer.program
    images = np.unique(nearest(program.answers, pairs).reshape(-1, 2), axis=0)
    images = images[images[:, 0] != images[:, 1]]
    if len(images) > MOST_PAIRS:
        raise TooLarge("the pairs of neighbouring answers", f"{len(images):,}", "use method clamped")
    ends = program.answers[images]
    direct = (ends[:, None, :] == pairs[None, :, :]).all(axis=2).any(axis=1) if len(images) else np.empty(0, dtype=bool)
    places = np.searchsorted(whole.answers, ends)
    smaller = _constrained(program, images, epsilon, np.ones(len(images), dtype=np.bool_))
    return _constrained(whole, places, epsilon, direct), replace(fewer, program=smaller)


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


def rows_of(noise: Noise, laws: AnswerLaws, program: Program) -> Array:
    """Those of a noise (answers, outputs), its outputs moved to the nearest of the program's: post-processing."""
    with np.errstate(divide="ignore"):
        points = np.log(np.eye(laws.count))
    law = noise.likelihood(Law((laws.start,), np.zeros(laws.count), points, 0.0), laws.lattice)
    outputs = law.start[0] + np.arange(law.box[0])
    first = np.searchsorted(nearest(program.outputs, outputs), np.arange(len(program.outputs)))
    every = np.exp(law.log_mass())[program.answers.astype(np.int64) - laws.start]
    ends = np.concatenate([np.zeros((len(every), 1)), np.cumsum(every, axis=1)], axis=1)
    found = np.diff(ends[:, np.append(first, len(outputs))], axis=1)
    return np.asarray(found / np.sum(found, axis=1, keepdims=True))
