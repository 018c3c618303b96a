"""A file is short enough to be read at once."""

import pytest

from tests.docs.page import REPOSITORY

LINES = 400


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "papers", "examples", "docs"])
def test_no_file_is_long(folder: str) -> None:
    paths = sorted((REPOSITORY / folder).rglob("*.py"))
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert not {path: lines for path, lines in lengths.items() if lines > LINES}
