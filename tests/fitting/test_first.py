"""The first record's law of a stationary chain whose transitions lie in intervals."""

import numpy as np
import pytest

from dalenius.fitting.first import stationary_row


def test_two_values_in_closed_form() -> None:
    (low, high), other = stationary_row((((0.5, 0.6), (0.4, 0.5)), ((0.2, 0.25), (0.75, 0.8))))
    assert (low, high) == pytest.approx((0.2 / (0.2 + 0.5), 0.25 / (0.25 + 0.4)), rel=1e-9)
    assert other == pytest.approx((1 - high, 1 - low), rel=1e-9)


@pytest.mark.slow
def test_holds_the_laws_of_random_chains_inside() -> None:
    draw, spared = np.random.default_rng(7), 0
    for _ in range(60):
        size = int(draw.integers(2, 5))
        inside = draw.dirichlet(np.ones(size), size)
        wide = draw.random((size, size)) * 0.1
        rows = np.stack([(inside - wide).clip(0), (inside + wide).clip(max=1)], axis=-1)
        found = np.array(stationary_row(tuple(tuple(map(tuple, row)) for row in rows.tolist())))
        law = np.linalg.matrix_power(inside, 3000)[0]
        assert (found[:, 0] <= law + 1e-12).all()
        assert (law <= found[:, 1] + 1e-12).all()
        spared += int((found[:, 1] - found[:, 0]).max() < 0.6)
    assert spared > 20, "and is no vacuous box"


def test_a_chain_that_turns_around() -> None:
    turning = (((0.0, 0.0), (1.0, 1.0)), ((1.0, 1.0), (0.0, 0.0)))
    assert all(low <= 0.5 <= high for low, high in stationary_row(turning))
