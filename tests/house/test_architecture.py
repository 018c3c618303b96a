"""ARCHITECTURE.md says what is there."""

import re
from collections.abc import Mapping

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


def test_the_map_has_every_room_above_the_core() -> None:
    """The contract of layers is exhaustive; the maps name the rooms above the spec, and the core's table the rest."""
    (contract,) = (each for each in SETTINGS["tool"]["importlinter"]["contracts"] if each.get("exhaustive"))
    layers = [set(re.findall(r"\w+", layer)) for layer in contract["layers"]]
    core = next(place for place, layer in enumerate(layers) if "spec" in layer)
    above = set[str]().union(*layers[:core])
    assert above - {"__main__", "cli"} == FOLDERS
    folders = {path.parent.name for path in HOUSE.glob("*/__init__.py")}
    named = set(re.findall(r"`(\w+)`", _section("## The core, from below")))
    assert folders - FOLDERS - {"cli"} <= named


@pytest.mark.parametrize("kind", PLACES)
def test_what_the_seam_names_is_there(kind: str) -> None:
    for place in PLACES[kind].values():
        assert callable(wings.found(place))


def test_the_map_of_wings_is_true() -> None:
    assert len(MAPPED) == len(FOLDERS) > 10
    assert not [each.entry for each in MAPPED if not (HOUSE / each.entry).exists()]


def test_the_page_is_short_and_its_files_are_there() -> None:
    """In words: lines would reward long lines."""
    page = PAGE.read_text(encoding="utf-8")
    assert len(page.split()) <= 2100
    assert len(_section("## Where a new thing goes").splitlines()) <= 50
    named = re.findall(r"`([\w/]+\.py)`", page)
    assert len(named) > 20
    assert not [name for name in named if not any((root / name).exists() for root in (HOUSE, REPOSITORY))]


def _section(head: str) -> str:
    page = PAGE.read_text(encoding="utf-8")
    return page.split(head)[1].split("\n## ")[0]
