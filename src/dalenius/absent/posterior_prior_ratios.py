"""Closed forms of how far an output may move the belief about who is absent (Theory §6).

People whose absence gives the same answer are one class; a_k are the classes' answers, P_k their prior. With noise
e^{-|τ-a|/b} posterior over prior of everybody in class k at output τ is e^{-|τ-a_k|/b} / Σ_j P_j e^{-|τ-a_j|/b}.

* Its inverse is Σ_j P_j e^{(|τ-a_k| - |τ-a_j|)/b}, and all terms are least at τ = a_k. So the largest ratio is 1/M_k,
  M_k = Σ_j P_j e^{-|a_k-a_j|/b}, and the largest of all that of the least M_k.
* Left of a_k no term falls as τ goes left, and right of it no term falls as τ goes right. So the least ratio is at an
  outermost output. The least of all is e^{-Θ/b} / max(M_1, M_m): that of the class at one end, at the other end's
  answer.
* The posterior of person i in class k is largest at a_k too: the odds are p_i / (M_k - p_i).

Geometric noise has the same extremes, on a lattice that the answers lie on. With Θ/b at most 1 everything is computed
as 1 - M, so that small numbers keep their digits. For any prior one of the two ends is Θ/2 or more away from everybody
on average.

Take three people, all alike, without whom the answer is 0, 1 or 2, and noise of scale 1. An output of 0 or less doubles
the chance of the first (.691 nats up, to .665); there the chance of the last falls most (1.309 nats down).

>>> from dalenius.absent.prior_on_absent_person import uniform_prior
>>> alike, answers = uniform_prior(np.array([1, 1, 1])), np.array([0.0, 1.0, 2.0])
>>> [round(read(alike, answers, 1.0).value.upper, 4) for read in (largest_raise, largest_lowering)]
[0.691, 1.309]
"""

from dataclasses import dataclass
from math import exp, expm1, inf, log, log1p
from typing import Final, final

import numpy as np

from dalenius.absent.prior_on_absent_person import Prior
from dalenius.absent.streams import Arriving, Fading, Lost, blur
from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure, around

_FAINTEST: Final = 1e-290
"""Sums below it are not told from 0: noise is then so little that an answer is seen hundreds of scales away."""


@final
@dataclass(frozen=True)
class LargestMove:
    """A largest change of belief.

    Attributes:
        value: How large it is, in nats.
        whose: The class of the people it is about, from 0.
        output_class: The class whose answer is the output, from 0.
    """

    value: Enclosure
    whose: int
    output_class: int


def largest_raise(prior: Prior, offsets: Array, scale: float) -> LargestMove:
    """Returns the largest ln(posterior/prior) of any person, in nats.

    Args:
        prior: The prior on who is absent.
        offsets: The classes' answers (m,), ascending and distinct, in the query's unit.
        scale: b, the noise scale in the query's unit; 0 for no noise.
    """
    if len(offsets) == 1:  # a count of everybody: the answer does not depend on who is absent
        return LargestMove(Enclosure(0.0, 0.0), 0, 0)
    return _largest(*raises(prior, offsets, scale))


def raises(prior: Prior, offsets: Array, scale: float) -> tuple[Array, Array]:
    """Returns the largest ln(posterior/prior) of each class, from below and from above, each (m,), in nats.

    Args:
        prior: The prior on who is absent.
        offsets: The answers (m,) of two or more classes, ascending and distinct, in the query's unit.
        scale: b, the noise scale in the query's unit; 0 for no noise.
    """
    arriving = Arriving(offsets, scale)
    # Much noise, as promises of a few per cent need, brings the sums near 1; their complements keep their digits.
    if arriving.span <= 1:
        lost, error = prior.mixtures(fading := Lost(offsets, scale))
        value = -np.log1p(-lost / prior.total)
        doubt = 3 * value * (fading.error + error + 4 * UNIT)
        return value - doubt, value + doubt
    mixture, error = prior.mixtures(arriving)
    low, high = _sums(mixture, error, arriving)
    with np.errstate(divide="ignore"):
        lower, upper = (log(prior.total) - np.log(each) for each in (high, low))
    # M_k is at least e^-span, and at least anybody's prior in class k.
    most = min(_widest(arriving), _rarest(prior)) * (1 + 16 * UNIT) + prior.error
    return lower * (1 - 4 * UNIT), np.minimum(upper * (1 + 4 * UNIT), most)


def largest_lowering(prior: Prior, offsets: Array, scale: float) -> LargestMove:
    """Returns the largest ln(prior/posterior) of any person, in nats.

    Args:
        prior: The prior on who is absent.
        offsets: The classes' answers (m,), ascending and distinct, in the query's unit.
        scale: b, the noise scale in the query's unit; 0 for no noise.
    """
    last = len(offsets) - 1
    if last == 0:
        return LargestMove(Enclosure(0.0, 0.0), 0, 0)
    if scale == 0:  # the exact answer rules out all whose absence gives another
        return LargestMove(Enclosure(inf, inf), last, 0)
    from_first, from_last, doubt = lowerings(prior, offsets, scale)
    whose, place = (last, 0) if from_first >= from_last - 2 * doubt else (0, last)
    return LargestMove(around(max(from_first, from_last), doubt).clipped(0.0), whose, place)


