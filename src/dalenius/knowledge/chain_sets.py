"""Sets of known records of a chain that leave little of the others: lower ends, with witnesses.

Outside of a window the known records lie as evenly as may be, all of one value. Windows are ranked with the terms that
so many records leave in a long chain. For each of the best few a true set is made, and the law of the answer given it
is a product of stretches.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from math import inf
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.channel import Release
from dalenius.channel.finite_secret_channel import FiniteChannel
from dalenius.channel.record_world import RecordWorld
from dalenius.channel.sensitivity import spread_of
from dalenius.knowledge.chain_fractions import ChainFractions, Side
from dalenius.knowledge.coins import Views, power, trimmed
from dalenius.knowledge.delta_given_knowledge import CurveReading, KnowingView
from dalenius.knowledge.lattice_noise import LatticeNoise
from dalenius.laws.law import Law

# Sets times records, and some for what each takes at least: a second or two.
_MOVES: Final = 300_000
# Windows of which a set is made, for each value of the records known elsewhere.
_MADE: Final = 3


@final
class ChainSets:
    """Known sets of a chain and the views that they give; axis: the answer's coordinate; people: whose records are
    secrets, None for all."""

    def __init__(
        self, chain: ChainFractions, release: Release, world: RecordWorld, axis: int, people: frozenset[int] | None
    ) -> None:
        self._chain, self._release, self._world = chain, release, world
        self._axis, self._people = axis, people
        self._values = world.joint.strata()[0].values
        self._sets: list[tuple[int, dict[int, int]]] | None = None

    def bad_ones(self, reading: CurveReading, noise: LatticeNoise) -> Iterator[tuple[int, dict[int, int]]]:
        """Yields persons, and the known states of other records; both by number, from 0.

        Args:
            reading: The number that is read from δ, to rank windows.
            noise: The noise, as a law on the lattice.
        """
        chain = self._chain
        views, whose = chain.views
        for state in range(chain.states):
            outside = max(chain.outside(*window) for window in chain.windows)
            terms = max(1, chain.known - 1)
            length = max(0, round(outside / (terms + 1)) - 1)
            law = chain.stretch(min(length, 400))[state, state]
            rest = trimmed(np.convolve(power(law, terms + 1), noise.law))
            read = reading.of_each(views.with_rest(rest), len(views))
            made = 0
            for place in np.argsort(-read, kind="stable"):
                left, right = chain.windows[int(whose[place])]
                found = self._set(left, right, state)
                if found is not None:
                    yield found
                    made += 1
                if made == _MADE:
                    break

    def _set(self, left: Side, right: Side, state: int) -> tuple[int, dict[int, int]] | None:
        """The person, and the known records; None where that person's record is no secret."""
        chain = self._chain
        outside = chain.outside(left, right)
        number = min(outside, chain.known - left.known - right.known)
        # Where both sides go on the person is in the middle of the chain.
        before = (outside // 2 if right.goes_on else outside) if left.goes_on else 0
        person = before + left.records
        if self._people is not None and person + 1 not in self._people:
            return None
        known = {}
        if left.value is not None and not left.told:
            known[person - left.records] = left.value
        if right.value is not None and not right.told:
            known[person + right.records] = right.value
        share = round(number * before / outside) if outside else 0
        for at in _even(before, min(share, before)):
            known[before - 1 - at] = state
        for at in _even(outside - before, min(number - share, outside - before)):
            known[person + right.records + 1 + at] = state
        # Nobody knows the first record to have a value that it cannot have.
        if 0 in known and chain.initial[known[0]] == 0:
            return None
        return person, known

    def laws(self, person: int, known: Mapping[int, int]) -> Array:
        """Returns the law of the unknown records' sum given each of the person's values (states, sums).

        Args:
            person: The person whose record is the secret, from 0.
            known: The state of each known record, by number from 0.
        """
        chain = self._chain
        near = [at for at in sorted(known) if at < person], [at for at in sorted(known) if at > person]
        rest = [chain.stretch(j - i - 1)[known[i], known[j]] for side in near for i, j in itertools.pairwise(side)]
        if near[0]:
            rest.append(chain.before(near[0][0])[known[near[0][0]]])
            left = chain.stretch(person - near[0][-1] - 1)[known[near[0][-1]]]
        else:
            left = chain.before(person)
        if near[1]:
            rest.append(chain.after(chain.n - 1 - near[1][-1])[known[near[1][-1]]])
            right = chain.stretch(near[1][0] - person - 1)[:, known[near[1][0]]]
        else:
            right = chain.after(chain.n - 1 - person)
        others = reduce(np.convolve, rest, np.ones(1))
        laws = list[Array]()
        for state, score in enumerate(chain.scores):
            made = np.convolve(np.convolve(left[state], right[state]), others)
            laws.append(np.pad(made, (int(score), int(chain.scores.max() - score))))
        laws_of_values = np.array(laws)
        if person == 0:
            laws_of_values[chain.initial == 0] = 0
        return laws_of_values

    def improved(
        self, person: int, known: Mapping[int, int], reading: CurveReading, noise: LatticeNoise
    ) -> tuple[int, dict[int, int], float]:
        """Moves known records, or changes their values, one at a time, while that leaves less of the others.

        Args:
            person: The person whose record is the secret, from 0.
            known: The state of each known record, by number from 0.
            reading: The number that is read from δ.
            noise: The noise, as a law on the lattice.

        Returns:
            The person, the known records, and what is read of them.
        """
        best, tried = (person, dict(known), self.reading(person, known, reading, noise)), 0
        moved = True
        while moved and best[2] < inf:
            moved = False
            for one, others in self._beside(best[0], best[1]):
                tried += 1
                if tried * (self._chain.n + 50) > _MOVES:
                    return best
                read = self.reading(one, others, reading, noise, best[2])
                if read > best[2] * (1 + 1e-9):
                    best, moved = (one, others, read), True
                    break
        return best

    def _beside(self, person: int, known: Mapping[int, int]) -> Iterator[tuple[int, dict[int, int]]]:
        """Sets that differ in one known record, or in where all on one side of a place are."""
        chain, free = self._chain, set(range(self._chain.n)) - {person}
        for at in sorted(known):
            rest = {other: state for other, state in known.items() if other != at}
            for state in range(chain.states):
                for place in (at, at - 1, at + 1):
                    if (place, state) != (at, known[at]) and place in free - set(rest):
                        yield person, {**rest, place: state}
            for step in (-1, 1):
                for later in (True, False):
                    moved = {other + step * ((other >= at) == later): state for other, state in known.items()}
                    if len(moved) == len(known) and set(moved) <= free:
                        yield person, moved
        for place in (person - 1, person + 1):
            if 0 <= place < chain.n and place not in known:
                yield place, dict(known)

    def reading(
        self, person: int, known: Mapping[int, int], reading: CurveReading, noise: LatticeNoise, beaten: float = 0.0
    ) -> float:
        """Estimates the reading of a set of known records; 0 where it is at most `beaten`, or where nobody asks.

        Args:
            person: The person whose record is the secret, from 0.
            known: The state of each known record, by number from 0.
            reading: The number that is read from δ.
            noise: The noise, as a law on the lattice.
            beaten: A reading that is only to be exceeded.
        """
        if self._people is not None and person + 1 not in self._people:
            return 0.0
        laws = [law for law in self.laws(person, known) if law.any()]
        pairs = [(one, other) for at, one in enumerate(laws) for other in laws[at + 1 :]]
        if not pairs:
            return 0.0
        views = Views(np.array([one for one, _ in pairs]), np.array([other for _, other in pairs]))
        deltas, (epsilon, most) = noise.deltas(views), reading.threshold(beaten)
        if beaten and deltas(np.full(len(views), epsilon)).max() <= most:
            return 0.0
        return float(reading.of_each(deltas, len(views)).max())

    def view(self, person: int, known: Mapping[int, int]) -> KnowingView:
        """The channel of that person's record given the known ones."""
        chain, world = self._chain, self._world
        scores, joint, noise = world.scores, world.joint, self._release.noise
        laws = self.laws(person, known)
        there = [state for state in range(chain.states) if laws[state].any()]
        subject = joint.subject_of(person + 1)
        place = {value: at for at, value in enumerate(subject.secrets)}
        prior = np.array([subject.log_prior[place[self._values[state]]] for state in there])
        subject = replace(
            subject,
            person=person + 1,
            people=1,
            secrets=tuple(self._values[state] for state in there),
            log_prior=prior - np.logaddexp.reduce(prior),
            class_error=0.0,
            who=f"{person + 1} of a chain of {chain.n}",
            positions=(),
        )
        own = scores.indices[:, self._axis]
        start = int(own.min()) * (chain.n - len(known)) + sum(int(own[state]) for state in known.values())
        with np.errstate(divide="ignore"):
            logs = np.log(laws[there])
        # Products and sums of positive numbers only, some n·k of them for each mass.
        error = 8 * (chain.n * (chain.states + 4) + 64 + float(np.max(-logs, where=logs > -np.inf, initial=0.0))) * UNIT
        law = Law((start,), np.zeros(logs.shape[1]), logs, error)
        lattice = scores.lattice.restricted([self._axis])
        mechanism = noise.on([self._axis]).mechanism(lattice)
        channel = FiniteChannel(
            subject,
            lambda: mechanism.likelihood(law),
            mechanism,
            spread_of(joint.strata(), scores, subject.stratum),
            (scores.names[self._axis],),
            self._release.secrets.pairs_of(subject),
            (self._axis,),
        )
        near = {at: state for at, state in known.items() if at in _nearest(person, known)}
        said = f"; {len(known) - len(near):,} records further off known" if len(known) > len(near) else ""
        return KnowingView(channel, {at + 1: self._values[state] for at, state in sorted(near.items())}, said)


def _even(records: int, number: int) -> list[int]:
    """So many places of so many, from 0, as evenly as may be, with as much left at the far end."""
    return sorted({min(records - 1, round((records + 1) * (at + 1) / (number + 1)) - 1) for at in range(number)})


def _nearest(person: int, known: Mapping[int, int]) -> set[int]:
    """The nearest known record on either side."""
    before, after = [at for at in known if at < person], [at for at in known if at > person]
    return {*([max(before)] if before else []), *([min(after)] if after else [])}
