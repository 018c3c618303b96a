"""Noise for whoever is absent: the theorems keep their promise, and the exact scale is the least, to one in 10^9."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from dalenius.calibration import METHODS, Calibration, ExactMethod, calibrate, compare
from dalenius.channel import Release
from dalenius.channel.absent.records import absences
from dalenius.errors import DaleniusError, InputError
from dalenius.models import Absent, Any, Model, PriorRange, Table
from dalenius.noise import Gaussian, Geometric, Laplace, NoNoise
from dalenius.notions import (
    DifferentialIdentifiability,
    InferentialPrivacy,
    InformationPrivacy,
    Notion,
    RelativeEntropyPrivacy,
    RhoIdentifiability,
)
from dalenius.queries import Count
from tests.cases import in_turn
from tests.pace import slow
from tests.reference import absent as reference
from tests.reference.channel import Real, mp

NEAR = 1e-9


def exactly(prior: tuple[float, ...]) -> list[Fraction]:
    total = sum(map(Fraction, prior))
    return [Fraction(p) / total for p in prior]


def truth(model: Absent, scale: float) -> tuple[Real, Real, Real]:
    """The largest and the least posterior/prior, and the largest posterior."""
    answers = [Fraction(str(each)) for each in model.answers or ()]
    if isinstance(model.prior, PriorRange):
        ends = Fraction(str(model.prior.min)), Fraction(str(model.prior.max))
        return reference.bounded_extremes(answers, *ends, Fraction(scale))
    prior = model.prior if isinstance(model.prior, tuple) else (1.0,) * len(answers)
    return reference.extremes(answers, exactly(prior), Fraction(scale))


def keeps(notion: Notion, found: tuple[Real, Real, Real]) -> bool:
    most, least, highest = found
    if isinstance(notion, RhoIdentifiability):
        assert notion.rho is not None
        return bool(highest <= mp.mpf(notion.rho))
    assert isinstance(notion, DifferentialIdentifiability)
    return bool(most <= 1 + mp.mpf(notion.beta) and least >= 1 - mp.mpf(notion.alpha))


def a_model(random: np.random.Generator) -> Absent:
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
    return Absent(answers=tuple(answers), prior=given if random.integers(3) else "uniform")


def a_promise(random: np.random.Generator, model: Absent) -> Notion:
    missing = absences(Release(model, None, Laplace()))[0]
    greatest = float(missing.prior.greatest)
    if random.integers(2):
        return RhoIdentifiability(rho=greatest + (1 - greatest) * float(random.uniform(0.001, 0.95)))
    most = 1 / greatest - 1
    beta = most * float(np.exp(random.uniform(-6, -0.05)))
    return DifferentialIdentifiability(alpha=float(random.uniform(0.001, 0.99)), beta=beta)


@pytest.mark.parametrize("count", [100, slow(1000)])
def test_a_thousand_random_promises(count: int) -> None:
    """DI Theorems 2 and 3 and Lee and Clifton's scale keep them, by enumeration; the exact scale does, and a scale less
    by one in 10^9 does not."""
    random = np.random.default_rng(8)
    for _ in range(count):
        model = a_model(random)
        notion = a_promise(random, model)
        release = Release(model, None, Laplace())
        theorems = ("lee_clifton",) if isinstance(notion, RhoIdentifiability) else ("prior_free", "prior_dependent")
        noise = calibrate(release, notion).noise
        exact = noise.scale or 0.0
        for method in theorems:
            scale = calibrate(release, notion, method).noise.known_scale()
            assert keeps(notion, truth(model, scale)), (model, notion, method)
            assert exact <= scale * (1 + NEAR), (model, notion, exact, scale)
        if isinstance(noise, NoNoise):  # people alike hide each other
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
        prior = PriorRange(min=round(0.5 / people, 3), max=round(min(1.7 / people, 0.9), 3))
        model = Absent(answers=answers, prior=prior)
        notion = a_promise(random, model)
        release = Release(model, None, Laplace())
        exact = calibrate(release, notion).noise.known_scale()
        assert keeps(notion, truth(model, exact))
        assert not keeps(notion, truth(model, exact * (1 - NEAR)))
        if isinstance(notion, DifferentialIdentifiability):
            for method in ("prior_free", "prior_dependent"):
                assert keeps(notion, truth(model, calibrate(release, notion, method).noise.known_scale()))


def scale_of(found: Calibration) -> float:
    return found.noise.known_scale()


def test_the_published_formulas() -> None:
    release = Release(Absent(answers=(0, 4, 7)), None, Laplace())
    promise = DifferentialIdentifiability(alpha=0.5, beta=0.8)
    assert scale_of(calibrate(release, promise, "prior_free")) == pytest.approx(7 / min(log(1.8), log(2)), rel=1e-10)
    p = 1 / 3
    rising = log(1.8 * (1 - p) / (1 - p * 1.8))
    falling = log((1 + p * (0.5 - 1)) / (0.5 * (1 - p)))
    dependent = calibrate(release, promise, "prior_dependent")
    assert scale_of(dependent) == pytest.approx(7 * max(1 / rising, 1 / falling), rel=1e-10)
    rho = calibrate(release, RhoIdentifiability(rho=0.5), "lee_clifton")
    assert scale_of(rho) == pytest.approx(7 / log(2 * 0.5 / 0.5), rel=1e-10)


def test_lee_and_clifton_is_theorem_3_for_a_uniform_prior() -> None:
    """ρ = (1+β)/n, with an α that asks nothing."""
    release = Release(Absent(answers=(0, 4, 7, 9)), None, Laplace())
    by_beta = calibrate(release, DifferentialIdentifiability(alpha=1 - 1e-9, beta=1.0), "prior_dependent")
    by_rho = calibrate(release, RhoIdentifiability(rho=0.5), "lee_clifton")
    assert scale_of(by_beta) == pytest.approx(scale_of(by_rho), rel=1e-13)


@pytest.mark.parametrize("method", ["prior_free", "prior_dependent", "exact"])
def test_a_constant_query_needs_no_noise(method: str) -> None:
    release = Release(Absent(answers=(3, 3, 3)), None, Laplace())
    found = calibrate(release, DifferentialIdentifiability(alpha=0.1, beta=0.1), method)
    assert isinstance(found.noise, NoNoise)
    assert found.leakage.upper == 0
    assert "the answer is the same" in found.why
    if method == "exact":
        assert "the answer is the same" in calibrate(release, RhoIdentifiability(rho=0.5), method).why


@in_turn({"beta": [3.0, 3.5], "method": ["prior_free", "prior_dependent", "exact"]})
def test_a_beta_that_makes_somebody_certain_is_refused(method: str, beta: float) -> None:
    release = Release(Absent(answers=(1, 2, 3, 4)), None, Laplace())
    with pytest.raises(InputError, match=r"^notion\.beta: 3.*, wanted below 3: somebody's prior is 0\.25 already$"):
        calibrate(release, DifferentialIdentifiability(alpha=0.5, beta=beta), method)
    assert calibrate(release, DifferentialIdentifiability(alpha=0.5, beta=2.99), method).sound


@pytest.mark.parametrize("method", ["lee_clifton", "exact"])
def test_a_rho_below_somebodys_prior_is_refused(method: str) -> None:
    release = Release(Absent(answers=(1, 2, 3), prior=(0.5, 0.3, 0.2)), None, Laplace())
    with pytest.raises(InputError, match=r"^notion\.rho: 0\.5, wanted above 0\.5"):
        calibrate(release, RhoIdentifiability(rho=0.5), method)
    assert calibrate(release, RhoIdentifiability(rho=0.51), method).sound


def test_a_prior_of_0_is_no_secret() -> None:
    """Theorem 3 with the least prior of those who can be absent at all; their answers alone count."""
    some = Release(Absent(answers=(0, 1, 3, 100), prior=(0.5, 0.3, 0.2, 0.0)), None, Laplace())
    fewer = Release(Absent(answers=(0, 1, 3), prior=(0.5, 0.3, 0.2)), None, Laplace())
    promise = DifferentialIdentifiability(alpha=0.5, beta=0.5)
    for method in ("prior_dependent", "exact"):
        assert scale_of(calibrate(some, promise, method)) == pytest.approx(
            scale_of(calibrate(fewer, promise, method)), rel=1e-11
        )
    assert scale_of(calibrate(some, promise, "prior_free")) > 30 * scale_of(calibrate(fewer, promise, "prior_free"))


def test_the_worst_of_several_beliefs() -> None:
    both = (Absent(answers=(0, 1, 3)), Absent(answers=(0, 1, 3), prior=(0.6, 0.3, 0.1)))
    promise = DifferentialIdentifiability(alpha=0.5, beta=0.4)
    for method in ("prior_dependent", "exact"):
        each = [scale_of(calibrate(Release(model, None, Laplace()), promise, method)) for model in both]
        together = calibrate(Release(Any(models=both), None, Laplace()), promise, method)
        assert scale_of(together) == pytest.approx(max(each), rel=1e-10)


def test_geometric_noise_on_whole_numbers_needs_the_same_scale() -> None:
    model, promise = Absent(answers=(1, 2, 2, 7)), RhoIdentifiability(rho=0.4)
    scales = [scale_of(calibrate(Release(model, None, noise), promise)) for noise in (Laplace(), Geometric())]
    assert scales[0] == pytest.approx(scales[1], rel=1e-12)


def test_normal_noise_by_the_exact_method_only() -> None:
    """Nobody's odds of being the absent one are bounded far out, where the outermost answer decides."""
    release = Release(Absent(answers=(1, 2, 2, 7)), None, Gaussian())
    with pytest.raises(InputError, match=r"^noise\.kind"):
        calibrate(release, RhoIdentifiability(rho=0.4))
    with pytest.raises(InputError, match=r"^noise\.kind: gaussian"):
        calibrate(release, RhoIdentifiability(rho=0.4), "lee_clifton")