def lowerings(prior: Prior, offsets: Array, scale: float) -> tuple[float, float, float]:
    """Returns the largest ln(prior/posterior) at the two outermost answers, in nats, and how far either may be off.

    At the first answer it is that of the last class, at the last answer that of the first. A class that is nearer to
    that answer is lowered by as much less as it is nearer, in units of the scale.

    Args:
        prior: The prior on who is absent.
        offsets: The classes' answers (m,), ascending and distinct, in the query's unit.
        scale: b, the noise scale in the query's unit, above 0.
    """
    away = offsets - offsets[0]
    from_first = _lowered_at_end(prior.nearest(True), prior.total, away, scale)
    from_last = _lowered_at_end(prior.nearest(False), prior.total, away[-1] - away, scale)
    span = float(away[-1]) / scale
    value = max(from_first, from_last)
    error = (128 + len(offsets).bit_length()) * UNIT + prior.error
    if span > 1:  # far ends of a wide table may underflow, next to nothing of the sum
        # The most that a few sums and products lose to underflow.
        error += exp(min(log((2.0**-1072) * len(offsets)) + span - value, 660.0))
    return from_first, from_last, error * (value if span <= 1 else 1.0) + 32 * UNIT * span * blur(offsets)


def _lowered_at_end(masses: Array, total: float, away: Array, scale: float) -> float:
    """Returns ln Σ_j P_j e^{(Θ - away_j)/b}: ln(prior/posterior), at an outermost answer, of the class Θ away."""
    span = float(np.max(away)) / scale
    if span <= 1:
        return log1p(float(np.sum(masses * np.expm1(span - away / scale))) / total)
    with np.errstate(over="ignore"):
        return span + log(float(np.sum(masses * np.exp(-away / scale))) / total)


def largest_suspicion(prior: Prior, offsets: Array, scale: float) -> LargestMove:
    """Returns the largest -ln(1 - posterior of one person), in nats.

    Args:
        prior: The prior on who is absent.
        offsets: The classes' answers (m,), ascending and distinct, in the query's unit.
        scale: b, the noise scale in the query's unit; 0 for no noise.
    """
    fading = Arriving(offsets, scale)
    likeliest, others, error = prior.others(fading)
    low, high = _sums(others, error + prior.error, fading)
    with np.errstate(divide="ignore", over="ignore"):
        lower, upper = (np.log1p(likeliest / each) for each in (high, low))
        # Because everybody else has a chance of at least 1 - greatest, and is at most the widest distance away.
        deepest = np.log(likeliest) - log(1 - prior.greatest) + _widest(fading)
        most = np.logaddexp(0.0, deepest + 8 * UNIT * np.abs(deepest)) * (1 + 16 * UNIT)
    if scale > 0 and fading.error > 1e-6:  # noise below the rounding of distances: next to none
        most = np.minimum(most, largest_suspicion(prior, offsets, 0.0).value.upper)
    return _largest(lower * (1 - 4 * UNIT), upper * (1 + 4 * UNIT), most)


def _sums(sums: Array, error: Array, fading: Fading) -> tuple[Array, Array]:
    """Returns bounds on kernel sums (m,), computed to the relative `error` beside the kernel's own.

    Without noise what is 0 is 0: nobody else gives that answer.
    """
    doubt = error + (fading.error if fading.scale > 0 else 0.0)
    faint = (sums < _FAINTEST) & ((sums > 0) | (fading.scale > 0))
    low = np.where(faint, 0.0, sums * np.maximum(1 - doubt, 0.0))
    return low, np.where(faint, _FAINTEST, sums) * (1 + doubt)


def _largest(lower: Array, upper: Array, most: float | Array = inf) -> LargestMove:
    """Returns the largest of the classes' enclosures (m,), each at most `most`, at the first that may attain it."""
    upper = np.maximum(np.minimum(upper, most), 0.0)
    least = float(np.max(np.clip(lower, 0.0, upper)))
    place = int(np.argmax(upper >= least))
    return LargestMove(Enclosure(least, float(np.max(upper))), place, place)


def _widest(fading: Fading) -> float:
    """Returns the span in units of the scale, rounded up."""
    return fading.span * (1 + 16 * UNIT * blur(fading.offsets))


def _rarest(prior: Prior) -> float:
    """Returns -ln of the least probability of anybody, rounded up."""
    # Bounds that begin at 0 give nobody a chance for certain. A fraction's two parts may be beyond doubles' range.
    return log(prior.least.denominator) - log(prior.least.numerator) + 4096 * UNIT if prior.least else inf


def posterior_of(nats: Enclosure) -> Enclosure:
    """Returns the probability p, given `nats`, an enclosure of -ln(1 - p)."""
    lower, upper = (1.0 if end == inf else -expm1(-end) for end in nats)
    return Enclosure(lower * (1 - 4 * UNIT), min(upper * (1 + 4 * UNIT), 1.0))
