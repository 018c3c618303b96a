"""A thousand random mechanisms of every kind of profile, none of which leaks more than is said: all assignments are
listed, and what a bit does between neighbours is made here, from what its profile means."""

from collections.abc import Callable
from functools import cache
from itertools import permutations, product
from math import exp, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from dalenius.conversion import (
    ApproximateProfile,
    Conversion,
    GaussianProfile,
    PrivacyProfile,
    PureProfile,
    TabulatedProfile,
    ZeroConcentrated,
)
from dalenius.models import Model, Table

Array = NDArray[np.float64]
EACH = 50
"""Mechanisms for each model and profile: with four models and five profiles, 1,000."""


def lines(*guarantees: tuple[float, float]) -> Callable[[Array], Array]:
    """The most that a neighbour is flagged with: (ε, δ) of the event and of its complement."""

    def most(b: Array) -> Array:
        found = np.ones_like(b)
        for epsilon, delta in guarantees:
            found = np.minimum(found, np.minimum(exp(epsilon) * b + delta, 1 - exp(-epsilon) * (1 - b - delta)))
        return found

    return most


def gaussian(mu: float) -> Callable[[Array], Array]:
    return lambda b: np.asarray(ndtr(ndtri(b) + mu))


PROFILES: dict[str, tuple[PrivacyProfile, Callable[[Array], Array]]] = {
    "pure": (PureProfile(0.3), lines((0.3, 0.0))),
    "approximate": (ApproximateProfile(0.25, 0.01), lines((0.25, 0.01))),
    "gaussian": (GaussianProfile(0.3), gaussian(0.3)),
    "zcdp": (ZeroConcentrated(0.045), gaussian(sqrt(2 * 0.045))),
    "table": (
        TabulatedProfile((0.0, 0.5, 1.0), (0.15, 0.05, 0.01)),
        lines((0.0, 0.15), (0.5, 0.05), (1.0, 0.01)),
    ),
}


def table(seed: int, sizes: tuple[int, ...]) -> tuple[Model, Array]:
    rows = tuple(product(*(range(k) for k in sizes)))
    chances = np.random.default_rng(seed).dirichlet(np.full(len(rows), 0.3)) + 1e-4
    chances /= chances.sum()
    return Table(records=rows, probabilities=tuple(chances.tolist())), chances.reshape(sizes)


MODELS: dict[str, Callable[[], tuple[Model, Array]]] = {
    "three bits": lambda: table(1, (2, 2, 2)),
    "three records": lambda: table(2, (3, 2, 3)),
    "five bits": lambda: table(3, (2,) * 5),
    "six bits": lambda: table(4, (2,) * 6),
}


def mechanisms(rng: np.random.Generator, sizes: tuple[int, ...], most: Callable[[Array], Array]) -> Array:
    """Chances of a 1 (EACH, *sizes): random ones lowered until they are what neighbours allow, and those that rise as
    fast as is allowed with the number of records that have a value of theirs."""
    half = EACH // 2
    found = rng.random((half, *sizes)) ** rng.uniform(0.5, 6.0, (half, *([1] * len(sizes))))
    while True:
        lowered = found
        for axis in range(1, found.ndim):
            for value in range(found.shape[axis]):
                lowered = np.minimum(lowered, most(np.take(lowered, [value], axis=axis)))
        if (lowered >= found - 1e-15).all():
            break
        found = lowered
    levels = [rng.uniform(0.0, 0.6, EACH - half)]
    for _ in sizes:
        levels.append(most(levels[-1]))
    counts = np.zeros((EACH - half, *sizes), dtype=np.int64)
    for axis, k in enumerate(sizes):
        hits = np.eye(k, dtype=np.int64)[rng.integers(k, size=EACH - half)]
        counts = counts + hits.reshape(EACH - half, *(k if i == axis else 1 for i in range(len(sizes))))
    rising = np.take_along_axis(np.array(levels).T, counts.reshape(EACH - half, -1), axis=1).reshape(counts.shape)
    return np.concatenate([found, rising])


def leaked(law: Array, flagged: Array, epsilon: float) -> float:
    """The largest hockey-stick of any mechanism between two values of any record: of its two events, or of both."""
    found = 0.0
    for axis in range(law.ndim):
        by_value = np.moveaxis(law, axis, 0).reshape(law.shape[axis], -1)
        ones = np.moveaxis(flagged, axis + 1, 1).reshape(len(flagged), law.shape[axis], -1)
        rates = (ones * by_value).sum(axis=2) / by_value.sum(axis=1)
        for one, other in permutations(range(law.shape[axis]), 2):
            for p, q in ((rates[:, one], rates[:, other]), (1 - rates[:, one], 1 - rates[:, other])):
                found = max(found, float((p - exp(epsilon) * q).max()))
    return found


@cache
def made(model: str) -> tuple[Model, Array]:
    return MODELS[model]()


def checked(model: str, kind: str, epsilon: float) -> tuple[float, float]:
    given, law = made(model)
    profile, most = PROFILES[kind]
    rng = np.random.default_rng([list(MODELS).index(model), list(PROFILES).index(kind)])
    found = leaked(law, mechanisms(rng, law.shape, most), epsilon)
    upper = Conversion(given, profile, "replace").delta(epsilon).value.upper
    assert found <= upper + 1e-9
    return found, upper


@pytest.mark.parametrize("kind", PROFILES)
def test_no_mechanism_leaks_more(kind: str) -> None:
    """And some leak nearly as much: three quarters of it would be too low."""
    found, upper = checked("three bits", kind, 0.0)
    assert found > 0.75 * upper


@pytest.mark.slow
@pytest.mark.parametrize("kind", PROFILES)
@pytest.mark.parametrize("model", [model for model in MODELS if model != "three bits"])
def test_none_of_a_thousand_leaks_more(model: str, kind: str) -> None:
    found, upper = checked(model, kind, 0.3 * (list(MODELS).index(model) % 2))
    assert found > 0.2 * upper


def test_the_mechanisms_are_of_their_profiles() -> None:
    for profile, most in PROFILES.values():
        flagged = mechanisms(np.random.default_rng(1), (2, 3, 2), most)
        rows = list(product(range(2), range(3), range(2)))
        for one, other in permutations(rows, 2):
            if sum(a != b for a, b in zip(one, other, strict=True)) == 1:
                for epsilon in (0.0, 0.2, 0.5, 1.0):
                    p, q = flagged[(slice(None), *one)], flagged[(slice(None), *other)]
                    assert (p <= exp(epsilon) * q + profile.delta(epsilon) + 1e-9).all()
                    assert (1 - p <= exp(epsilon) * (1 - q) + profile.delta(epsilon) + 1e-9).all()
