"""Long chains by windows of tilted laws: against all paths, the law of all sums, and a window in mpmath."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from mpmath import mp

import dalenius as dl
from dalenius.channel import record_world
from dalenius.channel.large import windowed_chain
from dalenius.channel.large.windowed_records import WindowedRecords
from dalenius.channel.record_world import RecordWorld
from dalenius.joints.chain_window_plan import chain_window
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.sum_window import SumWindow
from dalenius.laws.law import Law
from dalenius.noise import Noise
from tests.cases import in_turn
from tests.large.test_long_suprema import HALF, SWAP, chains, of, sticky
from tests.pace import draws
from tests.reference import long_chain as reference, tilted_window

RATES = (0.0, 0.1, 0.9, 4.0)
SURE = [Fraction(1), Fraction(0)]


def window_of(initial: Any, steps: Any, scores: Any, rate: float) -> SumWindow[Any] | None:
    chain = of(initial, steps, scores).repeating
    return None if chain is None else chain_window(chain, rate)


def lies_within(law: Law, row: int, truth: np.ndarray, lie: float = 0.0) -> bool:
    """Whether logs of the masses agree with the law's, up to its own error and what it says is unresolved."""
    least = law.log_mass()[row]
    floor = np.full(law.box, -np.inf) if law.floor is None else law.floor
    most = np.logaddexp(least, law.base + floor)
    truth = truth + lie
    with np.errstate(invalid="ignore"):
        below = (truth >= least - law.error) | (least == -np.inf)
        above = (truth <= most + law.error) | (truth == -np.inf)
    return bool((below & above).all())


def is_about(law: Law, off: np.ndarray, row: int, truth: np.ndarray) -> bool:
    """Whether masses agree up to what each may be off by, and the error of all of them."""
    # On the scale of each point's base, of which the law's error counts roundings too.
    scaled = truth * np.exp(-law.base)
    masses, doubt = np.exp(law.relative[row]), np.exp(off[row])
    return bool((np.abs(masses - scaled) <= doubt + 2 * law.error * (masses + doubt)).all())


@given(drawn=chains(), rate=st.sampled_from(RATES))
@example(drawn=(HALF, [sticky(2, 99)] * 7, [[0, 1]] * 8), rate=0.1)
@example(drawn=(HALF, [SWAP] * 7, [[0, 1]] * 8), rate=0.9)
@example(drawn=(SURE, [[HALF, SURE[::-1]]] * 7, [[0, 1]] * 8), rate=0.9)
@example(drawn=(HALF, [[SURE[::-1], SURE]] * 7, [[0, 1]] * 8), rate=0.9)
@example(drawn=(HALF, [SWAP, sticky(2, 9), SWAP], [[0, 1], [3, 0], [2, 2], [1, 5]]), rate=4.0)
@example(drawn=(HALF, [SWAP, sticky(2, 9)] * 3, [[0, 2], [4, 0]] * 3 + [[0, 2]]), rate=0.9)
@draws(60)
def test_laws_of_short_chains_are_those_of_all_paths(drawn: Any, rate: float) -> None:
    initial, steps, scores = drawn
    window = window_of(initial, steps, scores, rate)
    if window is None:
        # Nothing moves the sum.
        assert all(len(set(own)) == 1 for own in scores)
        return
    for place, laws in enumerate(reference.listed(initial, steps, scores)):
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


REPELLING = [[0.5, 0.5], [0.948, 0.052]]
FOUR = [[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1], [0.05, 0.05, 0.45, 0.45], [0.25, 0.5, 0.125, 0.125]]
CASES: dict[str, dict[str, Any]] = {
    "repelling": {"transition": REPELLING, "initial": [0.8, 0.2]},
    "four values": {"transition": FOUR, "initial": [0.25] * 4},
    "four values, uneven": {"transition": FOUR, "initial": [0, 0, 0.5, 0.5], "values": [0, 1, 7, 3]},
    "nearly periodic": {"transition": [[0.01, 0.99], [0.98, 0.02]], "initial": [0.5, 0.5]},
    "zeros": {"transition": [[0.0, 1.0], [0.5, 0.5]], "initial": [1.0, 0.0]},
    "a ring": {"transition": [[0, 1, 0], [0.2, 0, 0.8], [0.5, 0.5, 0]], "initial": [0.2, 0.3, 0.5]},
    "absorbing": {"transition": [[0.97, 0.03], [0.0, 1.0]], "initial": [1.0, 0.0]},
    "a rare start": {"transition": REPELLING, "initial": [1e-300, 1.0]},
    "sticky": {"transition": [[0.9, 0.1], [0.2, 0.8]], "initial": "stationary"},
    "even values": {"transition": REPELLING, "initial": [0.5, 0.5], "values": [-2, 4]},
}


