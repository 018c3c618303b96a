"""Sums over the outputs of Laplace noise on several axes.

Gaussian noise on a long law: answers that are left out, block by block, weigh nothing.
"""

from itertools import product

import numpy as np
import pytest

from dalenius.arrays import Array
from dalenius.laws.integrals.convex_functionals import Functional, Information
from dalenius.laws.integrals.expected_gain import Quadratic
from dalenius.laws.integrals.functionals_over_outputs import over_reals
from dalenius.laws.integrals.gaussian_noise_likelihoods import SHORT, Normal
from dalenius.laws.law import Law
from tests.cases import in_turn
from tests.pace import slow

PRIOR = np.log([0.5, 0.2, 0.3])
PLANE = np.array(
    [[[0.4, 0.1, 0.0], [0.1, 0.2, 0.2]], [[0.0, 0.1, 0.3], [0.3, 0.2, 0.1]], [[0.1, 0.1, 0.1], [0.2, 0.2, 0.3]]]
)


def likelihood(masses: Array, decays: list[float]) -> Law:
    """(secrets, *box), smoothed without the package."""
    for axis, decay in enumerate(decays, 1):
        offsets = np.arange(masses.shape[axis])
        kernel = np.exp(-decay * np.abs(offsets[:, None] - offsets))
        masses = np.moveaxis(np.moveaxis(masses, axis, -1) @ kernel, -1, axis)
    box = masses.shape[1:]
    return Law((0,) * len(box), np.zeros(box), np.log(masses), 1e-15)


@in_turn({"functional": [Information(PRIOR), Quadratic(PRIOR)], "decay": [0.3, 2.5]})
def test_two_axes_by_quadrature(functional: Functional, decay: float) -> None:
    """Cell by cell with more nodes, from W itself."""
    decays = [decay, 0.5]
    found = over_reals(functional, likelihood(PLANE, decays), decays)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    total = 0.0
    sides = [cells(length, decay, nodes, weights) for length, decay in zip(PLANE.shape[1:], decays, strict=True)]
    for (rows, across), (columns, along) in product(*sides):
        near, far = np.exp(-np.abs(rows)), np.exp(-np.abs(columns))
        logs = np.log(np.einsum("suv,un,vm->snm", PLANE, near, far))
        total += float(np.einsum("nm,n,m->", functional.at(logs), across, along))
    assert found.lower <= total * (1 + 1e-11)
    assert total * (1 - 1e-11) <= found.upper
    assert found.upper - found.lower <= 2e-8 * total


def cells(length: int, decay: float, nodes: Array, weights: Array) -> list[tuple[Array, Array]]:
    """Of each cell: distances to all answers (answers, nodes), in b, and the nodes' weights, per unit of 2b. Of a tail,
    where all fall alike, one node."""
    answers = np.arange(length)[:, None]
    ends = [(np.abs(answers - end) * decay, np.array([0.5])) for end in (0, length - 1)]
    inside = [(np.abs(first + (1 + nodes) / 2 - answers) * decay, weights * decay / 4) for first in range(length - 1)]
    return ends + inside


LENGTH = 10 * SHORT + 3


def laws() -> dict[str, Array]:
    """Logs (secrets, answers): of two humps far apart, of holes, of a slope and of one that turns in the middle."""
    places = np.arange(LENGTH)
    humps = np.logaddexp(-((places - 300) ** 2) / 2e3, -40 - (places - 2200) ** 2 / 5e2)
    holes = np.where(places % 7 < 3, -np.inf, -places / 50.0)
    return {
        "humps": np.stack([humps, np.roll(humps, 5)]),
        "holes": np.stack([holes, np.roll(holes, 1)]),
        "slopes": np.stack([-0.4 * places, -0.4 * np.abs(places - 1500)]),
    }


@pytest.mark.parametrize(
    ("length", "outputs"),
    [
        (LENGTH, "rounded"),
        (60, "in cells"),
        *map(slow, ((LENGTH, "in cells"), (LENGTH, "dense in places"), (60, "dense in places"))),
    ],
)
@in_turn({"scale": [0.4, 3.0, 70.0], "kind": laws()})
def test_windows_leave_out_nothing_that_weighs(kind: str, scale: float, outputs: str, length: int) -> None:
    """Also of cells that are alike, which share their exponentials, exactly or up to roundings of their places."""
    rows = laws()[kind][:, :length]
    given = {
        "dense in places": np.append(np.linspace(-3 * scale, length + 3 * scale, 400), np.linspace(9.0, 10.0, 20)),
        "in cells": (8.0 * np.arange(-1, length // 8 + 2)[:, None] + [1.0, 2.5, 6.0])[::-1],
        "rounded": np.arange(-10, length + 10, 7.3),
    }[outputs]
    read = Normal(Law((0,), np.zeros(length), rows, 0.0), scale).read(given)
    assert read.mean.shape == read.logs.shape == (len(rows), *given.shape)
    found, y = read.at(np.ones(given.shape, dtype=bool)), given.ravel()
    exponents = rows[:, None, :] - ((np.arange(length) - y[:, None]) / scale) ** 2 / 2
    wanted = np.logaddexp.reduce(exponents.astype(np.longdouble), axis=2) - found.common
    assert float(np.max(np.abs(found.logs - wanted))) <= found.error
    means = np.exp(exponents - np.max(exponents, axis=2, keepdims=True))
    mean = (means @ np.arange(length)) / means.sum(axis=2)
    assert found.mean == pytest.approx(mean, rel=1e-9, abs=1e-9)
    variance = np.einsum("syv,syv->sy", means, (np.arange(length) - mean[..., None]) ** 2) / means.sum(axis=2)
    # A bound, by which cells are cut, but for answers that weigh e^-50.
    assert np.all(variance * (1 - 1e-9) <= found.variance + 1e-20)
    assert np.all(found.variance <= variance * (1 + 1e-9) + 1e-6 * scale**2)
