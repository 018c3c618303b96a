"""What users get: the wheel has every file of the package, and the sdist all that the tests of it need."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = "import sys, hatchling.build as made; print(getattr(made, sys.argv[1])(sys.argv[2]))"


def built(what: str, folder: Path) -> Path:
    done = subprocess.run(
        [sys.executable, "-c", BUILD, what, str(folder)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return folder / done.stdout.split()[-1]


def tracked(*places: str) -> set[str]:
    """What is in the repository; of a copy without one all files that are there."""
    if not (ROOT / ".git").exists():
        found = (path for place in places for path in (ROOT / place).rglob("*") if path.is_file())
        return {str(path.relative_to(ROOT)) for path in found if path.suffix != ".pyc"}
    done = subprocess.run(["git", "ls-files", *places], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


@pytest.mark.slow
def test_the_wheel_has_the_package(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    with zipfile.ZipFile(built("build_wheel", tmp_path)) as wheel:
        names = set(wheel.namelist())
        (metadata,) = (wheel.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
    wanted = {name.removeprefix("src/") for name in tracked("src/dalenius")}
    wanted |= {f"dalenius/{name}" for name in tracked("examples")}
    for some in ("server/web/templates/ask.html", "server/web/style.css", "server/web/icon.svg", "py.typed"):
        assert f"dalenius/{some}" in wanted
    assert wanted - names == set()
    others = {name for name in names - wanted if not name.endswith(".pyc")}
    assert all(".dist-info/" in name for name in others), others
    assert any(name.endswith("licenses/LICENSE") for name in others)
    for said in ("Author: ", "License-Expression: Apache-2.0", "Keywords: ", "Requires-Python: >=3.11"):
        assert f"\n{said}" in metadata
    assert "Description-Content-Type: text/markdown" in metadata
    assert "    pip install dalenius " in metadata
    assert "    make " not in metadata  # whoever installed it has no checkout
    assert "Every model, query and noise" in metadata
    assert re.findall(r"\]\((?![a-z]+:)[^)]+\)", metadata) == []  # on a package index these would lead nowhere


@pytest.mark.slow
def test_the_sdist_has_what_its_tests_need(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    with tarfile.open(built("build_sdist", tmp_path)) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert tracked("src", "tests", "docs", "examples", "benchmarks", "papers") - names == set()
    assert {"pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "Makefile", "constraints.txt"} <= names
