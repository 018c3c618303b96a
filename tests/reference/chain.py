"""The law of a sum over a Markov chain given one record, by forward and backward masses in mpmath: numbers of any size.

A law is a dict from sums to masses. Beside it closed forms for a chain that leaves state 0 for good.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from mpmath import mp

Real: TypeAlias = Any  # an mpf
Law: TypeAlias = dict[int, Real]
Matrix: TypeAlias = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Given:
    """prior: of the record's values that can occur, by state; laws: of the sum of all records' scores given each."""

    prior: Mapping[int, Real]
    laws: Mapping[int, Law]


def sum_given(
    initial: Sequence[float],
    steps: Sequence[Matrix],
    scores: Sequence[int],
    place: int,
    known: Mapping[int, int] | None = None,
) -> Given:
    """place: from 0, as are those of the known records, whose states are given."""
    states = range(len(initial))
    known = known or {}

    def own(at: int, state: int) -> Law:
        return {} if known.get(at, state) != state else {scores[state]: mp.mpf(1)}

    before: list[Law] = [{0: mp.mpf(p)} if p else {} for p in initial]
    for at, step in enumerate(steps[:place]):
        here = [_times(before[s], own(at, s)) for s in states]
        before = [_mixed((mp.mpf(step[s][t]), here[s]) for s in states) for t in states]
    after: list[Law] = [{0: mp.mpf(1)} for _ in states]
    for at in range(len(steps), place, -1):
        here = [_times(after[t], own(at, t)) for t in states]
        after = [_mixed((mp.mpf(steps[at - 1][s][t]), here[t]) for t in states) for s in states]
    joint = {s: _times(_times(before[s], own(place, s)), after[s]) for s in states}
    masses = {s: mp.fsum(law.values()) for s, law in joint.items() if law}
    total = mp.fsum(masses.values())
    laws = {s: {v: p / mass for v, p in joint[s].items()} for s, mass in masses.items()}
    return Given({s: mass / total for s, mass in masses.items()}, laws)


def inferential(given: Given, scale: Real) -> Real:
    """The supremum of log W(y|s)/W(y|t) over integers y of the range: with Laplace noise there is none beyond."""
    columns = _noisy(given, scale)
    return max(mp.log(max(column) / min(column)) for column in zip(*columns.values(), strict=True))


def information(given: Given, scale: Real) -> Real:
    """The supremum of log W(y|s)/W(y), likewise."""
    columns = _noisy(given, scale)
    mixed = [mp.fsum(given.prior[s] * w for s, w in zip(columns, column, strict=True)) for column in _turned(columns)]
    return max(mp.log(max(column) / w) for column, w in zip(_turned(columns), mixed, strict=True))


def _turned(columns: Mapping[int, Sequence[Real]]) -> list[tuple[Real, ...]]:
    return list(zip(*columns.values(), strict=True))


def _noisy(given: Given, scale: Real) -> dict[int, list[Real]]:
    """sum_v Pr[v|s] e^(-|y-v|/scale) at every y from the least sum to the largest."""
    points = [v for law in given.laws.values() for v in law]
    low, high = min(points), max(points)
    fall = mp.exp(-1 / mp.mpf(scale))
    found = {}
    for state, law in given.laws.items():
        own = [law.get(v, mp.mpf(0)) for v in range(low, high + 1)]
        upwards, downwards = _carried(own, fall), _carried(own[::-1], fall)[::-1]
        found[state] = [a + b - p for a, b, p in zip(upwards, downwards, own, strict=True)]
    return found


def _carried(masses: Sequence[Real], fall: Real) -> list[Real]:
    found, running = [], mp.mpf(0)
    for mass in masses:
        running = running * fall + mass
        found.append(running)
    return found


def _times(one: Law, other: Law) -> Law:
    found: Law = {}
    for v, p in one.items():
        for w, q in other.items():
            found[v + w] = found.get(v + w, mp.mpf(0)) + p * q
    return found


def _mixed(terms: Any) -> Law:
    found: Law = {}
    for weight, law in terms:
        if weight:
            for v, p in law.items():
                found[v] = found.get(v, mp.mpf(0)) + weight * p
    return found


def never_yet(n: int, stay: Real, scale: Real) -> Real:
    """What a count of 1s with Laplace noise tells of record n of a chain that starts in 0, stays there with probability
    `stay` at each step, and never leaves 1: the inferential leakage. Given 0 the count is 0; given 1 it is n + 1 - k
    where record k is the first 1, with probability stay^(k-2) (1 - stay) up to a factor."""
    weights = {n + 1 - k: stay ** (k - 2) * (1 - stay) for k in range(2, n + 1)}
    total = mp.fsum(weights.values())
    at_none = mp.fsum(p * mp.exp(-count / scale) for count, p in weights.items()) / total
    at_most = mp.fsum(p * mp.exp(-(n - 1 - count) / scale) for count, p in weights.items()) / total
    return max(-mp.log(at_none), (n - 1) / scale + mp.log(at_most))
