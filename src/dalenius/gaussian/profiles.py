"""Hockey-stick divergences of one Gaussian record's channel (Result 10.1, 10.3): of the answer given a secret and the
answer given another, or without it (Result 10.4).

Under Laplace noise they are bounded: between two values by those of the noise alone, as the answer's own variance is
independent of it and only post-processes, else by the largest log-ratio.

Two normal answers one deviation apart: δ(0) = .383 and δ(1) = .127. A record two deviations off, half of whose variance
the answers explain (m = √2): at ε = .5 they tell it from the prior with δ = .463, and the prior from it with .531.

>>> [round(of_gaussian(1.0, epsilon).upper, 3) for epsilon in (0.0, 1.0)]
[0.383, 0.127]
>>> [round(_against_prior(sqrt(2), 0.5, 0.5, 0.5, raised).upper, 3) for raised in (True, False)]
[0.463, 0.531]
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, expm1, inf, sqrt
from typing import Final, TypeAlias

from dalenius.bisection import least_epsilon
from dalenius.bounds import UNIT, Enclosure, around
from dalenius.channel.channel import RatioName
from dalenius.channel.leakage import Found, delta_of_log_ratio, share_above
from dalenius.gaussian.quantities import (
    NO_LOSS,
    UNBOUNDED,
    at_least_0,
    lowered_of,
    raised_of,
    ratio_of,
    single,
    witness_of,
)
from dalenius.gaussian.record import GaussianRecord
from dalenius.special_functions import log_ndtr, ndtri

_AWAY: Final = 38.0
"""Deviations past which less than 1e-300 of a Gaussian law's mass lies."""
_Normal: TypeAlias = tuple[float, float]
"""Mean and deviation."""


def of_gaussian(separation: float, epsilon: float) -> Enclosure:
    """t = `separation` standard deviations, no other noise: Φ(t/2 - ε/t) - e^ε Φ(-t/2 - ε/t) (Balle and Wang 2018)."""
    if separation == 0:
        return Enclosure(0.0, 0.0)
    end, size = epsilon / separation + separation / 2, epsilon + separation**2
    return _hockey_stick([(end, inf)], (separation, 1.0), (0.0, 1.0), epsilon, size)


def _against_prior(offset: float, explained: float, left: float, epsilon: float, raised: bool) -> Enclosure:
    """∫ max(p - e^ε q, 0), or where not `raised` ∫ max(q - e^ε p, 0), for P = N(m, 1 - ρ²), the answer given a secret,
    and Q = N(0, 1), without it: m = offset >= 0, ρ² = explained > 0, 1 - ρ² = left > 0 (Result 10.4).

    log p/q is a parabola, largest at m/ρ² where it is m²/2ρ² + ½ log 1/(1 - ρ²), of curvature -ρ²/(1 - ρ²). So the
    first is positive between two places, the second beyond two; both integrals grow with m.
    """
    known = -math.log1p(-explained) if explained < 0.5 else -math.log(left)
    level, size = (epsilon if raised else -epsilon), offset**2 / left + known + epsilon
    above, steep = (offset**2 / explained + known) / 2 - level, explained / (2 * left)
    # An ε above all log-ratios: they have a largest value, that of the narrower law's peak.
    if above <= 0:
        return Enclosure(0.0, max(above + (64 + 16 * size) * UNIT, 0.0))
    high = offset / explained + sqrt(above / steep)
    # Not as the middle less the half width: where little is explained both are large, and nearly the same.
    low = ((offset**2 / left - known) / 2 + level) / (steep * high)
    given, without = (offset, sqrt(left)), (0.0, 1.0)
    if raised:
        return _hockey_stick([(low, high)], given, without, epsilon, size)
    return _hockey_stick([(-inf, low), (high, inf)], without, given, epsilon, size)


def _hockey_stick(
    pieces: Sequence[tuple[float, float]], first: _Normal, second: _Normal, epsilon: float, size: float
) -> Enclosure:
    """The mass of the first law on the pieces less e^ε times that of the second: their error is relative to these.

    size: where the pieces' ends are roundings of those at which the densities' ratio is e^ε, they are those of another
    ε, by at most 16 roundings of so many nats; that counts e^ε times the second law's mass.
    """
    # Underflow is below this.
    total, error = 0.0, 1e-300
    for low, high in pieces:
        for sign, (mean, deviation), shift in ((1, first, 0.0), (-1, second, epsilon)):
            mass, tail, away = _log_mass((low - mean) / deviation, (high - mean) / deviation)
            total += sign * exp(mass + shift)
            error += exp(min(tail + shift, 700.0)) * (64 + 16 * away**2) * UNIT
            error += 0.0 if sign > 0 else exp(mass + shift) * (64 + 16 * size) * UNIT
    return _probability(around(total, error))


def _log_mass(low: float, high: float) -> tuple[float, float, float]:
    """Of a standard normal law between two places: log of its mass, log of all beyond the nearer one, on the side where
    tails keep their digits, and how far that is away."""
    # Both on the left: the same two places on the right have the same mass, and tails that keep their digits.
    if low + high < 0:
        low, high = -high, -low
    near, far = float(log_ndtr(-low)), float(log_ndtr(-high))
    if near <= far:  # two places that are one, to rounding, or both beyond any mass
        return -inf, near, min(abs(low), 1e150)
    return near + math.log(-expm1(far - near)), near, min(abs(low), 1e150)


