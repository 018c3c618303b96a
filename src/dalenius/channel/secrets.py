"""The secrets of a release: whose records, and which pairs of values must not be told apart."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Annotated, Any, Final, Literal, final

import numpy as np
from pydantic import BeforeValidator, Field, field_validator

from dalenius import wings
from dalenius.bounds import UNIT
from dalenius.channel.person import person_number
from dalenius.errors import InputError, Meaningless
from dalenius.fields import PersonKey, RecordValue, StageName
from dalenius.frozen_section import Frozen
from dalenius.joints import Belief, Joint, Stratum, Subject
from dalenius.laws.law import Law, Window, log_mix, log_sum
from dalenius.process import Process

_FUNCTION_OF_A_GROUP: Final = wings.Part[Callable[[str], object]]("function of a group")


def _groups(given: Any) -> Any:
    """Checks lists of people, or the word; ValueError with an example, as people write one list for one group."""
    if isinstance(given, str) and given != "everybody":
        raise ValueError('lists of people, such as [[1, 2], [5, 7]], or "everybody"')
    for people in given if isinstance(given, list | tuple) else ():
        if not isinstance(people, list | tuple):
            raise ValueError('lists of people, such as [[1, 2], [5, 7]], or "everybody"')
    return given


SecretPeople = Annotated[tuple[PersonKey, ...], Field(min_length=1)]
SecretGroups = Annotated[
    Annotated[tuple[SecretPeople, ...], Field(min_length=1)] | Literal["everybody"] | None, BeforeValidator(_groups)
]


@final
class Secrets(Frozen):
    """The secrets of a release: whose records, and which pairs of values must not be told apart (Pufferfish).

    Args:
        people: The people whose records are secret, by number from 1 or by name; None (the default) for everybody.
        pairs: The pairs of values that must not be distinguished; None (the default) for all.
        size: The number of people in a secret: all groups of that many; None (the default) for one record each.
        groups: Lists of people whose records together are a secret, or `everybody` for the full population; None by
            default.
        function: The function of a group's records that is the secret, such as `any member ill`; None (the default)
            for all of them. Without `size` and `groups` it is that of each whole independent group.
        stage: In a model whose records list several values, such as linked data sets or the members of a household,
            the one whose value is the secret; None (the default) for all of them.

    Example:
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
        """Returns the words as they are. InputError where they are no function of a group's records."""
        # Because only the wing of shared secrets knows the grammar of "any member ill": checked when the spec is read.
        if words is not None:
            _FUNCTION_OF_A_GROUP.function(words)
        return words

    @property
    def of_records(self) -> bool:
        """Whether each secret is one person's record. Code that rests on that must check it (`check_of_records`)."""
        return self.groups is None and self.function is None and self.size in (None, 1)

    def check_of_records(self, quantity: str) -> None:
        """Checks that each secret is one person's record.

        Args:
            quantity: The quantity that is promised for one record only, in words, for the message.

        Raises:
            Meaningless: Secrets are of several people.
        """
        if not self.of_records:
            raise Meaningless("secrets", self.words, f"one person's record each: {quantity} says nothing of groups")

    @property
    def words(self) -> str:
        """The secret in words, where it is no single record."""
        if self.groups == "everybody":
            whose = "of everybody"
        elif self.groups is not None:
            whose = f"of {len(self.groups)} groups of people" if len(self.groups) > 1 else "of a group of people"
        else:
            whose = "of whole independent groups" if self.size is None else f"of every {self.size} people"
        return f"{self.function or 'the records'} {whose}"

    def firsts(self, joint: Joint) -> frozenset[int] | None:
        """Returns the class representatives of `people`; None for all classes.

        Args:
            joint: The law of everybody's records.

        Raises:
            InputError: A person is unknown.
        """
        numbers = self.numbers(joint)
        # Because without a law nobody is known to be like somebody else.
        if numbers is None or joint.refusal is not None:
            return numbers
        return frozenset(joint.subject_of(number).person for number in numbers)

    def numbers(self, belief: Belief) -> frozenset[int] | None:
        """Returns the numbers of `people`; None for everybody.

        Args:
            belief: The law of everybody's records.

        Raises:
            InputError: A person is unknown.
        """
        if self.people is None:
            return None
        return frozenset(person_number(belief, person, "secrets.people") for person in self.people)

    def check(self, belief: Belief) -> None:
        """Checks that each pair names two different values that records can have.

        Args:
            belief: The law of everybody's records.

        Raises:
            InputError: A pair names a value no record can have, or one value twice.
        """
        self._check_pairs(
            {value for stratum in belief.strata() for value in self.values_of(stratum)}, "values of records"
        )

    def check_known(self, subjects: Iterable[Subject]) -> None:
        """Checks the pairs, as `check`, where secrets are of several people.

        Args:
            subjects: The people with their secrets.

        Raises:
            InputError: A pair names a value no secret can have, or one value twice.
        """
        self._check_pairs({secret for subject in subjects for secret in subject.secrets}, "secrets, as they are shown:")

    def _check_pairs(self, known: set[RecordValue], wanted: str) -> None:
        """Raises InputError for the first row with a value that is not known, or with one value twice."""
        for number, pair in enumerate(self.pairs or (), 1):
            for value in pair:
                if value not in known:
                    raise InputError(f"secrets.pairs row {number}", value, f"{wanted} {sorted(known, key=str)}")
            if pair[0] == pair[1]:
                raise InputError(f"secrets.pairs row {number}", list(pair), "two different values")

    def values_of(self, stratum: Stratum) -> tuple[RecordValue, ...]:
        """Returns the secret that each value of a record has.

        Args:
            stratum: The records.

        Raises:
            InputError: The records have no such stage.
        """
        if self.stage is None:
            return stratum.values
        processes = [value for value in stratum.values if isinstance(value, Process)]
        # The case of a model of one data set: its records are values, and have no stages.
        if len(processes) < len(stratum.values):
            raise InputError("secrets.stage", self.stage, "a model with stages (kind linked, or chain with members)")
        if self.stage not in processes[0].stages:
            raise InputError("secrets.stage", self.stage, f"one of the model's stages {list(processes[0].stages)}")
        place = processes[0].stages.index(self.stage)
        return tuple(process.values[place] for process in processes)

    def check_no_stage(self) -> None:
        """Checks that the secret is no record's value at one stage.

        Raises:
            Meaningless: It is.
        """
        if self.stage is not None:
            raise Meaningless("secrets.stage", self.stage, "no such key here: the secret is a whole process")

    def pairs_of(self, subject: Subject) -> tuple[tuple[int, int], ...] | None:
        """Returns the pairs as indices into the subject's secrets; None for all pairs.

        Pairs with an impossible value are left out.

        Args:
            subject: The person, or class of people, with the secrets.
        """
        if self.pairs is None:
            return None
        # Because a person for whom one of the two is impossible has nothing to hide of that pair.
        place = {value: i for i, value in enumerate(subject.secrets)}
        return tuple((place[a], place[b]) for a, b in self.pairs if a in place and b in place)


