"""Which numbers agree with a paper's; which scripts are skipped where there are no data."""

from pathlib import Path

import pytest

from papers.__main__ import PAPERS
from papers.numbers import Number, write_csv
from tests.papers.scripts.figures import outcome_of


def test_what_agrees() -> None:
    """To a unit of the printed last digit; of bounds, on their side."""
    for theirs, ours, relation, agrees in (
        (10.0, 10.4, "=", True),
        (10.0, 10.6, "=", False),
        (0.5, 0.6, "<", False),
        (1.0, 3.0, ">", True),
        (None, 1.0, "=", True),
    ):
        number = Number("Fig 1", "a chance", theirs, ours, relation=relation)  # type: ignore[arg-type]
        assert number.agrees is agrees
        assert ("not so" in str(number)) is not agrees


@pytest.mark.slow
def test_scripts_without_their_data_are_skipped_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DALENIUS_DATA", raising=False)
    numbers = outcome_of("dependent", tmp_path, quick=True).numbers
    assert {number.where for number in numbers} == {"Fig 6"}
    said = [line for line in capsys.readouterr().out.splitlines() if "skipped" in line]
    assert len(said) == len(PAPERS["dependent"]) - 1
    assert "papers.dependent.figure_3: skipped, $DALENIUS_DATA is not there" in said
    monkeypatch.setenv("DALENIUS_DATA", str(tmp_path))
    outcome_of("dependent", tmp_path, quick=True)
    assert f"skipped, {tmp_path}/gowalla/cities_visits.csv.gz is not there" in capsys.readouterr().out


def test_numbers_have_no_digits_that_hang_on_the_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("papers.numbers.OUT", tmp_path)
    write_csv("rows", [("a", "b"), (1 / 3, "0.30000000000000004"), (float("inf"), None)], rounded=True)
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8") == "a,b\n0.3333333333,0.30000000000000004\ninf,\n"
