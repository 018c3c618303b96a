"""The mutual information of a record and one noisy answer under a mixture of normal laws, by three lattice sums.

I(X; Y) = h(X) + h(Y) - h(X, Y), and each term is an integral of φ(F) = -F log F, F = Σ_k p_k a density (Result 10.7).
The trapezoidal rule of step h is off by no more than the integrand's Fourier transform adds up to at multiples of 2π/h
(Poisson): 2ζ(m)(h/2π)^m M on a line and 8ζ(m-1)(h/2π)^m M in the plane, M = ∫|∂^m φ(F)| along either axis.

M has a bound, as each p_k is a normal density in that direction, of deviation s_k, averaged over its noise: then
∂^j p_k/p_k is a mean of (z + iN)^j/s_k^j, N normal, and by Hölder |∂^m φ(F)| is at most Σ_k p_k A_k^m (C_m + 1 +
|log F|) with E A_k^m = 2^{m/2}(m/2)!/s_k^m, and C_m = Σ_j (j-2)! S(m, j), S Stirling's numbers of partitions.

Two records are alike with .6 or opposite with -.6: they are uncorrelated, and yet one says something of the other.

>>> halves = [Joint(log(0.5), 0.0, 1.0, slope, 0.0, 0.8) for slope in (0.6, -0.6)]
>>> round(information(halves, 0.0).middle, 6)
0.052967
"""

from collections.abc import Iterator, Sequence
from functools import cache
from math import comb, e, exp, factorial, hypot, inf, log, pi, sqrt
from typing import Final, NamedTuple, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.gaussian.density import log_density, log_density_error, log_fall
from dalenius.gaussian.noisy_entropy import noisy_entropy

_STEPS: Final = 16
"""The rule's steps in the smallest deviation; its error is then some 1e-9 nats."""
_MOST_POINTS: Final = 4_000_000
"""Points of the plane, times components: some seconds. Where there would be more, the step is larger."""
_WIDER: Final = (1 / _STEPS, 1 / 12, 1 / 8, 1 / 6, 1 / 5, 1 / 4, 1 / 3, 1 / 2)
"""Steps for the record, in its smallest deviation. The best of them is taken."""
_FAR: Final = 11.0
"""Deviations after which the lattice ends: the rest, below e^-30, is counted."""
_SCALES: Final = 45.0
"""Scales of Laplace noise that the lattice has beyond that."""
_ORDERS: Final = (4, 6, 8, 10, 12, 16)
"""The orders m of the derivative; the one with the least bound is taken."""
_ROOT: Final = log(2 * pi) / 2


@final
class Joint(NamedTuple):
    """The law of a record and the answer in one component; numbers are in units of the caller's choice.

    Attributes:
        log_weight: The log of the component's probability.
        centre: The record's mean.
        deviation: The record's deviation, above 0.
        slope: How far the answer's mean moves with the record.
        middle: The answer's mean.
        inner: The answer's deviation given the record, without Laplace noise, with Gaussian noise.
    """

    log_weight: float
    centre: float
    deviation: float
    slope: float
    middle: float
    inner: float

    @property
    def outer(self) -> float:
        """The answer's deviation over all records."""
        return hypot(self.slope * self.deviation, self.inner)

    @property
    def given_answer(self) -> float:
        """The record's deviation, once the answer is known without Laplace noise."""
        return self.deviation * self.inner / self.outer


