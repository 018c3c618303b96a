"""What the code cites is there: `Theory §n` in docs/research/theory.md, `Result n.m` there or on a page beside."""

import re
from pathlib import Path
from typing import Final

from tests.docs.page import REPOSITORY

PAGE: Final = REPOSITORY / "docs/research/theory.md"
SECTIONS: Final = re.compile(r"\bTheory((?:,?\s+§\d+(?:\s*[-–]\s*§\d+)?)+)")
RESULTS: Final = re.compile(r"\bResult\s+(\d+\.\d+)")
FOLDERS: Final = ("src", "tests", "benchmarks", "papers", "examples", "docs")
KINDS: Final = (".py", ".md")


def cited(text: str) -> set[str]:
    """§n and n.m."""
    sections = {number for several in SECTIONS.findall(text) for number in re.findall(r"§\d+", several)}
    return sections | set(RESULTS.findall(text))


def stated() -> set[str]:
    page = PAGE.read_text(encoding="utf-8")
    return {*re.findall(r"^## (§\d+) ", page, re.MULTILINE), *results()}


def results() -> list[str]:
    """The numbers of the results on all pages of explanation and research."""
    pages = [*PAGE.parent.glob("*.md"), *(REPOSITORY / "docs/explanation").glob("*.md")]
    texts = [path.read_text(encoding="utf-8") for path in sorted(pages)]
    return [number for text in texts for number in re.findall(r"^\*\*Result (\d+\.\d+) \(", text, re.MULTILINE)]


def files() -> list[Path]:
    found = (path for folder in FOLDERS for path in (REPOSITORY / folder).rglob("*") if path.suffix in KINDS)
    return sorted(path for path in found if path != Path(__file__))


def test_what_is_cited_is_on_the_page() -> None:
    known, found = stated(), {path: cited(path.read_text(encoding="utf-8")) for path in files()}
    missing = {str(path.relative_to(REPOSITORY)): sorted(those - known) for path, those in found.items()}
    assert {path: those for path, those in missing.items() if those} == {}
    assert sum(map(len, found.values())) > 80  # that something was looked for


def test_no_two_results_have_one_number() -> None:
    assert len(set(results())) == len(results())
