"""`dalenius fit --confidence`: intervals for points, and what becomes of bad input."""

from pathlib import Path

import pytest

from dalenius.cli.fit import fit
from dalenius.cli.main import COMMANDS
from tests.cases import in_turn
from tests.cli.command import complaint, here
from tests.cli.test_fit import Run, fitted, written

MODELS = ("households", "chain", "network", "independence")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """A command in this process, run in a folder of its own."""
    monkeypatch.setitem(COMMANDS, "fit", fit)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: here(capsys, monkeypatch, *arguments)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return written(tmp_path / "past.csv")


def rows_of(section: dict[str, object]) -> list[object]:
    """All rows of a model, wherever they are."""
    return [row for key, row in _walk(section) if key in ("infected", "transition", "probabilities")]


def _walk(section: object) -> list[tuple[str, object]]:
    if isinstance(section, list):
        return [found for each in section for found in _walk(each)]
    if not isinstance(section, dict):
        return []
    return [*section.items(), *(found for each in section.values() for found in _walk(each))]


def ends(row: object) -> list[list[float]]:
    """The intervals of a row or a table, however deep."""
    assert isinstance(row, list)
    if not isinstance(row[0], list):
        return [row]
    return [pair for each in row for pair in ends(each)]


@pytest.mark.parametrize("model", MODELS)
def test_intervals_hold_the_frequencies(model: str, run: Run, table: Path) -> None:
    point = fitted(run, table, model, "--json").json["model"]
    shown = fitted(run, table, model, "--confidence", "0.95", "--json").json
    assert shown["model"]["confidence"] == shown["fit"]["confidence"] == 0.95
    assert shown["fit"]["region"] == ("robbins" if model == "chain" else "clopper_pearson")
    for points, intervals in zip(rows_of(point), rows_of(shown["model"]), strict=True):
        flat = _flat(points)
        pairs = ends(intervals)
        assert len(flat) == len(pairs)
        assert all(0 <= low < high <= 1 for low, high in pairs)
        assert all(low - 0.01 <= p <= high + 0.01 for p, (low, high) in zip(flat, pairs, strict=True)), "smoothed"


def _flat(row: object) -> list[float]:
    return [p for each in row for p in _flat(each)] if isinstance(row, list) else [row]  # type: ignore[list-item]


@pytest.mark.slow
def test_a_higher_level_is_wider_and_a_prior_is_another_region(run: Run, table: Path) -> None:
    def widths(*more: str) -> list[float]:
        section = fitted(run, table, "households", *more, "--json").json["model"]
        return [high - low for row in rows_of(section) for low, high in ends(row)]

    usual = widths("--confidence", "0.95")
    assert all(one < other for one, other in zip(usual, widths("--confidence", "0.999"), strict=True))
    credible = widths("--confidence", "0.95", "--credible")
    assert credible != usual
    assert credible != widths("--confidence", "0.95", "--credible", "--smoothing", "20")


BAD = {
    "1": (["--confidence", "1"], "confidence: 1.0, wanted a number above 0 and below 1"),
    "95": (["--confidence", "95"], "confidence: 95.0, wanted a number above 0 and below 1"),
    "credible alone": (["--credible"], "--confidence: missing, wanted a number above 0 and below 1 beside --credible"),
    "smoothing": (
        ["--confidence", "0.9", "--smoothing", "2"],
        "--smoothing: 2.0, wanted --credible beside it: exact intervals have no prior",
    ),
}


@in_turn({"case": BAD, "model": ["households", "chain"]})
def test_bad_input(case: str, model: str, run: Run, table: Path) -> None:
    options, line = BAD[case]
    assert complaint(fitted(run, table, model, *options)) == line


def test_a_model_without_probabilities(run: Run, table: Path) -> None:
    line = complaint(fitted(run, table, "gaussian", "--confidence", "0.9"))
    assert line == "--confidence: 0.9, wanted no such option with --model gaussian"
