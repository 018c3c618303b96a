"""Leakage by size of household: the numbers are those of the people themselves; both files or none."""

from pathlib import Path

import pytest

import dalenius as dl
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.reports.plots_of_leakage import audit_figure, calibration_figure
from tests.cases import in_turn
from tests.cli.command import table

TYPES = (
    dl.HouseholdType(count=5, infected=(0.8, 0.2)),
    dl.HouseholdType(count=3, infected=(0.7, 0.1, 0.2)),
    dl.HouseholdType(count=2, infected=(0.6, 0.1, 0.1, 0.2)),
    dl.HouseholdType(count=2, infected=(0.2, 0.1, 0.1, 0.6)),
)
TOWN = dl.Households(types=TYPES)
FIRST = {1: (1,), 2: (6,), 3: (12, 18)}  # somebody of every type, by the size of the household
NOISES: tuple[Noise, ...] = (dl.Geometric(scale=1), dl.Geometric(scale=3), dl.Laplace(scale=2))


def directly(noise: Noise, notion: Notion, size: int) -> float:
    release = dl.Release(TOWN, dl.Count(), noise, dl.Secrets(people=FIRST[size]))
    return notion.leakage(release).upper


@in_turn({"noise": NOISES, "suffix": [".png", ".svg", ".pdf"]})
def test_picture_and_numbers(noise: Noise, suffix: str, tmp_path: Path) -> None:
    notions = (dl.InformationPrivacy(), dl.InferentialPrivacy())
    release, promise = dl.Release(TOWN, dl.Count(), noise), dl.InferentialPrivacy(epsilon=1)
    written = audit_figure(release, dl.audit(release, notions), [promise], notions, tmp_path / f"leakage{suffix}")
    assert written == (tmp_path / f"leakage{suffix}", tmp_path / "leakage.csv")
    assert sorted(tmp_path.iterdir()) == sorted(written)
    assert written[0].read_bytes().startswith({".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix])
    rows = table(written[1])
    assert [row["notion"] for row in rows if not row["group_size"]] == ["information", "inferential"]
    apart = [row for row in rows if row["group_size"]]
    assert len(apart) == len(notions) * len(FIRST)
    for row, (notion, size) in zip(apart, [(notion, size) for notion in notions for size in FIRST], strict=True):
        assert (row["notion"], int(row["group_size"])) == (notion.kind, size)
        exact = directly(noise, notion, size)
        assert exact <= float(row["upper_nats"]) <= exact * (1 + 1e-8), "nine digits, rounded up"
        assert row["promised_nats"] == ("1.0" if notion.kind == "inferential" else "")


def test_of_a_calibration_it_is_the_one_promise_under_the_noise_found(tmp_path: Path) -> None:
    release, promise = dl.Release(TOWN, dl.Count(), dl.Geometric()), dl.InferentialPrivacy(epsilon=1)
    result = dl.calibrate(release, promise)
    rows = table(calibration_figure(release, promise, result, tmp_path / "leakage.png")[1])
    assert [(row["notion"], row["group_size"]) for row in rows] == [
        ("inferential", each) for each in ("", "1", "2", "3")
    ]
    assert max(float(row["upper_nats"]) for row in rows[1:]) == pytest.approx(result.leakage.upper, rel=1e-8)


def test_who_is_absent_has_no_household_and_is_drawn_together(tmp_path: Path) -> None:
    release, notion = dl.Release(dl.Absent(answers=(0, 1, 3, 10)), None, dl.Laplace()), dl.RhoIdentifiability(rho=0.6)
    rows = table(calibration_figure(release, notion, dl.calibrate(release, notion), tmp_path / "x.png")[1])
    assert [(row["notion"], row["group_size"]) for row in rows] == [("rho", "")]
