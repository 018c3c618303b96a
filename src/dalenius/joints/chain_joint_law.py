"""The joint law of a Markov chain's records: forward and backward messages, all people at once (Theory §4).

Most records of a binary chain are exchangeable up to a counted error, so that one stands for all in the middle
(Result 4.2): of 400 days that stay as they are with probability .9 or .8, those from the 120th to the 281st.

Any symmetric answer is a function of N, how many records are 1. Write F_a(s) for E[z^N; X = s] with N over the a
records before one, H_b(s) for E[z^N | X = s] over the b after it. Both obey the chain's recurrence of order two,
whose determinant is δz with δ = det P. So, wherever a record has d or more others on both sides,

    F_d H_(d+m) - F_(d+t) H_(d+m-t) = (δz)^d (F_0 H_m - F_t H_(m-t)).

Let R be the largest ratio of two entries in one column of P, and R₀ that of an entry of `initial` to one of P. Then
the right side is at most |δ|^d R (1 + R₀) min_c H_m(c), coefficient by coefficient, shifted by d; and F_d H_(d+m) is
at least κ min_c H_m(c) there, where κ = [z^d] F_d H_d is the mass with d ones among the nearest 2d. Hence the laws of
N given two such records differ by a factor within 1 ± x everywhere, x = |δ|^d R (1 + R₀) / κ.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.joints.joint import Case, Joint, Stratum, Subject, own_label
from dalenius.joints.known_records import ImpossibleTogether, Unconditioned, known_places
from dalenius.joints.limits import MOST_STEP_CELLS
from dalenius.joints.markov_chain_factor import MarkovChain, given_records, markov_chain, running
from dalenius.laws.extended_range import Masses
from dalenius.laws.generating_function_algebra import Element, Transform


def stationary(step: Masses) -> Masses:
    """Returns the stationary law (k,) of an irreducible chain, `step` (k, k), without subtractions.

    The method of Grassmann, Taksar and Heyman (Operations Research 33(5), 1985) is relatively accurate however close
    to decomposable the chain is, and however rare a state.

    >>> stationary(Masses.of(np.array([[0.9, 0.1], [0.2, 0.8]]))).doubles().round(6).tolist()
    [0.666667, 0.333333]
    """
    work = step
    rates: list[Masses] = []
    # So that there are only sums of products: states are left out one by one, and their detours added to the others'
    # steps.
    for state in range(len(step) - 1, 0, -1):
        leaving = work[state, :state]
        rates.append(work[:state, state].over(leaving.summed((0,))))
        detour = rates[-1].with_last_axis().times(leaving)
        work = Masses.joined([work[None, :state, :state], detour[None]]).summed((0,))
    law = Masses.of(np.ones(1))
    for rate in reversed(rates):
        law = Masses.joined([law, law.times(rate).summed((0,))[None]])
    return law.over(law.summed((0,)))


_DEEPEST: Final = 4096
"""Records from an end beyond which none is looked for that is like the middle: each is a class of its own then."""
_FAINTEST: Final = 1e-290
"""Least double that is precise enough to decide symmetry."""


@final
@dataclass(frozen=True)
class _Places:
    """A class of exchangeable records, by their places from 0: first, .., last, or these two only (mirrored).

    class_error: how far, in nats, log Pr[answer | record] of any of them may be from that of the first.
    """

    first: int
    last: int
    mirrored: bool = False
    class_error: float = 0.0

    def __contains__(self, place: int) -> bool:
        return place in (self.first, self.last) if self.mirrored else self.first <= place <= self.last

    @property
    def people(self) -> int:
        return 2 if self.mirrored else self.last - self.first + 1

    @property
    def rows(self) -> tuple[tuple[int, int], ...]:
        """The first and the last position of each row of them, from 1."""
        first, last = self.first + 1, self.last + 1
        return ((first, first), (last, last)) if self.mirrored else ((first, last),)

    def __str__(self) -> str:
        if self.first == self.last:
            return f"record {self.first + 1}"
        return f"records {self.first + 1} {'and' if self.mirrored else 'to'} {self.last + 1}"


def exchangeable_places(n: int, initial: Array, step: Array | None) -> tuple[_Places, ...]:
    """Returns the equivalence classes of a chain's n places, in order.

    A stationary binary chain is reversible: places at equal distances from the two ends are exchangeable exactly. In
    the middle all are, up to an error in nats that is counted, where one matrix without zeros leads all steps (Result
    4.2). The error falls like |det P|^d with the distance d from the ends.

    Args:
        n: How many records there are.
        initial: The law of the first record (2,).
        step: The only transition matrix (2, 2), by rows; None if there is none.
    """
    # The case of steps that change over time, or that are impossible one way: every day is a class of its own.
    if step is None or not (step > 0).all():
        return tuple(_Places(place, place) for place in range(n))
    depth, class_error = _depth(n, initial, step)
    stationary = np.array([step[1, 0], step[0, 1]]) / (step[1, 0] + step[0, 1])
    # Because a chain that begins in its stationary law reads the same from both ends, classes are pairs of days.
    near = np.all(np.abs(initial - stationary) <= 8 * UNIT * stationary)
    mirrored = bool(near and stationary.min() > _FAINTEST)
    ends = [(place, n - 1 - place) for place in range(min(depth, n // 2))]
    middle = [_Places(len(ends), n - 1 - len(ends), class_error=class_error)] if n > 2 * len(ends) else []
    if mirrored:
        return (*(_Places(*pair, mirrored=True, class_error=32 * UNIT) for pair in ends), *middle)
    return (
        *(_Places(first, first) for first, _ in ends),
        *middle,
        *(_Places(last, last) for _, last in reversed(ends)),
    )


def _depth(n: int, initial: Array, step: Array) -> tuple[int, float]:
    """Returns how many places at each end are classes of their own, and the middle class's error.

    All are if n is small.
    """
    everybody = (n + 1) // 2
    # Because this is a thirtieth of the count of so many steps' roundings; in nats.
    negligible = n * UNIT
    determinant = abs(float(step[0, 0] - step[1, 0]))
    # The case of nearly impossible steps: the bound's ratio is past doubles, and every place is a class of its own.
    if step.min() < _FAINTEST:
        return everybody, 0.0
    ratio = float(np.max(step.max(axis=0) / step.min(axis=0)))
    constant = ratio * (1 + float(np.max(initial / step.min(axis=0))))
    before, after = initial[:, None], np.ones((2, 1))
    for depth in range(min(n // 2, _DEEPEST)):
        if constant * determinant**depth < negligible:
            # The mass with d ones among the nearest 2d, for the value that has less (see the module).
            kappa = min(float(b @ a[::-1]) for b, a in zip(before, after, strict=True))
            difference = constant * determinant**depth / kappa if kappa > _FAINTEST else np.inf
            if difference < negligible / 3:
                return depth, 3 * difference
        # Because F_{a+1}(s) = Σ_t F_a(t) z^t P(t,s) and H_{b+1}(s) = Σ_t P(s,t) z^t H_b(t).
        before, after = step.T @ _shifted(before), step @ _shifted(after)
    return everybody, 0.0


def _shifted(rows: Array) -> Array:
    """Multiplies row t by z^t."""
    return np.array([np.append(rows[0], 0.0), np.append(0.0, rows[1])])


def check_length(records: int, values: int) -> None:
    """Raises TooLarge where so many `records` of so many `values` each do not fit in memory."""
    most = MOST_STEP_CELLS // values**2
    if records > most:
        shown = f"a chain of {records:,} records of {values} values"
        raise TooLarge("model.n", shown, f"use {most:,} at most, or several chains", MOST_STEP_CELLS)


@final
class ChainLaw(Joint):
    """The joint law of records that form one Markov chain.

    400 days in their stationary law: 119 pairs of days, each as far from one end as from the other, and one class of
    the 162 in the middle (Result 4.2).

    >>> start, step = Masses.of(np.array([2 / 3, 1 / 3])), Masses.of(np.array([[[0.9, 0.1], [0.2, 0.8]]]))
    >>> classes = ChainLaw((0, 1), start, step, np.zeros(399, dtype=np.int64)).subjects()
    >>> len(classes), classes[0].positions, (classes[-1].person, classes[-1].people)
    (120, ((1, 1), (400, 400)), (120, 162))

    Args:
        values: Every record's universe (k,).
        initial: The law of the first record (k,).
        matrices: The distinct transition matrices (m, k, k), by rows.
        which: The number of each step's matrix (n - 1,).
        labels: One public label per record; None where all have the same.
        error: By how many nats, at most, the log of a path's probability may be off.
        unconditioned: The chain before some records became known; None where none did.
    """

    def __init__(
        self,
        values: Sequence[RecordValue],
        initial: Masses,
        matrices: Masses,
        which: IntArray,
        labels: Sequence[str] | None = None,
        error: float = 0.0,
        unconditioned: Unconditioned | None = None,
    ) -> None:
        """Makes the chain. TooLarge where so many records do not fit in memory."""
        check_length(len(which) + 1, len(values))
        self.error = error
        self.values = tuple(values)
        self._n = len(which) + 1
        self.labels = tuple(labels) if labels is not None else ("",) * self._n
        self._kinds = list(dict.fromkeys(self.labels))
        number = {label: kind for kind, label in enumerate(self._kinds)}
        self._stratum = [number[label] for label in self.labels]
        chain = markov_chain(initial, matrices, which, np.array(self._stratum, dtype=np.int64))
        self._chain = replace(chain, unconditioned=unconditioned)

    @property
    def chain(self) -> MarkovChain:
        return self._chain

    def factors(self) -> tuple[MarkovChain]:
        return (self._chain,)

    @cached_property
    def _all_differ(self) -> bool:
        """Whether no two places are known to be exchangeable."""
        even = self._chain.even if len(self.values) == 2 else None
        return even is None or not (even[1] > 0).all()

    @cached_property
    def _classes(self) -> tuple[_Places, ...]:
        """The classes of exchangeable places; some are known for two values and one matrix, else each is one."""
        even = self._chain.even if len(self.values) == 2 else None
        return exchangeable_places(self._n, *(even or (self._chain.initial.doubles(), None)))

    def strata(self) -> tuple[Stratum, ...]:
        return tuple(Stratum(label, self.values, self.labels.count(label)) for label in self._kinds)

    def subjects(self) -> tuple[Subject, ...]:
        return tuple(self._subject(places) for places in self._classes)

    def subject_of(self, person: int, single: bool = False) -> Subject:
        """Returns the class of the place of `person`, from 1 to n, else InputError; `single` changes nothing."""
        if not 1 <= person <= self._n:
            raise InputError("secrets.people", person, f"a person's number from 1 to {self._n}")
        if self._all_differ:
            return self._subject(_Places(person - 1, person - 1))
        return self._subject(next(places for places in self._classes if person - 1 in places))

    def _subject(self, places: _Places) -> Subject:
        """Returns the class of these places; its first place's law stands for all, up to the class's error."""
        possible = np.flatnonzero(self._chain.possible[places.first])
        return Subject(
            person=places.first + 1,
            people=places.people,
            stratum=self._stratum[places.first],
            secrets=tuple(self.values[state] for state in possible),
            log_prior=self._chain.log_marginals[places.first][possible],
            dependents=self._n,
            who=f"{places} of a chain of {self._n}",
            class_error=places.class_error + 2 * self.error,
            positions=places.rows,
        )

    def part(self, factors: Collection[int], first_only: bool = False) -> "ChainLaw":
        """Returns the chain itself: it is one factor of one group, whatever `factors` and `first_only` are."""
        return self

    def given(self, known: Mapping[int, RecordValue]) -> "ChainLaw":
        """Returns the law given the `known` records, again a chain.

        Its steps differ: each is weighed by what later known records say of the place it leads to.
        """
        for person in known:
            self.subject_of(person)
        places = known_places(known, dict.fromkeys(known, self.values))
        allowed = np.ones((self._n, len(self.values)), dtype=np.bool_)
        for person, place in places.items():
            allowed[person - 1] = np.arange(len(self.values)) == place
        steps = self._chain.steps.where(allowed[1:, None, :])
        # Because Pr[the later known records | each state] is the same product from the other end.
        certain = Masses.of(np.ones(len(self.values)))
        ahead = running(certain, steps.turned()[::-1])[::-1]
        first = self._chain.initial.where(allowed[0]).times(ahead[0])
        # The case of day 1 being 0 and day 2 being 1, where a 0 never becomes a 1.
        if not first.solid.any():
            raise ImpossibleTogether(known)
        given = steps.times(ahead[1:, None, :]).over(ahead[:-1].with_last_axis())
        # Because nothing arrives in a state from which the later known values have probability 0, any row does; an
        # empty one would make NaN.
        matrices = given.filled(ahead[:-1].solid[:, :, None], 1 / len(self.values))
        initial = first.over(first.summed((-1,)))
        own = self._chain.unconditioned or self._chain
        told = dict(own.known) if isinstance(own, Unconditioned) else {}
        told |= {person - 1: place for person, place in places.items()}
        before = Unconditioned(own.initial, own.matrices, own.which, tuple(sorted(told.items())))
        return ChainLaw(self.values, initial, matrices, np.arange(self._n - 1), self.labels, self.error, before)

    def apart(self, people: Mapping[int, str] | None, before: int = 0) -> "ChainLaw":
        own = {place: own_label(place + before) for place in range(1, self._n + 1)} if people is None else people
        labels = [own.get(place, label) for place, label in enumerate(self.labels, 1)]
        law = self._chain
        return ChainLaw(self.values, law.initial, law.matrices, law.which, labels, self.error, law.unconditioned)

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        """Yields the averages in the algebra of `transform`, from two messages: 2n steps for all people.

        The message from the end is kept at the places of classes; the one from the start goes along.
        """
        factors = self._factors(transform)
        subjects = {places.first: self._subject(places) for places in self._classes}
        after = self._after(transform, factors, frozenset(subjects))
        before: list[Element] | None = None
        for place in range(max(subjects) + 1):
            if place > 0:
                before = self._message(transform, factors[place - 1], before, self._chain.log_backward[place - 1])
            # Because ten thousand days may have a hundred classes: the message goes on, the products are not made.
            if place not in subjects:
                continue
            elements = []
            for state in np.flatnonzero(self._chain.possible[place]):
                sides = [side[state] for side in (before, after[place]) if side is not None]
                elements.append(transform.product([factors[place][state], *sides], [1] * (1 + len(sides))))
            yield subjects[place], elements

    def given_each(
        self, transform: Transform[Element], wanted: Sequence[tuple[int, ...]]
    ) -> Iterator[list[Case[Element]]]:
        # The case in which nobody asks: not even the factors are made.
        if wanted:
            yield from given_records(self._chain, self.values, transform, self._factors(transform), wanted)

    def total(self, transform: Transform[Element]) -> Element:
        factors = self._factors(transform)
        # So that of 1e5 days only one message is kept, that to the first day.
        message = self._after(transform, factors, frozenset([0]))[0]
        return transform.mix(self._chain.log_marginals[0], self._times(transform, factors[0], message))

    def _factors(self, transform: Transform[Element]) -> list[list[Element]]:
        """Returns the factors by place and state; places of one label share their elements."""
        states, one = len(self.values), np.ones((1, 1), dtype=np.int64)
        kinds = [
            [transform.mean(np.zeros(1), np.array([kind * states + state]), one) for state in range(states)]
            for kind in range(len(self._kinds))
        ]
        return [kinds[stratum] for stratum in self._stratum]

    def _after(
        self, transform: Transform[Element], factors: list[list[Element]], wanted: Collection[int]
    ) -> dict[int, list[Element] | None]:
        """Returns E[ prod_{j > i} factor(X_j) | X_i = state ] for each wanted place i; None at the chain's end."""
        message: list[Element] | None = None
        kept = {self._n - 1: message}
        for place in range(self._n - 2, min(wanted) - 1, -1):
            logs = self._chain.log_matrices[self._chain.which[place]]
            message = self._message(transform, factors[place + 1], message, logs)
            if place in wanted:
                kept[place] = message
        return kept

    def _message(
        self, transform: Transform[Element], factors: list[Element], message: list[Element] | None, logs: Array
    ) -> list[Element]:
        """Moves a message one record further: the average over its state, given each state of its neighbour.

        `logs` has the log-probabilities, a row for each state of the neighbour.
        """
        further = self._times(transform, factors, message)
        return [transform.mix(row, further) for row in logs]

    @staticmethod
    def _times(transform: Transform[Element], factors: list[Element], message: list[Element] | None) -> list[Element]:
        """Multiplies, state by state, a record's factor by the message that has come to it."""
        # The case of an end of the chain: nobody is beyond.
        if message is None:
            return factors
        return [transform.product([factor, rest], [1, 1]) for factor, rest in zip(factors, message, strict=True)]


def chain_of(joint: Joint) -> MarkovChain | None:
    """Returns the Markov chain of all records of `joint`, in the order of their numbers; None if it is none."""
    return joint.chain if isinstance(joint, ChainLaw) else None
