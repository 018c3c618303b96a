"""Logarithmic axes end where there is something to see; a file is there whole or not at all.

The numbers of a page: roundings that keep their side.

The picture of how likely outputs are that leak much ends where there is something to see.

The picture of what attackers find, and its numbers.
"""

from math import inf, nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dalenius import Count, Independent, Laplace, Release, tradeoff
from dalenius.attack.tradeoff import GRID
from dalenius.bounds import Enclosure
from dalenius.cli.tradeoff import draw_tradeoff
from dalenius.plotting import floored, write_atomically
from dalenius.reports.page_building_blocks import chance_down, chance_up, down, grown, up
from dalenius.reports.plots_of_leakage import LEAST_PROBABILITY, _bottom, draw_tail
from tests.cli.command import table
from tests.reference import tradeoff as reference


def test_floor() -> None:
    assert floored([5.0, 0.01, 3.0]) == 0.01
    assert floored([5.0, 1e-14, 0.0, nan, inf]) == 5e-3
    assert floored([1.0, 1e-14], 1e-9) == 1e-9
    assert floored([0.0, nan]) == 0.0


def test_roundings() -> None:
    assert [up(0.01), up(1 + 1e-12), up(0.99999), up(0.123412)] == ["0.01", "1", "1", "0.1235"]
    assert [down(0.1), down(0.12349)] == ["0.1", "0.1234"]
    assert [chance_down(0.0), chance_down(0.0012349), chance_down(1.23456e-9)] == ["0 %", "0.123 %", "1.23e-7 %"]
    assert [chance_up(0.0), chance_up(0.0012341), chance_up(1.0)] == ["0 %", "0.124 %", "100 %"]
    assert [grown(Enclosure(0.0, 1e-12)), grown(Enclosure(inf, inf))] == ["at most 1-fold", "without bound"]
    assert [grown(Enclosure(0.0, inf)), grown(Enclosure(1.0, inf))] == [
        "nothing is known",
        "at least 2.718-fold; no upper end is known",
    ]


SURE = Enclosure(1.0, 1.0)
NONE = Enclosure(0.0, 0.0)


@pytest.mark.parametrize(
    ("chances", "bottom"),
    [
        ([SURE, Enclosure(1e-9, 2e-9), NONE], 2e-10),
        ([SURE, Enclosure(0.0, 1e-31)], 0.03),
        ([SURE, Enclosure(0.0, 2 * LEAST_PROBABILITY)], LEAST_PROBABILITY / 3),
        ([SURE, Enclosure(0.4, 0.5), NONE], 0.03),
        ([NONE, NONE], LEAST_PROBABILITY / 3),
    ],
)
def test_where_it_ends(chances: list[Enclosure], bottom: float) -> None:
    assert _bottom(chances) == pytest.approx(bottom)
    tail: Any = SimpleNamespace(
        law=SimpleNamespace(quantile=lambda _: SURE), witness=SimpleNamespace(person=0, who="somebody")
    )
    (axes,) = draw_tail(tail, [float(place) for place in range(len(chances))], chances).axes
    assert axes.get_ylim()[0] == pytest.approx(bottom)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "an output leaks more than ε",
        "at most half of the outputs leak more than 1 nats",
        "at most 1 % leak more than 1 nats",
        "at most one in a million leaks more than 1 nats",
    ]


RELEASE = Release(Independent(probabilities=[0.3]), Count(), Laplace(scale=1))


@pytest.mark.slow
def test_picture_and_numbers(tmp_path: Path) -> None:
    written = draw_tradeoff(tradeoff(RELEASE), tmp_path / "curve.svg")
    assert written == (tmp_path / "curve.svg", tmp_path / "curve.csv")
    assert sorted(tmp_path.iterdir()) == sorted(written)
    assert written[0].read_bytes().startswith(b"<?xml")
    rows = table(written[1])
    assert [float(row["false_alarms"]) for row in rows] == list(GRID)
    for row in rows:
        truth = float(reference.of_laplace(1.0, float(row["false_alarms"])))
        low, middle, high = (float(row[f"true_positives{end}"]) for end in ("_lower", "", "_upper"))
        assert low <= truth * (1 + 1e-15)
        assert truth <= high * (1 + 1e-15)
        assert middle == pytest.approx(truth, abs=3e-9)
        assert high - low < 3e-9


def test_nothing_leaks(tmp_path: Path) -> None:
    found = tradeoff(Release(Independent(probabilities=[1.0]), Count(), Laplace(scale=1)))
    _, table = draw_tradeoff(found, tmp_path / "curve.png")
    first = [float(each) for each in table.read_text(encoding="utf-8").splitlines()[1].split(",")]
    assert first == pytest.approx([0.0001] * 4, abs=2e-9)


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"

    def half(draft: Path) -> None:
        draft.write_text("half", encoding="utf-8")
        raise RuntimeError("stopped")

    def whole(draft: Path) -> None:
        draft.write_text("whole", encoding="utf-8")

    with pytest.raises(RuntimeError, match="stopped"):
        write_atomically(path, half)
    assert not list(tmp_path.iterdir())
    write_atomically(path, whole)
    with pytest.raises(RuntimeError, match="stopped"):
        write_atomically(path, half)
    assert [(file.name, file.read_text(encoding="utf-8")) for file in tmp_path.iterdir()] == [("numbers.csv", "whole")]
    assert path.stat().st_mode & 0o777 == 0o644
