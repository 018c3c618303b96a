"""NP Figures 1 to 4: the lines are the paper's formulas, the exact curves those of the laws, computed another way."""

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest
from scipy.stats import binom

from papers.noiseless.sums import LAW, THIRD, sum_at
from tests.papers.scripts.figures import Outcome, outcome_of


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return outcome_of("noiseless", tmp_path_factory.mktemp("noiseless"))


def read(outcome: Outcome, figure: int) -> list[dict[str, float]]:
    rows = outcome.rows(f"noiseless_figure_{figure}")
    return [{key: float(cell) for key, cell in row.items()} for row in rows]


def number(outcome: Outcome, where: str, beginning: str) -> float:
    (found,) = (each.ours for each in outcome.numbers if each.where == where and each.what.startswith(beginning))
    return found


def exact(n: int, p: float, epsilon: float) -> float:
    """Of a count of bits: the larger of the two hockey-sticks."""
    counts = np.arange(n + 1)
    one, other = binom.pmf(counts - 1, n - 1, p), binom.pmf(counts, n - 1, p)
    return float(max(np.maximum(a - exp(epsilon) * b, 0).sum() for a, b in ((one, other), (other, one))))


@pytest.mark.slow
@pytest.mark.parametrize(("figure", "p", "epsilon"), [(1, 0.95, 0.5), (2, 0.2, 1.0)])
def test_lines_of_bits(outcome: Outcome, figure: int, p: float, epsilon: float) -> None:
    rare = min(p, 1 - p)
    deviation = rare * (exp(epsilon) - 1) / (exp(epsilon) + rare / (1 - rare))
    for row in read(outcome, figure):
        n = int(row["n"])
        assert row["theorem_1"] == pytest.approx(2 * exp(-2 * n * deviation**2), rel=1e-9)
        assert row["bhaskar_et_al"] == pytest.approx(2 * exp(-n * deviation**2 / (3 * p)), rel=1e-9)
        truth = exact(n, p, epsilon)
        assert row["exact_lower"] == pytest.approx(truth, rel=1e-5)
        assert row["exact_upper"] == pytest.approx(truth, rel=1e-5)
        assert row["exact_upper"] < min(row["theorem_1"], 1)


def test_our_law_has_the_moments_it_says() -> None:
    law = {value: Fraction(str(chance)) for value, chance in LAW.items()}
    assert sum(law.values()) == 1
    assert sum(value * chance for value, chance in law.items()) == 0
    assert sum(value**2 * chance for value, chance in law.items()) == 4
    assert max(law) - min(law) == 30
    assert float(sum(abs(value) ** 3 * chance for value, chance in law.items())) == pytest.approx(THIRD, rel=1e-12)
    assert THIRD > 8 > 3


@pytest.mark.slow
def test_lines_of_example_1(outcome: Outcome) -> None:
    third, fourth = read(outcome, 3), read(outcome, 4)
    for epsilons, deltas in zip(third, fourth, strict=True):
        n = epsilons["n"]
        epsilon = sqrt(900 * log(n) / (4 * n))
        assert epsilons["epsilon_printed"] == deltas["epsilon"] == pytest.approx(epsilon, rel=1e-12)
        printed = 1.12 * 3 * n / (4 * n) ** 1.5 * (1 + exp(epsilon)) + 4 / (5 * sqrt(n))
        assert deltas["delta_printed"] == epsilons["delta_printed"] == pytest.approx(printed, rel=1e-12)
        assert deltas["exact_upper"] < deltas["delta_printed"] < deltas["corrected_nearest_moments"]
        assert deltas["corrected_nearest_moments"] < deltas["corrected_our_law"]
        assert epsilons["exact_epsilon_at_it_upper"] < epsilon
    assert number(outcome, "Example 1", "ε of Theorem 2") < 0.5
    assert number(outcome, "Example 1", "δ of Theorem 2 as printed") == pytest.approx(0.0188214, rel=1e-5)


def test_exact_curve_of_our_law_is_that_of_a_convolution() -> None:
    n = 400
    at = sum_at(n)
    one = np.zeros(31)
    for value, chance in LAW.items():
        one[value + 14] = chance
    others = np.ones(1)
    for _ in range(n - 1):
        others = np.convolve(others, one)
    given = np.array([np.pad(others, (value + 14, 16 - value)) for value in LAW])

    def delta(epsilon: float) -> float:
        return float(max(np.maximum(a - exp(epsilon) * b, 0).sum() for a in given for b in given))

    assert at.exact.lower - 1e-12 <= delta(at.epsilon) <= at.exact.upper + 1e-12
    assert at.exact.upper - at.exact.lower < 1e-9
    assert delta(at.least.upper) <= at.printed * (1 + 1e-9)
    if at.least.lower > 0:
        assert delta(at.least.lower * (1 - 1e-6)) > at.printed
