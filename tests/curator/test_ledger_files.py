"""Which file is a ledger: one with one name, of its user alone, and no older one than was there."""

import json
import os
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from dalenius import InputError
from dalenius.curator import Ledger
from dalenius.curator.hash_chained_entries import Link, next_link
from tests.cli.command import Run, complaint, dalenius
from tests.curator.asking import COST, asked, changed, drawn, kinds, released

EMPTY: Final = "a ledger (this file of {} bytes is none): put back the ledger that was there, or"
GONE: Final = "the ledger that it was: entry 5 had hash"


def two_answers(path: Path) -> list[Any]:
    return [released(path, asked(spec=spec)) for spec in ("[1]", "[2]")]


def head_of(path: Path) -> Path:
    return path.with_name(path.name + ".head")


def test_a_ledger_with_two_names_is_refused_under_both(tmp_path: Path) -> None:
    """SQLite would undo after a crash what was paid for under the other name."""
    path, other = tmp_path / "ledger", tmp_path / "other"
    two_answers(path)
    os.link(path, other)
    before = path.read_bytes()
    for each in (path, other):
        for use in (lambda: released(each, asked()), Ledger(each).history):  # noqa: B023
            with pytest.raises(InputError, match=r"a file with one name; it has 2 \(hard links\)"):
                use()
    assert path.read_bytes() == before
    other.unlink()
    other.symlink_to(path)
    assert released(other, asked()).entry == released(path, asked()).entry


def test_a_file_that_is_too_short_is_no_new_ledger(tmp_path: Path) -> None:
    for size in (0, 1, 99):
        path = tmp_path / f"ledger{size}"
        two_answers(path)
        os.truncate(path, size)
        for use in (lambda: released(path, asked()), Ledger(path).history, Ledger(path).accept):  # noqa: B023
            with pytest.raises(InputError) as refused:
                use()
            assert str(refused.value).startswith(f"ledger: {path}, wanted {EMPTY.format(size)}")
        assert path.stat().st_size == size


@pytest.mark.parametrize("slip", ["emptied", "older", "another"])
def test_a_ledger_that_is_not_the_one_that_was_there_waits_for_its_owner(slip: str, tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, asked(spec="[1]"))
    shutil.copy(path, tmp_path / "older")
    released(path, asked(spec="[2]"))
    two_answers(tmp_path / "another")
    path.unlink()
    if slip != "emptied":
        shutil.copy(tmp_path / slip, path)
    there = path.read_bytes() if path.exists() else None
    for use in (lambda: released(path, asked()), Ledger(path).history, lambda: Ledger(path).budget("people")):
        with pytest.raises(InputError) as refused:
            use()
        assert str(refused.value).startswith(f"ledger: {path}, wanted {GONE}")
        assert str(refused.value).endswith(f"dalenius ledger accept {path}")
    assert there == (path.read_bytes() if path.exists() else None)
    done = dalenius("ledger", "accept", path)
    assert done.code == 0, done.err
    assert f"now: {'no' if there is None else len(kinds(path))} entries" in done.out
    assert released(path, asked(spec="[3]")).published.answers


