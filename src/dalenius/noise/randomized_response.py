"""Randomized response: each person tells their value with a known probability, and else another one at random."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, floor, inf, log, nextafter, sqrt
from typing import Annotated, Final, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.errors import InputError
from dalenius.fields import Probability, RecordValue
from dalenius.laws.lattice import Lattice
from dalenius.noise.noise import Noise
from dalenius.noise.reports import ReportError, ReportMechanism, Reports, Rows, no_draw
from dalenius.noise.shape import Shape
from dalenius.sentences.sentence import Figure, said

_DIGITS: Final = 10**12
"""A calibrated keep has twelve decimals, rounded down: at most as much is told as was found to be safe."""


@final
class RandomizedResponse(Noise):
    """Replaces each record by a report before the query is asked: its value, or each other value equally often.

    Args:
        keep: The probability that a report is the record's own value: from 1/k to 1 for records of k values. None (the
            default) leaves it open, for `calibrate`.
        values: The number k of values of a record, at least 2; None (the default) reads it from the model.
        scale: None, always: `keep` says how much noise there is.

    Example:
        Of three who tell the truth three times out of four, a count says ln 3 nats of anybody:

        >>> import dalenius as dl
        >>> people = dl.Independent(n=3, probabilities=[0.3])
        >>> release = dl.Release(people, dl.Count(), dl.RandomizedResponse(keep=0.75))
        >>> round(dl.InferentialPrivacy().leakage(release).upper, 6)
        1.098612

    Notes:
        Warner, JASA 60(309), 1965, for two values. A smaller `keep` is a larger one, and then randomized response
        once more: so it never leaks more (Result 23.3).
    """

    kind: Literal["randomized_response"] = "randomized_response"
    keep: Annotated[Probability, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    values: Annotated[int, Field(ge=2, strict=True)] | None = None

    @model_validator(mode="after")
    def _check(self) -> "RandomizedResponse":
        if self.scale is not None:
            raise ValueError("no scale beside kind = randomized_response")
        return self

    @property
    def shape(self) -> Shape:
        return Shape(scaled=self.keep is None, on_records=True, outcome="answer made of noised reports")

    def known_scale(self) -> float:
        if self.keep is None:
            raise InputError("noise.keep", "missing", "a probability (dalenius calibrate finds it)")
        return super().known_scale()

    def among(self, universes: Sequence[Sequence[RecordValue]]) -> "RandomizedResponse":
        sizes = [len(values) for values in universes if len(values) > 1]
        least = min(sizes, default=2)
        if self.values is not None and sizes and self.values not in sizes:
            raise InputError("noise.values", self.values, f"{least}, the number of values of a record")
        if self.keep is not None and Fraction(str(self.keep)) * least < 1:
            raise InputError(
                "noise.keep", self.keep, f"a probability from 1/{least} to 1 (records have {least} values)"
            )
        return self if self.values == least else self.altered({"values": least})

    def reports(self, values: Sequence[RecordValue]) -> Reports:
        return Reports(tuple(values), self._rows(len(values)))

    def _rows(self, size: int) -> Rows:
        # Because a law of reports is laid out before `calibrate` finds keep; the mechanism refuses to go without it.
        keep = Fraction(1) if size == 1 or self.keep is None else Fraction(str(self.keep))
        other = (1 - keep) / max(size - 1, 1)
        return tuple(tuple(keep if one == own else other for own in range(size)) for one in range(size))

    def mechanism(self, lattice: Lattice) -> ReportMechanism:
        if self.keep is None:
            self.known_scale()
        return ReportMechanism(self, lattice, self._chances)

    def _chances(self, size: int) -> Array:
        return np.array([[float(chance) for chance in row] for row in self._rows(size)])

    def error(self, step: Fraction) -> ReportError:
        return ReportError()

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """Returns infinity wherever something moves: how many records do is not seen from the answer.

        Args:
            distances: The most that each coordinate moves, in the query's unit.

        Returns:
            Nats. One record loses at most ln(keep (k - 1) / (1 - keep)): see `Mechanism.neighbour_loss`.
        """
        return inf if any(distances) else 0.0

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        """Refuses: reports are drawn record by record (`Reports.drawn`).

        Args:
            answer: The exact answer, in lattice steps.
            lattice: The lattice of the answers.

        Raises:
            InputError: Always.
        """
        raise no_draw(self.kind)

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        """Returns the odds of a lie at which reports say nothing, whatever is promised.

        Args:
            distance: The L1 distance over all coordinates; not used.
            epsilon: The promised log-ratio; not used.
            delta: The promised δ; not used.
            axes: The number of coordinates; not used.

        Returns:
            k - 1: then each value is as likely as every other.
        """
        return float((self.values or 2) - 1)

    def scale_for_group(self, moved: tuple[Fraction, int], epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        """Returns the odds of a lie at which the reports of a group together say at most epsilon.

        Args:
            moved: How far the group moves the answer, which is not used, and how many people it has.
            epsilon: The promised log-ratio, in nats.
            delta: The promised δ; not used.
            axes: The number of coordinates; not used.
        """
        # The case of answers of which it is not known how many people move them: reports that say nothing.
        if not moved[1]:
            return self.scale_for(moved[0], epsilon, delta, axes)
        return ((self.values or 2) - 1) * exp(-epsilon / moved[1]) * (1 + 64 * UNIT)

    def with_scale(self, scale: float) -> "RandomizedResponse":
        """Returns the response whose odds of a lie are `scale`: keep = 1 / (1 + scale), and at least 1/k.

        Args:
            scale: The odds of another value than the own, above 0.
        """
        size = self.values or 2
        least = -(-_DIGITS // size)
        kept = max(floor(Fraction(_DIGITS) / (1 + Fraction(scale))), least)
        return self.altered({"keep": kept / _DIGITS})

    @property
    def bare(self) -> "RandomizedResponse":
        """The response that keeps every record: the records themselves."""
        return self.altered({"keep": 1.0})

    def loss_of_group(self, moved: tuple[Fraction, int], axes: int) -> float:
        return self._record_loss * moved[1] if moved[0] else 0.0

    @property
    def _record_loss(self) -> float:
        """The most nats that a report says of its record, rounded up."""
        size = self.values or 2
        if self.keep is None or self.keep >= 1:
            return inf
        return nextafter(abs(log(self.keep * (size - 1) / (1 - self.keep))) * (1 + 8 * UNIT), inf)

    def unbiased(self, answer: Fraction | int, people: int, scores: Sequence[Fraction | int]) -> Fraction:
        """Returns the unbiased estimate of a sum or count of the records from that of their reports.

        Its mean, over the noise, is the exact answer, whatever the records are. It may be below 0, or above any
        answer that can be.

        Args:
            answer: The answer of the reports, in the query's unit.
            people: How many people report.
            scores: What each value of a record adds to the answer (values,), in the query's unit: 0 and 1 for a count
                of one value of two.

        Raises:
            InputError: Reports say nothing of the records.
        """
        even, left = self._even(scores)
        return (Fraction(answer) - people * even) / left

    def deviation(self, people: int, scores: Sequence[Fraction | int]) -> float:
        """Returns the standard deviation of the unbiased estimate, for the records for which it is largest.

        For two values it is the same for all records: it is that of the noise alone.

        Args:
            people: How many people report.
            scores: What each value of a record adds to the answer (values,), in the query's unit.

        Raises:
            InputError: Reports say nothing of the records.
        """
        _, left = self._even(scores)
        variances = []
        for row in self._rows(len(scores)):
            mean = sum((chance * score for chance, score in zip(row, scores, strict=True)), Fraction(0))
            squares = sum((chance * score**2 for chance, score in zip(row, scores, strict=True)), Fraction(0))
            variances.append(squares - mean**2)
        return float(sqrt(people * max(variances))) / float(left)

    def _even(self, scores: Sequence[Fraction | int]) -> tuple[Fraction, Fraction]:
        """Returns what a report adds that is drawn evenly, on average, and how much of the record's score is left."""
        rows = self._rows(len(scores))
        other = rows[0][-1]
        left = rows[0][0] - other
        if not left:
            raise InputError("noise.keep", self.keep or 0.0, "more than 1/k: such reports say nothing of the records")
        return other * sum(map(Fraction, scores), Fraction(0)), left

    @property
    def amount(self) -> float:
        return 0.0 if self.keep is None else inf if not self.keep else 1 / self.keep - 1

    @property
    def words(self) -> str:
        if self.keep == 1:
            return said("response_keeps")
        if self.keep is None:
            return said("response")
        return said("response_with", chance=Figure(f"{self.keep:.6g}"))


def randomized(noise: Noise, why: str) -> RandomizedResponse:
    """Returns the `noise`, which is to be randomized response; InputError for another one, which says `why`."""
    if not isinstance(noise, RandomizedResponse):
        raise InputError("noise.kind", noise.kind, f"randomized_response, {why}")
    return noise
