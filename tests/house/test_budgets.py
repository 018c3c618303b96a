"""Each folder has a budget of lines of code, in pyproject.toml: whoever needs more says what becomes smaller."""

import ast
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

from tests.docs.page import REPOSITORY

SETTINGS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
BUDGETS: dict[str, int] = SETTINGS["tool"]["dalenius"]["budgets"]
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(path: Path) -> int:
    """Those that are not blank, no comment and no docstring."""
    text = path.read_text(encoding="utf-8")
    said: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            said.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    return sum(bool(line) and not line.startswith("#") and number not in said for number, line in lines)


@cache
def spent() -> Counter[str]:
    """By folder of the package, each with all within; what stands beside them at the top; and tests and papers."""
    found: Counter[str] = Counter()
    for path in sorted((REPOSITORY / "src" / "dalenius").rglob("*.py")):
        first, *rest = path.relative_to(REPOSITORY / "src" / "dalenius").parts
        found[first if rest else "top"] += code_lines(path)
    for folder in ("tests", "papers"):
        found[folder] = sum(map(code_lines, sorted((REPOSITORY / folder).rglob("*.py"))))
    return found


def test_no_folder_is_larger_than_its_budget() -> None:
    found = spent()
    assert set(found) == set(BUDGETS), "[tool.dalenius.budgets] in pyproject.toml has a line for each folder"
    assert not [f"{name}: {n:,} of {BUDGETS[name]:,} lines" for name, n in found.items() if n > BUDGETS[name]]


def test_no_budget_is_far_above_what_is_there() -> None:
    """What becomes smaller stays so."""
    assert not [
        f"{name}: {n:,} of {BUDGETS[name]:,} lines" for name, n in spent().items() if BUDGETS[name] > 1.1 * n + 20
    ]
