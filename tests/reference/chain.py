"""The law of a sum over a Markov chain given one record, by forward and backward masses in mpmath: numbers of any size.

A law is a dict from sums to masses. Beside it closed forms for a chain that leaves state 0 for good.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeAlias

from tests.reference import leakages
from tests.reference.channel import Channel, Real, mp
from tests.reference.noises import NONE

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


def written_out(prior: Mapping[int, Real], seen: Mapping[int, Sequence[Real]]) -> Channel:
    """A channel of which some outputs' likelihoods are known, each output's up to a factor: suprema over these outputs
    are what `leakages` reads from it. Secrets of probability 0 are left out."""
    laws: dict[Any, dict[tuple[Fraction, ...], Fraction]] = {
        secret: {(Fraction(output),): exact(value) for output, value in enumerate(values) if value > 0}
        for secret, values in seen.items()
        if prior[secret] > 0
    }
    return Channel({secret: exact(p) for secret, p in prior.items() if p > 0}, laws, NONE)


def exact(number: Real) -> Fraction:
    """An mpf, digit for digit."""
    sign, mantissa, exponent, _ = number._mpf_
    whole = Fraction(-mantissa if sign else mantissa)
    return whole * Fraction(2) ** int(exponent)


def smoothed(masses: Sequence[Real], kept: Real) -> list[Real]:
    """sum_v kept^|y-v| masses[v] at every place y, by one pass up and one down."""
    up, down = (list(accumulate(order, lambda total, p: total * kept + p)) for order in (masses, masses[::-1]))
    return [a + (b - p) for a, b, p in zip(up, down[::-1], masses, strict=True)]


def under_noise(given: Given, scale: Real) -> Channel:
    """Of Laplace or geometric noise, at every whole output from the least sum to the largest: there is no more to be
    seen beyond."""
    points = [v for law in given.laws.values() for v in law]
    every = range(min(points), max(points) + 1)
    kept = mp.exp(-1 / mp.mpf(scale))
    seen = {s: smoothed([law.get(v, mp.zero) for v in every], kept) for s, law in given.laws.items()}
    return written_out(given.prior, seen)


def inferential(given: Given, scale: Real) -> Real:
    """The supremum of log W(y|s)/W(y|t)."""
    return leakages.inferential(under_noise(given, scale)).value


def information(given: Given, scale: Real) -> Real:
    """The supremum of log W(y|s)/W(y)."""
    return leakages.information(under_noise(given, scale)).value


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
