"""A joint law whose secrets are the records of several people together, or a function of them (Theory §2).

Let the people of a secret be I, in independent groups g of records. Given X_I = x these groups stay independent, and
all others keep their law, so

    E[prod factor | X_I = x] = prod_g E_g[prod factor | X_{I∩g} = x_g] · E[prod factor over all other groups],

and for a function f of the records it is the mean of these over the x with f(x) = s, by Pr[X_I = x | f(X_I) = s].

Take two people whose records are equal and 1 with probability 1/4, and f = "any member 1". All of Pr[f = 1] = 1/4 is in
(1, 1). So a count of the two is 2 given f = 1 and 0 given f = 0, and Laplace noise of scale b leaks 2/b nats of f.
"""

from collections import Counter
from collections.abc import Callable, Collection as Sized, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from math import lcm, prod
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.channel.answer_laws import AnswerComponent
from dalenius.channel.person import person_number
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity import axes_of, linked_coordinates
from dalenius.errors import InputError, TooLarge
from dalenius.fields import PersonKey, RecordValue
from dalenius.joints import count_people, one_group, people_of
from dalenius.joints.factor import Factor
from dalenius.joints.joint import Joint, Stratum, Subject
from dalenius.joints.secret_of_several import SecretOfSeveral
from dalenius.laws.convolution import Coefficients
from dalenius.laws.generating_function_algebra import Element, Transform
from dalenius.linked.functions import (
    RECORDS,
    Function,
    Graded,
    OnlyMasses,
    SecretLaw,
    State,
    function_of,
    gathered,
    normalised_law,
    of_both_parts,
)
from dalenius.linked.limits import MOST_WAYS
from dalenius.linked.people_groups import Collection, Places, everybody, independent_groups, located, of_size
from dalenius.queries import Scores


def _averages_of_others(
    joint: Joint, transform: Transform[Element]
) -> Callable[[Sequence[int]], tuple[Element] | None]:
    """Returns a function that averages over all groups but one of each of these factors; its values are kept.

    It returns None where no group is left. A town has a thousand households of five kinds, and pairs of people in two
    of them: fifteen products serve all pairs.
    """
    counts = [factor.count for factor in joint.factors()]
    each_group = [one_group(joint, number).total(transform) for number in range(len(counts))]

    @cache
    def product(left: tuple[int, ...]) -> Element:
        there = [(element, power) for element, power in zip(each_group, left, strict=True) if power]
        return transform.product([element for element, _ in there], [power for _, power in there])

    def without(factors: Sequence[int]) -> tuple[Element] | None:
        taken = Counter(factors)
        left = tuple(count - taken[number] for number, count in enumerate(counts))
        return (product(left),) if any(left) else None

    return without


