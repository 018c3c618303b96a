"""Tables that change between two calls: what an analyst sees without paying says nothing of it, and a version that is
said to be frozen is closed when it has changed.

Sessions whose requests come again, in another order, at once, or after the table was written.

Certificates and hashes say nothing of the table's bytes to whoever could try what they might be.

What fails on the data is paid for and says one sentence, whatever it was; how long it takes is in `make bench`.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import pytest

import dalenius as dl
from dalenius.curator import Curator, Failed, Ledger, NotOpen, Recorded
from dalenius.curator.budgets import SENTENCE
from dalenius.curator.opened_table import Opened
from dalenius.curator.recorded_answers import sealed
from dalenius.errors import InputError, Refused, Unreachable
from dalenius.tables import People
from tests.curator.asking import entries, kinds
from tests.curator.live import Live, live as live, written as written
from tests.curator.policies import ask, curator, people, policy, village, with_measure
from tests.pace import slow

CHANGES: Final = (
    "UPDATE people SET ill = 1 - ill WHERE age = 31",  # somebody falls ill
    "UPDATE people SET age = age + 100 WHERE age = 31",  # of which nobody asks
    "UPDATE people SET home = CASE home WHEN 'h3' THEN 'h9' WHEN 'h9' THEN 'h3' ELSE home END",  # another name
)
"""None of them touches what is public."""
DRAWN: Final = ("released", "interval", "relative", "outcome")


def noised(scale: float) -> dl.Ask:
    return ask(noise=dl.Geometric(scale=scale))


def _quoted(session: dl.Session, asked: dl.Ask) -> Any:
    quote = session.estimate(asked)
    noise = quote.calibration and quote.calibration.noise
    return quote.free, quote.cost, quote.budget, quote.own, noise, quote.half_widths, quote.shared, quote.advised


def _told(session: dl.Session, asked: dl.Ask) -> Any:
    """All but the numbers that were drawn, what is said of them, and when."""
    done = session.ask(asked)
    certificate = {name: said for name, said in done.published.certificate.items() if name not in DRAWN}
    certificate["sentences"] = {key: said for key, said in certificate["sentences"].items() if key not in DRAWN}
    return done.entry, done.repeated, done.budget, done.own, done.since, certificate


def _seen(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (InputError, Refused) as error:
        return str(error)


def _calls(one: dl.Session, other: dl.Session) -> list[Callable[[], Any]]:
    """What two analysts may try who want to know whether anything has changed."""
    return [
        lambda: _quoted(one, noised(40.0)),
        lambda: _told(one, noised(40.0)),
        lambda: _quoted(one, noised(40.0)),
        lambda: _told(one, noised(40.0)),
        lambda: _told(one, noised(40.0)),
        lambda: _told(one, noised(41.0)),
        lambda: _quoted(other, noised(40.0)),
        lambda: _told(other, noised(40.0)),
        lambda: _quoted(one, noised(30.0)),
        lambda: _told(one, noised(30.0)),
        lambda: _told(one, ask(epsilon=0.1)),
        lambda: _quoted(one, noised(25.0)),
        lambda: _told(other, noised(2.0)),  # more than there is
        lambda: (one.budget(), other.budget()),
    ]


def _compare(table: Live, folder: Path) -> None:
    """Nothing that two analysts see of a table hangs on whether it is written to in between."""
    held, write = table
    courses = []
    for changes in ((), CHANGES):
        source = {"label": "place"} | ({} if isinstance(held, Path) else {"table": "people"})
        made = Curator(policy(source=source), folder, {"measles": held}, f"{len(changes)}.sqlite")
        course = []
        for number, call in enumerate(_calls(made.session("bob", "measles"), made.session("ana", "measles"))):
            course.append(_seen(call))
            if changes:
                write(changes[number % len(changes)])
        courses.append(course)
    assert courses[0] == courses[1]
    assert courses[0][2][0] is True  # what was answered is free


@pytest.mark.lengthy
@pytest.mark.parametrize("live", ["postgresql", slow("duckdb")], indirect=True)
def test_nobody_learns_for_nothing_whether_a_database_has_changed(live: Live, tmp_path: Path) -> None:
    _compare(live, tmp_path)


@pytest.mark.lengthy
def test_nobody_learns_for_nothing_whether_a_file_has_changed(written: Live, tmp_path: Path) -> None:
    _compare(written, tmp_path)


def test_a_frozen_version_that_changed_is_closed_to_everybody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = curator(tmp_path, frozen=True)
    done = made.session("bob", "measles").ask(noised(40.0))
    before = (tmp_path / "people.csv").read_text()
    (tmp_path / "people.csv").write_text(before.replace(",1,", ",0,", 1))
    for _ in range(2):  # then it is as it was, and nobody is to know when it was not
        for name in ("ana", "bob"):
            with pytest.raises(NotOpen):
                made.session(name, "measles").estimate(noised(30.0))
            with pytest.raises(NotOpen):
                made.session(name, "measles").ask(noised(40.0))
        (tmp_path / "people.csv").write_text(before)
    again = made.session("bob", "measles").repeated(noised(40.0))  # what the ledger has needs no table
    assert again is not None
    assert again.entry == done.entry
    wanted = "wanted the bytes it was first asked in, as it is frozen; it is closed until the policy gives it another"
    with pytest.raises(InputError, match=rf"^data 'measles' version: 1, {wanted} version$"):
        made.check()
    assert [each for each in caplog.messages if "version" in each] == [f"data 'measles' version: 1, {wanted} version"]
    assert kinds(tmp_path / "ledger.sqlite").count("closed") == 1
    assert not Curator(policy(frozen=True, version="2"), tmp_path).session("bob", "measles").ask(noised(40.0)).repeated


def test_only_what_is_frozen_is_converted_together(tmp_path: Path) -> None:
    routes = set()
    for place, frozen in enumerate((False, True)):
        folder = tmp_path / str(place)
        folder.mkdir()
        session = curator(folder, frozen=frozen).session("bob", "measles")
        for scale in (60.0, 61.0, 62.0):
            done = session.ask(noised(scale))
        routes.add((frozen, done.budget.route))
    assert routes == {(False, "group"), (True, "conversion")}


HEAD, *LINES = people().splitlines()


@pytest.mark.slow
def test_in_whatever_order_the_same_is_spent(tmp_path: Path) -> None:
    spent = set()
    for place, order in enumerate(permutations((40.0, 55.0, 80.0))):
        folder = tmp_path / str(place)
        folder.mkdir()
        session = curator(folder).session("bob", "measles")
        for scale in order:
            session.ask(noised(scale))
        spent.add(session.budget().data.spent)
    assert len(spent) == 1


@pytest.mark.parametrize("times", [1, 9])
def test_a_table_that_is_written_while_it_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Once, and what it costs is found again for those who are there now; each time, and nothing is paid."""
    ready, left = Curator.ready, list(range(times))

    def slowly(curator: Curator, opened: Opened, asked: dl.Ask, analyst: str) -> Any:
        found = ready(curator, opened, asked, analyst)
        if left:
            (tmp_path / "people.csv").write_text("\n".join([HEAD, *LINES[: -left.pop() - 1]]) + "\n")
        return found

    session = curator(tmp_path).session("bob", "measles")
    monkeypatch.setattr(Curator, "ready", slowly)
    if times == 1:
        assert session.ask(noised(40.0)).published.certificate["people"] == 19
        return
    with pytest.raises(Unreachable, match=r"^data: measles, wanted a table whose people stay the same while"):
        session.ask(noised(40.0))
    assert not (tmp_path / "ledger.sqlite").exists()


