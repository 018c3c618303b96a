"""Promises to whoever knows others' records, as constraints of the program: lazily, as there are many (Result 8.4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

from dalenius.channel import Release
from dalenius.errors import InputError, TooLarge
from dalenius.knowledge.bounded import how_many
from dalenius.knowledge.laws import GivenLaws, given_anything, given_some
from dalenius.laws.law import Array, IntArray
from dalenius.notions import InferentialPrivacy, Notion
from dalenius.optimum.answer_laws import AnswerLaws, KnownLaws, knowledge_of
from dalenius.optimum.program import Program, promise_of

IDLE: Final = 1e-9
"""A law with more weight than this on answers that were merged binds the merged program only."""
VIOLATED: Final = 1e-10
MOST_AT_ONCE: Final = 1 << 22
PER_OUTPUT: Final = 2
AT_ONCE: Final = 8
"""Constraints with a delta that are added at once."""
MOST_PAIRS: Final = 20_000
"""Of laws given what is known, for the clamped family."""


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
            with np.errstate(invalid="ignore", divide="ignore"):
                share = np.nan_to_num(np.maximum(0.0, 1 - self.delta / total), nan=0.0)
            found = np.maximum(found, np.max(over * share, axis=0, initial=0.0))
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
