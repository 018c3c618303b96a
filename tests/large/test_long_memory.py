"""Chains that forget slowly: the search for the most exposed record says what the classes of all records say."""

from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.channel.large import long_memory, windowed_chain
from dalenius.channel.large.largest_place import largest_place, stretches_of
from dalenius.channel.leakage import Found
from dalenius.joints import chain_window_plan, sum_window
from dalenius.joints.chosen_places import FarMessages
from dalenius.joints.chosen_windows import ChosenWindows, Stretch
from dalenius.joints.repeating_chain import RepeatingChain

FOUR = [[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1], [0.05, 0.05, 0.45, 0.45], [0.25, 0.5, 0.125, 0.125]]
LAZY = (0.9 * np.eye(4) + 0.1 * np.array(FOUR)).tolist()
SEASONS = [[[0.9, 0.1], [0.1, 0.9]], [[0.95, 0.05], [0.2, 0.8]]]
CASES: dict[str, dict[str, Any]] = {
    "sticky": {"transition": [[0.9, 0.1], [0.1, 0.9]], "initial": "stationary"},
    "uneven": {"transition": [[0.92, 0.08], [0.2, 0.8]], "initial": [0.9, 0.1]},
    "four values": {"transition": LAZY, "initial": [0.25] * 4},
    "two seasons": {"transition": SEASONS, "period": 2, "initial": [0.3, 0.7]},
    "repelling": {"transition": [[0.5, 0.5], [0.948, 0.052]], "initial": [0.8, 0.2]},
}
NOTIONS: list[Any] = [
    dl.InferentialPrivacy(),
    dl.InformationPrivacy(),
    dl.RelativeEntropyPrivacy(),
    dl.MutualInformationPrivacy(),
    dl.InferentialPrivacy(delta=1e-3),
    dl.InformationPrivacy(delta=1e-3),
]
DAYS: dict[str, Any] = {
    "values": [(0, 0), (0, 1), (1, 0), (1, 1)],
    "members": ["ana", "bob"],
    "transition": (0.8 * np.eye(4) + 0.2 * np.array(FOUR)).tolist(),
    "initial": [0.4, 0.3, 0.2, 0.1],
}


def search_all_chains(patch: pytest.MonkeyPatch) -> None:
    """Makes classes so few that every chain is searched."""
    for module in (chain_window_plan, long_memory):
        patch.setattr(module, "MOST_CLASSES", 5)
    patch.setattr(chain_window_plan, "MOST_ALONE", 5)


def windows_serve(patch: pytest.MonkeyPatch) -> None:
    for name in ("MANY_CELLS", "LONG_ENOUGH"):
        patch.setattr(windowed_chain, name, 0)


def agree(make: Any, notions: list[Any], patch: pytest.MonkeyPatch) -> None:
    windows_serve(patch)
    whole = [notion.leakage(make()) for notion in notions]
    search_all_chains(patch)
    release = make()
    assert "bounds of all between" in release.worlds.engines()[0][1]
    for notion, known in zip(notions, whole, strict=True):
        found = notion.leakage(release)
        assert found.lower <= known.upper * (1 + 1e-12)
        assert known.lower <= found.upper * (1 + 1e-12)
        assert found.upper - found.lower <= 1e-8 * found.upper, notion


@pytest.mark.lengthy
@pytest.mark.parametrize(
    "name", ["sticky", *(pytest.param(name, marks=pytest.mark.slow) for name in CASES if name != "sticky")]
)
def test_search_says_what_all_classes_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 600 if name in ("sticky", "uneven") else 100
    notions = NOTIONS[:4] if name == "sticky" else NOTIONS
    agree(lambda: dl.Release(dl.Chain(n=n, **CASES[name]), dl.Sum(), dl.Laplace(scale=3.0)), notions, monkeypatch)


