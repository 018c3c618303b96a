"""ARCHITECTURE.md says what is there, and the core imports no wing."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from dalenius import wings
from tests.docs.page import REPOSITORY
from tests.house.code_lines import SETTINGS
from tests.house.wings_map import PAGE, wings as mapped

HOUSE = REPOSITORY / "src" / "dalenius"
MAPPED = mapped(PAGE.read_text(encoding="utf-8"))
FOLDERS = {each.folder for each in MAPPED}
PLACES: Mapping[str, Mapping[str, str]] = {
    **wings.ROOMS,
    "method": wings.METHODS,
    "world": wings.WORLDS,
    "part": wings.PARTS,
    "command": {name: each.place for name, each in wings.COMMANDS.items()},
}


def imported(path: Path) -> Iterator[str]:
    """What a file imports of the package, as written: the rooms, without the package's own name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").startswith("dalenius"):
            for each in node.names:
                yield f"{node.module}.{each.name}".removeprefix("dalenius.")
        elif isinstance(node, ast.Import):
            yield from (each.name.removeprefix("dalenius.") for each in node.names if each.name.startswith("dalenius."))


def test_the_core_imports_no_wing() -> None:
    """Not even for its types. The commands' file of names is the only one that knows both."""
    found = {
        (str(path.relative_to(HOUSE)), name)
        for path in HOUSE.rglob("*.py")
        if path.relative_to(HOUSE).parts[0] not in FOLDERS
        for name in imported(path)
        if name.split(".")[0] in FOLDERS
    }
    assert not found


def test_the_contracts_know_every_wing() -> None:
    """A wing that no contract names could import any other, and be imported by the core."""
    contracts = SETTINGS["tool"]["importlinter"]["contracts"]
    named = [each["forbidden_modules"] for each in contracts if each["name"].startswith("The core imports no wing")]
    named += [each["modules"] for each in contracts if each["name"].startswith("Wings import each other only")]
    assert [{name.removeprefix("dalenius.") for name in each} for each in named] == [FOLDERS, FOLDERS]


def test_every_folder_is_the_core_s_or_a_wing_s() -> None:
    core = set(re.findall(r"`(\w+)`", _section("## The core, from below")))
    folders = {path.parent.name for path in HOUSE.glob("*/__init__.py")}
    assert folders - FOLDERS <= core | {"tallies", "drawing"}
    assert folders >= FOLDERS


@pytest.mark.parametrize("kind", PLACES)
def test_what_the_seam_names_is_there(kind: str) -> None:
    for place in PLACES[kind].values():
        assert callable(wings.found(place))


def test_the_map_of_wings_is_true() -> None:
    assert len(MAPPED) == len(FOLDERS) > 10
    assert not [each.entry for each in MAPPED if not (HOUSE / each.entry).exists()]


def test_the_page_is_short_and_its_files_are_there() -> None:
    """But for a row of the map for each wing, that any wing may add."""
    page = PAGE.read_text(encoding="utf-8")
    assert len(page.splitlines()) - len(MAPPED) <= 140
    named = re.findall(r"`([\w/]+\.py)`", page)
    assert len(named) > 20
    assert not [name for name in named if not any((root / name).exists() for root in (HOUSE, REPOSITORY))]


def _section(head: str) -> str:
    page = PAGE.read_text(encoding="utf-8")
    return page.split(head)[1].split("\n## ")[0]
