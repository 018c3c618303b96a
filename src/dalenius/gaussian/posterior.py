"""The posterior of Gaussian records at one output, under Gaussian noise or none: Gaussian itself (Theory §10).

The answers explain the share ρ² of the variance of a record N(μ, σ₀²). Its posterior is N(m, (1 - ρ²)σ₀²), and m,
before the answers are known, is N(μ, ρ²σ₀²). So log posterior/prior at s is

    r(s) = ½ log 1/(1 - ρ²) + (s - μ)²/2σ₀² - (s - m)²/2(1 - ρ²)σ₀²,

largest over all real s at s = μ + (m - μ)/ρ², where it is ½ log 1/(1 - ρ²) + (m - μ)²/2ρ²σ₀². As in the notions, the
secrets are the values of the given pairs, else the ends of `bounds`, else all real numbers.

Take two records of variance 1 and covariance ½ around 0, and their sum with Gaussian noise of deviation 3, which came
out as 3. Either record is now believed to be .375 with deviation .901; the value that rose most is 2, by .479 nats.

>>> from dalenius.gaussian.channel import GaussianWorld
>>> from dalenius.gaussian.model import GaussianRecords
>>> from dalenius.noise import Gaussian
>>> from dalenius.queries import Sum
>>> from dalenius.channel.secrets import Secrets
>>> law = GaussianRecords(mean=(0.0, 0.0), covariance=((1.0, 0.5), (0.5, 1.0))).joints()[0]
>>> update = next(GaussianWorld(law, Sum(), Secrets()).channels(Gaussian(scale=3))).at([3]).updates[0]
>>> update.posterior.mean, round(update.posterior.deviation, 4), update.raised, round(update.leaks.upper, 4)
(0.375, 0.9014, 2.0, 0.4788)
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import inf, log, pi, sqrt
from typing import Final, final

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.channel.channel import ChannelAtOutput, MeanAndDeviation, Update
from dalenius.errors import InputError
from dalenius.gaussian.channel_of_one_record import GaussianRecord, RationalMatrix, dot, inverse_of
from dalenius.gaussian.quantities import gaussian_information
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.noise import Answer, gaussian_deviation, number_of
from dalenius.special_functions import ndtr

_ALL: Final = Enclosure(inf, inf)
_NOTHING: Final = Enclosure(0.0, 0.0)


@final
class GaussianAtOutput(ChannelAtOutput):
    """The posteriors of Gaussian records of one law and query at one output; records without influence are left out.

    InputError (answers) where the covariance rules the output out.
    """

    def __init__(self, records: Iterable[GaussianRecord], output: Sequence[Answer]) -> None:
        numbers = [number_of(each) for each in output]
        kept = [_Record(record, numbers) for record in records if not record.idle]
        self.axes = tuple(range(len(numbers)))
        self.updates = tuple(each.update for each in kept)
        self._first = kept[0] if kept else None
        self.likelihood = _NOTHING if self._first is None else self._first.likelihood

    def exceeded(self, update: Update, level: float) -> Enclosure | None:
        return None

    def sides(self) -> Sequence[Sides | None]:
        return [None] * len(self.axes) if self._first is None else self._first.sides


@final
class _Record:
    """One record given one output: `share` is ρ², `moved` is m - μ.

    InputError under Laplace noise, and for an output that the covariance rules out.
    """

    def __init__(self, record: GaussianRecord, output: Sequence[Fraction]) -> None:
        if record.is_laplace:
            wanted = "gaussian or none: under other noise the posterior of a normal record is no normal law"
            raise InputError("noise.kind", record.noise.kind, wanted)
        self.record = record
        added = Fraction(gaussian_deviation(record.noise)) ** 2
        self._covariance: RationalMatrix = tuple(
            tuple(x + (added if i == j else 0) for j, x in enumerate(row)) for i, row in enumerate(record.answers)
        )
        self._deviation = [own - middle for own, middle in zip(output, record.centre, strict=True)]
        solved, self._determinant = inverse_of(record.answers, added)
        self._solved = [dot(row, self._deviation) for row in solved]
        # The covariance rules out, say, outputs that are no multiples where the two exact answers are.
        if [dot(row, self._solved) for row in self._covariance] != self._deviation:
            raise InputError(
                "answers", ", ".join(f"{float(each):g}" for each in output), "answers that can occur together"
            )
        self.share = record.explained
        self.moved = record.variance * dot(record.shift, self._solved)

    @property
    def update(self) -> Update:
        """The record's prior and posterior, each by mean and deviation, and what the output leaks of it."""
        record, subject = self.record, self.record.subject
        left = (1 - self.share) * record.variance
        return Update(
            subject.person,
            subject.people,
            subject.who,
            subject.what,
            (),
            self.leaks,
            self._raised,
            self._odds,
            MeanAndDeviation(float(record.mean), sqrt(float(record.variance))),
            MeanAndDeviation(float(record.mean + self.moved), sqrt(float(left))),
        )

    @property
    def _values(self) -> list[Fraction] | None:
        """Returns the secrets, ascending; None for all real numbers."""
        record = self.record
        if record.pairs is not None:
            return sorted({value for pair in record.pairs for value in pair})
        return None if record.bounds is None else list(record.bounds)

    @property
    def leaks(self) -> Enclosure:
        """The largest r(s) of any secret s, in nats, at least 0."""
        # An exact answer may determine the record.
        if self.share == 1:
            return _ALL
        values = self._values
        if values is None:
            rest = self.moved**2 / (2 * self.share * self.record.variance)
            return _sum(gaussian_information(self.share), float(rest))
        return max((self._ratio(value) for value in values), default=_NOTHING).clipped(0.0)

    @property
    def _raised(self) -> float | None:
        """Returns the secret whose density rose most."""
        values = self._values
        if self.share == 1:
            return float(self.record.mean + self.moved)
        if values is None:
            return float(self.record.mean + self.moved / self.share)
        return float(max(values, key=lambda value: self._square(value))) if values else None

    @property
    def _odds(self) -> Enclosure:
        """Returns the most that the log-odds of two secrets moved, in nats."""
        record = self.record
        # Because odds between real numbers without bounds move by any amount.
        if record.widest is None or self.share == 1:
            return _ALL
        found = _NOTHING
        for one, other in record.pairs or (record.widest,):
            difference = abs(float(self._square(one) - self._square(other)))
            found = max(found, around(difference, 4 * UNIT * difference).clipped(0.0))
        return found

    def _square(self, value: Fraction) -> Fraction:
        """Returns r(s) - ½ log 1/(1 - ρ²)."""
        variance, deviation = self.record.variance, value - self.record.mean
        return deviation**2 / (2 * variance) - (deviation - self.moved) ** 2 / (2 * (1 - self.share) * variance)

    def _ratio(self, value: Fraction) -> Enclosure:
        return _sum(gaussian_information(self.share), float(self._square(value)))

    @property
    def likelihood(self) -> Enclosure:
        """log of the output's density, in nats, over all secrets."""
        det = self._determinant
        if det == 0:  # exact answers that determine each other have no density
            return Enclosure(-inf, inf)
        square = float(dot(self._deviation, self._solved))
        size = len(self._deviation) * log(2 * pi), log(det.numerator) - log(det.denominator), square
        scale = abs(size[0]) + abs(log(det.numerator)) + abs(log(det.denominator)) + square
        return around(-sum(size) / 2, 16 * UNIT * scale)

    @property
    def sides(self) -> list[Sides | None]:
        """By answer, how likely one at most, and at least, as large was."""
        found: list[Sides | None] = []
        for axis, deviation in enumerate(self._deviation):
            variance = self._covariance[axis][axis]
            place = float(deviation) / sqrt(float(variance)) if variance else 0.0
            chances = [float(ndtr(place)), float(ndtr(-place))] if variance else [1.0, 1.0]
            error = (64 + 8 * min(place**2, 1500.0)) * UNIT
            found.append(Sides(*(Enclosure(p * (1 - error), min(p * (1 + error), 1.0)) for p in chances)))
        return found


def _sum(one: float, other: float) -> Enclosure:
    return around(one + other, 8 * UNIT * (abs(one) + abs(other)))
