"""Whose records are to be protected, and from whom: what is secret, of which people and which pairs of values; and the
background knowledge, what the adversary knows for certain, of records and of answers about them.

Of a chain of two days the adversary may know the second, and of a count its published total: the model is conditioned
on both before anything is asked of the noise.

>>> import dalenius as dl
>>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]]).joints()[0]
>>> first, second = Adversary(known={2: 1}).conditioned(days).subjects()
>>> round(float(first.log_prior[1]), 6), second.secrets  # the log of .9; the second is certain
(-0.105361, (1,))
>>> KnownAnswer(query=dl.Count(), value=7).words
'how many records are 1 = 7'
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Integral, Real
from typing import Annotated, Any, Final, Literal, final

import numpy as np
from pydantic import BeforeValidator, Field, field_validator

from dalenius import wings
from dalenius.bounds import UNIT
from dalenius.channel.answer_laws import kinds_of
from dalenius.errors import InputError, Meaningless
from dalenius.fields_and_plugin_kinds import Process, RecordValue, StageName
from dalenius.frozen_section import Frozen
from dalenius.joints import Belief, Joint, Stratum, Subject
from dalenius.laws.law_on_lattice import Lattice, Law, index_of, log_mix, log_sum
from dalenius.queries import AnyQuery, Query, Scores

_FUNCTION_OF_A_GROUP: Final = wings.Part[Callable[[str], object]]("function of a group")


def _numbers(given: Any) -> Any:
    """A finite number, or several, as they are given; ValueError for true, a text or an infinity."""
    # Read here, not left to the union: pydantic would name its members in the path.
    listed = list(given) if isinstance(given, list | tuple) else [given]
    for each in listed:
        if isinstance(each, bool) or not isinstance(each, Real) or not isfinite(each):
            raise ValueError("a finite number, or a list of one for each answer")
    return tuple(listed) if isinstance(given, list | tuple) else given


def _by_name(given: Any) -> Any:
    """Persons' numbers as the names that they have in a spec."""
    if not isinstance(given, Mapping):
        return given
    return {str(name) if isinstance(name, Integral) else name: value for name, value in given.items()}


@final
@dataclass(frozen=True)
class KnownCoordinates:
    """Coordinates that are known: their scores; values, in lattice steps; rows: the number, from 1, of the known answer
    each is of; given: of each of these the value as it was given."""

    scores: Scores
    values: tuple[int, ...]
    rows: tuple[int, ...]
    given: tuple[object, ...]

    def restricted(self, axes: Sequence[int]) -> "KnownCoordinates":
        """Some of them."""
        values, rows = (tuple(each[axis] for axis in axes) for each in (self.values, self.rows))
        return KnownCoordinates(self.scores.restricted(axes), values, rows, self.given)

    @property
    def count(self) -> int:
        """How many known answers they are of."""
        return len(set(self.rows))

    def idle(self, axis: int) -> int:
        """The value of a coordinate that no record moves."""
        # A sum begins with 0; a maximum that nobody moves is the score that all have.
        return 0 if self.scores.combine[axis] == "sum" else int(self.scores.indices[0, axis])


@final
class KnownAnswer(Frozen):
    """query, value: the exact answer, as of a published total; several where the query has several answers."""

    query: AnyQuery
    value: Annotated[int | float | tuple[int | float, ...], BeforeValidator(_numbers)]

    @property
    def values(self) -> tuple[int | float, ...]:
        """One per answer."""
        return self.value if isinstance(self.value, tuple) else (self.value,)

    @property
    def words(self) -> str:
        """What is known."""
        return f"{self.query.words} = {', '.join(map(str, self.values))}"


