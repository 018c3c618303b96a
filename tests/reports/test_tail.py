"""The picture of how likely outputs are that leak much ends where there is something to see."""

import pytest

from dalenius.bounds import Enclosure
from dalenius.reports.tail import LEAST, TailCurve, _picture

SURE = Enclosure(1.0, 1.0)
NONE = Enclosure(0.0, 0.0)


def test_where_it_ends() -> None:
    for chances, bottom in (
        ([SURE, Enclosure(1e-9, 2e-9), NONE], 2e-10),
        ([SURE, Enclosure(0.0, 1e-31)], 0.03),
        ([NONE, NONE], LEAST / 3),
    ):
        epsilons = tuple(float(place) for place in range(len(chances)))
        (axes,) = _picture(TailCurve("somebody", epsilons, tuple(chances), (SURE,) * 3)).axes
        assert axes.get_ylim()[0] == pytest.approx(bottom)
