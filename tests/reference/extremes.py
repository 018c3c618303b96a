"""Long chains whose probabilities are products of thousands of small ones: closed forms and sums, at 60 digits.

An mpf has the range that a double lacks, and all that is added here is positive: every number keeps its digits.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

from tests.reference.channel import Channel, Law, Real, mp, real
from tests.reference.joints import Value
from tests.reference.noises import NONE

Counts = list[Real]
"""By how many records are 1, a probability."""


def written_out(prior: Mapping[int, Real], seen: Mapping[int, Sequence[Real]]) -> Channel:
    """A channel of which some outputs' likelihoods are known, each output's up to a factor: suprema over these outputs
    are what `leakages` reads from it. Secrets of probability 0 are left out."""
    laws: dict[Value, Law] = {
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


def one_way(n: int, stay: float, well: float = 1.0, ill_by: int | None = None) -> list[Real]:
    """Pr[the first 1 is record k], k = 1..n, and Pr[no 1]: bits that once 1 stay 1; a 0 is followed by a 0 with
    probability `stay`, and the first is 0 with probability `well`. ill_by: that record is known to be 1."""
    kept, first = real(Fraction(stay)), real(Fraction(well))
    leaving = real(1 - Fraction(stay))
    masses = [1 - first, *(first * kept ** (k - 2) * leaving for k in range(2, n + 1)), first * kept ** (n - 1)]
    if ill_by is None:
        return masses
    total = mp.fsum(masses[:ill_by])
    return [mass / total if k < ill_by else mp.zero for k, mass in enumerate(masses)]


def one_way_ends(masses: Sequence[Real], scale: float) -> Iterator[Channel]:
    """Of every record of such bits: Laplace or geometric noise of that scale on how many are 1, at the outputs ±∞.

    The count, n + 1 - k, given a 1 is always above the count given a 0; the noise's density is log-concave, so the
    ratio of the two likelihoods is monotone in the output, and so is the posterior: every supremum is at an end.
    """
    n, rate = len(masses) - 1, 1 / real(Fraction(scale))
    prior = _split(list(masses))
    ends = [_split([mass * mp.exp(sign * (n - k) * rate) for k, mass in enumerate(masses)]) for sign in (-1, 1)]
    for i in range(n):
        seen = {s: [end[s][i] / prior[s][i] for end in ends] for s in (0, 1) if prior[s][i] > 0}
        yield written_out({s: prior[s][i] for s in (0, 1)}, seen)


def _split(weights: list[Real]) -> dict[int, list[Real]]:
    """By record: the weight of those that begin after it, so that it is 0, and of the others."""
    ill = list(accumulate(weights))[:-1]
    well = list(accumulate(weights[::-1]))[-2::-1]
    return {0: well, 1: ill}


def chain_channel(
    n: int, initial: Sequence[float], transition: Sequence[Sequence[float]], record: int, scale: float
) -> Channel:
    """A chain of n bits, Laplace or geometric noise on how many are 1, at every output that matters: 0..n.

    record: from 1. Forward and backward sums over how many are 1: O(n²).
    """
    start = [real(Fraction(p) / sum(map(Fraction, initial))) for p in initial]
    step = [[real(Fraction(p) / sum(map(Fraction, row))) for p in row] for row in transition]
    before = [_shifted([start[s]], s) for s in (0, 1)]
    for _ in range(record - 1):
        before = [_shifted(_mixed(before, [step[s][t] for s in (0, 1)]), t) for t in (0, 1)]
    after: list[Counts] = [[mp.one], [mp.one]]
    for _ in range(n - record):
        moved = [_shifted(after[t], t) for t in (0, 1)]
        after = [_mixed(moved, step[s]) for s in (0, 1)]
    joint = {s: _times(before[s], after[s]) for s in (0, 1)}
    prior = {s: mp.fsum(law) for s, law in joint.items()}
    seen = {s: [p / prior[s] for p in noisy(law, n, scale)] for s, law in joint.items() if prior[s] > 0}
    return written_out(prior, seen)


def noisy(law: Counts, n: int, scale: float) -> list[Real]:
    """sum_v e^{-|y-v|/b} law[v] at y = 0..n, by one pass up and one down."""
    kept = mp.exp(-1 / real(Fraction(scale)))
    padded = [*law, *[mp.zero] * (n + 1 - len(law))]
    up = list(accumulate(padded, lambda total, p: total * kept + p))
    down = list(accumulate(padded[::-1], lambda total, p: total * kept + p))[::-1]
    return [a + (b - p) for a, b, p in zip(up, down, padded, strict=True)]


def _shifted(law: Counts, by: int) -> Counts:
    return [*[mp.zero] * by, *law]


def _mixed(laws: Sequence[Counts], weights: Sequence[Real]) -> Counts:
    one, other = laws
    size = max(len(one), len(other))
    one, other = ([*law, *[mp.zero] * (size - len(law))] for law in laws)
    return [weights[0] * p + weights[1] * q for p, q in zip(one, other, strict=True)]


def _times(one: Counts, other: Counts) -> Counts:
    made = [mp.zero] * (len(one) + len(other) - 1)
    for i, p in enumerate(one):
        if p:
            for j, q in enumerate(other):
                made[i + j] += p * q
    return made
