"""Maxima and minima among the coordinates: the algebra against fractions, and its powers against 50 digits.

A million people's maximum and minimum, exactly: against 50-digit arithmetic.
"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import dalenius as dl
from dalenius.laws.extremes import Extremes, Ranked
from dalenius.laws.sums import Combine
from dalenius.queries import Query
from tests.cases import in_turn
from tests.conformance.worlds import exactly
from tests.laws.test_smoothing import Exact, exponential, product_of
from tests.pace import slow
from tests.reference.channel import Real, mp, real

SCORES = np.array([[0, 2, -1], [3, 2, 4], [1, -5, 0], [1, 7, 2]], dtype=np.int64)
BY: dict[str, Any] = {"sum": sum, "max": max, "min": min}
LOGS = st.lists(st.sampled_from([0.0, -np.inf, -0.1, -3.0, -30.0, -800.0, -2000.0]), min_size=4, max_size=4).filter(
    lambda logs: max(logs) > -np.inf
)


def _mean(logs: list[float]) -> Exact:
    found: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for log, row in zip(logs, SCORES, strict=True):
        found[tuple(int(i) for i in row)] += exponential(log)
    return dict(found)


def _product(one: Exact, other: Exact, ways: tuple[Combine, ...]) -> Exact:
    return product_of(one, other, lambda axis, a, b: BY[ways[axis]]((a, b)))


def _assert_law(transform: Extremes, element: Ranked, wanted: Exact) -> None:
    """Every mass to within the error said, and no mass where none is."""
    law = transform.law_of([element])
    wanted = {place: mass for place, mass in wanted.items() if mass}
    for index in np.ndindex(law.box):
        place = tuple(int(i) + s for i, s in zip(index, law.start, strict=True))
        log = law.base[index] + law.relative[(0, *index)]
        if place not in wanted:
            assert log == -np.inf
            continue
        with mp.workdps(60):
            truth = mp.log(mp.mpf(wanted[place].numerator) / wanted[place].denominator)
            off = abs(mp.mpf(law.base[index]) + mp.mpf(law.relative[(0, *index)]) - truth)
        assert off <= law.error
    assert set(wanted) <= {
        tuple(int(i) + s for i, s in zip(index, law.start, strict=True)) for index in np.ndindex(law.box)
    }


def _one_slot(transform: Extremes, logs: list[float]) -> Ranked:
    return transform.mean(np.array(logs), np.arange(4), np.eye(4, dtype=np.int64))


@pytest.mark.parametrize(
    "ways", [("max", "sum", "min"), ("min", "max", "max"), slow((("sum", "min", "sum"),))], ids="-".join
)
@given(first=LOGS, second=LOGS, third=LOGS)
@settings(max_examples=6, deadline=None)
def test_products_means_and_mixtures(
    ways: tuple[Combine, ...], first: list[float], second: list[float], third: list[float]
) -> None:
    transform = Extremes(SCORES, ways)
    one, other, last = (_one_slot(transform, logs) for logs in (first, second, third))
    exact = [_mean(logs) for logs in (first, second, third)]
    _assert_law(transform, one, exact[0])
    both = _product(exact[0], exact[1], ways)
    _assert_law(transform, transform.product([one, other], [1, 1]), both)
    mixed = transform.mix(np.array([-0.5, -np.inf, -1000.0]), [transform.product([one, other], [1, 1]), one, last])
    wanted: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for weight, part in ((-0.5, both), (-1000.0, exact[2])):
        for place, mass in part.items():
            wanted[place] += exponential(weight) * mass
    _assert_law(transform, mixed, dict(wanted))
    cubed = _product(_product(_product(exact[0], exact[1], ways), exact[1], ways), exact[1], ways)
    _assert_law(transform, transform.product([one, other, last], [1, 3, 0]), cubed)


Masses: TypeAlias = list[Real]

MANY = 10**6
VALUES = (0, 1, 2, 5)
RARE = (0.7, 0.3 - 3e-7, 3e-7 - 1e-13, 1e-13)
EVEN = (0.25, 0.25, 0.25, 0.25)


def _law_of_the_greatest(below: Sequence[Real], others: int, own: int) -> Masses:
    """Pr[max = r | mine is own], from Pr[one other is at most r]."""
    known = [mp.power(p, others) if rank >= own else mp.zero for rank, p in enumerate(below)]
    return [p - before for p, before in zip(known, [mp.zero, *known[:-1]], strict=True)]


def _laws(probabilities: Sequence[float], n: int, turned: bool) -> list[Masses]:
    """By secret; the least is the greatest, turned round."""
    law = [real(p) for p in exactly(probabilities)]
    if turned:
        law = law[::-1]
    below = [mp.fsum(law[: rank + 1]) for rank in range(len(law))]
    found = [_law_of_the_greatest(below, n - 1, own) for own in range(len(law))]
    return [each[::-1] for each in found[::-1]] if turned else found


@in_turn({"query": [dl.Max(), dl.Min()], "probabilities": [RARE, RARE[::-1], EVEN]})
def test_every_mass_of_a_million(query: Query, probabilities: tuple[float, ...]) -> None:
    """From e^-1386294 to 1, each to the error said, and that below 2e-8; across answers, not only across secrets."""
    model = dl.Independent(n=MANY, values=VALUES, probabilities=(probabilities,))
    (channel,) = dl.Release(model, query, dl.NoNoise(), engine="convolution").channels()
    law = channel.likelihood
    assert law.error < 4e-8
    with mp.workdps(60):
        for secret, truth in enumerate(_laws(probabilities, MANY, query.kind == "min")):
            for value, mass in zip(VALUES, truth, strict=True):
                found = law.relative[secret, value - law.start[0]]
                if mass == 0:
                    assert found == -np.inf
                    continue
                # The likelihoods are known up to a factor common to all secrets.
                off = abs(mp.mpf(law.base[value - law.start[0]]) + mp.mpf(found) - mp.log(mass))
                assert off <= law.error
                assert off <= 3e-9
