"""Hockey-stick divergences of one Gaussian record's channel (Result 10.1, 10.3): of the answer given a secret and the
answer given another, or without it (Result 10.4). Of the latter P is the law of the answer given the secret, of mean m
>= 0, and Q without it, of mean 0 and larger variance. P - CQ has at most two changes of sign for any C, so that {log
P/Q > ε} is an interval; both hockey-sticks grow with m."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import exp, inf, sqrt
from typing import Final, NamedTuple, TypeAlias

from dalenius.bisection import least_epsilon
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.channel import Compared
from dalenius.channel.leakage import Found, TestedPair
from dalenius.errors import InputError
from dalenius.gaussian.density import log_density, log_density_error, lowered_under_gaussian, raised_under_gaussian
from dalenius.gaussian.profile import (
    AWAY,
    End,
    Shifted,
    difference,
    highest_log_ratio,
    of_gaussian,
    of_gaussian_and_laplace,
)
from dalenius.gaussian.quantities import (
    ALL,
    NOTHING,
    deviations,
    enclosed,
    lowered,
    moved,
    raised,
    seen,
    single,
)
from dalenius.gaussian.record import GaussianRecord
from dalenius.special_functions import brentq, ndtri

CERTAIN: Final = Enclosure(1.0, 1.0)

Curve: TypeAlias = Callable[[float], Enclosure]
"""δ by ε."""


class _BesidePrior(NamedTuple):
    """own, prior: the laws of the answer given the secret, and without it; highest: their largest log-ratio, at most;
    ends: by level, where the log-ratio rises and falls through it; doubt: by how many nats rounding its arguments may
    have moved a log-density."""

    own: Shifted
    prior: Shifted
    highest: float
    ends: Callable[[float], tuple[End, End]]
    doubt: float

    def raised(self, epsilon: float) -> Enclosure:
        """∫ max(p - e^ε q, 0)."""
        if epsilon >= self.highest:
            return Enclosure(0.0, 0.0)
        low, high = self.ends(epsilon)
        return difference([(low.place, high.place)], self.own, self.prior, epsilon, (low, high))

    def lowered(self, epsilon: float) -> Enclosure:
        """∫ max(q - e^ε p, 0): where log p/q < -ε."""
        low, high = self.ends(-epsilon)
        return difference([(-inf, low.place), (high.place, inf)], self.prior, self.own, epsilon, (low, high))


def _under_laplace(record: GaussianRecord) -> _BesidePrior:
    """In units of the noise's scale: p = g_r(y - m), q = g_R(y) (`density`), m >= 0, R² = r² + spread."""
    _check_single_answer(record, None)
    inner, outer, spread = deviations(record)
    shift = float(abs(record.shift[0]) * _distance(record) / Fraction(record.noise.known_scale()))
    top, peak = highest_log_ratio(shift, inner, outer, spread)
    ratio = _LogRatio(shift, inner, outer)

    def ends(level: float) -> tuple[End, End]:
        return _end(ratio, peak, level, -1), _end(ratio, peak, level, 1)

    laws = Shifted.smoothed(shift, inner), Shifted.smoothed(0.0, outer)
    return _BesidePrior(*laws, top.upper, ends, 16 * UNIT * (1 + shift + outer + outer**2))


class _LogRatio:
    """h(y) = log g_r(y - m)/g_R(y), and how far rounding may put it off."""

    def __init__(self, shift: float, inner: float, outer: float) -> None:
        self.shift, self.inner, self.outer = shift, inner, outer

    def at(self, y: float) -> float:
        return float(log_density(abs(y - self.shift), self.inner) - log_density(abs(y), self.outer))

    def error(self, y: float) -> float:
        near, far = abs(y - self.shift), abs(y)
        moved = 4 * UNIT * (abs(y) + self.shift)  # the slope of a log-density is at most 1
        return float(log_density_error(near, self.inner) + log_density_error(far, self.outer)) + moved


