"""Noise for whoever is absent: the theorems keep their promise, and the exact scale is the least, to one in 10^9.

Sums that fade with distance, against the sums written out in 50 digits.

The least scale for ρ, where people are alike and unequally likely: who is worst off changes with the noise.
"""

import warnings
from fractions import Fraction
from math import log

import numpy as np
import pytest

import dalenius as dl
from dalenius.absent.streams import Arriving, Fading, Lost
from dalenius.absent.who_is_absent_channel import absences
from dalenius.notions import Notion
from tests.cases import in_turn
from tests.pace import slow
from tests.reference import absent as reference
from tests.reference.channel import Real, mp

NEAR = 1e-9


def exactly(prior: tuple[float, ...]) -> list[Fraction]:
    total = sum(map(Fraction, prior))
    return [Fraction(p) / total for p in prior]


def truth(model: dl.Absent, scale: float) -> tuple[Real, Real, Real]:
    """The largest and the least posterior/prior, and the largest posterior."""
    answers = [Fraction(str(each)) for each in model.answers or ()]
    if isinstance(model.prior, dl.PriorRange):
        ends = Fraction(str(model.prior.min)), Fraction(str(model.prior.max))
        return reference.bounded_extremes(answers, *ends, Fraction(scale))
    prior = model.prior if isinstance(model.prior, tuple) else (1.0,) * len(answers)
    return reference.extremes(answers, exactly(prior), Fraction(scale))


def keeps(notion: Notion, found: tuple[Real, Real, Real]) -> bool:
    most, least, highest = found
    if isinstance(notion, dl.RhoIdentifiability):
        assert notion.rho is not None
        return bool(highest <= mp.mpf(notion.rho))
    assert isinstance(notion, dl.DifferentialIdentifiability)
    return bool(most <= 1 + mp.mpf(notion.beta) and least >= 1 - mp.mpf(notion.alpha))


def a_model(random: np.random.Generator) -> dl.Absent:
    people = int(random.integers(2, 6))
    answers = [
        random.integers(0, 6, people).astype(float),
        np.round(random.normal(size=people) * 10, 2),
        np.round(np.exp(random.uniform(-6, 3, people)), 5),
    ][random.integers(3)].tolist()
    if len(set(answers)) == 1:
        answers[0] += 1
    prior = random.dirichlet(np.full(people, random.choice([0.5, 3.0])))
    given = tuple((np.maximum(prior, 1e-5) / np.maximum(prior, 1e-5).sum()).tolist())
    return dl.Absent(answers=tuple(answers), prior=given if random.integers(3) else "uniform")


def a_promise(random: np.random.Generator, model: dl.Absent) -> Notion:
    missing = absences(dl.Release(model, None, dl.Laplace()))[0]
    greatest = float(missing.prior.greatest)
    if random.integers(2):
        return dl.RhoIdentifiability(rho=greatest + (1 - greatest) * float(random.uniform(0.001, 0.95)))
    most = 1 / greatest - 1
    beta = most * float(np.exp(random.uniform(-6, -0.05)))
    return dl.DifferentialIdentifiability(alpha=float(random.uniform(0.001, 0.99)), beta=beta)


@pytest.mark.lengthy
@pytest.mark.parametrize("count", [100, slow(1000)])
def test_a_thousand_random_promises(count: int) -> None:
    """DI Theorems 2 and 3 and Lee and Clifton's scale keep them, by enumeration; the exact scale does, and a scale less
    by one in 10^9 does not."""
    random = np.random.default_rng(8)
    for _ in range(count):
        model = a_model(random)
        notion = a_promise(random, model)
        release = dl.Release(model, None, dl.Laplace())
        theorems = ("lee_clifton",) if isinstance(notion, dl.RhoIdentifiability) else ("prior_free", "prior_dependent")
        noise = dl.calibrate(release, notion).noise
        exact = noise.scale or 0.0
        for method in theorems:
            scale = dl.calibrate(release, notion, method).noise.known_scale()
            assert keeps(notion, truth(model, scale)), (model, notion, method)
            assert exact <= scale * (1 + NEAR), (model, notion, exact, scale)
        if isinstance(noise, dl.NoNoise):  # people alike hide each other
            assert keeps(notion, truth(model, 1e-9))
            continue
        assert keeps(notion, truth(model, exact)), (model, notion)
        assert not keeps(notion, truth(model, exact * (1 - NEAR))), (model, notion)


