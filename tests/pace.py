"""What of long work the quick suite does. The slow one does all of it, but a share of what is done very many times: of
random examples, repetitions, and cases of one test; `make explore` does these too.

The quick suite is what pytest runs by default, `-m 'not slow'`.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar
from zlib import crc32

import pytest
from hypothesis import settings

QUICK = "not slow"
SHARE = 20
"""The quick suite draws one example of so many."""
SAME_SHARE = 4
"""The slow suite draws one of so many, always the same; `make explore` all, and new ones."""
MANY_CASES = 24
"""Slow cases of one test, above which the slow suite has a share of them."""
SAME = not os.environ.get("EXPLORE")
FEWEST = 5
FEW = 3
"""The fewest random examples in the slow suite, and in the quick one."""

LONGEST = (
    "tests/processors/test_processors.py::test_every_spec_of_the_docs_and_examples",
    "tests/conformance/test_random.py::test_tilting",
    "tests/conformance/test_long_extremes.py::test_thousands_of_nearly_absorbing_records",
    "tests/calibration/test_soundness.py::test_what_is_called_sound_is_a_thousand_times",
    "tests/composition/test_identifiable.py::test_the_exact_accountant_keeps_the_promise_and_refuses_nothing",
    "tests/conformance/test_random.py::test_exact_engines",
    "tests/calibration/test_promises.py::test_no_promise_is_ever_broken",
    "tests/docs/test_docs.py::test_page_does_what_it_says",
    "tests/curator/test_answers.py::test_hundreds_of_requests_of_eight_processes",
)
"""What takes a minute or more, or may, by the beginnings of names: it is begun first."""

Test = TypeVar("Test", bound=Callable[..., None])


class Named(Protocol):
    @property
    def nodeid(self) -> str: ...


Item = TypeVar("Item", bound=Named)


class Pace:
    """full: whether everything is done that is selected, as in the slow suite."""

    full = False


def draws(most: int) -> Callable[[Test], Test]:
    """Hypothesis draws so many examples in the slow suite, and a share of them in the quick one."""

    def drawing(test: Test) -> Test:
        if not Pace.full:
            return settings(max_examples=max(most // SHARE, min(FEW, most)))(test)
        slow: Test = pytest.mark.slow(settings(max_examples=max(many(most), min(FEWEST, most)))(test))
        return slow

    return drawing


def many(most: int) -> int:
    """So many repetitions of a slow test: a share, but where new examples are looked for."""
    return most // SAME_SHARE if SAME else most


def shared(items: Sequence[Item], is_slow: Callable[[Item], bool]) -> tuple[list[Item], list[Item]]:
    """What the slow suite runs of these tests and what it leaves out: of very many slow cases of one test it has those
    whose names fall to it, the same each time, and the first."""
    tests = [item.nodeid.partition("[")[0] for item in items]
    slow_ones = Counter(test for test, item in zip(tests, items, strict=True) if is_slow(item))
    kept: list[Item] = []
    left: list[Item] = []
    seen: set[str] = set()
    for test, item in zip(tests, items, strict=True):
        own = slow_ones[test] <= MANY_CASES or not is_slow(item) or test not in seen
        (kept if own or crc32(item.nodeid.encode()) % SAME_SHARE == 0 else left).append(item)
        seen |= {test} if is_slow(item) else set()
    return kept, left


def one_in(share: int, cases: Iterable[Any]) -> list[Any]:
    """The first of every so many cases is in the quick suite, the others in the slow one."""
    return [case if place % share == 0 else slow(case) for place, case in enumerate(cases)]


def covering(cases: Iterable[tuple[str, ...]], times: int = 1) -> list[Any]:
    """In the quick suite so many cases that each entry of their tuples is there so often, where there are as many; the
    others in the slow one. Those that show most at once are taken first. Which ones is otherwise left to their names,
    so that a new row moves few of the others."""
    listed = list(cases)
    seen: Counter[tuple[int, str]] = Counter()
    quick: set[tuple[str, ...]] = set()
    by_name = sorted(listed, key=lambda case: crc32(repr(case).encode()))
    for wanted in range(max(map(len, listed), default=0), 0, -1):
        for case in by_name:
            entries = list(enumerate(case))
            if case not in quick and sum(seen[entry] < times for entry in entries) >= wanted:
                seen.update(entries)
                quick.add(case)
    return [case if case in quick else slow(case) for case in listed]


def slow(case: Any) -> Any:
    """A case of a parametrised test, a tuple where it has several parameters, for the slow suite."""
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)


def longest_first(items: Sequence[Item], workers: int) -> list[Item]:
    """So that no worker is left alone with a long test at the end. Each is given a stretch of the list to begin with,
    and what is left of it is moved later (xdist's worksteal): every stretch begins with a share of the long ones."""
    ranks = {item.nodeid: _rank(item.nodeid) for item in items}
    first = sorted((item for item in items if ranks[item.nodeid] < len(LONGEST)), key=lambda item: ranks[item.nodeid])
    rest = [item for item in items if ranks[item.nodeid] == len(LONGEST)]
    found: list[Item] = []
    for worker in range(workers):
        stretch = (len(items) - len(found)) // (workers - worker)
        own = first[worker::workers]
        left, rest = rest[: max(stretch - len(own), 0)], rest[max(stretch - len(own), 0) :]
        found += [*own, *left]
    return [*found, *rest]


def _rank(name: str) -> int:
    return next((place for place, begins in enumerate(LONGEST) if name.startswith(begins)), len(LONGEST))
