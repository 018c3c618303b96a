"""Large networks without a law of the answer: limits by messages, and bounds above them, against all outputs."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from mpmath import mp

import dalenius as dl
from dalenius.channel import record_world
from dalenius.channel.large import long_channel, outermost_outputs
from dalenius.channel.large.long_channel import parts_of
from dalenius.channel.large.long_records import LongRecords
from dalenius.channel.large.outermost_outputs import NetworkEnds
from dalenius.joints import Stratum
from dalenius.joints.network import Records, bayesian_network
from dalenius.joints.tree_messages import Potential
from tests.cases import in_turn
from tests.pace import draws
from tests.reference import long_chain as reference
from tests.reference.long_network import Table, listed

SCALES = (Fraction(1, 4), Fraction(1), Fraction(3), Fraction(20))
Drawn = tuple[list[int], list[Table], list[list[int]], Fraction]


@st.composite
def networks(draw: st.DrawFn) -> Drawn:
    """sizes, tables, scores and a scale: trees, with zeros, and leaning."""
    sizes = draw(st.lists(st.sampled_from([2, 2, 3]), min_size=2, max_size=6))
    by_size = {size: [0, *draw(st.lists(st.integers(0, 2), min_size=size - 1, max_size=size - 1))] for size in (2, 3)}
    weights = draw(st.sampled_from([[1, 2, 5, 20], [0, 1, 1, 3]]))
    leans = draw(st.booleans())
    tables: list[Table] = []
    for node, size in enumerate(sizes):
        parents = draw(st.lists(st.integers(0, node - 1), max_size=1)) if node else []
        table = dict[tuple[int, ...], Fraction]()
        for values in product(*(range(sizes[parent]) for parent in parents)):
            row = [leaning(value, values) if leans else draw(st.sampled_from(weights)) for value in range(size)]
            row = row if any(row) else [1] * size
            table |= {(*values, value): Fraction(each, 1 if leans else sum(row)) for value, each in enumerate(row)}
        tables.append(((*parents, node), table))
    return sizes, tables, [by_size[size] for size in sizes], draw(st.sampled_from(SCALES))


def leaning(value: int, parents: Sequence[int]) -> int:
    """Weights that rise together: 2 to the power of products."""
    return int(2 ** (value * sum(parents) + prod(parents)))


def of(sizes: Sequence[int], tables: Sequence[Table], scores: Sequence[Sequence[int]]) -> NetworkEnds:
    potentials = []
    for nodes, table in tables:
        shape = [sizes[node] for node in nodes]
        numbers = [float(table[values]) for values in product(*map(range, shape))]
        potentials.append(Potential(nodes, np.array(numbers).reshape(shape)))
    keys = list(dict.fromkeys((size, tuple(own)) for size, own in zip(sizes, scores, strict=True)))
    strata = tuple(Stratum(str(i), tuple(range(size)), sizes.count(size)) for i, (size, _) in enumerate(keys))
    kinds = tuple(keys.index((size, tuple(own))) for size, own in zip(sizes, scores, strict=True))
    law = bayesian_network(Records(tuple(map(str, range(len(sizes)))), kinds, strata), potentials)
    (found,) = parts_of(law, np.concatenate([np.array(own) for _, own in keys]))
    assert isinstance(found, NetworkEnds)
    return found


@given(drawn=networks())
@draws(24)
def test_small_networks(drawn: Drawn) -> None:
    """Limits are exact, and no ratio is above its bound."""
    sizes, tables, scores, scale = drawn
    ends = of(sizes, tables, scores)
    found = ends.outermost(float(1 / scale))
    laws = listed(sizes, tables, scores)
    for place, law in enumerate(laws):
        assert set(np.flatnonzero(ends.possible[place]).tolist()) == set(law)
        outputs = reference.columns(law, scale)[1]
        for s, t in product(law, law):
            if s == t:
                continue
            for end in (0, 1):
                limit = float(mp.log(outputs[-end][s] / outputs[-end][t]))
                apart = found.ends[end, place, s] - found.ends[end, place, t]
                assert abs(apart - limit) <= found.error + 1e-13 * abs(limit)
            truth = float(reference.ratio(law, scale, s, t))
            assert found.most[place, s, t] >= truth - 1e-12


def chance(number: int) -> float:
    """The same on every machine."""
    return (number * 7919 % 997) / 997


def tree(n: int, least: float, most: float, parents: Any) -> dl.Network:
    """Each child of 0 is 1 with probability `least` or so, each of 1 with `most`."""
    nodes = [dl.Node(name="0", probabilities=[0.7, 0.3])]
    for node in range(1, n):
        low, high = least + 0.15 * chance(node), most - 0.15 * chance(2 * node + 1)
        own = [f"{parent}" for parent in parents(node)]
        shares = [sum(values) / len(own) for values in product((0, 1), repeat=len(own))]
        rows = [[1 - p, p] for p in (low + (high - low) * share for share in shares)]
        nodes.append(dl.Node(name=str(node), parents=own, probabilities=rows))
    return dl.Network(nodes=nodes)


PARENTS = {"binary": lambda node: [(node - 1) // 2], "caterpillar": lambda node: [max(node - 2 + node % 2 - 1, 0)]}


def two_parents(node: int) -> list[int]:
    return list(range(max(node - 2, 0), node))


@in_turn({"kind": list(PARENTS), "least, most": [(0.1, 0.8), (0.75, 0.25)]})
def test_audits_agree_with_the_law(kind: str, least: float, most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the law of the answer of 24 nodes and without it."""
    model, noise = tree(24, least, most, PARENTS[kind]), dl.Laplace(scale=4.0)
    exact = dl.Release(model, dl.Count(), noise)
    monkeypatch.setattr(record_world, "FEW_PEOPLE", 0)
    monkeypatch.setattr(long_channel, "LONG_FROM", 10)
    monkeypatch.setattr(outermost_outputs, "QUICK_LAWS", 0)
    found = dl.Release(model, dl.Count(), noise)
    assert found.worlds.engines()[0][0] == "recursion"
    for notion in (dl.InferentialPrivacy(), dl.InformationPrivacy(), dl.RelativeEntropyPrivacy()):
        truth, value = notion.leakage(exact), notion.leakage(found)
        assert value.lower <= truth.upper + 1e-12
        assert value.upper >= truth.lower - 1e-12
        if least < most:
            assert value.upper - value.lower < 1e-9
    (channel,) = found.all_channels()
    assert isinstance(channel, LongRecords)
    witness = channel.ratio().witness
    assert witness is not None
    assert "of the network" in witness.who


