"""Transition matrices from simulated chains, the likelihood by hand, and the test of order 2.

Laws of households and the Longini–Koopman epidemic, from simulated households with a known truth.
"""

from math import inf, log

import numpy as np
import pytest
from scipy import stats
from scipy.stats.contingency import chi2_contingency

from dalenius.arrays import IntArray
from dalenius.fitting import fit_chain, fit_epidemic, fit_households
from dalenius.fitting.fit import likelihood_ratio, mutual_information
from dalenius.models import Epidemic
from tests.points import points


def remembering(steps: int, weight: float, draw: np.random.Generator) -> IntArray:
    """A binary chain of order 2: 1 is likelier by `weight` where the record before the last was 1."""
    states = [0, 1]
    for u in draw.random(steps - 2).tolist():
        states.append(int(u < 0.5 + weight * (2 * states[-2] - 1)))
    return np.array(states)


def test_smoothing_by_hand() -> None:
    fit = fit_chain([["a", "b", "b"], ["b", "a"], ["b"]], smoothing=2.0)
    # Moves: a→b, b→b, b→a, a pseudo-count of 1 each; first records a, b, b of the stationary law (3/7, 4/7).
    assert fit.model.transition == pytest.approx(np.array([[1 / 3, 2 / 3], [1 / 2, 1 / 2]]))
    assert fit.model.initial == "stationary"
    assert (fit.model.n, fit.observations, fit.sequences, fit.transitions) == (3, 6, 3, 3)
    wanted = log(3 / 7) + 2 * log(4 / 7) + log(2 / 3) + 2 * log(1 / 2)
    assert fit.log_likelihood == pytest.approx(wanted, rel=1e-12)


def test_second_order_by_scipy() -> None:
    sequences = np.random.default_rng(3).integers(0, 3, (5, 200)).tolist()
    found = fit_chain(sequences).order_two
    assert found.degrees_of_freedom == 3 * 2**2
    tables = np.zeros((3, 3, 3), dtype=np.int64)
    for each in sequences:
        for a, b, c in zip(each, each[1:], each[2:], strict=False):
            tables[b, a, c] += 1
    wanted = [chi2_contingency(table, correction=False, lambda_="log-likelihood") for table in tables]
    assert found.statistic == pytest.approx(sum(each.statistic for each in wanted), rel=1e-9)
    assert found.smallest_expected == pytest.approx(min(each.expected_freq.min() for each in wanted))


def test_neighbours_that_never_occur_have_no_freedom() -> None:
    found = fit_chain([0, 1, 2] * 50).order_two  # a cycle: the neighbours of a record are certain
    assert (found.statistic, found.degrees_of_freedom, found.p_value) == (0, 0, None)


def test_a_chain_of_order_two_is_told_from_one_of_order_one() -> None:
    draw = np.random.default_rng(5)
    for weight in (0.0, 0.1):
        fit = fit_chain(remembering(4000, weight, draw))
        assert fit.order_two.p_value is not None
        assert (fit.order_two.p_value < 1e-6) == (weight > 0)


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
    g = 0.0
    for (size, infected), seen in counts.items():
        expected = 300 * found.epidemic.infected(size)[infected]
        g += 2 * seen * log(seen / expected) if seen else 0.0
    assert found.g.statistic == pytest.approx(g, rel=1e-9)
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


def test_rows_and_columns_that_never_occur_do_not_count() -> None:
    counts = np.array([[5, 0, 7], [0, 0, 0], [9, 0, 2]])
    occurring = counts[::2, ::2]
    assert likelihood_ratio(counts) == likelihood_ratio(occurring)
    nothing = np.zeros((2, 3), dtype=np.int64)
    assert mutual_information(nothing) == 0
    assert likelihood_ratio(nothing).p_value is None