@pytest.mark.parametrize(
    "notion",
    [InformationPrivacy(epsilon=0.4), InferentialPrivacy(epsilon=0.5), RelativeEntropyPrivacy(epsilon=0.05)],
    ids=lambda notion: str(notion.kind),
)
def test_other_promises(notion: Notion) -> None:
    release = Release(Absent(answers=(1, 2, 2, 7)), None, Laplace())
    found = calibrate(release, notion)
    assert notion.epsilon is not None
    assert found.leakage.upper <= notion.epsilon <= found.leakage.lower * (1 + 1e-9)
    less = release.with_noise(Laplace(scale=scale_of(found) * (1 - 1e-9)))
    assert notion.leakage(less).lower > notion.epsilon
    for compared in compare(release, notion):
        assert compared.calibration is None or compared.method == "exact", compared.method
        assert compared.why


PAIR: Model = Table(records=[[0, 0], [1, 1]], probabilities=[0.9, 0.1])


@pytest.mark.parametrize("notion", [DifferentialIdentifiability(alpha=0.6, beta=0.5), RhoIdentifiability(rho=0.95)])
def test_records_are_served_by_the_exact_method_or_by_none(notion: Notion) -> None:
    release = Release(PAIR, Count(), Laplace())
    found = {method.name: _tried(method.name, release, notion) for method in METHODS}
    assert isinstance(found["exact"], Calibration) == isinstance(notion, DifferentialIdentifiability)
    assert not any(isinstance(each, Calibration) for name, each in found.items() if name != "exact")


