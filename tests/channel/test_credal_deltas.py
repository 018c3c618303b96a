"""A delta, and Gaussian noise, for groups of whose law only intervals are known: bounded, against laws within them."""

from math import inf

import pytest

from dalenius.calibration import ClampedMethod, OptimalMethod, calibrate
from dalenius.channel import Release
from dalenius.channel.secrets import Secrets
from dalenius.errors import Meaningless
from dalenius.laws.box import Box
from dalenius.models import Households, Independent, Model, Table
from dalenius.noise import Clamped, Gaussian, Geometric, Laplace, Noise, NoNoise
from dalenius.notions import InferentialPrivacy, InformationPrivacy, RelativeEntropyPrivacy
from dalenius.queries import Count
from dalenius.schema import Chance

ROW: tuple[Chance, ...] = ((0.5, 0.7), (0.1, 0.3), (0.05, 0.2), (0.05, 0.3))
NOISES: list[Noise] = [Laplace(scale=1.0), Geometric(scale=1.0), Gaussian(scale=1.5)]


def release(row: tuple[Chance, ...], noise: Noise, count: int = 1) -> Release:
    return Release(Households(count=count, infected=row), Count(), noise)


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.kind)
def test_no_extreme_law_needs_more_delta(noise: Noise) -> None:
    laws = Box.of(ROW).vertices().tolist()
    for notion in (InferentialPrivacy(), InformationPrivacy()):
        found = notion.least_delta(release(ROW, noise), 0.5)
        exact = [notion.least_delta(release(tuple(law), noise), 0.5) for law in laws]
        assert found is not None
        assert found.lower == 0
        assert max(each.lower for each in exact if each is not None) <= found.upper < 1


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.kind)
def test_epsilon_and_delta_are_each_other_s_inverse(noise: Noise) -> None:
    asked = release(ROW, noise)
    for notion in (InferentialPrivacy(delta=0.05), InformationPrivacy(delta=0.05)):
        found = notion.leakage(asked)
        delta = notion.least_delta(asked, found.upper)
        assert found.lower == 0
        assert delta is not None
        assert 0.05 * (1 - 1e-9) <= delta.upper <= 0.05


def test_gaussian_noise_without_a_delta() -> None:
    """Far out it leaves the outermost answers only: where some law rules one out given a value, without bound."""
    assert InferentialPrivacy().leakage(release(ROW, Gaussian(scale=1.5))).lower == inf
    table = Table(
        records=(("a", 0), ("a", 1), ("b", 0), ("b", 1)), probabilities=((0.2, 0.3), (0.1, 0.2), (0.2, 0.4), (0.2, 0.4))
    )

    def asked(model: Model) -> Release:
        return Release(model, Count(values=[1]), Gaussian(scale=1.5), secrets=Secrets(people=(1,)))

    laws = Box.of(table.probabilities).vertices().tolist()
    for notion in (InferentialPrivacy(), InformationPrivacy(), RelativeEntropyPrivacy()):
        found = notion.leakage(asked(table))
        exact = [notion.leakage(asked(table.model_copy(update={"probabilities": tuple(law)}))) for law in laws]
        assert max(each.lower for each in exact) <= found.upper < inf
        assert found.lower >= max(each.lower for each in exact) - 1e-9


def test_calibrated_at_a_delta() -> None:
    """Independent bits: whatever their chances, Gaussian noise of a differential delta."""
    model = Independent(values=(0, 1), n=40, probabilities=(((0.2, 0.4), (0.6, 0.8)),))
    found = calibrate(Release(model, Count(), Gaussian(scale=1.0)), InferentialPrivacy(epsilon=1.0, delta=1e-3))
    exact = Release(Independent(n=1, probabilities=(0.5,)), Count(), Gaussian(scale=1.0))
    alone = calibrate(exact, InferentialPrivacy(epsilon=1.0, delta=1e-3))
    assert found.noise.scale == pytest.approx(alone.noise.scale, rel=1e-3)


def test_nothing_added_and_what_needs_a_law() -> None:
    found = InferentialPrivacy().least_delta(release(ROW, NoNoise()), 1.0)
    assert found is not None
    assert found.upper == 1
    with pytest.raises(Meaningless, match="a point law for trade-offs"):
        list(next(release(ROW, Laplace(scale=1.0)).all_channels()).tradeoffs())
    with pytest.raises(Meaningless, match="laplace, geometric or gaussian"):
        InferentialPrivacy().leakage(release(ROW, Clamped(scale=1.0, lower=0, upper=3)))


@pytest.mark.parametrize("method", [OptimalMethod(), ClampedMethod()], ids=lambda method: method.name)
def test_the_least_expected_error_needs_one_law(method: OptimalMethod | ClampedMethod) -> None:
    with pytest.raises(Meaningless, match="one law for this method: numbers for all probabilities, or method exact"):
        method.calibrate(release(ROW, Geometric()), InferentialPrivacy(epsilon=1.0))
