"""The optimum and the clamped range from the law on a window (Results 20.17 to 20.19), against the whole law.

Methods that look for the least error, where all answers but one, or secrets, are next to impossible.

The optimum by bins: near the full program's, near its dual bound at any size, audited, drawn from exactly.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.calibration import Method
from dalenius.calibration.comparison import compared
from dalenius.channel.answer_window_channel import WindowChannel
from dalenius.errors import DaleniusError
from dalenius.laws import tilted_window as windowing
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.optimum import method as optimal
from dalenius.optimum.clamped_method import ClampedMethod
from dalenius.optimum.method import OptimalMethod
from tests.cases import in_turn
from tests.pace import one_in, slow

HOMES = (0.9, 0.04, 0.0, 0.0, 0.06)
BINS = dl.Relocation(
    lower=230,
    upper=330,
    leaves=(0.3, 1.0, 0.2),
    moves=((0.5, 0.3, 0.2), (0.1, 0.0, 0.9), (0.6, 0.4, 0.0)),
    shares=((0.025,) * 40, (0.05,) * 20, (*(0.02,) * 40, 0.2)),
)
LEVELS = np.clip((np.arange(4001) - 230) / 100, 0.1, 0.9)
ROWS = dl.Kernel(
    answers=tuple(range(4001)),
    outputs=("few", "some", "many"),
    probabilities=tuple((0.7 * (1 - high), 0.3, 0.7 * high) for high in LEVELS.tolist()),
)
ENDED = [dl.Clamped(scale=0, lower=250, upper=320), dl.Clamped(scale=3, lower=240, upper=310), BINS, ROWS]


def count(model: Model, noise: Noise, engine: str | None = None) -> dl.Release:
    return dl.Release(model, dl.Count(), noise, engine=engine)


def overlap(found: Enclosure, wanted: Enclosure) -> bool:
    return found.lower <= wanted.upper and wanted.lower <= found.upper


def both(notion: Notion, release: dl.Release) -> Enclosure:
    found = notion.leakage(release)
    return Enclosure(found.lower, found.upper)


@in_turn({"noise": ENDED, "faint": [90.0, 25.0]})
def test_what_is_outside_a_window_is_counted_under_noise_that_ends(
    noise: Noise, faint: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = count(dl.Households(count=1000, infected=HOMES), noise)
    monkeypatch.setattr(windowing, "TILT_DEPTH", faint)
    seen = count(dl.Households(count=1000, infected=HOMES), noise, "window")
    for notion in (dl.InferentialPrivacy(), dl.InformationPrivacy(), dl.MutualInformationPrivacy()):
        found, wanted = both(notion, seen), both(notion, whole)
        assert overlap(found, wanted)
        assert found.upper - found.lower <= 1e-6 * found.upper


def test_a_window_that_hides_what_it_has_lost_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a share outside that matters: the whole ratio lies within the doubt, and not within a tenth of it."""
    monkeypatch.setattr(windowing, "TILT_DEPTH", 6.0)
    (channel,) = count(dl.Households(count=1000, infected=HOMES), dl.NoNoise(), "window").worlds.exact_answers()
    assert isinstance(channel, WindowChannel)
    window, (whole,) = channel.inside, count(dl.Households(count=1000, infected=HOMES), dl.NoNoise()).channels()
    low, high = window.ends[0] + 5, window.ends[1] - 5
    inside = np.exp(window.law.log_mass()[:, high - window.ends[0] :])
    all_of_it = np.exp(whole.likelihood.log_mass()[:, high - whole.likelihood.start[0] :])
    apart = np.log(np.sum(all_of_it, axis=1) / np.sum(inside, axis=1))
    assert 0 < np.max(apart) <= window.doubt(low, high)
    assert replace(window, lost=(0.0, 0.0)).doubt(low, high) == 0.0
    assert window.doubt(window.ends[0] - 1, high) == np.inf


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 3])
def test_windows_and_whole_laws_agree_on_random_models(seed: int) -> None:
    draw = np.random.default_rng(seed)
    shares = draw.dirichlet(np.ones(int(draw.integers(2, 6)))).tolist()
    model = dl.Households(count=int(draw.integers(300, 1500)), infected=(*shares[:-1], 1 - sum(shares[:-1])))
    epsilon = float(draw.choice([0.1, 0.03, 0.01]))
    notion = (dl.InferentialPrivacy(epsilon=epsilon), dl.InformationPrivacy(epsilon=epsilon))[seed // 2]
    whole, seen = count(model, dl.NoNoise()), count(model, dl.NoNoise(), "window")
    method = ("optimal", "clamped")[seed % 2]
    exact, found = dl.calibrate(whole, notion, method), dl.calibrate(seen, notion, method)
    assert bound(found) == pytest.approx(bound(exact), rel=1e-5, abs=1e-15)
    assert found.expected_error == pytest.approx(exact.expected_error, rel=1e-5, abs=1e-15)
    assert bound(exact) * (1 - 1e-9) <= found.expected_error
    assert overlap(both(notion, seen.with_noise(found.noise)), both(notion, whole.with_noise(found.noise)))
    assert found.leakage.upper <= epsilon


def bound(found: dl.Calibration) -> float:
    assert found.optimum is not None
    return found.optimum.lower_bound


def test_few_likely_answers_of_very_many() -> None:
    """Rare records: the kernel of the likely answers, to which all others are clamped."""
    rare = count(dl.Independent(n=300_000, probabilities=[1e-6]), dl.NoNoise())
    found = OptimalMethod("squared").calibrate(rare, dl.InferentialPrivacy(epsilon=1))
    assert found.noise.kind == "relocation"
    assert found.leakage.upper <= 1
    assert found.optimum is not None
    assert found.optimum.achieved == pytest.approx(found.optimum.lower_bound, rel=1e-3)


RARE = (1e-12, 1e-16, 1e-160, 1e-300)
NOTIONS: tuple[Notion, ...] = (
    dl.InferentialPrivacy(epsilon=1),
    dl.InformationPrivacy(epsilon=1),
    dl.InferentialPrivacy(epsilon=0.3, delta=0.01),
)


def models(rare: float) -> Iterator[tuple[Model, float]]:
    """And what always saying the likeliest answer costs, if the query is the sum."""
    yield dl.Table(records=[[0], [1]], probabilities=[1 - rare, rare]), rare
    yield dl.Households(count=3, infected=[1 - rare, 0, rare]), 6 * rare
    yield dl.Independent(n=5, probabilities=[rare]), 5 * rare


@in_turn({"rare": RARE, "notion": NOTIONS})
def test_nothing_costs_more_than_always_saying_the_likeliest_answer(rare: float, notion: Notion) -> None:
    for model, cost in models(rare):
        release = dl.Release(model, dl.Sum(), dl.Geometric())
        found = dl.calibrate(release, notion, "optimal")
        assert found.sound
        assert notion.leakage(release.with_noise(found.noise)).upper <= (notion.epsilon or 0.0)
        assert found.details["achieved"] <= cost * (1 + 1e-9)
        assert found.details["lower_bound"] <= found.details["achieved"]
        delta = getattr(notion, "delta", 0.0)
        # An answer told apart more often than delta allows must be hidden, so that no mechanism does better.
        if 1e-280 < rare <= 1e-16:
            assert found.details["lower_bound"] >= cost * (1 - delta) * (1 - 1e-9)


def random_model(random: np.random.Generator) -> Model:
    """Probabilities down to 1e-290, some of them ordinary."""

    def law(size: int) -> list[float]:
        masses = np.where(random.random(size) < 0.5, random.random(size), 10.0 ** random.uniform(-290, -5, size))
        masses[random.integers(size)] = 1.0
        return list((masses / masses.sum()).tolist())

    def table() -> Model:
        records = np.unique(random.integers(0, 3, (4, 2)), axis=0).tolist()
        return dl.Table(records=records, probabilities=law(len(records)))

    kind = random.integers(4)
    if kind == 0:
        return table()
    if kind == 1:
        return dl.Households(count=int(random.integers(1, 20)), infected=law(int(random.integers(2, 5))))
    if kind == 2:
        return dl.Independent(n=int(random.integers(1, 20)), probabilities=[law(2)[0]])
    return dl.AnyOf(models=[table(), table()])


@pytest.mark.lengthy
@pytest.mark.parametrize("count", [20, slow(60)])
def test_random_rare_models_are_served_or_refused_in_words(count: int) -> None:
    random = np.random.default_rng(8)
    served = 0
    methods: list[Method] = [OptimalMethod(), OptimalMethod(objective="squared"), ClampedMethod()]
    for _ in range(count):
        release = dl.Release(random_model(random), [dl.Sum(), dl.Max()][random.integers(2)], dl.Geometric())
        notion = NOTIONS[random.integers(3)].model_copy(update={"epsilon": float(random.choice([0.01, 1, 50]))})
        for result in compared(release, [notion], methods):
            if result.calibration is None:
                assert result.why
                continue
            served += 1
            assert result.calibration.leakage.upper <= (notion.epsilon or 0.0)
    assert served > 2.5 * count


def test_an_epsilon_past_doubles_is_refused_in_words() -> None:
    release = dl.Release(dl.Table(records=[[0], [1]], probabilities=[0.5, 0.5]), dl.Sum(), dl.Geometric())
    with pytest.raises(DaleniusError, match=r"notion\.epsilon"):
        dl.calibrate(release, dl.InferentialPrivacy(epsilon=800), "optimal")
    clamped = dl.calibrate(release, dl.InferentialPrivacy(epsilon=800, delta=0.01), "clamped")
    assert clamped.leakage.upper <= 800


def test_a_value_rarer_than_a_double_still_says_something_of_the_others() -> None:
    """Who has 2 has a neighbour who has 1: three apart, as the exact law says."""
    nodes = [
        {"name": "a", "values": [0, 1], "parents": [], "probabilities": [[1.0, 1e-200]]},
        {"name": "b", "values": [0, 1, 2], "parents": ["a"], "probabilities": [[1.0, 0.0, 0.0], [1.0, 0.0, 1e-200]]},
    ]
    release, notion = dl.Release(dl.Network(nodes=nodes), dl.Sum(), dl.Laplace()), dl.InferentialPrivacy(epsilon=1)
    for method in ("dependence_coefficient", "comonotone"):
        assert dl.calibrate(release, notion, method).noise.scale == pytest.approx(3.0, rel=1e-9)


CASES: list[tuple[Model, Notion]] = [
    (dl.Households(count=12, infected=HOMES), dl.InferentialPrivacy(epsilon=1)),
    (dl.Households(count=100, infected=HOMES), dl.InferentialPrivacy(epsilon=0.3, delta=0.01)),
    (dl.Independent(n=300, probabilities=[0.3]), dl.InferentialPrivacy(epsilon=0.1)),
    (dl.Chain(n=100, transition=[[0.8, 0.2], [0.2, 0.8]], initial="stationary"), dl.InferentialPrivacy(epsilon=0.3)),
    (
        dl.AnyOf(models=[dl.Households(count=50, infected=HOMES), dl.Independent(n=200, probabilities=[0.15])]),
        dl.InformationPrivacy(epsilon=0.5),
    ),
]


def by_bins(monkeypatch: pytest.MonkeyPatch, bins: int, release: dl.Release, notion: Notion) -> dl.Calibration:
    monkeypatch.setattr(optimal, "DENSE", 0)
    monkeypatch.setattr(optimal, "BINS", (bins,))
    return dl.calibrate(release, notion, "optimal")


@pytest.mark.parametrize(("model", "notion"), one_in(2, CASES))
@pytest.mark.parametrize("bins", [40, slow(80)])
def test_within_a_tenth_of_the_full_programme(
    monkeypatch: pytest.MonkeyPatch, model: Model, notion: Notion, bins: int
) -> None:
    release = dl.Release(model, dl.Count(), dl.Geometric())
    full = dl.calibrate(release, notion, "optimal")
    assert isinstance(full.noise, dl.Kernel)
    found = by_bins(monkeypatch, bins, release, notion)
    assert isinstance(found.noise, dl.Relocation)
    assert full.details["lower_bound"] <= found.expected_error <= full.expected_error * 1.1
    assert found.details["lower_bound"] <= full.expected_error * (1 + 1e-12)
    assert bins < 80 or found.details["lower_bound"] > full.expected_error * 0.9
    assert notion.epsilon is not None
    assert found.leakage.upper <= notion.epsilon
    assert found.leakage == notion.leakage(release.with_noise(found.noise))
    if isinstance(notion, dl.InferentialPrivacy) and notion.delta > 0:
        assert dl.delta_of(release.with_noise(found.noise), notion.epsilon).upper <= notion.delta


@pytest.mark.parametrize("epsilon", [0.003, slow(0.01)])
def test_a_million_people(epsilon: float) -> None:
    """Four times less error than clamping, a hundredth above what no mechanism can undercut."""
    release = dl.Release(dl.Households(count=250_000, infected=HOMES), dl.Count(), dl.Geometric())
    notion = dl.InferentialPrivacy(epsilon=epsilon)
    found = dl.calibrate(release, notion, "optimal")
    assert isinstance(found.noise, dl.Relocation)
    assert 0 < found.details["lower_bound"] <= found.expected_error < found.details["lower_bound"] * 1.01
    assert epsilon * (1 - 1e-4) < found.leakage.lower <= found.leakage.upper <= epsilon
    if epsilon == 0.01:
        assert found.expected_error < dl.calibrate(release, notion, "clamped").expected_error / 3
    centre = round(np.average(list(found.details["error_given_answer"])))
    drawn = [found.noise.draw((answer,), release.lattice)[0] for answer in (0, centre, 1_000_000) for _ in range(3)]
    assert all(found.noise.lower <= value <= found.noise.upper for value in drawn)
    assert all(value.denominator == 1 for value in drawn)


def at_random(generator: np.random.Generator) -> tuple[dl.Release, Notion]:
    kind = generator.integers(3)
    if kind == 0:
        infected = generator.dirichlet(np.full(int(generator.integers(2, 6)), 0.5)).tolist()
        model: Model = dl.Households(count=int(generator.integers(1, 30)), infected=infected)
    elif kind == 1:
        values = generator.choice(8, size=int(generator.integers(2, 4)), replace=False).tolist()
        probabilities = [generator.dirichlet(np.ones(len(values))).tolist()]
        model = dl.Independent(values=values, n=int(generator.integers(2, 20)), probabilities=probabilities)
    else:
        homes = dl.Households(count=12, infected=generator.dirichlet(np.full(3, 0.5)).tolist())
        model = dl.AnyOf(models=[homes, dl.Independent(n=24, probabilities=[float(generator.random())])])
    epsilon, delta = float(np.exp(generator.uniform(-4, 1.2))), float(generator.choice([0, 0, 1e-3, 0.05]))
    notion = [dl.InferentialPrivacy(epsilon=epsilon, delta=delta), dl.InformationPrivacy(epsilon=epsilon)]
    return dl.Release(model, dl.Sum() if kind == 1 else dl.Count(), dl.Geometric()), notion[int(generator.integers(2))]


@pytest.mark.parametrize("seed", one_in(10, range(30)))
def test_with_any_bins_the_promise_is_kept_and_the_bound_holds(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    generator = np.random.default_rng(seed)
    release, notion = at_random(generator)
    full = dl.calibrate(release, notion, "optimal")
    found = by_bins(monkeypatch, int(generator.integers(2, 40)), release, notion)
    assert notion.epsilon is not None
    assert found.leakage.upper <= notion.epsilon
    assert found.details["lower_bound"] <= min(found.expected_error, full.expected_error) * (1 + 1e-9)
    assert full.details["lower_bound"] <= found.expected_error * (1 + 1e-9)