def released(folder: Path) -> Recorded:
    """From a new ledger."""
    folder.mkdir()
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    return dl.release(village(), data=folder / "people.csv", ledger=folder / "ledger", budget=1.0)


def test_what_goes_out_says_nothing_of_the_bytes(tmp_path: Path) -> None:
    published = released(tmp_path / "one").published
    certificate, said = published.certificate, json.dumps(dict(published.certificate)) + str(published.words)
    digest = sha256((tmp_path / "one" / "people.csv").read_bytes()).hexdigest()
    assert digest not in said
    (debit,) = (link.body for link in Ledger(tmp_path / "one" / "ledger").history().links if link.kind == "debit")
    assert debit["fingerprint"] == digest
    assert certificate["data"] == sealed(digest, debit["salt"])
    assert certificate["data"] == sha256(f"{debit['salt']} {digest}".encode()).hexdigest()
    assert len(bytes.fromhex(debit["salt"])) == 32
    assert debit["salt"] not in said


def test_hashes_hang_on_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same people, asked the same at the same moment, with the same noise: nobody can compute the hash."""

    class Then(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Then":
            return cls(2026, 1, 1, tzinfo=UTC)

    for module in ("ledger_storage", "recorded_answers"):
        monkeypatch.setattr(f"dalenius.curator.{module}.datetime", Then)
    monkeypatch.setattr("dalenius.noise.Geometric.draw", lambda *_: (2,))
    found = [released(tmp_path / name) for name in ("one", "two")]
    assert found[0].hash != found[1].hash
    monkeypatch.setattr("dalenius.curator.request_outcome.token_hex", lambda count: "00" * count)
    found = [released(tmp_path / name) for name in ("three", "four")]
    assert found[0].hash == found[1].hash  # without the salt nothing else would hide it


BAD = ([0], [len(LINES) - 1], list(range(len(LINES))))
AGAIN = ("time", "fingerprint", "request", "salt")


def written_of_timing(folder: Path, rows: list[int], value: str = "7") -> Curator:
    """A curator of a table in which these people's value is none that the model knows."""
    lines = list(LINES)
    for row in rows:
        home, place, _, age = lines[row].split(",")
        lines[row] = f"{home},{place},{value},{age}"
    folder.mkdir()
    (folder / "people.csv").write_text("\n".join([HEAD, *lines]) + "\n", encoding="utf-8")
    return Curator(policy(**with_measure(value="ill")), folder)