def test_what_is_beside_a_ledger_is_never_ahead_and_hardly_behind(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    for number in range(4):
        released(path, asked(spec=str(number)))
        debit = 3 + 2 * number
        link = Ledger(path).history().links[debit - 1]
        assert link.kind == "debit"
        assert json.loads(head_of(path).read_text(encoding="ascii")) == {"entries": debit, "hash": link.hash}


def test_what_is_beside_a_ledger_may_be_spoilt(tmp_path: Path) -> None:
    for number, bad in enumerate(("", "[]", '{"entries": "3", "hash": "x"}', "\0", "[" * 900)):
        path = tmp_path / f"{number}" / "ledger"
        path.parent.mkdir()
        two_answers(path)
        head_of(path).write_text(bad, encoding="utf-8")
        with pytest.raises(InputError, match=r"\(ledger.head beside it is not of this ledger: dalenius ledger accept"):
            Ledger(path).history()
        Ledger(path).accept()
        assert released(path, asked()).entry == 8


def test_a_ledger_moved_with_or_without_what_is_beside_it_goes_on(tmp_path: Path) -> None:
    path, alone, both = tmp_path / "ledger", tmp_path / "alone", tmp_path / "both"
    two_answers(path)
    shutil.copy(path, alone)
    shutil.copy(path, both)
    shutil.copy(head_of(path), head_of(both))
    for each in (alone, both):
        assert released(each, asked()).entry == 8


def test_a_new_ledger_and_what_is_beside_it_are_of_its_user_alone(tmp_path: Path) -> None:
    path, before = tmp_path / "ledger", os.umask(0o022)
    try:
        two_answers(path)
    finally:
        os.umask(before)
    assert {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == {
        "ledger": 0o600,
        "ledger.head": 0o600,
    }


def test_whatever_is_put_into_a_ledger_gives_one_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    for statement in (
        "UPDATE entries SET body = cast(body AS blob)",
        "UPDATE entries SET kind = 7",
        "UPDATE entries SET body = NULL WHERE number = 2",
        "UPDATE entries SET number = 'two' WHERE number = 2",
    ):
        path.unlink(missing_ok=True)
        head_of(path).unlink(missing_ok=True)
        two_answers(path)
        # SQLite keeps what is put in; the ledger's own columns are declared, a stranger's need not be.
        changed(path, "CREATE TABLE loose AS SELECT * FROM entries", "DROP TABLE entries")
        changed(path, "ALTER TABLE loose RENAME TO entries", statement)
        complaint(run("ledger", "verify", path))


def written(path: Path, links: list[Link]) -> None:
    """Whoever rewrites a ledger can make a whole chain of it."""
    with sqlite3.connect(path) as file:
        file.execute("DELETE FROM entries")
        rows = [(each.number, each.kind, each.text, each.hash) for each in links]
        file.executemany("INSERT INTO entries VALUES (?, ?, ?, ?)", rows)
    file.close()


def test_bits_that_flip_give_one_line_or_nothing(tmp_path: Path) -> None:
    path, random = tmp_path / "ledger", Random(1)
    two_answers(path)
    whole, links = path.read_bytes(), Ledger(path).history().links
    for _ in range(50):
        place, bit = random.randrange(len(whole)), 1 << random.randrange(8)
        path.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
        with suppress(InputError):
            assert Ledger(path).history().links == links
    for page in range(4096, len(whole), 4096):  # a page that is gone, and none is begun
        path.write_bytes(whole[:page] + bytes(4096) + whole[page + 4096 :])
        with pytest.raises(InputError, match="ledger: "):
            released(path, asked())


def test_an_amount_that_is_none_is_refused(tmp_path: Path) -> None:
    """In a chain whose hashes fit: a debit of less than nothing would give budget back."""
    path = tmp_path / "ledger"
    two_answers(path)
    links = Ledger(path).history().links
    for bad in (-1, 0.5, "0", True):
        rewritten: list[Link] = []
        for link in links:
            body = {**link.body, "group_loss": bad} if link.kind == "debit" else link.body
            rewritten.append(next_link(rewritten[-1] if rewritten else None, link.kind, body))
        head_of(path).unlink(missing_ok=True)
        written(path, rewritten)
        with pytest.raises(InputError, match="entry 3 is none that a ledger has"):
            Ledger(path).history()


def test_an_entry_says_what_the_clock_said_where_that_is_earlier(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    ledger = Ledger(path)
    ledger.release(asked(spec="[1]"), COST, drawn("a"))
    last = Ledger(path).history().links[-1]
    late = {**last.body, "time": "2109-01-01T00:00:00.000000Z"}
    written(path, [*Ledger(path).history().links[:-1], next_link(Ledger(path).history().links[-2], "answer", late)])
    released(path, asked(spec="[2]"))
    first, *_, newest = Ledger(path).history().links
    assert "clock" not in first.body
    assert newest.body["time"] == "2109-01-01T00:00:00.000000Z"
    assert first.body["time"] <= newest.body["clock"] < "2100"
