"""The picture of what attackers find, and its numbers."""

import csv
from pathlib import Path

import pytest

from dalenius import Count, Independent, Laplace, Release, tradeoff
from dalenius.notions.tradeoff import GRID
from dalenius.reports.attackers import draw_tradeoff
from tests.reference import tradeoff as reference

RELEASE = Release(Independent(probabilities=[0.3]), Count(), Laplace(scale=1))


@pytest.mark.slow
def test_picture_and_numbers(tmp_path: Path) -> None:
    written = draw_tradeoff(tradeoff(RELEASE), tmp_path / "curve.svg")
    assert written == (tmp_path / "curve.svg", tmp_path / "curve.csv")
    assert sorted(tmp_path.iterdir()) == sorted(written)
    assert written[0].read_bytes().startswith(b"<?xml")
    with written[1].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["false_alarms"]) for row in rows] == list(GRID)
    for row in rows:
        truth = float(reference.of_laplace(1.0, float(row["false_alarms"])))
        for name, value in (("true_positives", truth), ("misses", 1 - truth)):
            low, middle, high = (float(row[f"{name}{end}"]) for end in ("_lower", "", "_upper"))
            assert low <= value * (1 + 1e-15)
            assert value <= high * (1 + 1e-15)
            assert middle == pytest.approx(value, abs=3e-9)
            assert high - low < 3e-9


def test_nothing_leaks(tmp_path: Path) -> None:
    found = tradeoff(Release(Independent(probabilities=[1.0]), Count(), Laplace(scale=1)))
    _, table = draw_tradeoff(found, tmp_path / "curve.png")
    first = [float(each) for each in table.read_text(encoding="utf-8").splitlines()[1].split(",")]
    assert first == pytest.approx([0.0001] * 4 + [0.9999] * 3, abs=2e-9)
