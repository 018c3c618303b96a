"""How far a count moves the odds of one record, and how likely: every assignment of a small group enumerated.

Laws are of records of 0 and 1, by assignment. Geometric noise of ratio e^-ε has one class of outputs up to 0, one for
each count between, and one from the size on, because the odds are constant beyond the ends.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product
from math import comb

from mpmath import erfc, exp, findroot, inf, log, mp, mpf, sqrt

Law = Mapping[tuple[int, ...], mpf]
mp.dps = 60


def alike(size: int, same: float, chance: float) -> Law:
    p, a = mpf(chance), mpf(same)
    found = {}
    for records in product((0, 1), repeat=size):
        ill = sum(records)
        own = p**ill * (1 - p) ** (size - ill)
        together = p if ill == size else 1 - p if ill == 0 else mpf(0)
        found[records] = a * together + (1 - a) * own
    return found


def infected(chances: Sequence[float]) -> Law:
    size = len(chances) - 1
    return {records: mpf(chances[sum(records)]) / comb(size, sum(records)) for records in product((0, 1), repeat=size)}


def chain(size: int, repeats: float, chance: float) -> Law:
    p, c = mpf(chance), mpf(repeats)
    found = {}
    for records in product((0, 1), repeat=size):
        total = p if records[0] else 1 - p
        for before, after in pairwise(records):
            total *= (c if before == after else 0) + (1 - c) * (p if after else 1 - p)
        found[records] = total
    return found


def given(law: Law, person: int) -> tuple[mpf, list[list[mpf]]]:
    """The chance of the record to be 1, and the law of the count given 0 and given 1."""
    size = len(next(iter(law)))
    counts = [[mpf(0)] * (size + 1) for _ in range(2)]
    for records, probability in law.items():
        counts[records[person]][sum(records)] += probability
    total = [sum(row) for row in counts]
    return total[1], [[each / total[value] for each in counts[value]] for value in (0, 1)]


def geometric(law: Law, person: int, epsilon: float) -> list[tuple[mpf, mpf]]:
    """By class of outputs its probability, and by how many nats it moves the odds of being 1."""
    chance, counts = given(law, person)
    size, ratio = len(counts[0]) - 1, exp(-mpf(epsilon))
    found = []
    for output in range(size + 1):
        share = (1 - ratio) / (1 + ratio) if 0 < output < size else 1 / (1 + ratio)
        share = mpf(1) if size == 0 else share
        likely = [share * sum(p * ratio ** abs(output - n) for n, p in enumerate(row)) for row in counts]
        found.append(((1 - chance) * likely[0] + chance * likely[1], log(likely[1] / likely[0])))
    return found


def quantile(outputs: Iterable[tuple[mpf, mpf]], share: float) -> mpf:
    """The least movement, up or down, that outputs of at most that share exceed."""
    above, last = mpf(0), mpf(0)
    for probability, moved in sorted(((p, abs(each)) for p, each in outputs), key=lambda each: -each[1]):
        if above + probability > share:
            return moved
        above, last = above + probability, moved
    return last


def normal(law: Law, person: int, scale: float, level: float) -> mpf:
    """The probability that an output with Gaussian noise moves the odds by more than so many nats, up or down."""
    chance, counts = given(law, person)
    size, s = len(counts[0]) - 1, mpf(scale)

    def moved(y: mpf) -> mpf:
        rows = [sum(p * exp(n * (2 * y - n) / (2 * s * s)) for n, p in enumerate(row)) for row in counts]
        return log(rows[1] / rows[0])

    grid = [-12 * s + (size + 24 * s) * place / 60 for place in range(61)]
    edges, ends = [-inf, inf], [(y, moved(y)) for y in grid]
    for sign in (1, -1):
        for (low, start), (high, end) in pairwise(ends):
            if (start - sign * level) * (end - sign * level) < 0:
                root = findroot(lambda y, sign=sign: moved(y) - sign * level, (low, high), solver="anderson", tol=1e-24)
                edges.append(root)
    edges.sort()
    total = mpf(0)
    for low, high in pairwise(edges):
        middle = high - 1 if low == -inf else low + 1 if high == inf else (low + high) / 2
        if abs(moved(middle)) > level:
            total += sum(
                q * sum(p * (_below((high - n) / s) - _below((low - n) / s)) for n, p in enumerate(row))
                for q, row in zip((1 - chance, chance), counts, strict=True)
            )
    return total


def gaussian_delta(scale: float, epsilon: float) -> mpf:
    """The δ of a count with Gaussian noise at ε (Balle and Wang 2018)."""
    s, e = mpf(scale), mpf(epsilon)
    return _below(1 / (2 * s) - e * s) - exp(e) * _below(-1 / (2 * s) - e * s)


def _below(x: mpf) -> mpf:
    return mpf(0) if x == -inf else mpf(1) if x == inf else erfc(-x / sqrt(2)) / 2
