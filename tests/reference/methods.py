"""The numbers the published methods are made of, by their definitions, from an enumerated joint law (Theory §5)."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import TypeAlias

from tests.reference.channel import Real, Score, mp, real
from tests.reference.joints import Assignment, Joint, Value

Law: TypeAlias = dict[Fraction, Fraction]
Told: TypeAlias = Callable[[Mapping[Value, Law], Fraction, Fraction, Real], Real]
"""What X_i tells of a record's noisy score: its law given each value of X_i, the ends of its range, the scale."""


def given(joint: Joint, person: int) -> dict[Value, Joint]:
    """The law of all records for each value of one."""
    split: defaultdict[Value, Joint] = defaultdict(dict)
    for row, mass in joint.items():
        split[row[person]][row] = mass
    totals = {value: sum(rows.values(), Fraction(0)) for value, rows in split.items()}
    return {value: {row: mass / totals[value] for row, mass in rows.items()} for value, rows in split.items()}


def law_of(joint: Joint, function: Callable[[Assignment], Value]) -> dict[Value, Fraction]:
    """The law of a function of the records."""
    law: defaultdict[Value, Fraction] = defaultdict(Fraction)
    for row, mass in joint.items():
        law[function(row)] += mass
    return dict(law)


def variation(joint: Joint) -> Fraction:
    """The worst total variation between the laws of the vector of the others given two values of a record."""
    worst = Fraction(0)
    for person in range(_people(joint)):
        laws = [law_of(rows, _without(person)) for rows in given(joint, person).values()]
        for one in laws:
            for other in laws:
                more = [p - other.get(x, Fraction(0)) for x, p in one.items()]
                worst = max(worst, sum((p for p in more if p > 0), Fraction(0)))
    return worst


def w_infinity(one: Mapping[Fraction, Fraction], other: Mapping[Fraction, Fraction]) -> Fraction:
    """sup_u |F⁻¹(u) - G⁻¹(u)|, walking up both quantile functions."""
    ups = [iter(sorted(law.items())) for law in (one, other)]
    (x, p), (y, q) = (next(up) for up in ups)
    worst = Fraction(0)
    while True:
        worst = max(worst, abs(x - y))
        step = min(p, q)
        p, q = p - step, q - step
        if p == 0:
            following = next(ups[0], None)
            if following is None:
                return worst
            x, p = following
        if q == 0:
            y, q = next(ups[1])


def widest(joint: Joint, score: Score) -> Fraction:
    """W∞ over all records and pairs of their values, of an answer that is one sum."""
    worst = Fraction(0)
    for person in range(_people(joint)):
        laws = sums_given(joint, score, person)
        worst = max([worst, *(w_infinity(p, q) for p in laws for q in laws)])
    return worst


def sums_given(joint: Joint, score: Score, person: int) -> list[Law]:
    """The law of the sum of all scores given each value of a record."""

    def total(row: Assignment) -> Fraction:
        return sum((one_score(score, j, x) for j, x in enumerate(row)), Fraction(0))

    return [law_of(rows, total) for rows in given(joint, person).values()]


def one_score(score: Score, record: int, value: Value) -> Fraction:
    """A record's score, where the answer is one sum."""
    (own,) = score(record, value)
    return Fraction(0 if own is None else own)


def _without(person: int) -> Callable[[Assignment], Assignment]:
    return lambda row: row[:person] + row[person + 1 :]


def _scored(score: Score, record: int) -> Callable[[Assignment], Fraction]:
    return lambda row: one_score(score, record, row[record])


def dependent_sum(joint: Joint, score: Score, ranges: list[tuple[Fraction, Fraction]], told: Told, scale: Real) -> Real:
    """max_i of Δ_i/scale and what X_i tells of every other record; ranges: the ends of each record's score."""
    sums = []
    for i in range(_people(joint)):
        rows = given(joint, i)
        total = real(ranges[i][1] - ranges[i][0]) / scale
        for j in range(_people(joint)):
            if j != i:
                laws = {s: law_of(each, _scored(score, j)) for s, each in rows.items()}
                total += told(laws, *ranges[j], scale)
        sums.append(total)
    return max(sums)


def exactly_told(laws: Mapping[Value, Law], low: Fraction, high: Fraction, scale: Real) -> Real:
    """DDP Eq 14: the worst log-ratio, at a point of the support."""
    outputs = {x for law in laws.values() for x in law}
    return max(
        mp.log(_noisy(one, y, scale) / _noisy(other, y, scale))
        for y in outputs
        for one in laws.values()
        for other in laws.values()
    )


def _noisy(law: Law, output: Fraction, scale: Real) -> Real:
    return mp.fsum(real(p) * mp.exp(-abs(real(x - output)) / scale) for x, p in law.items())


def quilt_scale(joint: Joint, epsilon: Real) -> Real:
    """The Markov quilt mechanism's scale over Δ on a chain: every quilt of every record, from the joint law itself."""
    people = _people(joint)
    scales = []
    for i in range(people):
        rows = given(joint, i)
        if len(rows) > 1:
            costs = [
                real(Fraction(near)) / (epsilon - influence)
                for ends, near in _quilts(i, people)
                if (influence := _influence(rows, ends)) < epsilon
            ]
            scales.append(min(costs))
    return max(scales, default=mp.mpf(0))


def _quilts(i: int, people: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """The quilt's places and how many records are near."""
    for left in range(-1, i):
        for right in range(i + 1, people + 1):
            ends = tuple(end for end in (left, right) if 0 <= end < people)
            yield ends, right - left - 1


def _influence(rows: Mapping[Value, Joint], ends: tuple[int, ...]) -> Real:
    laws = [law_of(each, lambda row: tuple(row[end] for end in ends)) for each in rows.values()]
    worst = mp.mpf(0)
    for one in laws:
        for other in laws:
            if not set(one) <= set(other):
                return mp.inf
            worst = max(worst, max(mp.log(real(p / other[x])) for x, p in one.items()))
    return worst


def _people(joint: Joint) -> int:
    return len(next(iter(joint)))