def failed(made: Curator, asked: dl.Ask) -> Failed:
    with pytest.raises(Failed) as caught:
        made.session("bob", "measles").ask(asked)
    return caught.value


def shown(folder: Path) -> list[Any]:
    """The ledger, without what is another's in any other table."""
    return [
        (kind, {key: value for key, value in body.items() if key not in AGAIN})
        for kind, body in entries(folder / "ledger.sqlite")
    ]


def test_failures_are_paid_and_alike_whatever_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[People] = []
    tally = People.tally

    def counted(table: People) -> Any:
        reads.append(table)
        return tally(table)

    monkeypatch.setattr(People, "tally", counted)
    ledgers, times = [], []
    for place, rows in enumerate(BAD):
        made = written_of_timing(tmp_path / str(place), rows)
        error = failed(made, ask(noise=dl.Geometric(scale=40.0)))
        assert str(error) == SENTENCE
        assert error.__cause__ is error.__context__ is None  # what it was is in no trace either
        times.append(len(reads))
        spent = made.session("bob", "measles").budget()
        assert failed(made, ask(noise=dl.Geometric(scale=40.0))).args == error.args
        assert made.session("bob", "measles").budget() == spent
        assert spent.data.spent > 0
        assert len(reads) == times[-1]  # the second time nothing is read
        ledgers.append(shown(tmp_path / str(place)))
    assert times == [1, 2, 3]
    assert ledgers[0] == ledgers[1] == ledgers[2]
    assert [kind for kind, _ in ledgers[0]] == ["budget", "debit", "answer"]
    assert ledgers[0][-1][1] == {"debit": 2, "failed": True}
    assert "7" not in json.dumps(ledgers[0][-1])
