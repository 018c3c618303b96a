"""Methods that look for the least error, where all answers but one, or secrets, are next to impossible."""

from collections.abc import Iterator

import numpy as np
import pytest

import dalenius as dl
from dalenius.calibration import Method
from dalenius.calibration.comparison import compared
from dalenius.errors import DaleniusError
from dalenius.models import Model
from dalenius.notions import Notion
from dalenius.optimum.clamped_method import ClampedMethod
from dalenius.optimum.method import OptimalMethod
from tests.cases import in_turn
from tests.pace import slow

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
    return dl.Any(models=[table(), table()])


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
    for method in ("dependence_coefficient_closed", "correlated_sensitivity"):
        assert np.isfinite(dl.calibrate(release, notion, method).noise.known_scale())
