"""Secrets of several records of a long chain, by windows: against all paths, and the law of all sums."""

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius.channel.large import windowed_groups
from dalenius.joints.chosen_windows import ChosenWindows
from dalenius.joints.loud_frequencies import _bounds
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.tilted_steps import tilted_steps
from tests.cases import in_turn
from tests.large.test_long_windows import CASES, NOTIONS, is_about
from tests.large.test_unlike_steps import meets

THREE = {"transition": [[0.1, 0.2, 0.7], [0.6, 0.3, 0.1], [0.25, 0.5, 0.25]], "initial": [0.2, 0.3, 0.5]}
SHORT: dict[str, dict[str, Any]] = {"repelling": CASES["repelling"], "zeros": CASES["zeros"], "three values": THREE}
GROUPS = ((0, 1), (2, 5), (0, 3, 4), (6, 8))


def law_of(case: dict[str, Any], n: int, places: tuple[int, ...], period: int) -> dict[Any, dict[int, Fraction]]:
    """Pr[the records at these places, the sum], by all paths; every `period`th record counts double."""
    found: dict[Any, dict[int, Fraction]] = {}
    k = len(case["initial"])
    for path in product(range(k), repeat=n):
        chance = Fraction(case["initial"][path[0]])
        for here, there in pairwise(path):
            chance *= Fraction(case["transition"][here][there])
        if chance:
            total = sum(value * (1 + place % period) for place, value in enumerate(path))
            law = found.setdefault(tuple(path[place] for place in places), {})
            law[total] = law.get(total, Fraction(0)) + chance
    return found


@in_turn({"period": [1, 2], "places": GROUPS, "name": [*SHORT] * 4, "rate": [0.0, 0.9, 0.9]})
def test_laws_of_several_records_are_those_of_all_paths(
    name: str, places: tuple[int, ...], period: int, rate: float
) -> None:
    n = 9
    chain = RepeatingChain.of(
        dl.Chain(n=n, **SHORT[name]).law().chain,
        np.arange(len(SHORT[name]["initial"])) * (1 + np.arange(n)[:, None] % period),
    )
    assert chain is not None
    windows = ChosenWindows.of(chain, rate, len(places))
    assert windows is not None
    window = windows.window_of_several(places)
    assert window is not None
    laws = law_of(SHORT[name], n, places, period)
    ways = list(product(range(chain.states), repeat=len(places)))
    assert [way for way, can in zip(ways, window.possible[0], strict=True) if can] == sorted(laws)
    law = window.law(0)
    (start,), (length,) = law.start, law.box
    for number, (_, own) in enumerate(sorted(laws.items())):
        total = sum(own.values(), Fraction(0))
        inside = np.array([float(own.get(v, 0) / total) for v in range(start, start + length)])
        assert is_about(*window.law_and_doubt(0), number, inside)
        prior = np.exp(window.log_prior[0][window.possible[0]][number])
        assert prior == pytest.approx(float(total), rel=1e-13)


def agrees_with_all_sums(name: str, n: int, groups: list[list[int]], patch: pytest.MonkeyPatch) -> None:
    def release() -> dl.Release:
        return dl.Release(dl.Chain(n=n, **CASES[name]), dl.Sum(), dl.Laplace(scale=1.5), dl.Secrets(groups=groups))

    patch.setattr(windowed_groups, "LONG_FROM", 10**9)
    whole = release()
    truths = [notion.leakage(whole) for notion in NOTIONS[1:]]
    assert whole.worlds.engines()[0][0] != "window"
    patch.setattr(windowed_groups, "LONG_FROM", 0)
    own = release()
    for notion, truth in zip(NOTIONS[1:], truths, strict=True):
        found = notion.leakage(own)
        assert meets(found, truth.lower, truth.upper), notion
        assert not meets(found, truth.lower * (1 + 3e-7), truth.upper * (1 + 3e-7)), notion
        assert found.upper - found.lower <= 1e-8 * found.upper, notion
    assert own.worlds.engines()[0][0] == "window"


