"""Joint laws of everybody's records, the adversary's belief before any release.

Models make these laws; channels average products over them.
"""

import abc
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain as concatenated
from typing import ClassVar, Final, Literal, TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.joints.factor import Factor
from dalenius.laws.generating_function_algebra import Element, Renamed, Transform


@final
@dataclass(frozen=True)
class Stratum:
    """Records that a query does not distinguish: one universe of values and one public label; `people` of them."""

    label: str
    values: tuple[RecordValue, ...]
    people: int


@final
@dataclass(frozen=True)
class Subject:
    """A class of exchangeable people; the secret is the record of any one of them.

    person: the number, from 1, of the first of them; people: how many there are; stratum: index of their stratum;
    secrets: the record's values of positive probability, and log_prior: their log-probabilities (secrets,);
    dependents: how many records, at most, their record is not independent of, itself included; who: the people in
    words. class_error: by how many nats, at most, log Pr[answer | record] of any of them may differ from that of the
    first. what: the secret in words; guesses (secrets,): where one secret is a class of several with the same
    answers, the log-probability of its likeliest member; None otherwise; others (secrets,): that of its remaining
    members. members: the numbers of the people whose records are the secret, where it is not one record: `people` is
    then how many such groups there are; empty where it is one record. shared: whether it is those records themselves.
    positions: the people's places, as rows of positions from 1, each by its first and last; empty where records have
    no order.
    """

    person: int
    people: int
    stratum: int
    secrets: tuple[RecordValue, ...]
    log_prior: Array
    dependents: int
    who: str
    class_error: float = 0.0
    what: str = "record"
    guesses: Array | None = None
    others: Array | None = None
    members: tuple[int, ...] = ()
    shared: bool = False
    positions: tuple[tuple[int, int], ...] = ()


# A case that `Joint.given_each` yields; the average is an element of the transform that was passed.
Case: TypeAlias = tuple[tuple[RecordValue, ...], float, Element]
"""Values that some records can have together, the log of their probability, and an average given them."""


@final
@dataclass(frozen=True)
class Nature:
    """The kind of law that a belief is.

    Attributes:
        name: The key of `wings.WORLDS` for the class that makes its channels.
        secret: The possible secrets: a record of finitely many values, a record that is a real number, or who is
            absent.
        over: The laws that every bound is over, in words; empty where it is one.
        instead: The key, value and wish where a law of records of finitely many values is needed; None where it is one.
    """

    name: str
    secret: Literal["record", "number", "absence"] = "record"
    over: str = ""
    instead: tuple[str, str, str] | None = None


WITHIN: Final = "over all laws within the intervals"


def own_label(who: int | str) -> str:
    """Returns the label of a person whom a query can tell from all others, called `who`.

    >>> own_label(5)
    'report of 5'
    """
    return f"report of {who}"


class Belief(abc.ABC):
    """One law of everybody's records, of any kind, or a set of laws."""

    nature: ClassVar[Nature]

    @abc.abstractmethod
    def subject_of(self, person: int, single: bool = False) -> Subject:
        """Returns the class of person number `person`, from 1; with `single`, the person as a class of one.

        `single` helps where finding the class may take long. InputError where no person has that number.
        """

    def number_of(self, name: str) -> int | None:
        """Returns the number of the person called `name`; None where nobody is, as where people have no names."""
        return None

    @abc.abstractmethod
    def given(self, known: Mapping[int, RecordValue]) -> "Belief":
        """Returns the law given the `known` records, by people's numbers, which become constants, not secrets.

        InputError (adversary.known) for a number nobody has, a value outside the universe, or values of probability
        0.
        """

    @abc.abstractmethod
    def labelled(self) -> dict[str, int]:
        """Returns how many people there are of each label."""

    def strata(self) -> tuple[Stratum, ...]:
        """Returns the strata of the records, where these have finitely many values; none by default."""
        return ()

    @property
    def sampling_rate(self) -> float | None:
        """The largest probability of being drawn, where a random sample is asked; None where everybody is (default)."""
        return None


@final
@dataclass(frozen=True)
class Inclusion:
    """The chance that a record is drawn into a sample, and who is drawn with it, independently of all others.

    Attributes:
        chance: The chance, above 0.
        beside: The people drawn with it, by stratum: one case for each kind of group. Nobody by default.
    """

    chance: float
    beside: tuple[Mapping[int, int], ...] = ({},)