@final
class Adversary(Frozen):
    """known: records by their person's number, from 1, or name. answers: exact answers, as of published totals. The
    model is conditioned on both."""

    known: Annotated[Mapping[str, RecordValue], BeforeValidator(_by_name)] = {}
    answers: tuple[KnownAnswer, ...] = ()

    def conditioned(self, belief: Belief) -> Belief:
        """The law given the known records. InputError for an unknown person, or values of probability 0."""
        if not self.known:
            return belief
        numbers: dict[int, RecordValue] = {}
        for name, value in self.known.items():
            number = person_number(belief, name, f"adversary.known.{name}")
            # The same person by number and by name.
            if number in numbers:
                raise InputError(f"adversary.known.{name}", value, f"person {number} once")
            numbers[number] = value
        return belief.given(numbers)

    def answers_of(self, joint: Joint) -> KnownCoordinates | None:
        """The known answers on a law's strata; None of none. InputError for a query that makes no sense of its people,
        another number of values than it has answers, and a value that no sum of its scores is."""
        all_scores: Scores | None = None
        values: list[int] = []
        rows: list[int] = []
        for number, answer in enumerate(self.answers, 1):
            scores, own = _placed(answer, joint, f"adversary.answers row {number}")
            all_scores = scores if all_scores is None else all_scores.with_coordinates(scores)
            values += own
            rows += [number] * len(own)
        given = tuple(answer.value for answer in self.answers)
        return None if all_scores is None else KnownCoordinates(all_scores, tuple(values), tuple(rows), given)


def _placed(answer: KnownAnswer, joint: Joint, key: str) -> tuple[Scores, list[int]]:
    """The scores, and the values in lattice steps."""
    try:
        scores = answer.query.scores(kinds_of(joint))
    except InputError as error:
        raise InputError(f"{key}.{error.key}", error.value, error.wanted) from None
    if len(answer.values) != len(scores.names):
        named = ", ".join(name for name in scores.names if name)
        wanted = "1, for its only answer" if len(scores.names) == 1 else f"{len(scores.names)}, one for each answer"
        raise InputError(f"{key}.value", f"{len(answer.values)} of them", f"{wanted}{f' ({named})' if named else ''}")
    found = []
    for name, value, step in zip(scores.names, answer.values, scores.lattice.steps, strict=True):
        index = index_of(value, step)
        # A total of 7.5 people: a typing error, which would otherwise have probability 0.
        if index is None:
            of = f" for {name}" if name else ""
            raise InputError(f"{key}.value", value, f"a multiple of {step}{of}, as every answer is")
        found.append(index)
    return scores, found


def person_number(belief: Belief, person: int | str, key: str) -> int:
    """A person's number, from number or name. InputError, under the key, for an unknown person. Of a text that is no
    name but all digits it is that number."""
    # Names of network nodes or of model.people; elsewhere people have numbers only, which a TOML key writes as a text.
    number = belief.number_of(person) if isinstance(person, str) else person
    if number is None and isinstance(person, str) and person.isdecimal():
        number = int(person)
    if number is None:
        bare = str(person).strip()
        # " 1" and "Ann " look like somebody: what is wrong with them cannot be seen.
        near = bare != person and (belief.number_of(bare) is not None or bare.isdecimal())
        raise InputError(key, person, f"a person's number or name{', without the blanks around it' if near else ''}")
    try:
        belief.subject_of(number)
    except InputError as error:
        raise InputError(key, person, error.wanted) from None
    return number


def _person(given: Any) -> int | str:
    """A number from 1, or a name; ValueError, in one line, for anything else."""
    # Read here, not left to the union: pydantic would name its members in the path.
    if isinstance(given, bool) or not (isinstance(given, str) or (isinstance(given, int) and given > 0)):
        raise ValueError("a number of at least 1 or a name (people are numbered from 1)")
    return given


def _groups(given: Any) -> Any:
    """Lists of people, or the word; ValueError with an example, as people write one list for one group."""
    if isinstance(given, str) and given != "everybody":
        raise ValueError('lists of people, such as [[1, 2], [5, 7]], or "everybody"')
    for people in given if isinstance(given, list | tuple) else ():
        if not isinstance(people, list | tuple):
            raise ValueError('lists of people, such as [[1, 2], [5, 7]], or "everybody"')
    return given


