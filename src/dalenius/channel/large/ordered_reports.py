"""Reports in order of a long chain: what they say of a record, by extreme messages (Result 23.4).

Given a record, the reports before it, its own, and those after it are independent. So log W(y|s)/W(y|t) is the sum of
three parts, each at its largest by itself. With two values a message is one ratio, which each step moves by an
increasing or decreasing function: the largest and the smallest follow from those of the place before, and outputs
attain them. With more values the range of ratios bounds them from above, and equal reports from below.

Each of five days is as the day before with .8, and each report is true with .75. The reports say 2.876727 nats of the
third day, where one report says ln 3:

>>> from dalenius.joints.chain_joint_law import ChainLaw
>>> from dalenius.laws.extended_range import Masses
>>> first, step = Masses.of(np.full(2, 0.5)), Masses.of(np.array([[[0.8, 0.2], [0.2, 0.8]]]))
>>> days = ChainLaw((0, 1), first, step, np.zeros(4, dtype=np.int64))
>>> found = messages_of(days.chain, np.log([[0.75, 0.25], [0.25, 0.75]]))
>>> found.upper.max(axis=(1, 2)).round(6).tolist()
[2.110863, 2.700625, 2.876727, 2.700625, 2.110863]
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import exp, inf, log
from typing import ClassVar, NoReturn, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.bounded_channel import BoundedBelief, BoundedChannel, BoundedSubject, BoundedWorld
from dalenius.channel.channel import Channel
from dalenius.channel.large.message_bounds import ranges
from dalenius.channel.leakage import NO_LEAK, Divergence, Found, worst_of
from dalenius.errors import Meaningless
from dalenius.joints.chain_joint_law import ChainLaw
from dalenius.joints.joint import Joint, Nature, Stratum, Subject, own_label
from dalenius.joints.markov_chain_factor import MarkovChain
from dalenius.noise import Noise
from dalenius.noise.reports import Reports

REFUSED = ("query.kind", "reports in order of so long a chain", "a supremum, or reports of 16 people, or shuffled ones")


@final
@dataclass(frozen=True, eq=False)
class ReportMessages:
    """The reports' say of every record of a chain of n, in nats.

    Attributes:
        upper: A bound of log W(y|s)/W(y|t) over all reports y (n, s, t), roundings included.
        attained: The log-likelihoods (outputs, n, values) of some outputs, up to a term that all values share.
        slack: By how many nats these may be off.
    """

    upper: Array
    attained: Array
    slack: float


def messages_of(chain: MarkovChain, logs: Array) -> ReportMessages:
    """Returns what reports in order say of every record.

    Args:
        chain: The chain of the records.
        logs: The log-probabilities of each value's reports (values, reports).
    """
    n, values = len(chain), logs.shape[0]
    with np.errstate(invalid="ignore"):
        apart = logs[:, None, :] - logs[None, :, :]
    own = np.max(np.where(np.isnan(apart), -inf, apart), axis=2)
    matrices, backward = chain.matrices.doubles(), chain.backward.doubles()
    slack = n * (values + 8) * 8 * UNIT
    if n == 1:
        return ReportMessages(own[None] + slack, logs.T[:, None, :], slack)
    later, earlier = (matrices, chain.which[::-1]), (backward, np.arange(n - 1))
    ahead, behind = _attained(*later, logs)[:, ::-1], _attained(*earlier, logs)
    after, before = _apart(*later, own, ahead[:, ::-1])[::-1], _apart(*earlier, own, behind)
    told = [one + other + report for one, other, report in product(behind, ahead, logs.T)]
    slack *= 1 + float(np.max(own[own < inf], initial=1.0))
    return ReportMessages(own + after + before + slack, np.array(told), slack)


def _apart(kernels: Array, which: IntArray, own: Array, attained: Array) -> Array:
    """Returns bounds of the log-ratios of messages (n, s, t): with two values those of the two extreme ones."""
    if len(own) > 2:
        return ranges(kernels, which, np.broadcast_to(own, (len(which), *own.shape)))
    with np.errstate(invalid="ignore"):
        low, high = attained[0, :, 1] - attained[0, :, 0], attained[1, :, 1] - attained[1, :, 0]
    still = np.zeros_like(low)
    return np.stack([np.stack([still, -low], axis=-1), np.stack([high, still], axis=-1)], axis=-2)


def _attained(kernels: Array, which: IntArray, logs: Array) -> Array:
    """Returns messages (outputs, n, values) of some reports, in logs: with two values the two extreme ones."""
    return _extreme(kernels, which, logs) if len(logs) == 2 else _of_equal_reports(kernels, which, logs)


def _extreme(kernels: Array, which: IntArray, logs: Array) -> Array:
    """Returns the messages whose log-ratio of the second value to the first is smallest, and largest (2, n, 2)."""
    with np.errstate(invalid="ignore"):
        told = logs[1] - logs[0]
    told = told[~np.isnan(told)]
    least, most, found = float(told.min()), float(told.max()), [(0.0, 0.0)]
    rows = [tuple(kernel.ravel().tolist()) for kernel in kernels]
    for step in which.tolist():
        low, high = found[-1]
        ends = [_moved(rows[step], low + least), _moved(rows[step], high + most)]
        found.append((min(ends), max(ends)))
    ratios = np.array(found).T
    # Because a likelihood of 0 is the end, whichever value has it.
    return np.stack([np.where(ratios == inf, -inf, 0.0), np.where(ratios == inf, 0.0, ratios)], axis=-1)


def _moved(row: tuple[float, ...], ratio: float) -> float:
    """Returns the log-ratio of a message one step further, given that of the last one with its report."""
    first = _mixed(row[0], row[1], ratio)
    second = _mixed(row[2], row[3], ratio)
    return 0.0 if first == second else second - first


def _mixed(one: float, other: float, ratio: float) -> float:
    """Returns log(one + other e^ratio), but for a term that does not depend on the two weights."""
    up = max(ratio, 0.0)
    # The case of a report that rules one value out.
    if abs(ratio) == inf:
        return log(each) if (each := other if ratio > 0 else one) > 0 else -inf
    total = one * exp(-up) + other * exp(ratio - up)
    return log(total) if total > 0 else -inf


def _of_equal_reports(kernels: Array, which: IntArray, logs: Array) -> Array:
    """Returns the messages where everybody reports alike (reports, n, values)."""
    chances = np.exp(logs).T
    current = np.ones_like(chances)
    found = [np.zeros_like(chances)]
    for step in which.tolist():
        current = (current * chances) @ kernels[step].T
        # So that long messages do not underflow: only their ratios count.
        most = np.max(current, axis=1, keepdims=True)
        current = current / np.where(most > 0, most, 1.0)  # reports that cannot all be alike have no likelihood
        with np.errstate(divide="ignore"):
            found.append(np.log(current))
    return np.stack(found, axis=1)


@final
class ReportsOfChain(BoundedBelief):
    """The reports in order of people in a long chain. Their records have a law, and their reports too many outputs.

    Args:
        law: The chain of the records.
        reports: The reports of a record.
    """

    nature: ClassVar[Nature] = Nature("reports of a chain", over="over all lists of reports", instead=REFUSED)
    unconditioned: ClassVar[str] = "no known records beside reports in order of so long a chain"

    def __init__(self, law: ChainLaw, reports: Reports) -> None:
        self.law, self.logs, self._values = law, reports.logs, reports.values

    @property
    def people(self) -> int:
        return len(self.law.chain)

    def subject_of(self, person: int, single: bool = False) -> Subject:
        return replace(self.law.subject_of(person, single), stratum=0)

    def strata(self) -> tuple[Stratum, ...]:
        # Because no place's report is scored by itself, one stands for each of them.
        return (Stratum(own_label(f"each of {self.people:,}"), self._values, self.people),)

    @cached_property
    def messages(self) -> ReportMessages:
        """The messages of every record, computed once."""
        return messages_of(self.law.chain, self.logs)


def reports_of_chain(law: Joint, noise: Noise) -> ReportsOfChain | None:
    """Returns what people in a chain report under a `noise` on records; None where `law` is no chain."""
    if not isinstance(law, ChainLaw):
        return None
    reports = noise.reports(law.values)
    assert reports is not None
    return ReportsOfChain(law, reports)


@final
@dataclass(frozen=True, eq=False)
class _Place:
    """One person's place.

    Attributes:
        subject: The person.
        log_prior: The logs of the chances of the person's values (values,).
        upper: A bound of log W(y|s)/W(y|t) over all reports y (s, t), in nats.
        told: The log-likelihoods of some reports (outputs, values), up to a term that values share.
        slack: By how many nats these may be off.
    """

    subject: BoundedSubject
    log_prior: Array
    upper: Array
    told: Array
    slack: float

    @classmethod
    def of(cls, belief: ReportsOfChain, subject: BoundedSubject) -> "_Place":
        """Makes the place of a `subject` of the `belief`."""
        place, messages = subject.number - 1, belief.messages
        there = [belief.law.values.index(value) for value in subject.values]
        told = messages.attained[:, place][:, there]
        log_prior = belief.law.subject_of(subject.number).log_prior
        upper = messages.upper[place][np.ix_(there, there)]
        return cls(subject, log_prior, upper, told[np.any(told > -inf, axis=1)], messages.slack)

    @property
    def tops(self) -> tuple[Array, Array]:
        """Bounds of how far the chance of each value rises, and falls (values,), in nats."""
        rises = -np.logaddexp.reduce(self.log_prior - self.upper, axis=1)
        falls = np.logaddexp.reduce(self.log_prior + self.upper.T, axis=1)
        return rises, falls

    @property
    def moves(self) -> Array:
        """The log-ratios of posterior and prior at some reports (outputs, values), in nats."""
        with np.errstate(divide="ignore"):
            mixed = np.logaddexp.reduce(self.told + self.log_prior, axis=1)
        return np.asarray(self.told - mixed[:, None])


def _found(place: _Place, quantity: str) -> Found:
    """Returns the supremum of a `quantity` at one place."""
    if len(place.log_prior) < 2:
        return NO_LEAK
    if quantity == "ratio":
        return _ratio(place)
    if quantity in ("raised", "lowered"):
        tops = place.tops[quantity == "lowered"]
        attained = float(np.max(place.moves if quantity == "raised" else -place.moves))
        secret = int(np.argmax(tops))
        return _between(place, attained, float(tops[secret]), secret, None)
    reverse = quantity == "reverse"
    attained = float(np.max(_divergences(place.moves, place.log_prior, reverse)))
    # Because the posterior of one of two values is at an end where the other's is too.
    rises, falls = place.tops
    ends = np.array([[rises[0], -falls[1]], [-falls[0], rises[1]]])
    return _between(place, attained, float(np.max(_divergences(ends, place.log_prior, reverse))), None, None)


def _divergences(moves: Array, log_prior: Array, reverse: bool) -> Array:
    """Returns relative entropies from the log-ratios of posterior and prior (outputs, values), in nats."""
    if reverse:
        return np.asarray(-(np.exp(log_prior) * moves).sum(axis=1))
    with np.errstate(invalid="ignore"):
        weighed = np.exp(log_prior + moves) * moves
    return np.asarray(np.nansum(weighed, axis=1))


def _ratio(place: _Place) -> Found:
    """Returns the largest log-ratio over the pairs that are secret."""
    pairs = list(place.subject.pairs)
    if not pairs:
        return NO_LEAK
    with np.errstate(invalid="ignore"):
        attained = [float(np.nanmax(place.told[:, s] - place.told[:, t], initial=-inf)) for s, t in pairs]
    tops = [float(place.upper[pair]) for pair in pairs]
    # So that roundings do not decide who is named, the first pair that may leak as much is.
    best = next(at for at, top in enumerate(tops) if top >= max(attained) - 2 * place.slack)
    return _between(place, max(attained), max(tops), *pairs[best])


def _between(place: _Place, attained: float, top: float, secret: int | None, against: int | None) -> Found:
    """Returns the enclosure of a number that some reports attain, up to the slack, and none exceeds."""
    doubt = 4 * place.slack + 16 * UNIT * (1 + (abs(top) if top < inf else 0.0))
    lower = attained - doubt if attained < inf else attained
    values = [None if each is None else place.subject.values[each] for each in (secret, against)]
    return Found(Enclosure(max(lower, 0.0), max(top + doubt, 0.0)), place.subject.witness(*values))


@final
@dataclass(frozen=True, eq=False)
class _ReportsChannel(BoundedChannel):
    """The channel of reports in order, over all people.

    Attributes:
        belief: What people report.
        places: The places of people whose records are secrets, one of those about which reports say the same.
        noise: The noise on records.
    """

    belief: ReportsOfChain
    places: Sequence[_Place]
    noise: Noise

    def neighbours(self) -> Found:
        # Because every place's report is noised alike, one place stands for all.
        return worst_of([NO_LEAK, *(each.subject.neighbours(self.noise) for each in self.places[:1])])

    def found(self, quantity: str) -> Found:
        return worst_of([NO_LEAK, *(_found(each, quantity) for each in self.places)])

    def divergence(self) -> Divergence:
        """Returns both relative entropies: exact with two values, where posteriors are most extreme; else bounds."""
        if len(self.belief.logs) > 2:
            return super().divergence()
        each = [self.found("forward"), self.found("reverse")]
        return Divergence(*each)

    def unknown(self, quantity: str) -> NoReturn:
        raise Meaningless(*REFUSED[:2], f"{REFUSED[2]}, for {quantity}")


@final
class ReportsWorld(BoundedWorld[ReportsOfChain]):
    """The world of reports in order of a long chain."""

    engine: ClassVar[str | None] = "messages"
    model: str = "reports in order of so long a chain"
    records: ClassVar[str] = "reports in order"

    @property
    def groups(self) -> Sequence[IntArray]:
        return [np.array([self.law.people], dtype=np.int64)]

    @property
    def engines(self) -> list[tuple[str, str]]:
        return [("messages", "reports before, at and after a record are independent given it: each is at its extreme")]

    def channels(self, noise: Noise) -> Iterator[Channel]:
        noise.mechanism(self.scores.lattice)  # because noise that is left open says so there
        yield _ReportsChannel(self.law, self._places, noise)

    @cached_property
    def _places(self) -> tuple[_Place, ...]:
        """The places of the people whose records are secrets, one of those about which reports say the same."""
        messages, marginals = self.law.messages, self.law.law.chain.log_marginals
        found: dict[object, int] = {}
        for person in self.people or range(1, self.law.people + 1):
            own = (marginals[person - 1], messages.upper[person - 1], messages.attained[:, person - 1])
            found.setdefault(tuple(each.tobytes() for each in own), person)
        return tuple(_Place.of(self.law, self._subject(person)) for person in found.values())

    def _subject(self, person: int) -> BoundedSubject:
        whose = self.law.subject_of(person)
        spread, pairs = self.by_stratum[whose.stratum], self.secrets.pairs_of(whose)
        return BoundedSubject(person, whose.who, whose.secrets, pairs, spread, self.scores.lattice)
