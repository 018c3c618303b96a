"""A delta, and Gaussian noise, for groups of whose law only intervals are known: against laws within them."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from scipy.special import ndtr

from dalenius.calibration import calibrate
from dalenius.channel import Release
from dalenius.channel.secrets import Secrets
from dalenius.errors import Meaningless
from dalenius.laws.credal.box import Box
from dalenius.models import Households, Independent, Model, Product, Table
from dalenius.noise import Gaussian, Geometric, Laplace, Noise, NoNoise
from dalenius.notions import InferentialPrivacy, InformationPrivacy, RelativeEntropyPrivacy
from dalenius.queries import Count, Sum
from dalenius.schema import Chance
from tests.pace import draws, slow

ROW: tuple[Chance, ...] = ((0.5, 0.7), (0.1, 0.3), (0.05, 0.2), (0.05, 0.3))
NOISES: list[Noise] = [Laplace(scale=1.0), Geometric(scale=1.0), Gaussian(scale=1.5)]


def release(row: tuple[Chance, ...], noise: Noise, count: int = 1) -> Release:
    return Release(Households(count=count, infected=row), Count(), noise)


def gaussian(laws: np.ndarray, scale: float, epsilon: float) -> dict[str, float]:
    """By fine sums over thresholds: of exchangeable people's counts they are the best tests."""
    k = np.arange(laws.shape[1])
    share = k / k[-1]
    above = ndtr((k - np.linspace(-4 * scale, k[-1] + 4 * scale, 2001)[:, None]) / scale)
    sides = {1: laws * share, 0: laws * (1 - share)}
    tails = {s: (each @ above.T) / each.sum(axis=1)[:, None] for s, each in sides.items()}
    every, factor = laws @ above.T, np.exp(epsilon)
    return {
        "inferential": max((tails[1] - factor * tails[0]).max(), ((1 - tails[0]) - factor * (1 - tails[1])).max()),
        "information": max((tails[1] - factor * every).max(), ((1 - tails[0]) - factor * (1 - every)).max()),
    }


@pytest.mark.slow
@given(st.lists(st.integers(1, 20), min_size=4, max_size=4), st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.5]))
@example([12, 4, 2, 3], 2, 1.0)
@draws(4)
def test_no_law_needs_more_delta_and_one_needs_nearly_as_much(weights: list[int], width: int, epsilon: float) -> None:
    law = np.array(weights) / sum(weights)
    row = tuple(zip((law * (1 - width / 8)).tolist(), np.minimum(law * (1 + width / 8), 1).tolist(), strict=True))
    box = Box.of(row)
    laws = np.concatenate([box.vertices(), box.sample(np.random.default_rng(3), 3000)])
    asked, worst = release(row, Gaussian(scale=1.5)), gaussian(laws, 1.5, epsilon)
    for notion in (InferentialPrivacy(), InformationPrivacy()):
        found = notion.least_delta(asked, epsilon)
        assert found is not None
        assert worst[notion.kind] <= found.upper + 1e-12
        assert found.lower >= worst[notion.kind] * 0.999 - 1e-9
        assert found.upper - found.lower <= 1e-3 * found.upper + 1e-12


@pytest.mark.parametrize("noise", [slow(NOISES[0]), NOISES[1], slow(NOISES[2])], ids=lambda noise: noise.kind)
def test_epsilon_and_delta_are_each_other_s_inverse(noise: Noise) -> None:
    asked = release(ROW, noise)
    found = InferentialPrivacy(delta=0.05).leakage(asked)
    assert 0 < found.lower <= found.upper <= found.lower * 1.001
    delta = InferentialPrivacy().least_delta(asked, found.upper)
    assert delta is not None
    assert 0.05 * 0.98 <= delta.upper <= 0.05 * 1.005
    point = InferentialPrivacy(delta=0.05).leakage(release((0.7, 0.1, 0.05, 0.15), noise))
    assert point.lower <= found.upper


@pytest.mark.parametrize("noise", [slow(NOISES[0]), NOISES[1], slow(NOISES[2])], ids=lambda noise: noise.kind)
def test_a_set_that_is_nearly_a_point(noise: Noise) -> None:
    point = (0.6, 0.2, 0.1, 0.1)
    near = tuple((each - 1e-11, each + 1e-11) for each in point)
    for notion in (InferentialPrivacy(), InformationPrivacy()):
        found, exact = notion.least_delta(release(near, noise), 0.5), notion.least_delta(release(point, noise), 0.5)
        assert found is not None
        assert exact is not None
        assert found.lower <= exact.upper * (1 + 1e-9)
        assert exact.lower <= found.upper <= exact.upper * 1.001


