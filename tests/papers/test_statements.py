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


def rows(heading: str) -> list[list[str]]:
    """The cells of a section's table, below its head."""
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    (section,) = [each for each in sections if each.splitlines()[0] == heading]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def every_row() -> list[list[str]]:
    return [row for heading in (*NUMBERED, *TEXTS) for row in rows(heading)]


def citations(text: str) -> list[tuple[Path, str]]:
    return [(REPOSITORY / long if long else FOLDER / short, function) for long, short, function in CITED.findall(text)]


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
    assert [row[0] for row in rows(paper)] == wanted + TABLES.get(paper, [])
    assert {len(row) for row in rows(paper)} == {5}


def test_every_statement_has_a_test_and_a_verdict() -> None:
    for row in every_row():
        assert citations(row[-2]), row[0]
        assert row[-1].startswith(VERDICTS), row[0]
        page = "dependent.md" if row[-1].startswith("not reproduced") else "errata.md#"
        assert row[-1].startswith("yes") or page in row[-1], row[0]


@pytest.mark.slow
def test_what_is_cited_is_there() -> None:
    for row in every_row():
        for path, function in citations(row[-2]):
            assert function in functions(path), f"{path}::{function}"
        for number, anchor in re.findall(r"\[(E\d+)\]\(errata\.md#([\w-]+)\)", row[-1]):
            assert anchor.startswith(f"{number.lower()}-")


def test_every_test_is_cited() -> None:
    cited = {function for row in every_row() for _, function in citations(row[-2])}
    here = {name for path in FOLDER.glob("test_*.py") if path != Path(__file__) for name in functions(path)}
    assert here <= cited
