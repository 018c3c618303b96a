"""Gaussian noise on two laws of a bit that are alike, or almost: how far one is ahead, against Φ in mpmath."""

from math import log1p

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dalenius.laws.integrals import envelope
from dalenius.laws.integrals.functionals import HockeyStick
from dalenius.laws.integrals.gaussian_line import GaussianLine
from dalenius.laws.law import Array, Law
from tests.pace import draws
from tests.reference.channel import mp


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
