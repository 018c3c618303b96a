"""Names: a public one means one thing in the house; thirty, most of them commands and routes, mean two. None is made of
words that say nothing to whoever has not written it."""

import ast
import re
import tokenize
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
    assert len(repeated_names()) <= 31


VAGUE = frozenset({"alone", "apart", "asked", "beside", "held", "seen", "told", "whole"})
"""Whose output, how far from what, who was asked for what: a name says the thing itself."""


def words_of(name: str) -> set[str]:
    return {word.lower() for word in re.split(r"_|(?<=[a-z])(?=[A-Z])", name)}


def test_names_say_what_they_are_of() -> None:
    assert words_of("_seenAlone") >= {"seen", "alone"}
    found = set()
    for path in HOUSE.rglob("*.py"):
        with path.open("rb") as file:
            names = {token.string for token in tokenize.tokenize(file.readline) if token.type == tokenize.NAME}
        found |= {f"{path.name}: {name}" for name in names if words_of(name) & VAGUE}
    assert not found
