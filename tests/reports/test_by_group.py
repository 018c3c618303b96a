"""Leakage by size of household: the numbers are those of the people themselves; both files or none."""

import csv
from pathlib import Path

import pytest

from dalenius import (
    Count,
    Geometric,
    Households,
    HouseholdType,
    InferentialPrivacy,
    InformationPrivacy,
    InputError,
    Laplace,
    NoNoise,
    Release,
    Secrets,
)
from dalenius.drawing import write_whole
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.reports.leakages import curve, draw_by_group
from tests.cases import in_turn

TYPES = (
    HouseholdType(count=5, infected=(0.8, 0.2)),
    HouseholdType(count=3, infected=(0.7, 0.1, 0.2)),
    HouseholdType(count=2, infected=(0.6, 0.1, 0.1, 0.2)),
    HouseholdType(count=2, infected=(0.2, 0.1, 0.1, 0.6)),
)
TOWN = Households(types=TYPES)
FIRST = {1: (1,), 2: (6,), 3: (12, 18)}  # somebody of every type, by the size of the household
NOISES: tuple[Noise, ...] = (Geometric(scale=1), Geometric(scale=3), Laplace(scale=2))


def directly(noise: Noise, notion: Notion, size: int) -> float:
    release = Release(TOWN, Count(), noise, Secrets(people=FIRST[size]))
    return notion.leakage(release).upper


@in_turn({"notion": [InformationPrivacy(epsilon=1), InferentialPrivacy(epsilon=1)], "suffix": [".png", ".svg", ".pdf"]})
def test_picture_and_numbers(notion: Notion, suffix: str, tmp_path: Path) -> None:
    curves = [curve(f"method {i}", Release(TOWN, Count(), noise), notion) for i, noise in enumerate(NOISES)]
    written = draw_by_group(curves, notion, tmp_path / f"leakage{suffix}")
    assert written == (tmp_path / f"leakage{suffix}", tmp_path / "leakage.csv")
    assert sorted(tmp_path.iterdir()) == sorted(written)
    assert written[0].read_bytes().startswith({".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix])
    with written[1].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(NOISES) * len(FIRST)
    for row, (noise, size) in zip(rows, [(noise, size) for noise in NOISES for size in FIRST], strict=True):
        assert (row["noise"], float(row["scale"]), int(row["group_size"])) == (noise.kind, noise.scale, size)
        assert float(row[f"{notion.kind}_leakage_nats"]) == pytest.approx(directly(noise, notion, size), abs=1e-12)
        assert float(row["promised_nats"]) == 1


def test_infinite_leakage_is_written_and_not_drawn(tmp_path: Path) -> None:
    notion = InferentialPrivacy(epsilon=1)
    endless = curve("exact", Release(Households(count=1, infected=(0.5, 0.5)), Count(), NoNoise()), notion)
    _, table = draw_by_group([endless], notion, tmp_path / "leakage.png")
    assert table.read_text(encoding="utf-8").splitlines()[1] == "exact,none,0.0,1,inf,1.0"


def test_only_pictures(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^plot: .*leakage.txt, wanted a file ending in .png, .svg or .pdf$"):
        draw_by_group([], InformationPrivacy(), tmp_path / "leakage.txt")
    assert not list(tmp_path.iterdir())


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"

    def half(draft: Path) -> None:
        draft.write_text("half", encoding="utf-8")
        raise RuntimeError("stopped")

    def whole(draft: Path) -> None:
        draft.write_text("whole", encoding="utf-8")

    with pytest.raises(RuntimeError, match="stopped"):
        write_whole(path, half)
    assert not list(tmp_path.iterdir())
    write_whole(path, whole)
    with pytest.raises(RuntimeError, match="stopped"):
        write_whole(path, half)
    assert [(file.name, file.read_text(encoding="utf-8")) for file in tmp_path.iterdir()] == [("numbers.csv", "whole")]
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("taken", ["leakage.png", "leakage.csv"])
def test_both_or_none(taken: str, tmp_path: Path) -> None:
    (tmp_path / taken).mkdir()
    notion = InformationPrivacy(epsilon=1)
    with pytest.raises(InputError, match=rf"^file: .*{taken}, wanted a place that can be written \(it is a folder\)$"):
        draw_by_group([curve("one", Release(TOWN, Count(), NOISES[0]), notion)], notion, tmp_path / "leakage.png")
    assert [path.name for path in tmp_path.iterdir()] == [taken]
