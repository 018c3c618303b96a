"""The children of Hagelloch: counts per class of those whose rash came early, families being dependent.

The table is never read where it lies: a command that was given no ledger would write one beside it.
"""

import csv
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.command import dalenius

SPEC = """
model = { kind = "households", by = "FN", epidemic = { community = 0.1, household = 0.5 } }
query = { kind = "count", per_label = true }
notion = { kind = "information", epsilon = 1.0 }
data = { file = "hagelloch.csv", value = { column = "ERU", below = "1861-11-26" }, label = "CL" }
"""
SCALE = 1.5969447490909300  # what `compare` finds, a hair above: that the promise is kept there is checked below


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    if "DALENIUS_DATA" not in os.environ:
        pytest.skip("DALENIUS_DATA, the folder of the public data sets, is not set")
    shutil.copyfile(Path(os.environ["DALENIUS_DATA"]) / "households/hagelloch_1861.csv", tmp_path / "hagelloch.csv")
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    return tmp_path / "spec.toml"


def with_scale(spec: Path, scale: float) -> Path:
    spec.write_text(f'{SPEC}\n[noise]\nkind = "geometric"\nscale = {scale}\n', encoding="utf-8")
    return spec


def truth(table: Path) -> list[int]:
    with table.open(encoding="utf-8", newline="") as file:
        children = list(csv.DictReader(file))
    early = Counter(child["CL"] for child in children if child["ERU"] < "1861-11-26")
    return [early[label] for label in sorted({child["CL"] for child in children})]


@pytest.mark.slow
def test_release(spec: Path) -> None:
    table, ledger = spec.with_name("hagelloch.csv"), spec.with_name("ledger.sqlite")
    shown = dalenius("release", with_scale(spec, SCALE + 1e-9), "--ledger", ledger, "--json").json
    assert shown["labels"] == ["1st class", "2nd class", "preschool"]
    for answer, true in zip(shown["answers"], truth(table), strict=True):
        assert isinstance(answer, int)
        assert abs(answer - true) <= 60 * SCALE
    assert shown["certificate"]["people"] == 188
    assert shown["certificate"]["leakage"]["upper"] <= 1
    assert "who lives with whom is public" in shown["certificate"]["hypotheses"]
    assert "everybody's CL is public" in shown["certificate"]["hypotheses"]
    assert shown["budget"]["initial"] == 1
    assert ledger.exists()
    assert not table.with_name("hagelloch.csv.ledger.sqlite").exists()
