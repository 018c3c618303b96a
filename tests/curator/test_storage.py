"""Where a ledger's entries lie: read as they come, when several write at once, and where nothing can be written."""

import os
import resource
import shutil
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from dalenius import InputError
from dalenius.curator import Budget, Ledger, Overspent
from dalenius.curator.hash_chained_entries import Link
from dalenius.curator.ledger_database import LedgerRows
from tests.cli import warm
from tests.curator.asking import COST, asked, costing, drawn, entries, released
from tests.postgres import PASSWORD, Postgres


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of a new ledger."""
    return str(tmp_path / "ledger") if request.param == "sqlite" else str(request.getfixturevalue("database"))


def ask(ledger: Ledger, spec: str, **terms: Any) -> Fraction | str:
    return ledger.release(asked(spec=spec, budget=50.0, **terms), COST, drawn(spec)).published.answers[0]


def test_one_that_stays_open_sees_what_others_write(address: str) -> None:
    one, other = Ledger(address), Ledger(address)
    assert one.history().last is None
    assert ask(one, "1") == "1"
    assert other.budget("people") == Budget(50.0, 0.5)
    assert ask(other, "2") == "2"
    assert one.budget("people") == other.budget("people") == Budget(50.0, 2.0)
    assert one.release(asked(spec="2"), COST, drawn("again")).published.answers == ("2",)
    found = [link.kind for link in one.verified().links]
    assert found == ["budget", "fingerprint", *["debit", "answer"] * 2]


def test_only_new_entries_are_read_and_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, read, after = Ledger(tmp_path / "ledger"), [], LedgerRows.after

    def counted(rows: LedgerRows, number: int | None) -> list[Link]:
        found = list(after(rows, number))
        read.append(len(found))
        return found

    for number in range(10):
        ask(ledger, str(number))
    monkeypatch.setattr(LedgerRows, "after", counted)
    ask(ledger, "new")
    ledger.budget("people")
    assert read == [1, 1, 1]  # the last one known, each time
    ledger.verified()
    assert read[3:] == [24]


@pytest.mark.parametrize("how", ["older", "gone", "another"])
def test_a_ledger_put_back_is_seen(how: str, tmp_path: Path) -> None:
    path, copy = tmp_path / "ledger", tmp_path / "copy"
    ledger = Ledger(path)
    ask(ledger, "1")
    shutil.copy(path, copy)
    ask(ledger, "2")
    match how:
        case "older":
            os.replace(copy, path)
        case "gone":
            path.unlink()
        case "another":  # longer than the first
            ask(Ledger(copy), "3")
            ask(Ledger(copy), "4")
            os.replace(copy, path)
    for see in (lambda: ask(ledger, "3"), lambda: ledger.budget("people"), ledger.verified):
        with pytest.raises(InputError, match="entry 6, which was there before, is gone or another one"):
            see()
    assert path.exists() == (how != "gone")


def test_one_of_several_that_is_refused_takes_nobody_along(tmp_path: Path) -> None:
    ledger, start = Ledger(tmp_path / "ledger"), Barrier(6)

    def each(who: int) -> bool:
        start.wait()
        try:
            ledger.release(asked(spec=str(who), budget=3.5), COST, drawn("a"))
        except Exception:
            return False
        return True

    with ThreadPoolExecutor(6) as threads:
        assert sum(threads.map(each, range(6))) == 3
    assert Ledger(tmp_path / "ledger").budget("people") == Budget(3.5, 3.0)


def limited(arguments: list[str]) -> None:
    """In a process of its own, a release where nothing more can be written: no file may grow, or all is read only."""
    path, how = Path(arguments[0]), arguments[1]
    if how == "full":
        size = path.stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    elif os.geteuid() == 0:
        os.setresuid(65534, 65534, 65534)
    try:
        Ledger(path).release(asked(spec="x" * 9000, budget=50.0), COST, lambda: print("drawn"))  # type: ignore[arg-type,return-value]
    except InputError as error:
        print(error)


@pytest.mark.parametrize(("how", "reason"), [("full", "full|I/O error"), ("readonly", "readonly database")])
def test_where_nothing_can_be_written_nothing_is_drawn(how: str, reason: str, tmp_path: Path) -> None:
    folder = tmp_path / "books"
    folder.mkdir()
    path = folder / "ledger"
    ask(Ledger(path), "1")
    if how == "readonly":
        for each in (tmp_path, *tmp_path.parents):
            if os.geteuid() == 0 and each.is_relative_to("/tmp/pytest-of-root"):
                each.chmod(0o755)
        for each in folder.iterdir():
            each.chmod(0o444)
        folder.chmod(0o555)
    before, out, err = entries(path), tmp_path / "out", tmp_path / "err"
    assert warm.ended(warm.started(limited, [str(path), how], out, err)) == 0, err.read_text(encoding="utf-8")
    said = out.read_text(encoding="utf-8")
    folder.chmod(0o755)
    path.chmod(0o644)
    assert "drawn" not in said
    assert said.startswith(f"ledger: {path}, wanted a SQLite file that can be written (")
    assert any(each in said for each in reason.split("|"))
    assert entries(path) == before
    assert ask(Ledger(path), "2") == "2"


def test_copies_keep_their_hashes(address: str, tmp_path: Path) -> None:
    path = tmp_path / "first"
    released(path, asked("one", budget=30.0))
    first = Ledger(path)
    new, back = Ledger(address), Ledger(tmp_path / "back")
    assert first.copy(new) == new.copy(back) == len(first.history().links)
    assert first.history().links == new.history().links == back.history().links
    assert ask(new, "2", fingerprint="one") == "2"
    for full in (new, back):
        with pytest.raises(InputError, match="wanted a new ledger: this one has entries"):
            first.copy(full)


def test_an_address_that_is_none() -> None:
    for bad in ("mysql://ana:geheim@host/books", "sqlite://ana:geheim@host/x", "postgresql://ana:geheim@host:port/x"):
        with pytest.raises(InputError) as refused:
            Ledger(bad)
        wanted = "a path, sqlite:///FILE or postgresql://HOST/DATABASE"
        assert str(refused.value).startswith(f"ledger: {bad.partition(':')[0]}://…, wanted {wanted}")


def test_postgresql_keeps_what_it_is_given(postgres: Postgres, database: str) -> None:
    answers = (Fraction(1, 3), Fraction(-(10**30)), "none \0 \u2028 ü")
    done = Ledger(database).release(asked(analyst="Zoë", cap=1.0), COST, drawn(*answers))
    again = Ledger(database).earlier(asked(analyst="Zoë", cap=1.0))
    assert again is not None
    assert again.published.answers == done.published.answers == answers
    with postgres.connected(database.rpartition("/")[2]) as connection:
        connection.execute("UPDATE dalenius_ledger SET body = replace(body, '500000000', '100000000') WHERE number = 3")
    with pytest.raises(InputError, match="entry 3 is not as it was written") as refused:
        Ledger(database).history()
    assert PASSWORD not in str(refused.value)


SPENT = 2.0**-28
"""A little less than four nano-nats, which it counts as."""


def many(arguments: list[str]) -> None:
    """So many releases of one analyst; prints how many were allowed."""
    address, analyst, count = arguments
    ledger, cost, allowed = Ledger(address), costing(SPENT, SPENT), 0
    for number in range(int(count)):
        request = asked(spec=f"{analyst} {number}", analyst=analyst, cap=1803e-9, budget=12_003e-9)
        try:
            ledger.release(request, cost, drawn(Fraction(number)))
            allowed += 1
        except Overspent as refused:
            if not refused.remaining < 4e-9 < refused.requested + 1e-10:
                raise
    print(allowed)


def check_many(address: str, folder: Path, processes: int, count: int) -> None:
    files = [(folder / f"out{each}", folder / f"err{each}") for each in range(processes)]
    running = [warm.started(many, [address, f"a{each}", str(count)], *own) for each, own in enumerate(files)]
    for process, (_, err) in zip(running, files, strict=True):
        assert warm.ended(process) == 0, err.read_text(encoding="utf-8")
    allowed = [int(out.read_text(encoding="utf-8")) for out, _ in files]
    history = Ledger(address).history()
    assert sum(allowed) == min(3000, processes * min(count, 450))
    assert max(allowed) <= 450
    debits = [link.body for link in history.debited("people")]
    assert [body["group_loss"] for body in debits] == [4] * sum(allowed)
    assert [body["spent"] for body in debits] == [4 * (place + 1) for place in range(len(debits))]
    assert debits[-1]["spent"] <= 12_003
    assert history.given("people").initial == 12_003e-9
    for each, mine in enumerate(allowed):
        own = [body["own"]["spent"] for body in debits if body["analyst"] == f"a{each}"]
        assert own == [4 * (place + 1) for place in range(mine)]
        assert own[-1] <= 1803
    assert all(link.number in history.drawn for link in history.debited("people"))


def test_several_processes_at_once(address: str, tmp_path: Path) -> None:
    check_many(address, tmp_path, 3, 6)


@pytest.mark.slow
def test_many_that_come_first_at_once_make_one_table(postgres: Postgres) -> None:
    """What a connection has looked up it may remember beyond a lock: each looks again in a transaction of its own."""
    database = postgres.new()
    for _ in range(15):
        ledgers, barrier = [Ledger(database) for _ in range(6)], Barrier(6)
        for ledger in ledgers:
            ledger.history()  # there is no table yet

        def begin(ledger: Ledger, barrier: Barrier = barrier) -> None:
            barrier.wait()
            ledger.release(asked(spec=str(id(ledger))), COST, drawn("x"))

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(begin, ledgers))
        assert len(Ledger(database).history().debited("people")) == 6
        for ledger in ledgers:
            ledger.close()
        with postgres.connected(Path(database).name) as connection:
            connection.execute("DROP TABLE dalenius_ledger")
