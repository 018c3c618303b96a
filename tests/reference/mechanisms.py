"""Mechanisms written out as rows of fractions, and what they cost: by the definitions, answer by answer."""

from collections.abc import Sequence
from fractions import Fraction

from tests.reference.channel import Law, mp, real

Rows = dict[Fraction, list[Fraction]]
"""By exact answer, the probabilities of the outputs."""
DIGITS = 10**55


def decay(step: Fraction, scale: Fraction) -> Fraction:
    """e^(-step/scale) to 55 digits; 0 without noise."""
    return Fraction(int(mp.floor(mp.exp(-real(step) / real(scale)) * DIGITS)), DIGITS) if scale else Fraction(0)


def clamped(scale: Fraction, lower: Fraction, upper: Fraction, step: Fraction, answers: Sequence[Fraction]) -> Rows:
    """Two-sided geometric noise on the multiples of step, outputs beyond the ends moved onto them: a row per answer
    over lower, lower + step, .., upper. Each tail is one geometric series."""
    a = decay(step, scale)
    count = int((upper - lower) / step)
    rows: Rows = {}
    for answer in answers:
        row = [(1 - a) / (1 + a) * a ** abs(int((lower - answer) / step) + k) for k in range(count + 1)]
        row[0] = _beyond(int((answer - lower) / step), a)
        row[-1] = _beyond(int((upper - answer) / step), a)
        rows[answer] = row if count else [Fraction(1)]
    return rows


def relocation(
    lower: int,
    leaves: Sequence[Fraction],
    moves: Sequence[Sequence[Fraction]],
    shares: Sequence[Sequence[Fraction]],
    answers: Sequence[int],
) -> Rows:
    """A row per answer over lower, lower + 1, ..: clamped, then kept, or sent to a bin and there to a point."""
    homes = [(home, share / sum(part)) for home, part in enumerate(shares) for share in part]
    rows: Rows = {}
    for answer in answers:
        place = min(max(answer - lower, 0), len(homes) - 1)
        home = homes[place][0]
        row = [leaves[home] * moves[home][away] / sum(moves[home]) * share for away, share in homes]
        row[place] += 1 - leaves[home]
        rows[Fraction(answer)] = row
    return rows


def _beyond(steps: int, a: Fraction) -> Fraction:
    """Pr[noise >= steps], of a noise of mass (1-a)/(1+a) a^|k|."""
    return a**steps / (1 + a) if steps > 0 else 1 - a ** (1 - steps) / (1 + a)


def likelihoods(laws: Sequence[Law], rows: Rows) -> list[list[Fraction]]:
    """W(r | s) of every secret's law (secrets, outputs)."""
    outputs = range(len(next(iter(rows.values()))))
    return [[sum((p * rows[answer][r] for (answer,), p in law.items()), Fraction(0)) for r in outputs] for law in laws]


def worst_ratio(laws: Sequence[Law], rows: Rows) -> Fraction | None:
    """The largest W(r | s) / W(r | s'); None where it is infinite."""
    found = Fraction(1)
    for column in zip(*likelihoods(laws, rows), strict=True):
        if max(column) > 0:
            if min(column) == 0:
                return None
            found = max(found, max(column) / min(column))
    return found


def worst_gain(prior: Sequence[Fraction], laws: Sequence[Law], rows: Rows) -> Fraction:
    """The largest W(r | s) / W(r)."""
    columns = zip(*likelihoods(laws, rows), strict=True)
    means = ((max(column), sum(p * w for p, w in zip(prior, column, strict=True))) for column in columns)
    found: list[Fraction] = [most / mean for most, mean in means if mean > 0]
    return max(found)


def excess(laws: Sequence[Law], rows: Rows, factor: Fraction) -> Fraction:
    """The largest hockey-stick, sum_r max(W(r | s) - factor·W(r | s'), 0)."""
    found = likelihoods(laws, rows)
    pairs = [zip(one, other, strict=True) for one in found for other in found]
    return max(sum((max(a - factor * b, Fraction(0)) for a, b in pair), Fraction(0)) for pair in pairs)


def expected_error(law: Law, rows: Rows, outputs: Sequence[Fraction], power: int = 1) -> Fraction:
    """sum_v Pr[v] sum_r K(r | v) |r - v|^power."""
    return sum((p * error_given(answer, rows, outputs, power) for (answer,), p in law.items()), Fraction(0))


def error_given(answer: Fraction, rows: Rows, outputs: Sequence[Fraction], power: int = 1) -> Fraction:
    """sum_r K(r | v) |r - v|^power."""
    return sum((p * abs(r - answer) ** power for p, r in zip(rows[answer], outputs, strict=True)), Fraction(0))
