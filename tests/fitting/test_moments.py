"""Bounds on moments hold with their confidence; the rows' own moments do not."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from dalenius.certificates import independent_delta
from dalenius.errors import InputError
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


def test_section_reads_back() -> None:
    found = fit_moments([0, 1] * 500, 0, 1)
    assert found.section()["kind"] == "moments"
    assert type(found.model).model_validate(found.section()) == found.model
    assert found.goodness()["bounds"].startswith("mean Hoeffding")
    assert found.observations == 1000


@pytest.mark.parametrize(
    ("cells", "arguments", "line"),
    [
        ([0, 2, 1], (0, 1), r"^value: 2, wanted a number from 0 to 1, the public range, in every row$"),
        ([0, "a"], (0, 1), r"^value: a, wanted a number from 0 to 1"),
        ([0, None], (0, 1), r"^value: nothing, wanted a finite number or a text"),
        ([0, 1], (1, 1), r"^range: \[1, 1\], wanted finite ends"),
        ([0], (0, 1), r"^rows: 1, wanted at least 2 rows$"),
        ([0, 1] * 5, (0, 1), r"^rows: 10, wanted more, or less range: their deviation 0.527046 may be 0"),
        ([0, 1], (0, 1, 2, 1.0), r"^confidence: 1.0, wanted a number above 0 and below 1$"),
    ],
)
def test_refused(cells: list[object], arguments: tuple[float, ...], line: str) -> None:
    with pytest.raises(InputError, match=line):
        fit_moments(cells, *arguments)  # type: ignore[arg-type]