def _end(ratio: _LogRatio, peak: float, level: float, side: int) -> End:
    """Past `far` h has reached its limit but for rounding: if it is above the level there, the crossing is at ∞."""
    far = abs(peak) + ratio.shift + ratio.outer * (ratio.outer + 40) + 40
    step = max(ratio.inner, 1e-3 * ratio.outer, 1e-9)
    out = peak + side * step
    while ratio.at(out) > level and abs(out) < far:
        step *= 2
        out = peak + side * step
    if ratio.at(out) > level:
        sure = ratio.at(out) - ratio.error(out) > level
        return _ordered(side, side * inf if sure else out, side * inf, side * inf)
    if ratio.at(peak) <= level:
        place = peak
    else:
        low, high = min(peak, out), max(peak, out)
        place = float(brentq(lambda y: ratio.at(y) - level, low, high, xtol=1e-15 * max(1.0, abs(out)), rtol=1e-14))
    inner = _sure(lambda y: ratio.at(y) - ratio.error(y) > level, place, peak, -side)
    outer = _sure(lambda y: ratio.at(y) + ratio.error(y) < level, place, side * inf, side)
    return _ordered(side, inner, place, outer)


def _ordered(side: int, inner: float, place: float, outer: float) -> End:
    return End(inner, place, outer) if side > 0 else End(outer, place, inner)


def _sure(holds: Callable[[float], bool], place: float, last: float, side: int) -> float:
    """The first place tried, from `place` towards `last` in growing steps, where it holds; `last` if none does."""
    step = 1e-15 * max(abs(place), 1e-3)
    while step < 1e9 * (1 + abs(place)):
        found = place + side * step
        if (found - last) * side >= 0:
            return last
        if holds(found):
            return found
        step *= 4
    return last


def least_epsilon_of(record: GaussianRecord, of: Compared, delta: float) -> Found:
    """The least ε at which the record keeps delta."""
    if record.idle or (of == "ratio" and single(record)):
        return NOTHING
    if (record.widest if of == "ratio" else record.farthest) is None:
        return Found(ALL, seen(record))
    if of == "ratio":
        assert record.widest is not None
        curve, most = _between_values(record, delta)
        return _least(record, curve, delta, most, *map(float, record.widest))
    assert record.farthest is not None
    curve, most = _beside_prior(record, of), (raised if of == "raised" else lowered)(record).value.upper
    return _least(record, curve, delta, most, float(record.farthest))


def least_delta_of(record: GaussianRecord, of: Compared, epsilon: float) -> Enclosure:
    """The least delta at which the record keeps epsilon."""
    if record.idle:
        return Enclosure(0.0, 0.0)
    if (record.widest if of == "ratio" else record.farthest) is None:
        return CERTAIN
    return (_between_values(record)[0] if of == "ratio" else _beside_prior(record, of))(epsilon)


def tradeoffs(record: GaussianRecord) -> Iterator[TestedPair]:
    """The two values of largest distance: their profile is the largest at every ε, and both orders have the same, since
    the answer given a value is that value's shift plus something symmetric and log-concave."""
    if record.idle or single(record):
        return
    if record.widest is None:
        yield TestedPair(lambda _: CERTAIN, lambda _: CERTAIN, seen(record))
        return
    if record.is_laplace and len(record.shift) > 1:
        wanted = "one answer, or gaussian noise, for the trade-off of normal records under laplace noise"
        raise InputError("query", f"{len(record.shift)} answers", wanted)
    curve, _ = _between_values(record)
    secret, against = record.widest
    yield TestedPair(curve, curve, seen(record, float(secret), float(against)))


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
    deviation = abs(record.widest[0] - record.widest[1])
    separation = sqrt(float(share * deviation**2 / record.variance))
    # δ(ε) < Φ(x/2 - ε/x)
    most = separation * (separation / 2 - float(ndtri(delta))) * (1 + 1e-9)
    return lambda epsilon: of_gaussian(separation, epsilon), max(most, 1e-300)


def _beside_prior(record: GaussianRecord, of: Compared) -> Curve:
    """δ(ε) of the value furthest from the mean against the prior, which is the worst, or of the prior against it."""
    if not record.is_laplace:
        return _under_gaussian(record, raised_under_gaussian if of == "raised" else lowered_under_gaussian)
    laws = _under_laplace(record)
    return lambda epsilon: _despite(laws.doubt, laws.raised if of == "raised" else laws.lowered, epsilon)


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
