"""A delta, and Gaussian noise, for groups of whose law only intervals are known: bounded, against laws within them."""

from math import inf

import pytest

from dalenius.calibration import calibrate
from dalenius.channel import Release
from dalenius.channel.secrets import Secrets
from dalenius.laws.box import Box
from dalenius.models import Chain, Households, Independent, Model, Table
from dalenius.noise import Gaussian, Laplace, Noise
from dalenius.notions import InferentialPrivacy, InformationPrivacy, RelativeEntropyPrivacy
from dalenius.queries import Count, Sum
from dalenius.schema import Chance

ROW: tuple[Chance, ...] = ((0.5, 0.7), (0.1, 0.3), (0.05, 0.2), (0.05, 0.3))


def release(row: tuple[Chance, ...], noise: Noise, count: int = 1) -> Release:
    return Release(Households(count=count, infected=row), Count(), noise)


def test_epsilon_and_delta_are_each_other_s_inverse() -> None:
    asked = release(ROW, Gaussian(scale=1.5))
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


def test_a_delta_of_all_values_beside_pairs() -> None:
    """Information is of all values, whichever must not be distinguished: what some law attains is not passed by a δ."""
    low, own, other = (0.1, 0.2), (0.7, 0.8), (0.0, 0.2)
    rows = ((own, low, other), (low, own, other), (low, low, (0.6, 0.8)))
    model = Chain(n=3, initial=((0.3, 0.4), (0.3, 0.4), (0.2, 0.4)), transition=rows)
    asked = Release(model, Sum(), Laplace(scale=2.0), secrets=Secrets(pairs=((0, 1),)))
    attained = InformationPrivacy().leakage(asked).lower
    assert attained < InformationPrivacy(delta=1e-6).leakage(asked).upper
