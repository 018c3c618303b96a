"""docs/research/statements.md has every statement of the papers; what it cites is there; every test here is cited."""

import ast
import re
from pathlib import Path
from typing import Final

import pytest

from tests.docs.page import REPOSITORY

PAGE: Final = REPOSITORY / "docs" / "research" / "statements.md"
FOLDER: Final = Path(__file__).parent
NUMBERED: Final = {
    "IDP": {"Definition": 3, "Lemma": 5, "Theorem": 4, "Proposition": 4, "Corollary": 2, "Remark": 1, "Example": 2},
    "IP": {"Definition": 5, "Lemma": 6, "Theorem": 2, "Proposition": 8, "Corollary": 5, "Example": 2},
    "DDP": {"Definition": 6, "Theorem": 10, "Lemma": 2, "Example": 1, "Figure": 10},
    "DI": {"Definition": 5, "Theorem": 4, "Figure": 2},
    "NP": {"Definition": 6, "Fact": 3, "Theorem": 2, "Example": 1, "Figure": 4},
}
TABLES: Final = {"DDP": ["Table I"], "DI": ["Table 2"]}
"""The tables of numbers; DI's Table 1 lists symbols."""
FIRST: Final = {("NP", "Definition"): 4}
"""The first number of a kind, where the text that we have begins later."""
TEXTS: Final = ("In the text", "In the text of DDP", "In the text of DI", "In the text of NP")
CITED: Final = re.compile(r"`(?:(tests/[\w/]+\.py)|(\w+\.py))::(\w+)`")
VERDICTS: Final = ("yes", "as corrected (", "false (", "the reason is false (", "not reproduced")


ITEM: Final = re.compile(
    r"\*\*(?P<number>.+?)\*\*: (?P<says>.+?)\. \*Holds:\* (?P<holds>.+?)\."
    r"(?: \*Here:\* (?P<here>.+?)\.)? \*Tests:\* (?P<tests>.+)\."
)


def rows(heading: str) -> list[dict[str, str | None]]:
    """The statements of a section: `number`, `says`, `holds`, `here` (if it has one) and `tests`."""
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    (section,) = [each for each in sections if each.splitlines()[0] == heading]
    items = [" ".join(each.split()) for each in re.split(r"^\* ", section, flags=re.MULTILINE)[1:]]
    found = [ITEM.fullmatch(item) for item in items]
    assert all(found), [item for item, match in zip(items, found, strict=True) if match is None]
    return [match.groupdict() for match in found if match is not None]


def every_row() -> list[dict[str, str | None]]:
    return [row for heading in (*NUMBERED, *TEXTS) for row in rows(heading)]


def citations(row: dict[str, str | None]) -> list[tuple[Path, str]]:
    found = CITED.findall(row["tests"] or "")
    return [(REPOSITORY / long if long else FOLDER / short, function) for long, short, function in found]


def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_statement_is_there_once(paper: str) -> None:
    wanted = [
        f"{kind} {number}"
        for kind, most in NUMBERED[paper].items()
        for number in range(FIRST.get((paper, kind), 1), most + 1)
    ]
    assert [row["number"] for row in rows(paper)] == wanted + TABLES.get(paper, [])
    assert all(row["here"] for row in rows(paper))


def test_every_statement_has_a_test_and_a_verdict() -> None:
    for row in every_row():
        holds = row["holds"] or ""
        assert citations(row), row["number"]
        assert holds.startswith(VERDICTS), row["number"]
        page = "dependent.md" if holds.startswith("not reproduced") else "errata.md#"
        assert holds.startswith("yes") or page in holds, row["number"]


@pytest.mark.slow
def test_what_is_cited_is_there() -> None:
    for row in every_row():
        for path, function in citations(row):
            assert function in functions(path), f"{path}::{function}"
        for number, anchor in re.findall(r"\[(E\d+)\]\(errata\.md#([\w-]+)\)", row["holds"] or ""):
            assert anchor.startswith(f"{number.lower()}-")


def test_every_test_is_cited() -> None:
    cited = {function for row in every_row() for _, function in citations(row)}
    here = {name for path in FOLDER.glob("test_*.py") if path != Path(__file__) for name in functions(path)}
    assert here <= cited