@pytest.mark.slow
def test_search_says_of_a_member_s_day_what_all_classes_say(monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> dl.Release:
        secrets = dl.Secrets(stage="bob")
        return dl.Release(dl.Chain(n=150, **DAYS), dl.Stage(query=dl.Sum()), dl.Geometric(scale=1.5), secrets=secrets)

    agree(make, NOTIONS[:4], monkeypatch)


@pytest.mark.lengthy
@pytest.mark.parametrize("stay", [0.98, pytest.param(0.99, marks=pytest.mark.slow)])
def test_chain_that_stays_is_exact(stay: float) -> None:
    model = dl.Chain(n=20_000, transition=[[stay, 1 - stay], [1 - stay, stay]], initial="stationary")
    found = dl.MutualInformationPrivacy().leakage(dl.Release(model, dl.Count(), dl.Laplace(scale=1.16)))
    assert 0 < found.upper - found.lower <= 1e-8 * found.upper


@pytest.mark.slow
def test_outputs_say_no_more_of_a_bit_than_its_entropy() -> None:
    model = dl.Chain(n=2001, transition=[[0.9999, 0.0001], [0.0001, 0.9999]], initial=[0.5, 0.5])
    found = dl.MutualInformationPrivacy().leakage(dl.Release(model, dl.Count(), dl.Laplace(scale=100.0)))
    assert 0.65 < found.lower <= found.upper <= log(2) * (1 + 1e-12)


@pytest.mark.lengthy
def test_few_secret_records_are_each_evaluated() -> None:
    model = dl.Chain(n=20_000, transition=[[0.98, 0.02], [0.02, 0.98]], initial="stationary")
    every, some = (
        dl.MutualInformationPrivacy().leakage(dl.Release(model, dl.Count(), dl.Laplace(scale=1.16), secrets))
        for secrets in (dl.Secrets(), dl.Secrets(people=(1, 10_000)))
    )
    assert every.lower <= some.upper
    assert some.lower <= every.upper
    assert some.upper - some.lower <= 1e-8 * some.upper


def windows_of(name: str, n: int, rate: float) -> ChosenWindows:
    model = dl.Chain(n=n, **CASES[name])
    scores = np.tile(np.arange(len(model.law().chain.initial.doubles())), (n, 1))
    chain = RepeatingChain.of(model.law().chain, scores)
    assert chain is not None
    found = ChosenWindows.of(chain, rate)
    assert found is not None
    return found


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("first", "steps"), [(100, 8), (0, 4), (180, 10), (11, 150)])
def test_laws_between_are_nearly_mixtures(name: str, first: int, steps: int) -> None:
    windows = windows_of(name, 400, 0.3)
    period = windows.chain.period
    stretch = Stretch(first, first + steps * period, period)
    bound, mixed = windows.bend(stretch), windows.mixed(stretch)
    assert mixed[0] == 1
    assert abs(mixed[-1]) < 1e-12
    for group in windows.groups:
        laws = group.joints(tuple(stretch.places))
        laws = np.einsum("ptjs,j->ptjs", laws, group.loud.weights).astype(np.complex128)
        chord = mixed[:, None, None, None] * laws[0] + (1 - mixed)[:, None, None, None] * laws[-1]
        off = laws - chord
        # The inverse transform at any sum is at most the sum of absolute values, and is it at some.
        most = np.abs(off.sum(axis=2)).max(axis=0)
        assert (most <= bound[group.some] * (1 + 1e-9)).all()


def test_bound_between_is_no_more_than_what_it_bounds_by_much() -> None:
    windows = windows_of("sticky", 400, 0.3)
    stretch = Stretch(20, 28, 1)
    # The tilts about 0, whose masses are not next to nothing.
    group = min(windows.groups, key=lambda each: float(np.min(np.abs(each.tilted.tilts))))
    laws = group.joints(tuple(stretch.places))
    mixed = windows.mixed(stretch)[:, None, None, None]
    off = np.abs(laws - mixed * laws[0] - (1 - mixed) * laws[-1]).max(axis=0)
    most = np.einsum("tjs,j->ts", off.astype(np.float64), group.loud.weights)
    middle = int(np.argmin(np.abs(group.tilted.tilts)))
    assert (windows.bend(stretch)[group.some][middle] <= 50 * most[middle]).all()


@given(n=st.integers(2, 40), period=st.integers(1, 5), place=st.integers(0, 39))
def test_far_messages_are_those_step_by_step(n: int, period: int, place: int) -> None:
    place %= n
    steps = list(np.random.default_rng(n).dirichlet(np.ones(3), size=(period, 3)))
    first, last = np.array([0.5, 0.3, 0.2]), np.array([1.0, 2.0, 3.0])
    far, before, after = FarMessages(n, steps, first, last), first, last
    for each in range(place):
        before = before @ steps[each % period]
    for each in range(n - 2, place - 1, -1):
        after = steps[each % period] @ after
    assert far.before(place) == pytest.approx(before, rel=1e-12)
    assert far.after(place) == pytest.approx(after, rel=1e-12)


@given(top=st.integers(0, 500), width=st.floats(0.1, 100.0), n=st.integers(1, 500), step=st.integers(1, 4))
def test_largest_place_is_that_of_all(top: int, width: float, n: int, step: int) -> None:
    heights = [float(1 + np.sin(x / 7) / 10) / (1 + ((x - top) / width) ** 2) for x in range(n)]

    def read(places: Any) -> list[list[Found]]:
        return [[Found(Enclosure(heights[x], heights[x]))] for x in places]

    def at_most(stretch: Stretch, one: Any, other: Any) -> list[float]:
        return [max(heights[x] for x in stretch.places)]

    (found,) = largest_place(stretches_of(n, step), read, at_most, 10_000)
    assert found.value.lower <= max(heights) <= found.value.upper
    assert found.value.upper - found.value.lower <= 1e-8 * abs(found.value.upper)
    (few,) = largest_place(stretches_of(n, step), read, at_most, 1)
    assert few.value.lower <= max(heights) <= few.value.upper


@pytest.mark.parametrize(("n", "step"), [(1, 1), (2, 1), (7, 3), (100, 1), (101, 7)])
def test_stretches_have_every_record(n: int, step: int) -> None:
    assert {place for each in stretches_of(n, step) for place in each.places} == set(range(n))


def test_a_transform_of_the_whole_circle_says_what_one_sum_for_each_point_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    for dense in (False, True):
        monkeypatch.setattr(sum_window, "_is_dense", lambda *_, dense=dense: dense)
        window = windows_of("sticky", 400, 0.3).window((0, 200))
        assert window is not None
        found.append(window.law(1))
    with np.errstate(invalid="ignore"):
        off = np.abs(found[0].relative - found[1].relative)
    assert np.max(off[np.isfinite(off)]) <= found[0].error + found[1].error
