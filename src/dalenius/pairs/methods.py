"""Methods that choose noise from what each record says of each other one, pair by pair.

One is the published coefficient, which adds up one number for each record that a person's record depends on (DDP Eq 14
and Thm 9; unsound: errata E2). The other is the comonotone bound, which suffices for every joint law with the same pair
laws (Theory §15).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import ClassVar, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import ZERO, largest
from dalenius.calibration.method_base import Calibration, Method, check, judged, scale_hiding
from dalenius.calibration.scale_search import Curve, least_scale, least_scale_by_worst
from dalenius.channel import Release
from dalenius.errors import TooLarge
from dalenius.noise import NoNoise
from dalenius.notions import Notion
from dalenius.pairs.comonotone_sum_bound import ComonotoneBound, comonotone_bound_of
from dalenius.pairs.law_of_two_records import PairsOfRecords
from dalenius.pairs.limits import MOST_COEFFICIENT_TERMS
from dalenius.pairs.neighbourhood_score_sums import Neighbour, Neighbourhood
from dalenius.pairs.other_record_score_laws import all_pairs
from dalenius.pairs.pairwise_belief import PairwiseLaw
from dalenius.pairs.pairwise_channel import Vectors
from dalenius.pairs.vector_answers import dependent_nats, vectors_of


def _dependent_scale(pairs: Sequence[PairsOfRecords], own: float, epsilon: float) -> float:
    """Returns σ = DS/ε with DS = max_i Σ_j ρ_ij ΔQ_j, ρ_ii = 1: where DS/σ, which falls in σ, is ε.

    own: Δ, what the record that matters most adds by itself.
    """
    kinds = [(each, *_kinds(each)) for each in pairs if len(each.first)]

    def total(scale: float) -> float:
        # The scale alone hides what the record itself adds; what others reveal is added up pair by pair. A bound that
        # is met up to rounding counts as met, as no promise rests on it.
        return max([own / scale, *(_largest_influence(*each, scale) for each in kinds)]) * (1 - 1e-13)

    return least_scale(total, epsilon, own / epsilon)


def _largest_influence(pairs: PairsOfRecords, chosen: IntArray, kind: IntArray, scale: float) -> float:
    """Returns the maximum over i of Δ_i/scale plus what X_i reveals of all others; chosen, kind: see `_kinds`."""
    each = exact_coefficient(pairs.laws[chosen], pairs.points, scale)
    others = np.bincount(pairs.first, pairs.times * each[kind], minlength=len(pairs.move))
    return float(np.max(pairs.move / scale + others))


def _kinds(pairs: PairsOfRecords) -> tuple[IntArray, IntArray]:
    """Returns a pair of every kind of law, and which kind each pair is of (pairs,).

    Laws that differ after the thirteenth decimal are one kind.
    """
    rows = pairs.laws.reshape(len(pairs.first), -1).round(13)
    # Because np.unique(rows, axis=0) compares whole rows field by field and takes several times as long.
    order = np.lexsort(rows.T[::-1])
    begins = np.append(True, (rows[order][1:] != rows[order][:-1]).any(axis=1))
    kind = np.empty(len(rows), dtype=np.int64)
    kind[order] = np.cumsum(begins) - 1
    return order[begins].astype(np.int64), kind


@final
class DependenceCoefficientMethod(Method):
    """The scale DS/ε, DS = max_i Σ_j ρ_ij ΔQ_j, ρ_ii = 1, with the exact coefficient of every pair.

    ρ_ij ΔQ_j/σ is the worst log-ratio of the noisy score of j given two values of X_i, at the scale σ = DS/ε itself (a
    fixed point). It is not sound in general: the joint law of the others matters, not that of each (E2). It is sound
    where records are independent: then it is `independent`.
    """

    name: ClassVar[str] = "dependence_coefficient"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Returns the noise for `release` that the coefficients ask for under `notion`.

        It is never claimed to be sound where records depend. InputError for answers that are no sums.
        """
        epsilon = check(release, notion)
        several = vectors_of(self.name, release) if release.lattice.axes > 1 else None
        pairs = all_pairs(self.name, release) if several is None else []
        own, (_, size) = release.sensitivity, release.worlds.group_sensitivity
        if not own:
            return judged(self.name, True, "the answer is constant", release, notion, NoNoise())
        # Without a group of two there is no pair, and the coefficient of a record with itself is 1.
        if size == 1:
            why = "every record is independent of all others, and no coefficient is added"
            noise = release.noise.with_scale(scale_hiding(release, own, notion))
            return judged(self.name, True, why, release, notion, noise)
        least = float(own) / epsilon
        if several is None:
            scale = _dependent_scale(pairs, float(own), epsilon)
        else:
            scale = least_scale(partial(_largest_of, dependent_nats, several, float(own)), epsilon, least)
        noise = release.noise.with_scale(scale)
        why = "the joint law of the others matters, not the law of each alone (errata E2)"
        return judged(self.name, False, why, release, notion, noise)


