"""The page of limits has every limit, as it is."""

from tests.docs.limits import PAGE, rows, section, written


def test_the_page_has_the_tables_as_they_are() -> None:
    assert PAGE.read_text(encoding="utf-8") == written(), "python -m tests.docs.limits writes them"


def test_every_limit_has_a_row() -> None:
    found, text = rows(), section()
    assert len(found) > 100
    assert all(f"| `{row.limit.name}` | {int(row.limit):,}" in text for row in found)
