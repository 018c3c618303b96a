"""Methods that need less noise than a whole group's under weak dependence (IDP Thm 4, IP Thm 2; Theory §5).

They read how far one record's value moves the law of all others: the worst total variation between the laws of *the
vector* of the others given two values of X_i (the η of IDP Thm 4 and IP Thm 2; Result 5.2).

Two people who are alike with probability .9 have η = .8. At ε = 1 a count needs scale 2 for the pair, 3.77 by the
theorem, and 1.793 by the influence curve.

>>> from dalenius.models import Table
>>> pair = Table(records=((0, 0), (0, 1), (1, 0), (1, 1)), probabilities=(0.45, 0.05, 0.05, 0.45))
>>> round(largest_variation(pair.joints()[0]), 6)
0.8

Records independent of X_i and its group add nothing: the law of all others is a product. So it is one group's number.
If counts suffice, the rest is uniform given the counts, whatever X_i is, and the variation is that of the counts. In a
chain the others are independent of X_i given its two neighbours. They are a randomised function of the neighbours that
does not depend on X_i, so their variation is at most that of the neighbours. The neighbours are a function of them, so
it is at least that.

The influence curve g(ε) is the most that any differentially private mechanism can leak on this model (Result 5.3). The
wing `conversion` computes it for a pure profile: by a program over one group's records (Result 13.2), along a chain by
a recursion (Result 20.23). Here it is read backwards: which ε′ of differential privacy keeps an ε about people who
depend on each other, and so how much noise. For twins g(ε) = 2ε: a promise of 1.4 nats leaves ε′ = .7.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, log
from typing import ClassVar, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, down_to_digits
from dalenius.calibration.method_base import Calibration, Method, check, judged, scale_hiding
from dalenius.calibration.scale_search import least_scale
from dalenius.channel import Release
from dalenius.conversion.bounds_for_large_groups import ManyRecords, long_records, worst_pure
from dalenius.conversion.chain_bound import pure_nats_of_row
from dalenius.conversion.conditional_law_of_others import Dependence, dependences
from dalenius.conversion.leaked_epsilon import pure_leakage
from dalenius.errors import InputError, TooLarge
from dalenius.joints import Joint
from dalenius.joints.factor import Factor, group_rows
from dalenius.joints.identical_groups import Exchangeable
from dalenius.joints.markov_chain_factor import MarkovChain
from dalenius.noise import NoNoise
from dalenius.noise.noise import SCALE_DIGITS
from dalenius.notions import Notion
from dalenius.theorems.limits import MOST_NEIGHBOUR_TERMS


@final
class WeakDependenceMethod(Method):
    """The scale kΔ/e, where e - b + ln 2 = ε, e(1 - 1/k) >= b and η <= e^{-b}.

    η is the worst total variation between the laws of all others given two values of X_i. The method is sound where
    groups of at most k records are independent of each other, as the model's are. That X_i is independent of *the
    vector* of all but k, as is enough for `group` (E1), is not enough here (E16). The largest b that both conditions
    allow is min(-ln η, (ε - ln 2)(k - 1)). The theorem cannot promise at most ln 2 nats: its bound is at least that,
    and the method does not apply.
    """

    name: ClassVar[str] = "weak_dependence"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion)
        # Because the theorem loses ln 2 on the way, it cannot promise an ε of ½, whatever the noise.
        if epsilon <= log(2):
            raise InputError("notion.epsilon", epsilon, "more than ln 2 = 0.693147, the least this theorem can promise")
        if not release.sensitivity:
            return judged(self.name, True, "the answer is constant", release, notion, NoNoise())
        k, eta = release.worlds.group_sensitivity[1], max(map(largest_variation, release.worlds.joints))
        b = min(-log(eta) if eta > 0 else inf, (epsilon - log(2)) * (k - 1))
        inner = down_to_digits((epsilon + b - log(2)) * (1 - 1e-14), SCALE_DIGITS)
        distance = k * release.sensitivity * Fraction(epsilon) / Fraction(inner)
        why = (
            f"groups of at most {k} are independent of each other, and a record moves the law of the others by at most "
            f"η = {eta:.4g} in total variation"
        )
        noise = release.noise.with_scale(scale_hiding(release, distance, notion))
        return judged(self.name, True, why, release, notion, noise)


def largest_variation(joint: Joint) -> float:
    """Returns η over everybody in `joint`, rounded up; 0 only where each record is independent of all others."""
    return min(max((_variation(factor) for factor in joint.factors() if factor.size > 1), default=0.0), 1.0)


def _variation(factor: Factor) -> float:
    """Returns η of one independent group: by neighbours in a chain, by counts where these suffice, else by rows."""
    match factor:
        case MarkovChain():
            found = [_of_neighbours(factor)]
        case Exchangeable(block=block) if block.counts_suffice:
            found = [_of_counts(block.counts, m.slots, m.log_given) for m in block.members if len(m.slots) > 1]
        case _:
            slots, logs = group_rows(factor)
            found = [_of_rows(slots, logs, position) for position in range(slots.shape[1])]
    return max(found, default=0.0)


def _of_counts(counts: IntArray, own: tuple[int, ...], log_given: Array) -> float:
    """Returns η of a member of an exchangeable group.

    counts (rows, slots); own: the slots of the member's values; log_given (values, rows): the counts' logs given each.
    """
    others, secrets, logs = [], [], []
    for secret, (slot, given) in enumerate(zip(own, log_given, strict=True)):
        rows = np.flatnonzero(given > -np.inf)
        left = counts[rows].copy()
        left[:, slot] -= 1
        others.append(left)
        secrets.append(np.full(len(rows), secret))
        logs.append(given[rows])
    return _worst_pair(np.concatenate(others), np.concatenate(secrets), np.concatenate(logs))


def _of_rows(slots: IntArray, logs: Array, position: int) -> float:
    """Returns η of the record at that position of a listed group: slots (rows, records), logs (rows,)."""
    _, secrets = np.unique(slots[:, position], return_inverse=True)
    return _worst_pair(np.delete(slots, position, axis=1), secrets.ravel(), logs)


def _worst_pair(others: IntArray, secrets: IntArray, logs: Array) -> float:
    """Returns η from rows; others (rows, ..): the rest in a row; secrets (rows,); logs (rows,): up to a factor."""
    kinds, kind = np.unique(others, axis=0, return_inverse=True)
    masses = np.zeros((int(secrets.max()) + 1, len(kinds)))
    for secret in range(len(masses)):
        own = secrets == secret
        np.add.at(masses[secret], kind.ravel()[own], np.exp(logs[own] - logs[own].max()))
    masses /= masses.sum(axis=1, keepdims=True)
    worst = max((float(np.abs(p - q).sum()) / 2 for i, p in enumerate(masses) for q in masses[:i]), default=0.0)
    return worst + (3 * len(logs) + 8 * float(np.max(np.abs(logs))) + 64) * UNIT if len(masses) > 1 else 0.0


def _of_neighbours(chain: MarkovChain) -> float:
    """Returns η of a chain, by the two neighbours of each record; TooLarge for many records of many values."""
    before, after, idle = _neighbours(chain)
    people, states = chain.possible.shape
    # There may be the places of a city as states, hour by hour.
    if people * float(states) ** 4 > MOST_NEIGHBOUR_TERMS:
        shown = f"{people} records of {states} values"
        raise TooLarge("the neighbours in a chain", shown, "use the group method", MOST_NEIGHBOUR_TERMS)
    worst = np.zeros(people)
    # So that the laws of two neighbours that are read together take a few megabytes.
    together = max(1, (1 << 20) // states**2)
    for first in range(0, people, together):
        own = slice(first, first + together)
        for s in range(states):
            for t in range(s):
                p, q = (before[own, each, :, None] * after[own, each, None, :] for each in (s, t))
                worst[own] = np.maximum(worst[own], np.abs(p - q).sum(axis=(1, 2)) / 2)
    rounding = (4 * people * (2 * states + 4) + 64) * UNIT
    return float(np.max(np.where(idle, 0.0, worst + rounding)))


def _neighbours(chain: MarkovChain) -> tuple[Array, Array, Array]:
    """Returns the laws of the records before and after given each value of a record, and which are independent of both.

    The laws are (n, k, k) each, the others (n,). At the ends a constant stands for the missing neighbour; a value of
    probability 0 has the laws of the likeliest.
    """
    possible, steps = chain.possible, chain.steps
    people, states = possible.shape
    likely = chain.log_marginals.argmax(axis=1)
    nobody = np.tile(np.eye(states)[0], (1, states, 1))
    # Because variations are absolute, what is below a double's range adds nothing to them.
    before = np.concatenate([nobody, chain.backward.doubles()])
    after = np.concatenate([steps.doubles(), nobody])
    for laws in (before, after):
        common = laws[np.arange(people), likely][:, None]
        np.copyto(laws, common, where=~possible[:, :, None])
    # If all rows that can occur are the same, what comes after is independent of what was before.
    common_row = steps[np.arange(people - 1), likely[:-1]][:, None]
    same = (steps.mantissa == common_row.mantissa) & (steps.exponent == common_row.exponent)
    independent = (same.all(axis=2) | ~possible[:-1]).all(axis=1)
    return before, after, np.append(True, independent) & np.append(independent, True)


@final
class InfluenceCurveMethod(Method):
    """The scale Δ/ε', ε' the largest with g(ε') <= ε.

    g(ε') is the most that ε'-differential privacy can leak inferentially on this model, by whatever mechanism. The
    method is always sound, and so is any composition: add up in differential privacy, and convert once with g (Result
    5.3, Theory §9).
    """

    name: ClassVar[str] = "influence_curve"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion, any_private=True)
        if not release.sensitivity:
            return judged(self.name, True, "the answer is constant", release, notion, NoNoise())
        allowed = differential_epsilon(release, epsilon)
        why = f"no {allowed:.6g}-differentially private mechanism leaks more than {epsilon:g} nats on this model"
        distance = release.sensitivity * Fraction(epsilon) / Fraction(allowed)
        noise = release.noise.with_scale(scale_hiding(release, distance, notion))
        return judged(self.name, True, why, release, notion, noise)


def influence_curve(release: Release, epsilon: float) -> float:
    """Returns g(ε): the most nats, from above, that ε-differential privacy may leak inferentially about anybody.

    Args:
        release: The release, whose model counts.
        epsilon: ε of differential privacy, in nats.

    Raises:
        TooLarge: If a group is neither short enough to list nor a chain, or a chance along a chain is below doubles.
    """
    return max([epsilon, *(_largest_influence(joint, epsilon) for joint in release.worlds.joints)])


def differential_epsilon(release: Release, epsilon: float) -> float:
    """Returns the ε' of differential privacy with g(ε') = ε, from below.

    It is between ε over the largest group's size and ε.

    Args:
        release: The release, whose model counts.
        epsilon: ε, in nats.
    """
    if influence_curve(release, epsilon) <= epsilon:
        return epsilon
    return 1 / least_scale(
        lambda scale: influence_curve(release, 1 / scale), epsilon, release.worlds.group_size / epsilon
    )


def _largest_influence(joint: Joint, epsilon: float) -> float:
    rows = [factor.path for factor in joint.factors() if factor.size > 1 and factor.path is not None]
    along = [worst_pure(pure_nats_of_row(row, epsilon), row.chances, False).value for row in rows]
    groups, too_large = _others(joint)
    within = [pure_leakage(each, epsilon, 1).upper for each in groups]
    return max([*along, *within, *(each.worst(epsilon)[1].upper for each in too_large)], default=0.0)


@lru_cache(maxsize=16)  # a calibration asks at a dozen ε, the groups are listed once
def _others(joint: Joint) -> tuple[Sequence[Dependence], Sequence[ManyRecords]]:
    """Returns questions about records that are not all in rows, one of each answer, and what is too large to list.

    The latter are, for instance, wide networks, whose bound is another (Result 13.7).
    """
    if all(factor.path is not None or factor.size == 1 for factor in joint.factors()):
        return (), ()
    groups = {each.key: each for each in dependences(joint, information=False)}
    return tuple(groups.values()), tuple(long_records(joint, information=False))