def test_two_hundred_records_leak_what_the_law_of_all_sums_says(monkeypatch: pytest.MonkeyPatch) -> None:
    agrees_with_all_sums("repelling", 200, [[1, 2], [51, 50], [7, 120], [3, 4, 9]], monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["repelling", "four values", "zeros", "a ring", "even values", "sticky"])
def test_a_thousand_records_leak_what_the_law_of_all_sums_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agrees_with_all_sums(name, 1_000, [[1, 2], [500, 502], [7, 900]], monkeypatch)


def test_what_windows_of_groups_decline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windowed_groups, "LONG_FROM", 100)
    days = dl.Chain(n=120, **CASES["repelling"])

    def engine(noise: Any = None, query: Any = None, adversary: Any = None, **secrets: Any) -> str:
        own = dl.Adversary() if adversary is None else adversary
        release = dl.Release(
            days, query or dl.Count(), noise or dl.Laplace(scale=2.0), dl.Secrets(**secrets), adversary=own
        )
        dl.InferentialPrivacy().leakage(release)
        return release.worlds.engines()[0][0]

    assert engine(groups=[[1, 2]]) == "window"
    assert engine(groups=[[1, 2]], noise=dl.NoNoise()) != "window"
    assert engine(groups=[[1, 2]], function="any member 1") != "window"
    assert engine(groups=[[1, 2]], adversary=dl.Adversary(known={60: 1})) != "window"


@pytest.mark.lengthy
def test_two_days_of_a_year_of_quarter_hours() -> None:
    days = dl.Chain(n=35_040, **CASES["repelling"])
    release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0), dl.Secrets(groups=[[1, 2], [17_520, 17_521]]))
    for notion in NOTIONS[1:5]:
        found = notion.leakage(release)
        assert found.upper - found.lower <= 1e-8 * found.upper
    assert release.worlds.engines()[0][0] == "window"
    assert dl.InferentialPrivacy().leakage(release).upper == pytest.approx(0.85415073, abs=1e-7)


@in_turn({"period": [1, 2], "known": [{}, {13: 1}, {20: 0}, {5: 1, 6: 0, 30: 1}]})
def test_no_frequency_is_louder_than_its_bound(period: int, known: dict[int, int]) -> None:
    """Of one record, of two together, and beside known ones, wherever they are."""
    n, points, rows = 40, 64, np.array([[0.5, 0.5], [0.7, 0.3]])
    days = dl.Chain(n=n, transition=rows.tolist(), initial=[0.8, 0.2])
    scores = np.arange(2) * (1 + np.arange(n)[:, None] % period)
    chain = RepeatingChain.of(days.law().given(known).chain, scores)
    assert chain is not None
    tilted = tilted_steps(chain, np.array([0.0]))
    one, two = (np.exp(_bounds(tilted, points, -1e9, together))[0] for together in (1, 2))
    masks = {place - 1: np.eye(2)[state] for place, state in known.items()}
    told = [masks.get(place, np.ones(2)) for place in range(n)]
    chance = absolute(rows, told, scores, 0.0, ())
    assert (one <= two).all()
    assert one.min() < 0.1
    for number in range(points // 2 + 1):
        turn = 2 * np.pi * number / points
        for pair in ((0, 1), (3, 22), (18, 19), (24, 38)):
            found = [
                absolute(rows, told, scores, turn, tuple(zip(pair[:many], states, strict=False))) / chance
                for many in (1, 2)
                for states in product(range(2), repeat=many)
            ]
            assert max(found[:2]) <= one[number] * (1 + 1e-9)
            assert max(found[2:]) <= two[number] * (1 + 1e-9)


def absolute(
    rows: np.ndarray, told: list[np.ndarray], scores: np.ndarray, turn: float, secrets: tuple[tuple[int, int], ...]
) -> float:
    """|E[e^{i·turn·sum}; the secrets and what is told]|; secrets: places and states."""
    masks = [own * 1.0 for own in told]
    for place, state in secrets:
        masks[place] = masks[place] * np.eye(2)[state]
    found = np.array([0.8, 0.2]) * masks[0] * np.exp(1j * turn * scores[0])
    for place in range(1, len(told)):
        found = (found @ rows) * masks[place] * np.exp(1j * turn * scores[place])
    return float(np.abs(found.sum()))
