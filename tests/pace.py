"""What of long work the quick suite does. The slow one does all of it: nothing is left out of both.

The quick suite is what pytest runs by default, `-m 'not slow'`.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, TypeVar
from zlib import crc32

import pytest
from hypothesis import settings

QUICK = "not slow"
SHARE = 10
"""The quick suite draws one example of so many."""
FEWEST = 5

Test = TypeVar("Test", bound=Callable[..., None])


class Pace:
    """full: whether everything is done that is selected, as in the slow suite."""

    full = False


def draws(most: int) -> Callable[[Test], Test]:
    """Hypothesis draws so many examples in the slow suite, and a share of them in the quick one."""

    def drawing(test: Test) -> Test:
        if not Pace.full:
            return settings(max_examples=max(most // SHARE, min(FEWEST, most)))(test)
        slow: Test = pytest.mark.slow(settings(max_examples=most)(test))
        return slow

    return drawing


def one_in(share: int, cases: Iterable[Any]) -> list[Any]:
    """The first of every so many cases is in the quick suite, the others in the slow one."""
    return [case if place % share == 0 else slow(case) for place, case in enumerate(cases)]


def covering(cases: Iterable[tuple[str, ...]], times: int = 1) -> list[Any]:
    """In the quick suite so many cases that each entry of their tuples is there so often, where there are as many; the
    others in the slow one. Which ones is left to their names, so that a new row does not move the others."""
    listed = list(cases)
    seen: Counter[tuple[int, str]] = Counter()
    quick: set[tuple[str, ...]] = set()
    for case in sorted(listed, key=lambda case: crc32(repr(case).encode())):
        entries = list(enumerate(case))
        if any(seen[entry] < times for entry in entries):
            seen.update(entries)
            quick.add(case)
    return [case if case in quick else slow(case) for case in listed]


def slow(case: Any) -> Any:
    """A case of a parametrised test, a tuple where it has several parameters, for the slow suite."""
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