def exact_coefficient(laws: Array, points: Array, scale: float) -> Array:
    """Returns ρ_ij ΔQ_j/σ of DDP Eq 14 (kinds,): what X_i reveals of a noisy score, in nats.

    The supremum over outputs is at a point of the support (Result 3.1).

    Args:
        laws: The law of the score given each value of X_i (kinds, s, v).
        points: The scores (v,), in the query's unit.
        scale: σ, the noise scale in that unit.

    Raises:
        TooLarge: If there are more numbers than memory holds.

    >>> one, points = np.array([[[0.9, 0.1], [0.2, 0.8]]]), np.array([0.0, 1.0])
    >>> exact_coefficient(one, points, 1.0).round(5).tolist()
    [0.70627]
    """
    if laws.size * len(points) > MOST_COEFFICIENT_TERMS:
        shown = f"{len(laws)} pairs of records with {len(points)} scores"
        instead = "use coarser values, or the group method"
        raise TooLarge("dependence coefficients", shown, instead, MOST_COEFFICIENT_TERMS)
    with np.errstate(divide="ignore"):
        logs = np.log(laws)
    falls = -np.abs(points[:, None] - points) / scale
    noisy = np.stack([np.logaddexp.reduce(logs + row, axis=2) for row in falls], axis=2)
    return np.asarray((noisy.max(axis=1) - noisy.min(axis=1)).max(axis=1))


def _least_for_pairs(release: Release, epsilon: float, start: float) -> float:
    """Returns the least scale, in the query's unit, that keeps epsilon for all joint laws with the known pairs.

    Model pairwise bounds its own channels.
    """

    def leaked(scale: float) -> float:
        found = ZERO
        for channel in release.with_noise(release.noise.with_scale(scale)).all_channels():
            found = largest(found, channel.ratio().value)
        return found.upper

    return least_scale(leaked, epsilon, start)


@final
class ComonotoneMethod(Method):
    """The least scale that keeps ε whatever the joint law with those pair laws is (Result 15.2).

    It is the least b at which log sup E_s[e^{-|y-S|/b}] - log inf E_s'[e^{-|y-S|/b}] <= ε for all y and any two values
    of a record. The laws of the sum S of its own and its group's other scores are all those below that of comonotone
    scores in convex order: whatever the joint law, S has such a law.

    It is sound wherever each group is independent of the vector of all outside it (E1). Where each record of a group
    has two scores, equally far apart, no less noise serves all joint laws with those pairs (Result 15.3). It is never
    more than `group`.
    """

    name: ClassVar[str] = "comonotone"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Returns the noise for `release` under `notion`; InputError for answers that are no sums."""
        epsilon = check(release, notion)
        own, (group, size) = release.sensitivity, release.worlds.group_sensitivity
        if not own:
            return judged(self.name, True, "the answer is constant", release, notion, NoNoise())
        why = (
            f"each record is independent of the vector of all records outside its group of at most {size}, and no "
            "joint law with the same pair laws leaks more"
        )
        scale = most = scale_hiding(release, group, notion)
        # Model pairwise's own channel is the bound, with all that it knows of further records.
        if size > 1 and PairwiseLaw.nature in release.worlds.natures:
            scale = min(most, _least_for_pairs(release, epsilon, most))
        # Several answers have no sum: what holds for any mechanism with such distances.
        elif size > 1 and release.lattice.axes > 1:
            several = partial(_largest_of, _bounded, vectors_of(self.name, release), float(own))
            scale = min(most, least_scale(several, epsilon, most))
        # The laws of pairs are read from a model's joint law.
        elif size > 1:
            least = scale_hiding(release, own, notion)
            curves = list(_curves(all_pairs(self.name, release, every=True)))
            # There is no curve if no record has two possible values in any group of two.
            found = least_scale_by_worst(partial(_worst, curves), epsilon, most) if curves else least
            scale = min(most, max(least, found))
        return judged(self.name, True, why, release, notion, release.noise.with_scale(scale))


def _largest_of(each: Callable[[Vectors, float], float], around: list[Vectors], own: float, scale: float) -> float:
    """Returns the largest of all people's at a scale; own: how far one record alone moves the answers."""
    # A bound met up to rounding counts as met by coefficients, on which no promise rests.
    slack = 1 - 1e-13 if each is dependent_nats else 1 + 1e-15
    return max([own / scale, *(each(one, scale) for one in around)]) * slack


def _bounded(around: Vectors, scale: float) -> float:
    return around.bound(scale, 0.0)


def _worst(curves: list[Curve], scale: float) -> tuple[float, Curve]:
    """Returns the largest of the curves at a scale, and which it is: the search asks that one next."""
    found = [curve(scale) for curve in curves]
    worst = int(np.argmax(found))
    return found[worst], curves[worst]


def _curves(types: list[PairsOfRecords]) -> Iterator[Curve]:
    """Yields what leaks by the scale: one curve for each record, those of equal laws taken once."""
    known = set()
    for pairs in types:
        ends = np.searchsorted(pairs.first, np.arange(len(pairs.move) + 1))
        for record, (begin, end) in enumerate(pairwise(ends)):
            own, times, laws = pairs.scores[record], pairs.times[begin:end], pairs.laws[begin:end]
            alike = own.tobytes(), times.tobytes(), laws.tobytes()
            # Because one curve is enough for 10^5 people of one kind of neighbourhood.
            if alike not in known:
                known.add(alike)
                near = [Neighbour(int(many), pairs.points, law) for many, law in zip(times, laws, strict=True)]
                # Because values count however rare they are; a padded one is the first.
                bound = comonotone_bound_of(Neighbourhood(own, np.full(len(own), 1 / len(own)), tuple(near)))
                if bound is not None:
                    yield partial(_leaked, bound)


def _leaked(bound: ComonotoneBound, scale: float) -> float:
    return bound.at(scale).upper