@final
class Watched(Joint, SecretOfSeveral):
    """The law `joint` with one secret for each of the collections.

    A secret is the records of several people together, or a function's value of them. Its law and the answer's law
    given it are the module's products. All that is not about secrets is the law's own. TooLarge where the records of a
    collection can be in more than 16,384 ways.
    """

    def __init__(self, joint: Joint, collections: Sequence[Collection], function: Function) -> None:
        self._joint = joint
        self._collections = tuple(collections)
        self._function = function
        for collection in collections:
            self._check(collection)

    def _check(self, collection: Collection) -> None:
        """Raises TooLarge where the records of a collection can be in too many ways to list."""
        parts = [part for part in collection.parts if not self._graded(*part)]
        first = {factor: people_of(one_group(self._joint, factor)) for factor, _ in parts}
        people = [first[factor][place] for factor, places in parts for place in places]
        ways = prod(len(self._joint.subject_of(person).secrets) for person in people)
        # A household of 15 people asked record by record; asked "any member ill" it has two values, of any size.
        if ways > MOST_WAYS:
            instead = "ask a function of whole independent groups, such as number V, or use smaller groups"
            raise TooLarge("the records of a group of people", f"{ways:.2g} ways for them to be", instead, MOST_WAYS)

    def strata(self) -> tuple[Stratum, ...]:
        return self._joint.strata()

    def factors(self) -> tuple[Factor, ...]:
        return self._joint.factors()

    def subject_of(self, person: int, single: bool = False) -> Subject:
        return self._joint.subject_of(person)

    def number_of(self, name: str) -> int | None:
        return self._joint.number_of(name)

    def given(self, known: Mapping[int, RecordValue]) -> Joint:
        return self._joint.given(known)

    def part(self, factors: Sized[int], first_only: bool = False) -> Joint:
        return self._joint.part(factors, first_only)

    def total(self, transform: Transform[Element]) -> Element:
        return self._joint.total(transform)

    @cached_property
    def counting(self) -> IntArray | None:
        """The states of all slots in units of what they are multiples of, so that halves too are whole numbers."""
        # Whether any member is ill, or some household's total: no number that all records of the population add to.
        if (
            self._function.of_records
            or not self._function.adds
            or not all(each.everybody for each in self._collections)
        ):
            return None
        return np.array([int(state / self._unit) for state in self._numbers], dtype=np.int64)

    @cached_property
    def _unit(self) -> Fraction:
        """The unit that all states are multiples of."""
        return Fraction(1, lcm(*(state.denominator for state in self._numbers)))

    @cached_property
    def _numbers(self) -> list[Fraction]:
        """The states by slot, which are numbers."""
        return [Fraction(state) for state in self._states() if not isinstance(state, tuple)]

    def _states(self) -> list[State]:
        """The states by slot."""
        return [self._function.of(value) for stratum in self.strata() for value in stratum.values]

    @property
    def spanned(self) -> int:
        everything = sum(factor.count for factor in self.factors())
        return max(everything if each.everybody else len(each.parts) for each in self._collections)

    def subjects(self) -> tuple[Subject, ...]:
        return self._subjects

    @cached_property
    def _subjects(self) -> tuple[Subject, ...]:
        return tuple(self._subject(each, own) for each, own in zip(self._collections, self._priors, strict=True))

    @cached_property
    def _priors(self) -> list[SecretLaw[None]]:
        """The secrets' probabilities alone, of each collection."""
        if self.counting is None:
            return list(self._laws(OnlyMasses()))
        # A total of a thousand incomes: one polynomial holds its law, and nothing is joined state by state.
        grid = self._joint.total(Coefficients(self.counting[:, None]))
        mantissa, exponent = grid.split()
        there = np.flatnonzero(mantissa)
        logs = (np.log(mantissa[there]) + np.log(2.0) * exponent[there]).tolist()
        states = [self._unit * (grid.start[0] + place) for place in there.tolist()]
        law: SecretLaw[None] = {state: (log, None) for state, log in zip(states, logs, strict=True)}
        return [normalised_law(law)] * len(self._collections)

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        laws = self._laws(transform)
        for subject, law in zip(self._subjects, laws, strict=True):
            yield subject, [law[key][1] for key in self._ordered(law)]

    def rows_given(self, slots: IntArray) -> Iterator[tuple[Subject, list[NDArray[np.bool_]]]]:
        values = [value for stratum in self.strata() for value in stratum.values]
        column = {person: place for place, person in enumerate(people_of(self))}
        for subject, collection, law in zip(self._subjects, self._collections, self._priors, strict=True):
            places = [column[person] for person in collection.people]
            rows, which = np.unique(slots[:, places], axis=0, return_inverse=True)
            keys = [self._function.all_of(values[slot] for slot in row) for row in rows.tolist()]
            wanted = [[i for i, own in enumerate(keys) if own == key] for key in self._ordered(law)]
            yield subject, [np.isin(which.ravel(), own) for own in wanted]

    def _ordered(self, law: SecretLaw[Element]) -> list[State]:
        """Returns the states in order: records as they were found, by universe; a function's values in rising order."""
        return list(law) if self._function.of_records else sorted(law)

    def _laws(self, transform: Transform[Element]) -> Iterator[SecretLaw[Element]]:
        """Yields, for each collection in turn, the log of each secret's probability and the average given it."""
        # The whole population is one collection: a total that nobody may learn too well. No other group is left.
        if any(each.everybody for each in self._collections):
            yield from (normalised_law(self._by_state(self._joint, transform)) for _ in self._collections)
            return
        parts = self._parts(transform)
        rest_without = _averages_of_others(self._joint, transform)
        for collection in self._collections:
            law: SecretLaw[Element] = {}
            for part in collection.parts:
                # People of several households: these are independent, and come in one after the other.
                law = of_both_parts(transform, self._function, law, parts[part]) if law else parts[part]
            rest = rest_without([factor for factor, _ in collection.parts])
            yield {
                # Where every group has somebody of the collection, nobody else moves the answer.
                key: (log, own if rest is None else transform.product([own, rest[0]], [1, 1]))
                for key, (log, own) in normalised_law(law).items()
            }

    def _parts(self, transform: Transform[Element]) -> dict[tuple[int, Places], SecretLaw[Element]]:
        """Returns the law of each part of a collection in one group.

        A function of all of a group's records is graded along with the answer. If only some of them are asked, the
        values are listed.
        """
        found: dict[tuple[int, Places], SecretLaw[Element]] = {}
        wanted = dict.fromkeys(part for collection in self._collections for part in collection.parts)
        for number in dict.fromkeys(factor for factor, _ in wanted):
            group = one_group(self._joint, number)
            people = people_of(group)
            own = [places for factor, places in wanted if factor == number]
            for places in own:
                if self._graded(number, places):
                    found[number, places] = self._by_state(group, transform)
            # Two of a household of five, or the records themselves: every way for them to be, from one pass for all
            # places.
            listed = [places for places in own if (number, places) not in found]
            groups = [tuple(people[place] for place in places) for places in listed]
            for places, cases in zip(listed, group.given_each(transform, groups), strict=True):
                parts = [(self._function.all_of(values), (log, element)) for values, log, element in cases]
                found[number, places] = gathered(transform, parts)
        return found

    def _graded(self, factor: int, places: Places) -> bool:
        """Says whether it is a function of all records of a group of several; others are listed as quickly."""
        return not self._function.of_records and len(places) == self.factors()[factor].size > 1

    def _by_state(self, joint: Joint, transform: Transform[Element]) -> SecretLaw[Element]:
        """Returns the averages by value of the function of all records of a law."""
        return joint.total(Graded(transform, self._function, self._states()))

    def _subject(self, collection: Collection, law: SecretLaw[None]) -> Subject:
        """Returns the collection as a reader sees it: its people, its secrets, their probabilities and the error."""
        keys = self._ordered(law)
        factors, people = self.factors(), collection.people
        # The whole population has no parts: it is of all groups there are.
        parts = len(collection.parts) if not collection.everybody else sum(factor.count for factor in factors)
        dependents = sum(factors[factor].size for factor, _ in collection.parts) if collection.parts else len(people)
        logs = np.array([law[key][0] for key in keys])
        first = self._joint.subject_of(people[0])
        return Subject(
            person=min(people),
            people=collection.alike,
            stratum=first.stratum,
            secrets=self._texts(keys),
            log_prior=logs,
            dependents=dependents,
            who=_named(people, parts, first.who),
            class_error=self._error(logs, dependents, len(people)),
            what=self._function.words,
            members=people,
            shared=self._function.of_records,
        )

    @cached_property
    def _own_error(self) -> float:
        """The largest error of any single record's law."""
        return max((each.class_error for each in self._joint.subjects()), default=0.0)

    def _error(self, logs: Array, dependents: int, people: int) -> float:
        """Returns the error of log Pr[s], and of the law given s: a chain of laws, each as exact as one record's."""
        return (people + 1) * self._own_error + (16 + 8 * float(np.max(np.abs(logs)))) * (dependents + people) * UNIT

    def _texts(self, keys: Sequence[State]) -> tuple[RecordValue, ...]:
        """Returns the states as they are shown: records' values in a row, in quotes where they could be mistaken."""
        if not self._function.of_records:
            return tuple(map(self._function.shown, keys))
        rows = [key for key in keys if isinstance(key, tuple)]
        plain = [", ".join(map(str, row)) for row in rows]
        # The values 1 and "1" of two models would read alike.
        return tuple(plain if len(set(plain)) == len(plain) else [", ".join(map(repr, row)) for row in rows])


