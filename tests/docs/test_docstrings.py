"""Examples in docstrings of the package show what is computed."""

import doctest
from importlib import import_module

from tests.docs.page import REPOSITORY


def test_examples_in_docstrings() -> None:
    package = REPOSITORY / "src"
    paths = [path for path in sorted(package.rglob("*.py")) if ">>>" in path.read_text(encoding="utf-8")]
    found = {
        path.name: doctest.testmod(import_module(".".join(path.relative_to(package).with_suffix("").parts)))
        for path in paths
    }
    assert sum(each.attempted for each in found.values()) > 20
    assert {name: each.failed for name, each in found.items() if each.failed} == {}
