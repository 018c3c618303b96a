"""How far an output may move the belief about who is absent (Theory §6).

People whose absence gives the same answer are one class; a_k are the classes' answers, P_k their prior. With noise
e^{-|τ-a|/b} posterior over prior of everybody in class k at output τ is e^{-|τ-a_k|/b} / Σ_j P_j e^{-|τ-a_j|/b}.

* Its inverse is Σ_j P_j e^{(|τ-a_k| - |τ-a_j|)/b}, and all terms are least at τ = a_k. So the largest ratio is 1/M_k,
  M_k = Σ_j P_j e^{-|a_k-a_j|/b}, and the largest of all that of the least M_k.
* Left of a_k no term falls as τ goes left, nor right of it as τ goes right: the least ratio is that of an outermost
  output, and the least of all e^{-Θ/b} / max(M_1, M_m): the class at one end, at the other's answer.
* The posterior of person i in class k is largest at a_k too: the odds are p_i / (M_k - p_i).

The same holds of geometric noise on a lattice that the answers lie on. With Θ/b at most 1 everything is computed as
1 - M, so that it keeps its digits however small it is: for any prior one of the two ends is Θ/2 or more away from
everybody on average.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, expm1, inf, log, log1p
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.absent.exponential_sums import Arriving, Fading, Lost, blur
from dalenius.absent.prior import Prior
from dalenius.bounds import UNIT, Enclosure, around, largest
from dalenius.laws.law import Array

_FAINTEST: Final = 1e-290
_SUBNORMAL: Final = 2.0**-1072
"""The most that a few sums and products lose to underflow."""
_DEEPEST: Final = 660.0
"""Nats: e^-660 is still a normal double, with room to spare."""

Curve: TypeAlias = Callable[[float], float]
"""Nats by scale."""


@final
@dataclass(frozen=True)
class Moved:
    """A largest change of belief, in nats: about the people of class `whose`, at the answer of class `seen`."""

    value: Enclosure
    whose: int
    seen: int


def raised(prior: Prior, offsets: Array, scale: float) -> Moved:
    """The largest ln(posterior/prior). scale: b, 0 for no noise."""
    arriving = Arriving(offsets, scale)
    if len(offsets) == 1:
        return Moved(Enclosure(0.0, 0.0), 0, 0)
    if arriving.span > 1:
        mixture, error = prior.mixtures(arriving)
        place = int(np.argmin(mixture))
        # M_k is at least e^-span, and at least anybody's prior in class k.
        most = min(_widest(arriving), _rarest(prior)) * (1 + 16 * UNIT) + prior.error
        if mixture[place] < _FAINTEST and (scale > 0 or mixture[place] == 0):
            first = int(np.argmax(mixture < _FAINTEST))
            return Moved(Enclosure(min(_DEEPEST, most), most), first, first)
        value = log(prior.total) - log(mixture[place])
        doubt = error[place] + 4 * UNIT * value + _SUBNORMAL / mixture[place]
        found = around(value, doubt + (arriving.error if scale > 0 else 0.0)).clipped(0.0)
        first = _first_least(mixture, arriving.error + error)
        return Moved(Enclosure(found.lower, max(found.lower, min(found.upper, most))), first, first)
    lost, error = prior.mixtures(fading := Lost(offsets, scale))
    place = int(np.argmax(lost))
    value = -log1p(-lost[place] / prior.total)
    with np.errstate(divide="ignore", over="ignore"):
        first = _first_least(1 / lost, fading.error + error)
    return Moved(around(value, 3 * value * (fading.error + error[place] + 4 * UNIT)).clipped(0.0), first, first)


def lowered(prior: Prior, offsets: Array, scale: float) -> Moved:
    """The largest ln(prior/posterior)."""
    last = len(offsets) - 1
    if last == 0:
        return Moved(Enclosure(0.0, 0.0), 0, 0)
    if scale == 0:
        return Moved(Enclosure(inf, inf), last, 0)
    away = offsets - offsets[0]
    from_first = _seen_from(prior.nearest(True), prior.total, away, scale)
    from_last = _seen_from(prior.nearest(False), prior.total, away[-1] - away, scale)
    span = float(away[-1]) / scale
    value = max(from_first, from_last)
    error = (128 + len(offsets).bit_length()) * UNIT + prior.error
    if span > 1:
        error += exp(min(log(_SUBNORMAL * len(offsets)) + span - value, _DEEPEST))
    doubt = error * (value if span <= 1 else 1.0) + 32 * UNIT * span * blur(offsets)
    bound = around(value, doubt)
    whose, seen = (last, 0) if from_first >= from_last - 2 * doubt else (0, last)
    return Moved(bound.clipped(0.0), whose, seen)


def _seen_from(masses: Array, total: float, away: Array, scale: float) -> float:
    """ln Σ_j P_j e^{(Θ - away_j)/b}: ln(prior/posterior), at an outermost answer, of the class Θ away."""
    span = float(np.max(away)) / scale
    if span <= 1:
        return log1p(float(np.sum(masses * np.expm1(span - away / scale))) / total)
    with np.errstate(over="ignore"):
        return span + log(float(np.sum(masses * np.exp(-away / scale))) / total)


def suspected(prior: Prior, offsets: Array, scale: float) -> Moved:
    """The largest -ln(1 - posterior of one person)."""
    fading: Fading = Arriving(offsets, scale)
    # A mass of which a part lost within one scale is still a double with all its digits.
    if 0 < fading.span <= 1 and np.min(prior.besides) >= 1e-280:
        return _suspected_nearby(prior, Lost(offsets, scale))
    likeliest, others, error = prior.others(fading)
    faint = others < _FAINTEST if scale > 0 else np.zeros(len(others), dtype=bool)
    if not np.any(faint):
        return _suspected_there(prior, fading, likeliest, others, error)
    deep = _suspected_deeply(prior, _widest(fading), np.where(faint, likeliest, 0.0))
    if np.all(faint):
        return deep
    there = _suspected_there(prior, fading, likeliest, np.where(faint, inf, others), error)
    worst = deep if deep.value.upper >= there.value.upper else there
    return Moved(largest(deep.value, there.value), worst.whose, worst.seen)


def _suspected_there(prior: Prior, fading: Fading, likeliest: Array, others: Array, error: Array) -> Moved:
    """Over classes where everybody else's kernel sum is a normal double, or without noise, where nothing underflows."""
    with np.errstate(over="ignore"):
        share = others / likeliest
    place = int(np.argmin(share))
    if share[place] < _FAINTEST:
        with np.errstate(divide="ignore"):
            place = int(np.argmin(np.log(others) - np.log(likeliest)))
    if others[place] == 0:
        return Moved(Enclosure(inf, inf), place, place)
    own, rest = float(likeliest[place]), float(others[place])
    value = log1p(own / rest) if rest > _FAINTEST else log(own) - log(rest)
    doubt = fading.error + error[place] + prior.error + 8 * UNIT + _SUBNORMAL / rest
    found = around(value, value * doubt).clipped(0.0)
    # A relative error beyond which coarser bounds are evaluated too.
    most = _most_suspected(prior, fading) if doubt > 1e-6 else inf
    first = _first_least(share, fading.error + error + prior.error + 8 * UNIT)
    return Moved(Enclosure(found.lower, max(found.lower, min(found.upper, most))), first, first)


