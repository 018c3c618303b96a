"""Imported by the process that computing ones are forked from, and by no other: what the first computation imports and
builds is there by then, once for all of them."""

from contextlib import suppress
from typing import Any, Final

from dalenius.curator import Asked, policy_from, read_ask, ready_of
from dalenius.curator.ask import Public, source_of

HOMES: Final[dict[str, Any]] = {"kind": "households", "count": 2, "infected": [0.9, 0.05, 0.05]}
POLICY: Final[dict[str, Any]] = {
    "name": "none",
    "source": {"file": "none.csv"},
    "notion": {"kind": "inferential", "epsilon": 1.0},
    "measures": [{"name": "none", "value": {"column": "none", "equals": 1}, "model": HOMES}],
    "analysts": [{"name": "nobody"}],
}


def warmed() -> None:
    """Finds the noise of a count of four people."""
    (data,) = policy_from({"data": [POLICY]}).data
    (measure,) = data.measures
    public = Public(4, {}, {}, measure.belief)
    for terms in ({"epsilon": 0.5}, {"within": 10.0}):
        ask = read_ask({"measure": "none", "query": {"kind": "count"}, **terms})
        ready_of(Asked(data, measure, source_of(data, measure), public, ask, "nobody"))


with suppress(Exception):  # it is for speed alone
    warmed()
