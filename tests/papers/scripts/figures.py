"""A paper's scripts, run into a folder of the test's; without public data, those that read them are skipped."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from papers.__main__ import run
from papers.numbers import Number
from tests.cli.command import table

NEEDS_DATA = pytest.mark.skipif(
    not os.environ.get("DALENIUS_DATA"), reason="DALENIUS_DATA, the folder of data sets, is not set"
)


@dataclass(frozen=True)
class Outcome:
    folder: Path
    numbers: tuple[Number, ...]

    def rows(self, name: str) -> list[dict[str, str]]:
        """Of a table."""
        return table(self.folder / f"{name}.csv")

    def ours(self) -> dict[str, float]:
        """By what they are."""
        return {number.what: number.ours for number in self.numbers}


def outcome_of(paper: str, folder: Path, quick: bool = False) -> Outcome:
    """Every figure is there as PNG and as SVG."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("papers.numbers.OUT", folder)
        numbers = run(paper, quick)
    pictures = sorted(folder.glob("*.png"))
    assert pictures
    for path in pictures:
        assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n", path
        assert path.with_suffix(".svg").read_text(encoding="utf-8").startswith("<?xml"), path
    return Outcome(folder, numbers)
