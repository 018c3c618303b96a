"""Every section of `make bench` is on docs/reference/benchmarks.md, with its columns, and no other. Nothing is measured
here: what each file of benchmarks calls its section and its columns is read from its text."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.__main__ import BENCHMARKS
from tests.docs.page import REPOSITORY

PAGE: Final = REPOSITORY / "docs/reference/benchmarks.md"


def written() -> Iterator[tuple[str, tuple[str, ...]]]:
    """The title and the columns of each section that the files of benchmarks make."""
    for file in {Path(str(sys.modules[run.__module__].__file__)) for run in BENCHMARKS.values()}:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="Section"), keywords=given):
                    values = {
                        each.arg: ast.literal_eval(each.value) for each in given if each.arg in ("title", "columns")
                    }
                    yield values["title"], values["columns"]


def test_the_page_has_these_sections() -> None:
    _, *parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    tables = {part.partition("\n")[0]: re.search(r"^\| (.*) \|$", part, re.MULTILINE) for part in parts}
    shown = {title: tuple(table[1].split(" | ")) for title, table in tables.items() if table is not None}
    assert shown == dict(written()), "`python -m benchmarks --write` writes the page again"
