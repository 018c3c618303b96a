"""Hockey-stick divergences between a Gaussian answer given a secret and the same answer without it (Result 10.4).

P is the law of the answer given the secret, of mean m >= 0, and Q without it, of mean 0 and larger variance. P - CQ has
at most two changes of sign for any C, so that {log P/Q > ε} is an interval; both hockey-sticks grow with m.

Hockey-stick divergences of one Gaussian record's channel (Result 10.1, 10.3, 10.4).
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import exp, inf, sqrt
from typing import Final, TypeAlias

import numpy as np

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.channel.crossing import least_epsilon
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.witness import Found
from dalenius.errors import InputError
from dalenius.gaussian.density import log_density, log_density_error
from dalenius.gaussian.profile import TINY, distribution, highest_log_ratio, of_gaussian, of_gaussian_and_laplace
from dalenius.gaussian.quantities import ALL, NOTHING, deviations, enclosed, lowered, moved, raised, seen, single
from dalenius.gaussian.record import GaussianRecord
from dalenius.laws.law import Array
from dalenius.roots import brentq
from dalenius.special import ndtri

NODES: Final = 20
AWAY: Final = 38.0
"""Deviations past which less than 1e-300 of a Gaussian law's mass lies."""
PANEL: Final = 0.5
"""Deviations of the narrower law."""
ELLIPSE: Final = 4.0
MOST_PANELS: Final = 20_000

Piece: TypeAlias = tuple[float, float]


def raised_under_gaussian(offset: float, explained: float, left: float, epsilon: float) -> Enclosure:
    """∫ max(p - e^ε q, 0) for P = N(m, 1 - ρ²), Q = N(0, 1): m = offset >= 0, ρ² = explained > 0,
    1 - ρ² = left > 0.

    log p/q = top - κ (u - c)², c = m/ρ², κ = ρ²/2(1 - ρ²), top = m²/2ρ² + ½ log 1/(1 - ρ²).
    """
    centre, steep, top = _parabola(offset, explained, left)
    if epsilon >= top:
        return Enclosure(0.0, TINY if epsilon < top * (1 + 64 * UNIT) else 0.0)
    half = math.sqrt((top - epsilon) / steep)
    deviation = math.sqrt(left)
    return _gaussian_integral([(centre - half, centre + half)], offset, deviation, centre, steep, half)


def lowered_under_gaussian(offset: float, explained: float, left: float, epsilon: float) -> Enclosure:
    """∫ max(q - e^ε p, 0) for the same two."""
    centre, steep, top = _parabola(offset, explained, left)
    half = math.sqrt(max(top + epsilon, 0.0) / steep)
    outside = [(-math.inf, centre - half), (centre + half, math.inf)]
    return _gaussian_integral(outside, 0.0, 1.0, centre, -steep, half)


def _parabola(offset: float, explained: float, left: float) -> tuple[float, float, float]:
    """c, κ and the largest log-ratio."""
    known = -math.log1p(-explained) if explained < 0.5 else -math.log(left)
    return offset / explained, explained / (2 * left), (offset**2 / explained + known) / 2


def _gaussian_integral(
    pieces: list[Piece], mean: float, deviation: float, centre: float, steep: float, half: float
) -> Enclosure:
    """∫ φ (1 - e^{-κ(h² - (u-c)²)}) over pieces where that is positive, φ the density N(mean, deviation²): Gauss's rule
    on panels. On the ellipse of a panel, which reaches τ into the complex plane, φ grows by at most e^{τ²/2σ²} and the
    exponential in size by e^{κτ²} at most; both are entire functions."""
    total, error = 0.0, TINY
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    reach = AWAY * deviation
    for low, high in ((max(low, mean - reach), min(high, mean + reach)) for low, high in pieces):
        if low >= high:
            continue
        width = PANEL * min(deviation, 1 / math.sqrt(2 * abs(steep)))
        count = min(max(math.ceil((high - low) / width), 1), MOST_PANELS)
        edges = np.linspace(low, high, count + 1)
        panel = (high - low) / count
        u = edges[:-1, None] + panel * (1 + nodes) / 2
        z = (u - mean) / deviation
        density = np.exp(-(z**2) / 2) / (deviation * math.sqrt(2 * math.pi))
        exponent = steep * ((u - centre) ** 2 - half**2)
        values = density * -np.expm1(np.minimum(exponent, 0.0))
        total += float(np.sum(values @ weights)) * panel / 2
        # The exponent is a difference of squares, each rounded, and its slope moves it with u.
        size = np.abs(steep) * ((u - centre) ** 2 + half**2)
        moved = density * (np.minimum(np.abs(exponent), 1.0) * (64 + 8 * z**2) + 16 * size * np.exp(exponent)) * UNIT
        error += float(np.sum(moved @ weights)) * panel / 2 + _beyond_gauss(edges, mean, deviation, steep, centre, half)
    return _probability(around(total, error))


