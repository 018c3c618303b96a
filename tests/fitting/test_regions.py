"""Simultaneous intervals: exact tails, coverage of known laws, and that without sharing alpha they would not hold."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius.fitting.simultaneous_intervals import Ends, Row, Simultaneous, clopper_pearson, robbins, simultaneous
from tests.pace import draws


def at_least(count: int, trials: int, p: Fraction) -> Fraction:
    return sum((comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(count, trials + 1)), Fraction(0))


@given(st.integers(1, 60), st.data(), st.sampled_from([0.5, 0.05, 1e-3, 1e-9]))
@draws(40)
def test_the_tails_beyond_an_exact_interval(trials: int, data: st.DataObject, alpha: float) -> None:
    count = data.draw(st.integers(0, trials))
    low, high = clopper_pearson(count, trials, alpha)
    half, near = Fraction(alpha) / 2, Fraction(1000001, 1000000)
    assert (low == 0) == (count == 0)
    assert (high == 1) == (count == trials)
    if count:
        assert half / near <= at_least(count, trials, Fraction(low)) <= half
    if count < trials:
        assert half / near <= 1 - at_least(count + 1, trials, Fraction(high)) <= half


def test_two_values_in_one_sequence() -> None:
    """All sequences of one length: Clopper and Pearson hold though the chain decides how often it visits a state."""
    alpha = 0.3
    for p, q, length, start in product((0.1, 0.3, 0.62), (0.0, 0.4, 1.0), (3, 8), (0, 1)):
        missed = {-1: 0.0, 1: 0.0}
        reached = {(start, 0, 0): 1.0}
        for _ in range(length - 1):
            later: dict[tuple[int, int, int], float] = {}
            for (state, left, visits), chance in reached.items():
                for to, part in ((1, p), (0, 1 - p)) if state == 0 else ((0, q), (1, 1 - q)):
                    key = to, left + (state == 0 and to == 1), visits + (state == 0)
                    later[key] = later.get(key, 0.0) + chance * part
            reached = later
        for (_, left, visits), chance in reached.items():
            if visits:
                low, high = clopper_pearson(left, visits, alpha)
                missed[-1] += chance * (p < low)
                missed[1] += chance * (p > high)
        assert max(missed.values()) <= alpha / 2


LAWS = [[0.9, 0.04, 0.01, 0.01, 0.04], [0.5, 0.3, 0.2], [0.97, 0.03]]


def test_coverage_by_simulation() -> None:
    homes = 20
    draw, rounds, alpha = np.random.default_rng(20180), 600, 0.2
    shared = alone = 0
    for _ in range(rounds):
        counts = [draw.multinomial(homes, law) for law in LAWS]
        whole = simultaneous(1 - alpha, [len(law) for law in LAWS])
        assert whole is not None
        assert whole.claims == 5 + 3 + 1
        shared += _holds(counts, clopper_pearson, alpha / whole.claims)
        assert _holds(counts, whole.ends, alpha / whole.claims) == _all_inside([whole.rows(c)[0] for c in counts])
        alone += _holds(counts, clopper_pearson, alpha)
    assert shared >= (1 - alpha) * rounds
    assert alone < (1 - alpha) * rounds - 3 * (rounds * alpha) ** 0.5, "each at that level, not all together"


def _holds(counts: list[np.ndarray], ends: Ends, alpha: float) -> bool:
    return _all_inside([Simultaneous(ends, 1 - alpha, 1).rows(row)[0] for row in counts])


def _all_inside(rows: list[Row]) -> bool:
    return all(
        low <= p <= high for row, law in zip(rows, LAWS, strict=True) for (low, high), p in zip(row, law, strict=True)
    )


def test_nothing_seen_is_nothing_learned() -> None:
    for ends in (clopper_pearson, robbins):
        region = Simultaneous(ends, 0.95, 1)
        assert region.rows(np.zeros((1, 3), dtype=np.int64)) == (((0.0, 1.0),) * 3,)
        assert region.rows(np.array([[9]])) == (((1.0, 1.0),),)
        (low, high), (other_low, other_high) = region.rows(np.array([[0, 9]]))[0]
        assert low == 0 < high < 1 == other_high
        assert other_low == pytest.approx(1 - high, abs=1e-8)
