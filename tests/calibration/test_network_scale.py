"""The fixed point of dependent sensitivity over a graph in an engine, against the method for spelled-out models."""

import random
from collections import Counter
from itertools import combinations
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

import dalenius as dl
from dalenius import network_scale
from dalenius.calibration.pairwise.value_grid import Formula, diameter, revealed
from dalenius.errors import InputError
from dalenius.graphs import PAPER, Dropped, Grid
from dalenius.tables.cliques import of_cliques
from dalenius.tables.edges import open_edges
from tests.cases import in_turn
from tests.pace import one_in

GRID = Grid(south=30.0, west=-98.0, north=30.3, east=-97.6, rows=3, columns=4)
POINTS = GRID.points_miles()
LAWS = {"far": PAPER.law(GRID.distances_miles()), "near": np.eye(12) / 2 + 1 / 24}
EDGES = {"first": [0, 0, 0, 4, 5, 1, 1, 7], "second": [1, 2, 3, 0, 1, 5, 1, 8], "tie": ["far"] * 4 + ["near"] * 4}


def table(engine: str, rows: dict[str, Any] = EDGES) -> Any:
    return getattr(ibis, engine).connect().create_table("edges", pa.table(rows))


@pytest.mark.parametrize("formula", ["exact", "fixed", "far"])
def test_the_scale_is_where_the_worst_persons_sum_is_epsilon(formula: Formula) -> None:
    """0 has four friends far away, 1 one far and one near by: no order of kinds decides which is worse."""
    found = network_scale(table("duckdb"), LAWS, POINTS, 2.0, formula, kind="tie")
    assert found.dropped == Dropped(self_loops=1, duplicates=1)
    assert found.edges == 6
    ties: dict[int, Counter[str]] = {}
    for one, other, tie in {(0, 1, "far"), (0, 2, "far"), (0, 3, "far"), (0, 4, "far"), (1, 5, "near"), (7, 8, "near")}:
        for end in (one, other):
            ties.setdefault(end, Counter())[tie] += 1

    def sums(scale: float) -> dict[int, float]:
        nats = {tie: revealed(law, POINTS, scale, formula).middle for tie, law in LAWS.items()}
        return {
            end: diameter(POINTS) / scale + sum(nats[tie] * times for tie, times in own.items())
            for end, own in ties.items()
        }

    assert max(sums(found.scale).values()) <= 2.0 < max(sums(found.scale * (1 - 1e-6)).values())
    worst = max(ties, key=lambda end: sums(found.scale)[end])
    assert found.worst == {tie: ties[worst][tie] for tie in LAWS}
    assert found.people == sum(own == ties[worst] for own in ties.values())
    added = sum(found.coefficients[tie] * times for tie, times in found.worst.items())
    assert found.dependent_sensitivity == pytest.approx(diameter(POINTS) * (1 + added), rel=1e-9)
    assert found.dependent_sensitivity == 2.0 * found.scale
    assert not found.sound


def test_engines_find_the_same_scale() -> None:
    found = [network_scale(table(engine), LAWS, POINTS, 0.7, kind="tie") for engine in ("duckdb", "sqlite")]
    assert found[0] == found[1]


def test_a_network_spelled_out_has_the_same_scale() -> None:
    values, law = [0, 1, 2, 3], np.full((4, 4), 0.1) + 0.6 * np.eye(4)
    pairs = [(1, 2), (1, 3), (1, 4), (4, 5)]
    model = dl.Pairwise(n=6, values=values, given=law.tolist(), edges=pairs)
    release = dl.Release(model, dl.Sum(lower=0, upper=3), dl.Laplace(scale=1.0))
    expected = dl.calibrate(release, dl.InferentialPrivacy(epsilon=0.8), "dependence_coefficient")
    rows = {"first": [one for one, _ in pairs], "second": [other for _, other in pairs]}
    found = network_scale(table("duckdb", rows), law, [float(value) for value in values], 0.8)
    assert found.scale == pytest.approx(expected.noise.scale, rel=1e-9)
    assert (found.worst, found.people) == ({"all": 3}, 1)


LINE = np.full((3, 3), 0.15) + 0.55 * np.eye(3)


def spelled_out(pairs: list[tuple[int, int]], epsilon: float) -> dl.Calibration:
    model = dl.Pairwise(n=6, values=[0, 1, 2], given=LINE.tolist(), edges=pairs)
    release = dl.Release(model, dl.Sum(lower=0, upper=2), dl.Laplace(scale=1.0))
    return dl.calibrate(release, dl.InferentialPrivacy(epsilon=epsilon), "comonotone")


OPEN = [(1, 2), (1, 3), (1, 4), (4, 5)]
CLIQUES = [(1, 2), (4, 1), (1, 3), (2, 3), (4, 2), (3, 4), (5, 6)]


