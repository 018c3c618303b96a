"""Channels, worlds and people without a known law of outputs, for whom log-ratios are enclosed.

Several kinds of models bound the ratios: laws of pairs, intervals of groups, chains and networks, every pair of a
long chain. All else follows from the ratios and the prior in one way, or is refused in one way, which this file has.
"""

import abc
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import exp, inf
from typing import ClassVar, Final, Generic, NoReturn, TypeVar

import numpy as np

from dalenius.arrays import Array
from dalenius.bisection import least_epsilon
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.channel import Channel, RatioName
from dalenius.channel.leakage import NO_LEAK, Divergence, Found, Movement, Witness, delta_of_log_ratio, share_above
from dalenius.channel.release_settings import ReleaseSettings
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity import Spread
from dalenius.channel.world import ScoredWorld
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.joints import Stratum
from dalenius.joints.joint import Belief
from dalenius.laws.lattice import Lattice
from dalenius.noise import Noise
from dalenius.queries import Scores

INTERVALS: Final = (
    "model",
    "probabilities that are intervals",
    "a model with a point law here: numbers for all probabilities",
)
"""Refusals for the natures of sets of laws."""


def two_points(far: float, near: float) -> float:
    """Returns the largest mean of x in [-near, far] with mean of e^-x equal to 1: w far - (1 - w) near, rounded up.

    It bounds D(S | Y=y ‖ S), where chances rise by `far` and fall by `near` nats, and the other way round its reverse
    (Result 21.7).

    >>> round(two_points(1.0, 1.0), 6)
    0.462117

    In nats. Where one side is infinite only `far` is known; where one is 0 there is nothing.

    In nats. Where one side is infinite only `far` is known; where one is 0 there is nothing.
    """
    # The case of a mean of 1 with values on one side of 1 only: the output says nothing of this record.
    if far <= 0 or near <= 0:
        return 0.0
    # The case of an output that may rule a value out, as without noise: only the rise itself bounds the gain.
    if far == inf or near == inf:
        return far
    # Because a fall of 250 nats and more is as good as one without end: the rise then has all the weight.
    low, high = exp(-far), exp(near) if near < 250.0 else inf
    share = 1.0 if high == inf else (high - 1) / (high - low)
    return min((share * far - (1 - share) * near) * (1 + 64 * UNIT) + 64 * UNIT * (far + near), far)


class BoundedChannel(Channel, abc.ABC):
    """A channel whose enclosures are over all laws meant.

    No law exceeds the upper end, and `ratio` and `movement` say how much some law leaks. With a delta there is an
    upper end only, which follows from theirs; averages over outputs are refused. Everything follows from an upper end
    u of the largest log-ratio, in nats. Where u is 1, the δ at ε = 0.5 is at most (e - e^0.5)/(e + 1) = 0.287649,
    that of randomised response (`delta_of_log_ratio`). For one chance that rises by at most 1 it is at most 1 -
    e^-0.5 = 0.393469 (`share_above`); the smaller of the two counts.
    """

    @abc.abstractmethod
    def found(self, quantity: str) -> Found:
        """Returns the supremum over laws, people and outputs of `quantity`: `ratio`, `raised` or `lowered`, in nats."""

    @cached_property
    def _suprema(self) -> dict[str, Found]:
        return {}

    def supremum(self, quantity: str) -> Found:
        """Returns the supremum of `quantity`, as `found`, once: all notions of an audit read these few."""
        if quantity not in self._suprema:
            self._suprema[quantity] = self.found(quantity)
        return self._suprema[quantity]

    def ratio(self) -> Found:
        return self.supremum("ratio")

    def movement(self, lowering: float = 1.0) -> Movement:
        return Movement.of(self.supremum("raised"), self.supremum("lowered"), lowering)

    def divergence(self) -> Divergence:
        """Bounds the relative entropies from above (Result 21.7).

        Log-ratios of posterior and prior between -lowered and raised, of which the mean of e^-x, or e^x, is 1, have
        the largest mean where they take the two ends only.
        """
        raised, lowered = self.supremum("raised"), self.supremum("lowered")
        forward = two_points(raised.value.upper, lowered.value.upper)
        reverse = two_points(lowered.value.upper, raised.value.upper)
        return Divergence(
            Found(Enclosure(0.0, forward), raised.witness), Found(Enclosure(0.0, reverse), lowered.witness)
        )

    @abc.abstractmethod
    def unknown(self, quantity: str) -> NoReturn:
        """Raises Meaningless: nothing is known of this `quantity` here. The message names an alternative."""

    def singly(self, quantity: str) -> Iterator[Channel]:
        # Because an attack reads what little is known of each, and says that no guess can be made.
        if quantity != "attack":
            self.unknown(quantity)
        yield self

    @property
    def log_ratio_bound(self) -> float:
        """An upper bound, in nats, of the log-ratio of any two values of a record, whether asked about or not.

        Infinite where some output may rule a value out.
        """
        return self.ratio().value.upper

    def largest(self, of: str) -> Found:
        """Returns the supremum of `of` from which a δ is bounded."""
        return self.supremum(of)

    def delta(self, of: str, epsilon: float) -> float:
        """Bounds the δ at `epsilon` of the likelihoods `of`, a probability, from above (Theory §14).

        A chance moves no more than the likelihoods of two values do.
        """
        upper = self.largest(of).value.upper
        if of == "ratio":
            return delta_of_log_ratio(upper, epsilon)
        # Because a chance moves no more than the likelihoods of two values do: the smaller bound of the two theorems.
        return min(share_above(upper, epsilon), delta_of_log_ratio(self.log_ratio_bound, epsilon))

    def least_epsilon(self, of: RatioName, delta: float) -> Found:
        """Returns an ε, in nats, that is enough for `delta` and the likelihoods `of`.

        At the largest one the δ is 0; infinite where there is none. The lower end is 0, because nothing bounds a δ
        from below.
        """
        most = self.largest(of)
        found = least_epsilon(lambda epsilon: Enclosure(*[self.delta(of, epsilon)] * 2), delta, most.value.upper)
        return Found(Enclosure(0.0, found.upper), most.witness) if found.upper else NO_LEAK

    def least_delta(self, of: RatioName, epsilon: float, least: float = 0.0, bound: float | None = None) -> Enclosure:
        return Enclosure(0.0, self.delta(of, epsilon))


