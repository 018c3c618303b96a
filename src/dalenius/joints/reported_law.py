"""The law of what people report, each noising their own record, given one person's true record (Result 23.3).

A report depends on its record alone. So an average over reports is one over records, in which each record's factor
is the mean of its reports' factors: any law of records serves.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.joints.factor import MANY, Factor, Numbering
from dalenius.joints.joint import Case, Joint, Stratum, Subject, count_people
from dalenius.laws.generating_function_algebra import ByRecords, Element, Transform

Reporting: TypeAlias = Callable[[tuple[RecordValue, ...]], tuple[tuple[RecordValue, ...], Array]]
"""Returns the values that reports of records of a universe can have, and their log-probabilities (values, reports)."""


@final
class OverReports(ByRecords[Element], Generic[Element]):
    """A transform of reports' slots, addressed by the slots of the records.

    Args:
        transform: The transform that knows the reports' scores.
        reports: For each slot of the records, the slots of its possible reports and their log-probabilities.
    """

    def __init__(self, transform: Transform[Element], reports: Sequence[tuple[IntArray, Array]]) -> None:
        super().__init__(transform)
        self._reports = reports
        self._factors: dict[int, Element] = {}

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Element:
        factors = [self._factor(slot) for slot in slots.tolist()]
        possible = np.flatnonzero(log_weights > -np.inf)
        rows = [self._row(factors, counts[row].tolist()) for row in possible.tolist()]
        return self._transform.mix(log_weights[possible], rows)

    def _row(self, factors: Sequence[Element], counts: Sequence[int]) -> Element:
        there = [(factor, count) for factor, count in zip(factors, counts, strict=True) if count]
        # The case of a group without records: a factor to the power 0 is 1.
        chosen = there or [(factors[0], 0)]
        return self._transform.product([factor for factor, _ in chosen], [count for _, count in chosen])

    def _factor(self, slot: int) -> Element:
        """Returns the mean of the factors of one record's reports; each slot's is computed once."""
        if slot not in self._factors:
            own, logs = self._reports[slot]
            self._factors[slot] = self._transform.mean(logs, own, np.eye(len(own), dtype=np.int64))
        return self._factors[slot]


@final
@dataclass(frozen=True)
class _Unlisted(Factor):
    """A factor whose records are reported: who belongs together is known, and assignments of reports are not listed."""

    factor: Factor

    @property
    def count(self) -> int:
        return self.factor.count

    @property
    def people(self) -> Sequence[int]:
        return self.factor.people

    @property
    def strata(self) -> Mapping[int, int]:
        return self.factor.strata

    @property
    def alike(self) -> Sequence[int]:
        return self.factor.alike

    @property
    def assignments(self) -> int:
        return MANY

    def group_assignments(self) -> tuple[IntArray, Array]:
        raise InputError(
            "engine", "enumeration", "convolution or tilting: assignments of noised reports are not listed"
        )

    def within(self, numbering: Numbering) -> "_Unlisted":
        return replace(self, factor=self.factor.within(numbering))


@final
class ReportedLaw(Joint):
    """The law of reports, in which the secret is a record. Strata and slots are those of the reports.

    Args:
        records: The law of the records.
        reporting: The reports of each universe, which depend on the record alone.
    """

    def __init__(self, records: Joint, reporting: Reporting) -> None:
        self._records, self._reporting = records, reporting

    @property
    def of_records(self) -> Joint:
        return self._records

    @property
    def is_listed(self) -> bool:
        # Because a listed report does not say what the record was.
        return False

    @property
    def sampling_rate(self) -> float | None:
        return self._records.sampling_rate

    @cached_property
    def _reports(self) -> list[tuple[tuple[RecordValue, ...], Array]]:
        return [self._reporting(stratum.values) for stratum in self._records.strata()]

    @cached_property
    def _by_slot(self) -> list[tuple[IntArray, Array]]:
        found, first = [], 0
        for values, logs in self._reports:
            for row in logs:
                own = np.flatnonzero(row > -np.inf)
                found.append((first + own, row[own]))
            first += len(values)
        return found

    def _over(self, transform: Transform[Element]) -> OverReports[Element]:
        return OverReports(transform, self._by_slot)

    @cached_property
    def _error(self) -> float:
        """The nats by which the logs of everybody's reports may be off, each rounded a few times."""
        return 16 * UNIT * count_people(self._records)

    def strata(self) -> tuple[Stratum, ...]:
        own = zip(self._records.strata(), self._reports, strict=True)
        return tuple(replace(stratum, values=values) for stratum, (values, _) in own)

    def _reported(self, subject: Subject) -> Subject:
        return replace(subject, class_error=subject.class_error + self._error)

    def subjects(self) -> tuple[Subject, ...]:
        return tuple(map(self._reported, self._records.subjects()))

    def subject_of(self, person: int, single: bool = False) -> Subject:
        return self._reported(self._records.subject_of(person, single))

    def stratum_of(self, person: int) -> int:
        return self._records.stratum_of(person)

    def number_of(self, name: str) -> int | None:
        return self._records.number_of(name)

    def given(self, known: Mapping[int, RecordValue]) -> "ReportedLaw":
        """Returns the law given the `known` records, whose reports are as noisy as everybody's."""
        return ReportedLaw(self._records.given(known), self._reporting)

    def factors(self) -> tuple[Factor, ...]:
        return tuple(_Unlisted(factor) for factor in self._records.factors())

    def part(self, factors: Collection[int], first_only: bool = False) -> "ReportedLaw":
        return ReportedLaw(self._records.part(factors, first_only), self._reporting)

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        for subject, elements in self._records.mean_product(self._over(transform)):
            yield self._reported(subject), elements

    def given_each(
        self, transform: Transform[Element], wanted: Sequence[tuple[int, ...]]
    ) -> Iterator[list[Case[Element]]]:
        yield from self._records.given_each(self._over(transform), wanted)

    def total(self, transform: Transform[Element]) -> Element:
        return self._records.total(self._over(transform))

    @property
    def refusal(self) -> TooLarge | None:
        return self._records.refusal
