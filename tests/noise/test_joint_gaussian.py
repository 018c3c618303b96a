"""Gaussian answers beside others, against quadrature over a grid, and against enumeration on lattices."""

from collections.abc import Callable
from itertools import product
from math import exp
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.errors import InputError, TooLarge

Array = NDArray[np.float64]
ROWS = ((0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1), (2, 1, 0))
CHANCES = (0.35, 0.1, 0.15, 0.1, 0.25, 0.05)
TABLE = dl.Table(records=ROWS, probabilities=CHANCES)
ILL, TOTAL = dl.Count(values=(1,)), dl.Sum()


def released(*noises: dl.Laplace | dl.Gaussian | dl.Geometric | dl.DiscreteGaussian | dl.NoNoise) -> Release:
    """The count of ones and the sum, each with its noise: neither determines the other."""
    questions = [dl.Question(query=q, noise=n) for q, n in zip((ILL, TOTAL), noises, strict=True)]
    return dl.Spec(model=TABLE, questions=questions).audited()


def density(noise: Any, at: Array) -> Any:
    """Of the noise at these distances, per unit or per point."""
    match noise:
        case dl.Gaussian(scale=float(s)):
            return np.exp(-((at / s) ** 2) / 2) / (s * np.sqrt(2 * np.pi))
        case dl.Laplace(scale=float(s)):
            return np.exp(-np.abs(at) / s) / (2 * s)
        case dl.Geometric(scale=float(s)):
            return np.exp(-np.abs(at) / s) * np.tanh(1 / (2 * s))
        case dl.DiscreteGaussian(scale=float(s)):
            k = np.arange(-300, 301)
            return np.exp(-((at / s) ** 2) / 2) / np.exp(-((k / s) ** 2) / 2).sum()
        case _:
            return (at == 0).astype(np.float64)


def outputs(noise: Any) -> tuple[Any, float]:
    """A fine grid of outputs, midpoints so that no kink is on it, and how much each stands for."""
    if isinstance(noise, dl.Gaussian):
        return (np.arange(-160, 220) + 0.5) * 0.08, 0.08
    if isinstance(noise, dl.Laplace):
        return (np.arange(-800, 880) + 0.5) * 0.05, 0.05
    return np.arange(-60.0, 66.0), 1.0


def likelihoods(noises: tuple[object, object], person: int, value: int) -> Array:
    """Of every pair of outputs given one person's value, times what the pair stands for."""
    grids = [outputs(each) for each in noises]
    total = sum(p for row, p in zip(ROWS, CHANCES, strict=True) if row[person] == value)
    found = np.zeros([len(grid) for grid, _ in grids])
    for row, p in zip(ROWS, CHANCES, strict=True):
        if row[person] == value:
            answers = (sum(each == 1 for each in row), sum(row))
            one, two = (
                density(noise, grid - answer) * step
                for noise, (grid, step), answer in zip(noises, grids, answers, strict=True)
            )
            found += p / total * np.outer(one, two)
    return found


def delta_of(release: Release, epsilon: float) -> Enclosure:
    found = dl.InferentialPrivacy().least_delta(release, epsilon)
    assert found is not None
    return found


def chance(person: int, value: int) -> float:
    return sum(p for row, p in zip(ROWS, CHANCES, strict=True) if row[person] == value)


def pairs(of: Callable[[Array, Array], float], noises: tuple[object, object]) -> float:
    """The largest, over people and pairs of their values."""
    found = 0.0
    for person in range(3):
        values = sorted({row[person] for row in ROWS})
        for one, other in product(values, repeat=2):
            if one != other:
                found = max(found, of(*(likelihoods(noises, person, each) for each in (one, other))))
    return found


CASES = (
    (dl.Gaussian(scale=1.5), dl.Laplace(scale=2.0)),
    (dl.Gaussian(scale=1.0), dl.Geometric(scale=1.5)),
    (dl.Gaussian(scale=1.2), dl.Gaussian(scale=2.0)),
    (dl.Gaussian(scale=1.2), dl.Gaussian(scale=1.2)),
    (dl.NoNoise(), dl.Gaussian(scale=1.0)),
    (dl.DiscreteGaussian(scale=1.2), dl.DiscreteGaussian(scale=0.7)),
    (dl.DiscreteGaussian(scale=1.2), dl.Geometric(scale=1.0)),
    (dl.Gaussian(scale=1.2), dl.DiscreteGaussian(scale=1.0)),
)