def _named(people: Sequence[int], parts: int, whose: str) -> str:
    """Says with whom the first of them is the secret, and in how many independent groups they are."""
    first = min(people)
    others = [str(person) for person in people if person != first]
    # secrets.size = 1, or a group of one: the secret is one record after all.
    if not others:
        return whose
    listed = f"people {', '.join(others[:-1])} and {others[-1]}" if len(others) > 1 else f"person {others[0]}"
    # So many people are named one by one.
    shown = listed if len(people) <= 8 else f"{len(others):,} others"
    return f"together with {shown}, of " + ("one group" if parts == 1 else f"{parts:,} independent groups")


def components_of_groups(joint: Joint, scores: Scores, engine: str | None, secrets: Secrets) -> list[AnswerComponent]:
    """Returns the parts of an answer whose secrets are of several people.

    The coordinates that one collection of people moves are in one part, with all who move them. Collections that move
    nothing leak nothing, and are left out.

    Args:
        joint: The law of all records.
        scores: The query's scores.
        engine: The engine that the spec names; None for any.
        secrets: The secrets of the spec.
    """
    function = RECORDS if secrets.function is None else function_of(secrets.function)
    moving = axes_of(joint, scores)
    linked = linked_coordinates(moving, scores.lattice.axes)
    by_axes: dict[frozenset[int], list[Collection]] = {}
    for collection in collections_of(secrets, joint):
        members = range(len(moving)) if collection.everybody else [factor for factor, _ in collection.parts]
        # Two households in one secret, of two wards with a count each: both counts tell of it, and are one part.
        moved = frozenset().union(*(moving[factor] for factor in members))
        axes = frozenset().union(*(each for each in linked if each & moved))
        by_axes.setdefault(axes, []).append(collection)
    # A group of people whom the query does not ask: nothing leaks about them.
    by_axes.pop(frozenset(), None)
    found = []
    for axes, own in by_axes.items():
        factors = {factor for each in own for factor, _ in each.parts}
        everybody = any(each.everybody for each in own)
        # Groups that move none of these coordinates say nothing, unless they are of those asked about.
        kept = [i for i, moved in enumerate(moving) if moved & axes or i in factors or everybody]
        places = {factor: place for place, factor in enumerate(kept)}
        watched = Watched(joint.part(kept), [each.within(places) for each in own], function)
        found.append(AnswerComponent(watched, scores.restricted(sorted(axes)), engine, sorted(axes), secret=watched))
    return found


