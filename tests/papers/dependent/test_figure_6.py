"""Separations of Example 1: against quadrature and simulation of the definition."""

from math import exp, log

import numpy as np
import pytest
from scipy.integrate import quad

from papers.dependent.figure_6 import QUERIES, density, numbers, separation

BY_NAME = {query.name: query for query in QUERIES}
OF_BOTH = {"sum": lambda i, j: i + j, "subtraction": lambda i, j: i - j, "multiplication": lambda i, j: i * j}


def by_quadrature(name: str, output: float, first: float, epsilon: float) -> float:
    """The density of the published output given D_i = first, over X uniform on [0, 1]."""

    def given(other: float) -> float:
        value = OF_BOTH[name](first, 0.5 * first + 0.5 * other)
        return epsilon / 2 * exp(-epsilon * abs(output - value))

    kinks = [0.25, 0.5, 0.75]
    return float(quad(given, 0, 1, points=kinks, limit=200)[0])


@pytest.mark.parametrize("name", OF_BOTH)
def test_densities_are_those_of_quadrature(name: str) -> None:
    for first in (0.0, 0.3, 1.0):
        low, high = BY_NAME[name].ends(np.array([first]))
        for output in (-1.0, 0.1, 0.6, 0.9, 2.5):
            found = density(np.array([output]), float(low[0]), float(high[0]), 1.3)[0]
            assert found == pytest.approx(by_quadrature(name, output, first, 1.3), rel=1e-6)


@pytest.mark.parametrize("name", OF_BOTH)
def test_no_output_separates_more_and_one_as_much(name: str) -> None:
    epsilon = 4.0
    found = separation(BY_NAME[name], epsilon)
    logs = []
    outputs = np.linspace(-3, 4, 701)
    for first in np.linspace(0, 1, 21):
        low, high = BY_NAME[name].ends(np.array([first]))
        logs.append(np.log(density(outputs, float(low[0]), float(high[0]), epsilon)))
    most = float(np.ptp(np.array(logs), axis=0).max())
    assert most <= found * (1 + 1e-12)
    assert most == pytest.approx(found, rel=1e-9)  # already reached outside of the range of the query


def test_the_paper_s_separations() -> None:
    found = {number.what.removeprefix("separation of ").split(",")[0]: number for number in numbers()}
    product = 0.5 + log((exp(0.5) - 1) / 0.5)  # E[e^{(1+X)/2}], D_i = 1; the answer is 0 for D_i = 0
    for name, theirs, ours in (("sum", 1.5, 1.5), ("subtraction", 0.5, 0.5), ("multiplication", None, product)):
        assert found[name].theirs == theirs
        assert found[name].ours == pytest.approx(ours, rel=1e-12)
