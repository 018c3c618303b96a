"""Sums over the outputs of Laplace noise on several axes.

Gaussian noise on two laws of a bit that are alike, or almost: how far one is ahead, against Φ in mpmath.

The integral of the largest of several likelihoods in a cell, against quadrature in mpmath.

Gaussian noise on a long law: answers that are left out, block by block, weigh nothing.
"""

from itertools import product
from math import log1p

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dalenius.bounds import Enclosure
from dalenius.laws.integrals import envelope, normal
from dalenius.laws.integrals.cells import largest_over_cell
from dalenius.laws.integrals.functionals import Functional, HockeyStick, Information, Vulnerability
from dalenius.laws.integrals.gain import Quadratic
from dalenius.laws.integrals.gaussian_line import GaussianLine
from dalenius.laws.integrals.normal import SHORT, Normal
from dalenius.laws.integrals.outputs import over_reals
from dalenius.laws.law import Array, Law
from tests.cases import in_turn
from tests.laws.test_functionals import inside
from tests.pace import draws
from tests.reference.channel import mp

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


def rows(apart: float) -> Array:
    """Logs (secrets, answers): a fair coin, and one whose log-probability of 1 is so much above."""
    return np.asarray(np.log([[0.5, 0.5]] * 2) + np.array([[0.0, 0.0], [log1p(-np.expm1(apart)), apart]]))


def lead(apart: float, epsilon: float, scale: float) -> mp.mpf:
    """∫ max(W(y|1) - e^ε W(y|0), 0) dy: at most one crossing."""
    one, other = ([mp.exp(mp.mpf(each)) for each in row] for row in rows(apart)[::-1])
    zero, bit = (a - mp.exp(epsilon) * b for a, b in zip(one, other, strict=True))
    if zero <= 0 and bit <= 0:
        return mp.mpf(0)
    assert zero < 0 < bit
    crossing = mp.mpf(1) / 2 + mp.mpf(scale) ** 2 * mp.log(-zero / bit)
    return zero * mp.ncdf(-crossing / scale) + bit * mp.ncdf((1 - crossing) / scale)


@given(
    st.one_of(st.just(0.0), st.floats(-16, -1).map(lambda place: 10.0**place)),
    st.sampled_from([0.0, 1e-16, 1e-12, 1e-3]),
    st.sampled_from([0.5, 2.0, 30.0]),
)
@example(0.0, 0.0, 2.0)
@example(1e-15, 0.0, 2.0)
@example(1e-13, 0.0, 2.0)
@example(1e-10, 0.0, 30.0)
@example(1e-7, 0.0, 2.0)
@example(1e-8, 0.0, 0.5)
@example(1e-9, 0.0, 0.5)  # known to 7e-10
@draws(60)
def test_the_lead_is_bounded(apart: float, epsilon: float, scale: float) -> None:
    law = Law((0,), np.zeros(2), rows(apart), 0.0)
    found = GaussianLine(law, 1.0, scale)
    bounds = HockeyStick(1, 0, epsilon).over_line(found)
    with mp.workdps(40):
        wanted = lead(apart, epsilon, scale)
    assert bounds.lower <= wanted <= bounds.upper
    assert bounds.upper - bounds.lower <= 1e-9 + 1e-3 * apart


def test_cells_are_not_cut_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times as many cells in every round, up to memory: the two of a pair of people who are alike."""
    most: list[int] = []
    joined = envelope._joined

    def counted(parts: list[envelope._Cells]) -> envelope._Cells:
        found = joined(parts)
        most.append(len(found.winner))
        return found

    monkeypatch.setattr(envelope, "_joined", counted)
    for apart in (0.0, 1e-15, 1e-11):
        HockeyStick(0, 1, 0.0).over_line(GaussianLine(Law((0,), np.zeros(2), rows(apart), 0.0), 1.0, 2.0))
    assert max(most, default=0) < 5 * envelope.MOST_CELLS


@st.composite
def cells_of_envelope(draw: st.DrawFn) -> tuple[float, list[tuple[float, float]]]:
    """A cell's width over b, and up to five secrets' logs at its ends; some alike."""
    decay = draw(st.one_of(st.sampled_from([1e-3, 1.0, 20.0]), st.floats(0.01, 30.0)))
    ends = st.tuples(st.one_of(st.sampled_from([0.0, -1.0]), st.floats(-6, 0)), st.floats(-1, 1))
    rows = draw(st.lists(ends, min_size=1, max_size=5))
    return decay, [(start, start + slope * decay) for start, slope in rows]


@given(cell=cells_of_envelope())
@draws(60)
def test_largest_over_a_cell(cell: tuple[float, list[tuple[float, float]]]) -> None:
    decay, ends = cell
    left, right = (np.array([[end[side]] for end in ends]) for side in (0, 1))
    found = float(largest_over_cell(left, right, decay)[0])
    with mp.workdps(25):
        # Between these many cuts the winner changes once at most, or by nothing that counts.
        cuts = {mp.zero, mp.mpf(decay)}
        for one in ends:
            for other in ends:
                high = [mp.exp(a) - mp.exp(b) for a, b in zip(map(mp.mpf, one), map(mp.mpf, other), strict=True)]
                if high[0] * high[1] < 0:
                    odds = -high[0] / high[1]
                    width = mp.mpf(decay)
                    cuts.add(mp.log((1 + odds * mp.exp(width)) / (1 + odds * mp.exp(-width))) / 2)
        pieces = sorted(cuts)
        wanted = mp.quad(lambda u: max(inside(*end, decay, u) for end in ends), pieces, method="gauss-legendre") / 2
    assert abs(mp.mpf(found) - wanted) <= 3e-14 * wanted


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


@in_turn({"scale": [0.4, 3.0, 70.0], "kind": laws()})
def test_windows_leave_out_nothing_that_weighs(kind: str, scale: float) -> None:
    rows = laws()[kind]
    y = np.concatenate([np.linspace(-3 * scale, LENGTH + 3 * scale, 400), np.linspace(700.0, 701.0, 20)])
    found = Normal(Law((0,), np.zeros(LENGTH), rows, 0.0), scale).read(y)
    exponents = rows[:, None, :] - ((np.arange(LENGTH) - y[:, None]) / scale) ** 2 / 2
    wanted = np.logaddexp.reduce(exponents.astype(np.longdouble), axis=2) - found.common
    assert float(np.max(np.abs(found.logs - wanted))) <= found.error
    means = np.exp(exponents - np.max(exponents, axis=2, keepdims=True))
    assert found.mean == pytest.approx((means @ np.arange(LENGTH)) / means.sum(axis=2), rel=1e-9, abs=1e-9)


def test_leaving_out_more_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normal, "DEEP", 3.0)
    with pytest.raises(AssertionError):
        test_windows_leave_out_nothing_that_weighs("humps", 70.0)
