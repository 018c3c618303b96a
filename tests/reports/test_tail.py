"""The picture of how likely outputs are that leak much ends where there is something to see."""

import pytest

from dalenius.bounds import Enclosure
from dalenius.reports.attackers import LEAST, TailCurve, _bottom, _tail

SURE = Enclosure(1.0, 1.0)
NONE = Enclosure(0.0, 0.0)


@pytest.mark.parametrize(
    ("chances", "bottom"),
    [
        ([SURE, Enclosure(1e-9, 2e-9), NONE], 2e-10),
        ([SURE, Enclosure(0.0, 1e-31)], 0.03),
        ([SURE, Enclosure(0.0, 2 * LEAST)], LEAST / 3),
        ([SURE, Enclosure(0.4, 0.5), NONE], 0.03),
        ([NONE, NONE], LEAST / 3),
    ],
)
def test_where_it_ends(chances: list[Enclosure], bottom: float) -> None:
    assert _bottom(chances) == pytest.approx(bottom)
    epsilons = tuple(float(place) for place in range(len(chances)))
    (axes,) = _tail(TailCurve("somebody", epsilons, tuple(chances), (SURE,) * 3)).axes
    assert axes.get_ylim()[0] == pytest.approx(bottom)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "an output leaks more than ε",
        "at most half of the outputs leak more than 1 nats",
        "at most 1 % leak more than 1 nats",
        "at most one in a million leaks more than 1 nats",
    ]
