"""Hockey-stick divergences of a channel with finitely many secrets: between secrets, and between a secret and the
prior's mixture W(y) (Theory §7, §14)."""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from typing import TypeAlias

from dalenius.bounds import Enclosure, largest
from dalenius.channel.crossing import least_epsilon
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.finite.quantities import NOTHING, movement, ordered_pairs, ratio
from dalenius.channel.finite.windows import ProfileUnderNoise
from dalenius.channel.peak import Largest
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.witness import Found
from dalenius.laws.integrals.profile import Profile
from dalenius.laws.law import Law
from dalenius.schema import RecordValue

Curve: TypeAlias = Callable[[float], Enclosure]
"""δ by ε."""
Places: TypeAlias = dict[str, RecordValue]
"""What a witness names: the secret, and what it is compared with."""


def ratio_at(channel: Likelihoods, delta: float) -> Found:
    return _least(channel, _between_secrets(channel), delta, ratio(channel))


def profile(channel: Likelihoods, epsilon: float) -> Enclosure:
    return _most(_between_secrets(channel), epsilon)


def raised_at(channel: Likelihoods, delta: float) -> Found:
    return _least(channel, _above_prior(channel), delta, movement(channel, 1.0).raised)


def raising(channel: Likelihoods, epsilon: float) -> Enclosure:
    return _most(_above_prior(channel), epsilon)


def lowered_at(channel: Likelihoods, delta: float) -> Found:
    return _least(channel, _below_prior(channel), delta, movement(channel, 1.0).lowered)


def tradeoffs(channel: Likelihoods) -> Iterator[PairTradeoff]:
    """Every δ is computed once; without noise by sorting the outputs once (Result 7.2)."""
    curves = lru_cache(maxsize=4)(lambda one, other: _curve(channel, channel.likelihood, one, other))

    @cache
    def delta(secret: int, against: int, epsilon: float) -> Enclosure:
        found = curves(secret, against)(epsilon)
        return Enclosure(min(found.lower, 1.0), min(found.upper, 1.0))

    for secret, against in ordered_pairs(channel):
        where = {"secret": channel.secrets[secret], "against": channel.secrets[against]}
        yield PairTradeoff(partial(delta, secret, against), partial(delta, against, secret), channel.witness(**where))


def _between_secrets(channel: Likelihoods) -> Iterator[tuple[Places, Curve]]:
    secrets = channel.secrets
    for one, other in ordered_pairs(channel):
        curve = _curve(channel, channel.likelihood, one, other)
        yield {"secret": secrets[one], "against": secrets[other]}, curve


def _above_prior(channel: Likelihoods) -> Iterator[tuple[Places, Curve]]:
    prior = len(channel.secrets)
    for place, secret in enumerate(channel.secrets if prior > 1 else ()):
        yield {"secret": secret}, _curve(channel, channel.with_mixture, place, prior)


def _below_prior(channel: Likelihoods) -> Iterator[tuple[Places, Curve]]:
    prior = len(channel.secrets)
    for place, secret in enumerate(channel.secrets if prior > 1 else ()):
        yield {"secret": secret}, _curve(channel, channel.with_mixture, prior, place)


def _curve(channel: Likelihoods, law: Law, one: int, other: int) -> Curve:
    """δ(ε) of one row of the law against another."""
    if channel.noise.adds_nothing:
        return Profile(law, one, other).at
    return ProfileUnderNoise.of(channel.noise, channel.lattice, law, one, other).at


def _least(channel: Likelihoods, curves: Iterator[tuple[Places, Curve]], delta: float, without: Found) -> Found:
    """The largest of the curves' least ε; without: the same where delta is 0. A curve that keeps delta at the largest
    so far is not followed further: it cannot be larger, and among equals the first is the witness."""
    found = Largest[Places]()
    for places, curve in curves:
        if found.lower > 0 and curve(found.lower).upper <= delta:
            continue
        found.add(least_epsilon(curve, delta, without.value.upper), places)
    if found.first is None:
        return NOTHING
    return Found(Enclosure(found.lower, found.upper), channel.witness(**found.first))


def _most(curves: Iterator[tuple[Places, Curve]], epsilon: float) -> Enclosure:
    total = Enclosure(0.0, 0.0)
    for _, curve in curves:
        total = largest(total, curve(epsilon))
    return Enclosure(min(total.lower, 1.0), min(total.upper, 1.0))
