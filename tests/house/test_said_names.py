"""What messages, docstrings and pages call `dalenius.…` is there, so that a reader who follows them finds it."""

import importlib
import re
from pathlib import Path

import dalenius
from tests.docs.page import REPOSITORY

SAID = re.compile(r"\bdalenius((?:\.[A-Za-z_]\w*)+)")
NOT_PYTHON = ("budgets", "env", "methods", "noises", "service", "Name")
"""A table of pyproject.toml, files of a machine, entry points; and what stands for any name."""


def missing(text: str) -> list[str]:
    found = []
    for said in sorted(set(SAID.findall(text))):
        place: object = dalenius
        name = "dalenius"
        for part in said[1:].split("."):
            name += f".{part}"
            try:
                place = getattr(place, part) if hasattr(place, part) else importlib.import_module(name)
            except ImportError:
                found.append(name)
                break
    return [name for name in found if name.split(".")[1] not in NOT_PYTHON]


def test_what_is_said_is_there() -> None:
    pages = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    files = [*sorted((REPOSITORY / "src").rglob("*.py")), *pages]
    wrong = {str(path): names for path in files if (names := missing(Path(path).read_text(encoding="utf-8")))}
    assert not wrong


def test_what_is_not_there_is_found() -> None:
    assert missing("dalenius.theorems.rounding, dalenius.Release, dalenius.noise.noise") == [
        "dalenius.theorems.rounding"
    ]
