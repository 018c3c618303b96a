"""Cases of a test with several parameters, and tables of what is refused in which words."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from dalenius.errors import InputError

Refusals = Iterable[tuple[Callable[[], object], str]]
"""What is done, and the one line that refuses it; where there is an ellipsis, how it begins and what it says after."""


def in_turn(parameters: Mapping[str, Iterable[Any]]) -> pytest.MarkDecorator:
    """As many cases as the longest list has entries; the shorter ones begin again.

    For rules that each parameter may break by itself. Where it is the pairs that matter, stack `parametrize`.
    parameters: by name, or by several names with commas in between, whose entries are tuples then.
    """
    lists = {names: list(values) for names, values in parameters.items()}
    names = [name.strip() for each in lists for name in each.split(",")]
    rows = []
    for place in range(max(map(len, lists.values()))):
        row: list[Any] = []
        for each, values in lists.items():
            value = values[place % len(values)]
            row += value if "," in each else [value]
        rows.append(tuple(row) if len(names) > 1 else row[0])
    return pytest.mark.parametrize(names, rows)


def check_refused(rows: Refusals, kind: type[Exception] = InputError) -> None:
    """Each is refused in one line that says so, by an error that is of this kind too."""
    wrong = []
    for ask, wanted in rows:
        with pytest.raises(InputError) as caught:
            ask()
        said, (begins, more, goes_on) = str(caught.value), wanted.partition("…")
        as_wanted = said.startswith(begins) and goes_on in said if more else said == wanted
        if not as_wanted or "\n" in said or not isinstance(caught.value, kind):
            wrong.append((said, wanted))
    assert not wrong, wrong
