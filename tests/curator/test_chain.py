"""Whatever is altered in a ledger is seen when it is next opened, and nothing is released from it."""

import re
from pathlib import Path

import pytest

from dalenius import InputError
from dalenius.curator import Ledger
from dalenius.curator.history import Broken, Link, linked, verified
from tests.curator.asking import asked, changed, released

ALTERED = {
    "a smaller debit": ("UPDATE entries SET body = replace(body, '500000000', '100000000') WHERE number = 3", 3),
    "a larger budget": ("UPDATE entries SET body = replace(body, '9000000000', '99000000000') WHERE number = 1", 1),
    "another answer": ("UPDATE entries SET body = replace(body, '[[7,1]]', '[[8,1]]') WHERE number = 4", 4),
    "a debit for an answer": ("UPDATE entries SET kind = 'answer' WHERE number = 3", 3),
    "a hash": ("UPDATE entries SET hash = upper(hash) WHERE number = 6", 6),
    "a debit that is gone": ("DELETE FROM entries WHERE number = 3", 3),
    "the first that is gone": ("DELETE FROM entries WHERE number = 1", 1),
    "gone without a gap": ("UPDATE entries SET number = number - 10 WHERE number > 3", 1),
    "an entry that was put in": ("INSERT INTO entries VALUES (7, 'budget', '{\"data\":\"x\",\"initial\":9}', 'ff')", 7),
}


def test_what_is_altered_is_seen(tmp_path: Path) -> None:
    for case, (statement, number) in ALTERED.items():
        path = tmp_path / case
        for spec in ("{}", "[]"):
            released(path, asked(spec=spec))
        assert Ledger(path).earlier(asked()) is not None
        changed(path, statement)
        line = f"ledger: {path}, wanted a SQLite file that can be written (entry {number} is not as it was written)"
        for use in (lambda: released(path, asked(spec="[1]")), lambda: Ledger(path).earlier(asked())):  # noqa: B023
            with pytest.raises(InputError, match=f"^{re.escape(line)}$"):
                use()  # type: ignore[no-untyped-call]


def test_two_that_change_places_are_seen() -> None:
    first = linked(None, "budget", {"a": 1})
    second = linked(first, "budget", {"a": 2})
    third = linked(second, "budget", {"a": 3})
    assert verified([first, second, third]) == (first, second, third)
    moved = [first, Link(2, third.kind, third.text, third.hash), Link(3, second.kind, second.text, second.hash)]
    with pytest.raises(Broken, match="entry 2"):
        verified(moved)


def test_a_ledger_whose_pages_are_gone_is_no_new_one(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, asked())
    whole = path.read_bytes()
    for page in range(1, len(whole) // 4096):
        path.write_bytes(whole[: page * 4096] + bytes(4096) + whole[(page + 1) * 4096 :])
        with pytest.raises(InputError, match="ledger: "):
            released(path, asked(spec="[]"))
