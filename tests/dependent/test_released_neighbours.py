"""Neighbours are hardly told apart by what is drawn: three outputs in many runs each, and lies are found out.

What `fit` hands to the sampler is recorded, and the sampler itself draws it 10^5 times more, in the slow suite. That of
classifiers is in `test_objective_perturbation`.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pytest

import dalenius as dl
from dalenius.arrays import Array
from dalenius.dependent import degree_distribution, noisy_lloyd_steps
from dalenius.dependent.estimator import PrivateEstimator, noised
from tests.pace import slow

RUNS, MANY = 25_000, 100_000
Drawn: TypeAlias = Sequence[tuple[Array, Fraction]]
"""The exact numbers of each draw, and its scale in their steps."""


class Case(NamedTuple):
    """estimator: by ε; one, other: what `fit` is given of neighbours; attained: whether no two are further apart."""

    name: str
    estimator: Callable[..., PrivateEstimator]
    one: tuple[Any, ...]
    other: tuple[Any, ...]
    attained: bool = True


def _clusters(**given: Any) -> PrivateEstimator:
    return dl.KMeans(2, bounds=(0, 1), steps=1, init=np.array([[0.0], [1.0]]), **given)


def _degrees(**given: Any) -> PrivateEstimator:
    return dl.DegreeDistribution(6, max_degree=1, **given)


NOBODY = np.zeros((0, 2), dtype=np.int64)
CASES = [
    Case("clusters", _clusters, (np.array([[1.0], [1.0], [0.0]]),), (np.array([[1.0], [0.0], [0.0]]),)),
    Case("degrees", _degrees, (NOBODY,), (np.array([[0, 1], [0, 2], [0, 3]]),)),
]
COUPLES = [
    Case("clusters", _clusters, (np.array([[1.0], [1.0], [1.0]]),), (np.array([[1.0], [0.0], [0.0]]),)),
    Case("degrees", _degrees, (NOBODY,), (np.array([[0, 1], [2, 3]]),)),
]


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> Callable[[PrivateEstimator, tuple[Any, ...]], Drawn]:
    """What a fit hands to the sampler."""
    found = list[tuple[Array, Fraction]]()

    def recorded(exact: Array, scale: Fraction) -> Array:
        found.append((np.asarray(exact).ravel(), scale))
        return np.asarray(noised(exact, scale))

    for module in (degree_distribution, noisy_lloyd_steps):
        monkeypatch.setattr(module, "noised", recorded)

    def fitted(made: PrivateEstimator, given: tuple[Any, ...]) -> Drawn:
        found.clear()
        made.fit(*given)
        return tuple(found)

    return fitted


def repeated(drawn: Drawn, runs: int, faster: Fraction = Fraction(1)) -> Array:
    """(runs, numbers), drawn anew; faster: by how much too small the noise is made."""
    parts = [noised(np.tile(exact, runs), scale / faster).reshape(runs, -1) for exact, scale in drawn]
    return np.hstack(parts).astype(np.float64)


def outputs(one: Array, other: Array) -> list[Callable[[Array], Array]]:
    """Three sets of outputs: beyond one's own exact numbers on all axes that differ, on one of them, and more than half
    way from the other's on all."""
    sign = np.sign(one - other)
    moved = np.flatnonzero(sign)
    beyond, half = sign * one, sign * (one + other) / 2
    return [
        lambda drawn: (sign * drawn >= beyond)[:, moved].all(axis=1),
        lambda drawn: (sign * drawn >= beyond)[:, moved[0]],
        lambda drawn: (sign * drawn > half)[:, moved].all(axis=1),
    ]


def excesses(one: Drawn, other: Drawn, epsilon: float, runs: int, faster: Fraction = Fraction(1)) -> list[float]:
    """By how many deviations the frequency of each output is above e^ε times that of a neighbour, either way."""
    exact = [np.concatenate([values for values, _ in each]) for each in (one, other)]
    drawn = [repeated(each, runs, faster) for each in (one, other)]
    found = []
    for output in (*outputs(*exact), *outputs(*exact[::-1])):
        a, b = (float(output(each).mean()) for each in drawn)
        for this, that in ((a, b), (b, a)):
            assert 0 < this < 1
            found.append((this - exp(epsilon) * that) / sqrt((this + exp(2 * epsilon) * that) / runs))
    return found


@pytest.mark.lengthy
@pytest.mark.parametrize(("epsilon", "runs", "lie"), [(1.0, RUNS, 1.5), slow((0.5, MANY, 1.3)), slow((2.0, MANY, 1.3))])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_one_person_is_hidden_at_three_outputs_and_a_lie_is_found_out(
    case: Case, epsilon: float, runs: int, lie: float, handed: Any
) -> None:
    one, other = (handed(case.estimator(epsilon=epsilon), given) for given in (case.one, case.other))
    assert max(excesses(one, other, epsilon, runs)) < 5
    if case.attained:
        assert max(excesses(one, other, epsilon, runs, faster=Fraction(lie))) > 5


@pytest.mark.lengthy
@pytest.mark.parametrize("case", COUPLES, ids=lambda case: case.name)
def test_a_couple_is_hidden_by_group_and_told_apart_by_noise_for_one(case: Case, handed: Any) -> None:
    couple = {"epsilon": 1.0, "method": "group", "dependence": 2}
    one, other = (handed(case.estimator(**couple), given) for given in (case.one, case.other))
    assert max(excesses(one, other, 1.0, RUNS)) < 5
    alone = [handed(case.estimator(epsilon=1.0), given) for given in (case.one, case.other)]
    assert max(excesses(alone[0], alone[1], 1.0, RUNS)) > 5


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_said_of_the_noise_is_what_is_drawn(case: Case, handed: Any) -> None:
    made = case.estimator(epsilon=0.7)
    scales = [scale for _, scale in handed(made, case.one)]
    assert scales == [each.scale for each in made.drawn_]
    assert sum(each.loss for each in made.drawn_) == Fraction(0.7)