PersonKey = Annotated[int | str, BeforeValidator(_person)]
SecretPeople = Annotated[tuple[PersonKey, ...], Field(min_length=1)]
SecretGroups = Annotated[
    Annotated[tuple[SecretPeople, ...], Field(min_length=1)] | Literal["everybody"] | None, BeforeValidator(_groups)
]


@final
class Secrets(Frozen):
    """people: their numbers, from 1, or names; pairs: of values that must not be distinguished (Pufferfish).

    Secrets of several people: size: all groups of that many; groups: these lists of people, or the whole population.
    function: what of a group's records is the secret, all of them if None; alone, of each whole independent group.
    stage: of a model with stages, the one at which a record's value is the secret, instead of its whole process.

    >>> Secrets(size=2).words, Secrets(groups="everybody").words
    ('the records of every 2 people', 'the records of everybody')
    """

    people: tuple[PersonKey, ...] | None = Field(default=None, min_length=1)
    pairs: tuple[tuple[RecordValue, RecordValue], ...] | None = Field(default=None, min_length=1)
    size: Annotated[int, Field(ge=1, strict=True)] | None = None
    groups: SecretGroups = None
    function: Annotated[str, Field(strict=True)] | None = None
    stage: StageName | None = None

    @field_validator("function")
    @classmethod
    def _of_the_grammar(cls, words: str | None) -> str | None:
        """The words as they are. InputError where they are no function of a group's records."""
        # The grammar of "any member ill" is known to the wing of shared secrets, and checked when the spec is read.
        if words is not None:
            _FUNCTION_OF_A_GROUP.function(words)
        return words

    @property
    def of_records(self) -> bool:
        """Whether each secret is one person's record. What rests on that must ask (`check_of_records`)."""
        return self.groups is None and self.function is None and self.size in (None, 1)

    def check_of_records(self, quantity: str) -> None:
        """Meaningless where secrets are of several people; quantity: what is promised of one record only, in words."""
        if not self.of_records:
            raise Meaningless("secrets", self.words, f"one person's record each: {quantity} says nothing of groups")

    @property
    def words(self) -> str:
        """What is secret, where that is no single record."""
        if self.groups == "everybody":
            whose = "of everybody"
        elif self.groups is not None:
            whose = f"of {len(self.groups)} groups of people" if len(self.groups) > 1 else "of a group of people"
        else:
            whose = "of whole independent groups" if self.size is None else f"of every {self.size} people"
        return f"{self.function or 'the records'} {whose}"

    def firsts(self, joint: Joint) -> frozenset[int] | None:
        """The class representatives of `people`; None for all classes. InputError for an unknown person."""
        numbers = self.numbers(joint)
        # Where no law is known of anybody, nobody is known to be like somebody else.
        if numbers is None or joint.refusal is not None:
            return numbers
        return frozenset(joint.subject_of(number).person for number in numbers)

    def numbers(self, belief: Belief) -> frozenset[int] | None:
        """The numbers of `people`; None for everybody. InputError for an unknown person."""
        if self.people is None:
            return None
        return frozenset(person_number(belief, person, "secrets.people") for person in self.people)

    def check(self, belief: Belief) -> None:
        """InputError where a pair names a value no record can have, or one value twice."""
        self._check_pairs(
            {value for stratum in belief.strata() for value in self._values(stratum)}, "values of records"
        )

    def check_known(self, subjects: Iterable[Subject]) -> None:
        """The same where secrets are of several people."""
        self._check_pairs({secret for subject in subjects for secret in subject.secrets}, "secrets, as they are shown:")

    def _check_pairs(self, known: set[RecordValue], wanted: str) -> None:
        """InputError for the first row with a value that is not known, or with one value twice."""
        for number, pair in enumerate(self.pairs or (), 1):
            for value in pair:
                if value not in known:
                    raise InputError(f"secrets.pairs row {number}", value, f"{wanted} {sorted(known, key=str)}")
            if pair[0] == pair[1]:
                raise InputError(f"secrets.pairs row {number}", list(pair), "two different values")

    def _values(self, stratum: Stratum) -> tuple[RecordValue, ...]:
        """What can be a secret. InputError where the records have no such stage."""
        if self.stage is None:
            return stratum.values
        processes = [value for value in stratum.values if isinstance(value, Process)]
        # A model of one data set: its records are values, and have no stages.
        if len(processes) < len(stratum.values):
            raise InputError("secrets.stage", self.stage, "a model with stages (kind linked)")
        if self.stage not in processes[0].stages:
            raise InputError("secrets.stage", self.stage, f"one of the model's stages {list(processes[0].stages)}")
        place = processes[0].stages.index(self.stage)
        return tuple(process.values[place] for process in processes)

    def check_no_stage(self) -> None:
        """Meaningless where the secret is a record's value at one stage."""
        if self.stage is not None:
            raise Meaningless("secrets.stage", self.stage, "no such key here: the secret is a whole process")

    def pairs_of(self, subject: Subject) -> tuple[tuple[int, int], ...] | None:
        """The pairs as indices into the subject's secrets; pairs with an impossible value are left out."""
        if self.pairs is None:
            return None
        # A person for whom one of the two is impossible has nothing to hide of that pair.
        place = {value: i for i, value in enumerate(subject.secrets)}
        return tuple((place[a], place[b]) for a, b in self.pairs if a in place and b in place)


