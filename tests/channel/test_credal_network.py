"""Networks with intervals against listed laws of their sets."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.models import Network, Node
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy, InformationPrivacy, MutualInformationPrivacy
from dalenius.queries import Sum
from tests.pace import draws
from tests.reference.credal_network import Boxed, leakages, random_rows

ROW = [[0.8, 0.9], [0.1, 0.2]]
TURNED = [[0.1, 0.3], [0.7, 0.9]]
BRANCHES = [((), [[[0.7, 0.9], [0.1, 0.3]]]), ((0,), [ROW, TURNED]), ((0,), [ROW, TURNED]), ((1,), [ROW, TURNED])]
MARRIED = [*BRANCHES[:3], ((1, 2), [ROW, TURNED, TURNED, [[0.0, 0.2], [0.8, 1.0]]])]
OUTPUTS = [x / 2 for x in range(-2, 13)]


def network(nodes: list[Any]) -> Network:
    return Network(
        nodes=tuple(
            Node(name=f"n{i}", parents=tuple(f"n{p}" for p in parents), probabilities=rows if parents else rows[0])
            for i, (parents, rows) in enumerate(nodes)
        )
    )


def boxed(nodes: list[Any]) -> list[Boxed]:
    return [
        (parents, [[(Fraction(str(a)), Fraction(str(b))) for a, b in row] for row in rows]) for parents, rows in nodes
    ]


def check(nodes: list[Any], scale: float, seed: int, laws: int = 12) -> float:
    """The largest share of the bound of the odds that a law came to."""
    release = Release(network(nodes), Sum(), Laplace(scale=scale))
    ratio, information = (notion.leakage(release) for notion in (InferentialPrivacy(), InformationPrivacy()))
    assert 0 <= ratio.lower <= ratio.upper
    random, share = Random(seed), 0.0
    for _ in range(laws):
        seen = leakages(boxed(nodes), random_rows(boxed(nodes), random), scale, OUTPUTS)
        assert seen["inferential"] <= ratio.upper * (1 + 1e-12)
        assert seen["information"] <= information.upper * (1 + 1e-12)
        two_sided = max(seen["information"], seen["lowered"])
        assert two_sided <= information.companions["two_sided"].upper * (1 + 1e-12)
        share = max(share, seen["inferential"] / max(ratio.upper, 1e-9))
    return share


@pytest.mark.parametrize("nodes", [BRANCHES, MARRIED])
def test_no_law_of_the_set_exceeds_the_bounds(nodes: list[Any]) -> None:
    assert check(nodes, 1.0, 1, 40) > 0.5


def test_in_a_tree_the_bound_is_close_to_what_a_law_attains() -> None:
    found = InferentialPrivacy().leakage(Release(network(BRANCHES), Sum(), Laplace(scale=1.0)))
    assert found.upper <= found.lower * 1.04
    assert found.upper < 4  # of all four records moved at once


def test_what_shares_no_cause_is_not_counted() -> None:
    apart = [((), [ROW]), ((), [ROW]), ((0, 1), [ROW, TURNED, TURNED, ROW])]
    found = InferentialPrivacy().leakage(Release(network(apart), Sum(), Laplace(scale=1.0)))
    # The causes are independent of each other: two records move, or three where the effect is the secret.
    assert found.upper == pytest.approx(3.0)
    alone = Release(network([((), [ROW]), ((), [ROW])]), Sum(), Laplace(scale=1.0))
    assert InferentialPrivacy().leakage(alone).upper == pytest.approx(1.0)


@st.composite
def nets(draw: st.DrawFn) -> list[Any]:
    found: list[Any] = []
    for i in range(draw(st.integers(1, 4))):
        parents = tuple(sorted(draw(st.sets(st.integers(0, i - 1), max_size=2)))) if i else ()
        rows = []
        for _ in range(2 ** len(parents)):
            ends = sorted((draw(st.integers(0, 20)), draw(st.integers(0, 20))))
            low, high = (end / 20 for end in ends)
            rows.append([[low, high], [round(1 - high, 2), round(1 - low, 2)]])
        found.append((parents, rows))
    return found


@draws(20)
@given(nets(), st.sampled_from([0.5, 2.0]), st.integers(0, 10**6))
@example([((), [[[0.0, 0.5], [0.5, 1.0]]]), ((0,), [[[1.0, 1.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]])], 0.5, 3)
def test_random_networks(nodes: list[Any], scale: float, seed: int) -> None:
    check(nodes, scale, seed)


def test_averages_and_empty_rows_are_refused() -> None:
    with pytest.raises(InputError, match=r"network with intervals, wanted a point law.*mutual_information"):
        MutualInformationPrivacy().leakage(Release(network(BRANCHES), Sum(), Laplace(scale=1.0)))
    with pytest.raises(InputError, match=r"intervals with a law inside, of sum 1 \(lower ends sum to 1.1"):
        Node(name="a", probabilities=[[0.6, 0.7], [0.5, 0.6]])
    with pytest.raises(InputError, match=r"rows of 2 probabilities.*row 1 of node b has 3"):
        Node(name="b", values=("x", "y"), probabilities=[[0.1, 0.2], [0.3, 0.5], [0.4, 0.5]])


def test_points_are_the_point_network() -> None:
    same = network([((), [[[0.3, 0.3], [0.7, 0.7]]]), ((0,), [[[0.2, 0.2], 0.8], [0.6, 0.4]])])
    point = network([((), [[0.3, 0.7]]), ((0,), [[0.2, 0.8], [0.6, 0.4]])])
    one, other = (
        MutualInformationPrivacy().leakage(Release(each, Sum(), Laplace(scale=1.0))) for each in (same, point)
    )
    assert one.upper == pytest.approx(other.upper, rel=1e-9)
