"""How much of long work the tests do that pytest runs by default, `-m 'not slow'`: a share of the random examples, and
of the cases of big products each entry once; `make explore` draws all examples, and the slow suite has the other cases.
`make test` also leaves out what is marked `lengthy`, and takes three cases of each test; `.ci/run` has all of them."""

import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

QUICK = ("not slow", "not slow and not lengthy")
"""The marks of the tests that pytest, `.ci/run` and `make test` run."""
EXPLORE = os.environ.get("EXPLORE", "")
"""A number, by which the order of tests is drawn: `make explore` looks for new examples."""
SHARE = 20
FEW = 3
"""The quick suite draws one random example of so many, and so many at least."""
CASES = 3
"""`make test` takes so many cases of a parametrised test."""


class Pace:
    """full: whether everything is done that is selected, as in the slow suite."""

    full = False


def draws(most: int) -> settings:
    """Hypothesis draws so many examples when it explores, and a share of them otherwise."""
    return settings(max_examples=most if EXPLORE else max(most // SHARE, min(FEW, most)))


def many(most: int) -> int:
    """So many repetitions of a slow test when exploring, and a quarter of them otherwise."""
    return most if EXPLORE else most // 4


def one_in(share: int, cases: Iterable[Any]) -> list[Any]:
    """The first of every so many cases is in the quick suite, the others in the slow one."""
    return [case if place % share == 0 else slow(case) for place, case in enumerate(cases)]


def covering(cases: Iterable[tuple[str, ...]], times: int = 1) -> list[Any]:
    """In the quick suite so many cases that each entry of their tuples is there so often, where there are as many; the
    others in the slow one. Those that show most at once are taken first."""
    listed = list(cases)
    seen: Counter[tuple[int, str]] = Counter()
    quick: set[tuple[str, ...]] = set()
    for wanted in range(max(map(len, listed), default=0), 0, -1):
        for case in listed:
            entries = list(enumerate(case))
            if case not in quick and sum(seen[entry] < times for entry in entries) >= wanted:
                seen.update(entries)
                quick.add(case)
    return [case if case in quick else slow(case) for case in listed]


def few_of_each(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Three quick cases of each parametrised test, the first, and others spread evenly; all where there are no more."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not any(item.get_closest_marker(name) for name in ("slow", "lengthy")):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return [own[place] for own in cases.values() for place in sorted({k * len(own) // CASES for k in range(CASES)})]


def slow(case: Any) -> Any:
    """A case of a parametrised test, a tuple where it has several parameters, for the slow suite."""
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