@pytest.mark.parametrize("count", [20, slow(60)])
def test_exact_for_all_priors_within_bounds(count: int) -> None:
    random = np.random.default_rng(9)
    for _ in range(count):
        people = int(random.integers(2, 5))
        answers = tuple(np.round(random.normal(size=people), 3).tolist())
        prior = dl.PriorRange(min=round(0.5 / people, 3), max=round(min(1.7 / people, 0.9), 3))
        model = dl.Absent(answers=answers, prior=prior)
        notion = a_promise(random, model)
        release = dl.Release(model, None, dl.Laplace())
        exact = dl.calibrate(release, notion).noise.known_scale()
        assert keeps(notion, truth(model, exact))
        assert not keeps(notion, truth(model, exact * (1 - NEAR)))
        if isinstance(notion, dl.DifferentialIdentifiability):
            for method in ("prior_free", "prior_dependent"):
                assert keeps(notion, truth(model, dl.calibrate(release, notion, method).noise.known_scale()))


def test_priors_within_bounds_are_of_so_many_answers() -> None:
    model = dl.Absent(answers=tuple(range(2_001)), prior=dl.PriorRange(min=0.0, max=0.01))
    with pytest.raises(dl.TooLarge, match=r"every prior within min and max: 2,001 different answers"):
        dl.RhoIdentifiability(rho=0.5).leakage(dl.Release(model, None, dl.Laplace(scale=1.0)))


def scale_of(found: dl.Calibration) -> float:
    return found.noise.known_scale()


def test_the_published_formulas() -> None:
    release = dl.Release(dl.Absent(answers=(0, 4, 7)), None, dl.Laplace())
    promise = dl.DifferentialIdentifiability(alpha=0.5, beta=0.8)
    assert scale_of(dl.calibrate(release, promise, "prior_free")) == pytest.approx(7 / min(log(1.8), log(2)), rel=1e-10)
    p = 1 / 3
    rising = log(1.8 * (1 - p) / (1 - p * 1.8))
    falling = log((1 + p * (0.5 - 1)) / (0.5 * (1 - p)))
    dependent = dl.calibrate(release, promise, "prior_dependent")
    assert scale_of(dependent) == pytest.approx(7 * max(1 / rising, 1 / falling), rel=1e-10)
    rho = dl.calibrate(release, dl.RhoIdentifiability(rho=0.5), "lee_clifton")
    assert scale_of(rho) == pytest.approx(7 / log(2 * 0.5 / 0.5), rel=1e-10)


def test_a_constant_query_needs_no_noise() -> None:
    release = dl.Release(dl.Absent(answers=(3, 3, 3)), None, dl.Laplace())
    promise = dl.DifferentialIdentifiability(alpha=0.1, beta=0.1)
    found = [dl.calibrate(release, promise, method) for method in ("prior_free", "prior_dependent", "exact")]
    for each in [*found, dl.calibrate(release, dl.RhoIdentifiability(rho=0.5))]:
        assert isinstance(each.noise, dl.NoNoise)
        assert "the answer is the same" in each.why
    assert max(each.leakage.upper for each in found) == 0


def test_a_prior_of_0_is_no_secret() -> None:
    """Theorem 3 with the least prior of those who can be absent at all; their answers alone count."""
    some = dl.Release(dl.Absent(answers=(0, 1, 3, 100), prior=(0.5, 0.3, 0.2, 0.0)), None, dl.Laplace())
    fewer = dl.Release(dl.Absent(answers=(0, 1, 3), prior=(0.5, 0.3, 0.2)), None, dl.Laplace())
    promise = dl.DifferentialIdentifiability(alpha=0.5, beta=0.5)
    for method in ("prior_dependent", "exact"):
        assert scale_of(dl.calibrate(some, promise, method)) == pytest.approx(
            scale_of(dl.calibrate(fewer, promise, method)), rel=1e-11
        )
    assert scale_of(dl.calibrate(some, promise, "prior_free")) > 30 * scale_of(
        dl.calibrate(fewer, promise, "prior_free")
    )


