"""Pair tests, Benjamini and Hochberg's own example, and the graph of a known dependence."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from dalenius.fitting import benjamini_hochberg, fit_independence
from dalenius.fitting.fit import chi_squared, likelihood_ratio, mutual_information
from dalenius.laws.law import IntArray


def test_rows_and_columns_that_never_occur_do_not_count() -> None:
    counts = np.array([[5, 0, 7], [0, 0, 0], [9, 0, 2]])
    occurring = counts[::2, ::2]
    assert chi_squared(counts) == chi_squared(occurring)
    assert likelihood_ratio(counts) == likelihood_ratio(occurring)
    nothing = np.zeros((2, 3), dtype=np.int64)
    assert mutual_information(nothing) == 0
    assert [test(nothing).p_value for test in (chi_squared, likelihood_ratio)] == [None, None]


# The p-values of Benjamini & Hochberg 1995, section 3.2: at .05 their procedure rejects the first four, as p_(4) =
# .0095 <= 4/15 · .05 = .0133 and p_(5) = .0201 > 5/15 · .05 = .0167; Bonferroni rejects three.
PAPER = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
PAPER += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]


def test_benjamini_and_hochbergs_example() -> None:
    assert benjamini_hochberg(PAPER, 0.05) == (True,) * 4 + (False,) * 11
    assert benjamini_hochberg(PAPER[::-1], 0.05) == (False,) * 11 + (True,) * 4


def dependent_columns(rows: int, seed: int) -> dict[str, IntArray]:
    """a — b — c in a chain, d — e a pair, f alone."""
    draw = np.random.default_rng(seed)
    a = draw.integers(0, 3, rows)
    b = np.where(draw.random(rows) < 0.5, draw.integers(0, 3, rows), a)
    c = np.where(draw.random(rows) < 0.5, draw.integers(0, 3, rows), b)
    d = draw.integers(0, 2, rows)
    e = np.where(draw.random(rows) < 0.4, draw.integers(0, 2, rows), d)
    return {"a": a, "d": d, "c": c, "f": draw.integers(0, 4, rows), "b": b, "e": e}


def test_the_graph_is_found() -> None:
    fit = fit_independence(dependent_columns(3000, 1), level=0.01)
    assert {name: set(others) for name, others in fit.adjacency.items()} == {
        "a": {"b", "c"},
        "b": {"a", "c"},
        "c": {"a", "b"},
        "d": {"e"},
        "e": {"d"},
        "f": set(),
    }
    assert fit.components == (("a", "c", "b"), ("d", "e"), ("f",))
    assert fit.neighbourhood == 3
    assert [(each.first, each.second) for each in fit.tests] == list(combinations("adcfbe", 2))
    parents = {node["name"]: node["parents"] for node in fit.section()["nodes"]}
    assert parents == {"a": [], "b": ["a"], "c": ["b"], "d": [], "e": ["d"], "f": []}


@pytest.mark.slow
def test_independent_columns_are_seldom_called_dependent() -> None:
    """Where nothing depends, the false discovery rate is the chance of any discovery."""
    draw = np.random.default_rng(3)
    columns = [{name: draw.integers(0, 2, 400) for name in "abcd"} for _ in range(300)]
    corrected = sum(fit_independence(each, level=0.1).neighbourhood > 1 for each in columns)
    assert stats.binomtest(corrected, 300, 0.1, alternative="greater").pvalue > 1e-3
    uncorrected = sum(
        min(test.chi_squared.p_value or 0 for test in fit_independence(each, level=0.1).tests) < 0.1 for each in columns
    )
    assert stats.binomtest(uncorrected, 300, 0.1, alternative="greater").pvalue < 1e-3