@dataclass(frozen=True, eq=False)
class BoundedSubject:
    """One class of people.

    Args:
        number: The number of the first.
        who: The first, in words.
        values: The values that their records can have.
        secret_pairs: The pairs of values that must not be distinguished, by their places; None for all.
        spread: How far a record moves the answer on the lattice.
        lattice: The lattice of the answers.
    """

    number: int
    who: str
    values: tuple[RecordValue, ...]
    secret_pairs: tuple[tuple[int, int], ...] | None
    spread: Spread
    lattice: Lattice

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The ordered pairs that must not be distinguished, each once, by places of `values`."""
        # The case of most specs, in which no pairs are named: every value is sensitive, against every other one.
        if self.secret_pairs is None:
            return tuple(permutations(range(len(self.values)), 2))
        # Because pairs are written once in a spec, but leak both ways: ill against well may leak less than well against
        # ill.
        return tuple(dict.fromkeys(pair for a, b in self.secret_pairs for pair in ((a, b), (b, a))))

    def neighbours(self, noise: Noise) -> Found:
        """Returns the log-ratio of data sets that differ in this record under `noise`, in nats.

        It needs no law: an adversary who knows all other records has nothing to learn from dependence.
        """
        # The case of a record that the query does not count, such as that of somebody with another label.
        if not self.spread.total:
            return NO_LEAK
        assert self.spread.neighbours is not None
        value = noise.mechanism(self.lattice).neighbour_loss(self.spread.neighbours)
        return Found(value, self.witness(*self.spread.values))

    def witness(self, secret: RecordValue | None = None, against: RecordValue | None = None) -> Witness:
        """Returns the witness with the person and two values, `secret` and `against`; None where none is named."""
        return Witness(self.number, self.who, secret, against)


class BoundedBelief(Belief, abc.ABC):
    """A belief without a joint law: nothing of it is computed given other records."""

    unconditioned: ClassVar[str]
    """The part of the refusal that says what is wanted in place of known records."""

    @property
    @abc.abstractmethod
    def people(self) -> int:
        """The number of people."""

    def check_person(self, person: int) -> None:
        """Raises InputError where nobody has the number `person`."""
        if not 1 <= person <= self.people:
            raise InputError("secrets.people", person, f"a person's number from 1 to {self.people}")

    def given(self, known: Mapping[int, RecordValue]) -> NoReturn:
        """Raises InputError, whatever is `known`: conditioning on records needs one law, which a set of laws is not."""
        # Because a person who does not exist is the plainer mistake to hear of, the number is checked first.
        for person in known:
            self.check_person(person)
        raise InputError("adversary.known", str(dict(known)), self.unconditioned)

    def labelled(self) -> dict[str, int]:
        """Returns how many people have each label; strata of one label are added up."""
        found: dict[str, int] = {}
        for stratum in self.strata():
            found[stratum.label] = found.get(stratum.label, 0) + stratum.people
        return found


_Law = TypeVar("_Law", bound=Belief)


class BoundedWorld(ScoredWorld, Generic[_Law], abc.ABC):
    """The world of a belief without a joint law, under a query that must be a sum.

    InputError for an engine other than that of the name, None where none has a name; model: in words.
    """

    engine: ClassVar[str | None]
    model: str = "probabilities that are intervals"
    records: ClassVar[str] = "a model with intervals"

    def __init__(self, law: _Law, scores: Scores, secrets: Secrets, engine: str | None = None) -> None:
        self.law, self.scores, self.secrets = law, scores, secrets
        # Because an engine chooses between ways to the law of the answer, and here is none.
        if engine not in (None, self.engine):
            raise InputError("engine", engine or "", f"{self.engine or 'none'} beside {self.model}")
        # Because groups of people and single stages as secrets need the law of several records at once, which is
        # unknown.
        secrets.check_of_records(self.records)
        secrets.check_no_stage()
        secrets.check(law)

    @classmethod
    def of(cls, belief: _Law, question: ReleaseSettings) -> "BoundedWorld[_Law]":
        """Makes the world of a `belief` of this kind under a release's `question`; see the class for refusals."""
        return cls(belief, question.scores(belief), question.secrets, question.engine)

    @property
    def strata(self) -> tuple[Stratum, ...]:
        return self.law.strata()

    @cached_property
    def people(self) -> list[int] | None:
        """The numbers of the people whose records are secrets; None for everybody."""
        numbers = self.secrets.numbers(self.law)
        return None if numbers is None else sorted(numbers)

    @cached_property
    def points(self) -> list[Array]:
        """The score of each value, in the query's unit (values, axes), by stratum. InputError unless they are sums."""
        self.check_sums()
        each = np.array([[float(score) for score in row] for row in self.scores.exact])
        return np.split(each, np.cumsum([len(stratum.values) for stratum in self.strata])[:-1])

    def check_sums(self) -> None:
        """Raises InputError where the answer is no sum of the records' scores."""
        if not self.scores.additive:
            raise InputError("query", self.scores.combine[0], "sums of scores of the records beside intervals")
