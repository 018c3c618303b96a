"""The table of wings in ARCHITECTURE.md, made from the seam: python -m tests.house.wings_map"""

from dalenius.wings import WINGS
from tests.docs.page import REPOSITORY
from tests.house.test_budgets import BUDGETS

PAGE = REPOSITORY / "ARCHITECTURE.md"
BEGIN, END = "<!-- wings: made by `python -m tests.house.wings_map`, from dalenius.wings -->\n", "<!-- /wings -->"


def table() -> str:
    """A row a wing."""
    rows = [
        f"| `{each.folder}` | {each.question} | {each.who} | `{each.entry}` | {each.source} "
        f"| {BUDGETS[each.folder]:,} |\n"
        for each in WINGS
    ]
    head = "| wing | question | who needs it | begin with | rests on | lines at most |\n|---|---|---|---|---|--:|\n"
    return head + "".join(rows)


def with_table(page: str) -> str:
    """The page with the table as it is to be."""
    before, rest = page.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END, 1)[1]


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
