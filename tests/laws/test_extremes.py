"""Maxima and minima among the coordinates: the algebra against fractions, and its powers against 50 digits."""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dalenius.laws.lattice import Combine
from dalenius.laws.transforms.extremes import Extremes, Ranked
from tests.pace import slow
from tests.reference.channel import mp

SCORES = np.array([[0, 2, -1], [3, 2, 4], [1, -5, 0], [1, 7, 2]], dtype=np.int64)
Exact = dict[tuple[int, ...], Fraction]
BY: dict[str, Any] = {"sum": sum, "max": max, "min": min}
LOGS = st.lists(st.sampled_from([0.0, -np.inf, -0.1, -3.0, -30.0, -800.0, -2000.0]), min_size=4, max_size=4).filter(
    lambda logs: max(logs) > -np.inf
)


def _exponential(log: float) -> Fraction:
    if log == -np.inf:
        return Fraction(0)
    with mp.workdps(60):
        mantissa, exponent = mp.frexp(mp.exp(mp.mpf(log)))
        return Fraction(int(mp.ldexp(mantissa, 180))) * Fraction(2) ** (int(exponent) - 180)


def _mean(logs: list[float]) -> Exact:
    found: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for log, row in zip(logs, SCORES, strict=True):
        found[tuple(int(i) for i in row)] += _exponential(log)
    return dict(found)


def _product(one: Exact, other: Exact, ways: tuple[Combine, ...]) -> Exact:
    found: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for (a, p), (b, q) in product(one.items(), other.items()):
        found[tuple(BY[how](pair) for how, pair in zip(ways, zip(a, b, strict=True), strict=True))] += p * q
    return dict(found)


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
            wanted[place] += _exponential(weight) * mass
    _assert_law(transform, mixed, dict(wanted))
    cubed = _product(_product(_product(exact[0], exact[1], ways), exact[1], ways), exact[1], ways)
    _assert_law(transform, transform.product([one, other, last], [1, 3, 0]), cubed)
