"""Long chains whose probabilities are products of thousands of small ones: closed forms and sums, at 60 digits.

An mpf has the range that a double lacks, and all that is added here is positive: every number keeps its digits.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate

from tests.reference.chain import sum_given, under_noise, written_out
from tests.reference.channel import Channel, Real, mp, real


def one_way(n: int, stay: float, ill_by: int | None = None) -> list[Real]:
    """Pr[the first 1 is record k], k = 1..n, and Pr[no 1]: bits that once 1 stay 1; the first is 0, and a 0 is followed
    by a 0 with probability `stay`. ill_by: that record is known to be 1."""
    kept, leaving = real(Fraction(stay)), real(1 - Fraction(stay))
    masses = [mp.zero, *(kept ** (k - 2) * leaving for k in range(2, n + 1)), kept ** (n - 1)]
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
    """A chain of n bits, Laplace or geometric noise on how many are 1, at every output that matters; record: from 1."""
    start = [real(Fraction(p) / sum(map(Fraction, initial))) for p in initial]
    step = [[real(Fraction(p) / sum(map(Fraction, row))) for p in row] for row in transition]
    return under_noise(sum_given(start, [step] * (n - 1), (0, 1), record - 1), scale)
