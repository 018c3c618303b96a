"""Long chains whose steps never repeat, by windows: a matrix for each step, and a known record."""

from math import inf
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius.channel.large import windowed_chain
from dalenius.joints import chain_window_plan, repeating_chain
from dalenius.joints.chain_window_plan import chain_window
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.sum_window import SumWindow
from tests.large.test_long_windows import CASES, NOTIONS
from tests.small_limits import smaller


@pytest.fixture(autouse=True)
def no_period(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in longer chains: the steps of a short one count as one period."""
    monkeypatch.setattr(repeating_chain, "MOST_PHASES", 10)


def unlike(n: int, values: int, zeros: bool = False) -> dl.Chain:
    """A matrix for each step; with zeros, some steps are impossible."""
    rng = np.random.default_rng(n)
    rows = 0.96 * rng.dirichlet(np.ones(values), (n - 1, values)) + 0.04 / values
    if zeros:
        rows[::7, 0, 1] = 0.0
        rows /= rows.sum(axis=2, keepdims=True)
    return dl.Chain(n=n, initial=[1 / values] * values, transition=rows.tolist())


def release_of(name: str, n: int) -> dl.Release:
    noise, secrets = dl.Laplace(scale=1.5), dl.Secrets(people=(1, n // 2 - 1, n // 2 + 1, n))
    match name:
        case "two values" | "three values" | "zeros":
            chain = unlike(n, 3 if name == "three values" else 2, name == "zeros")
            return dl.Release(chain, dl.Sum(), noise, secrets)
        case _:
            known = dl.Adversary(known={n // 2: 1, n // 3: 0})
            return dl.Release(dl.Chain(n=n, **CASES[name]), dl.Sum(), noise, secrets, adversary=known)


def agrees_with_all_sums(name: str, n: int, patch: pytest.MonkeyPatch) -> None:
    # Known records cut a chain whose steps repeat: windows serve it by themselves.
    patch.setattr(windowed_chain, "MANY_CELLS", inf)
    whole = release_of(name, n)
    assert whole.worlds.engines()[0][0] == "convolution"
    known = [notion.leakage(whole) for notion in NOTIONS]
    patch.setattr(windowed_chain, "MANY_CELLS", 0)
    patch.setattr(windowed_chain, "LONG_ENOUGH", 0)
    release = release_of(name, n)
    assert release.worlds.engines()[0][0] == "window"
    for notion, truth in zip(NOTIONS, known, strict=True):
        found = notion.leakage(release)
        assert meets(found, truth.lower, truth.upper), notion
        assert not meets(found, truth.lower * (1 + 3e-8), truth.upper * (1 + 3e-8)), notion
        assert not meets(found, truth.lower * (1 - 3e-8), truth.upper * (1 - 3e-8)), notion
        assert found.upper - found.lower <= 1e-8 * found.upper, notion


def meets(found: Any, lower: float, upper: float) -> bool:
    return bool(found.lower <= upper * (1 + 1e-12) and lower <= found.upper * (1 + 1e-12))


@pytest.mark.parametrize("name", ["two values", "repelling"])
def test_a_hundred_records_leak_what_the_law_of_all_sums_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agrees_with_all_sums(name, 120, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two values", "three values", "zeros", "repelling", "four values", "sticky"])
def test_six_hundred_records_leak_what_the_law_of_all_sums_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agrees_with_all_sums(name, 600, monkeypatch)


def window_of(n: int) -> SumWindow[Any] | None:
    chain = RepeatingChain.of(unlike(n, 2).law().chain, np.tile(np.arange(2), (n, 1)))
    assert chain is not None
    return chain_window(chain, 0.5)


def test_blocks_of_frequencies_are_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    together = window_of(60)
    monkeypatch.setattr(chain_window_plan, "_TURNED", 1)
    one_by_one = window_of(60)
    assert together is not None
    assert one_by_one is not None
    for one, other in zip(one_by_one.segments, together.segments, strict=True):
        assert one.waves.shape[1] > 1
        np.testing.assert_allclose(one.waves, other.waves, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("limit", ["MOST_TURNED", "MOST_UNLIKE_STEPS"])
def test_more_than_the_limits_have_no_window(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert window_of(60) is not None
    monkeypatch.setattr(chain_window_plan, limit, smaller(getattr(chain_window_plan, limit), 59))
    assert window_of(60) is None


@pytest.mark.slow
def test_a_known_record_of_a_long_chain() -> None:
    """The days beside the known one are no longer tied to what was before it, nor is what is far away moved."""
    days, noise = dl.Chain(n=2_100, **CASES["repelling"]), dl.Laplace(scale=2.0)
    release = dl.Release(days, dl.Sum(), noise, adversary=dl.Adversary(known={1_050: 1}))
    shorter = dl.Chain(n=400, **CASES["repelling"])
    whole = dl.Release(shorter, dl.Sum(), noise, adversary=dl.Adversary(known={200: 1}))
    for notion in NOTIONS[1:3]:
        found, truth = notion.leakage(release), notion.leakage(whole)
        assert found.upper - found.lower <= 1e-8 * found.upper
        assert found.upper == pytest.approx(truth.upper, rel=1e-6)
    assert release.worlds.engines()[0][0] == "window"