def test_two_parents_have_a_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bound by messages is in the code."""
    monkeypatch.setattr(record_world, "FEW_PEOPLE", 0)
    monkeypatch.setattr(long_channel, "LONG_FROM", 10)
    monkeypatch.setattr(outermost_outputs, "QUICK_LAWS", 0)
    release = dl.Release(tree(24, 0.1, 0.8, two_parents), dl.Count(), dl.Laplace(scale=4.0))
    assert release.worlds.engines()[0][0] == "convolution"
    found = dl.InferentialPrivacy().leakage(release)
    assert found.upper - found.lower < 1e-9


def test_nodes_that_are_alike_have_a_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes no time, and says more than the limits."""
    monkeypatch.setattr(record_world, "FEW_PEOPLE", 0)
    monkeypatch.setattr(long_channel, "LONG_FROM", 10)
    for rows in ([[0.8, 0.2], [0.3, 0.7]], [[0.3, 0.7], [0.8, 0.2]]):
        leaves = [dl.Node(name=str(leaf), parents=["hub"], probabilities=rows) for leaf in range(30)]
        model = dl.Network(nodes=[dl.Node(name="hub", probabilities=[0.5, 0.5]), *leaves])
        release = dl.Release(model, dl.Count(), dl.Laplace(scale=5.0))
        assert release.worlds.engines()[0][0] != "recursion"
        found = dl.InferentialPrivacy().leakage(release)
        assert found.upper - found.lower < 1e-9
        assert dl.MutualInformationPrivacy().leakage(release).lower > 0


@pytest.mark.slow
def test_thousands_of_nodes() -> None:
    """Of a tree whose law would not fit memory."""
    release = dl.Release(tree(6000, 0.1, 0.8, PARENTS["binary"]), dl.Count(), dl.Laplace(scale=10.0))
    found = dl.InferentialPrivacy().leakage(release)
    assert found.upper - found.lower < 1e-8
    assert found.witness is not None
