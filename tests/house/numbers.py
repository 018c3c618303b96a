"""How large the house is, in numbers: python -m tests.house.numbers"""

import subprocess
import sys
from pathlib import Path

from dalenius.wings import WINGS
from tests.docs.page import REPOSITORY
from tests.house.test_architecture import FOLDERS, HOUSE, imported
from tests.house.test_budgets import code_lines, spent

READERS = ("tutorial", "how-to", "explanation", "reference")


def _files() -> list[Path]:
    return sorted(HOUSE.rglob("*.py"))


def _into_wings() -> int:
    """Imports of a wing in files of the core: the seam has names in strings, and none."""
    core = [path for path in _files() if path.relative_to(HOUSE).parts[0] not in FOLDERS]
    return sum(name.split(".")[0] in FOLDERS for path in core for name in imported(path))


def _quick_cases() -> int:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, check=True)
    return int(done.stdout.strip().splitlines()[-1].split("/")[0])


def _read() -> int:
    """Lines of the pages for users."""
    pages = (page for folder in READERS for page in (REPOSITORY / "docs" / folder).rglob("*.md"))
    return sum(len(page.read_text(encoding="utf-8").splitlines()) for page in pages)


def numbers() -> dict[str, int]:
    """By what is counted."""
    lines = {name: count for name, count in spent().items() if name not in ("tests", "papers")}
    files = _files()
    return {
        "package, lines of code": sum(lines.values()),
        "of them the core": sum(count for name, count in lines.items() if name not in FOLDERS),
        "files": len(files),
        "folders": len({path.parent for path in files}),
        "files of the largest folder": max(sum(other.parent == path.parent for other in files) for path in files),
        "wings": len(WINGS),
        "imports from the core into a wing": _into_wings(),
        "lines of the longest file": max(len(path.read_text(encoding="utf-8").splitlines()) for path in files),
        "the seam, lines of code": code_lines(HOUSE / "wings.py"),
        "tests, lines of code": spent()["tests"],
        "quick cases": _quick_cases(),
        "docs for users, lines": _read(),
    }


if __name__ == "__main__":
    for what, number in numbers().items():
        print(f"{what:36} {number:>7,}")
