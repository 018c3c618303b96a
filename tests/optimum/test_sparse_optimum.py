"""The optimum by bins: near the full program's, near its dual bound at any size, audited, drawn from exactly."""

import numpy as np
import pytest

import dalenius as dl
from dalenius.models import Model
from dalenius.notions import Notion
from dalenius.optimum import method as optimal
from tests.pace import one_in, slow

HOMES = (0.9, 0.04, 0.0, 0.0, 0.06)
CASES: list[tuple[Model, Notion]] = [
    (dl.Households(count=12, infected=HOMES), dl.InferentialPrivacy(epsilon=1)),
    (dl.Households(count=100, infected=HOMES), dl.InferentialPrivacy(epsilon=0.3, delta=0.01)),
    (dl.Independent(n=300, probabilities=[0.3]), dl.InferentialPrivacy(epsilon=0.1)),
    (dl.Chain(n=100, transition=[[0.8, 0.2], [0.2, 0.8]], initial="stationary"), dl.InferentialPrivacy(epsilon=0.3)),
    (
        dl.Any(models=[dl.Households(count=50, infected=HOMES), dl.Independent(n=200, probabilities=[0.15])]),
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
        model = dl.Any(models=[homes, dl.Independent(n=24, probabilities=[float(generator.random())])])
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [dl.Households(count=1_000, infected=HOMES), dl.Independent(n=1_000, probabilities=[0.3])]
)
def test_a_thousandth_above_the_largest_full_programmes(monkeypatch: pytest.MonkeyPatch, model: Model) -> None:
    """Down to errors of 1e-39, whose dual bound by bins is up to four times too low."""
    release, notion = dl.Release(model, dl.Count(), dl.Geometric()), dl.InferentialPrivacy(epsilon=1)
    found = dl.calibrate(release, notion, "optimal")
    assert isinstance(found.noise, dl.Relocation)
    monkeypatch.setattr(optimal, "DENSE", 2_000)
    full = dl.calibrate(release, notion, "optimal")
    assert isinstance(full.noise, dl.Kernel)
    assert full.details["lower_bound"] == pytest.approx(full.expected_error, rel=1e-6)
    assert full.expected_error * (1 - 1e-9) <= found.expected_error < full.expected_error * 1.001


def test_answers_that_leave_gaps_on_the_lattice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of 0, 3 and 5: 1, 2, 4 and 7 cannot be, and are no outputs."""
    model = dl.Independent(values=[0, 3, 5], n=25, probabilities=[[0.9, 0.06, 0.04]])
    release, notion = dl.Release(model, dl.Sum(), dl.Geometric()), dl.InferentialPrivacy(epsilon=0.4)
    found = by_bins(monkeypatch, 40, release, notion)
    assert isinstance(found.noise, dl.Relocation)
    shares = np.concatenate(found.noise.shares)
    assert all(shares[gap - int(found.noise.lower)] == 0 for gap in (1, 2, 4, 7))
    assert {1, 2, 4, 7}.isdisjoint(found.details["error_given_answer"])
