"""The joint law of a Markov chain's records: forward and backward messages, all people at once (Theory §4).

Probabilities are held in unlimited range, and those derived from them: a value is impossible where no path of possible
steps leads to it, and nowhere else.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from math import log2
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.joints.chain.products import running
from dalenius.joints.chain.symmetry import Alike, alike_places
from dalenius.joints.joint import Joint, Stratum, Subject, impossible, known_places
from dalenius.laws.law import Array, IntArray
from dalenius.laws.numbers.masses import Masses
from dalenius.laws.transform import Element, Transform
from dalenius.schema import RecordValue


@final
class MarkovChain(Joint):
    """values: every record's universe (k,); initial (k,); matrices (m, k, k), by rows: the transition matrices there
    are, and which of them each step is, (n - 1,); labels: one public label per record."""

    def __init__(
        self,
        values: Sequence[RecordValue],
        initial: Masses,
        matrices: Masses,
        which: IntArray,
        labels: Sequence[str] | None = None,
    ) -> None:
        self._values = tuple(values)
        self._initial = initial
        self._matrices = matrices
        self._which = which
        self._n = len(which) + 1
        self._labels = tuple(labels) if labels is not None else ("",) * self._n
        self._kinds = list(dict.fromkeys(self._labels))
        self._stratum = [self._kinds.index(label) for label in self._labels]
        # Each record's law but for the roundings of the rows' sums.
        self._forward = running(initial, self.steps)
        self._possible = self._forward.solid

    def __len__(self) -> int:
        return self._n

    @property
    def steps(self) -> Masses:
        """Every step's transition matrix (n - 1, k, k), by rows."""
        return self._matrices[self._which]

    @property
    def one_step(self) -> Masses | None:
        """The transition matrix (k, k) of all steps; None where they are not the same, or there is none."""
        return self._matrices[0] if len(self._matrices) == 1 and self._n > 1 else None

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Which values each record can have (n, k)."""
        return self._possible

    @cached_property
    def masses(self) -> Masses:
        """Every record's law (n, k)."""
        return self._forward.over(self._forward.summed((-1,)).with_last_axis())

    @property
    def marginals(self) -> Array:
        """Every record's law in doubles (n, k), where a value that can occur may be 0: `possible` tells."""
        return self.masses.doubles()

    @cached_property
    def log_marginals(self) -> Array:
        """The logs of every record's law (n, k): -inf where a value cannot occur."""
        return _logs(self.masses)

    @cached_property
    def backward(self) -> Masses:
        """Pr[X_place = s | X_place+1 = t] at (place, t, s), (n - 1, k, k); where t cannot occur all s are as likely."""
        arriving = self._forward[:-1].with_last_axis().times(self.steps).turned()
        # What one place divides by the next multiplies with, rounding and all: the product along the chain keeps the
        # roundings of single steps only.
        given = arriving.over(self._forward[1:].with_last_axis())
        return given.filled(self._possible[1:, :, None], 1 / len(self._values))

    @property
    def slots(self) -> IntArray:
        """Every record's slots (n, k)."""
        states = len(self._values)
        return np.arange(states) + states * np.array(self._stratum, dtype=np.int64)[:, None]

    @property
    def even(self) -> tuple[Array, Array] | None:
        """The first record's law and the one transition matrix; None where steps or labels are not all the same, or
        doubles do not hold the law."""
        if self.one_step is None or len(self._kinds) > 1 or not (self._initial.fits and self.one_step.fits):
            return None
        return self._initial.doubles(), self.one_step.doubles()

    @cached_property
    def _classes(self) -> tuple[Alike, ...]:
        even = self.even if len(self._values) == 2 else None
        return alike_places(self._n, *(even or (self._initial.doubles(), None)))

    def strata(self) -> tuple[Stratum, ...]:
        return tuple(Stratum(label, self._values, self._labels.count(label)) for label in self._kinds)

    def subjects(self) -> tuple[Subject, ...]:
        return tuple(self._subject(alike) for alike in self._classes)

    def subject_of(self, person: int) -> Subject:
        if not 1 <= person <= self._n:
            raise InputError("secrets.people", person, f"a person's number from 1 to {self._n}")
        return self._subject(next(alike for alike in self._classes if person - 1 in alike))

    def _subject(self, alike: Alike) -> Subject:
        possible = np.flatnonzero(self._possible[alike.first])
        return Subject(
            person=alike.first + 1,
            people=alike.people,
            stratum=self._stratum[alike.first],
            secrets=tuple(self._values[state] for state in possible),
            log_prior=self.log_marginals[alike.first][possible],
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
        allowed = np.ones((self._n, len(self._values)), dtype=np.bool_)
        for person, place in places.items():
            allowed[person - 1] = np.arange(len(self._values)) == place
        steps = self.steps.where(allowed[1:, None, :])
        # What is known later on, given each state: the same products from the other end.
        certain = Masses.of(np.ones(len(self._values)))
        ahead = running(certain, steps.turned()[::-1])[::-1]
        first = self._initial.where(allowed[0]).times(ahead[0])
        if not first.solid.any():
            raise impossible(known)
        given = steps.times(ahead[1:, None, :]).over(ahead[:-1].with_last_axis())
        # A state from which what is known cannot be reached has any row.
        matrices = given.filled(ahead[:-1].solid[:, :, None], 1 / len(self._values))
        initial = first.over(first.summed((-1,)))
        return MarkovChain(self._values, initial, matrices, np.arange(self._n - 1), self._labels)

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
            for state in np.flatnonzero(self._possible[place]):
                sides = [side[state] for side in (before, after[place]) if side is not None]
                elements.append(transform.product([factors[place][state], *sides], [1] * (1 + len(sides))))
            yield subjects[place], elements

    def total(self, transform: Transform[Element]) -> Element:
        factors = self._factors(transform)
        message = self._after(transform, factors, frozenset([0]))[0]
        return transform.mix(self.log_marginals[0], self._times(transform, factors[0], message))

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
            message = self._message(transform, factors[place + 1], message, self._log_matrices[self._which[place]])
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
    def _log_matrices(self) -> Array:
        return _logs(self._matrices)

    @cached_property
    def _log_back(self) -> Array:
        """log Pr[X_place | X_place+1] (n - 1, k, k): rows are the later record's states."""
        return _logs(self.backward)

    def outcome_count(self) -> int:
        # Past any use, and as a float 2^1024 would overflow.
        return int(len(self._values) ** self._n) if self._n * log2(len(self._values)) < 200 else 2**200

    def outcomes(self) -> tuple[IntArray, Array]:
        k = len(self._values)
        states = np.flatnonzero(self._possible[0])[:, None]
        logs = self.log_marginals[0][states[:, 0]]
        for matrix in self._which:
            grown = (logs[:, None] + self._log_matrices[matrix][states[:, -1]]).ravel()
            wide = [np.repeat(states, k, axis=0), np.tile(np.arange(k), len(logs))[:, None]]
            states, logs = np.concatenate(wide, axis=1)[grown > -np.inf], grown[grown > -np.inf]
        return (states + k * np.array(self._stratum)).astype(np.int64), logs

    def people(self) -> tuple[int, ...]:
        return tuple(range(1, self._n + 1))

    def group_strata(self) -> tuple[IntArray, ...]:
        return (np.bincount(self._stratum, minlength=len(self._kinds)),)


def _logs(masses: Masses) -> Array:
    """Rounded once where a double holds the number."""
    numbers = masses.doubles()
    plain = numbers >= np.finfo(np.float64).tiny
    return np.where(plain, np.log(np.where(plain, numbers, 1.0)), masses.logs())
