"""Bounds on moments hold with their confidence; the rows' own moments do not."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from dalenius.certificates import independent_delta
from dalenius.fitting import fit_moments

Draw: TypeAlias = Callable[[np.random.Generator, int], NDArray[np.float64]]

LAWS: dict[str, tuple[Draw, float, float, float]] = {
    "uniform": (lambda random, m: random.random(m), 1 / 12, 1 / 32, 1 / 80),
    "rare": (lambda random, m: (random.random(m) < 0.02).astype(float), 0.0196, 0.0196 * 0.9608, 0.0196 * 0.9412),
    "fair": (lambda random, m: random.integers(0, 2, m).astype(float), 0.25, 0.125, 0.0625),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_bounds_hold_together_with_their_confidence(name: str) -> None:
    draw, variance, third, fourth = LAWS[name]
    random = np.random.default_rng(5)
    kept = naive = 0
    for _ in range(200):
        found = fit_moments(draw(random, 4000), 0, 1, confidence=0.9)
        model, own = found.model, found.estimates
        kept += model.variance <= variance and model.third_moment >= third * 0.999999 and model.fourth_moment >= fourth
        naive += own["variance"] <= variance and own["third"] >= third and own["fourth"] >= fourth
    assert kept >= 180
    assert naive < 180


def test_bounds_come_close_with_many_rows() -> None:
    random = np.random.default_rng(6)
    model = fit_moments(random.random(400_000) * 10, 0, 10, n=5000).model
    assert model.n == 5000
    assert model.variance == pytest.approx(100 / 12, rel=0.05)
    assert model.third_moment == pytest.approx(1000 / 32, rel=0.05)
    assert model.fourth_moment == pytest.approx(10_000 / 80, rel=0.05)
    assert independent_delta(model, 0.5).delta < 0.05
