"""Long chains given known records, by windows of stretches: against all paths, each record alone, and all sums."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius.channel.large import windowed_chain
from dalenius.channel.large.alike_kernels import NEARLY, alike_kernels
from dalenius.channel.large.message_bounds import ranges
from dalenius.joints.chain_places import ChainPlaces, apart, messages, rooms
from dalenius.joints.chain_window_plan import chain_window, turned_steps
from dalenius.joints.extended_precision import turned
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.tilted_steps import tilted_steps
from tests.cases import in_turn
from tests.large.test_long_windows import CASES, NOTIONS, REPELLING, is_about, lies_within
from tests.large.test_unlike_steps import meets
from tests.reference import long_chain as reference

PATTERNS: dict[str, dict[int, int]] = {
    "in the middle": {5: 1},
    "first and last": {1: 0, 9: 1},
    "beside each other": {4: 1, 5: 0, 6: 1},
    "most": {2: 0, 3: 0, 5: 1, 7: 0, 8: 1},
}
"""Known records of nine, by their numbers from 1."""
SHORT: dict[str, dict[str, Any]] = {
    "repelling": CASES["repelling"],
    "zeros": CASES["zeros"],
    "independent": {"transition": [[0.3, 0.7], [0.3, 0.7]], "initial": [0.8, 0.2]},
    "three values": {"transition": [[0.1, 0.2, 0.7], [0.6, 0.3, 0.1], [0.25, 0.5, 0.25]], "initial": [0.2, 0.3, 0.5]},
    "absorbing": CASES["absorbing"],
}


def given(case: dict[str, Any], n: int, known: dict[int, int], period: int = 1) -> RepeatingChain:
    law = dl.Chain(n=n, **case).law().given(known)
    scores = np.arange(len(law.values)) * (1 + np.arange(n)[:, None] % period)
    found = RepeatingChain.of(law.chain, scores)
    assert found is not None
    return found


def shown(case: dict[str, Any], n: int, known: dict[int, int]) -> list[reference.Laws]:
    """The laws of all records by all paths that have the known ones, not divided by the chance of these."""
    rows = [[Fraction(entry) for entry in row] for row in case["transition"]]
    told = [
        [[p if known.get(t + 2) in (None, s) else Fraction(0) for s, p in enumerate(row)] for row in rows]
        for t in range(n - 1)
    ]
    first = [Fraction(p) if known.get(1) in (None, s) else Fraction(0) for s, p in enumerate(case["initial"])]
    return reference.listed(first, told, [list(range(len(rows)))] * n)


@pytest.mark.parametrize("rate", [0.0, 0.9])
@in_turn({"pattern": [*PATTERNS] * 5, "name": [*SHORT] * 4})
def test_laws_are_those_of_all_paths_with_the_known_records(name: str, pattern: str, rate: float) -> None:
    known = PATTERNS[pattern]
    if name == "absorbing":
        known = {place: int(place > 4) for place in known}
    if name == "zeros":
        known = {place: 1 - place % 2 for place in known if place % 2 == 0}
    chain = given(SHORT[name], 9, known)
    window = chain_window(chain, rate)
    assert window is not None
    for place, laws in enumerate(shown(SHORT[name], 9, known)):
        row = window.places.row_of(place)
        law = window.law(row)
        (start,), (length,) = law.start, law.box
        possible = {value: own for value, own in laws.items() if sum(own.values(), Fraction(0))}
        assert len(possible) == law.secrets
        for number, (_, own) in enumerate(sorted(possible.items())):
            total = sum(own.values(), Fraction(0))
            inside = np.array([float(own.get(v, 0) / total) for v in range(start, start + length)])
            with np.errstate(divide="ignore"):
                assert lies_within(law, number, np.log(inside))
            assert is_about(*window.law_and_doubt(row), number, inside)


@in_turn({"period": [1, 2], "name": ["repelling", "independent", "three values"], "angle": [0, 1, 5]})
def test_members_of_a_class_differ_by_no_more_than_is_said(name: str, period: int, angle: int) -> None:
    """Whatever the depth is: transforms by all paths of sixteen records, or twelve of three values."""
    n, points = (12, 30) if name == "three values" else (16, 40)
    known = {n // 2: 1, n // 2 + 1: 0}
    chain = given(SHORT[name], n, known, period)
    places = ChainPlaces.of(n, chain.period, 1, chain.known)
    assert places.blocks
    tilted = tilted_steps(chain, np.array([-0.4, 0.0, 0.3]))
    waves = [turned(np.array([[0], [angle]]) * own, points) for own in chain.scores]
    steps = turned_steps(tilted, waves)
    room = rooms(tilted, places)
    each = ChainPlaces.of(n, chain.period, n, chain.known)
    last = np.broadcast_to(tilted.last[:, None] + 0j, (3, 2, chain.states))
    before, after = messages(each, steps, tilted.first[:, None] * waves[0][None], last)
    found = before * after / tilted.total[None, :, None, None]
    assert np.allclose(found[:, :, 1], by_paths(chain, tilted.tilts, 2 * np.pi * angle / points), atol=1e-15)
    wide = 0
    for row in places.between:
        members = places.members(row)
        bound = room[places.stretch_of(row)][:, None, None] * apart(tilted, places, members[0] % chain.period, steps)
        for member in members:
            assert (np.abs(found[member] - found[members[0]]) <= bound + 1e-16).all()
        wide += len(members) > 1
        few = ChainPlaces.of(n, chain.period, 1, chain.known)
        np.testing.assert_allclose(
            messages(few, steps, tilted.first[:, None] * waves[0][None], last)[0][row], before[members[0]], rtol=1e-14
        )
    assert wide


def by_paths(chain: RepeatingChain, tilts: np.ndarray, turn: float) -> np.ndarray:
    """E[e^{(θ + iω)·sum}; value] over E[e^{θ·sum}], given the known records, of each record (n, T, k)."""
    paths = np.array(list(product(range(chain.states), repeat=chain.n)))
    phases = np.arange(chain.n) % chain.period
    sums = np.stack([chain.scores[phase][paths[:, place]] for place, phase in enumerate(phases)]).sum(axis=0)
    chances = chain.initial[paths[:, 0]].astype(np.float64)
    for place in range(chain.n - 1):
        chances = chances * chain.steps[place % len(chain.steps)][paths[:, place], paths[:, place + 1]]
    for place, state in chain.known:
        chances = chances * (paths[:, place] == state)
    found = np.zeros((chain.n, len(tilts), chain.states), dtype=np.complex128)
    for number, tilt in enumerate(tilts):
        weights = chances * np.exp(tilt * sums)
        weights = weights / weights.sum() * np.exp(1j * turn * sums)
        for place in range(chain.n):
            for state in range(chain.states):
                found[place, number, state] = weights[paths[:, place] == state].sum()
    return found


def test_sums_that_no_path_with_the_known_records_has() -> None:
    known = {3: 1, 4: 1}
    chain = given({"transition": [[0.5, 0.5], [0.5, 0.5]], "initial": [0.5, 0.5]}, 8, known)
    low, high = chain.attainable(9)
    sums = {v for law in shown(SHORT["independent"], 8, known)[0].values() for v, p in law.items() if p}
    assert set(low.tolist()) == sums == set(range(2, 9))
    assert set(high.tolist()) == {8 - v for v in sums}


def release(name: str, n: int, known: dict[int, int], scale: float = 1.5) -> dl.Release:
    secrets = dl.Secrets(people=tuple(sorted({1, n // 5, n // 2 - 1, n // 2 + 1, n} - set(known))))
    noise, adversary = dl.Laplace(scale=scale), dl.Adversary(known=known)
    return dl.Release(dl.Chain(n=n, **CASES[name]), dl.Sum(), noise, secrets, adversary=adversary)


def agrees_with_all_sums(name: str, n: int, known: dict[int, int], patch: pytest.MonkeyPatch) -> None:
    patch.setattr(windowed_chain, "MANY_CELLS", 1 << 60)
    whole = release(name, n, known)
    assert whole.worlds.engines()[0][0] == "convolution"
    truths = [notion.leakage(whole) for notion in NOTIONS]
    patch.setattr(windowed_chain, "MANY_CELLS", 0)
    patch.setattr(windowed_chain, "LONG_ENOUGH", 0)
    own = release(name, n, known)
    assert own.worlds.engines()[0][0] == "window"
    for notion, truth in zip(NOTIONS, truths, strict=True):
        found = notion.leakage(own)
        assert meets(found, truth.lower, truth.upper), notion
        assert not meets(found, truth.lower * (1 + 3e-8), truth.upper * (1 + 3e-8)), notion
        assert found.upper - found.lower <= 1e-8 * found.upper, notion


def test_three_hundred_records_leak_what_the_law_of_all_sums_says(monkeypatch: pytest.MonkeyPatch) -> None:
    agrees_with_all_sums("repelling", 300, {150: 1}, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["repelling", "four values", "sticky", "a ring", "even values"])
def test_two_thousand_records_leak_what_the_law_of_all_sums_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = CASES[name].get("values", [0, 1])
    known = {3: values[1], 700: values[0], 1200: values[1], 1201: values[-1], 2000: values[0]}
    if name == "a ring":
        known = {3: 1, 700: 2, 1200: 1}
    agrees_with_all_sums(name, 2000, known, monkeypatch)


def test_windows_serve_fewer_records_only_in_stretches() -> None:
    assert release("repelling", 1_200, {600: 1}).worlds.engines()[0][0] == "window"
    assert release("repelling", 1_200, dict.fromkeys(range(1, 1200, 60), 1)).worlds.engines()[0][0] != "window"


@pytest.mark.lengthy
def test_stretches_are_what_each_record_alone_says() -> None:
    chain = given({"transition": REPELLING, "initial": [0.8, 0.2]}, 1_200, {550: 1, 551: 0})
    whole, alone = chain_window(chain, 0.3), chain_window(chain.step_by_step(), 0.3)
    assert whole is not None
    assert alone is not None
    assert whole.places.between
    assert len(alone.places) == 1_200
    for place in (0, 250, 548, 551, 700, 1_199):
        row = whole.places.row_of(place)
        one, other = whole.law(row), alone.law(place)
        start, end = (f(a.start[0] + more * a.box[0] for a in (one, other)) for f, more in ((max, 0), (min, 1)))
        near = [law.log_mass()[:, start - law.start[0] : end - law.start[0]] for law in (one, other)]
        assert np.max(np.abs(near[0] - near[1])) <= one.error + other.error + float(whole.drift[row]) < 1e-8


@pytest.mark.lengthy
@pytest.mark.parametrize("count", [1, 10])
def test_a_hundred_thousand_records_of_which_some_are_known(count: int) -> None:
    """Far from other known records and both ends, a day beside a known one leaks what it does in a short chain."""
    n = 100_000
    known = {5_000 + 9_000 * number: number % 2 for number in range(count)}
    days = dl.Chain(n=n, **CASES["repelling"])
    own = dl.Release(days, dl.Sum(), dl.Laplace(scale=1.16), adversary=dl.Adversary(known=known))
    for notion in NOTIONS[1:3]:
        found = notion.leakage(own)
        assert found.upper - found.lower <= 1e-8 * found.upper
    assert own.worlds.engines()[0][0] == "window"
    # The first day is farther than its memory from the next known one.
    assert dl.InferentialPrivacy().leakage(own).upper == pytest.approx(0.6227927451, abs=1e-9)


def test_kernels_that_are_nearly_alike_bound_all() -> None:
    law = dl.Chain(n=400, transition=REPELLING, initial=[0.8, 0.2]).law().given({200: 1})
    steps = law.chain.matrices.doubles()
    few, which = alike_kernels(steps)
    assert len(few) < 120
    away = np.broadcast_to(np.array([[0.0, 0.7], [0.7, 0.0]]), (399, 2, 2))
    each, found = ranges(steps, np.arange(399), away), ranges(few, which, away, nearly=NEARLY)
    assert (found >= each * (1 - 1e-12)).all()
    np.testing.assert_allclose(found, each, rtol=1e-10, atol=1e-12)
