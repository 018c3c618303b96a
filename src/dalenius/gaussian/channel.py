"""The channel of jointly normal records under a linear query: the largest leakage over all people.

Take two records of variance 1 and covariance ½, each a secret from -2 to 2, and their sum with Laplace noise of scale
3. It leaks 2 nats between -2 and 2, as one unit of a record moves the sum by 3/2; differential privacy counts 4/3.

>>> from dalenius.gaussian.model import GaussianRecords
>>> from dalenius.noise import Laplace
>>> from dalenius.queries import Sum
>>> law = GaussianRecords(mean=(0.0, 0.0), covariance=((1.0, 0.5), (0.5, 1.0)), bounds=(-2.0, 2.0)).joints()[0]
>>> channel = next(GaussianWorld(law, Sum(), Secrets()).channels(Laplace(scale=3)))
>>> [round(found.value.upper, 4) for found in (channel.ratio(), channel.neighbours())]
[2.0, 1.3333]
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property, reduce
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure, largest
from dalenius.channel.channel import Channel, RatioName
from dalenius.channel.leakage import Divergence, Found, Movement, worst_of
from dalenius.channel.person import person_number
from dalenius.channel.release_settings import ReleaseSettings
from dalenius.channel.secrets import Secrets
from dalenius.channel.world import World
from dalenius.errors import InputError, Meaningless
from dalenius.gaussian import quantities
from dalenius.gaussian.channel_of_one_record import GaussianRecord, gaussian_records
from dalenius.gaussian.model import GaussianLaw
from dalenius.gaussian.posterior import GaussianAtOutput
from dalenius.noise import Answer, Noise
from dalenius.queries import Query

_KNOWN: Final = "differential, inferential, identity, dependent, information, relative_entropy or mutual_information"


@final
class GaussianChannel(Channel):
    """The channel from any of these records, each alone, to noisy answers.

    Each quantity is the largest over the records. A person is skipped where another certainly leaks more, despite
    rounding, or exactly as much. InputError for a noise other than Laplace, Gaussian or none.
    """

    def __init__(self, records: Iterable[GaussianRecord]) -> None:
        self.records = tuple(records)
        # Because records on which no answer depends leak nothing, whatever the notion; only neighbours have a loss.
        self._moving = [record for record in self.records if not record.idle]
        for record in self.records:
            # Geometric noise steps along a lattice, and normal answers lie on none.
            if not (record.is_laplace or record.noise.shape.gaussian or record.noise.shape.adds_nothing):
                raise InputError("noise.kind", record.noise.kind, "laplace, gaussian or none for normal records")

    def singly(self, quantity: str) -> Iterator[Channel]:
        if quantity == "attack":
            yield self
            return
        # A quantity without a closed form would be read off finite channels, and there are none.
        raise Meaningless("notion.kind", quantity, f"one known for the gaussian model: {_KNOWN}")

    def neighbours(self) -> Found:
        return worst_of([quantities.NO_LOSS, *map(quantities.record_neighbours, self.records)])

    def ratio(self) -> Found:
        return self._worst(quantities.record_ratio)

    def least_epsilon(self, of: RatioName, delta: float) -> Found:
        """Finds the least ε, in nats, at which the ratio named `of` keeps `delta`, over all records.

        A record is skipped where its curve keeps delta at clearly less than the largest ε so far.
        """
        _check_between_values(of)
        found, least = [quantities.NO_LOSS], 0.0
        for record in self.records:
            # Among a thousand meters, most records' δ at the largest ε so far is below delta already.
            if not least or quantities.least_record_delta(record, least).upper > delta:
                found.append(quantities.least_record_epsilon(record, delta))
                # So that rounding skips nobody: only a person who leaks less by more than this margin is skipped.
                least = max(least, found[-1].value.lower * (1 - 1e-9))
        return worst_of(found)

    def least_delta(self, of: RatioName, epsilon: float, least: float = 0.0, bound: float | None = None) -> Enclosure:
        _check_between_values(of)
        # Because each record's curve is a probability, rounding is kept at 1; the largest one counts.
        deltas = [quantities.least_record_delta(record, epsilon) for record in self.records]
        total = reduce(largest, deltas, Enclosure(0.0, 0.0))
        return Enclosure(min(total.lower, 1.0), min(total.upper, 1.0))

    def movement(self, lowering: float = 1.0) -> Movement:
        return Movement.of(self._worst(quantities.record_raise), self._worst(quantities.record_lowering), lowering)

    def divergence(self) -> Divergence:
        # Because both ways are the same for every record: the module `quantities` says why.
        found = self._worst(quantities.divergence_of)
        return Divergence(found, found)

    def information(self) -> Found:
        return self._worst(quantities.information_of)

    def at(self, output: Sequence[Answer]) -> GaussianAtOutput:
        return GaussianAtOutput(self.records, output)

    def _worst(self, read: Callable[[GaussianRecord], Found]) -> Found:
        return worst_of([quantities.NO_LOSS, *map(read, self._moving)])


@final
class GaussianWorld(World):
    """The world of one Gaussian law under a linear query.

    Sensitivities need the model's bounds; a group is a connected component of the graph of non-zero covariances.
    InputError where the query is not linear, or a secret is not a real number.
    """

    def __init__(self, records: GaussianLaw, query: Query, secrets: Secrets) -> None:
        self.records = records
        self._answers = query.linear(records.labels)
        secrets.check_of_records("model gaussian")
        self._pairs = None if secrets.pairs is None else [_numbers(*each) for each in enumerate(secrets.pairs, 1)]
        if secrets.stage is not None:
            raise InputError("secrets.stage", secrets.stage, "a model with stages (kind linked, or chain with members)")
        people = secrets.people
        numbers = None if people is None else [person_number(records, person, "secrets.people") for person in people]
        self._people = None if numbers is None else sorted(set(numbers) & set(records.people))

    @classmethod
    def of(cls, belief: GaussianLaw, question: ReleaseSettings) -> "GaussianWorld":
        return cls(belief, question.known_query, question.secrets)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(answer.name for answer in self._answers)

    @property
    def weights(self) -> list[tuple[Fraction, ...]]:
        """The factor of each record in each answer."""
        return [answer.of for answer in self._answers]

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """Yields one channel under `noise` for all people whose records are secrets."""
        yield GaussianChannel(self.records_under(noise))

    def records_under(self, noise: Noise) -> Iterator[GaussianRecord]:
        """Yields the record of each person whose record is a secret, under `noise`."""
        return gaussian_records(self.records, self.weights, noise, self.names, self._pairs, self._people)

    @property
    def engines(self) -> list[tuple[str, str]]:
        return [("closed form", "records that are jointly normal")]

    @property
    def reach(self) -> Fraction:
        """Returns the answers' deviations together; 1 where all records are known, and any start of a search does."""
        weights = np.array([[float(weight) for weight in answer.of] for answer in self._answers])
        variances = np.einsum("ki,ij,kj->k", weights, self.records.covariance, weights)
        return Fraction(float(np.sqrt(np.maximum(variances, 0.0)).sum())) or Fraction(1)

    @property
    def sensitivity(self) -> Fraction:
        return max(self._moves)

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        # A relative's income has no bounds of its own, so that what a whole family moves is not known.
        if self.group_size > 1:
            wanted = "records that are independent of each other: the others' records are real numbers without bounds"
            raise InputError("model.covariance", f"groups of up to {self.group_size} records", wanted)
        return self.sensitivity, 1

    @property
    def group_size(self) -> int:
        from scipy.sparse.csgraph import connected_components

        _, group = connected_components(self.records.covariance != 0, directed=False)
        return int(np.bincount(group).max())

    @cached_property
    def _moves(self) -> list[Fraction]:
        """Returns how far each record can move the answer (L1), in the query's unit."""
        # An income without a cap may be anything, and so may the total.
        if self.records.bounds is None:
            raise InputError("model.bounds", "missing", "the range of a record, since without one it moves any answer")
        low, high = (Fraction(str(end)) for end in self.records.bounds)
        rows = zip(*(answer.of for answer in self._answers), strict=True)
        return [sum(map(abs, row), Fraction(0)) * (high - low) for row in rows]


def _check_between_values(of: RatioName) -> None:
    """Raises Meaningless for a delta of any ratio but that of two values' likelihoods; no other is computed here."""
    if of != "ratio":
        raise Meaningless("notion.kind", "information with a delta", "inferential beside a delta, for normal records")


def _numbers(row: int, pair: tuple[int | float | str, int | float | str]) -> tuple[float, float]:
    """Returns a pair of secrets as two numbers; row: its place in [secrets] pairs, from 1. InputError for a word."""
    for value in pair:
        if isinstance(value, str):
            raise InputError(f"secrets.pairs row {row}", value, "two numbers, since the records are real numbers")
    return float(pair[0]), float(pair[1])
