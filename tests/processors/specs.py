"""Every spec of the README, of docs/ and of examples/, in a folder, and what may be asked of it."""

import os
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

from tests.docs.blocks import blocks_of
from tests.docs.page import REPOSITORY

PLUGGED = "extend.md"
"""Its spec needs the package that is written there."""
PAGES = [
    REPOSITORY / "README.md",
    *sorted(page for page in (REPOSITORY / "docs").rglob("*.md") if page.name != PLUGGED),
]


def gathered(folder: Path) -> list[Path]:
    """The examples are copied there, and the files written on the pages put beside them; those that are specs."""
    shutil.copytree(REPOSITORY / "examples", folder / "examples")
    for page in PAGES:
        for block in blocks_of(page.read_text(encoding="utf-8")):
            named = re.match(r"# file: (\S+)\s*\n", block.text)
            if named and block.tag in ("toml", "csv"):
                _write(folder / page.stem / named[1], block.text[named.end() :])
    return sorted(path for path in folder.rglob("*.toml") if "model" in read(path) and _has_its_data(path))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _has_its_data(path: Path) -> bool:
    return _table(path) != "missing"


def _table(path: Path) -> str | None:
    """None where it names none or has it beside it; else the public data set of that name."""
    file = read(path).get("data", {}).get("file")
    if file is None or (path.parent / file).exists():
        return None
    known = os.environ.get("DALENIUS_DATA")
    return next((str(each) for each in sorted(Path(known).rglob(file))), "missing") if known else "missing"


MORE = (
    ("audit", "examples/pair.toml", "--how-likely", "--epsilon", "0.5"),
    ("audit", "examples/xor.toml", "--how-likely", "--tail", "tail.png"),
    ("audit", "examples/asia.toml", "--tradeoff", "curve.png"),
    ("audit", "examples/absent.toml", "--how-likely", "--tradeoff", "curve.png"),
    ("posterior", "examples/pair.toml", "--answers", "2"),
    ("posterior", "examples/outbreak/plain.toml", "--answers", "45,50,38,41"),
    ("posterior", "examples/absent.toml", "--answers", "400"),
    ("attack", "examples/pair.toml"),
    ("attack", "examples/absent.toml"),
    ("attack", "examples/asia.toml"),
    ("calibrate", "specs/promises.toml"),
    ("convert", "examples/pair.toml", "--neighbours", "replace", "--epsilon", "1"),
    ("explain", "examples/pair.toml", "--out", "page.html"),
)
"""What else may be asked, of specs where it is quick; what is written stands beside the spec."""


def more(folder: Path) -> list[list[str]]:
    """These commands, with full paths."""
    found = []
    for command, spec, *options in MORE:
        path = folder / spec
        options = [str(path.with_name(each)) if each.endswith((".png", ".html")) else each for each in options]
        found.append([command, str(path), *options, *(["--json"] if command != "explain" else [])])
    return found


def commands(path: Path) -> list[list[str]]:
    """What may be asked of a spec: its leakage, and where it promises something the noise for that."""
    spec = read(path)
    asked = ["audit"] if spec.get("noise") is not None or spec["model"]["kind"] == "moments" else []
    if "notion" in spec and spec["model"]["kind"] != "moments":
        asked += ["calibrate", "compare"]
    table = _table(path)
    return [[command, str(path), "--json", *(["--data", table] if table else [])] for command in asked]
