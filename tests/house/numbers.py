"""How large the house is, in numbers: python -m tests.house.numbers"""

import ast
import subprocess
import sys
import tokenize
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

from dalenius import Release
from dalenius.channel import Channel
from dalenius.frozen_section import Frozen
from dalenius.joints import Joint
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import Notion
from tests.docs.page import REPOSITORY
from tests.house.code_lines import code_lines, spent
from tests.house.test_architecture import FOLDERS, HOUSE

READERS = ("tutorial", "how-to", "explanation", "reference")


def _files() -> list[Path]:
    return sorted(HOUSE.rglob("*.py"))


def _quick_cases() -> int:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, check=True)
    return int(done.stdout.strip().splitlines()[-1].split("/")[0])


def _read() -> int:
    """Lines of the pages for users."""
    pages = (page for folder in READERS for page in (REPOSITORY / "docs" / folder).rglob("*.md"))
    return sum(len(page.read_text(encoding="utf-8").splitlines()) for page in pages)


def _is_number(node: ast.expr | None) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _written() -> tuple[int, int, int]:
    """Numeric constants of modules, lines of comments, lines of docstrings."""
    constants = comments = docstrings = 0
    for path in _files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants += sum(_is_number(each.value) for each in tree.body if isinstance(each, ast.Assign | ast.AnnAssign))
        docs = (each for each in ast.walk(tree) if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        docstrings += sum((each.end_lineno or 0) - each.lineno + 1 for each in docs)
        with path.open("rb") as file:
            comments += sum(each.type == tokenize.COMMENT for each in tokenize.tokenize(file.readline))
    return constants, comments, docstrings


_PROGRAM = """
import os, sys
from dalenius.__main__ import main
house, passed = os.path.dirname(sys.modules["dalenius"].__file__), set()

def seen(frame, event, argument):
    file = frame.f_code.co_filename
    if event != "call" or file in passed or not file.startswith(house) or not frame.f_code.co_flags & 2:
        return
    while frame is not None and not (frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(house)):
        frame = frame.f_back
    if frame is None:
        passed.add(file)

sys.setprofile(seen if sys.argv.pop(1) == "files" else None)
try: main()
except SystemExit: pass
print(len(passed) or sum(name.startswith("dalenius") for name in sys.modules))
"""


def _counted(what: str, *arguments: str) -> int:
    """Of a command. The files that have a function that it runs, but for what runs while modules are imported; or the
    modules that it loads."""
    with TemporaryDirectory() as folder:
        example = copytree(REPOSITORY / "examples" / "outbreak", Path(folder) / "outbreak")
        command = [sys.executable, "-c", _PROGRAM, what, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=example)
    return int(done.stdout.split()[-1])


def _methods(kind: type) -> int:
    """Public ones, without those of every section of a spec."""
    return len({name for name in dir(kind) if not name.startswith("_")} - set(dir(Frozen)))


def numbers() -> dict[str, int]:
    """By what is counted."""
    lines = {name: count for name, count in spent().items() if name not in ("tests", "papers")}
    files, hundreds = _files(), sum(lines.values()) / 100
    constants, comments, docstrings = _written()
    methods = {
        f"methods of {kind.__name__}": _methods(kind) for kind in (Release, Noise, Joint, Channel, Notion, Model)
    }
    pair = ("audit", str(REPOSITORY / "examples" / "pair.toml"), "--json")
    return {
        "package, lines of code": sum(lines.values()),
        "of them the core": sum(count for name, count in lines.items() if name not in FOLDERS),
        "files": len(files),
        "folders": len({path.parent for path in files}),
        "files of the largest folder": max(sum(other.parent == path.parent for other in files) for path in files),
        "wings": len(FOLDERS),
        "lines of the longest file": max(len(path.read_text(encoding="utf-8").splitlines()) for path in files),
        "the seam, lines of code": code_lines(HOUSE / "wings.py"),
        "files that an audit of a pair passes": _counted("files", *pair),
        "files that a release passes": _counted("files", "release", "outbreak.toml", "--json"),
        "modules that an audit of a pair loads": _counted("modules", *pair),
        "numeric constants of modules": constants,
        "comments per 1,000 lines": round(10 * comments / hundreds),
        "docstring lines per 1,000 lines": round(10 * docstrings / hundreds),
        **methods,
        "tests, lines of code": spent()["tests"],
        "quick cases": _quick_cases(),
        "docs for users, lines": _read(),
    }


if __name__ == "__main__":
    for what, number in numbers().items():
        print(f"{what:36} {number:>7,}")