def at_stage(subject: Subject, law: Law, stage: str) -> tuple[Subject, Law]:
    """Returns the subject whose secrets are the values at a stage, and the law of the answer given each.

    The law is the mixture of those given the processes that have the value.

    Args:
        subject: The people, whose secrets are processes.
        law: The law of the exact answer given each process.
        stage: The name of the stage.
    """
    values = [_at(secret, stage) for secret in subject.secrets]
    secrets = tuple(dict.fromkeys(values))
    # Because well then ill, and ill then ill, are one secret of the second stage.
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


def window_at_stage(subject: Subject, window: Window, stage: str) -> Window:
    """Returns the window of the answers given each value at `stage`; `subject`'s secrets are processes."""
    _, law = at_stage(subject, window.law, stage)
    values = [_at(secret, stage) for secret in subject.secrets]
    # Because a mixture of laws has at most as much outside as the one that has most.
    most = [
        max(lost for value, lost in zip(values, window.lost, strict=True) if value == secret)
        for secret in dict.fromkeys(values)
    ]
    return replace(window, law=law, lost=tuple(most))


def subject_at(subject: Subject, stage: str) -> Subject:
    """Returns the people of `subject`, whose secrets are then the values at the stage `stage`."""
    values = [_at(secret, stage) for secret in subject.secrets]
    secrets = tuple(dict.fromkeys(values))
    chances = [log_sum(subject.log_prior[np.array([value == secret for value in values])]) for secret in secrets]
    log_prior, what = np.minimum(np.array(chances), 0.0), f"record at stage {stage}"
    return replace(subject, secrets=secrets, log_prior=log_prior, what=what, guesses=None, others=None)


def _at(process: RecordValue, stage: str) -> RecordValue:
    assert isinstance(process, Process)
    return process.values[process.stages.index(stage)]
