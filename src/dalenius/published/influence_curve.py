"""Any differentially private mechanism, and what it can leak on this model at the most: g(ε).

How much an ε-differentially private mechanism can leak about one record of a group, at the most (Result 5.3).

Let m(x) be the probability of an output given the group's records, averaged over all others. Then m(x) <= e^{ε d} m(x')
where d records differ, and what leaks about record i is at most

    g = sup over such m of log Σ_x m(x) Pr[x | t] / Σ_x m(x) Pr[x | t'],

a linear-fractional program. Averaging m over equally likely arrangements changes nothing, so counts suffice where they
determine the probability. On a chain, given X_i, both sides are independent, and one step further out a record's own
effect is a factor e^ε times that of the next one:

    s(t, t') = sup log Σ_x P(t,x) w(x) / Σ_x P(t',x) w(x)    over w(x)/w(y) <= e^{ε + s(x,y)},

attained by a product of functions of the single records for two values; for more, w of any ratio up to the largest
bounds it. So g = ε + s_left + s_right.
"""

from decimal import Context, Decimal
from fractions import Fraction
from itertools import permutations
from math import inf, log, nextafter
from typing import ClassVar, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT, up_to_digits
from dalenius.calibration.method import Calibration, Method, check, judged, scale_hiding
from dalenius.channel import Release
from dalenius.errors import DaleniusError, TooLarge
from dalenius.joints import Joint
from dalenius.joints.blocks import Block, Exchangeable
from dalenius.joints.chain import MarkovChain
from dalenius.joints.factors import closed_ratio, group_rows
from dalenius.laws.law import Array, IntArray
from dalenius.noise import NoNoise
from dalenius.notions import Notion
from dalenius.special_functions import brentq


@final
class InfluenceCurveMethod(Method):
    """Scale Δ/ε', ε' the largest with g(ε') <= ε; g(ε') is the most that ε'-differential privacy can leak inferentially
    on this model, by whatever mechanism. Sound always, and so is any composition: add up in differential privacy, and
    convert once with g (Result 5.3, Theory §9)."""

    name: ClassVar[str] = "influence_curve"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion)
        if not release.sensitivity:
            return judged(self.name, True, "the answer is constant", release, notion, NoNoise())
        allowed = differential_epsilon(release, epsilon)
        why = f"no {allowed:.6g}-differentially private mechanism leaks more than {epsilon:g} nats on this model"
        distance = release.sensitivity * Fraction(epsilon) / Fraction(allowed)
        noise = release.noise.with_scale(scale_hiding(release, distance, notion))
        return judged(self.name, True, why, release, notion, noise)


def influence_curve(release: Release, epsilon: float) -> float:
    """g(ε): what a mechanism of ε-differential privacy may leak inferentially about anybody, in nats; from above."""
    return max([epsilon, *(largest_influence(joint, epsilon) for joint in release.joints)])


def differential_epsilon(release: Release, epsilon: float) -> float:
    """The ε' of differential privacy with g(ε') = ε, from below; between ε over the largest group's size and ε."""
    low = epsilon / release.group_size
    if influence_curve(release, epsilon) <= epsilon:
        return epsilon
    if influence_curve(release, low) >= epsilon:
        return low
    near = float(brentq(lambda given: influence_curve(release, given) - epsilon, low, epsilon, xtol=1e-12, rtol=1e-10))
    # The largest of nine digits: the last bits differ between processors.
    near = up_to_digits(near, 9)
    while influence_curve(release, near) > epsilon:
        near = float(Context(prec=9).next_minus(Decimal(repr(near))))
    return max(near, low)


_BoolArray: TypeAlias = NDArray[np.bool_]


def largest_influence(joint: Joint, epsilon: float) -> float:
    """g(ε) over all records, in nats, from above; ε where nobody depends on anybody. TooLarge for large tables."""
    found = [epsilon]
    for factor in (each for each in joint.factors() if each.size > 1):
        match factor:
            case MarkovChain():
                found.append(_of_chain(factor, epsilon))
            case Exchangeable(block=block) if block.counts_suffice:
                found.append(_of_counts(block, epsilon))
            case _:
                found.append(_of_rows(*group_rows(factor), epsilon))
    return max(found)


def _of_counts(block: Block, epsilon: float) -> float:
    found = [epsilon]
    for member in block.members:
        for one, other in permutations(range(len(member.slots)), 2):
            states, given = [], []
            for secret in (one, other):
                rows = np.flatnonzero(member.log_given[secret] > -np.inf)
                others = block.counts[rows].copy()
                others[:, member.slots[secret]] -= 1
                states.append(others)
                given.append(np.exp(member.log_given[secret][rows]))
            both = np.concatenate(states)
            deepest = float(-np.min(member.log_given, where=member.log_given > -np.inf, initial=0.0))
            closed = _closed(both, given, epsilon, UNIT * (64 + 8 * deepest + block.size))
            # Nats below which a chance is not told from 0 here.
            if closed is not None and deepest < 600.0:
                found.append(min(closed, epsilon * block.size))
                continue
            _check(len(both))
            distances = np.abs(both[:, None] - both[None]).sum(axis=-1) / 2
            found.append(_program(given[0], given[1], distances, epsilon, block.size))
    return max(found)


