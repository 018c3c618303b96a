"""What an ε means for whoever is absent: the numbers are the channel's own, below those of any table."""

import csv
from pathlib import Path

import pytest

from dalenius import Absent, DifferentialIdentifiability, InputError, Laplace, Release, RhoIdentifiability, calibrate
from dalenius.models import Table
from dalenius.queries import Count
from dalenius.reports.promises import absence_figure, by_epsilon

RELEASE = Release(Absent(answers=(0, 1, 3, 10), prior=(0.1, 0.2, 0.3, 0.4)), None, Laplace())


@pytest.mark.slow
@pytest.mark.parametrize("notion", [RhoIdentifiability(rho=0.6), DifferentialIdentifiability(alpha=0.5, beta=1)])
def test_picture_and_numbers(notion: RhoIdentifiability | DifferentialIdentifiability, tmp_path: Path) -> None:
    found = calibrate(RELEASE, notion)
    rows, written = by_epsilon(RELEASE, found), absence_figure(RELEASE, notion, found, tmp_path / "epsilon.png")
    assert written[0].read_bytes().startswith(b"\x89PNG")
    with written[1].open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert len(read) == len(rows)
    for row, shown in zip(rows, read, strict=True):
        assert float(shown["posterior"]) == row.posterior
        assert 0.4 <= row.posterior <= row.posterior_at_most * (1 + 1e-12)
        assert 1 <= row.raised <= row.raised_at_most * (1 + 1e-12)
        assert row.lowered_at_least * (1 - 1e-12) <= row.lowered <= 1
        told = RhoIdentifiability().leakage(RELEASE.with_noise(Laplace(scale=row.scale)))
        assert told.companions["posterior"].upper == row.posterior
        assert row.epsilon == pytest.approx(10 / row.scale, rel=1e-14)


def test_refusals(tmp_path: Path) -> None:
    same = Release(Absent(answers=(1, 1)), None, Laplace())
    notion = RhoIdentifiability(rho=0.6)
    with pytest.raises(InputError, match=r"^plot: no noise"):
        by_epsilon(same, calibrate(same, notion))
    records = Release(Table(records=[[0], [1]], probabilities=[0.5, 0.5]), Count(), Laplace())
    with pytest.raises(InputError, match=r"^plot: model of records"):
        by_epsilon(records, calibrate(RELEASE, notion))
    with pytest.raises(InputError, match=r"ending in \.png"):
        absence_figure(RELEASE, notion, calibrate(RELEASE, notion), tmp_path / "x.txt")
