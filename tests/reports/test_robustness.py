"""How far the truth may be from the model: against all vertices, the theorem's bound, and where a promise breaks."""

from itertools import product

import numpy as np
import pytest

import dalenius as dl
from dalenius.laws.law import Array

LAW = (0.9, 0.04, 0.0, 0.0, 0.06)
RARE = (0.48472, 0.49309, 0.01376, 0.00843)
FACTOR = 0.05


def leakage(laws: np.ndarray, scale: float) -> np.ndarray:
    """Of a household's count with Laplace noise at y = ±∞, where the others cancel; laws (.., size + 1)."""
    k = np.arange(laws.shape[-1])
    ill, well = laws * k, laws * (k[-1] - k)
    found = []
    for sign in (1, -1):
        heard = np.exp(sign * k / scale)
        found.append(np.log((ill * heard).sum(-1) / ill.sum(-1)) - np.log((well * heard).sum(-1) / well.sum(-1)))
    worst: Array = np.abs(found).max(axis=0)
    return worst


def worst(law: tuple[float, ...], factor: float, scale: float) -> float:
    """Over the vertices of the laws off by the factor, and random laws between them."""
    p = np.array(law)
    found = []
    for free, ends in product(range(len(p)), product((-factor, factor), repeat=len(p) - 1)):
        near = p * np.exp(np.insert(ends, free, 0.0))
        near[free] = 0
        near[free] = 1 - near.sum()
        if factor and p[free] and p[free] * np.exp(-factor) <= near[free] <= p[free] * np.exp(factor):
            found.append(near)
    vertices = np.array(found or [p])
    between = np.random.default_rng(1).dirichlet(np.full(len(vertices), 0.2), 2000) @ vertices
    return float(max(leakage(vertices, scale).max(), leakage(between, scale).max()))


def release(law: tuple[float, ...] = LAW, scale: float = 1.0, count: int = 50) -> dl.Release:
    return dl.Release(dl.Households(count=count, infected=law), dl.Count(), dl.Laplace(scale=scale))


@pytest.mark.parametrize(("law", "scale"), [(LAW, 1.0), (RARE, 0.2)])
def test_the_curve_is_the_worst_of_the_laws_that_near(law: tuple[float, ...], scale: float) -> None:
    curve = dl.robustness(release(law, scale), 0.4).curve
    assert curve[0].log_factor == 0
    assert curve[-1].log_factor == 0.4
    for at in curve:
        own = at.leakage["inferential"]
        exact = worst(law, at.log_factor, scale)
        assert own.lower <= own.upper
        assert exact <= own.upper * (1 + 1e-9)
        assert own.lower <= exact * (1 + 1e-3), "random laws and vertices come near the worst"
        assert own.upper <= exact * (1 + 1e-3)
        assert own.upper <= at.close * (1 + 1e-9)


def test_the_theorem_with_the_factor_for_its_divergence_would_be_a_lie() -> None:
    """ε + 2r is passed by a law whose probabilities are off by e^±r: the theorem's Δ is of laws given a secret."""
    at_model = leakage(np.array(RARE), 0.2)
    assert worst(RARE, FACTOR, 0.2) > at_model + 3 * FACTOR
    last = dl.robustness(release(RARE, 0.2), FACTOR).curve[-1]
    assert last.leakage["inferential"].lower > at_model + 2 * FACTOR
    assert last.leakage["inferential"].upper <= last.close == pytest.approx(at_model + 4 * FACTOR, rel=1e-6)


@pytest.mark.slow
def test_where_a_promise_breaks() -> None:
    promise = dl.InferentialPrivacy(epsilon=3.85)
    (broken,) = dl.robustness(release(), 0.5, promises=[promise]).broken
    assert broken.kept is not None
    assert broken.broken is not None
    assert broken.kept < broken.broken <= broken.kept + 1e-2
    assert worst(LAW, broken.kept, 1.0) <= 3.85 < worst(LAW, broken.broken, 1.0) * (1 + 1e-3)


def test_a_promise_that_never_breaks_and_one_that_is_broken_already() -> None:
    promises = [dl.InferentialPrivacy(epsilon=4.001), dl.InferentialPrivacy(epsilon=3.0)]
    kept, lost = dl.robustness(release(), 0.5, promises=promises).broken
    assert (kept.kept, kept.broken) == (0.5, None)
    assert (lost.kept, lost.broken) == (None, 0.0)


def test_a_single_record_hides_whatever_the_law() -> None:
    single = dl.Release(dl.Independent(n=30, probabilities=[0.3]), dl.Count(), dl.Laplace(scale=2))
    for at in dl.robustness(single, 0.3).curve:
        assert at.leakage["inferential"].upper == pytest.approx(0.5, rel=1e-6)
        assert at.close == pytest.approx(0.5, rel=1e-6)
