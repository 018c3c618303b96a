"""Hockey-stick divergences of one Gaussian record's channel (Result 10.1, 10.3): of the answer given a secret and the
answer given another, or without it (Result 10.4).

Under Laplace noise they are bounded: between two values by those of the noise alone, as the answer's own variance is
independent of it and only post-processes, else by the largest log-ratio."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import exp, expm1, inf, sqrt
from typing import Final, TypeAlias

from dalenius.bisection import least_epsilon
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.channel import RatioName
from dalenius.channel.leakage import Found, TestedPair, delta_of_log_ratio, share_above
from dalenius.errors import InputError
from dalenius.gaussian.density import lowered_under_gaussian, raised_under_gaussian
from dalenius.gaussian.profile import AWAY, of_gaussian
from dalenius.gaussian.quantities import (
    ALL,
    NOTHING,
    enclosed,
    lowered,
    raised,
    ratio,
    single,
    witness_of,
)
from dalenius.gaussian.record import GaussianRecord
from dalenius.special_functions import ndtri

_CERTAIN: Final = Enclosure(1.0, 1.0)

_Curve: TypeAlias = Callable[[float], Enclosure]
"""δ by ε."""


def least_epsilon_of(record: GaussianRecord, of: RatioName, delta: float) -> Found:
    """The least ε at which the record keeps delta."""
    if record.idle or (of == "ratio" and single(record)):
        return NOTHING
    if (record.widest if of == "ratio" else record.farthest) is None:
        return Found(ALL, witness_of(record))
    if of == "ratio":
        assert record.widest is not None
        curve, most = _between_values(record, delta)
        return _least(record, curve, delta, most, *map(float, record.widest))
    assert record.farthest is not None
    curve, most = _beside_prior(record, of), (raised if of == "raised" else lowered)(record).value.upper
    return _least(record, curve, delta, most, float(record.farthest))


def least_delta_of(record: GaussianRecord, of: RatioName, epsilon: float) -> Enclosure:
    """The least delta at which the record keeps epsilon."""
    if record.idle:
        return Enclosure(0.0, 0.0)
    if (record.widest if of == "ratio" else record.farthest) is None:
        return _CERTAIN
    return (_between_values(record)[0] if of == "ratio" else _beside_prior(record, of))(epsilon)


def tradeoffs(record: GaussianRecord) -> Iterator[TestedPair]:
    """The two values of largest distance: their profile is the largest at every ε, and both orders have the same, since
    the answer given a value is that value's shift plus something symmetric and log-concave. InputError where that
    profile is only bounded: no test is said to attain a bound."""
    if record.idle or single(record):
        return
    if record.is_laplace and not _alone(record):
        raise InputError("noise", "laplace", "gaussian noise, for tests of normal records on whose answer others add")
    if record.widest is None:
        yield TestedPair(lambda _: _CERTAIN, lambda _: _CERTAIN, witness_of(record))
        return
    curve, _ = _between_values(record)
    secret, against = record.widest
    yield TestedPair(curve, curve, witness_of(record, float(secret), float(against)))


def _least(
    record: GaussianRecord, curve: _Curve, delta: float, most: float, secret: float, against: float | None = None
) -> Found:
    # A curve that is 1 everywhere never comes down.
    value = ALL if most == inf and curve(1e300) == _CERTAIN else least_epsilon(curve, delta, most)
    return enclosed(value, witness_of(record, secret, against))


def _between_values(record: GaussianRecord, delta: float = 0.5) -> tuple[_Curve, float]:
    """δ(ε) of the two values of largest distance, which is the worst, and an ε at which it is below delta."""
    if record.widest is None or single(record):
        return lambda epsilon: Enclosure(0.0, 0.0), 0.0
    if record.is_laplace:
        return _under_laplace(record), ratio(record).value.upper
    if record.explained == 1:
        return lambda epsilon: _CERTAIN, inf
    share = record.explained / (1 - record.explained)
    deviation = abs(record.widest[0] - record.widest[1])
    separation = sqrt(float(share * deviation**2 / record.variance))
    # δ(ε) < Φ(x/2 - ε/x)
    most = separation * (separation / 2 - float(ndtri(delta))) * (1 + 1e-9)
    return lambda epsilon: of_gaussian(separation, epsilon), max(most, 1e-300)


def _beside_prior(record: GaussianRecord, of: RatioName) -> _Curve:
    """δ(ε) of the value furthest from the mean against the prior, which is the worst, or of the prior against it."""
    if not record.is_laplace:
        return _under_gaussian(record, raised_under_gaussian if of == "raised" else lowered_under_gaussian)
    upper = (raised if of == "raised" else lowered)(record).value.upper
    return lambda epsilon: Enclosure(0.0, share_above(upper, epsilon))


def _alone(record: GaussianRecord) -> bool:
    """Whether there is one answer, and the record decides it but for the noise."""
    return len(record.shift) == 1 and not record.residual


def _under_laplace(record: GaussianRecord) -> _Curve:
    """Between the two values of largest distance: exact where the record alone decides the only answer."""
    upper = ratio(record).value.upper
    if len(record.shift) > 1:
        return lambda epsilon: Enclosure(0.0, delta_of_log_ratio(upper, epsilon))

    def curve(epsilon: float) -> Enclosure:
        alone = -expm1(min(epsilon - upper, 0.0) / 2)
        low = max(alone - 8 * UNIT * (1 + upper), 0.0) if _alone(record) else 0.0
        return Enclosure(low, min(alone * (1 + 8 * UNIT), 1.0))

    return curve


def _under_gaussian(record: GaussianRecord, read: Callable[[float, float, float, float], Enclosure]) -> _Curve:
    if record.explained == 1:
        return lambda epsilon: _CERTAIN
    # In units of the deviation of the posterior's mean over ρ.
    explained, left = float(record.explained), float(1 - record.explained)
    offset = sqrt(float(record.explained * _distance(record) ** 2 / record.variance))
    doubt = 8 * UNIT * (AWAY + offset / sqrt(left)) * AWAY
    return lambda epsilon: _despite(doubt, lambda moved: read(offset, explained, left, moved), epsilon)


def _despite(doubt: float, read: _Curve, epsilon: float) -> Enclosure:
    """δ(ε) where rounding its arguments may have moved every log-density by up to `doubt` nats."""
    low, high = read(epsilon + 2 * doubt).lower, read(epsilon - 2 * doubt).upper
    return Enclosure(low * exp(-doubt), min(high * exp(doubt), 1.0))


def _distance(record: GaussianRecord) -> Fraction:
    if record.farthest is None:
        raise ValueError("values without bounds are infinitely far away")
    return abs(record.farthest - record.mean)