def collections_of(secrets: Secrets, joint: Joint) -> list[Collection]:
    """Returns the groups of people whose records are secrets, one of each class; InputError for those that cannot be.

    Args:
        secrets: The secrets of the spec.
        joint: The law of all records.
    """
    # Keys about single records; here the secret is several people's.
    if secrets.people is not None:
        raise InputError("secrets.people", str(list(secrets.people)), "no such key beside size, groups or function")
    if secrets.stage is not None:
        raise InputError("secrets.stage", secrets.stage, "no such key beside size, groups or function")
    # Every pair of people, or the named ones: one of the two is meant.
    if secrets.size is not None and secrets.groups is not None:
        raise InputError("secrets.size", secrets.size, "no such key beside groups")
    if secrets.function is not None:
        function_of(secrets.function).check([value for stratum in joint.strata() for value in stratum.values])
    # All records together are what the query is asked of; a total of them can be a secret of the population.
    if secrets.groups == "everybody":
        if secrets.function is None:
            raise InputError(
                "secrets.groups", "everybody", "a function beside it: the records of everybody are all the data"
            )
        return everybody(joint)
    if secrets.groups is not None:
        return located(joint, [_numbers_of(joint, row) for row in enumerate(secrets.groups, 1)])
    # A function and nothing else: of each household's records, whole.
    if secrets.size is None:
        return independent_groups(joint)
    people = count_people(joint)
    if secrets.size > people:
        raise InputError("secrets.size", secrets.size, f"at most {people}, as many people as there are")
    return of_size(joint, secrets.size)


def _numbers_of(joint: Joint, row: tuple[int, tuple[PersonKey, ...]]) -> list[int]:
    """Returns the people of one row of secrets.groups, by number.

    InputError for a name or number that nobody has, or for somebody who is named twice.
    """
    number, people = row
    found: list[int] = []
    for person in people:
        one = person_number(joint, person, f"secrets.groups row {number}")
        if one in found:
            raise InputError(f"secrets.groups row {number}", str(list(people)), f"person {one} once")
        found.append(one)
    return found