def _suspected_deeply(prior: Prior, span: float, likeliest: Array) -> Moved:
    """Over classes where everybody else's kernel sum is below FAINTEST; likeliest (m,): 0 for the remaining classes.
    The kernel is between e^-span and 1."""
    there = likeliest > 0
    with np.errstate(divide="ignore"):
        own, besides = np.log(likeliest), np.where(there, np.log(prior.besides) - log(prior.total), inf)
        least = np.where(there, np.maximum(_DEEPEST + own, own - log(prior.total) - besides), -inf)
    most = (span - besides) * (1 + 16 * UNIT)
    place = int(np.argmax(most))
    return Moved(Enclosure(max(0.0, float(np.max(least)) * (1 - 16 * UNIT)), float(most[place])), place, place)


def _first_least(values: Array, doubt: Array) -> int:
    """The first place whose value, computed to this relative error, may be the least."""
    best = int(np.argmin(values))
    if values[best] < _FAINTEST:
        return best
    with np.errstate(over="ignore", invalid="ignore"):
        return int(np.argmax(values * (1 - doubt) <= values[best] * (1 + doubt[best])))


def _most_suspected(prior: Prior, fading: Fading) -> float:
    """An upper bound where the noise's scale is far below the rounding of distances: the value without noise, or that
    with everybody else at the largest distance."""
    likeliest, rest, error = prior.others(Arriving(fading.offsets, 0.0))
    with np.errstate(divide="ignore"):
        own, others = np.log(likeliest), np.log(rest)
        rounded = 4 * UNIT * (np.abs(own) + np.abs(others)) + _SUBNORMAL / rest
        bare = np.logaddexp(0.0, own - others) + error + prior.error + rounded
        deepest = _widest(fading) - float(np.min(np.log(prior.besides))) + log(prior.total)
    return min(float(np.max(bare)), deepest) * (1 + 16 * UNIT)


