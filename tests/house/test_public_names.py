"""A public name of a module means one thing in the house; thirty, most of them commands and routes, mean two."""

import ast
from collections import Counter

from tests.house.test_architecture import HOUSE


def repeated_names() -> set[str]:
    """Classes, functions and constants of modules that are defined in more than one of them."""
    found: Counter[str] = Counter()
    for path in HOUSE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            match node:
                case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    found[name] += 1
                case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                    found[name] += 1
    return {name for name, times in found.items() if times > 1 and not name.startswith("_")}


def test_few_names_have_two_meanings() -> None:
    assert len(repeated_names()) <= 30
