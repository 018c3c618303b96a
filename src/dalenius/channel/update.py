"""What one output says of one class of people: belief before and after (Theory §1)."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

from dalenius.bounds import Enclosure
from dalenius.laws.integrals.sides import Sides
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True)
class Updated:
    """One value of a secret: its probability before, and after the output."""

    value: RecordValue
    prior: float
    posterior: Enclosure


class Moments(NamedTuple):
    """Of a Gaussian record, before or after: its mean and its standard deviation, in the record's unit."""

    mean: float
    deviation: float


@final
@dataclass(frozen=True)
class Update:
    """One class of exchangeable people: for any one of them, the prior and the posterior of the secret.

    person: the number of the first of them, 0 for no one in particular; people: how many; who: the class in words;
    what: what the secret is. leaks: max_s log posterior/prior, in nats, the information leakage at this output; raised:
    the first value s that may attain it. odds: the largest log-ratio of posterior odds to prior odds of two values that
    are to be indistinguishable, the inferential leakage at this output. values: empty for Gaussian records, which have
    prior and posterior moments instead.
    """

    person: int
    people: int
    who: str
    what: str
    values: tuple[Updated, ...]
    leaks: Enclosure
    raised: RecordValue | None
    odds: Enclosure
    prior: Moments | None = None
    posterior: Moments | None = None


class Seen(abc.ABC):
    """A channel at one output.

    axes: the coordinates of the answer that it speaks of. updates: by class of people. likelihood: log W(y) of those
    coordinates, the probability of the output or its density per the query's unit, in nats.
    """

    axes: tuple[int, ...]
    updates: tuple[Update, ...]
    likelihood: Enclosure

    @abc.abstractmethod
    def exceeded(self, update: Update, level: float) -> Enclosure | None:
        """The probability of an output that leaks at least `level` nats about that class; None where not known."""

    @abc.abstractmethod
    def sides(self) -> Sequence[Sides | None]:
        """By coordinate, how likely it is at most, and at least, that of the output; None where that is not known."""