def _widest(fading: Fading) -> float:
    """The span, rounded up."""
    return fading.span * (1 + 16 * UNIT * blur(fading.offsets))


def _rarest(prior: Prior) -> float:
    """-ln of the least probability of anybody, rounded up."""
    if prior.least == 0:
        return inf
    raised = prior.least * 2**1000  # a double keeps its digits there
    return 1000 * log(2) - log(raised) + 4096 * UNIT


def _suspected_nearby(prior: Prior, fading: Lost) -> Moved:
    """The same from the complement of everybody else's kernel sum: precise for a ρ just above somebody's prior."""
    likeliest, lost, error = prior.others(fading)
    others = prior.besides - lost
    with np.errstate(over="ignore"):
        share = others / likeliest
    place = int(np.argmin(share))
    # A distance is off by roundings of the widest, which is at most b, however little mass is that far away.
    doubt = 64 * UNIT * blur(fading.offsets) * prior.besides[place] + (fading.error + error[place]) * lost[place]
    value = log1p(likeliest[place] / others[place])
    first = _first_least(share, 8 * UNIT + 1.01 * doubt / others)
    return Moved(around(value, value * (8 * UNIT + 1.01 * doubt / others[place])).clipped(0.0), first, first)


def raised_curve(prior: Prior, offsets: Array, place: int) -> Curve:
    """The largest ln(posterior/prior) of one class, to rounding; it falls in the scale."""
    masses, away = prior.furthest(place), np.abs(offsets - offsets[place])
    span, total = float(offsets[-1] - offsets[0]), float(masses.sum())

    def value(scale: float) -> float:
        if span <= scale:
            return -log1p(float(np.sum(masses * np.expm1(away / -scale))) / total)
        return -log(max(float(np.sum(masses * np.exp(away / -scale))) / total, _FAINTEST))

    return value


def lowered_curve(prior: Prior, offsets: Array, seen: int) -> Curve:
    """The largest ln(prior/posterior) at the first answer or the last one."""
    masses, away = prior.nearest(seen == 0), np.abs(offsets - offsets[seen])
    total = float(masses.sum())
    return lambda scale: _seen_from(masses, total, away, scale)


def suspected_curve(prior: Prior, offsets: Array, place: int) -> Curve:
    """The largest -ln(1 - posterior) of one person of a class."""
    own, others = prior.furthest_of_others(place)
    away, besides = np.abs(offsets - offsets[place]), float(prior.besides[place])
    span = float(offsets[-1] - offsets[0])

    def value(scale: float) -> float:
        if span <= scale:
            return log1p(own / (besides + float(np.sum(others * np.expm1(away / -scale)))))
        return log1p(own / max(float(np.sum(others * np.exp(away / -scale))), _FAINTEST))

    return value


def posterior_of(nats: Enclosure) -> Enclosure:
    """The probability p, from -ln(1 - p) in nats."""
    lower, upper = (1.0 if end == inf else -expm1(-end) for end in nats)
    return Enclosure(lower * (1 - 4 * UNIT), min(upper * (1 + 4 * UNIT), 1.0))