def _probability(value: Enclosure) -> Enclosure:
    """The part of it in [0, 1]: what rounding adds beyond is no probability."""
    return Enclosure(min(max(value.lower, 0.0), 1.0), min(max(value.upper, 0.0), 1.0))


_CERTAIN: Final = Enclosure(1.0, 1.0)

_Curve: TypeAlias = Callable[[float], Enclosure]
"""δ by ε."""


def least_record_epsilon(record: GaussianRecord, of: RatioName, delta: float) -> Found:
    """The least ε, in nats, at which the record keeps delta; infinite where every real number is a secret."""
    if record.idle or (of == "ratio" and single(record)):
        return NO_LOSS
    if (record.widest if of == "ratio" else record.farthest) is None:
        return Found(UNBOUNDED, witness_of(record))
    if of == "ratio":
        assert record.widest is not None
        curve, most = _between_values(record, delta)
        return _least(record, curve, delta, most, *map(float, record.widest))
    assert record.farthest is not None
    curve, most = _profile_of_prior(record, of), (raised_of if of == "raised" else lowered_of)(record).value.upper
    return _least(record, curve, delta, most, float(record.farthest))


def least_record_delta(record: GaussianRecord, of: RatioName, epsilon: float) -> Enclosure:
    """The least delta at which the record keeps epsilon; 1 where every real number is a secret."""
    if record.idle:
        return Enclosure(0.0, 0.0)
    if (record.widest if of == "ratio" else record.farthest) is None:
        return _CERTAIN
    return (_between_values(record)[0] if of == "ratio" else _profile_of_prior(record, of))(epsilon)


def _least(
    record: GaussianRecord, curve: _Curve, delta: float, most: float, secret: float, against: float | None = None
) -> Found:
    # A curve that is 1 everywhere never comes down.
    value = UNBOUNDED if most == inf and curve(1e300) == _CERTAIN else least_epsilon(curve, delta, most)
    return at_least_0(value, witness_of(record, secret, against))


def _between_values(record: GaussianRecord, delta: float = 0.5) -> tuple[_Curve, float]:
    """δ(ε) of the two values of largest distance, which is the worst, and an ε at which it is below delta."""
    if record.widest is None or single(record):
        return lambda epsilon: Enclosure(0.0, 0.0), 0.0
    if record.is_laplace:
        return _under_laplace(record), ratio_of(record).value.upper
    # An exact answer that determines the record: no ε keeps any delta.
    if record.explained == 1:
        return lambda epsilon: _CERTAIN, inf
    share = record.explained / (1 - record.explained)
    deviation = abs(record.widest[0] - record.widest[1])
    separation = sqrt(float(share * deviation**2 / record.variance))
    # δ(ε) < Φ(x/2 - ε/x)
    most = separation * (separation / 2 - float(ndtri(delta))) * (1 + 1e-9)
    return lambda epsilon: of_gaussian(separation, epsilon), max(most, 1e-300)


def _profile_of_prior(record: GaussianRecord, of: RatioName) -> _Curve:
    """δ(ε) of the value furthest from the mean against the prior, which is the worst, or of the prior against it."""
    if not record.is_laplace:
        return _under_gaussian(record, of == "raised")
    upper = (raised_of if of == "raised" else lowered_of)(record).value.upper
    return lambda epsilon: Enclosure(0.0, share_above(upper, epsilon))


def _decided_by(record: GaussianRecord) -> bool:
    """Whether there is one answer, and the record decides it but for the noise."""
    return len(record.shift) == 1 and not record.residual


def _under_laplace(record: GaussianRecord) -> _Curve:
    """Between the two values of largest distance: exact where the record alone decides the only answer."""
    upper = ratio_of(record).value.upper
    # Several answers: the largest log-ratio is all that is known of them together.
    if len(record.shift) > 1:
        return lambda epsilon: Enclosure(0.0, delta_of_log_ratio(upper, epsilon))

    def curve(epsilon: float) -> Enclosure:
        of_noise = -expm1(min(epsilon - upper, 0.0) / 2)
        low = max(of_noise - 8 * UNIT * (1 + upper), 0.0) if _decided_by(record) else 0.0
        return Enclosure(low, min(of_noise * (1 + 8 * UNIT), 1.0))

    return curve


def _under_gaussian(record: GaussianRecord, raised: bool) -> _Curve:
    """δ(ε) of the farthest secret against the prior, or with `raised` False of the prior against it (Result 10.4)."""
    if record.explained == 1:
        return lambda epsilon: _CERTAIN
    # In units of the deviation of the posterior's mean over ρ.
    explained, left = float(record.explained), float(1 - record.explained)
    offset = sqrt(float(record.explained * _distance(record) ** 2 / record.variance))
    # Rounding of the arguments may have moved every log-density by so many nats.
    doubt = 8 * UNIT * (_AWAY + offset / sqrt(left)) * _AWAY

    def curve(epsilon: float) -> Enclosure:
        low, high = (_against_prior(offset, explained, left, epsilon + 2 * side, raised) for side in (doubt, -doubt))
        return Enclosure(low.lower * exp(-doubt), min(high.upper * exp(doubt), 1.0))

    return curve


def _distance(record: GaussianRecord) -> Fraction:
    """How far the farthest secret is from the record's mean."""
    if record.farthest is None:
        raise ValueError("values without bounds are infinitely far away")
    return abs(record.farthest - record.mean)
