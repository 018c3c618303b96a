"""Every figure is there for print too."""

import pytest

from tests.docs.page import REPOSITORY

FIGURES = REPOSITORY / "docs/figures"
SCREENS = ("web_cost", "web_ledger")
"""What a browser shows: there is no vector copy of it."""


@pytest.mark.parametrize("name", sorted(path.stem for path in FIGURES.glob("*.png") if path.stem not in SCREENS))
def test_a_vector_copy_is_beside(name: str) -> None:
    text = (FIGURES / f"{name}.svg").read_text(encoding="utf-8")
    assert text.startswith("<?xml")
    assert "<dc:date>" not in text
    assert "<image" not in text, "lines, not a picture of lines"