def beside_another(row: tuple[Chance, ...], scale: float, epsilon: float) -> float:
    """The most that two households' extreme laws need under geometric noise."""
    laws = Box.of(row).vertices()
    k = np.arange(len(row))
    noise = np.exp(-np.abs(np.arange(-60, 61)) / scale)
    others = [np.convolve(law, noise / noise.sum()) for law in laws]
    worst, factor, share = 0.0, np.exp(epsilon), k / k[-1]
    for law in laws:
        sides = [own / own.sum() for own in (law * (1 - share), law * share)]
        for other in others:
            zero, one = (np.convolve(side, other) for side in sides)
            worst = max(worst, *(np.maximum(a - factor * b, 0).sum() for a, b in ((zero, one), (one, zero))))
    return worst


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_of_several_groups_one_law_needs_nearly_as_much(epsilon: float) -> None:
    alone, both, many = (
        InferentialPrivacy().least_delta(release(ROW, Geometric(scale=2.0), count), epsilon) for count in (1, 2, 50)
    )
    assert alone is not None
    assert both is not None
    assert many is not None
    assert many.upper == both.upper == alone.upper
    worst = beside_another(ROW, 2.0, epsilon)
    assert 0.95 * worst <= both.lower <= worst + 1e-9 < alone.upper
    assert 0 < many.lower < both.lower


def test_of_several_groups_an_epsilon_has_a_lower_end() -> None:
    found = InformationPrivacy(delta=0.02).leakage(release(ROW, Geometric(scale=2.0), 2))
    assert 0.8 * found.upper < found.lower < found.upper


@pytest.mark.slow
def test_others_who_always_answer_the_same_hide_nothing() -> None:
    model = Product(parts=[Households(count=1, infected=ROW), Households(count=1, infected=((0.0, 1.0), (0.0, 1.0)))])
    asked = Release(model, Count(), Geometric(scale=2.0), secrets=Secrets(people=(1,)))
    both = InferentialPrivacy().least_delta(asked, 0.5)
    alone = InferentialPrivacy().least_delta(release(ROW, Geometric(scale=2.0)), 0.5)
    assert both is not None
    assert alone is not None
    assert both.upper == pytest.approx(alone.upper, rel=1e-3)
    assert both.lower == pytest.approx(alone.lower, rel=1e-3)


def test_likelihood_ratios_that_rise_and_fall_have_a_bound() -> None:
    """The middle answer says most: no threshold is best, and what answers farthest apart say bounds it."""
    table = Table(records=((0, 0), (1, 0), (0, 2)), probabilities=((0.2, 0.4), (0.3, 0.5), (0.2, 0.4)))
    asked = Release(table, Sum(), Gaussian(scale=2.0), secrets=Secrets(people=(1,)))
    found = InferentialPrivacy().least_delta(asked, 0.5)
    law = Release(
        table.model_copy(update={"probabilities": (0.3, 0.4, 0.3)}),
        Sum(),
        Gaussian(scale=2.0),
        secrets=Secrets(people=(1,)),
    )
    exact = InferentialPrivacy().least_delta(law, 0.5)
    assert found is not None
    assert exact is not None
    # The law in the middle is one of the set.
    assert 0.9 * exact.lower < found.lower <= exact.upper <= found.upper < 0.5


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
        assert found.upper - found.lower <= 1e-4 * found.upper + 2e-6


@pytest.mark.slow
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
    several = Release(Households(count=1, infected=ROW), Count(per_label=True), Gaussian(scale=1.0))
    assert InferentialPrivacy(delta=0.1).leakage(several).upper < inf
    with pytest.raises(Meaningless, match="a point law for trade-offs"):
        list(next(release(ROW, Laplace(scale=1.0)).all_channels()).tradeoffs())


def test_fractions_of_a_step() -> None:
    """Scores of halves are on a lattice of halves, and thresholds between its points."""
    halves = Independent(values=(0, 0.5), probabilities=(((0.2, 0.4), (0.6, 0.8)),))
    found = InferentialPrivacy().least_delta(Release(halves, Sum(), Geometric(scale=0.5)), 0.25)
    q = float(np.exp(-1))
    law = [(1 - q) / (1 + q) * q ** abs(k) for k in range(-40, 41)]
    exact = sum(max(law[i] - np.exp(0.25) * law[i - 1], 0) for i in range(1, 81))
    assert found is not None
    assert found.upper == pytest.approx(exact, rel=1e-3)
    assert Fraction(1, 2) == Release(halves, Sum(), Geometric(scale=0.5)).lattice.steps[0]
