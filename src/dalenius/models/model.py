"""What the adversary believes about the records before any release."""

import abc
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import final

from dalenius.laws.law import Array, IntArray
from dalenius.laws.transform import Element, Transform
from dalenius.schema import Frozen, RecordValue


@final
@dataclass(frozen=True)
class Stratum:
    """Records that are alike to a query: one universe of values and one public label; `people` of them."""

    label: str
    values: tuple[RecordValue, ...]
    people: int


@final
@dataclass(frozen=True)
class Subject:
    """One class of exchangeable people; the secret is the record of any one of them.

    person: the number, from 1, of the first of them; people: how many there are; stratum: index of their stratum;
    secrets: the record's values of positive probability, and log_prior: their log-probabilities (secrets,);
    dependents: how many records, at most, their record is not independent of, itself included; who: in words.
    """

    person: int
    people: int
    stratum: int
    secrets: tuple[RecordValue, ...]
    log_prior: Array
    dependents: int
    who: str


class Joint(abc.ABC):
    """The joint law of n records: anything that can average a product of per-record factors (THEORY §4).

    A *slot* is one value of one stratum; slots are numbered stratum by stratum, value by value.
    """

    @abc.abstractmethod
    def strata(self) -> tuple[Stratum, ...]:
        """The kinds of records there are."""

    @abc.abstractmethod
    def subjects(self) -> tuple[Subject, ...]:
        """Whose secrets there are, one per class of exchangeable people."""

    @abc.abstractmethod
    def subject_of(self, person: int) -> Subject:
        """The class of person number `person`, from 1. InputError where there is nobody of that number."""

    @abc.abstractmethod
    def groups(self) -> tuple[frozenset[int], ...]:
        """The strata of each independent group of records (of each type of group, where many are alike)."""

    @abc.abstractmethod
    def part(self, groups: Collection[int]) -> "Joint":
        """The same law of fewer records: of those groups only. Strata and person numbers keep their meaning."""

    @abc.abstractmethod
    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        """E[ prod_j factor(X_j) | X_subject = s ] for every subject and each of its secrets s, in order."""

    @abc.abstractmethod
    def total(self, transform: Transform[Element]) -> Element:
        """E[ prod_j factor(X_j) ], given nothing."""

    @abc.abstractmethod
    def outcome_count(self) -> int:
        """How many rows `outcomes` would have."""

    @abc.abstractmethod
    def outcomes(self) -> tuple[IntArray, Array]:
        """Every assignment of positive probability: slots (rows, people) in person order, and log-probabilities."""

    @abc.abstractmethod
    def people(self) -> tuple[int, ...]:
        """The numbers of the people in this part, in the order of `outcomes`' columns."""

    @abc.abstractmethod
    def group_strata(self) -> tuple[IntArray, ...]:
        """Per type of independent group, how many of its records are of each stratum (strata,)."""


class Model(Frozen, abc.ABC):
    """A spec of one or several joint laws; with several, every promise is for the worst of them (Pufferfish)."""

    @abc.abstractmethod
    def joints(self) -> tuple[Joint, ...]:
        """The laws; a model of records has one."""