@pytest.mark.parametrize("noises", CASES, ids=lambda each: "+".join(noise.kind for noise in each))
def test_it_encloses_the_sum_over_all_pairs_of_outputs(noises: tuple[dl.Gaussian, dl.Gaussian]) -> None:
    release = released(*noises)
    on_lattice = not any(isinstance(each, dl.Gaussian | dl.Laplace) for each in noises)
    rounding, width = (1e-9, 1e-8) if on_lattice else (2e-4, 0.02)
    for epsilon in (0.3, 1.0):
        found = delta_of(release, epsilon)
        exact = pairs(lambda one, other, e=epsilon: float(np.maximum(one - exp(e) * other, 0).sum()), noises)  # type: ignore[misc]
        assert found.lower - rounding <= exact <= found.upper + rounding
        assert found.upper - found.lower <= width
    found_bits = dl.MutualInformationPrivacy().leakage(release)
    exact = 0.0
    for person in range(3):
        values = sorted({row[person] for row in ROWS})
        own = [likelihoods(noises, person, each) for each in values]
        prior = [chance(person, each) for each in values]
        mixture = sum(p * w for p, w in zip(prior, own, strict=True))
        # What is rarer than 1e-250 adds nothing.
        terms = [
            p * w * np.log(np.where(w > 1e-250, w, 1.0) / np.where(w > 1e-250, mixture, 1.0))
            for p, w in zip(prior, own, strict=True)
        ]
        exact = max(exact, float(sum(term.sum() for term in terms)))
    assert found_bits.lower - rounding <= exact <= found_bits.upper + rounding
    assert found_bits.upper - found_bits.lower <= width


@pytest.mark.parametrize("noises", [CASES[0], CASES[2], CASES[6]])
def test_the_largest_growth_of_a_chance_is_enclosed(noises: tuple[dl.Gaussian, dl.Gaussian]) -> None:
    found, exact = dl.InformationPrivacy().leakage(released(*noises)), 0.0
    for person in range(3):
        values = sorted({row[person] for row in ROWS})
        own = [likelihoods(noises, person, each) for each in values]
        mixture = sum(chance(person, value) * w for value, w in zip(values, own, strict=True))
        seen = np.where(mixture > 1e-250, mixture, 1.0)
        exact = max(exact, float(np.log(np.max(np.where(mixture > 1e-250, own, 1e-300) / seen))))
    # The grid ends a few deviations beyond the answers, and the supremum may be attained farther out.
    assert exact - 1e-9 <= found.upper <= exact + 0.02
    assert found.lower <= exact + 0.01


def test_affine_answers_are_one_gaussian_answer() -> None:
    bits = dl.Table(records=((0, 0), (1, 0), (1, 1)), probabilities=(0.5, 0.2, 0.3))
    ill = dl.Question(query=dl.Count(), noise=dl.Gaussian(scale=3.0))
    well = dl.Question(query=dl.Count(values=(0,)), noise=dl.Gaussian(scale=4.0))
    both = dl.Spec(model=bits, questions=[ill, well]).audited()
    one = Release(bits, dl.Count(), dl.Gaussian(scale=2.4))
    for epsilon in (0.1, 0.5):
        found, known = (delta_of(each, epsilon) for each in (both, one))
        assert found.lower == pytest.approx(known.lower, abs=1e-9)
        assert found.upper == pytest.approx(known.upper, abs=1e-9)


def test_more_answers_leak_no_less() -> None:
    alone = Release(TABLE, TOTAL, dl.Gaussian(scale=2.0))
    both = released(dl.Laplace(scale=1.0), dl.Gaussian(scale=2.0))
    for epsilon in (0.0, 0.5, 1.0):
        assert delta_of(alone, epsilon).lower <= delta_of(both, epsilon).upper


def test_other_noise_beside_gaussian_noise_is_refused() -> None:
    release = released(dl.Gaussian(scale=1.0), dl.Rounding(base=3))  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"noise.kind: rounding, wanted laplace, geometric, gaussian or none beside"):
        dl.InferentialPrivacy().leakage(release)


def test_answers_too_many_scales_apart_are_refused() -> None:
    with pytest.raises(TooLarge, match=r"noise\.joint_scales"):
        delta_of(released(dl.Gaussian(scale=0.1), dl.Laplace(scale=1.0)), 1.0)


def test_too_many_outputs_together_are_refused() -> None:
    people = dl.Independent(n=40, values=(0, 1, 2), probabilities=(0.5, 0.3, 0.2))
    counts = [dl.Question(query=dl.Count(values=(v,)), noise=dl.Gaussian(scale=9.0 + v), times=2) for v in (0, 1, 2)]
    release = dl.Spec(model=people, questions=counts).audited()
    with pytest.raises(TooLarge):
        delta_of(release, 1.0)
