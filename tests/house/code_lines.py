"""Counts lines of code: no blanks, no comments, no docstrings."""

import ast
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

from tests.docs.page import REPOSITORY

SETTINGS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
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