def _closed(both: IntArray, given: list[Array], epsilon: float, error: float) -> float | None:
    """g in closed form where the counts of the others lean one way (Result 13.6); None elsewhere. error: relatively, of
    each chance."""
    states, whose = np.unique(both, axis=0, return_inverse=True)
    first = len(given[0])
    laws = [np.zeros(len(states)), np.zeros(len(states))]
    for law, places, chances in zip(laws, (whose.ravel()[:first], whose.ravel()[first:]), given, strict=True):
        np.add.at(law, places, chances)
    distances = np.abs(states[:, None] - states[None]).sum(axis=-1) // 2
    ratio = closed_ratio(laws[0], laws[1], distances, epsilon)
    return None if ratio is None else nextafter(epsilon + log(ratio.upper) + 4 * error, inf)


def _of_rows(slots: IntArray, logs: Array, epsilon: float) -> float:
    """slots (rows, size), logs (rows,): a group's assignments."""
    found = [epsilon]
    for place in range(slots.shape[1]):
        own = slots[:, place]
        for one, other in permutations(np.unique(own).tolist(), 2):
            parts = [np.flatnonzero(own == secret) for secret in (one, other)]
            weights = [np.exp(logs[rows] - logs[rows].max()) for rows in parts]
            given = [each / each.sum() for each in weights]
            both = np.delete(slots[np.concatenate(parts)], place, axis=1)
            _check(len(both))
            distances = (both[:, None] != both[None]).sum(axis=-1)
            found.append(_program(given[0], given[1], distances, epsilon, slots.shape[1]))
    return max(found)


def _check(states: int) -> None:
    if states > 250:
        raise TooLarge("the influence curve", f"a group of {states} states", "use the exact method")


def _program(of_one: Array, of_other: Array, distances: Array, epsilon: float, size: int) -> float:
    """distances: how many of the other records differ between states; those of the first secret come first."""
    first, count = len(of_one), len(distances)
    side = np.arange(count) >= first
    nats = epsilon * (distances + (side[:, None] != side[None]))
    # Nats beyond which a constraint is left out, which only makes g larger.
    rows, columns = np.nonzero((nats <= 30.0) & ~np.eye(count, dtype=bool))
    bounds = np.zeros((len(rows), count))
    bounds[np.arange(len(rows)), rows] = 1.0
    bounds[np.arange(len(rows)), columns] = -np.exp(nats[rows, columns])
    gain, mass = np.concatenate([of_one, np.zeros(len(of_other))]), np.concatenate([np.zeros(first), of_other])
    from scipy.optimize import linprog

    solved = linprog(-gain, A_ub=bounds, b_ub=np.zeros(len(rows)), A_eq=mass[None], b_eq=[1.0], method="highs")
    if solved.status == 3:  # unbounded: too many constraints were left out
        return epsilon * size
    if not solved.success or solved.fun is None:
        raise DaleniusError(f"the influence curve's program was not solved: {solved.message}")
    # Added to the logarithm of the linear program's value: it is solved to 1e-7 or better.
    return min(log(-float(solved.fun)) + 1e-6, epsilon * size)


def _of_chain(chain: MarkovChain, epsilon: float) -> float:
    possible, states = chain.possible, chain.possible.shape[1]
    before, after = _side(chain.backward.logs(), epsilon), _side(chain.steps.logs()[::-1], epsilon)[::-1]
    both = before + after
    allowed = possible[:, :, None] & possible[:, None, :] & ~np.eye(states, dtype=bool)
    most = float(np.max(both, where=allowed, initial=0.0))
    # Each step adds its own roundings to those before it, and no more.
    rounding = 8 * len(chain) * (states + 8 + most) * UNIT if most else 0.0
    return epsilon + most * (1 + 1e-12) + rounding


def _side(steps: Array, epsilon: float) -> Array:
    """s of every place in turn (n, k, k); steps (n - 1, k, k), in logs, lead from each place towards the one before."""
    k = steps.shape[1]
    found, before, rising = [np.zeros((k, k))], None, None
    for step in steps:
        if before is None or not np.array_equal(step, before):
            before, rising = step, _rising(step)
        elif np.array_equal(found[-1], found[-2]):  # the same of the same
            found.append(found[-1])
            continue
        found.append(_further(step, rising, epsilon + found[-1]))
    return np.array(found)


def _rising(step: Array) -> _BoolArray | None:
    """Every set of next values, (sets, k), that begins an order of the ratios of two rows; None of two values."""
    k = len(step)
    if k == 2:
        return None
    orders = np.array([np.argsort(-_ratios(step[t], step[u])) for t in range(k) for u in range(k)])
    places = np.argsort(orders, axis=1)
    begins = places[:, None] < np.arange(k)[:, None]
    return np.unique(begins.reshape(-1, k), axis=0)


def _further(step: Array, rising: _BoolArray | None, spread: Array) -> Array:
    """s from the largest pairwise log-ratios of the weights w of the next record; step in logs."""
    if rising is None:
        ends = np.array([[0.0, -spread[0, 1]], [-spread[1, 0], 0.0]])
    else:
        ends = np.where(rising, 0.0, -float(spread.max()))
    values = np.logaddexp.reduce(step[:, None] + ends[None], axis=2)
    return np.asarray(np.max(values[:, None] - values[None], axis=-1))


def _ratios(one: Array, other: Array) -> Array:
    """Differences of logs; -inf where `one` has none."""
    with np.errstate(invalid="ignore"):
        return np.where(one > -np.inf, one - other, -np.inf)
