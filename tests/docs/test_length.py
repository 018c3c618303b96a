"""What a user reads stays readable: proofs, cases and measurements go to docs/research, which does not count."""

from typing import Final

from tests.docs.page import REPOSITORY

FOLDERS: Final = ("tutorial", "how-to", "explanation", "reference")
MOST: Final = 7_000
"""Lines of Markdown on all their pages together."""


def test_pages_for_users_are_few_enough_to_read() -> None:
    pages = (page for folder in FOLDERS for page in (REPOSITORY / "docs" / folder).rglob("*.md"))
    assert sum(len(page.read_text(encoding="utf-8").splitlines()) for page in pages) <= MOST
