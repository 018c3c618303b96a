"""Sums over the outputs of Laplace noise on several axes."""

from itertools import product

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.laws.integrals.functionals import Functional, HockeyStick, Information, Vulnerability
from dalenius.laws.integrals.gain import Quadratic
from dalenius.laws.integrals.outputs import over_reals
from dalenius.laws.law import Array, Law
from tests.cases import in_turn

PRIOR = np.log([0.5, 0.2, 0.3])
FUNCTIONALS: dict[str, Functional] = {
    "information": Information(PRIOR),
    "quadratic": Quadratic(PRIOR),
    "vulnerability": Vulnerability(PRIOR),
    "hockey stick": HockeyStick(1, 2, 0.3),
}
LINE = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.25, 0.5, 0.25]])
PLANE = np.array(
    [
        [[0.4, 0.1, 0.0], [0.1, 0.2, 0.2]],
        [[0.0, 0.1, 0.3], [0.3, 0.2, 0.1]],
        [[0.1, 0.1, 0.1], [0.2, 0.2, 0.3]],
    ]
)


def likelihood(masses: Array, decays: list[float]) -> Law:
    """(secrets, *box), smoothed without the package."""
    for axis, decay in enumerate(decays, 1):
        offsets = np.arange(masses.shape[axis])
        kernel = np.exp(-decay * np.abs(offsets[:, None] - offsets))
        masses = np.moveaxis(np.moveaxis(masses, axis, -1) @ kernel, -1, axis)
    box = masses.shape[1:]
    return Law((0,) * len(box), np.zeros(box), np.log(masses), 1e-15)


def assert_same(found: Enclosure, wanted: Enclosure, narrow: float) -> None:
    assert found.lower <= wanted.upper
    assert wanted.lower <= found.upper
    assert found.upper - found.lower <= narrow * found.upper


@in_turn({"name": FUNCTIONALS, "decay": [0.05, 4.0]})
def test_an_axis_that_says_nothing(name: str, decay: float) -> None:
    """Of a second answer that does not depend on the secret: the same as without it, which has a closed form."""
    functional, idle = FUNCTIONALS[name], np.array([0.3, 0.6, 0.1])
    one = over_reals(functional, likelihood(LINE, [decay]), [decay])
    two = likelihood(LINE[:, :, None] * idle, [decay, 0.7])
    assert_same(over_reals(functional, two, [decay, 0.7]), one, 1e-7)
    turned = likelihood(np.swapaxes(LINE[:, :, None] * idle, 1, 2), [0.7, decay])
    assert_same(over_reals(functional, turned, [0.7, decay]), one, 1e-7)


@in_turn({"name": ["information", "quadratic"], "decay": [0.3, 2.5]})
def test_two_axes_by_quadrature(name: str, decay: float) -> None:
    """Cell by cell with more nodes, from W itself."""
    functional, decays = FUNCTIONALS[name], [decay, 0.5]
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