def _beyond_gauss(edges: Array, mean: float, deviation: float, steep: float, centre: float, half: float) -> float:
    """Trefethen's bound of Gauss's rule: 64/15 M ρ^{-2n}/(1 - ρ^{-2}) per half panel, M the largest size on the
    ellipse of sum of half axes ρ."""
    radius = (edges[1] - edges[0]) / 2
    along, across = radius * (ELLIPSE + 1 / ELLIPSE) / 2, radius * (ELLIPSE - 1 / ELLIPSE) / 2
    middle = (edges[1:] + edges[:-1]) / 2
    near = np.maximum(np.abs(middle - mean) - along, 0.0) / deviation
    density = np.exp(-(near**2) / 2 + (across / deviation) ** 2 / 2) / (deviation * math.sqrt(2 * math.pi))
    ends = [(np.abs(middle - centre) + side * along) ** 2 - half**2 for side in (-1, 1)]
    highest = np.maximum(*(steep * end for end in ends)) + abs(steep) * across**2
    size = 1 + np.exp(np.minimum(highest, 50.0))
    bound = 64 / 15 * float(np.sum(density * size)) * ELLIPSE ** (-2 * NODES) / (1 - ELLIPSE**-2)
    return float(bound * radius)


def raised_under_laplace(shift: float, inner: float, outer: float, spread: float, epsilon: float) -> Enclosure:
    """∫ max(p - e^ε q, 0) for a Gaussian answer under Laplace noise of scale 1: p = g_r(y - m), q = g_R(y); m = shift
    >= 0, r = inner, R = outer, R² = r² + spread."""
    top, peak = highest_log_ratio(shift, inner, outer, spread)
    if epsilon >= top.upper:
        return Enclosure(0.0, 0.0)
    ends = _ends(_LogRatio(shift, inner, outer), peak, epsilon)
    inside = [(ends[0][1], ends[1][1])]
    own, prior = _mass(inside, shift, inner), _mass(inside, 0.0, outer)
    return _difference(own, prior, epsilon, ends, shift, inner)


def lowered_under_laplace(shift: float, inner: float, outer: float, spread: float, epsilon: float) -> Enclosure:
    """∫ max(q - e^ε p, 0) for the same two: where log p/q < -ε."""
    _, peak = highest_log_ratio(shift, inner, outer, spread)
    ends = _ends(_LogRatio(shift, inner, outer), peak, -epsilon)
    outside = [(-math.inf, ends[0][1]), (ends[1][1], math.inf)]
    own, prior = _mass(outside, 0.0, outer), _mass(outside, shift, inner)
    return _difference(own, prior, epsilon, ends, 0.0, outer)


End: TypeAlias = tuple[float, float, float]
"""A crossing of the log-ratio: a place surely before it, about where it is, and a place surely after it."""


def _difference(
    own: Enclosure, other: Enclosure, epsilon: float, ends: tuple[End, End], shift: float, deviation: float
) -> Enclosure:
    """own - e^ε other, and above it what the true ends may add: between the sure places the two densities differ by
    rounding only, so at most twice the law's own mass there."""
    factor = math.exp(min(epsilon, 700.0))
    lower = own.lower - factor * (1 + 4 * UNIT * (1 + epsilon)) * other.upper
    upper = own.upper - factor * (1 - 4 * UNIT * (1 + epsilon)) * other.lower
    doubtful = sum(_mass([(low, high)], shift, deviation).upper for low, _, high in ends if low < high)
    return _probability(Enclosure(lower, max(upper, lower) + 2 * doubtful))


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


def _ends(ratio: _LogRatio, peak: float, level: float) -> tuple[End, End]:
    """Where h, which rises up to the peak and falls after it, crosses the level on either side."""
    return _end(ratio, peak, level, -1), _end(ratio, peak, level, 1)


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
        return _ordered(side, side * math.inf if sure else out, side * math.inf, side * math.inf)
    if ratio.at(peak) <= level:
        place = peak
    else:
        low, high = min(peak, out), max(peak, out)
        place = float(brentq(lambda y: ratio.at(y) - level, low, high, xtol=1e-15 * max(1.0, abs(out)), rtol=1e-14))
    inner = _sure(lambda y: ratio.at(y) - ratio.error(y) > level, place, peak, -side)
    outer = _sure(lambda y: ratio.at(y) + ratio.error(y) < level, place, side * math.inf, side)
    return _ordered(side, inner, place, outer)


def _ordered(side: int, inner: float, place: float, outer: float) -> End:
    return (inner, place, outer) if side > 0 else (outer, place, inner)


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


def _mass(pieces: list[Piece], shift: float, deviation: float) -> Enclosure:
    """Of g_r(· - m) on the pieces, each taken on the side where its ends are in the lower tail."""
    lower, upper = 0.0, 0.0
    for low, high in ((low - shift, high - shift) for low, high in pieces):
        if low >= high:
            continue
        parts = [(low, high)] if high <= 0 else [(-high, -low)] if low >= 0 else [(low, 0.0), (-high, 0.0)]
        for start, end in parts:
            ends = distribution(end, deviation), distribution(start, deviation)
            moved = 4 * UNIT * (abs(shift) + (abs(start) if start > -math.inf else 0.0)) * ends[0].upper
            lower += max(ends[0].lower - ends[1].upper - moved, 0.0)
            upper += ends[0].upper - ends[1].lower + moved
    return Enclosure(lower, upper)


def _probability(value: Enclosure) -> Enclosure:
    return Enclosure(min(max(value.lower, 0.0), 1.0), min(max(value.upper, 0.0), 1.0))


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
