"""A linear classifier: its slope is a derivative, and minimisers of neighbours are near (Result 17.2)."""

import numpy as np
import pytest

from papers.dependent.classifier import SLACK, SupportVectors
from papers.numbers import Array


def units(rng: np.random.Generator, people: int, size: int) -> Array:
    """Rows times labels, of length 1 at most, many of them just that."""
    rows = rng.normal(0, rng.choice([0.1, 1, 10]), (people, size))
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0))


def test_gradient_and_hessian_are_the_derivatives() -> None:
    rng, step = np.random.default_rng(2), 1e-6
    for _ in range(50):
        objective, w = SupportVectors(units(rng, 9, 3), 0.01), rng.normal(0, 2, 3)
        moves = np.eye(3) * step
        gradient = [(objective.value(w + move) - objective.value(w - move)) / (2 * step) for move in moves]
        assert objective.gradient(w) == pytest.approx(gradient, abs=1e-6)
        bent = [(objective.gradient(w + move) - objective.gradient(w - move)) / (2 * step) for move in moves]
        assert objective.hessian(w) == pytest.approx(np.array(bent), abs=1e-6)


def test_minimisers_of_neighbours_are_within_the_bound() -> None:
    trials = 300
    rng, nearest = np.random.default_rng(trials), 0.0
    for trial in range(trials):
        people, size, weight = int(rng.integers(1, 12)), int(rng.integers(1, 5)), float(10 ** rng.uniform(-4, 1))
        one = units(rng, people, size)
        other = one.copy()
        other[0] = units(rng, 1, size)[0] if trial % 2 else -one[0]  # another label
        objectives = [SupportVectors(rows, weight) for rows in (one, other)]
        found = [objective.minimiser() for objective in objectives]
        for objective, w in zip(objectives, found, strict=True):
            assert np.linalg.norm(objective.gradient(w)) <= SLACK / people
        apart = float(np.linalg.norm(found[0] - found[1]))
        assert apart <= objectives[0].distance
        nearest = max(nearest, apart / objectives[0].distance)
    assert nearest > 0.9  # half of the bound would be false


def test_the_distance_is_attained() -> None:
    """Two records x with opposite labels, where every margin stays below 1 - h."""
    people, weight = 7, 4.0
    rows = np.zeros((people, 3))
    rows[:, 0] = 1.0
    other = rows.copy()
    other[0] = -other[0]
    one, two = (SupportVectors(each, weight).minimiser() for each in (rows, other))
    exact = 2 / (people * weight)
    assert abs(one - two).sum() == pytest.approx(exact, rel=2e-3)
    assert SupportVectors(rows, weight).distance == pytest.approx(exact, rel=2e-3)
