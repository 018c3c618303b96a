"""The picture of what attackers find, and its numbers."""

import csv
from pathlib import Path

import pytest

from dalenius import Count, Independent, InputError, Laplace, Release, tradeoff
from dalenius.notions.tradeoff import GRID
from dalenius.reports import draw_tradeoff
from tests.reference import tradeoff as reference

RELEASE = Release(Independent(probabilities=[0.3]), Count(), Laplace(scale=1))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_picture_and_numbers(suffix: str, tmp_path: Path) -> None:
    written = draw_tradeoff(tradeoff(RELEASE), tmp_path / f"curve{suffix}")
    assert written == (tmp_path / f"curve{suffix}", tmp_path / "curve.csv")
    assert sorted(tmp_path.iterdir()) == sorted(written)
    assert written[0].read_bytes().startswith({".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix])
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


def test_only_pictures(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^plot: .*curve.txt, wanted a file ending in .png, .svg or .pdf$"):
        draw_tradeoff(tradeoff(RELEASE), tmp_path / "curve.txt")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("taken", ["curve.png", "curve.csv"])
def test_both_or_none(taken: str, tmp_path: Path) -> None:
    (tmp_path / taken).mkdir()
    with pytest.raises(InputError, match=rf"^file: .*{taken}, wanted a place that can be written \(it is a folder\)$"):
        draw_tradeoff(tradeoff(RELEASE), tmp_path / "curve.png")
    assert [path.name for path in tmp_path.iterdir()] == [taken]
