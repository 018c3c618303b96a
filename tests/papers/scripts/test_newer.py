"""The newer papers: the page has the rows that the scripts compute, and ours equals, or is below, what authors have."""

from pathlib import Path

import pytest

from papers.newer.page import SCRIPTS, rows
from papers.newer.quilts import CHAINS, WHOLE_GRID, quilt_scale, scale_of
from papers.numbers import Script

PAGE = Path(__file__).parents[3] / "docs" / "research" / "published.md"


@pytest.mark.lengthy
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_the_page_has_the_rows(script: Script) -> None:
    """Numbers to 1e-5, as they are ends of enclosures."""
    written = {_words(line): _numbers(line) for line in PAGE.read_text(encoding="utf-8").splitlines() if "|" in line}
    for row in rows(script):
        assert written[_words(row)] == [pytest.approx(each, rel=1e-5) for each in _numbers(row)]


def _words(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.split("|")[1:3])


def _numbers(row: str) -> list[float]:
    return [float(cell) for cell in row.split("|")[3:5] if cell.strip().replace(".", "").isdigit()]


@pytest.mark.lengthy
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_ours_agrees(script: Script) -> None:
    for number in script(True):
        assert number.agrees, number
        if number.relation == "=" and number.where != "README":
            assert number.ours == pytest.approx(number.theirs, rel=3e-8), number


@pytest.mark.slow
def test_quilts_equal_theirs_on_their_whole_grid() -> None:
    for p, q in WHOLE_GRID:
        assert scale_of("markov_quilt", p, q) == pytest.approx(quilt_scale(p, q), rel=1e-8), (p, q)
    assert set(CHAINS) <= set(WHOLE_GRID)
