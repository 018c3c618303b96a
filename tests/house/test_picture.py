"""The picture of the house shows the floors there are."""

import importlib.util
from types import ModuleType

import pytest

from tests.docs.page import REPOSITORY


@pytest.fixture
def script() -> ModuleType:
    found = importlib.util.spec_from_file_location("house", REPOSITORY / "docs/figures/house.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_picture_is_what_the_script_draws(script: ModuleType) -> None:
    assert script.PICTURE.read_text(encoding="utf-8") == script.svg(), "python docs/figures/house.py draws it again"


def test_every_room_has_its_place(script: ModuleType) -> None:
    """A room without a floor, or without its words, is found here."""
    house = REPOSITORY / "src/dalenius"
    rooms = {path.stem for path in house.iterdir() if path.is_dir() or path.suffix == ".py"} - {
        "__init__",
        "__main__",
        "__pycache__",
    }
    shown = [name for names in script.floors() for name in names]
    assert sorted(shown) == sorted(rooms)
    assert set(script.ROLES) == rooms
