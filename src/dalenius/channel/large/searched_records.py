"""The channel of all records of a chain that forgets slowly: some are evaluated, and all between are bounded.

A record between two others leaks no more than the worse of them, up to what its law is off from a mixture of theirs
(Result 20.47): all notions here are quasi-convex in the likelihoods at one prior.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, expm1, inf, log, sqrt
from typing import Final, NamedTuple, Protocol, TypeAlias, final

from dalenius.bounds import Enclosure
from dalenius.channel.channel import Channel, RatioName
from dalenius.channel.large.long_records import LongRecords
from dalenius.channel.leakage import Divergence, Found, Movement, is_close
from dalenius.errors import Meaningless

_STEP: Final = 0.01
"""Relative step of a δ, and step of an ε in nats, over which a privacy profile is bounded by its chord."""


class Doubt(NamedTuple):
    """How far the law of a record between two others may be from a mixture of theirs.

    Attributes:
        likelihood: The nats by which any log-likelihood may differ from the mixture's.
        usual: The root of the mean of its square over outputs.
        prior: The nats by which any log-probability of a value may differ from that of either.
        lost: The probability outside of windows, at most.
    """

    likelihood: float
    usual: float
    prior: float
    lost: float


Read: TypeAlias = Callable[[Channel], Sequence[Found]]
Between: TypeAlias = Callable[[Sequence[Found], Doubt], Sequence[float]]
"""Bounds quantities of the records between, from those of one end of a stretch."""


class Search(Protocol):
    """The records of a chain under one noise: see `record_search.RecordSearch`."""

    @property
    def values(self) -> int:
        """The number of values, at most, that a secret may have."""

    def tells_suprema(self) -> bool: ...

    def each(self) -> Iterator[Channel] | None: ...

    def largest(self, read: Read, between: Between, average: bool) -> list[Found]:
        """Encloses the largest of each quantity over all records.

        Args:
            read: Reads quantities from the channel of one record: first those of `between`, then others that it needs.
            between: Bounds the quantities of records between, from what `read` found at one end of a stretch.
            average: Whether likelihoods on a window will do, as for averages; suprema need those at all outputs.
        """


@final
@dataclass(frozen=True, eq=False)
class SearchedRecords(Channel):
    """Channel of all records of a chain, by limits and by a search.

    Args:
        bounded: The limits at ±∞, and ranges of messages.
        search: Finds the record about which outputs say most.
    """

    bounded: LongRecords
    search: Search

    def singly(self, quantity: str) -> Iterator[Channel]:
        each = self.search.each()
        if each is None:
            raise Meaningless(quantity, "all records of a chain that forgets slowly", "some of them (secrets.people)")
        yield from each

    def neighbours(self) -> Found:
        return self.bounded.neighbours()

    def ratio(self) -> Found:
        return self._supremum(lambda channel: [channel.ratio()], _ratios)[0]

    def movement(self, lowering: float = 1.0) -> Movement:
        """Returns how far beliefs move, in nats; `lowering` is the factor of log(prior/posterior), as in `Channel`."""

        def read(channel: Channel) -> list[Found]:
            found = channel.movement(lowering)
            return [found.raised, found.lowered]

        raised, lowered = self._supremum(read, _movements, 2 if lowering else 1)
        return Movement.of(raised, lowered, lowering)

    def divergence(self) -> Divergence:
        def read(channel: Channel) -> list[Found]:
            return [*channel.divergence(), channel.movement().raised]

        known = self.bounded.divergence()
        if all(is_close(each.value) for each in known) or not self.search.tells_suprema():
            return known
        forward, reverse, *_ = self.search.largest(read, _divergences, average=False)
        return Divergence(forward, reverse)

    def information(self) -> Found:
        """I(S; Y), in nats."""

        def read(channel: Channel) -> list[Found]:
            rarest = -float(min(channel.log_prior))  # type: ignore[attr-defined]
            return [channel.information(), Found(Enclosure(0.0, rarest))]

        found = self.search.largest(read, _information, average=True)[0]
        # Because no output says more of a record than there is to know of it.
        entropy = log(self.search.values) * (1 + 1e-15)
        return found if found.value.upper <= entropy else _capped(found, entropy)

    def least_epsilon(self, of: RatioName, delta: float) -> Found:
        def read(channel: Channel) -> list[Found]:
            return [channel.least_epsilon(of, delta * (1 - part)) for part in (0.0, _STEP)]

        def between(found: Sequence[Found], doubt: Doubt) -> list[float]:
            # Because a profile δ(ε) is convex, ε lies below its chord; and e^η δ(ε - 2η) is the most it can be.
            less = doubt.likelihood + doubt.prior + 4 * doubt.lost / delta
            own, other = found[0].value, found[1].value.upper
            rise = (other - own.lower) * less / _STEP if less <= _STEP / 2 else inf
            return [own.upper + 2 * (doubt.likelihood + doubt.prior) + 2 * rise]

        return self.search.largest(read, between, average=True)[0]

    def least_delta(self, of: RatioName, epsilon: float, least: float = 0.0, bound: float | None = None) -> Enclosure:
        def read(channel: Channel) -> list[Found]:
            own = channel.least_delta(of, epsilon, least, bound)
            nearby = channel.least_delta(of, epsilon - _STEP, least) if epsilon > _STEP else Enclosure(1.0, 1.0)
            return [Found(own), Found(nearby)]

        def between(found: Sequence[Found], doubt: Doubt) -> list[float]:
            own, other = found[0].value, found[1].value.upper
            less, step = 2 * (doubt.likelihood + doubt.prior), min(_STEP, max(epsilon, 1e-300))
            # Because a slope of δ over ε is -1 at most, and convex functions lie below their chords.
            rise = (other - own.lower) * less / step if epsilon > _STEP and less <= step else less
            return [exp(less) * (own.upper + rise) + 4 * doubt.lost if less < 1 else 1.0]

        return self.search.largest(read, between, average=True)[0].value

    def _supremum(self, read: Read, between: Between, wanted: int | None = None) -> list[Found]:
        """Several suprema over all outputs and records: the limits' where the first `wanted` of these are close, else
        by a search."""
        found = list(read(self.bounded))
        if all(is_close(each.value) for each in found[:wanted]) or not self.search.tells_suprema():
            return found
        searched = self.search.largest(read, between, average=False)
        return [
            each if own.value.upper >= each.value.upper else _capped(each, own.value.upper)
            for own, each in zip(found, searched, strict=True)
        ]


def _capped(found: Found, most: float) -> Found:
    """Both bounds hold."""
    return Found(Enclosure(found.value.lower, max(most, found.value.lower)), found.witness)


def _ratios(found: Sequence[Found], doubt: Doubt) -> list[float]:
    return [each.value.upper + 2 * doubt.likelihood for each in found]


def _movements(found: Sequence[Found], doubt: Doubt) -> list[float]:
    return [each.value.upper + 2 * doubt.likelihood + doubt.prior for each in found]


def _divergences(found: Sequence[Found], doubt: Doubt) -> list[float]:
    forward, reverse, raised = (each.value.upper for each in found)
    # Because log-ratios of posterior and prior move by this, and r |log r| is at most r log r where r is above 1.
    moved = 2 * doubt.likelihood + doubt.prior
    if not moved < 1:
        return [inf, inf]
    more = expm1(2 * moved + doubt.prior) * (max(raised, 1.0) + 1)
    return [forward + more, reverse + moved + expm1(doubt.prior) * (reverse + 2)]


def _information(found: Sequence[Found], doubt: Doubt) -> list[float]:
    own, rarest = found[0].value.upper, found[1].value.upper
    if not doubt.likelihood + doubt.prior < 1:
        return [inf]
    own *= exp(doubt.prior)
    # Because r log² r is at most (2 + log r)(r log r - r + 1), and the mean of products is by Cauchy's inequality at
    # most the product of roots of means of squares (Result 20.48).
    more = exp(doubt.likelihood) * (doubt.usual * sqrt((2 + rarest) * own) + doubt.usual**2)
    unsure = 4 * doubt.lost * (1 - 2 * log(max(doubt.lost, 1e-300)))
    return [own + more + unsure]
