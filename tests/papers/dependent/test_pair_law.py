"""The noise of each method for friends of one pair law, against enumeration of joint laws and outputs."""

from itertools import product
from math import exp, log

import numpy as np
import pytest

from dalenius.arrays import Array
from dalenius.pairs.comonotone_sum_bound import comonotone_bound
from dalenius.pairs.friend_distance import FriendDistance
from dalenius.pairs.neighbourhood_score_sums import Neighbour, Neighbourhood
from dalenius.places.grid import Grid
from papers.dependent import mechanisms as by
from papers.dependent.pair_law import PairLaw, attained, correlation, positions

GRID = Grid(40.0, -74.2, 40.1, -74.1, 3, 3)
CLOSE = FriendDistance(a=1.0, b=0.05, c=1.6)
LAW, WHERE = PairLaw.of_grid(GRID, CLOSE), positions(GRID)


def told(joint: Array, scale: float) -> float:
    """Worst log-ratio of the outputs' densities given two values of one's own cell: Q = Σ position / 2 of one's own and
    two friends' cells, with Laplace noise on each coordinate; joint: (own, first friend, second friend), given own."""
    cells = range(len(WHERE))
    sums = {key: tuple(WHERE[list(key)].sum(axis=0) / 2) for key in product(cells, repeat=3)}
    axis = sorted({value[0] for value in sums.values()})  # the support of one coordinate; both are alike
    outputs = np.array(list(product([axis[0] - 1, *axis, axis[-1] + 1], repeat=2)))
    densities = np.zeros((len(WHERE), len(outputs)))
    for (own, one, other), value in sums.items():
        densities[own] += joint[own, one, other] * np.exp(-np.abs(outputs - value).sum(axis=1) / scale)
    return float(np.ptp(np.log(densities), axis=0).max())


def joint_laws() -> dict[str, Array]:
    """Given one's own cell: friends independent, at one place, or apart given some values and together given others."""
    apart = np.einsum("si,sj->sij", LAW.given, LAW.given)
    together = np.einsum("si,ij->sij", LAW.given, np.eye(len(WHERE)))
    draws = np.random.default_rng(3)
    mixed = {}
    for trial in range(6):
        shares = draws.random(len(WHERE)) > 0.5
        mixed[f"mixed {trial}"] = np.where(shares[:, None, None], apart, together)
    return {"independent": apart, "together": together, **mixed}


def test_the_comonotone_bound_holds_for_joint_laws_with_those_pairs() -> None:
    scale = 1.5
    bound = LAW.comonotone(2, scale)
    for joint in joint_laws().values():
        np.testing.assert_allclose(joint.sum(axis=2), LAW.given, atol=1e-15)
        np.testing.assert_allclose(joint.sum(axis=1), LAW.given, atol=1e-15)
        assert told(joint, scale) <= bound
    assert attained(LAW, WHERE, 2, scale) <= bound


def test_what_is_attained_is_told_by_some_joint_law() -> None:
    """Of the value that tells most together, and of all others apart, or the other way round."""
    scale = 1.5
    most = 0.0
    laws = joint_laws()
    for value in range(len(WHERE)):
        chosen = (np.arange(len(WHERE)) == value)[:, None, None]
        most = max(most, told(np.where(chosen, laws["together"], laws["independent"]), scale))
    assert attained(LAW, WHERE, 2, scale) <= most * (1 + 1e-9)
    assert attained(LAW, WHERE, 2, scale) >= told(laws["independent"], scale) * (1 - 1e-9)


def test_the_bound_is_above_what_joint_laws_on_a_line_attain() -> None:
    """On a line the project's own enclosure is of the most over all joint laws with those pairs (Result 15.2)."""
    scale = 2.0
    points = np.linspace(0, 1, 7)
    apart = np.abs(points[:, None] - points)
    line = PairLaw(CLOSE.law(apart * 3), apart, np.array([0, 6]), np.arange(7))
    neighbourhood = Neighbourhood(points, np.full(7, 1 / 7), (Neighbour(5, points, line.given),))
    found = comonotone_bound(neighbourhood, scale)
    assert found.lower <= line.comonotone(5, scale)
    assert found.upper <= line.comonotone(5, scale) * (1 + 1e-9)
    coefficient = 5 * line.exact(scale) + 1 / scale
    assert coefficient < found.upper  # so that pair coefficients promise less than some joint law may leak


def test_coefficients_are_their_equations() -> None:
    scale = 1.0
    closed = max(
        log(sum(chance * exp(move / scale) for chance, move in zip(row, LAW.moves[end], strict=True)))
        for row in LAW.given
        for end in (0, 2, 6, 8)
    )
    assert LAW.closed(scale) == pytest.approx(closed, rel=1e-12)
    outputs = np.array(list(product(np.linspace(-1, 2, 31), repeat=2)))
    noisy = np.exp(-np.abs(outputs[:, None] - WHERE).sum(axis=2) / (2 * scale))
    dense = float(np.ptp(np.log(noisy @ LAW.given.T), axis=1).max())
    assert dense == pytest.approx(LAW.exact(scale), rel=1e-9)
    assert LAW.exact(scale) <= LAW.closed(scale)


def test_multiples_in_their_order() -> None:
    dependence = by.Dependence(50, 6, LAW, correlation(LAW, WHERE), 20.0)
    times = {which: by.multiple(which, dependence, 1.0) for which in by.ALL}
    assert times[by.LPM] == 1
    assert times[by.LPM] < times[by.EXACT_PAIR] < times[by.DPM] < times[by.GROUP] == 7 < times[by.BASELINE] == 50
    assert times[by.COMONOTONE] <= times[by.GROUP]
    assert times[by.ZHU_FRIENDS] == 1 + 6 * correlation(LAW, WHERE)
    assert LAW.comonotone(6, times[by.COMONOTONE]) <= 1 or times[by.COMONOTONE] == 7