def release_of(name: str, n: int, noise: Noise, people: tuple[int, ...] | None = None) -> dl.Release:
    secrets = dl.Secrets() if people is None else dl.Secrets(people=people)
    return dl.Release(dl.Chain(n=n, **CASES[name]), dl.Sum(), noise, secrets)


NOTIONS: list[Any] = [
    dl.DifferentialPrivacy(),
    dl.InferentialPrivacy(),
    dl.InformationPrivacy(),
    dl.RelativeEntropyPrivacy(),
    dl.MutualInformationPrivacy(),
    dl.InferentialPrivacy(delta=1e-4),
    dl.InformationPrivacy(delta=1e-4),
]


def agrees_with_all_sums(name: str, n: int, noise: Noise, patch: pytest.MonkeyPatch) -> None:
    people = (1, 2, n // 2, n - 1, n)
    patch.setattr(windowed_chain, "MANY_CELLS", 1 << 60)
    full = release_of(name, n, noise, people)
    assert full.worlds.engines()[0][0] != "window"
    # Averages of a chain that stays where it is are not closer by windows.
    notions = NOTIONS[:4] if name == "absorbing" else NOTIONS
    known = [each.leakage(full) for each in notions]
    patch.setattr(windowed_chain, "MANY_CELLS", 0)
    patch.setattr(windowed_chain, "LONG_ENOUGH", 0)
    release = release_of(name, n, noise, people)
    assert release.worlds.engines()[0][0] == "window"
    for notion, whole in zip(notions, known, strict=True):
        found = notion.leakage(release)
        assert found.lower <= whole.upper * (1 + 1e-12) + 1e-13
        assert whole.lower <= found.upper * (1 + 1e-12) + 1e-13
        assert found.upper == found.lower or found.upper - found.lower <= 1e-8 * found.upper + 1e-13, notion


@pytest.mark.parametrize("name", ["repelling", "four values"])
def test_a_hundred_records_leak_what_the_law_of_all_sums_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agrees_with_all_sums(name, 120, dl.Laplace(scale=1.5), monkeypatch)


@pytest.mark.slow
@in_turn({"geometric": [False, True], "name": CASES})
def test_three_hundred_records_leak_what_the_law_of_all_sums_says(
    name: str, geometric: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    agrees_with_all_sums(name, 300, (dl.Geometric if geometric else dl.Laplace)(scale=1.5), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_two_thousand_records_leak_what_the_law_of_all_sums_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where each record is a class of its own, windows are for few.
    alone = name in ("absorbing", "nearly periodic", "zeros")
    agrees_with_all_sums(name, 400 if alone else 2000, dl.Laplace(scale=3.0), monkeypatch)


@pytest.mark.parametrize("n", [20_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_bits_that_repel_leak_at_any_length_what_few_do(n: int) -> None:
    release = dl.Release(dl.Chain(n=n, **CASES["repelling"]), dl.Sum(), dl.Laplace(scale=1.16))
    for notion, truth in ((dl.InferentialPrivacy(), 0.6227927451), (dl.InformationPrivacy(), 0.4298224920)):
        found = notion.leakage(release)
        assert found.lower - 1e-10 <= truth <= found.upper + 1e-10
        assert found.upper - found.lower <= 1e-8 * truth


def test_engine_is_named_that_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    release = dl.Release(dl.Chain(n=3_000, **CASES["repelling"]), dl.Sum(), dl.Laplace(scale=1.16))
    notion = dl.InformationPrivacy()
    closer = notion.leakage(release)
    assert release.worlds.engines()[0][0] == "window"
    monkeypatch.setattr(windowed_chain, "CLOSE_ENOUGH", 0.0)
    declined = dl.Release(dl.Chain(n=3_000, **CASES["repelling"]), dl.Sum(), dl.Laplace(scale=1.16))
    wider = notion.leakage(declined)
    assert declined.worlds.engines()[0][0] == "recursion"
    assert wider.lower <= closer.lower <= closer.upper < wider.upper


def random_long_case(seed: int) -> tuple[dl.Chain, float]:
    """Two to four values, whose chances are all above a hundredth."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    rows = 0.96 * rng.dirichlet(np.full(k, float(rng.choice([0.5, 1.0, 5.0]))), k) + 0.04 / k
    values = sorted(rng.permutation(8)[:k].tolist())
    chain = dl.Chain(n=3_000, transition=rows.tolist(), initial=rng.dirichlet(np.ones(k)).tolist(), values=values)
    return chain, float(rng.choice([0.4, 1.0, 4.0]))


@pytest.mark.lengthy
@pytest.mark.parametrize(
    "seeds", [range(2), *(pytest.param(range(i, i + 5), marks=pytest.mark.slow) for i in range(2, 32, 5))]
)
def test_random_long_chains_are_served(seeds: range) -> None:
    for seed in seeds:
        chain, scale = random_long_case(seed)
        release = dl.Release(chain, dl.Sum(), dl.Laplace(scale=scale))
        found = dl.InformationPrivacy().leakage(release)
        assert release.worlds.engines()[0][0] == "window"
        assert found.upper - found.lower <= 1e-8 * found.upper, seed
        # The bound from above, and the limits from below, hold of what windows say.
        (bounded,) = (each.bounded for each in release.all_channels() if isinstance(each, WindowedRecords))
        raised = bounded.movement().raised.value
        assert raised.lower <= found.upper
        assert found.lower <= raised.upper


def test_posterior_of_a_long_chain_is_that_of_a_shorter_one_in_the_middle() -> None:
    """What is far away cancels where outputs lie as far from the mean."""
    found = []
    for n in (300, 4_000):
        release = dl.Release(dl.Chain(n=n, **CASES["repelling"]), dl.Sum(), dl.Laplace(scale=1.16))
        world = release.worlds[0]
        assert isinstance(world, RecordWorld)
        (channel,) = (each for each in world.singly(release.noise) if each.subject.person == 1)
        (update,) = channel.at((float(n),)).updates
        found.append(update.odds.middle)
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_gaussian_noise_with_a_delta() -> None:
    notion = dl.InferentialPrivacy(epsilon=1.0, delta=1e-6)
    release = dl.Release(
        dl.Chain(n=3_000, **CASES["sticky"]), dl.Sum(), dl.Gaussian(scale=12.0), dl.Secrets(people=(1500,))
    )
    assert release.worlds.engines()[0][0] == "window"
    found = notion.leakage(release)
    assert 0 < found.lower <= found.upper <= found.lower * (1 + 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "place", "tilt"), [("repelling", 0, 0.6), ("four values", 2_500, -0.3), ("zeros", 4_998, 0.5)]
)
def test_a_window_in_mpmath(name: str, place: int, tilt: float) -> None:
    n, case = 5_000, CASES[name]
    model = dl.Chain(n=n, **case)
    scores = list(range(len(case["transition"])))
    chain = RepeatingChain.of(model.law().chain, np.tile(np.array(scores, dtype=np.int64), (n, 1)))
    assert chain is not None
    window = chain_window(chain, 0.7)
    assert window is not None
    row = window.places.row_of(place)
    law = window.law(row)
    segment = min(window.segments, key=lambda each: abs(each.tilt - tilt))
    sums: Sequence[int] = [segment.centre + move for move in (-20, 0, 1, 15)]
    with mp.workdps(40):
        truth = tilted_window.masses(case["initial"], case["transition"], scores, n, place, segment.tilt, 1500, sums)
    for number, logs in enumerate(truth):
        for v, log in zip(sums, logs, strict=True):
            own = float(law.log_mass()[number, v - law.start[0]])
            assert abs(own - float(log)) <= law.error + float(window.drift[row]) < 1e-9


def by_the_hour() -> tuple[dl.Chain, dl.Chain]:
    """A day of hours, given once and hour by hour."""
    hours = np.random.default_rng(0).dirichlet(np.ones(2), size=(24, 2)).tolist()
    steps = [hours[t % 24] for t in range(299)]
    day = dl.Chain(n=300, initial=[0.5, 0.5], transition=hours, period=24)
    return day, dl.Chain(n=300, initial=[0.5, 0.5], transition=steps)


@pytest.mark.slow
def test_matrices_that_repeat_are_those_of_all_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windowed_chain, "MANY_CELLS", 0)
    secrets = dl.Secrets(people=(1, 29, 296))
    day, steps = (dl.Release(each, dl.Sum(), dl.Laplace(scale=1.0), secrets) for each in by_the_hour())
    assert [each.worlds.engines()[0][0] for each in (day, steps)] == ["window", "convolution"]
    for notion in NOTIONS:
        found, whole = notion.leakage(day), notion.leakage(steps)
        assert found.lower <= whole.upper * (1 + 1e-12)
        assert whole.lower <= found.upper * (1 + 1e-12)
        assert found.upper - found.lower <= 1e-8 * found.upper


@pytest.mark.parametrize(
    ("wrong", "wanted"),
    [
        ({"period": 23}, "as many transition matrices as its period, 23 \\(there are 24\\)"),
        ({"n": 20}, "a period below the 20 records \\(it is 24\\)"),
        ({"n": 24}, "a period below the 24 records \\(it is 24\\)"),
        ({"transition": [[0.5, 0.5], [0.5, 0.5]]}, "as many transition matrices as its period, 24 \\(there are 1\\)"),
        ({"period": 12}, "as many transition matrices as its period, 12 \\(there are 24\\)"),
        ({"period": 0}, "period: 0, wanted a number above 0"),
        ({"period": -24}, "period: -24, wanted a number above 0"),
        ({"period": 24.5}, "period: 24.5, wanted a whole number"),
        ({"period": "a day"}, "period: a day, wanted a whole number"),
        ({"period": True}, "period: true, wanted a whole number"),
        ({"initial": "stationary"}, "wanted initial probabilities"),
    ],
)
def test_periods_that_do_not_fit_are_refused(wrong: dict[str, Any], wanted: str) -> None:
    day, _ = by_the_hour()
    with pytest.raises(dl.InputError, match=wanted):
        dl.Chain(**{"n": 300, "initial": day.initial, "transition": day.transition, "period": 24, **wrong})


FAMILIES = ("plain", "plain", "zeros", "absorbing", "periodic", "nearly periodic", "a rare start", "stays")


def random_case(seed: int) -> tuple[dict[str, Any], float]:
    """A chain of the family whose turn it is; 500 chains have some 60 of each."""
    rng = np.random.default_rng(seed)
    k, n, family = int(rng.integers(2, 5)), int(rng.integers(20, 120)), FAMILIES[seed % len(FAMILIES)]
    sharp = float(rng.choice([0.1, 0.5, 1.0, 5.0]))
    rows, initial = rng.dirichlet(np.full(k, sharp), k), rng.dirichlet(np.ones(k))
    if family == "zeros":
        rows = np.where(rows < 0.05, 0.0, rows)
        rows = rows / rows.sum(axis=1, keepdims=True)
    elif family == "absorbing":
        rows[-1] = np.eye(k)[-1]
    elif family in ("periodic", "nearly periodic"):
        rest = 0.0 if family == "periodic" else 0.01
        rows = (1 - rest) * np.roll(np.eye(k), 1, axis=1) + rest * rows
    elif family == "a rare start":
        initial[0] = 1e-300
        initial[1:] /= initial[1:].sum()
    elif family == "stays":
        rows = (1 - 1e-4) * np.eye(k) + 1e-4 * rows
    values = rng.permutation(8)[:k].tolist()
    return {"n": n, "transition": rows.tolist(), "initial": initial.tolist(), "values": values}, float(
        rng.choice([0.4, 1.0, 4.0])
    )


@pytest.mark.lengthy
@pytest.mark.parametrize(
    "seeds",
    [
        range(len(FAMILIES)),
        *(pytest.param(range(start, start + 50), marks=pytest.mark.slow) for start in range(0, 500, 50)),
    ],
)
def test_random_chains_lie_between(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windowed_chain, "LONG_ENOUGH", 0)
    for seed in seeds:
        case, scale = random_case(seed)
        found = []
        for few, cells in ((10**6, 1 << 60), (0, 0)):
            monkeypatch.setattr(record_world, "FEW_PEOPLE", few)
            monkeypatch.setattr(windowed_chain, "MANY_CELLS", cells)
            release = dl.Release(dl.Chain(**case), dl.Sum(), dl.Laplace(scale=scale))
            found.append([each.leakage(release) for each in (dl.InferentialPrivacy(), dl.InformationPrivacy())])
        for whole, own in zip(*found, strict=True):
            assert own.lower <= whole.upper * (1 + 1e-12)
            assert whole.lower <= own.upper * (1 + 1e-12)
            assert own.upper - own.lower <= 1e-8 * own.upper + 1e-11, (seed, own, whole)
