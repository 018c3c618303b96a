"""The joint law of a Markov chain's records: forward and backward messages, all people at once (THEORY §4)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from math import log2
from typing import final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.laws.transform import Element, Transform
from dalenius.models.alike import Alike, alike_places
from dalenius.models.model import Joint, Stratum, Subject, impossible, known_places
from dalenius.schema import RecordValue


@final
class MarkovChain(Joint):
    """values: every record's universe (k,); initial (k,); steps: the transition matrices (k, k), by rows: n - 1 of
    them, the same object wherever the step is the same; labels: one public label per record."""

    def __init__(
        self,
        values: Sequence[RecordValue],
        initial: Array,
        steps: Sequence[Array],
        labels: Sequence[str] | None = None,
    ) -> None:
        self._values = tuple(values)
        self._initial = initial
        self._steps = tuple(steps)
        self._labels = tuple(labels) if labels is not None else ("",) * (len(steps) + 1)
        self._kinds = list(dict.fromkeys(self._labels))
        self._stratum = [self._kinds.index(label) for label in self._labels]
        marginals = [initial]
        for step in steps:
            # Sums of products of non-negative numbers: rare states keep their relative accuracy.
            marginals.append(marginals[-1] @ step / (marginals[-1] @ step).sum())
        self._marginals = np.array(marginals)

    @property
    def _n(self) -> int:
        return len(self._marginals)

    @property
    def steps(self) -> tuple[Array, ...]:
        """The transition matrices (k, k), by rows."""
        return self._steps

    @property
    def marginals(self) -> Array:
        """Every record's law (n, k)."""
        return self._marginals

    @property
    def slots(self) -> IntArray:
        """Every record's slots (n, k)."""
        states = len(self._values)
        return np.arange(states) + states * np.array(self._stratum, dtype=np.int64)[:, None]

    @property
    def even(self) -> tuple[Array, Array] | None:
        """The first record's law and the one transition matrix; None where steps or labels are not all the same."""
        alike = len({id(step) for step in self._steps}) == 1 and len(self._kinds) == 1
        return (self._initial, self._steps[0]) if alike else None

    @cached_property
    def _classes(self) -> tuple[Alike, ...]:
        step = self.even[1] if self.even is not None and len(self._values) == 2 else None
        return alike_places(self._n, self._initial, step)

    def strata(self) -> tuple[Stratum, ...]:
        return tuple(Stratum(label, self._values, self._labels.count(label)) for label in self._kinds)

    def subjects(self) -> tuple[Subject, ...]:
        return tuple(self._subject(alike) for alike in self._classes)

    def subject_of(self, person: int) -> Subject:
        if not 1 <= person <= self._n:
            raise InputError("secrets.people", person, f"a person's number from 1 to {self._n}")
        return self._subject(next(alike for alike in self._classes if person - 1 in alike))

    def _subject(self, alike: Alike) -> Subject:
        possible = np.flatnonzero(self._marginals[alike.first] > 0)
        return Subject(
            person=alike.first + 1,
            people=alike.people,
            stratum=self._stratum[alike.first],
            secrets=tuple(self._values[state] for state in possible),
            log_prior=np.log(self._marginals[alike.first][possible]),
            dependents=self._n,
            who=f"{alike} of a chain of {self._n}",
            apart=alike.apart,
        )

    def groups(self) -> tuple[frozenset[int], ...]:
        return (frozenset(self._stratum),)

    def part(self, groups: Collection[int]) -> "MarkovChain":
        return self

    def one_of(self, group: int) -> "MarkovChain":
        return self

    def given(self, known: Mapping[int, RecordValue]) -> "MarkovChain":
        for person in known:
            self.subject_of(person)
        places = known_places(known, dict.fromkeys(known, self._values))
        allowed = np.ones((self._n, len(self._values)))
        for person, place in places.items():
            allowed[person - 1] = np.arange(len(self._values)) == place
        # What is known later on, given each state: sums of products of non-negative numbers, scaled at every step.
        ahead, steps = allowed[-1], []
        for step, here in zip(self._steps[::-1], allowed[-2::-1], strict=True):
            row = (step * ahead).sum(axis=1, keepdims=True)
            steps.append(np.where(row > 0, step * ahead, ahead > 0) / np.where(row > 0, row, (ahead > 0).sum()))
            ahead = here * row[:, 0]
            ahead = ahead / (ahead.max() or 1.0)
        first = self._initial * ahead
        if not first.sum() > 0:
            raise impossible(known)
        return MarkovChain(self._values, first / first.sum(), steps[::-1], self._labels)

    def number_of(self, name: str) -> int | None:
        return None

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        factors = self._factors(transform)
        subjects = {alike.first: self._subject(alike) for alike in self._classes}
        after = self._after(transform, factors, frozenset(subjects))
        before: list[Element] | None = None
        for place in range(max(subjects) + 1):
            if place > 0:
                before = self._message(transform, factors[place - 1], before, self._log_back[place - 1])
            if place not in subjects:
                continue
            elements = []
            for state in np.flatnonzero(self._marginals[place] > 0):
                sides = [side[state] for side in (before, after[place]) if side is not None]
                elements.append(transform.product([factors[place][state], *sides], [1] * (1 + len(sides))))
            yield subjects[place], elements

    def total(self, transform: Transform[Element]) -> Element:
        factors = self._factors(transform)
        message = self._after(transform, factors, frozenset([0]))[0]
        with np.errstate(divide="ignore"):
            return transform.mix(np.log(self._marginals[0]), self._times(transform, factors[0], message))

    def _factors(self, transform: Transform[Element]) -> list[list[Element]]:
        """By place and state; places of one label share theirs."""
        states, one = len(self._values), np.ones((1, 1), dtype=np.int64)
        kinds = [
            [transform.mean(np.zeros(1), np.array([kind * states + state]), one) for state in range(states)]
            for kind in range(len(self._kinds))
        ]
        return [kinds[stratum] for stratum in self._stratum]

    def _after(
        self, transform: Transform[Element], factors: list[list[Element]], wanted: Collection[int]
    ) -> dict[int, list[Element] | None]:
        """E[ prod_{j > i} factor(X_j) | X_i = state ] for every wanted place i; None at the end of the chain."""
        message: list[Element] | None = None
        kept = {self._n - 1: message}
        for place in range(self._n - 2, min(wanted) - 1, -1):
            message = self._message(transform, factors[place + 1], message, self._log_steps[id(self._steps[place])])
            if place in wanted:
                kept[place] = message
        return kept

    def _message(
        self, transform: Transform[Element], factors: list[Element], message: list[Element] | None, logs: Array
    ) -> list[Element]:
        """One record further: the average over its state, given each state (a row of `logs`) of its neighbour."""
        further = self._times(transform, factors, message)
        return [transform.mix(row, further) for row in logs]

    @staticmethod
    def _times(transform: Transform[Element], factors: list[Element], message: list[Element] | None) -> list[Element]:
        if message is None:
            return factors
        return [transform.product([factor, rest], [1, 1]) for factor, rest in zip(factors, message, strict=True)]

    @cached_property
    def _log_steps(self) -> dict[int, Array]:
        """By the identity of the matrix."""
        with np.errstate(divide="ignore"):
            return {id(step): np.log(step) for step in self._steps}

    @cached_property
    def _log_back(self) -> Array:
        """log Pr[X_place | X_place+1] (n - 1, k, k): rows are the later record's states; one that cannot occur gets any
        row."""
        joint = np.swapaxes(self._marginals[:-1, :, None] * np.array(self._steps), 1, 2)
        mass = joint.sum(axis=2, keepdims=True)
        with np.errstate(divide="ignore"):
            return np.log(np.where(mass > 0, joint / np.where(mass > 0, mass, 1.0), 1 / len(self._values)))

    def outcome_count(self) -> int:
        # Past any use, and as a float 2^1024 would overflow.
        return int(len(self._values) ** self._n) if self._n * log2(len(self._values)) < 200 else 2**200

    def outcomes(self) -> tuple[IntArray, Array]:
        k = len(self._values)
        with np.errstate(divide="ignore"):
            states = np.flatnonzero(self._marginals[0] > 0)[:, None]
            logs = np.log(self._marginals[0][states[:, 0]])
            for step in self._steps:
                grown = (logs[:, None] + np.log(step)[states[:, -1]]).ravel()
                wide = [np.repeat(states, k, axis=0), np.tile(np.arange(k), len(logs))[:, None]]
                states, logs = np.concatenate(wide, axis=1)[grown > -np.inf], grown[grown > -np.inf]
        return (states + k * np.array(self._stratum)).astype(np.int64), logs

    def people(self) -> tuple[int, ...]:
        return tuple(range(1, self._n + 1))

    def group_strata(self) -> tuple[IntArray, ...]:
        return (np.bincount(self._stratum, minlength=len(self._kinds)),)


def stationary(step: Array) -> Array:
    """The stationary law of an irreducible chain, without subtractions (Grassmann, Taksar and Heyman): relatively
    accurate however close to decomposable the chain is."""
    work = step.astype(np.float64).copy()
    last = len(work) - 1
    for state in range(last, 0, -1):
        leaving = work[state, :state].sum()
        work[:state, state] /= leaving
        work[:state, :state] += np.outer(work[:state, state], work[state, :state])
    law = np.zeros(last + 1)
    law[0] = 1.0
    for state in range(1, last + 1):
        law[state] = law[:state] @ work[:state, state]
    return np.asarray(law / law.sum())
