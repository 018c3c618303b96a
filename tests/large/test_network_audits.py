"""Audits of large networks by windows: how close they are, and what is said where they decline."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from mpmath import mp

import dalenius as dl
from dalenius.channel import record_world
from dalenius.channel.large import long_channel, outermost_outputs, windowed_network
from dalenius.channel.large.long_channel import parts_of
from dalenius.channel.large.outermost_outputs import NetworkEnds
from dalenius.joints import sum_window
from tests.large.test_network_windows import AVERAGES, NOTIONS, both, network, windows_of
from tests.pace import one_in

REPELLING = [[0.5, 0.5], [0.948, 0.052]]


def same(n: int, parents: Any, rows: Any = REPELLING) -> dl.Network:
    """All nodes but the first have these chances."""
    nodes = [dl.Node(name="0", probabilities=[0.8, 0.2])]
    nodes += [dl.Node(name=str(node), parents=[str(parents(node))], probabilities=rows) for node in range(1, n)]
    return dl.Network(nodes=nodes)


def is_close(release: dl.Release) -> None:
    for notion in NOTIONS:
        found = notion.leakage(release)
        assert 0 < found.lower <= found.upper <= found.lower * (1 + 1e-8), notion
    assert release.worlds.engines()[0][0] == "window"


@pytest.mark.lengthy
def test_a_tree_of_2001_bits_is_served() -> None:
    is_close(dl.Release(network(0, 2001, "binary"), dl.Count(), dl.Laplace(scale=2.0)))


@pytest.mark.lengthy
def test_equal_subtrees_share_their_messages() -> None:
    model = same(4095, lambda node: (node - 1) // 2)
    release = dl.Release(model, dl.Count(), dl.Laplace(scale=2.0))
    (ends,) = parts_of(release.worlds[0].joint, np.array([0, 1]))  # type: ignore[attr-defined]
    assert isinstance(ends, NetworkEnds)
    windows = windows_of(ends)
    assert windows is not None
    # Of each level one shape, one of the node that has no parent, and the root of all.
    assert windows.total.classes.shapes == 13
    assert len(windows.total.classes.parents) == 13
    is_close(release)


@pytest.mark.slow
def test_a_path_leaks_what_the_chain_does() -> None:
    noise = dl.Laplace(scale=1.16)
    path = dl.Release(same(2500, lambda node: node - 1), dl.Count(), noise)
    chain = dl.Release(dl.Chain(n=2500, initial=[0.8, 0.2], transition=REPELLING), dl.Count(), noise)
    for notion in NOTIONS:
        found, truth = notion.leakage(path), notion.leakage(chain)
        assert found.lower <= truth.upper * (1 + 1e-12)
        assert truth.lower <= found.upper * (1 + 1e-12)
        assert found.upper <= found.lower * (1 + 1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "n"), [("star", 5_001), ("comb", 2_500), ("tree", 10_000), ("two parents", 2_200)])
def test_networks_of_other_shapes_are_served(kind: str, n: int) -> None:
    is_close(dl.Release(network(1, n, kind), dl.Count(), dl.Laplace(scale=2.0)))


ODD: dict[str, list[list[float]]] = {
    "absorbing": [[0.97, 0.03], [0.0, 1.0]],
    "never twice": [[0.4, 0.6], [1.0, 0.0]],
    "nearly impossible": [[0.4, 0.6], [1.0, 1e-300]],
    "periodic": [[0.0, 1.0], [1.0, 0.0]],
    "nearly periodic": [[0.01, 0.99], [0.98, 0.02]],
    "stays": [[0.9999, 0.0001], [0.0001, 0.9999]],
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if i > 2 else []) for i, name in enumerate(ODD)]
)
def test_tables_with_zeros_are_as_by_the_law_of_all_sums(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where windows decline, as where a value is too rare, what stood before them answers."""
    model = same(24, lambda node: (node - 1) // 2, ODD[name])
    whole, own = odd(model, monkeypatch)
    for notion in NOTIONS:
        truth, found = notion.leakage(whole), notion.leakage(own)
        assert found.lower <= truth.upper * (1 + 1e-12) + 1e-13, notion
        assert truth.lower <= found.upper * (1 + 1e-12) + 1e-13, notion
        assert found.upper - found.lower <= 1e-8 * found.upper + 1e-12, notion


def odd(model: dl.Network, monkeypatch: pytest.MonkeyPatch) -> Iterator[dl.Release]:
    for long_from, quick in ((1 << 30, 1 << 60), (1, 0)):
        monkeypatch.setattr(record_world, "FEW_PEOPLE", 0)
        monkeypatch.setattr(windowed_network, "LONG_FROM", long_from)
        monkeypatch.setattr(windowed_network, "QUICK_LAWS", quick)
        yield dl.Release(model, dl.Sum(), dl.Laplace(scale=1.5))


@pytest.mark.lengthy
@pytest.mark.parametrize("seed", one_in(100, range(500)))
def test_random_trees_lie_between(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(["tree", "binary", "comb", "two parents", "halves"]))
    model = network(
        seed, int(rng.integers(15, 60)), kind, values=int(rng.integers(2, 4)), sharp=0.3, zeros=seed % 3 == 0
    )
    noise = dl.Laplace(scale=float(rng.choice([0.7, 2.0, 10.0])))
    whole, own = both(model, noise, monkeypatch)
    for notion in [*NOTIONS[1:], *AVERAGES]:
        truth, found = notion.leakage(whole), notion.leakage(own)
        assert found.lower <= truth.upper * (1 + 1e-12) + 1e-13, notion
        assert truth.lower <= found.upper * (1 + 1e-12) + 1e-13, notion
        assert found.upper - found.lower <= 1e-8 * found.upper + 1e-13, notion


@pytest.mark.lengthy
def test_cliques_that_are_too_wide_say_their_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windowed_network, "MOST_CLIQUE_STATES", 3)
    release = dl.Release(network(0, 2001, "binary"), dl.Count(), dl.Laplace(scale=2.0))
    name, why = release.worlds.engines()[0]
    assert name == "recursion"
    assert why.endswith("cliques of 4 states are too wide for windows (3 at most)")
    bounded = dl.InferentialPrivacy().leakage(release)
    monkeypatch.setattr(windowed_network, "MOST_CLIQUE_STATES", 4)
    found = dl.InferentialPrivacy().leakage(dl.Release(network(0, 2001, "binary"), dl.Count(), dl.Laplace(scale=2.0)))
    assert bounded.lower <= found.upper
    assert found.lower <= bounded.upper