def information(parts: Sequence[Joint], scale: float) -> Enclosure | None:
    """Encloses I(X; Y), in nats.

    Args:
        parts: The components.
        scale: The scale of Laplace noise on the answer; 0 for none.

    Returns:
        The enclosure; None where the answer has no normal part that would smooth it.
    """
    if _alike(parts):
        # Because the component then says nothing of the answer beside the record, an answer of noise alone will do.
        inner = parts[0].inner
        given = _noise_entropy(inner, scale) if scale else _normal_entropy(inner)
        bumps = [_Bump(each.log_weight, each.middle, each.outer) for each in parts]
        return _widened(_minus(_line(bumps, scale), given), parts, scale)
    if min(each.inner for each in parts) <= 0:
        return None
    steep = sum(exp(each.log_weight) * each.slope for each in parts)
    # Because the answer less a multiple of the record has the same entropy beside it, and less is of one correlation.
    turned = [_turned(each, steep) for each in parts]
    across, along = min(each.given_answer for each in turned), min(each.inner for each in parts)
    record = [_Bump(each.log_weight, each.centre / across, each.deviation / across) for each in parts]
    answer = [_Bump(each.log_weight, each.middle / along, each.outer / along) for each in parts]
    pair = _plane([_scaled(each, across, along) for each in turned], scale / along)
    one, other = _line(record, 0.0), _line(answer, scale / along)
    found = _widened(_minus(Enclosure(one.lower + other.lower, one.upper + other.upper), pair), parts, scale)
    if not scale:
        return found
    # Because the record says no more of the answer with noise than the answer without it does.
    most = _widened(_minus(other, _noise_entropy(0.0, scale / along)), parts, scale).upper
    return Enclosure(min(found.lower, most), min(found.upper, most))


def _widened(found: Enclosure, parts: Sequence[Joint], scale: float) -> Enclosure:
    """Counts that the laws' own numbers are rounded: each is off by a few units of its last digit."""
    moves = [
        abs(each.centre) / each.deviation
        + (abs(each.middle) + abs(each.slope) * (abs(each.centre) + each.deviation)) / max(each.inner, scale)
        for each in parts
    ]
    off = 1024 * UNIT * (1 + max(moves)) * (1 + max(-each.log_weight for each in parts))
    return Enclosure(found.lower - off, found.upper + off)


def _alike(parts: Sequence[Joint]) -> bool:
    """Says whether the answer's law given the record is the same in all components: then it is known in closed form."""
    return len({(each.slope, each.middle - each.slope * each.centre, each.inner) for each in parts}) == 1


def _turned(part: Joint, slope: float) -> Joint:
    return part._replace(slope=part.slope - slope, middle=part.middle - slope * part.centre)


def _scaled(part: Joint, across: float, along: float) -> Joint:
    return Joint(
        part.log_weight,
        part.centre / across,
        part.deviation / across,
        part.slope * across / along,
        part.middle / along,
        part.inner / along,
    )


def _minus(one: Enclosure, other: Enclosure) -> Enclosure:
    return Enclosure(one.lower - other.upper, one.upper - other.lower)


def _noise_entropy(deviation: float, scale: float) -> Enclosure:
    """Encloses the entropy of a normal variable of that deviation with Laplace noise of that scale."""
    found, unit = noisy_entropy(deviation / scale), log(scale)
    off = 8 * UNIT * (1 + abs(unit))
    return Enclosure(found.lower + unit - off, found.upper + unit + off)


def _normal_entropy(deviation: float) -> Enclosure:
    value = log(deviation) + _ROOT + 0.5
    off = 8 * UNIT * (1 + abs(value))
    return Enclosure(value - off, value + off)


class _Bump(NamedTuple):
    """A component of a law on a line: the log of its weight, its mean, and its deviation without Laplace noise."""

    log_weight: float
    centre: float
    deviation: float


def _line(parts: Sequence[_Bump], scale: float) -> Enclosure:
    """Encloses the entropy of a mixture on a line, in nats."""
    unit = min(each.deviation for each in parts)
    parts = [_Bump(each.log_weight, each.centre / unit, each.deviation / unit) for each in parts]
    scale /= unit
    far = [_FAR * each.deviation + _SCALES * scale for each in parts]
    ends = _ends([each.centre for each in parts], far)
    step = max(1 / _STEPS, len(parts) * (ends[1] - ends[0]) / _MOST_POINTS)
    places = step * np.arange(np.floor(ends[0] / step), np.ceil(ends[1] / step) + 1)
    logs, errors = zip(*(_bump(each, places, scale) for each in parts), strict=True)
    found, error = _summed(np.array(logs), np.array(errors), step)
    tail = sum(sqrt(exp(each.log_weight)) * _past(each.deviation, scale, step) for each in parts)
    weights, widths = [each.log_weight for each in parts], [each.deviation for each in parts]
    # 2ζ(m) <= 2ζ(4) < 2.2
    rule = 2.2 * _rule(weights, widths, [_surprise(each, scale) for each in widths], step)
    return _enclosed(found, error + rule, tail, log(unit))


