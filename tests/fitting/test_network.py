"""Chow–Liu trees: the true tree found, the heaviest of all trees, tables and likelihoods by enumeration.

The first record's law of a chain in intervals.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import log
from typing import Any

import numpy as np
import pytest

from dalenius.arrays import Array, IntArray
from dalenius.fitting import fit_network
from dalenius.fitting.simultaneous_intervals import stationary_row
from dalenius.fitting.tree import spanning_tree

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
    own = sum(weights[child, parent] for child, parent in spanning_tree(weights).items() if parent is not None)
    pairs = list(combinations(range(size), 2))
    best = max(sum(weights[pair] for pair in tree) for tree in combinations(pairs, size - 1) if _spans(tree, size))
    assert own == pytest.approx(best)


def _spans(tree: Sequence[tuple[int, int]], size: int) -> bool:
    reached = {0}
    for _ in range(size):
        reached |= {end for pair in tree if reached & set(pair) for end in pair}
    return len(reached) == size


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
