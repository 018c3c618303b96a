"""What is begun first, and that it is there; which cases are quick."""

from collections import Counter
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from tests.pace import LONGEST, MANY_CASES, SAME_SHARE, covering, longest_first, shared

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Item:
    nodeid: str


def test_what_is_long_is_there() -> None:
    for begins in LONGEST:
        path, name = begins.split("::")
        assert f"def {name}(" in (REPOSITORY / path).read_text(encoding="utf-8"), begins


def test_every_stretch_begins_with_its_share() -> None:
    items = [Item(f"tests/a.py::{k}") for k in range(40)] + [Item(f"{name}[1]") for name in reversed(LONGEST)]
    for workers in (1, 2, 3):
        found = longest_first(items, workers)
        assert sorted(item.nodeid for item in found) == sorted(item.nodeid for item in items)
        assert [item for item in found if item.nodeid.startswith("tests/a")] == items[:40]
        begins = [len(found) * worker // workers for worker in range(workers)]
        assert [found[place].nodeid for place in begins] == [f"{name}[1]" for name in LONGEST[:workers]]


def test_every_entry_is_quick_so_often_and_few_cases_are() -> None:
    times = 2
    cases = [(model, query) for model, query in product("abcdefghij", "tuvwxyz") if (model, query) != ("a", "z")]
    found = covering(cases, times)
    quick = [each for each in found if each in cases]
    assert [each if each in quick else each.values for each in found] == cases
    seen = Counter((place, entry) for case in quick for place, entry in enumerate(case))
    assert all(seen[place, entry] >= times for case in cases for place, entry in enumerate(case))
    assert len(quick) <= 10 * times + 2


def test_ci_has_a_share_of_very_many_slow_cases() -> None:
    """All quick ones, all of a test that has few, and of any test the first."""
    slow = {*(f"tests/a.py::t[{k}]" for k in range(400)), *(f"tests/a.py::few[{k}]" for k in range(MANY_CASES))}
    items = [Item(name) for name in [*sorted(slow), *(f"tests/a.py::quick[{k}]" for k in range(400))]]
    kept, left = shared(items, lambda item: item.nodeid in slow)
    assert Counter([*kept, *left]) == Counter(items)
    assert kept == [item for item in items if item in kept]
    assert all(item.nodeid.startswith("tests/a.py::t[") for item in left)
    assert kept[MANY_CASES].nodeid == min(name for name in slow if "::t[" in name)
    assert 400 * (1 - 1 / SAME_SHARE) - 40 < len(left) < 400 * (1 - 1 / SAME_SHARE) + 40