def _tried(method: str, release: Release, notion: Notion) -> Calibration | str:
    try:
        return calibrate(release, notion, method)
    except DaleniusError as error:
        return str(error)


def test_the_share_of_a_promise() -> None:
    """epsilon changed, as a composition does: the t-th powers of both sides."""
    release = Release(Absent(answers=(0, 1, 3, 4)), None, Laplace())
    whole = DifferentialIdentifiability(alpha=0.5, beta=0.6)
    assert whole.epsilon is not None
    half = whole.model_copy(update={"epsilon": whole.epsilon / 2})
    other = DifferentialIdentifiability(alpha=1 - 0.5**0.5, beta=1.6**0.5 - 1)
    for method in ("prior_free", "prior_dependent", "exact"):
        assert scale_of(calibrate(release, half, method)) == pytest.approx(
            scale_of(calibrate(release, other, method)), rel=1e-9
        )


def test_a_hundred_thousand_different_answers() -> None:
    random = np.random.default_rng(10)
    answers = tuple(random.integers(0, 10**9, 100_000).tolist())
    notion = RhoIdentifiability(rho=2e-5)
    release = Release(Absent(answers=answers), None, Laplace())
    found = calibrate(release, notion)
    assert found.leakage.upper <= (notion.epsilon or 0) <= found.leakage.lower * (1 + 1e-9)
    assert ExactMethod().calibrate(release, notion) == found
