"""The joint law of everybody's records where only a sample of them is asked, and nobody knows who is in it.

The records, their values and their secrets are those of the population. An average of a product runs over the records
and over the sample: a record that is not drawn has the factor 1. So a secret is in the answer only with the chance of
being drawn, and the other people in the sample are random as well.

Four people are ill together with probability 1/2, or all well. Drawn as one household with probability 1/10, they add 4
to a count of the ill or nothing:

>>> from dalenius.joints.identical_groups import tabled
>>> from dalenius.joints.independent_groups_law import product_of_groups
>>> from dalenius.laws.convolution import Coefficients
>>> four = product_of_groups([tabled(1, [("", (0, 1))] * 4, [[0] * 4, [1] * 4], [0.5, 0.5], "one of four")])
>>> law = SampledLaw(four, Draw(0.1, whole=True))
>>> _, (well, ill) = next(law.mean_product(Coefficients(np.array([[0], [1]]))))
>>> well.mantissa.round(3).tolist(), ill.mantissa.round(3).tolist()
([1.0], [0.9, 0.0, 0.0, 0.0, 0.1])
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.joints.counted_draws import CountedDraws, size_reached
from dalenius.joints.factor import MANY, Factor, Numbering
from dalenius.joints.joint import Inclusion, Joint, Stratum, Subject, count_people, one_group
from dalenius.joints.thinned_records import Thinned, drawn_or_not
from dalenius.laws.generating_function_algebra import Element, Transform, leave_one_out


@final
@dataclass(frozen=True)
class Draw:
    """The way a sample is drawn.

    Attributes:
        chance: The probability that a person, or a group, is drawn; by the label of people, where it depends on that.
        whole: Whether each group of dependent records is drawn as one, and not each person alone.
        size: The number of people, or of groups, that are drawn without replacement; None where each is drawn or not,
            independently of all others. `chance` is then any number between 0 and 1.
    """

    chance: float | Mapping[str, float]
    whole: bool = False
    size: int | None = None

    def of_label(self, label: str) -> float:
        """Returns the probability that a person with this `label` is drawn."""
        return self.chance[label] if isinstance(self.chance, Mapping) else self.chance

    @property
    def one_chance(self) -> float:
        """The probability that a group is drawn, which has no label."""
        assert not isinstance(self.chance, Mapping)
        return self.chance


_UNLISTED: Final = "a model of everybody's records: in a sample a record is there or not"
"""What is wanted where the records of a group are to be listed."""


@final
@dataclass(frozen=True)
class SampledFactor(Factor):
    """Groups of records whose people may be drawn: those of the population, but their records are not listed.

    Attributes:
        of: The groups of the population.
        joined: The groups that the draw makes dependent on each other; none where each is drawn for itself.
    """

    of: Factor
    joined: tuple[Factor, ...] = ()

    @property
    def count(self) -> int:
        return 1 if self.joined else self.of.count

    @property
    def people(self) -> Sequence[int]:
        return [person for each in self.joined for person in each.people] if self.joined else self.of.people

    @property
    def strata(self) -> Mapping[int, int]:
        if not self.joined:
            return self.of.strata
        found: dict[int, int] = {}
        for each in self.joined:
            for stratum, records in each.strata.items():
                found[stratum] = found.get(stratum, 0) + each.count * records
        return found

    @property
    def alike(self) -> Sequence[int]:
        return range(self.size) if self.joined else self.of.alike

    @property
    def assignments(self) -> int:
        return MANY

    @property
    def unlisted(self) -> InputError:
        return InputError("model.kind", "sampled", _UNLISTED)

    def group_assignments(self) -> tuple[IntArray, Array]:
        raise self.unlisted

    def within(self, numbering: Numbering) -> "SampledFactor":
        return SampledFactor(self.of.within(numbering), tuple(each.within(numbering) for each in self.joined))


@final
class SampledLaw(Joint):
    """The law of a population's records where a sample of them is asked.

    Args:
        population: The law of everybody's records.
        draw: The way the sample is drawn.
    """

    def __init__(self, population: Joint, draw: Draw) -> None:
        self.population, self.draw = population, draw

    def strata(self) -> tuple[Stratum, ...]:
        return self.population.strata()

    @property
    def sampling_rate(self) -> float:
        return max(self.draw.chance.values()) if isinstance(self.draw.chance, Mapping) else self.draw.chance

    def inclusion(self, stratum: int) -> Inclusion | None:
        # Because a sample of a given size has one person less for others.
        if self.draw.size is not None:
            return None
        if not self.draw.whole:
            return Inclusion(self.draw.of_label(self.strata()[stratum].label))
        groups = [dict(factor.strata) for factor in self.population.factors() if stratum in factor.strata]
        return Inclusion(self.draw.one_chance, tuple({**each, stratum: each[stratum] - 1} for each in groups))

    def subjects(self) -> tuple[Subject, ...]:
        return tuple(map(self._among, self.population.subjects()))

    def subject_of(self, person: int, single: bool = False) -> Subject:
        return self._among(self.population.subject_of(person, single))

    def _among(self, subject: Subject) -> Subject:
        """Returns the `subject`, who depends on everybody who may be drawn instead."""
        return subject if self.draw.size is None else replace(subject, dependents=count_people(self.population))

    def number_of(self, name: str) -> int | None:
        return self.population.number_of(name)

    def stratum_of(self, person: int) -> int:
        return self.population.stratum_of(person)

    @property
    def refusal(self) -> TooLarge | None:
        return self.population.refusal

    def given(self, known: Mapping[int, RecordValue]) -> "SampledLaw":
        """Returns the law given the `known` records; whether these people are in the sample stays unknown."""
        # Because whoever is drawn with their household is so, whatever is known of their record.
        given = self.population.given_together(known) if self.draw.whole else self.population.given(known)
        return SampledLaw(given, self.draw)

    def factors(self) -> tuple[SampledFactor, ...]:
        factors = self.population.factors()
        # Because a sample of a given size has one person less for others, it makes all groups dependent.
        if self.draw.size is not None:
            return (SampledFactor(factors[0], tuple(factors)),)
        return tuple(map(SampledFactor, factors))

    def hidden_together(self) -> tuple[Factor, ...]:
        # Because groups are independent given any set of drawn people, and the draw tells nothing of records.
        return self.population.hidden_together()

    def part(self, factors: Collection[int], first_only: bool = False) -> "SampledLaw":
        # The case of a sample of a given size, which has one factor: everybody.
        if self.draw.size is not None:
            return self
        return SampledLaw(self.population.part(factors, first_only), self.draw)

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        """Yields the averages over the records and the sample, by subject and secret, as elements of `transform`."""
        if self.draw.size is None:
            for subject, elements in self._averages(transform, _unmarked):
                yield self._among(subject), elements
            return
        counted = CountedDraws(transform, self.draw.size)
        for subject, polynomials in self._averages(counted, counted.drawn):
            terms = [size_reached(each, self.draw.size) for each in polynomials]
            doubt = 2 * max(each.error for each in terms)
            whose = replace(self._among(subject), class_error=subject.class_error + doubt)
            yield whose, [each.average for each in terms]

    def total(self, transform: Transform[Element]) -> Element:
        if self.draw.size is None:
            return self._total(transform, _unmarked)
        counted = CountedDraws(transform, self.draw.size)
        return size_reached(self._total(counted, counted.drawn), self.draw.size).average

    def _averages(
        self, algebra: Transform[Element], drawn: Callable[[Element], Element]
    ) -> Iterator[tuple[Subject, Sequence[Element]]]:
        """Yields the averages in an `algebra`, in which `drawn` marks what is drawn."""
        if not self.draw.whole:
            yield from self.population.mean_product(Thinned(algebra, self._chances, drawn))
            return
        groups, powers = self._groups(algebra, drawn)
        for place, others in enumerate(leave_one_out(algebra, groups, powers)):
            for subject, own in one_group(self.population, place).mean_product(algebra):
                each = [drawn_or_not(algebra, self.draw.one_chance, drawn(element)) for element in own]
                whose = replace(self.population.subject_of(subject.person), class_error=subject.class_error)
                yield whose, [algebra.product([others, element], [1, 1]) for element in each]

    def _total(self, algebra: Transform[Element], drawn: Callable[[Element], Element]) -> Element:
        """Returns the average in the `algebra` given nothing."""
        if not self.draw.whole:
            return self.population.total(Thinned(algebra, self._chances, drawn))
        return algebra.product(*self._groups(algebra, drawn))

    def _groups(
        self, algebra: Transform[Element], drawn: Callable[[Element], Element]
    ) -> tuple[list[Element], list[int]]:
        """Returns one group's average for each factor, drawn as one or not, and how many groups there are."""
        found = []
        for place in range(len(self.population.factors())):
            own = drawn(one_group(self.population, place).total(algebra))
            found.append(drawn_or_not(algebra, self.draw.one_chance, own))
        return found, [factor.count for factor in self.population.factors()]

    @cached_property
    def _chances(self) -> Array:
        """The probability that a record is drawn, by slot (slots,)."""
        chances = [[self.draw.of_label(each.label)] * len(each.values) for each in self.population.strata()]
        return np.array([chance for own in chances for chance in own])


def _unmarked(element: Element) -> Element:
    """Returns the `element`: where the size is left to chance, nobody counts who is drawn."""
    return element