def _plane(parts: Sequence[Joint], scale: float) -> Enclosure:
    """Encloses the entropy of a mixture in the plane, whose deviations given the other coordinate are at least 1."""
    across = _ends([each.centre for each in parts], [_FAR * each.deviation for each in parts])
    along = _ends([each.middle for each in parts], [_FAR * each.outer + _SCALES * scale for each in parts])
    area = len(parts) * (across[1] - across[0]) * (along[1] - along[0])
    steps = [(each, max(1 / _STEPS, area / each / _MOST_POINTS)) for each in _WIDER]
    wide, high = min(steps, key=lambda pair: _rules(parts, scale, *pair))
    rows = wide * np.arange(np.floor(across[0] / wide), np.ceil(across[1] / wide) + 1)
    places = high * np.arange(np.floor(along[0] / high), np.ceil(along[1] / high) + 1)
    total = error = 0.0
    for some in _chunks(rows, max(1, 200_000 // len(places))):
        logs, errors = zip(*(_ridge(each, some[:, None], places, scale) for each in parts), strict=True)
        found, off = _summed(np.array(logs), np.array(errors), wide * high)
        total, error = total + found, error + off
    tail = 0.0
    for each in parts:
        spread = hypot(each.inner, sqrt(2) * scale)
        # ∫√g <= √(2πτ) for every density g of variance τ² or less (Cauchy and Schwarz); no density here is above .41.
        record = _past(each.deviation, 0.0, wide) * (sqrt(2 * pi * spread) + 0.64 * high)
        answer = _past(each.outer, scale, high) * (sqrt(2 * pi * each.deviation) + 0.64 * wide)
        tail += sqrt(exp(each.log_weight)) * (record + answer)
    return _enclosed(total, error + _rules(parts, scale, wide, high), tail, 0.0)


def _rules(parts: Sequence[Joint], scale: float, wide: float, high: float) -> float:
    """Bounds the rule's own error in the plane, by its steps for the record and for the answer."""
    own = [_surprise(each.deviation, 0.0) for each in parts]
    theirs = [_surprise(each.inner, scale) for each in parts]
    said = [(one[0] + other[0], one[1] + other[1]) for one, other in zip(own, theirs, strict=True)]
    weights = [each.log_weight for each in parts]
    along_record = _rule(weights, [each.given_answer for each in parts], said, wide)
    # ζ(m-1) <= ζ(3) < 1.21
    return 8 * 1.21 * max(along_record, _rule(weights, [each.inner for each in parts], said, high))


def _enclosed(found: float, error: float, tail: float, shift: float) -> Enclosure:
    error += 8 * UNIT * (abs(found) + abs(shift))
    # Because -F log F is at most (2/e)√F where F < 1.
    return Enclosure(found - error + shift, found + error + 2 / e * tail + shift)


def _ends(centres: Sequence[float], far: Sequence[float]) -> tuple[float, float]:
    pairs = list(zip(centres, far, strict=True))
    return min(middle - away for middle, away in pairs), max(middle + away for middle, away in pairs)


def _chunks(rows: Array, size: int) -> Iterator[Array]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _bump(part: _Bump, places: Array, scale: float) -> tuple[Array, Array]:
    """Returns logs of a component's share of the density at `places`, and bounds of their errors."""
    away = np.abs(places - part.centre)
    size = np.abs(places) + abs(part.centre)
    if scale:
        ratio = part.deviation / scale
        logs = log_density(away / scale, ratio) - log(scale) + part.log_weight
        errors = log_density_error(away / scale, ratio) + 8 * UNIT * size / scale + 8 * UNIT * (ratio**2 + ratio)
    else:
        turns = away / part.deviation
        logs = -np.square(turns) / 2 - log(part.deviation) - _ROOT + part.log_weight
        errors = 8 * UNIT * turns * (turns + size / part.deviation)
    return logs, errors + 16 * UNIT * (1 + np.abs(logs))


def _ridge(part: Joint, rows: Array, places: Array, scale: float) -> tuple[Array, Array]:
    """Returns the same in the plane (rows, places): of the record, times the answer's given it."""
    own, own_error = _bump(_Bump(part.log_weight, part.centre, part.deviation), rows, 0.0)
    moved = part.slope * (rows - part.centre)
    logs, errors = _bump(_Bump(0.0, part.middle, part.inner), places - moved, scale)
    # Because where the answer's mean is, is rounded too: its log moves by no more than this.
    steep = 1 / scale if scale else np.abs(places - moved - part.middle) / part.inner**2
    place = 8 * UNIT * (np.abs(moved) + np.abs(part.slope) * (np.abs(rows) + abs(part.centre)) + np.abs(places))
    return own + logs, own_error + errors + place * (steep + 1)


def _summed(logs: Array, errors: Array, cell: float) -> tuple[float, float]:
    """Returns the sum of -F log F over a lattice, F the sum over the first axis, and a bound of its rounding."""
    most = logs.max(axis=0)
    shares = np.exp(logs - most)
    whole = most + np.log(shares.sum(axis=0))
    density = np.exp(whole)
    # Because F's own error is the mean of its components' errors, by their shares.
    off = (shares * errors).sum(axis=0) / shares.sum(axis=0) + 16 * UNIT * (1 + np.abs(whole))
    found = float((density * -whole).sum()) * cell
    rounded = float((density * off * (1 + np.abs(whole))).sum()) * cell
    return found, rounded * (1 + 1e-9) + 64 * UNIT * abs(found)


def _past(deviation: float, scale: float, step: float) -> float:
    """Bounds the sum of √g over the lattice beyond its ends, times the step: g a component's density of mean 0."""
    if not scale:
        height = exp(-(_ROOT + log(deviation)) / 2 - _FAR**2 / 4)
        return 2 * height * (2 * deviation / _FAR + step)
    last, ratio = _FAR * deviation / scale + _SCALES, deviation / scale
    odds = exp(float(log_fall(last, ratio)))
    slope = (1 - odds) / (1 + odds) * (1 - 1e-9) / scale
    height = exp((float(log_density(last, ratio)) - log(scale)) / 2) * (1 + 1e-6)
    return 2 * height * (2 / slope + step)


def _surprise(deviation: float, scale: float) -> tuple[float, float]:
    """Bounds the mean of A^m · -log g by (a + b·m)·E A^m: g a density of that deviation, with Laplace noise."""
    if not scale:
        return _ROOT + log(deviation) + 1, 0.25
    ratio = deviation / scale
    return log(2 * scale) + 0.8 * ratio + 1 + 1.5 * ratio, 0.25 * ratio


def _rule(
    weights: Sequence[float], deviations: Sequence[float], said: Sequence[tuple[float, float]], step: float
) -> float:
    """Returns the least (h/2π)^m M over orders m, from above.

    Args:
        weights: The logs of the components' weights.
        deviations: Their deviations in the direction of the rule.
        said: What `_surprise` returns for each.
        step: The rule's step h.
    """
    found = inf
    for order in _ORDERS:
        moment = 2 ** (order / 2) * factorial(order // 2)
        most = sum(
            exp(weight) * moment / deviation**order * (_of_order(order) + 1 - weight + base + growth * order)
            for weight, deviation, (base, growth) in zip(weights, deviations, said, strict=True)
        )
        found = min(found, (step / (2 * pi)) ** order * most * (1 + 1e-9))
    return found


@cache
def _of_order(order: int) -> float:
    """Returns C_m."""
    return float(sum(factorial(j - 2) * _partitions(order, j) for j in range(2, order + 1)))


def _partitions(size: int, blocks: int) -> int:
    """Returns S(m, j): how many ways there are to part m things into j blocks."""
    found: int = sum((-1) ** k * comb(blocks, k) * (blocks - k) ** size for k in range(blocks + 1))
    return found // factorial(blocks)
