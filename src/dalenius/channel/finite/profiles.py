"""Hockey-stick divergences of a channel with finitely many secrets: between secrets, and between a secret and the
prior's mixture W(y) (Theory §7, §14)."""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from math import inf
from typing import Final, TypeAlias

from dalenius.bounds import Enclosure, largest
from dalenius.channel.crossing import least_epsilon
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.finite.quantities import NOTHING, movement, ordered_pairs, ratio
from dalenius.channel.finite.windows import PairProfile
from dalenius.channel.peak import Largest
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.witness import Found
from dalenius.schema import RecordValue

Places: TypeAlias = dict[str, RecordValue]
"""What a witness names: the secret, and what it is compared with."""
NARROW: Final = 1e-9
"""Relatively: how well an ε is known where no leakage without delta is asked for."""


def ratio_at(channel: Likelihoods, delta: float, most: Callable[[], Found] | None = None) -> Found:
    """most: the leakage without delta, read from the channel where None; so below."""
    return _least(channel, _between_secrets(channel), delta, most or (lambda: ratio(channel)))


def profile(channel: Likelihoods, epsilon: float, worth: float) -> Enclosure:
    return _most(_between_secrets(channel), epsilon, worth)


def raised_at(channel: Likelihoods, delta: float, most: Callable[[], Found] | None = None) -> Found:
    return _least(channel, _above_prior(channel), delta, most or (lambda: movement(channel, 1.0).raised))


def raising(channel: Likelihoods, epsilon: float, worth: float) -> Enclosure:
    return _most(_above_prior(channel), epsilon, worth)


def lowered_at(channel: Likelihoods, delta: float, most: Callable[[], Found] | None = None) -> Found:
    return _least(channel, _below_prior(channel), delta, most or (lambda: movement(channel, 1.0).lowered))


def tradeoffs(channel: Likelihoods) -> Iterator[PairTradeoff]:
    """Every δ is computed once; without noise by sorting the outputs once (Result 7.2)."""
    curves = lru_cache(maxsize=4)(lambda one, other: PairProfile(channel, one, other).at)

    @cache
    def delta(secret: int, against: int, epsilon: float) -> Enclosure:
        found = curves(secret, against)(epsilon)
        return Enclosure(min(found.lower, 1.0), min(found.upper, 1.0))

    for secret, against in ordered_pairs(channel):
        where = {"secret": channel.secrets[secret], "against": channel.secrets[against]}
        yield PairTradeoff(partial(delta, secret, against), partial(delta, against, secret), channel.witness(**where))


def _between_secrets(channel: Likelihoods) -> Iterator[tuple[Places, PairProfile]]:
    secrets = channel.secrets
    for one, other in ordered_pairs(channel):
        yield {"secret": secrets[one], "against": secrets[other]}, PairProfile(channel, one, other)


def _above_prior(channel: Likelihoods) -> Iterator[tuple[Places, PairProfile]]:
    prior = len(channel.secrets)
    for place, secret in enumerate(channel.secrets if prior > 1 else ()):
        yield {"secret": secret}, PairProfile(channel, place, prior)


def _below_prior(channel: Likelihoods) -> Iterator[tuple[Places, PairProfile]]:
    prior = len(channel.secrets)
    for place, secret in enumerate(channel.secrets if prior > 1 else ()):
        yield {"secret": secret}, PairProfile(channel, prior, place)


def _least(
    channel: Likelihoods, pairs: Iterator[tuple[Places, PairProfile]], delta: float, most: Callable[[], Found]
) -> Found:
    """The largest of the pairs' least ε. One that keeps delta at the largest so far is not followed further: it cannot
    be larger, and among equals the first is the witness. most: the leakage without delta; it may take longer than all
    the rest, and is asked for only where the search from below leaves something open."""
    found, limit = Largest[Places](), cache(most)
    for places, pair in pairs:
        curve = partial(pair.at, worth=delta)
        if found.lower > 0 and curve(found.lower).upper <= delta:
            continue
        value = least_epsilon(curve, delta, inf)
        if value.upper == inf:
            value = least_epsilon(curve, delta, limit().value.upper)
        elif value.upper - value.lower > NARROW * (1 + value.upper):
            value = Enclosure(value.lower, max(min(value.upper, limit().value.upper), value.lower))
        found.add(value, places)
    if found.first is None:
        return NOTHING
    return Found(Enclosure(found.lower, found.upper), channel.witness(**found.first))


def _most(named: Iterator[tuple[Places, PairProfile]], epsilon: float, worth: float) -> Enclosure:
    """What the others may have is compared with the largest."""
    pairs = [pair for _, pair in named]
    worth = max(pair.least(epsilon) for pair in pairs) if len(pairs) > 1 and not worth else worth
    total = Enclosure(0.0, 0.0)
    for pair in pairs:
        total = largest(total, pair.at(epsilon, worth))
    return Enclosure(min(total.lower, 1.0), min(total.upper, 1.0))
