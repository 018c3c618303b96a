"""Every link between the project's own pages, pictures and files leads somewhere."""

import re
from pathlib import Path
from typing import Final

from tests.docs.page import REPOSITORY

PAGES: Final = [*sorted(REPOSITORY.glob("*.md")), *sorted((REPOSITORY / "docs").rglob("*.md"))]
LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE: Final = re.compile(r"[a-z]+:")
FENCED: Final = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What a page's headings are called in a link, as GitHub and its like make it of them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead(page: Path, text: str) -> list[str]:
    """The links of that text, on that page, that lead nowhere."""
    found = []
    for link in LINK.findall(FENCED.sub("", text)):
        if ELSEWHERE.match(link):
            continue
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(link)
    return found


def test_links_lead_somewhere() -> None:
    assert {page.name: found for page in PAGES if (found := dead(page, page.read_text(encoding="utf-8")))} == {}


def test_every_page_is_in_the_index() -> None:
    index = REPOSITORY / "docs/README.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in LINK.findall(index.read_text("utf-8"))}
    assert set((REPOSITORY / "docs").rglob("*.md")) - linked == {index}
