"""Every figure is there for print too."""

from tests.docs.page import REPOSITORY

FIGURES = REPOSITORY / "docs/figures"
SCREENS = ("web_cost", "web_ledger")
"""What a browser shows: there is no vector copy of it."""


def test_a_vector_copy_is_beside() -> None:
    for name in sorted(path.stem for path in FIGURES.glob("*.png") if path.stem not in SCREENS):
        text = (FIGURES / f"{name}.svg").read_text(encoding="utf-8")
        assert text.startswith("<?xml"), name
        assert "<dc:date>" not in text, name
        assert "<image" not in text, f"{name}: lines, not a picture of lines"