def test_a_network_that_is_too_wide_for_any_law_is_bounded() -> None:
    release = dl.Release(network(1, 2_500, "halves"), dl.Count(), dl.Laplace(scale=2.0))
    found = dl.InferentialPrivacy().leakage(release)
    name, why = release.worlds.engines()[0]
    assert (name, found.lower) == ("bounds", 0.0)
    assert "a width of 24" in why


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "place", "tilt", "points"), [(800, 333, -0.2, 260), (5_000, 4_321, 0.4, 700), (5_000, 0, -0.3, 700)]
)
def test_a_window_in_mpmath(n: int, place: int, tilt: float, points: int) -> None:
    """A tree of so many bits, by messages of its own in 40 digits."""
    model = network(4, n, "binary")
    release = dl.Release(model, dl.Count(), dl.Laplace(scale=2.0))
    (ends,) = parts_of(release.worlds[0].joint, np.array([0, 1]))  # type: ignore[attr-defined]
    windows = windows_of(ends)  # type: ignore[arg-type]
    assert windows is not None
    window = windows.window(0.5, [windows.total.classes.class_of[place]])
    assert window is not None
    segment = min(window.segments, key=lambda each: abs(each.tilt - tilt))
    sums = [segment.centre + move for move in (-10, 0, 8)]
    law = window.law(0)
    with mp.workdps(40):
        truth = masses(model, place, segment.tilt, points, sums)
    for number, v in product(range(2), range(len(sums))):
        own = float(law.log_mass()[number, sums[v] - law.start[0]])
        assert abs(own - float(truth[number][v])) <= law.error < 1e-9


