"""Scales that add up one number for each record that a person's record depends on.

Noise for what each record reveals of each other one, pair by pair (DDP Eq 14 and Thm 9; unsound: errata E2).

The dependence coefficient's closed form (DDP Eq 18; unsound: errata E2, and E3 for what it does not mean).

Noise in proportion to how records are correlated (Zhu, Xiong, Li, Zhou 2015); for comparison only.

Noise that suffices for every joint law with the same pair laws (Theory §15).

The comonotone bound where no joint law is known: every channel is already bounded so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final, Literal, Protocol, final

import numpy as np

from dalenius.bounds import Enclosure, largest, near_to_digits
from dalenius.calibration.method import Calibration, Method, achieved, check, judged, scale_hiding
from dalenius.calibration.search import Curve, least_scale, least_scale_by_worst
from dalenius.channel import Release
from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import Array, IntArray
from dalenius.noise import Noise, NoNoise
from dalenius.noise.scaled import DIGITS
from dalenius.notions import Notion
from dalenius.ratios.pairs.comonotone import Bound, bound_of
from dalenius.ratios.pairs.law import PairwiseLaw
from dalenius.ratios.pairs.neighbourhood import Neighbour, Neighbourhood
from dalenius.ratios.pairs.pair_law import Pairs
from dalenius.ratios.pairs.pairs import all_pairs


class Influence(Protocol):
    """What X_i reveals of a noisy score, in nats; decreasing in the scale.

    laws (kinds, s, v): of the score given each value of X_i, over points (v,); low, high (kinds,): its range's ends.
    """

    def __call__(self, laws: Array, points: Array, low: Array, high: Array, scale: float) -> Array: ...


def dependent_scale(pairs: Sequence[Pairs], influence: Influence, own: float, epsilon: float) -> float:
    """σ = DS/ε with DS = max_i Σ_j ρ_ij ΔQ_j, ρ_ii = 1 and ρ_ij ΔQ_j/σ = influence: where DS/σ, which falls in σ, is ε.

    own: Δ, what the record that matters most adds by itself.
    """
    kinds = [(each, *_kinds(each)) for each in pairs if len(each.first)]

    def total(scale: float) -> float:
        # A bound met up to rounding counts as met: no promise rests on it.
        return max([own / scale, *(_largest_influence(*each, influence, scale) for each in kinds)]) * (1 - 1e-13)

    return least_scale(total, epsilon, own / epsilon)


def _largest_influence(pairs: Pairs, chosen: IntArray, kind: IntArray, influence: Influence, scale: float) -> float:
    """max over i of Δ_i/scale plus what X_i reveals of all others; chosen, kind: see `_kinds`."""
    each = influence(pairs.laws[chosen], pairs.points, pairs.low[chosen], pairs.high[chosen], scale)
    others = np.bincount(pairs.first, pairs.times * each[kind], minlength=len(pairs.move))
    return float(np.max(pairs.move / scale + others))


def _kinds(pairs: Pairs) -> tuple[IntArray, IntArray]:
    """A pair of every kind of law and range, and which kind each pair is of (pairs,)."""
    flat = pairs.laws.reshape(len(pairs.first), -1).round(13)
    rows = np.concatenate([flat, pairs.low[:, None], pairs.high[:, None]], axis=1)
    # As np.unique(rows, axis=0), which compares whole rows field by field and takes several times as long.
    order = np.lexsort(rows.T[::-1])
    begins = np.append(True, (rows[order][1:] != rows[order][:-1]).any(axis=1))
    kind = np.empty(len(rows), dtype=np.int64)
    kind[order] = np.cumsum(begins) - 1
    return order[begins].astype(np.int64), kind


@final
class DependenceCoefficientMethod(Method):
    """Scale DS/ε, DS = max_i Σ_j ρ_ij ΔQ_j, ρ_ii = 1, with the exact coefficient of every pair: ρ_ij ΔQ_j/σ is the
    worst log-ratio of the noisy score of j given two values of X_i, at the scale σ = DS/ε itself (a fixed point).

    Not sound in general: the joint law of the others matters, not that of each (E2). Sound where records are
    independent: then it is `independent`.
    """

    name: ClassVar[str] = "dependence_coefficient"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        check(release, notion)
        pairs = all_pairs(self.name, release)
        return by_coefficients(self.name, pairs, exact_coefficient, "", release, notion)


def by_coefficients(
    name: str, pairs: Sequence[Pairs], influence: Influence, also: str, release: Release, notion: Notion
) -> Calibration:
    """The fixed point of σ = DS/ε. also: appended to `why`."""
    epsilon = check(release, notion)
    own, (_, size) = release.sensitivity, release.group_sensitivity
    if not own:
        return judged(name, True, "the answer is constant", release, notion, NoNoise())
    if size == 1:
        why = "every record is independent of all others, and no coefficient is added" + also
        noise = release.noise.with_scale(scale_hiding(release, own, notion))
        return judged(name, True, why, release, notion, noise)
    noise = release.noise.with_scale(dependent_scale(pairs, influence, float(own), epsilon))
    why = f"the joint law of the others matters, not that of each alone (errata E2){also}"
    return judged(name, False, why, release, notion, noise)


def exact_coefficient(laws: Array, points: Array, low: Array, high: Array, scale: float) -> Array:
    """ρ_ij ΔQ_j/σ of DDP Eq 14: the supremum over outputs is at a point of the support (Result 3.1)."""
    if laws.size * len(points) > 5e7:
        shown = f"{len(laws)} pairs of records with {len(points)} scores"
        raise TooLarge("dependence coefficients", shown, "use coarser values, or the group method")
    with np.errstate(divide="ignore"):
        logs = np.log(laws)
    falls = -np.abs(points[:, None] - points) / scale
    noisy = np.stack([np.logaddexp.reduce(logs + row, axis=2) for row in falls], axis=2)
    return np.asarray((noisy.max(axis=1) - noisy.min(axis=1)).max(axis=1))


Reading = Literal["fixed", "far"]
"""What "d*_j, the optimal solution to argmax ‖d_j - d*_j‖" is: one end of the range, or the end far from each d_j."""


@final
@dataclass(frozen=True)
class ClosedCoefficientMethod(Method):
    """As `dependence_coefficient`, with ρ_ij ΔQ_j/σ = max_s log Σ_d Pr[D_j = d | X_i = s] e^{|d - d*|/σ}.

    reading: of d*. `fixed`: an end of D_j's range, the worse of the two; `far`: the end far from each d, which for bits
    is always 1 away, so that every coefficient is 1. Never below the exact coefficient, and above 0 even for a record
    that is independent of X_i (E3). Sound where records are independent: no coefficient is added then.
    """

    name: ClassVar[str] = "dependence_coefficient_closed"

    reading: Reading = "fixed"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion)
        pairs = all_pairs(self.name, release, every=True)
        own = float(release.sensitivity)
        also = ""
        if pairs and own:
            other: Reading = "far" if self.reading == "fixed" else "fixed"
            scale = dependent_scale(pairs, INFLUENCE[other], own, epsilon)
            also = f"; with d* read as {WORDS[other]}, the scale would be {scale:.6g} (errata E3)"
        return by_coefficients(self.name, pairs, INFLUENCE[self.reading], also, release, notion)


def fixed_end(laws: Array, points: Array, low: Array, high: Array, scale: float) -> Array:
    """ρ_ij ΔQ_j/σ with d* one end of the range, the worse of the two."""
    return np.maximum(*(_influence(laws, np.abs(points - end[:, None]) / scale) for end in (low, high)))


def far_end(laws: Array, points: Array, low: Array, high: Array, scale: float) -> Array:
    """ρ_ij ΔQ_j/σ with d* the end far from each d."""
    far = np.maximum(np.abs(points - low[:, None]), np.abs(points - high[:, None]))
    return _influence(laws, far / scale)


def _influence(laws: Array, exponents: Array) -> Array:
    """max over s of log of the mean of e^exponent; exponents (kinds, v)."""
    with np.errstate(divide="ignore"):
        logs = np.log(laws)
    return np.asarray(np.logaddexp.reduce(logs + exponents[:, None], axis=2).max(axis=1))


INFLUENCE: dict[Reading, Influence] = {"fixed": fixed_end, "far": far_end}
WORDS: dict[Reading, str] = {"fixed": "one end of the range", "far": "the end far from each value"}


@final
class CorrelatedSensitivityMethod(Method):
    """Scale max_i Σ_j |δ_ij| ΔQ_j / ε, δ_ii = 1.

    The paper leaves the degree of correlation δ_ij open; here it is Pearson's coefficient of the two records' scores.
    No guarantee: uncorrelated records may determine each other, and the joint law of the others matters.
    """

    name: ClassVar[str] = "correlated_sensitivity"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion)
        pairs = all_pairs(self.name, release)
        if any(np.isnan(each.prior).any() for each in pairs):
            raise InputError("model.prior", "missing", "the marginal of a record, which no law of a pair says")
        largest = max([float(release.sensitivity), *(_largest_sum(each) for each in pairs)])
        noise: Noise = release.noise.with_scale(near_to_digits(largest / epsilon, DIGITS)) if largest else NoNoise()
        why = "no theorem promises anything (δ: Pearson correlation of the records' scores)"
        return achieved(self.name, False, why, release, notion, noise)


def _largest_sum(pairs: Pairs) -> float:
    others = np.bincount(
        pairs.first, pairs.times * correlations(pairs) * (pairs.high - pairs.low), minlength=len(pairs.move)
    )
    return float(np.max(pairs.move + others))


def correlations(pairs: Pairs) -> Array:
    """|δ_ij| of every pair (pairs,); 0 where a score is constant."""
    prior, own = pairs.prior[pairs.first], pairs.scores[pairs.first]
    centred = own - (prior * own).sum(axis=1, keepdims=True)
    given = pairs.laws @ pairs.points
    law = (prior[:, :, None] * pairs.laws).sum(axis=1)
    mean = law @ pairs.points
    covariance = (prior * centred * (given - mean[:, None])).sum(axis=1)
    # Deviations one by one: the product of two variances may be below the range of doubles.
    theirs = np.sqrt((law * (pairs.points - mean[:, None]) ** 2).sum(axis=1))
    spread = theirs * np.sqrt((prior * centred**2).sum(axis=1))
    return np.asarray(np.minimum(np.abs(covariance) / np.where(spread > 0, spread, np.inf), 1.0))


NOTHING: Final = Enclosure(0.0, 0.0)


def least_for_pairs(release: Release, epsilon: float, start: float) -> float:
    """The least scale at which no log-ratio of likelihoods exceeds epsilon, for all joint laws with the known pairs."""

    def leaked(scale: float) -> float:
        found = NOTHING
        for channel in release.with_noise(release.noise.with_scale(scale)).all_channels():
            found = largest(found, channel.ratio().value)
        return found.upper

    return least_scale(leaked, epsilon, start)


@final
class ComonotoneMethod(Method):
    """The least scale b at which log sup E_s[e^{-|y-S|/b}] - log inf E_s'[e^{-|y-S|/b}] <= ε for all y and any two
    values of a record, over all laws of the sum S of its own and its group's other scores that are below that of
    comonotone scores in convex order (Result 15.2): whatever the joint law with those pair laws, S has such a law.

    Sound wherever groups are independent of each other, of the vector of all outside them (E1). Where each record of a
    group has two scores, equally far apart, no less noise serves all joint laws with those pairs (Result 15.3). Never
    more than `group`.
    """

    name: ClassVar[str] = "comonotone"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion)
        own, (group, size) = release.sensitivity, release.group_sensitivity
        if not own:
            return judged(self.name, True, "the answer is constant", release, notion, NoNoise())
        why = (
            f"each record is independent of the vector of all outside its group of at most {size}, and no joint law "
            "with the same pair laws leaks more"
        )
        scale = most = scale_hiding(release, group, notion)
        if size > 1 and PairwiseLaw.nature in release.natures:
            scale = min(most, least_for_pairs(release, epsilon, most))
        elif size > 1:
            least = scale_hiding(release, own, notion)
            curves = list(_curves(all_pairs(self.name, release, every=True)))
            found = least_scale_by_worst(partial(_worst, curves), epsilon, most) if curves else least
            scale = min(most, max(least, found))
        return judged(self.name, True, why, release, notion, release.noise.with_scale(scale))


def _worst(curves: list[Curve], scale: float) -> tuple[float, Curve]:
    found = [curve(scale) for curve in curves]
    worst = int(np.argmax(found))
    return found[worst], curves[worst]


def _curves(types: list[Pairs]) -> Iterator[Curve]:
    """What leaks by the scale: one for each record, those of equal laws taken once."""
    seen = set()
    for pairs in types:
        ends = np.searchsorted(pairs.first, np.arange(len(pairs.move) + 1))
        for record, (begin, end) in enumerate(pairwise(ends)):
            own, times, laws = pairs.scores[record], pairs.times[begin:end], pairs.laws[begin:end]
            alike = own.tobytes(), times.tobytes(), laws.tobytes()
            if alike not in seen:
                seen.add(alike)
                near = [Neighbour(int(many), pairs.points, law) for many, law in zip(times, laws, strict=True)]
                # Values count however rare they are; a padded one is the first.
                bound = bound_of(Neighbourhood(own, np.full(len(own), 1 / len(own)), tuple(near)))
                if bound is not None:
                    yield partial(_leaked, bound)


def _leaked(bound: Bound, scale: float) -> float:
    return bound.at(scale).upper
