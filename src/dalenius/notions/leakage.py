"""What a notion of privacy reads from a channel."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure, around
from dalenius.channel import Channel
from dalenius.laws.law import Array
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True)
class Witness:
    """Where a leakage is attained: whose record, which of its values (against which), and which output.

    person: number of the first of a class of exchangeable people; who: that class in words; output: one number per
    coordinate, in the query's unit, and at an end of the answer's range also everything beyond; None where the leakage
    is an average over outputs; answers: the labels of those coordinates, where the query answers per label; known: what
    the adversary knows of others on top of it, by person; what: what the secret is. Person 0 is nobody in particular.
    outputs: where all outputs of a set together tell them apart, that set, as intervals with their ends included.
    """

    person: int
    who: str
    secret: RecordValue | None = None
    against: RecordValue | None = None
    output: tuple[RecordValue, ...] | None = None
    answers: tuple[str, ...] = ("",)
    known: Mapping[int, RecordValue] = field(default_factory=dict)
    what: str = "record"
    outputs: tuple[tuple[float, float], ...] | None = None


@final
@dataclass(frozen=True)
class Leakage:
    """lower <= truth <= upper, in nats, and where it is attained; companions: further numbers of the same notion."""

    lower: float
    upper: float
    witness: Witness | None
    companions: dict[str, Enclosure] = field(default_factory=dict)

    @property
    def epsilon(self) -> float:
        """A point inside the enclosure."""
        return Enclosure(self.lower, self.upper).middle


TIE: Final = 1e-9
"""Leakages this close, relatively, are equal: their witness is the first, whatever the last digits say."""

NOTHING: Final = Leakage(0.0, 0.0, None)
"""Nobody's record can touch the answer."""


def worst(leakages: Iterable[Leakage]) -> Leakage:
    """The largest leakage, with the witness of the largest lower bound; companions are maximised on their own."""
    total = NOTHING
    for leakage in leakages:
        names = {**total.companions, **leakage.companions}
        companions = {
            name: Enclosure(
                max(total.companions.get(name, NONE).lower, leakage.companions.get(name, NONE).lower),
                max(total.companions.get(name, NONE).upper, leakage.companions.get(name, NONE).upper),
            )
            for name in names
        }
        ahead = leakage if total.witness is None or leakage.lower > total.lower * (1 + TIE) else total
        total = Leakage(max(total.lower, leakage.lower), max(total.upper, leakage.upper), ahead.witness, companions)
    return total


NONE = Enclosure(0.0, 0.0)


def peak(values: Array, possible: Array, error: Array | float) -> tuple[Enclosure, tuple[int, ...]]:
    """The largest of values ± error over the outputs that can occur, at least 0, and the first place it is at."""
    shown = np.where(possible, values, -inf)
    top = float(np.max(shown))
    tied = shown >= top - TIE * abs(top) if isfinite(top) else shown == top
    place = np.unravel_index(int(np.argmax(tied)), shown.shape)
    if float(np.max(error)) == inf:
        return Enclosure(0.0, inf), tuple(int(i) for i in place)
    if np.ndim(error):
        upper = float(np.max(np.where(possible, values + error, -inf)))
        lower = float(np.max(np.where(possible, values - error, -inf)))
        return Enclosure(lower, upper).clipped(0.0), tuple(int(i) for i in place)
    return around(top, float(error)).clipped(0.0), tuple(int(i) for i in place)


def of_person(channel: Channel, **where: object) -> Witness:
    subject = channel.subject
    return Witness(subject.person, subject.who, answers=channel.names, what=subject.what, **where)  # type: ignore[arg-type]
