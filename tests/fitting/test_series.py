"""Two lives, minute by minute and hour by hour: the matrices, against plain counting."""

import csv
import gzip
import os
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from dalenius.fitting import ChainFit, fit_chain

# What this very fit gave when it was written (scipy 1.17); `check` counts it anew.
MINUTES = [
    [0.9252, 0.0728, 0.0017, 0.0003],
    [0.3912, 0.5855, 0.0179, 0.0054],
    [0.0842, 0.1902, 0.3662, 0.3594],
    [0.0100, 0.0385, 0.1583, 0.7932],
]
HOURS = [[0.7616, 0.2384], [0.2349, 0.7651]]


@pytest.fixture(scope="module")
def series() -> Path:
    if "DALENIUS_DATA" not in os.environ:
        pytest.skip("DALENIUS_DATA, the folder of the public data sets, is not set")
    return Path(os.environ["DALENIUS_DATA"]) / "series"


def rows(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def check(fit: ChainFit, sequence: list[int]) -> None:
    """The smoothed matrix, counted once more."""
    moves, leaving = Counter(pairwise(sequence)), Counter(sequence[:-1])
    k = len(set(sequence))
    for a, row in enumerate(fit.model.transition):
        assert row == pytest.approx([(moves[a, b] + 1 / k) / (leaving[a] + 1) for b in range(k)])
    assert fit.observations == len(sequence)


def test_minutes_of_one_person(series: Path) -> None:
    hours = rows(series / "fitbit_minuteIntensitiesWide.csv.gz")
    people = list(dict.fromkeys(hour["Id"] for hour in hours))
    assert len(people) == 33
    own = [hour for hour in hours if hour["Id"] == people[0]]
    minutes = [int(hour[f"Intensity{minute:02}"]) for hour in own for minute in range(60)]
    fit = fit_chain(minutes)
    check(fit, minutes)
    assert fit.model.values == (0, 1, 2, 3)
    for row, wanted in zip(fit.model.transition, MINUTES, strict=True):
        assert row == pytest.approx(wanted, abs=5e-5)
    assert fit.order_two.p_value is not None
    assert fit.order_two.p_value < 1e-6  # a minute remembers more than the one before


def test_hours_of_one_furnace(series: Path) -> None:
    hours = rows(series / "ampds2_furnace_gas_hourly.csv.gz")
    assert list(hours[0]) == ["unix_ts", "counter"]
    week = hours[42 * 168 :][: 168 + 1]  # from 20 January 2013; before October it hardly runs
    assert {int(b["unix_ts"]) - int(a["unix_ts"]) for a, b in pairwise(week)} == {3600}
    used = [int(float(b["counter"]) > float(a["counter"])) for a, b in pairwise(week)]
    fit = fit_chain(used)
    check(fit, used)
    for row, wanted in zip(fit.model.transition, HOURS, strict=True):
        assert row == pytest.approx(wanted, abs=5e-5)
    assert fit.memory.p_value is not None