@pytest.mark.parametrize("notion", [dl.InformationPrivacy(epsilon=0.4), dl.RelativeEntropyPrivacy(epsilon=0.05)])
def test_other_promises(notion: Notion) -> None:
    release = dl.Release(dl.Absent(answers=(1, 2, 2, 7)), None, dl.Laplace())
    found = dl.calibrate(release, notion)
    assert notion.epsilon is not None
    assert found.leakage.upper <= notion.epsilon <= found.leakage.lower * (1 + 1e-9)
    less = release.with_noise(dl.Laplace(scale=scale_of(found) * (1 - 1e-9)))
    assert notion.leakage(less).lower > notion.epsilon
    for compared in dl.compare(release, notion):
        assert compared.calibration is None or compared.method in ("exact", "clamped", "optimal"), compared.method
        assert compared.calibration is None or compared.calibration.leakage.upper <= notion.epsilon
        assert compared.why


@pytest.mark.lengthy
def test_a_hundred_thousand_different_answers() -> None:
    random = np.random.default_rng(10)
    answers = tuple(random.integers(0, 10**9, 100_000).tolist())
    notion = dl.RhoIdentifiability(rho=2e-5)
    release = dl.Release(dl.Absent(answers=answers), None, dl.Laplace())
    found = dl.calibrate(release, notion)
    assert found.leakage.upper <= (notion.epsilon or 0) <= found.leakage.lower * (1 + 1e-9)
    assert dl.ExactMethod().calibrate(release, notion) == found


def line(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Points whose distances and weights are of very different sizes."""
    random = np.random.default_rng(points)
    offsets = np.cumsum(np.exp(random.uniform(-9, 0, points)))
    return offsets - offsets[0], random.random(points) ** 8


def written_out(fading: Fading, weights: np.ndarray, place: int) -> Real:
    distances = [abs(mp.mpf(float(a)) - mp.mpf(float(fading.offsets[place]))) for a in fading.offsets]
    kept = [mp.exp(-d / mp.mpf(fading.scale)) for d in distances]
    lost = [-mp.expm1(-d / mp.mpf(fading.scale)) for d in distances]
    return mp.fsum(
        mp.mpf(float(w)) * x for w, x in zip(weights, kept if isinstance(fading, Arriving) else lost, strict=True)
    )


@in_turn({"kind": [Arriving, Lost], "scale": [1e-3, 1.0, 1e9], "points": [3, 16, 83, 258]})
def test_every_sum(kind: type[Fading], scale: float, points: int) -> None:
    offsets, weights = line(points)
    fading = kind(offsets, scale)
    found = fading.at(weights, np.zeros(points)) + fading.elsewhere(weights)
    for place in {0, points // 3, points // 2, points - 1}:
        truth = written_out(fading, weights, place)
        if kind is Arriving or found[place] == np.max(found):
            assert abs(mp.mpf(float(found[place])) - truth) <= fading.error * truth
            assert fading.error < 1e-11 or scale == 1e-3


def calibrated(answers: list[int], prior: list[float], rho: float) -> float:
    release = dl.Release(dl.Absent(answers=answers, prior=prior), dl.Sum(), dl.Laplace())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return dl.calibrate(release, dl.RhoIdentifiability(rho=rho)).noise.scale or 0.0


def test_the_class_that_much_noise_makes_the_worst_never_reaches_rho() -> None:
    for prior, rho, scale in (
        ([0.25, 0.2, 0.5, 0.05], 0.7, 2.29921117127),
        ([0.25, 0.2, 0.5, 0.05], 0.79, 1.28016148676),
        ([0.25, 0.25 - 1e-7, 0.5, 1e-7], 0.7, 3.59728593173),
    ):
        assert calibrated([0, 7, 0, 7], prior, rho) == pytest.approx(scale, rel=1e-10)