def masses(model: dl.Network, place: int, tilt: float, points: int, sums: list[int]) -> list[list[Any]]:
    """log Pr[sum = v | the node's value], by a Fourier sum over the circle: all of the tree's messages, from the leaves
    to the root, with the node's value fixed."""
    rows = [np.array(node.probabilities).reshape(-1, 2) for node in model.nodes or ()]
    turns = [mp.expjpi(mp.mpf(2 * number) / points) for number in range(points // 2 + 1)]
    waves = upwards(rows, [mp.exp(mp.mpf(tilt)) * turn for turn in turns], place)
    prior = [mp.re(own[0]) for own in upwards(rows, [mp.mpf(1)], place)]
    found = []
    for own, chance in zip(waves, prior, strict=True):
        logs = []
        for v in sums:
            turned = [wave * mp.conj(turn) ** v for wave, turn in zip(own, turns, strict=True)]
            mass = mp.fsum(mp.re(wave) * (1 if number in (0, points // 2) else 2) for number, wave in enumerate(turned))
            logs.append(mp.log(mass / points / chance) - mp.mpf(tilt) * v)
        found.append(logs)
    return found


BITS = 160
"""Digits of whole numbers that stand for fractions: those of mpmath take thirty times as long."""


def upwards(rows: list[Any], factors: list[Any], place: int) -> list[list[Any]]:
    """E[factor^sum; the node's value] for each factor, of both values of the node in `place`."""
    shape = (2, len(factors))
    factor = [np.array([int(part(each) * 2**BITS) for each in factors], dtype=object) for part in (mp.re, mp.im)]
    chances = [np.vectorize(lambda chance: int(mp.mpf(chance) * 2**BITS), otypes=[object])(row) for row in rows]
    path, up = {place}, place
    while up:
        up = (up - 1) // 2
        path.add(up)
    # By node, for either value of the node in `place` where it matters: real and imaginary parts, and an exponent.
    below = [
        [(np.full(shape, 1 << BITS), np.full(shape, 0), 0)] * (2 if node in path else 1) for node in range(len(rows))
    ]
    below = [[(re.astype(object), im.astype(object), up) for re, im, up in own] for own in below]
    for node in range(len(rows) - 1, -1, -1):
        sent = []
        for value, (re, im, up) in enumerate(below[node]):
            one = times((re[1], im[1]), factor)
            own = [(re[0], im[0]), one]
            if node == place:
                own[1 - value] = (0 * re[0], 0 * im[0])
            parts = [
                np.stack([(row[0] * own[0][k] + row[1] * own[1][k]) >> BITS for row in chances[node]]) for k in (0, 1)
            ]
            # So that many nodes neither leave the range of fractions nor lose their digits.
            shift = BITS - max(int(each).bit_length() for each in parts[0][:, 0])
            parts = [part << shift if shift >= 0 else part >> -shift for part in parts]
            sent.append((parts[0], parts[1], up - shift))
        if not node:
            return [
                [mp.mpc(int(r), int(i)) * mp.mpf(2) ** (up - BITS) for r, i in zip(re[0], im[0], strict=True)]
                for re, im, up in sent
            ]
        parent = below[(node - 1) // 2]
        for value, (re, im, up) in enumerate(parent):
            other = sent[value if len(sent) > 1 else 0]
            parent[value] = (*times((re, im), other[:2]), up + other[2])
        below[node] = []
    raise AssertionError


def times(one: Any, other: Any) -> tuple[Any, Any]:
    (a, b), (c, d) = one, other
    return (a * c - b * d) >> BITS, (a * d + b * c) >> BITS


@pytest.mark.lengthy
@pytest.mark.parametrize("rows", [[[0.9, 0.1], [0.1, 0.9]], [[0.5, 0.5], [0.9, 0.1]]])
def test_a_hub_whose_leaves_follow_it_is_exact(rows: list[list[float]]) -> None:
    """Given the hub the sum is a binomial one: outputs far out say e^(thousands) of it."""
    n = 5_001
    nodes = [dl.Node(name="0", probabilities=[0.7, 0.3])]
    nodes += [dl.Node(name=str(node), parents=["0"], probabilities=rows) for node in range(1, n)]
    release = dl.Release(dl.Network(nodes=nodes), dl.Count(), dl.Laplace(scale=2.0))
    found = dl.audit(release)
    with mp.workdps(60):
        grows = [[1 - row[1] + row[1] * mp.exp(sign * mp.mpf("0.5")) for row in rows] for sign in (1, -1)]
        ends = [
            sign * mp.mpf("0.5") + (n - 1) * (mp.log(own[1]) - mp.log(own[0]))
            for sign, own in zip((1, -1), grows, strict=True)
        ]
        ratio = max(abs(end) for end in ends)
    assert found["inferential"].lower <= ratio * (1 + 1e-12)
    assert ratio * (1 - 1e-12) <= found["inferential"].upper <= found["inferential"].lower * (1 + 1e-9)
    # All but next to nothing of the outputs tell the hub: its entropy.
    entropy = -0.7 * np.log(0.7) - 0.3 * np.log(0.3)
    assert found["mutual_information"].lower <= entropy * (1 + 1e-12)
    assert found["mutual_information"].lower >= entropy * (1 - 1e-7)
    assert found["mutual_information"].upper <= entropy * (1 + 1e-7)


def hub(n: int, least: float = 0.85) -> dl.Network:
    """Leaves that follow the first node, each in its own way."""
    rng = np.random.default_rng(3)
    nodes = [dl.Node(name="0", probabilities=[0.6, 0.4])]
    for leaf in range(1, n):
        low, high = 0.1 * rng.random(), least + 0.1 * rng.random()
        nodes.append(dl.Node(name=str(leaf), parents=["0"], probabilities=[[1 - low, low], [1 - high, high]]))
    return dl.Network(nodes=nodes)


@pytest.mark.lengthy
def test_a_hub_that_different_leaves_follow_is_as_by_the_law_of_all_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its averages are exact, and the limits at ±∞ are its suprema, where tilts make one of its values too rare."""
    noise = dl.Laplace(scale=1.5)
    whole = dl.Release(hub(40), dl.Count(), noise)
    truths = [notion.leakage(whole) for notion in [*NOTIONS, *AVERAGES]]
    monkeypatch.setattr(sum_window, "RAREST", 9.0)
    monkeypatch.setattr(record_world, "FEW_PEOPLE", 0)
    for module in (windowed_network, long_channel):
        monkeypatch.setattr(module, "LONG_FROM", 1)
    for module in (windowed_network, outermost_outputs):
        monkeypatch.setattr(module, "QUICK_LAWS", 0)
    own = dl.Release(hub(40), dl.Count(), noise)
    for notion, truth in zip([*NOTIONS, *AVERAGES], truths, strict=True):
        found = notion.leakage(own)
        assert found.lower <= truth.upper * (1 + 1e-12) + 1e-13, notion
        assert truth.lower <= found.upper * (1 + 1e-12) + 1e-13, notion
        # Because an ε with a δ is of sums that one value of the hub hardly makes, whose masses are known worst.
        if not getattr(notion, "delta", 0.0):
            assert found.upper - found.lower <= 1e-5 * found.upper + 1e-13, notion
    assert own.worlds.engines()[0] == (
        "window",
        "41 answers: averages from the law about its mean, suprema from limits",
    )


@pytest.mark.lengthy
def test_a_hub_whose_averages_do_not_fit_says_which_node_is_too_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windowed_network.WindowedNetwork, "_is_known_about_mean", False)
    release = dl.Release(hub(2_500), dl.Count(), dl.Laplace(scale=2.0))
    found = dl.InferentialPrivacy().leakage(release)
    assert 0 < found.lower <= found.upper <= found.lower * (1 + 1e-8)
    name, why = release.worlds.engines()[0]
    assert name == "recursion"
    assert why.endswith("no windows: tilts of the noise's rate make a value of node 0 of the network rarer than e^-700")
