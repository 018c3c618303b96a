"""Writes the page on what an ε means into the documentation: python -m tests.docs.meaning_page"""

from dalenius.interpretation.page import meaning_page
from tests.docs.page import REPOSITORY

PAGE = REPOSITORY / "docs" / "epsilon.html"

if __name__ == "__main__":
    PAGE.write_text(meaning_page(), encoding="utf-8")