class Joint(Belief):
    """The joint law of n records: anything that can average a product of per-record factors (Theory §4).

    A *slot* is one value of one stratum; slots are numbered stratum by stratum, value by value. See `GroupsLaw` for an
    example with numbers.
    """

    nature: ClassVar[Nature] = Nature("joint law")

    @abc.abstractmethod
    def strata(self) -> tuple[Stratum, ...]:
        """Returns the strata of the records."""

    @abc.abstractmethod
    def subjects(self) -> tuple[Subject, ...]:
        """Returns the people whose records are secrets, one subject per class of exchangeable people."""

    @abc.abstractmethod
    def given(self, known: Mapping[int, RecordValue]) -> "Joint":
        """Returns the law given the `known` records, as `Belief.given` does."""

    def given_together(self, known: Mapping[int, RecordValue]) -> "Joint":
        """Returns the law given the `known` records, in which nobody leaves their group: by default as `given` does."""
        return self.given(known)

    @abc.abstractmethod
    def factors(self) -> tuple[Factor, ...]:
        """Returns the independent factors of the law, whose groups together have every record once."""

    def hidden_together(self) -> tuple[Factor, ...]:
        """Returns the factors of groups one of which has a secret: noise that hides a whole group hides the secret.

        By default they are the factors. They are smaller where only the draw of a sample joins all groups.
        """
        return self.factors()

    @abc.abstractmethod
    def part(self, factors: Collection[int], first_only: bool = False) -> "Joint":
        """Returns the marginal law of the records of the factors numbered `factors`; with `first_only`, of the first
        group of each. Strata and person numbers keep their meaning."""

    @abc.abstractmethod
    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        """Yields E[ prod_j factor(X_j) | X_subject = s ] by subject and secret s, as elements of `transform`."""

    def given_each(
        self, transform: Transform[Element], wanted: Sequence[tuple[int, ...]]
    ) -> Iterator[list[Case[Element]]]:
        """Yields, for every group I in `wanted`, by people's numbers: all possible values x of theirs, log Pr[X_I =
        x] and E[ prod_j factor(X_j) | X_I = x ], an element of `transform`. Meant for one group (`one_group`)."""
        # Because a law given records may have fewer strata, or others first: the transform is addressed by their old
        # slots.
        slots = slots_by_stratum(self)

        def average(law: Joint) -> Element:
            return law.total(Renamed(transform, np.concatenate([slots[key] for key in slots_by_stratum(law)])))

        for people in wanted:
            yield [(values, log, average(law)) for values, log, law in each_given(self, people)]

    def total(self, transform: Transform[Element]) -> Element:
        """Returns E[ prod_j factor(X_j) ], given nothing, as an element of `transform`."""
        # Because it is the average given one record, over that record: any subject would do, and the first comes
        # soonest.
        subject, elements = next(iter(self.mean_product(transform)))
        return transform.mix(subject.log_prior, elements)

    @property
    def of_records(self) -> "Joint":
        """The law of the records themselves, where this one is of what people report; by default this one."""
        return self

    @property
    def is_listed(self) -> bool:
        """Whether its factors list assignments, from which records can be read; by default they do."""
        return True

    def apart(self, people: Mapping[int, str] | None, before: int = 0) -> "Joint":
        """Returns the same law, in which some people have a label of their own, in place of the one they have.

        people: the labels by the people's numbers; None: everybody has the `own_label` of their number, plus `before`,
        or of their name. Then the places of all groups of one kind have the labels of the first group's people.
        InputError for a law that has no such form: by default.
        """
        raise InputError("query.kind", "reports", "a model whose people can be told apart")

    def stratum_of(self, person: int) -> int:
        """Returns the stratum of the record of `person`, from 1, which needs no law."""
        return self.subject_of(person).stratum

    def inclusion(self, stratum: int) -> Inclusion | None:
        """Returns how a record of a `stratum` is drawn into the sample that is asked; None (the default) where nothing
        is drawn, or the draws of two records depend on each other otherwise."""
        return None

    @property
    def refusal(self) -> TooLarge | None:
        """The reason why sums over all records do not fit the memory; None where they may, as by default."""
        return None

    def labelled(self) -> dict[str, int]:
        """Returns how many people have each label. Two universes of one label, adults' and children's, count
        together."""
        people: dict[str, int] = {}
        for stratum in self.strata():
            people[stratum.label] = people.get(stratum.label, 0) + stratum.people
        return people


def finite_law(belief: Belief) -> Joint | None:
    """Returns `belief` where it is a law of records with finitely many values each; None where it is not."""
    return belief if isinstance(belief, Joint) else None


def count_people(law: Belief) -> int:
    """Returns how many people there are in `law`, without listing them."""
    return sum(stratum.people for stratum in law.strata())


def people_of(joint: Joint) -> tuple[int, ...]:
    """Returns the numbers of the people in `joint`, in the order of the columns of `all_outcomes`."""
    return tuple(concatenated.from_iterable(factor.people for factor in joint.factors()))


def one_group(joint: Joint, factor: int) -> Joint:
    """Returns the law of the first group of factor number `factor` of `joint` alone; its people keep their numbers."""
    return joint.part([factor], first_only=True)


def factor_strata(joint: Joint) -> tuple[frozenset[int], ...]:
    """Returns the strata of the records of each factor of `joint`."""
    return tuple(frozenset(factor.strata) for factor in joint.factors())


def group_strata(joint: Joint) -> tuple[IntArray, ...]:
    """Returns, per factor of `joint`, how many of one group's records are of each stratum (strata,)."""
    return strata_of(joint, joint.factors())


def strata_of(joint: Joint, factors: Sequence[Factor]) -> tuple[IntArray, ...]:
    """Returns, per factor of `factors`, how many of one group's records are of each stratum of `joint` (strata,)."""
    width = len(joint.strata())
    return tuple(_counted(factor.strata, width) for factor in factors)


def slots_by_stratum(joint: Joint) -> dict[tuple[str, tuple[RecordValue, ...]], IntArray]:
    """Returns the slots of each stratum of `joint`, by its label and values."""
    found, first = {}, 0
    for stratum in joint.strata():
        found[stratum.label, stratum.values] = np.arange(first, first + len(stratum.values))
        first += len(stratum.values)
    return found


def each_given(joint: Joint, people: tuple[int, ...]) -> Iterator[tuple[tuple[RecordValue, ...], float, Joint]]:
    """Yields the possible values of the records of `people`, the log of their probability, and `joint` given them."""
    # The case in which nobody is left to be known.
    if not people:
        yield (), 0.0, joint
        return
    subject = joint.subject_of(people[0])
    for value, log in zip(subject.secrets, subject.log_prior.tolist(), strict=True):
        for values, further, law in each_given(joint.given({people[0]: value}), people[1:]):
            yield (value, *values), log + further, law


def _counted(strata: Mapping[int, int], width: int) -> IntArray:
    """Returns counts by stratum as an array (width,), 0 for strata that are not named."""
    counts = np.zeros(width, dtype=np.int64)
    counts[list(strata.keys())] = list(strata.values())
    return counts
