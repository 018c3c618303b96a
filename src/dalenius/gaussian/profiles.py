"""Hockey-stick divergences of one Gaussian record's channel (Result 10.1, 10.3): of the answer given a secret and the
answer given another. Those from the prior have a formula too (Result 10.4), which nothing asks for.

Under Laplace noise they are bounded: between two values by those of the noise alone, as the answer's own variance is
independent of it and only post-processes, else by the largest log-ratio.

Two normal answers one deviation apart: δ(0) = .383 and δ(1) = .127.

>>> [round(of_gaussian(1.0, epsilon).upper, 3) for epsilon in (0.0, 1.0)]
[0.383, 0.127]
"""

from collections.abc import Callable
from math import exp, expm1, inf, sqrt
from typing import Final, TypeAlias

from dalenius.bisection import least_epsilon
from dalenius.bounds import UNIT, Enclosure, around
from dalenius.channel.leakage import Found, delta_of_log_ratio
from dalenius.gaussian.quantities import (
    NO_LOSS,
    UNBOUNDED,
    at_least_0,
    ratio_of,
    single,
    witness_of,
)
from dalenius.gaussian.record import GaussianRecord
from dalenius.special_functions import log_ndtr, ndtri


def of_gaussian(separation: float, epsilon: float) -> Enclosure:
    """t = `separation` standard deviations, no other noise: Φ(t/2 - ε/t) - e^ε Φ(-t/2 - ε/t) (Balle and Wang 2018).

    Each mass is off by roundings that grow with the square of how far away it lies, and the place by 16 of so many
    nats: it is that of another ε, which counts e^ε times the second mass. Underflow is below 1e-300.
    """
    if separation == 0:
        return Enclosure(0.0, 0.0)
    end, size = epsilon / separation + separation / 2, epsilon + separation**2
    total, error = 0.0, 1e-300
    for sign, place, shift in ((1, end - separation, 0.0), (-1, end, epsilon)):
        mass, away = float(log_ndtr(-place)) + shift, min(abs(place), 1e150)
        total += sign * exp(mass)
        error += exp(min(mass, 700.0)) * (64 + 16 * away**2) * UNIT
        error += 0.0 if sign > 0 else exp(mass) * (64 + 16 * size) * UNIT
    found = around(total, error)
    return Enclosure(min(max(found.lower, 0.0), 1.0), min(max(found.upper, 0.0), 1.0))


_CERTAIN: Final = Enclosure(1.0, 1.0)

_Curve: TypeAlias = Callable[[float], Enclosure]
"""δ by ε."""


def least_record_epsilon(record: GaussianRecord, delta: float) -> Found:
    """The least ε, in nats, at which the record keeps delta; infinite where every real number is a secret."""
    if record.idle or single(record):
        return NO_LOSS
    if record.widest is None:
        return Found(UNBOUNDED, witness_of(record))
    curve, most = _between_values(record, delta)
    # A curve that is 1 everywhere never comes down.
    value = UNBOUNDED if most == inf and curve(1e300) == _CERTAIN else least_epsilon(curve, delta, most)
    secret, against = map(float, record.widest)
    return at_least_0(value, witness_of(record, secret, against))


def least_record_delta(record: GaussianRecord, epsilon: float) -> Enclosure:
    """The least delta at which the record keeps epsilon; 1 where every real number is a secret."""
    if record.idle:
        return Enclosure(0.0, 0.0)
    return _CERTAIN if record.widest is None else _between_values(record)[0](epsilon)


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
