"""The integral of the largest of several likelihoods in a cell, against quadrature in mpmath."""

import numpy as np
from hypothesis import given, strategies as st

from dalenius.laws.integrals.laplace_cells import largest_over_cell
from tests.laws.test_functionals import inside
from tests.pace import draws
from tests.reference.channel import mp


@st.composite
def cells(draw: st.DrawFn) -> tuple[float, list[tuple[float, float]]]:
    """A cell's width over b, and up to five secrets' logs at its ends; some alike."""
    decay = draw(st.one_of(st.sampled_from([1e-3, 1.0, 20.0]), st.floats(0.01, 30.0)))
    ends = st.tuples(st.one_of(st.sampled_from([0.0, -1.0]), st.floats(-6, 0)), st.floats(-1, 1))
    rows = draw(st.lists(ends, min_size=1, max_size=5))
    return decay, [(start, start + slope * decay) for start, slope in rows]


@given(cell=cells())
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
