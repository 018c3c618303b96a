"""The README and every page of docs/ do what they say."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.page import REPOSITORY, Page

PAGES = [path for path in [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))] if path.exists()]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_page_does_what_it_says(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(path, tmp_path, monkeypatch)


def run(path: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a page in `here`, beside a link to the repository's examples."""
    (here / "examples").symlink_to(REPOSITORY / "examples")
    module = ModuleType("dalenius_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # where classes defined on the page look for their names
    monkeypatch.chdir(here)
    Page(path, here, module).run()
