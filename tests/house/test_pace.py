"""What is begun first, and that it is there."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.pace import LONGEST, longest_first

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Item:
    nodeid: str


@pytest.mark.parametrize("begins", LONGEST)
def test_what_is_long_is_there(begins: str) -> None:
    path, name = begins.split("::")
    assert f"def {name}(" in (REPOSITORY / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("short", [0, 1, 40])
def test_every_stretch_begins_with_its_share(workers: int, short: int) -> None:
    items = [Item(f"tests/a.py::{k}") for k in range(short)] + [Item(f"{name}[1]") for name in reversed(LONGEST)]
    found = longest_first(items, workers)
    assert sorted(item.nodeid for item in found) == sorted(item.nodeid for item in items)
    assert [item for item in found if item.nodeid.startswith("tests/a")] == items[:short]
    if short < len(LONGEST):
        return
    begins = [len(found) * worker // workers for worker in range(workers)]
    assert [found[place].nodeid for place in begins] == [f"{name}[1]" for name in LONGEST[:workers]]
