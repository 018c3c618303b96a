"""Networks by windows of tilted laws: against all assignments, the law of all sums, and a window in mpmath."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from mpmath import mp

import dalenius as dl
from dalenius.channel import record_world
from dalenius.channel.large import windowed_network
from dalenius.channel.large.outermost_outputs import NetworkEnds
from dalenius.channel.large.ranked_nodes import QUANTITIES, ranked_nodes
from dalenius.joints.clique_classes import clique_classes
from dalenius.joints.independent_falls import IndependentFalls
from dalenius.joints.network_window import NetworkWindows
from dalenius.joints.tilted_network import NetworkSum, steps_of
from dalenius.noise import Noise
from tests.large.test_large_networks import of
from tests.large.test_long_windows import is_about, lies_within
from tests.pace import draws
from tests.reference import long_chain as reference
from tests.reference.long_network import Table, listed

RATES = (0.0, 0.3, 2.0)
Drawn = tuple[list[int], list[Table], list[list[int]]]


@st.composite
def junctions(draw: st.DrawFn, most: int = 8) -> Drawn:
    """sizes, tables and scores: up to two parents for each node, with zeros, and nodes that add nothing."""
    sizes = draw(st.lists(st.sampled_from([2, 2, 3]), min_size=2, max_size=most))
    by_size = {size: [0, *draw(st.lists(st.integers(0, 3), min_size=size - 1, max_size=size - 1))] for size in (2, 3)}
    weights = draw(st.sampled_from([[1, 2, 5, 20], [0, 1, 1, 3]]))
    tables: list[Table] = []
    for node, size in enumerate(sizes):
        parents = sorted(draw(st.sets(st.integers(0, node - 1), max_size=2))) if node else []
        table = dict[tuple[int, ...], Fraction]()
        for values in product(*(range(sizes[parent]) for parent in parents)):
            row = [draw(st.sampled_from(weights)) for _ in range(size)]
            row = row if any(row) else [1] * size
            table |= {(*values, value): Fraction(each, sum(row)) for value, each in enumerate(row)}
        tables.append(((*parents, node), table))
    return sizes, tables, [by_size[size] for size in sizes]


def windows_of(ends: NetworkEnds) -> NetworkWindows | None:
    scores, stride, least = steps_of(ends.scores)
    if not stride:
        return None
    scores = np.where(np.arange(scores.shape[1]) < ends.sizes[:, None], scores, 0)
    total = NetworkSum(clique_classes(ends.components, scores, ends.stratum.tolist()), least, stride, scores)
    return NetworkWindows.of(total, IndependentFalls.of(ends.components, scores))


@given(drawn=junctions(), rate=st.sampled_from(RATES))
@draws(40)
def test_laws_of_small_networks_are_those_of_all_assignments(drawn: Drawn, rate: float) -> None:
    windows = windows_of(of(*drawn))
    if windows is None:
        assert all(len(set(own)) == 1 for own in drawn[2])
        return
    classes = windows.total.classes
    window = windows.window(rate, range(1, len(classes.parents)))
    assert window is not None
    for place, laws in enumerate(listed(*drawn)):
        row = window.places.row_of(place)
        found, law_found = window.window(row), window.law(row)
        (start,), (length,) = law_found.start, law_found.box
        assert len(laws) == law_found.secrets
        for number, (_, law) in enumerate(sorted(laws.items())):
            total = sum(law.values(), Fraction(0))
            inside = np.array([float(law.get(v, 0) / total) for v in range(start, start + length)])
            with np.errstate(divide="ignore"):
                truth = np.log(inside)
            assert lies_within(law_found, number, truth)
            assert is_about(*window.law_and_doubt(row), number, inside)
            if len(law) > 1:
                assert not lies_within(law_found, number, truth, lie=1e-6)
            outside = sum((p for v, p in law.items() if not start <= v < start + length), Fraction(0)) / total
            assert float(outside) <= found.lost[number] + 1e-300


@given(drawn=junctions(), rate=st.sampled_from((Fraction(1, 4), Fraction(1), Fraction(2))), close=st.booleans())
@draws(30)
def test_ranks_are_no_less_than_what_all_outputs_leak(drawn: Drawn, rate: Fraction, close: bool) -> None:
    windows = windows_of(of(*drawn))
    ranked = None if windows is None else ranked_nodes(windows, float(rate) * windows.total.stride, close)
    if windows is None or ranked is None:
        return
    for place, laws in enumerate(listed(*drawn)):
        number = windows.total.classes.class_of[place]
        truth = leaks(laws, rate, windows.total.stride)
        slack = 1e-5 + 20 * ranked.doubt[number]
        for name in QUANTITIES:
            assert float(truth[name]) <= ranked.most[name][number] * (1 + 1e-12) + 1e-13, name
            # Of the outputs at lattice points, which the information under geometric noise is of, they are close.
            assert ranked.most[name][number] <= float(truth[name]) + slack * 5, name


def leaks(laws: reference.Laws, rate: Fraction, stride: int) -> dict[str, Any]:
    """What outputs that are sums, and those at ±∞, leak of one record: the largest, and on average under geometric
    noise."""
    masses = {s: sum(law.values(), Fraction(0)) for s, law in laws.items()}
    sums = [v for law in laws.values() for v in law]
    decay = mp.mpf(rate.numerator) / rate.denominator
    found: dict[str, Any] = dict.fromkeys(QUANTITIES, mp.mpf(0))
    low, high = min(sums), max(sums)
    for y in range(low, high + 1, stride):
        column = {
            s: mp.fsum(
                mp.mpf(p.numerator) / p.denominator / mass(masses[s]) * mp.exp(-decay * abs(y - v))
                for v, p in law.items()
            )
            for s, law in laws.items()
        }
        mixed = mp.fsum(mass(masses[s]) * w for s, w in column.items())
        gain = {s: mp.log(w / mixed) for s, w in column.items()}
        posterior = {s: mass(masses[s]) * w / mixed for s, w in column.items()}
        told = mp.fsum(posterior[s] * gain[s] for s in gain)
        here = {
            "ratio": max(gain.values()) - min(gain.values()),
            "raised": max(gain.values()),
            "lowered": -min(gain.values()),
            "forward": told,
            "reverse": -mp.fsum(mass(masses[s]) * g for s, g in gain.items()),
        }
        found |= {name: max(found[name], value) for name, value in here.items()}
        # All outputs beyond the sums say the same.
        often = 1 + sum(1 / mp.expm1(decay * stride) for end in (low, high) if y == end)
        found["information"] += mixed * told * often * mp.tanh(decay * stride / 2)
    return found


def mass(fraction: Fraction) -> Any:
    return mp.mpf(fraction.numerator) / fraction.denominator


def network(seed: int, n: int, kind: str = "tree", **changes: Any) -> dl.Network:
    """Chances that differ from node to node; sharp: between 0 and 1 as often as not close to either."""
    rng = np.random.default_rng(seed)
    nodes, values = [], changes.get("values", 2)
    for node in range(n):
        rows = values ** len(parents := PARENTS[kind](node, rng))
        chances = rng.dirichlet(np.full(values, changes.get("sharp", 1.0)), size=rows) * 0.96 + 0.04 / values
        if changes.get("zeros"):
            chances = np.where(rng.random(chances.shape) < 0.1, 0.0, chances)
            chances = np.where(chances.sum(axis=1, keepdims=True) > 0, chances, 1.0)
            chances = chances / chances.sum(axis=1, keepdims=True)
        own = chances.tolist() if parents else chances[0].tolist()
        names = [str(each) for each in parents]
        nodes.append(dl.Node(name=str(node), values=list(range(values)), parents=names, probabilities=own))
    return dl.Network(nodes=nodes)


PARENTS: dict[str, Any] = {
    "tree": lambda node, rng: [int(rng.integers(max(0, node)))] if node else [],
    "binary": lambda node, rng: [(node - 1) // 2] if node else [],
    "path": lambda node, rng: [node - 1] if node else [],
    "comb": lambda node, rng: [max(node - 2 + node % 2 - 1, 0)] if node else [],
    "star": lambda node, rng: [0] if node else [],
    "two parents": lambda node, rng: list(range(max(node - 2, 0), node)),
    "halves": lambda node, rng: sorted({(node - 1) // 2, max(0, (node - 2) // 2)}) if node else [],
}
NOTIONS: list[Any] = [
    dl.DifferentialPrivacy(),
    dl.InferentialPrivacy(),
    dl.InformationPrivacy(),
    dl.RelativeEntropyPrivacy(),
    dl.MutualInformationPrivacy(),
]
AVERAGES: list[Any] = [
    dl.InferentialPrivacy(delta=1e-4),
    dl.InformationPrivacy(delta=1e-4),
    dl.MinEntropyPrivacy(),
    dl.RelativeEntropyPrivacy(delta=1e-2),
]


def both(model: dl.Network, noise: Noise, monkeypatch: pytest.MonkeyPatch, **more: Any) -> Iterator[dl.Release]:
    """By the law of all sums, and by windows."""
    for long_from, quick, engine in ((1 << 30, 1 << 60, "convolution"), (1, 0, "window")):
        monkeypatch.setattr(record_world, "FEW_PEOPLE", 0)
        monkeypatch.setattr(windowed_network, "LONG_FROM", long_from)
        monkeypatch.setattr(windowed_network, "QUICK_LAWS", quick)
        release = dl.Release(model, dl.Sum(), noise, **more)
        assert release.worlds.engines()[0][0] == engine
        yield release


def agree(releases: Sequence[dl.Release], notions: Sequence[Any], widest: float = 1e-8) -> None:
    whole, own = releases
    for notion in notions:
        truth, found = notion.leakage(whole), notion.leakage(own)
        assert found.lower <= truth.upper * (1 + 1e-12) + 1e-13, notion
        assert truth.lower <= found.upper * (1 + 1e-12) + 1e-13, notion
        assert found.upper - found.lower <= widest * found.upper + 1e-13, notion


CASES: dict[str, dict[str, Any]] = {
    "tree": {},
    "binary": {"sharp": 0.2},
    "path": {},
    "comb": {"values": 3},
    "star": {},
    "two parents": {},
    "halves": {"zeros": True},
}


@pytest.mark.lengthy
@pytest.mark.parametrize("kind", CASES)
def test_nodes_leak_what_the_law_of_all_sums_says(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = network(3, 40, kind, **CASES[kind])
    agree(list(both(model, dl.Laplace(scale=2.0), monkeypatch)), [*NOTIONS, *AVERAGES])


CONDITIONS: dict[str, dict[str, Any]] = {
    "known": {"adversary": dl.Adversary(known={"3": 1, "17": 0})},
    "some": {"secrets": dl.Secrets(people=("5", "22"))},
    "geometric": {"noise": dl.Geometric(scale=1.5)},
    "a pair": {"secrets": dl.Secrets(pairs=[(0, 2)])},
    "little noise": {"noise": dl.Laplace(scale=0.2)},
    "much noise": {"noise": dl.Laplace(scale=40.0)},
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_what_is_known_and_secret_is_as_by_the_law_of_all_sums(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    more = dict(CONDITIONS[name])
    model, noise = network(5, 30, "tree", values=3), more.pop("noise", dl.Laplace(scale=2.0))
    agree(list(both(model, noise, monkeypatch, **more)), NOTIONS)


def test_posteriors_are_those_by_the_law_of_all_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    model = network(6, 30)
    blocks = [dl.posterior(release, [9.5]).laws[0] for release in both(model, dl.Laplace(scale=2.0), monkeypatch)]
    whole, own = ({each.person: each for each in block.people} for block in blocks)
    assert whole.keys() == own.keys()
    for person, update in whole.items():
        assert own[person].leaks.lower <= update.leaks.upper + 1e-12
        assert update.leaks.lower <= own[person].leaks.upper + 1e-12
        assert own[person].leaks.upper - own[person].leaks.lower <= 1e-8


@pytest.mark.lengthy
@pytest.mark.parametrize("scale", [3.0])
def test_gaussian_noise_with_a_delta_is_as_by_the_law_of_all_sums(
    scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    notions = [dl.InferentialPrivacy(delta=1e-4), dl.MutualInformationPrivacy()]
    model = network(7, 24)
    agree(list(both(model, dl.Gaussian(scale=scale), monkeypatch)), notions, widest=1e-6)


def test_a_network_beside_a_chain_is_as_by_the_law_of_all_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = dl.Chain(n=12, initial=[0.8, 0.2], transition=[[0.5, 0.5], [0.948, 0.052]])
    model = dl.Product(parts=[network(8, 20), chain])
    agree(list(both(model, dl.Laplace(scale=2.0), monkeypatch)), NOTIONS)  # type: ignore[arg-type]
