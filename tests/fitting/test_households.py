"""Laws of households and the Longini–Koopman epidemic, from simulated households with a known truth."""

from math import inf, log

import numpy as np
import pytest
from scipy import stats

from dalenius.fitting import fit_epidemic, fit_households
from dalenius.fitting.households import final_size_laws
from dalenius.models import Epidemic
from tests.points import points

Counts = dict[tuple[int, int], int]
TRUTH = Epidemic(community=0.12, household=0.25)
SIZES = (1, 2, 3, 4, 6)


def simulated(epidemic: Epidemic, homes: int, seed: int, sizes: tuple[int, ...] = SIZES) -> Counts:
    draw = np.random.default_rng(seed)
    rows = {size: draw.multinomial(homes, epidemic.infected(size)) for size in sizes}
    return {(size, infected): int(n) for size, row in rows.items() for infected, n in enumerate(row)}


def enumerated(counts: Counts, epidemic: Epidemic) -> float:
    """The log-likelihood household by household, from the model's own exact law."""
    total = 0.0
    for (size, infected), homes in counts.items():
        for _ in range(homes):
            chance = epidemic.infected(size)[infected]
            total += log(chance) if chance else -inf
    return total


def test_final_sizes_are_the_models() -> None:
    for community, household in ((0.1, 0.2), (1e-6, 1e-5), (0.0, 0.5), (0.3, 1.0)):
        for size, law in final_size_laws(range(1, 13), community, household).items():
            exact = Epidemic(community=community, household=household).infected(size)
            np.testing.assert_allclose(law, exact, rtol=1e-12, atol=0)


@pytest.mark.slow
def test_truth_is_in_the_confidence_region_and_a_near_lie_is_not() -> None:
    counts = simulated(TRUTH, 2000, 1)
    found = fit_epidemic(counts)
    limit = stats.chi2.ppf(0.999, 2)
    assert found.log_likelihood == pytest.approx(enumerated(counts, found.epidemic), rel=1e-12)
    for lie in (None, {"community": 0.12 * 1.2}, {"household": 0.25 * 1.2}):
        ratio = 2 * (found.log_likelihood - enumerated(counts, TRUTH.model_copy(update=lie)))
        assert ratio >= 0
        assert (ratio < limit) == (lie is None)


def test_nothing_nearby_is_likelier() -> None:
    counts = simulated(TRUTH, 100, 2)
    found = fit_epidemic(counts)
    community, household = points([found.epidemic.community, found.epidemic.household])
    for up, along in ((1e-3, 0), (-1e-3, 0), (0, 1e-3), (0, -1e-3), (1e-3, -1e-3)):
        near = Epidemic(community=community + up, household=household + along)
        assert enumerated(counts, near) < found.log_likelihood


def test_statistics_against_plain_sums() -> None:
    counts = simulated(TRUTH, 300, 3)
    found = fit_epidemic(counts)
    g = squares = 0.0
    for (size, infected), seen in counts.items():
        expected = 300 * found.epidemic.infected(size)[infected]
        g += 2 * seen * log(seen / expected) if seen else 0.0
        squares += (seen - expected) ** 2 / expected
    assert found.g.statistic == pytest.approx(g, rel=1e-9)
    assert found.chi_squared.statistic == pytest.approx(squares, rel=1e-9)
    assert found.g.statistic == pytest.approx(2 * (found.saturated_log_likelihood - found.log_likelihood))


def test_borders() -> None:
    counts: dict[tuple[float, float], Counts] = {
        (0.0, 0.0): {(3, 0): 5, (1, 0): 9},
        (1.0, 0.0): {(3, 3): 5, (1, 1): 9},
        (0.25, 0.0): {(1, 0): 30, (1, 1): 10},  # households of one say nothing of `household`
        (0.45, 0.0): {(2, 0): 25, (2, 1): 60, (2, 2): 15},  # less alike than independent people
        (0.1, 1.0): {(2, 0): 81, (2, 2): 19},  # all or nobody
    }
    for truth, seen in counts.items():
        found = fit_epidemic(seen).epidemic
        assert (found.community, found.household) == pytest.approx(truth, abs=1e-6)


def test_smoothed_laws() -> None:
    fit = fit_households({(2, 0): 7, (2, 1): 3, (1, 1): 4}, smoothing=1.5)
    assert fit.model.types is not None
    one, two = fit.model.types
    assert (one.count, two.count) == (4, 10)
    assert one.infected == pytest.approx((0.75 / 5.5, 4.75 / 5.5))
    assert two.infected == pytest.approx((7.5 / 11.5, 3.5 / 11.5, 0.5 / 11.5))
    assert (fit.observations, fit.people, fit.smoothing) == (14, 24, 1.5)
    assert fit.log_likelihood == pytest.approx(
        4 * log(4.75 / 5.5) + 7 * log(7.5 / 11.5) + 3 * log(3.5 / 11.5), rel=1e-12
    )
    assert fit.saturated_log_likelihood == pytest.approx(7 * log(0.7) + 3 * log(0.3), rel=1e-12)
    assert fit.section()["types"][1] == {"infected": list(two.infected), "count": 10}