@in_turn({"pairs": [OPEN, CLIQUES, [*OPEN[:3], (2, 3), (3, 4)]], "epsilon": [0.2, 1.0, 4.0]})
def test_the_comonotone_scale_is_the_methods_own(epsilon: float, pairs: list[tuple[int, int]]) -> None:
    rows = {"first": [one for one, _ in pairs], "second": [other for _, other in pairs]}
    found = network_scale(table("sqlite", rows), LINE, [0.0, 1.0, 2.0], epsilon, "comonotone")
    expected = spelled_out(pairs, epsilon)
    assert found.sound == expected.sound == (pairs == CLIQUES)
    assert found.scale == pytest.approx(expected.noise.scale, rel=1e-6)
    assert found.scale <= 2 * 4 / epsilon * (1 + 1e-9)
    assert found.worst == {"all": 3}


@pytest.mark.parametrize("block", one_in(3, range(3)))
def test_whether_all_who_are_connected_have_an_edge(block: int) -> None:
    rng, seen = random.Random(block), {True: 0, False: 0}
    for _ in range(12):
        people, share = rng.randint(2, 6), rng.choice([0.15, 0.3, 1.0])
        pairs = [pair for pair in combinations(range(people), 2) if rng.random() < share] or [(0, 1)]
        mixed = [rng.choice([pair, pair[::-1]]) for pair in pairs]
        near = [{b if a == person else a for a, b in pairs if person in (a, b)} | {person} for person in range(people)]
        rows = {"first": [f"p{one}" for one, _ in mixed], "second": [f"p{other}" for _, other in mixed]}
        edges = open_edges(table(rng.choice(["duckdb", "sqlite"]), rows))
        assert of_cliques(edges) == all(near[a] == near[b] for a, b in pairs)
        seen[of_cliques(edges)] += 1
    assert min(seen.values()) > 0


def test_a_friend_more_may_ask_for_less_noise() -> None:
    """Two who always differ add up to the same: one's value shows in nothing but a third person's."""
    edges = table("duckdb", {"first": [1, 1], "second": [2, 3]})
    opposite = np.eye(2)[::-1]
    found = network_scale(edges, opposite, [0.0, 1.0], 1.0, "comonotone")
    assert (found.worst, found.people) == ({"all": 2}, 1)
    assert found.scale == pytest.approx(1.0, rel=1e-6)
    alone = network_scale(table("duckdb", {"first": [1], "second": [2]}), opposite, [0.0, 1.0], 1.0, "comonotone")
    assert alone.scale < 0.01


def test_people_without_friends_have_their_own_sensitivity() -> None:
    nobody = pa.table({"first": pa.array([], pa.int64()), "second": pa.array([], pa.int64())})
    engine = ibis.duckdb.connect()
    edges = engine.create_table("edges", nobody)
    assert network_scale(edges, np.eye(2), [0.0, 3.0], 1.5).scale == pytest.approx(2.0, rel=1e-12)
    people = engine.create_table("people", pa.table({"person": ["a", "b"]}))
    found = network_scale(edges, np.eye(2), [0.0, 3.0], 1.5, people=people)
    assert (found.worst, found.people) == ({"all": 0}, 2)
    assert found.dependent_sensitivity == pytest.approx(3.0, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 0.0}, r"^epsilon: 0\.0, wanted a finite number above 0$"),
        ({"kind": None}, r"^kind: missing, wanted a column of kinds, and a law for each of its values$"),
        ({"laws": np.eye(12)}, r"^kind: tie, wanted a column of kinds, and a law for each of its values$"),
        ({"laws": {"far": np.eye(12)}}, r"^kind tie: near, wanted one of far; 2 edges are of none$"),
        ({"points": np.zeros((12, 2))}, r"^points: all the same, wanted values that change the answer$"),
        ({"points": np.ones(3)}, r"^points: all the same"),
        ({"formula": "near"}, r"^formula: near, wanted one of exact, fixed, far, comonotone$"),
        (
            {"formula": "comonotone"},
            r"^points: of 2 axes, wanted one number for each value with the formula comonotone$",
        ),
        (
            {"formula": "comonotone", "directed": True},
            r"^directed: true, wanted undirected edges with the formula como",
        ),
    ],
)
def test_what_has_no_scale_is_refused(change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"laws": LAWS, "points": POINTS, "epsilon": 1.0, "kind": "tie"}
    with pytest.raises(InputError, match=message):
        network_scale(table("duckdb"), **(given | change))


def test_a_pair_of_two_kinds_has_no_law_of_its_own() -> None:
    rows = {"first": [1, 2, 1], "second": [2, 1, 3], "tie": ["near", "far", "near"]}
    with pytest.raises(
        InputError, match=r"^kind: several between the same two people, 1 times, wanted one law for each"
    ):
        network_scale(table("duckdb", rows), LAWS, range(12), 1.0, "comonotone", kind="tie")
