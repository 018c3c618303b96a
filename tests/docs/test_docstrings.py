"""Examples in docstrings of the package and of the papers' scripts show what is computed."""

import doctest
from importlib import import_module

import pytest

from tests.docs.page import REPOSITORY


@pytest.mark.lengthy
def test_examples_in_docstrings() -> None:
    names = []
    for root, folder in ((REPOSITORY / "src", "dalenius"), (REPOSITORY, "papers")):
        paths = [path for path in sorted((root / folder).rglob("*.py")) if ">>>" in path.read_text(encoding="utf-8")]
        names += [".".join(path.relative_to(root).with_suffix("").parts) for path in paths]
    found = [doctest.testmod(import_module(name)) for name in names]
    assert sum(each.attempted for each in found) > 20
    assert not sum(each.failed for each in found)
