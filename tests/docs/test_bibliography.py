"""Whoever is cited by name and year is in the bibliography."""

import re
from typing import Final

from tests.docs.page import REPOSITORY

PAGE: Final = REPOSITORY / "docs/reference/bibliography.md"
NAME: Final = r"[A-Z][a-zà-ž]+"
CITED: Final = re.compile(
    rf"\b({NAME})(?:(?:, {NAME})*,? (?:and|&) {NAME}| et al\.)'?s? \(?(?:arXiv )?((?:18|19|20)\d\d)\b"
)
"""Several authors and a year: one name and a year may be a month."""


def cited(text: str) -> set[tuple[str, str]]:
    return {(name, year) for name, year in CITED.findall(" ".join(text.split()))}


def known() -> set[tuple[str, str]]:
    """The first name and each year of the first cells."""
    cells = re.findall(r"^\| ([^|]+?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {(cell.split()[0].strip(",*"), year) for cell in cells for year in re.findall(r"\d{4}", cell)}


def test_who_is_cited_is_in_the_bibliography() -> None:
    files = [*(REPOSITORY / "docs").rglob("*.md"), *(REPOSITORY / "src").rglob("*.py"), REPOSITORY / "README.md"]
    found = {each for file in files if file != PAGE for each in cited(file.read_text(encoding="utf-8"))}
    assert len(found) > 30
    assert found - known() == set()
