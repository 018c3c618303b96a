"""Averages over outputs of all nodes of a network: bounds against every node's own channel."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius.channel import record_world
from dalenius.channel.channel import Channel
from dalenius.channel.large import windowed_network
from dalenius.channel.large.node_averages import NodeAverages
from dalenius.channel.large.windowed_nodes import WindowedNodes
from tests.large.test_network_windows import network
from tests.pace import one_in

NOISES: dict[str, Any] = {"laplace": dl.Laplace(scale=2.0), "geometric": dl.Geometric(scale=0.7)}
KINDS: list[tuple[str, dict[str, Any]]] = [
    ("binary", {}),
    ("comb", {"values": 3}),
    ("star", {"sharp": 0.2}),
    ("two parents", {"zeros": True}),
]
CASES = [(noise, seed, *kind) for noise in NOISES for seed, kind in enumerate(KINDS)]
OF: Any = ("ratio", "raised", "lowered")
TAILS: Any = ("gain", "divergence")


def windowed(model: dl.Network, noise: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[WindowedNodes, NodeAverages]:
    monkeypatch.setattr(record_world, "FEW_PEOPLE", 0)
    monkeypatch.setattr(windowed_network, "LONG_FROM", 1)
    monkeypatch.setattr(windowed_network, "QUICK_LAWS", 0)
    (channel,) = dl.Release(model, dl.Sum(), noise).all_channels()
    assert isinstance(channel, WindowedNodes)
    averages = channel.averages()
    assert averages is not None
    return channel, averages


def is_just_above(bounds: np.ndarray, truths: Sequence[Any], loose: float) -> None:
    """The bounds are no less than the truth, and no more than a share above it."""
    for bound, truth in zip(bounds.tolist(), truths, strict=True):
        assert truth.lower <= bound
        assert bound <= truth.upper * (1 + loose) + 1e-9


@pytest.mark.lengthy
@pytest.mark.parametrize(("noise", "seed", "kind", "more"), one_in(8, CASES))
def test_bounds_are_just_above_what_each_node_says(
    noise: str, seed: int, kind: str, more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    channel, averages = windowed(network(seed, 8, kind, **more), NOISES[noise], monkeypatch)
    classes = np.array(channel.shown)
    singly = list(channel.made(channel.shown))
    for of in OF:
        for epsilon in (0.0, 0.2):
            truths = [each.least_delta(of, epsilon) for each in singly]
            is_just_above(averages.leads(classes, of, epsilon), truths, 1e-8)
    for of in TAILS:
        tails = [each.tail(of).law for each in singly]
        for delta in (0.2, 1e-4):
            bounds = averages.quantiles(classes, of, delta)
            assert all(tail.quantile(delta).lower <= bound for tail, bound in zip(tails, bounds, strict=True))
        for level in (0.01, 0.2):
            bounds = averages.chances(classes, of, level)
            assert all(tail.chance(level).lower <= bound for tail, bound in zip(tails, bounds, strict=True))


@pytest.mark.lengthy
@pytest.mark.parametrize(("noise", "seed", "kind", "more"), one_in(8, CASES))
def test_the_largest_of_few_nodes_is_that_of_all(
    noise: str, seed: int, kind: str, more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    channel, _ = windowed(network(seed, 8, kind, **more), NOISES[noise], monkeypatch)
    for of in OF:
        for delta in (0.2, 1e-3):
            same(channel.least_epsilon(of, delta).value, Channel.least_epsilon(channel, of, delta).value)
        same(channel.least_delta(of, 0.2), Channel.least_delta(channel, of, 0.2))
        for bound in (1e-3, 0.2):
            found, truth = channel.least_delta(of, 0.2, bound=bound), Channel.least_delta(channel, of, 0.2)
            assert found.lower <= truth.upper
            assert truth.lower <= found.upper
            assert (found.upper <= bound) == (truth.upper <= bound)
    for of in TAILS:
        same(channel.quantile(of, 1e-2), Channel.quantile(channel, of, 1e-2))
        same(channel.chance(of, 0.1), Channel.chance(channel, of, 0.1))
        same(channel.tail(of).law.quantile(1e-6), Channel.tail(channel, of).law.quantile(1e-6))


def same(found: Any, truth: Any) -> None:
    found, truth = (getattr(each, "value", each) for each in (found, truth))
    assert abs(found.lower - truth.lower) <= 1e-10 * truth.lower + 1e-12
    assert truth.upper * (1 - 1e-10) <= found.upper <= truth.upper * (1 + 3e-9) + 3e-11
