"""Method clamped: the numbers of Theory §12, all ranges at a scale, and the geometric it never loses to."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.errors import DaleniusError
from dalenius.models import Model
from dalenius.notions import Notion
from dalenius.optimum.answer_laws import AnswerLaws
from dalenius.optimum.clamped_method import best_range, confirmed, error_of, keeps
from dalenius.optimum.laws_of_release import laws_of
from tests.cases import in_turn
from tests.pace import draws

HOMES = dl.Households(count=12, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
INFERENTIAL, INFORMATION = dl.InferentialPrivacy(epsilon=1), dl.InformationPrivacy(epsilon=1)


def noise_of(release: dl.Release, notion: Notion) -> dl.Clamped:
    found = dl.calibrate(release, notion, "clamped").noise
    assert isinstance(found, dl.Clamped)
    return found


@pytest.mark.parametrize(
    ("notion", "error", "scale", "ends"), [(INFERENTIAL, 1.9548, 3.0796, (1, 5)), (INFORMATION, 0.5348, 0.0, (0, 6))]
)
def test_twelve_households(notion: Notion, error: float, scale: float, ends: tuple[int, int]) -> None:
    release = dl.Release(HOMES, dl.Count(), dl.Geometric())
    found = dl.calibrate(release, notion, "clamped")
    noise = noise_of(release, notion)
    assert found.expected_error == pytest.approx(error, abs=1e-4)
    assert noise.scale == pytest.approx(scale, abs=1e-4)
    assert (noise.lower, noise.upper) == ends
    assert found.leakage == notion.leakage(release.with_noise(noise))
    assert found.leakage.upper <= 1


def test_noise_that_leaks_too_much_is_refused_in_words() -> None:
    release = dl.Release(HOMES, dl.Count(), dl.Geometric())
    with pytest.raises(DaleniusError, match="no audit confirms inferential 1 nats: the last shows "):
        confirmed(release, [INFERENTIAL], [0.1, 0.2], lambda scale: (dl.Geometric(scale=scale), scale))


MODELS: tuple[Model, ...] = (
    dl.Households(count=3, infected=(0.7, 0.1, 0.2)),
    dl.Independent(n=8, probabilities=(0.3,)),
    dl.Chain(n=6, transition=[[0.8, 0.2], [0.4, 0.6]], initial="stationary"),
    dl.Households(count=2, infected=(0.5, 0.0, 0.0, 0.5)),
    dl.AnyOf(models=[dl.Independent(n=6, probabilities=(0.3,)), dl.Households(count=2, infected=(0.5, 0.1, 0.1, 0.3))]),
)
NOTIONS: tuple[Notion, ...] = (
    dl.InferentialPrivacy(epsilon=0.3),
    dl.InferentialPrivacy(epsilon=0.3, delta=0.02),
    dl.InferentialPrivacy(epsilon=0.1, delta=0.2),
    dl.InformationPrivacy(epsilon=0.2),
)


def read(model: Model) -> tuple[dl.Release, AnswerLaws]:
    release = dl.Release(model, dl.Count(), dl.NoNoise())
    laws = laws_of(release)
    assert laws is not None
    return release, laws


RANGES = [
    (MODELS[0], NOTIONS[0], 0.3),
    (MODELS[2], NOTIONS[1], 2.0),
    (MODELS[3], NOTIONS[3], 0.0),
    (MODELS[4], NOTIONS[2], 0.3),
]


@pytest.mark.parametrize(("model", "notion", "scale"), RANGES)
def test_no_range_is_better_at_its_scale(model: Model, notion: Notion, scale: float) -> None:
    """Every range of the answers, audited on its own."""
    release, laws = read(model)
    found = best_range(laws, [notion], scale)
    errors = []
    for low, high in combinations_with_replacement(range(laws.count), 2):
        noise = dl.Clamped(scale=scale, lower=low + laws.start, upper=high + laws.start)
        leakage = notion.leakage(release.with_noise(noise))
        assert notion.epsilon is not None
        kept = leakage.upper <= notion.epsilon * (1 + 1e-9)
        assert keeps(laws, [notion], scale, low, high) == kept, (low, high)
        if kept:
            errors.append(float(np.mean(error_of(laws, scale, low, high))))
    assert found.error == pytest.approx(min(errors), rel=1e-9, abs=1e-12)


@in_turn({"scale": [0.0, 0.7], "ends": [(2, 2), (1, 3)]})
def test_the_expected_error(scale: float, ends: tuple[int, int]) -> None:
    """Against the sum over answers and outputs."""
    _, laws = read(dl.Households(count=2, infected=(0.7, 0.1, 0.2)))
    outputs = np.arange(-300, 301)
    mass = np.exp(laws.models[0])
    fall = np.exp(-1 / scale) if scale else 0.0
    share = (1 - fall) / (1 + fall) * fall ** np.abs(outputs[:, None] - np.arange(5))
    apart = np.abs(np.clip(outputs, *ends)[:, None] - np.arange(5))
    assert error_of(laws, scale, *ends)[0] == pytest.approx(float(mass @ (share * apart).sum(axis=0)), rel=1e-9)


LAWS = st.lists(st.integers(0, 9), min_size=3, max_size=5).filter(lambda row: sum(row) > 0)


@draws(25)
@given(LAWS, st.integers(1, 4), st.sampled_from([0.1, 1.0, 2.5]), st.booleans())
def test_it_never_loses_to_the_geometric(law: list[int], count: int, epsilon: float, one_sided: bool) -> None:
    model = dl.Households(count=count, infected=tuple(weight / sum(law) for weight in law))
    notion: Notion = dl.InformationPrivacy(epsilon=epsilon) if one_sided else dl.InferentialPrivacy(epsilon=epsilon)
    release = dl.Release(model, dl.Count(), dl.Geometric())
    found, exact = dl.calibrate(release, notion, "clamped"), dl.calibrate(release, notion)
    assert found.leakage.upper <= epsilon
    assert found.expected_error <= exact.expected_error * (1 + 1e-8)
    assert dl.calibrate(release, notion, "optimal").details["lower_bound"] <= found.expected_error
