"""The posterior of records of a mixture at one output, under Gaussian noise or none: a mixture of normal laws again.

Its weights are the components' posterior chances, and each of its laws is the component's own posterior (Result 10.3).
"""

from collections.abc import Sequence
from fractions import Fraction
from math import fsum, inf, sqrt
from typing import final

import numpy as np

from dalenius.bounds import Enclosure, largest
from dalenius.channel.channel import ChannelAtOutput, MeanAndDeviation, Update
from dalenius.errors import InputError
from dalenius.gaussian.mixture_record import MixtureRecord
from dalenius.gaussian.noisy_mixture import NoisyMixture
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.noise import Answer, number_of


@final
class MixtureAtOutput(ChannelAtOutput):
    """The reading of one output about each record: by how much it moves the chances of the given values.

    InputError under Laplace noise, whose posterior has no formula here.
    """

    def __init__(self, records: Sequence[MixtureRecord], output: Sequence[Answer]) -> None:
        self.axes = (0,)
        place = float(number_of(output[0]))
        for record in records:
            if record.first.is_laplace:
                wanted = "gaussian: under other noise the posterior of a normal record is no normal law"
                raise InputError("noise.kind", record.first.noise.kind, wanted)
            # The case of an answer that is known to be one record's value.
            if record.exact:
                raise InputError("noise.kind", "none", "noise, as the answer determines a record without it")
        self.updates = tuple(_update(record, place) for record in records)
        self._first = records[0] if records else None
        self._place = place
        self.likelihood = Enclosure(0.0, 0.0) if self._first is None else _at(self._first.mixed, place)

    def exceeded(self, update: Update, level: float) -> Enclosure | None:
        return None

    def sides(self) -> Sequence[Sides | None]:
        if self._first is None:
            return [None]
        found = []
        for ends in ((-inf, self._place), (self._place, inf)):
            mass, error = self._first.mixed.mass(*ends)
            found.append(Enclosure(max(mass - error, 0.0), min(mass + error, 1.0)))
        return [Sides(*found)]


def _at(law: NoisyMixture, place: float) -> Enclosure:
    """Returns the log of a density at one place."""
    low, high = law.at(np.array([place]))
    return Enclosure(float(low[0]), float(high[0]))


def _update(record: MixtureRecord, place: float) -> Update:
    """Returns one record's prior and posterior moments, and how far the chances of its values moved, in nats."""
    whole, subject = _at(record.mixed, place), record.first.subject
    moved = {value: _less(_at(record.given(value), place), whole) for value in record.values}
    raised = max(moved, key=lambda value: moved[value].upper)
    odds = Enclosure(0.0, 0.0)
    for one, other in record.pairs:
        apart = _less(moved[one], moved[other])
        odds = largest(odds, largest(apart, Enclosure(-apart.upper, -apart.lower)))
    return Update(
        subject.person,
        subject.people,
        subject.who,
        subject.what,
        (),
        largest(Enclosure(0.0, 0.0), max(moved.values(), key=lambda each: each.upper)),
        float(raised),
        odds,
        _moments([float(each) for each in record.weights], [(p.mean, p.variance) for p in record.parts]),
        _posterior(record, place),
    )


def _less(one: Enclosure, other: Enclosure) -> Enclosure:
    return Enclosure(one.lower - other.upper, one.upper - other.lower)


def _posterior(record: MixtureRecord, place: float) -> MeanAndDeviation:
    """Returns the posterior's moments under Gaussian noise: those of the components', by their posterior chances."""
    logs = record.mixed.terms(np.array([place]))[0][:, 0]
    weights = np.exp(logs - logs.max())
    parts = []
    for part, variance in zip(record.parts, record.mixed.variances, strict=True):
        gain = part.shift[0] * part.variance / variance
        mean = part.mean + gain * (Fraction(place) - part.centre[0])
        parts.append((mean, part.variance * (1 - part.shift[0] * gain)))
    return _moments((weights / weights.sum()).tolist(), parts)


def _moments(weights: Sequence[float], parts: Sequence[tuple[Fraction, Fraction]]) -> MeanAndDeviation:
    mean = fsum(weight * float(each) for weight, (each, _) in zip(weights, parts, strict=True))
    spread = fsum(
        weight * (float(variance) + (float(each) - mean) ** 2)
        for weight, (each, variance) in zip(weights, parts, strict=True)
    )
    return MeanAndDeviation(mean, sqrt(spread))
