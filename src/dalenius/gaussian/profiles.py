"""Hockey-stick divergences of one Gaussian record's channel (Result 10.1, 10.3, 10.4)."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import exp, inf, sqrt
from typing import Final, TypeAlias

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.crossing import least_epsilon
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.witness import Found
from dalenius.errors import InputError
from dalenius.gaussian.prior_profile import (
    AWAY,
    lowered_under_gaussian,
    lowered_under_laplace,
    raised_under_gaussian,
    raised_under_laplace,
)
from dalenius.gaussian.profile import of_gaussian, of_gaussian_and_laplace
from dalenius.gaussian.quantities import ALL, NOTHING, deviations, enclosed, lowered, moved, raised, seen, single
from dalenius.gaussian.record import GaussianRecord
from dalenius.special import ndtri

CERTAIN: Final = Enclosure(1.0, 1.0)
Curve: TypeAlias = Callable[[float], Enclosure]
"""δ by ε."""


def ratio_at(record: GaussianRecord, delta: float) -> Found:
    if record.idle or single(record):
        return NOTHING
    if record.widest is None:
        return Found(ALL, seen(record))
    curve, most = _between_values(record, delta)
    secret, against = record.widest
    return _least(record, curve, delta, most, secret=float(secret), against=float(against))


def profile(record: GaussianRecord, epsilon: float) -> Enclosure:
    """The least delta at which the record is inferential(epsilon, delta)."""
    if record.idle:
        return Enclosure(0.0, 0.0)
    return CERTAIN if record.widest is None else _between_values(record)[0](epsilon)


def raised_at(record: GaussianRecord, delta: float) -> Found:
    return _moved_at(record, delta, raised, _above_prior)


def lowered_at(record: GaussianRecord, delta: float) -> Found:
    return _moved_at(record, delta, lowered, _below_prior)


def raising(record: GaussianRecord, epsilon: float) -> Enclosure:
    """The least delta at which the record is information(epsilon, delta)."""
    if record.idle:
        return Enclosure(0.0, 0.0)
    return CERTAIN if record.farthest is None else _above_prior(record)(epsilon)


def tradeoffs(record: GaussianRecord) -> Iterator[PairTradeoff]:
    """The two values of largest distance: their profile is the largest at every ε, and both orders have the same, since
    the answer given a value is that value's shift plus something symmetric and log-concave."""
    if record.idle or single(record):
        return
    if record.widest is None:
        yield PairTradeoff(lambda _: CERTAIN, lambda _: CERTAIN, seen(record))
        return
    if record.is_laplace and len(record.shift) > 1:
        wanted = "one answer, or gaussian noise, for the trade-off of normal records under laplace noise"
        raise InputError("query", f"{len(record.shift)} answers", wanted)
    curve, _ = _between_values(record)
    secret, against = record.widest
    yield PairTradeoff(curve, curve, seen(record, float(secret), float(against)))


def _moved_at(
    record: GaussianRecord,
    delta: float,
    most: Callable[[GaussianRecord], Found],
    curve: Callable[[GaussianRecord], Curve],
) -> Found:
    if record.idle:
        return NOTHING
    if record.farthest is None:
        return Found(ALL, seen(record))
    return _least(record, curve(record), delta, most(record).value.upper, secret=float(record.farthest))


def _least(
    record: GaussianRecord, curve: Curve, delta: float, most: float, secret: float, against: float | None = None
) -> Found:
    # A curve that is 1 everywhere never comes down.
    value = ALL if most == inf and curve(1e300) == CERTAIN else least_epsilon(curve, delta, most)
    return enclosed(value, seen(record, secret, against))


def _between_values(record: GaussianRecord, delta: float = 0.5) -> tuple[Curve, float]:
    """δ(ε) of the two values of largest distance, which is the worst, and an ε at which it is below delta."""
    if record.widest is None or single(record):
        return lambda epsilon: Enclosure(0.0, 0.0), 0.0
    if record.is_laplace:
        _check_single_answer(record, delta)
        inner = deviations(record)[0]
        shift = float(moved(record) / Fraction(record.noise.known_scale()))
        return lambda epsilon: of_gaussian_and_laplace(shift, inner, epsilon), shift * (1 + 8 * UNIT)
    if record.explained == 1:
        return lambda epsilon: CERTAIN, inf
    share = record.explained / (1 - record.explained)
    apart = abs(record.widest[0] - record.widest[1])
    separation = sqrt(float(share * apart**2 / record.variance))
    # δ(ε) < Φ(x/2 - ε/x)
    most = separation * (separation / 2 - float(ndtri(delta))) * (1 + 1e-9)
    return lambda epsilon: of_gaussian(separation, epsilon), max(most, 1e-300)


def _above_prior(record: GaussianRecord) -> Curve:
    """δ(ε) of the value furthest from the mean against the prior, which is the worst."""
    if record.is_laplace:
        return _under_laplace(record, raised_under_laplace)
    return _under_gaussian(record, raised_under_gaussian)


def _below_prior(record: GaussianRecord) -> Curve:
    """δ(ε) of the prior against that value."""
    if record.is_laplace:
        return _under_laplace(record, lowered_under_laplace)
    return _under_gaussian(record, lowered_under_gaussian)


def _under_laplace(record: GaussianRecord, read: Callable[[float, float, float, float, float], Enclosure]) -> Curve:
    _check_single_answer(record, None)
    inner, outer, spread = deviations(record)
    shift = float(abs(record.shift[0]) * _distance(record) / Fraction(record.noise.known_scale()))
    doubt = 16 * UNIT * (1 + shift + outer + outer**2)
    return lambda epsilon: _despite(doubt, lambda moved: read(shift, inner, outer, spread, moved), epsilon)


def _under_gaussian(record: GaussianRecord, read: Callable[[float, float, float, float], Enclosure]) -> Curve:
    if record.explained == 1:
        return lambda epsilon: CERTAIN
    # In units of the deviation of the posterior's mean over ρ.
    explained, left = float(record.explained), float(1 - record.explained)
    offset = sqrt(float(record.explained * _distance(record) ** 2 / record.variance))
    doubt = 8 * UNIT * (AWAY + offset / sqrt(left)) * AWAY
    return lambda epsilon: _despite(doubt, lambda moved: read(offset, explained, left, moved), epsilon)


def _despite(doubt: float, read: Curve, epsilon: float) -> Enclosure:
    """δ(ε) where rounding its arguments may have moved every log-density by up to `doubt` nats."""
    low, high = read(epsilon + 2 * doubt).lower, read(epsilon - 2 * doubt).upper
    return Enclosure(low * exp(-doubt), min(high * exp(doubt), 1.0))


def _distance(record: GaussianRecord) -> Fraction:
    if record.farthest is None:
        raise ValueError("values without bounds are infinitely far away")
    return abs(record.farthest - record.mean)


def _check_single_answer(record: GaussianRecord, delta: float | None) -> None:
    if len(record.shift) > 1:
        wanted = "0 beside Laplace noise on several answers of normal records (or gaussian noise, or one answer)"
        raise InputError("notion.delta", "above 0" if delta is None else delta, wanted)
