"""The least expected error under the worst law of a set, by constraint generation (Results 21.21 to 21.23)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.calibration.method import promised
from dalenius.calibration.optimal.answer_laws import AnswerLaws, PersonLaws
from dalenius.channel import Release
from dalenius.channel.credal.population import Population
from dalenius.channel.credal.worst import LawOfSet, WorstOfMember, largest_mean
from dalenius.errors import InputError
from dalenius.laws.law import Array
from dalenius.notions import Notion

VIOLATED: Final = 1e-15
FINE: Final = 10
"""Digits of a law's probabilities by which laws are told apart."""


@final
@dataclass(frozen=True)
class Violation:
    """A law of the set under which a mechanism breaks a promise about that pair of secrets, at some output the most."""

    member: WorstOfMember
    pair: tuple[int, int | None]
    law: LawOfSet


@final
class LawsOfSets:
    """The sets of laws of a release, and those of their laws that were found to be the worst so far."""

    def __init__(self, release: Release, notions: Sequence[Notion]) -> None:
        if release.lattice.axes > 1:
            wanted = "a single answer (each on its own, or method exact)"
            raise InputError("query", f"{release.lattice.axes} answers", wanted)
        for notion in notions:
            if notion.linear not in ("pairs", "average") or notion.promised_delta:
                shown = f"{notion.kind} with a delta" if notion.promised_delta else notion.kind
                wanted = "inferential or information, without a delta, beside intervals with this method"
                raise InputError("notion.kind", shown, wanted)
        self._notions = notions
        self._populations = release.extremes()
        self.lattice = release.lattice
        self.start = min(each.start for each in self._populations)
        self.count = max(each.start + each.count for each in self._populations) - self.start
        self._models = [self._placed(each, law) for each in self._populations for law in each.alike()]
        self._each: list[PersonLaws] = []
        self._seen: set[tuple[object, ...]] = set()

    @cached_property
    def possible(self) -> Array:
        """Whether an answer is, from `start` on (count,)."""
        return np.asarray(np.max(self._models, axis=0) > 0)

    @property
    def known(self) -> AnswerLaws:
        """The laws found so far."""
        error = max(each.error for each in self._populations)
        with np.errstate(divide="ignore"):
            models = np.log(np.array(self._models))
        return AnswerLaws(self.start, self.lattice, tuple(self._each), models, error, np.full(self.count, -np.inf))

    def error(self, given: Array, worst: bool) -> float:
        """The largest mean over the sets of an error given the answer (count,), or the largest error."""
        return float(np.max(given[self.possible])) if worst else self._largest(given)[0]

    def add_likeliest(self, given: Array) -> None:
        """The law under which that mean is the largest."""
        law = self._largest(given)[1]
        if not any(np.array_equal(law, each) for each in self._models):
            self._models.append(law)

    def _largest(self, given: Array) -> tuple[float, Array]:
        found = []
        for each in self._populations:
            first = each.start - self.start
            mean, law = largest_mean(each, given[first : first + each.count])
            found.append((mean, self._placed(each, law)))
        return max(found, key=lambda one: one[0])

    def violations(self, rows: Array, margin: float) -> tuple[Array, list[Violation]]:
        """Of a mechanism's rows (count, outputs): the mass at each output (outputs,) with which the promises are kept
        under every law of the sets, each epsilon smaller by that relative margin; and the worst laws, for each pair of
        secrets and each output."""
        mask, found = np.zeros(rows.shape[1]), []
        for member in self._members(rows):
            for notion in self._notions:
                factor = float(np.exp(promised(notion) * (1 - margin)))
                for pair in _pairs(member, notion):
                    over, laws = member.excess(*pair, factor)
                    mask = np.maximum(mask, over / (factor - 1))
                    found += [Violation(member, pair, laws[k]) for k in np.flatnonzero(over > VIOLATED).tolist()]
        return mask, found

    def add(self, found: Sequence[Violation]) -> int:
        """These laws, each once, and numbered as `PersonLaws.person`; how many are new."""
        before = len(self._each)
        for each in found:
            member, own = each.member, np.round(each.law.own, FINE).tolist()
            place = self._populations.index(member.population)
            key = (place, member.place, member.subject.person, each.pair, each.law.rest, *own)
            if key not in self._seen:
                self._seen.add(key)
                self._each.append(self._laws_at(each, len(self._each)))
        return len(self._each) - before

    def _laws_at(self, each: Violation, number: int) -> PersonLaws:
        masses, chances = each.member.laws_at(each.law)
        secret, against = each.pair
        population = each.member.population
        with np.errstate(divide="ignore"):
            logs = np.log(np.array([self._placed(population, row) for row in masses]))
            pairs = None if against is None else ((secret, against),)
            return PersonLaws(number, logs, np.log(chances), pairs)

    def _members(self, rows: Array) -> Iterator[WorstOfMember]:
        for population in self._populations:
            first = population.start - self.start
            own = rows[first : first + population.count]
            for place, member in population.members():
                yield WorstOfMember(population, place, member, own)

    def _placed(self, population: Population, law: Array) -> Array:
        """On the range of all sets (count,)."""
        found = np.zeros(self.count)
        found[population.start - self.start :][: population.count] = law
        return found


def _pairs(member: WorstOfMember, notion: Notion) -> Sequence[tuple[int, int | None]]:
    return [(s, None) for s in range(member.secrets)] if notion.linear == "average" else member.pairs
