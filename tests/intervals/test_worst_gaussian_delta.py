"""Gaussian noise beside intervals: the δ of a group alone under its worst law, against laws drawn and integrated."""

from collections.abc import Sequence
from math import exp, log

import numpy as np
import pytest

import dalenius as dl
from dalenius.arrays import Array
from dalenius.intervals.worst_gaussian_delta import above_zero

COUPLES = [[0.086, 0.126], [0.541, 0.581], [0.313, 0.353]]
TRIPLES = [[0.5, 0.7], [0.1, 0.2], [0.05, 0.2], [0.0, 0.15]]
STEP = 1 / 200


def _release(chances: Sequence[Sequence[float]], scale: float, count: int = 10**5) -> dl.Release:
    kind = dl.HouseholdType(count=count, infected=[tuple(each) for each in chances])
    return dl.Release(dl.Households(types=[kind]), dl.Count(), dl.Gaussian(scale=scale))


def _laws(chances: Sequence[Sequence[float]], count: int) -> list[Array]:
    """Laws of the box: at its corners, and inside."""
    rng, ends = np.random.default_rng(3), np.array(chances)
    found = list[Array]()
    while len(found) < count:
        law = np.array([rng.choice([low, high, rng.uniform(low, high)], p=[0.4, 0.4, 0.2]) for low, high in ends])
        place = rng.integers(len(law))
        law[place] += 1 - law.sum()
        if ends[place, 0] <= law[place] <= ends[place, 1]:
            found.append(law)
    return found


def _densities(law: Array, scale: float) -> Array:
    """W(y|s) for a member that is not ill, and one that is, and W(y) (3, outputs), of one household."""
    size = len(law) - 1
    ill = np.arange(size + 1)
    places = scale * STEP * np.arange(-2_400, 2_401)
    normal = np.exp(-(((places - ill[:, None]) / scale) ** 2) / 2) / np.sqrt(2 * np.pi)
    joint = np.stack([law * (size - ill) / size, law * ill / size])
    given = (joint @ normal) / joint.sum(axis=1)[:, None]
    return np.concatenate([given, (law @ normal)[None]]) * STEP


def _delta(law: Array, scale: float, epsilon: float, of: str) -> float:
    well, ill, every = _densities(law, scale)
    pairs = [(well, ill), (ill, well)] if of == "inferential" else [(well, every), (ill, every)]
    return max(float(np.maximum(one - exp(epsilon) * other, 0.0).sum()) for one, other in pairs)


@pytest.mark.parametrize("chances", [COUPLES, TRIPLES])
@pytest.mark.parametrize(("scale", "epsilon"), [(7.6, 0.21), (1.5, 0.5), (20.0, 0.01)])
@pytest.mark.parametrize("of", ["inferential", "information"])
def test_no_law_exceeds_the_bound_and_some_comes_near(
    chances: Sequence[Sequence[float]], scale: float, epsilon: float, of: str
) -> None:
    notion = dl.InferentialPrivacy() if of == "inferential" else dl.InformationPrivacy()
    found = notion.least_delta(_release(chances, scale), epsilon)
    assert found is not None
    drawn = max(_delta(law, scale, epsilon, of) for law in _laws(chances, 150))
    assert drawn <= found.upper * (1 + 1e-6) + 1e-12
    assert found.upper <= 1.1 * drawn + 1e-12


@pytest.mark.lengthy
def test_the_noise_of_a_census_is_that_of_one_household() -> None:
    """Shifting an answer by two, as all of a couple could, would take a scale of 31.18."""
    promise = dl.InformationPrivacy(epsilon=0.21, delta=1e-5)
    scale = dl.calibrate(_release(COUPLES, 1.0), promise).noise.known_scale()
    assert 7.5 < scale < 7.6
    worst = max(_delta(law, scale, 0.21, "information") for law in _laws(COUPLES, 150))
    assert 1e-5 / 1.2 < worst <= 1e-5 * (1 + 1e-6)


def test_without_a_delta_a_chance_rises_to_one_at_most() -> None:
    found = dl.InformationPrivacy().leakage(_release(COUPLES, 7.6))
    assert found.upper == pytest.approx(-log(0.086 + 0.561 / 2), rel=1e-9)
    assert dl.RelativeEntropyPrivacy().leakage(_release(COUPLES, 7.6)).upper == found.upper
    certain = dl.InformationPrivacy().leakage(_release([[0.0, 0.1], [0.0, 0.1], [0.8, 1.0]], 7.6))
    assert certain.upper == np.inf


@pytest.mark.parametrize("seed", range(20))
def test_the_part_of_a_mixture_above_zero(seed: int) -> None:
    """Weights that change their sign once are integrated, others bounded."""
    rng = np.random.default_rng(seed)
    places = np.sort(rng.uniform(0, 3, 4)) * rng.choice([0.1, 1.0, 5.0])
    weights = rng.uniform(0, 1, 4) * (np.where(np.arange(4) < rng.integers(0, 5), -1, 1) if seed % 4 else [1, -1, 1, 0])
    grid = np.arange(-10, 30, 1e-3)
    normal = np.exp(-((grid - places[:, None]) ** 2) / 2) / np.sqrt(2 * np.pi)
    wanted = float(np.maximum(weights @ normal, 0).sum() * 1e-3)
    (found,) = above_zero(weights[None], places)
    assert wanted <= found + 1e-7
    assert not seed % 4 or found <= wanted + 1e-7
