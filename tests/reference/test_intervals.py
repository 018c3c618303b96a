"""The reference for intervals, by enumeration."""

from itertools import product
from math import comb, exp

import numpy as np
import pytest

from tests.cases import in_turn
from tests.reference.intervals import (
    moving_count,
    of_all,
    of_cells,
    of_intervals,
    power,
    shifted,
    together,
)


def test_runs_cells_and_sets() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        law, other, epsilon = random.dirichlet(np.ones(6)), random.dirichlet(np.ones(6)), random.uniform(0, 0.5)
        gap = law - exp(epsilon) * other
        runs = [gap[first:last].sum() for first, last in product(range(7), repeat=2) if first <= last]
        assert of_intervals(law, other, epsilon) == pytest.approx(max(runs))
        sets = [gap[list(map(bool, chosen))].sum() for chosen in product((0, 1), repeat=6)]
        assert of_all(law, other, epsilon) == pytest.approx(max(sets))
        cells = [gap[:2].sum(), gap[2:3].sum(), gap[3:].sum()]
        assert of_cells(law, other, epsilon, [2, 3]) == pytest.approx(sum(max(cell, 0) for cell in cells))


def test_laws_of_sums() -> None:
    bits = power(np.array([0.25, 0.75]), 9)
    assert bits == pytest.approx([comb(9, k) * 0.75**k * 0.25 ** (9 - k) for k in range(10)])
    assert together([np.array([0.5, 0.5]), np.array([0.2, 0.0, 0.8])]) == pytest.approx([0.1, 0.1, 0.4, 0.4])
    assert list(shifted(np.array([1.0]), 2)) == [0, 0, 1]


@in_turn({"n, window": [(7, 2), (6, 3), (1, 2)], "held": [None, 0, 1]})
def test_moving_counts(n: int, window: int, held: int | None) -> None:
    p, law = 0.6, np.zeros(n + 1)
    for bits in product((0, 1), repeat=n + window - 1):
        records = [int(all(bits[t : t + window])) for t in range(n)]
        if held is None or records[(n - 1) // 2] == held:
            law[sum(records)] += np.prod([p if bit else 1 - p for bit in bits])
    found, chance = moving_count(n, p, window, held)
    assert found == pytest.approx(law / law.sum(), abs=1e-14)
    assert chance[1] == pytest.approx(p**window)