@final
@dataclass(frozen=True)
class ReleaseSettings:
    """query: None where the model has the answers itself; engine: None where it
    is chosen by size; lattice: common to all laws whose records have finitely many values."""

    query: Query | None
    secrets: Secrets
    adversary: Adversary
    engine: str | None
    lattice: Lattice

    @property
    def known_query(self) -> Query:
        """InputError where there is none."""
        if self.query is None:
            raise InputError("query", "missing", "a section [query] with a kind")
        return self.query

    def scores(self, belief: Belief) -> Scores:
        """The query's, on the belief's strata. In steps of the common lattice. InputError where the query makes no
        sense of these records."""
        return self.known_query.scores(kinds_of(belief), self.lattice)


def at_stage(subject: Subject, law: Law, stage: str) -> tuple[Subject, Law]:
    """The subject whose secrets are the values there, and the law of the answer given each: the mixture of those given
    the processes that have it. law: of the exact answer."""
    values = [_at(secret, stage) for secret in subject.secrets]
    secrets = tuple(dict.fromkeys(values))
    # Well then ill, and ill then ill, are one secret of the second stage.
    rows = [np.array([value == secret for value in values]) for secret in secrets]
    found = subject_at(subject, stage)
    log_prior = [log_sum(subject.log_prior[own]) for own in rows]
    relative = np.stack(
        [
            log_mix(subject.log_prior[own] - chance, law.relative[own])
            for own, chance in zip(rows, log_prior, strict=True)
        ]
    )
    deepest = float(np.max(np.abs(law.relative), where=np.isfinite(law.relative), initial=0.0))
    rarest = float(np.max(np.abs(subject.log_prior)))
    rounding = (2 * law.secrets + 4 * deepest + 8 * rarest + 8) * UNIT
    return found, replace(law, relative=relative, error=law.error + rounding)


def subject_at(subject: Subject, stage: str) -> Subject:
    """The same people, whose secrets are the values there."""
    values = [_at(secret, stage) for secret in subject.secrets]
    secrets = tuple(dict.fromkeys(values))
    chances = [log_sum(subject.log_prior[np.array([value == secret for value in values])]) for secret in secrets]
    log_prior, what = np.minimum(np.array(chances), 0.0), f"record at stage {stage}"
    return replace(subject, secrets=secrets, log_prior=log_prior, what=what, guesses=None, others=None)


def _at(process: RecordValue, stage: str) -> RecordValue:
    assert isinstance(process, Process)
    return process.values[process.stages.index(stage)]
