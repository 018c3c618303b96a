"""A file is short enough to be read at once."""

from tests.docs.page import REPOSITORY

LINES = 400
FOLDERS = ("src", "tests", "benchmarks", "papers", "examples", "docs")


def test_no_file_is_long() -> None:
    paths = [path for folder in FOLDERS for path in sorted((REPOSITORY / folder).rglob("*.py"))]
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert not {path: lines for path, lines in lengths.items() if lines > LINES}
