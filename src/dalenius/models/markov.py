"""The joint law of a Markov chain's records: forward and backward messages, all people at once (THEORY §4)."""

from collections.abc import Collection, Iterator, Sequence
from math import log2
from typing import final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.laws.transform import Element, Transform
from dalenius.models.model import Joint, Stratum, Subject
from dalenius.schema import RecordValue


@final
class MarkovChain(Joint):
    """values: every record's universe (k,); initial (k,); steps: the n - 1 transition matrices (k, k), by rows."""

    def __init__(self, values: Sequence[RecordValue], initial: Array, steps: Sequence[Array]) -> None:
        self._values = tuple(values)
        self._steps = tuple(steps)
        marginals = [initial]
        for step in steps:
            # Sums of products of non-negative numbers: rare states keep their relative accuracy.
            marginals.append(marginals[-1] @ step / (marginals[-1] @ step).sum())
        self._marginals = np.array(marginals)

    @property
    def _n(self) -> int:
        return len(self._marginals)

    def strata(self) -> tuple[Stratum, ...]:
        return (Stratum("", self._values, self._n),)

    def subjects(self) -> tuple[Subject, ...]:
        return tuple(self.subject_of(person) for person in range(1, self._n + 1))

    def subject_of(self, person: int) -> Subject:
        if not 1 <= person <= self._n:
            raise InputError("secrets.people", person, f"a person's number from 1 to {self._n}")
        possible = np.flatnonzero(self._marginals[person - 1] > 0)
        return Subject(
            person=person,
            people=1,
            stratum=0,
            secrets=tuple(self._values[state] for state in possible),
            log_prior=np.log(self._marginals[person - 1][possible]),
            dependents=self._n,
            who=f"record {person} of a chain of {self._n}",
        )

    def groups(self) -> tuple[frozenset[int], ...]:
        return (frozenset([0]),)

    def part(self, groups: Collection[int]) -> "MarkovChain":
        return self

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        factors = self._factors(transform)
        after = self._after(transform, factors)
        before: list[Element] | None = None
        for place, subject in enumerate(self.subjects()):
            if place > 0:
                before = self._message(transform, factors, before, self._reversed(place - 1))
            elements = []
            for state in np.flatnonzero(self._marginals[place] > 0):
                sides = [side[state] for side in (before, after[place]) if side is not None]
                elements.append(transform.product([factors[state], *sides], [1] * (1 + len(sides))))
            yield subject, elements

    def total(self, transform: Transform[Element]) -> Element:
        factors = self._factors(transform)
        message: list[Element] | None = None
        for step in reversed(self._steps):
            message = self._message(transform, factors, message, step)
        with np.errstate(divide="ignore"):
            return transform.mix(np.log(self._marginals[0]), self._times(transform, factors, message))

    def _factors(self, transform: Transform[Element]) -> list[Element]:
        states = range(len(self._values))
        one = np.ones((1, 1), dtype=np.int64)
        return [transform.mean(np.zeros(1), np.array([state]), one) for state in states]

    def _after(self, transform: Transform[Element], factors: list[Element]) -> list[list[Element] | None]:
        """E[ prod_{j > i} factor(X_j) | X_i = state ] for every i; None at the end of the chain."""
        messages: list[list[Element] | None] = [None]
        for step in reversed(self._steps):
            messages.append(self._message(transform, factors, messages[-1], step))
        return messages[::-1]

    def _message(
        self, transform: Transform[Element], factors: list[Element], message: list[Element] | None, step: Array
    ) -> list[Element]:
        """One record further: the average over its state, given each state (a row of `step`) of its neighbour."""
        with np.errstate(divide="ignore"):
            logs = np.log(step)
        return [transform.mix(row, self._times(transform, factors, message)) for row in logs]

    @staticmethod
    def _times(transform: Transform[Element], factors: list[Element], message: list[Element] | None) -> list[Element]:
        if message is None:
            return factors
        return [transform.product([factor, rest], [1, 1]) for factor, rest in zip(factors, message, strict=True)]

    def _reversed(self, place: int) -> Array:
        """Pr[X_place | X_place+1]: rows are the later record's states; a state that cannot occur gets any row."""
        joint = (self._marginals[place][:, None] * self._steps[place]).T
        mass = joint.sum(axis=1, keepdims=True)
        return np.where(mass > 0, joint / np.where(mass > 0, mass, 1.0), 1 / len(self._values))

    def outcome_count(self) -> int:
        # Past any use, and as a float 2^1024 would overflow.
        return int(len(self._values) ** self._n) if self._n * log2(len(self._values)) < 200 else 2**200

    def outcomes(self) -> tuple[IntArray, Array]:
        with np.errstate(divide="ignore"):
            slots = np.flatnonzero(self._marginals[0] > 0)[:, None]
            logs = np.log(self._marginals[0][slots[:, 0]])
            for step in self._steps:
                k = len(self._values)
                grown = (logs[:, None] + np.log(step)[slots[:, -1]]).ravel()
                slots = np.concatenate([np.repeat(slots, k, axis=0), np.tile(np.arange(k), len(logs))[:, None]], axis=1)
                slots, logs = slots[grown > -np.inf], grown[grown > -np.inf]
        return slots.astype(np.int64), logs

    def people(self) -> tuple[int, ...]:
        return tuple(range(1, self._n + 1))

    def group_strata(self) -> tuple[IntArray, ...]:
        return (np.array([self._n], dtype=np.int64),)


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
