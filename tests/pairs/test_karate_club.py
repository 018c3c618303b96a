"""Zachary's karate club, 34 people and 78 friendships, beside linear programs over all laws of a neighbourhood.

networkx numbers people from 0. Read as numbers from 1, and the rows that name nobody dropped, the club falls apart into
people without a friend, five and 27 who are connected, and 7 nats less are said to leak.
"""

from itertools import product
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import dalenius as dl
from dalenius.errors import InputError
from tests.cli.command import Run

nx = pytest.importorskip("networkx")
CLUB = nx.karate_club_graph()
ALIKE = ((0.9, 0.1), (0.1, 0.9))
SPEC = """model = { kind = "pairwise", n = 34, values = [0, 1], given = [[0.9, 0.1], [0.1, 0.9]], others = "anything", \
edges = { file = "club.csv", first = "a", second = "b"%s } }
query = { kind = "count" }
noise = { kind = "laplace", scale = 1.0 }
notion = { kind = "inferential", epsilon = 1.0 }
"""


def written(folder: Path, first: int, more: str = "") -> Path:
    """The club with people numbered from there, and a spec of it."""
    rows = [f"{one + first},{other + first}" for one, other in CLUB.edges]
    (folder / "club.csv").write_text("\n".join(["a,b", *rows, ""]), encoding="utf-8")
    (folder / "club.toml").write_text(SPEC % more, encoding="utf-8")
    return folder / "club.toml"


def extreme(friends: int, value: int, sign: int) -> float:
    """The least (1) or the largest (-1) E e^{number ill} of so many friends, each alike with .9, over all their joint
    laws given one value: a linear program over 2^friends outcomes."""
    outcomes = list(product((0, 1), repeat=friends))
    costs = [sign * exp(sum(outcome)) for outcome in outcomes]
    rows = [[float(outcome[place]) for outcome in outcomes] for place in range(friends)]
    done = linprog(costs, A_eq=[[1.0] * len(outcomes), *rows], b_eq=[1.0, *[ALIKE[value][1]] * friends])
    assert done.fun is not None
    return sign * float(done.fun)


def most(graph: Any) -> float:
    """The largest log E e^{count} given 1 against 0, where whoever is connected, and no friend, may be anything."""
    found = []
    for person in graph.nodes:
        friends = graph.degree[person]
        others = len(nx.node_connected_component(graph, person)) - 1 - friends
        # A bound from above of the largest hubs, without 2^17 outcomes: all ill at once, and the mean at the least.
        if friends > 10:
            ratio = log(0.9 * exp(friends) + 0.1) - log(exp(0.1 * friends))
        else:
            ratio = log(extreme(friends, 1, -1)) - log(extreme(friends, 0, 1))
        found.append(1 + others + ratio)
    return float(max(found))


def upper(found: dl.Audit) -> float:
    leakage = found["inferential"]
    assert 0 < leakage.lower <= leakage.upper
    return float(leakage.upper)


def test_the_club_leaks_what_programs_say() -> None:
    """Whoever has one friend, of whom 32 others depend in any way."""
    model = dl.Pairwise(
        n=34,
        values=[0, 1],
        given=ALIKE,
        edges=[[one + 1, other + 1] for one, other in CLUB.edges],
        others="anything",
    )
    found = upper(dl.audit(dl.Release(model, dl.Count(), dl.Laplace(scale=1.0)), dl.InferentialPrivacy()))
    truth = most(CLUB)
    assert found == pytest.approx(truth, abs=1e-6)
    assert truth == pytest.approx(33.776137, abs=1e-6)


def test_people_numbered_from_0_are_refused(run: Run, tmp_path: Path) -> None:
    done = run("audit", written(tmp_path, 0))
    assert done.code == 2
    assert "16 of 78 rows name nobody (rows 1, 2, 3, 4, 5 and 11 more): a 0 occurs in 16" in done.err
    assert run("audit", written(tmp_path, 1), "--json").json["leakage"]["inferential"]["upper"] > 33.776


def test_rows_that_are_left_out_are_counted_and_leak_less(run: Run, tmp_path: Path) -> None:
    found = run("audit", written(tmp_path, 0, ', unknown = "leave_out"'), "--json").json
    assert [(each["rows"], each["of"]) for each in found["left_out"]] == [(16, 78)]
    rest = nx.Graph(CLUB)
    rest.remove_node(0)
    truth = most(rest)
    assert found["leakage"]["inferential"]["upper"] == pytest.approx(truth, abs=1e-6)
    assert truth == pytest.approx(26.776137, abs=1e-6)
    with pytest.raises(InputError, match="16 of 78 rows name nobody"):
        dl.read_spec(written(tmp_path, 0)).audited()


def test_no_joint_law_leaks_more_than_is_said() -> None:
    """Laws drawn at random of a person, one friend and three others who depend in any way: none leaks more."""
    model = dl.Pairwise(n=5, values=[0, 1], given=ALIKE, edges=[[1, 2], [2, 3], [3, 4], [4, 5]], others="anything")
    said = upper(dl.audit(dl.Release(model, dl.Count(), dl.Laplace(scale=1.0)), dl.InferentialPrivacy()))
    outcomes = np.array(list(product((0, 1), repeat=5)))
    pairs = [((i, i + 1), (a, b)) for i in range(4) for a in (0, 1) for b in (0, 1)]
    rows = [(outcomes[:, i] == a) & (outcomes[:, j] == b) for (i, j), (a, b) in pairs]
    right = [0.5 * ALIKE[a][b] for _, (a, b) in pairs]
    draw, reached = np.random.default_rng(7), 0.0
    for _ in range(60):
        # A corner of the set of laws in which the next pair's is as given.
        law = np.asarray(linprog(draw.normal(size=32), A_eq=np.array(rows, float), b_eq=right).x)
        for person in range(5):
            ends = [law[outcomes[:, person] == value] for value in (0, 1)]
            counts = [np.exp(outcomes[outcomes[:, person] == value].sum(axis=1)) for value in (0, 1)]
            up = log(ends[1] @ counts[1]) - log(ends[0] @ counts[0])
            down = log(ends[0] @ (1 / counts[0])) - log(ends[1] @ (1 / counts[1]))
            reached = max(reached, abs(up), abs(down))
    assert 1.5 < reached <= said
