"""Chow–Liu trees: the true tree found, the heaviest of all trees, tables and likelihoods by enumeration.

The rectangle of an epidemic's two probabilities, and the first record's law of a chain in intervals.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import log
from typing import Any

import numpy as np
import pytest

from dalenius.fitting import fit_households, fit_network
from dalenius.fitting.columns import spanning_forest
from dalenius.fitting.fit import stationary_row
from dalenius.fitting.households import Rectangle, final_size_laws, rectangle
from dalenius.laws.law import Array, IntArray
from dalenius.models import Epidemic

NOISE = 0.25


def tree_of_six(rows: int, seed: int) -> dict[str, IntArray]:
    """b, c copy a; d, e copy b; f copies c; each wrong with chance NOISE."""
    draw = np.random.default_rng(seed)
    columns = {"a": draw.integers(0, 2, rows)}
    for child, parent in ("ba", "ca", "db", "eb", "fc"):
        columns[child] = np.where(draw.random(rows) < NOISE, 1 - columns[parent], columns[parent])
    return {name: columns[name] for name in "fedcba"}


def chance(section: dict[str, Any], row: dict[str, Any]) -> float:
    """Of one assignment, by the section's own words: last parent fastest."""
    values = {node["name"]: node["values"] for node in section["nodes"]}
    total = 1.0
    for node in section["nodes"]:
        place = 0
        for parent in node["parents"]:
            place = place * len(values[parent]) + values[parent].index(row[parent])
        total *= node["probabilities"][place][values[node["name"]].index(row[node["name"]])]
    return total


def edges(pairs: Sequence[tuple[str, str]]) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in pairs}


def test_the_true_tree_is_found() -> None:
    fit = fit_network(tree_of_six(4000, 1))
    assert edges([(each.parent, each.child) for each in fit.edges]) == edges(
        [("a", "b"), ("a", "c"), ("b", "d"), ("b", "e"), ("c", "f")]
    )
    section = fit.section()
    seen: set[str] = set()
    for node in section["nodes"]:  # parents come first
        assert set(node["parents"]) <= seen
        seen.add(node["name"])
    assert section["nodes"][0]["name"] == "f"
    assert fit.g is not None
    assert fit.g.degrees_of_freedom == 2**6 - 1 - 11
    assert fit.g.p_value is not None
    assert fit.g.p_value > 1e-3


def test_likelihoods_by_enumeration() -> None:
    columns = {name: cells[:200] for name, cells in tree_of_six(200, 4).items()}
    fit = fit_network(columns, smoothing=1e-9)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*(c.tolist() for c in columns.values()), strict=True)]
    assert fit.log_likelihood == pytest.approx(sum(log(chance(fit.section(), row)) for row in rows), abs=1e-5)
    shares = {name: Counter(cells.tolist()) for name, cells in columns.items()}
    alone = sum(log(shares[name][value] / 200) for row in rows for name, value in row.items())
    assert fit.independent_log_likelihood == pytest.approx(alone)
    whole = Counter(tuple(row.values()) for row in rows)
    assert fit.saturated_log_likelihood == pytest.approx(sum(n * log(n / 200) for n in whole.values()))
    assert fit.g is None  # 200 rows are too few for a table of 64


def test_smoothing_by_hand() -> None:
    nodes = fit_network({"x": [0, 0, 1], "y": [0, 1, 1]}, smoothing=2.0).section()["nodes"]
    assert nodes[0]["probabilities"] == [pytest.approx([3 / 5, 2 / 5])]
    assert nodes[1]["probabilities"] == [pytest.approx([2 / 4, 2 / 4]), pytest.approx([1 / 3, 2 / 3])]


def test_no_tree_is_heavier() -> None:
    size, seed = 5, 3
    half = np.triu(np.random.default_rng(seed).random((size, size)), 1)
    weights: Array = half + half.T
    own = sum(weights[child, parent] for child, parent in spanning_forest(weights).items() if parent is not None)
    pairs = list(combinations(range(size), 2))
    best = max(sum(weights[pair] for pair in tree) for tree in combinations(pairs, size - 1) if _spans(tree, size))
    assert own == pytest.approx(best)


def _spans(tree: Sequence[tuple[int, int]], size: int) -> bool:
    reached = {0}
    for _ in range(size):
        reached |= {end for pair in tree if reached & set(pair) for end in pair}
    return len(reached) == size


HOMES = {1: 40, 2: 60, 4: 50}
TRUTH = 0.12, 0.35


def drawn(
    draw: np.random.Generator, homes: dict[int, int] = HOMES, truth: tuple[float, float] = TRUTH
) -> dict[int, np.ndarray]:
    laws = final_size_laws(homes, *truth)
    return {size: draw.multinomial(count, laws[size] / laws[size].sum()) for size, count in homes.items()}


def holds(found: Rectangle | None, truth: tuple[float, float] = TRUTH) -> bool:
    if found is None:
        return False
    sides = zip((found.community, found.household), truth, strict=True)
    return all(low <= value <= high for (low, high), value in sides)


@pytest.mark.slow
def test_coverage_by_simulation() -> None:
    """Both hold at the level together."""
    truth = 0.02, 0.0
    draw, rounds = np.random.default_rng(1982), 30
    assert sum(holds(rectangle(drawn(draw, truth=truth), 0.8), truth) for _ in range(rounds)) >= 0.8 * rounds


def test_it_narrows_with_more_households_and_holds_the_likeliest() -> None:
    laws = final_size_laws(HOMES, *TRUTH)
    widths = []
    for times in (1, 100):
        counts = {(size, k): round(times * HOMES[size] * p) for size, law in laws.items() for k, p in enumerate(law)}
        fit = fit_households(counts, confidence=0.95)
        assert fit.region is not None
        assert fit.region.claims == 1 + 2 + 4
        assert fit.epidemic is not None
        assert isinstance(fit.epidemic.epidemic, Epidemic)
        for side, name in ((fit.region.community, "community"), (fit.region.household, "household")):
            assert side[0] <= getattr(fit.epidemic.epidemic, name) <= side[1]
            assert fit.goodness()["epidemic"][f"{name}_interval"] == list(side)
        widths.append(fit.region.household[1] - fit.region.household[0])
    assert widths[1] < widths[0] / 5


def test_an_epidemic_that_fits_nothing() -> None:
    """Two of four, or nobody, in 500 households each: no values make that likely."""
    assert rectangle({4: np.array([500, 0, 500, 0, 0])}, 0.95) is None
    fit = fit_households({(4, 0): 500, (4, 2): 500}, confidence=0.95)
    assert fit.goodness()["epidemic"]["household_interval"] is None


def test_nothing_is_learned_of_contacts_from_people_who_live_alone() -> None:
    found = rectangle({1: np.array([90, 10])}, 0.95)
    assert found is not None
    assert found.household == (0.0, 1.0)
    assert 0.04 < found.community[0] < 0.1 < found.community[1] < 0.19


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
