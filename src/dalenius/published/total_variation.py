"""How far one record's value moves the law of all others: the worst total variation between the laws of *the vector* of
the others given two values of X_i (the η of IDP Thm 4 and IP Thm 2; Result 5.2).

Records independent of X_i and its group add nothing: the law of all others is a product. So it is one group's number.
Where counts suffice, the rest is uniform given the counts, whatever X_i is, and the variation is that of the counts.
In a chain the others are, given X_i's two neighbours, independent of X_i: they are a randomised function of the
neighbours that does not depend on X_i, so their variation is at most that of the neighbours; and the neighbours are a
function of them, so it is at least that.
"""

from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import TooLarge
from dalenius.joints import Joint
from dalenius.joints.chain.chain import MarkovChain
from dalenius.joints.factors import Factor, listed
from dalenius.joints.groups.exchangeable import Exchangeable
from dalenius.laws.law import Array, IntArray

MOST_OPERATIONS: Final = 1e10
CHUNK: Final = 1 << 20


def largest_variation(joint: Joint) -> float:
    """η over everybody, rounded up; 0 only where every record is independent of the vector of all others."""
    return min(max((_variation(factor) for factor in joint.factors() if factor.size > 1), default=0.0), 1.0)


def _variation(factor: Factor) -> float:
    match factor:
        case MarkovChain():
            found = [_of_neighbours(factor)]
        case Exchangeable(block=block) if block.counts_suffice:
            found = [_of_counts(block.counts, m.slots, m.log_given) for m in block.members if len(m.slots) > 1]
        case _:
            slots, logs = listed(factor)
            found = [_of_rows(slots, logs, position) for position in range(slots.shape[1])]
    return max(found, default=0.0)


def _of_counts(counts: IntArray, own: tuple[int, ...], log_given: Array) -> float:
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
    _, secrets = np.unique(slots[:, position], return_inverse=True)
    return _worst_pair(np.delete(slots, position, axis=1), secrets.ravel(), logs)


def _worst_pair(others: IntArray, secrets: IntArray, logs: Array) -> float:
    """others (rows, ..): what the rest is in a row; secrets (rows,): which secret; logs (rows,): up to a factor."""
    kinds, kind = np.unique(others, axis=0, return_inverse=True)
    masses = np.zeros((int(secrets.max()) + 1, len(kinds)))
    for secret in range(len(masses)):
        own = secrets == secret
        np.add.at(masses[secret], kind.ravel()[own], np.exp(logs[own] - logs[own].max()))
    masses /= masses.sum(axis=1, keepdims=True)
    worst = max((float(np.abs(p - q).sum()) / 2 for i, p in enumerate(masses) for q in masses[:i]), default=0.0)
    return worst + (3 * len(logs) + 8 * float(np.max(np.abs(logs))) + 64) * UNIT if len(masses) > 1 else 0.0


def _of_neighbours(chain: MarkovChain) -> float:
    before, after, idle = neighbours(chain)
    people, states = chain.possible.shape
    if people * float(states) ** 4 > MOST_OPERATIONS:
        raise TooLarge("the neighbours in a chain", f"{people} records of {states} values", "use the group method")
    worst = np.zeros(people)
    for first in range(0, people, max(1, CHUNK // states**2)):
        own = slice(first, first + max(1, CHUNK // states**2))
        for s in range(states):
            for t in range(s):
                p, q = (before[own, each, :, None] * after[own, each, None, :] for each in (s, t))
                worst[own] = np.maximum(worst[own], np.abs(p - q).sum(axis=(1, 2)) / 2)
    rounding = (4 * people * (2 * states + 4) + 64) * UNIT
    return float(np.max(np.where(idle, 0.0, worst + rounding)))


def neighbours(chain: MarkovChain) -> tuple[Array, Array, Array]:
    """Laws of the record before and of the one after given each value of a record, (n, k, k) each, and which records
    are certainly independent of both (n,). At the ends a constant stands for the missing neighbour; a value of
    probability 0 has the laws of the likeliest."""
    possible, steps = chain.possible, chain.steps
    people, states = possible.shape
    likely = chain.log_marginals.argmax(axis=1)
    nobody = np.tile(np.eye(states)[0], (1, states, 1))
    # Variations are absolute: what is below a double's range adds nothing to them.
    before = np.concatenate([nobody, chain.backward.doubles()])
    after = np.concatenate([steps.doubles(), nobody])
    for laws in (before, after):
        common = laws[np.arange(people), likely][:, None]
        np.copyto(laws, common, where=~possible[:, :, None])
    # All rows that can occur are the same: what comes after is independent of what was before.
    common_row = steps[np.arange(people - 1), likely[:-1]][:, None]
    same = (steps.mantissa == common_row.mantissa) & (steps.exponent == common_row.exponent)
    apart = (same.all(axis=2) | ~possible[:-1]).all(axis=1)
    return before, after, np.append(True, apart) & np.append(apart, True)
