"""What an attacker tries who has time: other tables behind one failure, old tokens, an older clock, kills, floods."""

import json
import os
import signal
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from hmac import compare_digest
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

import pytest

from dalenius.curator import Curator, policy_from, read_ask
from dalenius.server import Role
from dalenius.tables import People
from tests.cli import warm
from tests.curator.asking import Clock, entries
from tests.curator.policies import people, sections, with_measure
from tests.pace import slow
from tests.server.process import PATIENCE
from tests.server.served import ASK, Served, serving

HEAD, *LINES = people().splitlines()
ITS_OWN = ("x-request-id", "date")


def with_value(row: int, value: str) -> str:
    """The table in which one person's cell is that."""
    home, place, _, age = LINES[row].split(",")
    return "\n".join([HEAD, *LINES[:row], f"{home},{place},{value},{age}", *LINES[row + 1 :]]) + "\n"


@pytest.mark.lengthy
def test_a_failed_ask_is_one_whatever_cell_it_failed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status, body, headers, the ledger's entries and how often the table is read are equal, whoever's cell it is, and
    whether it is put back meanwhile."""
    reads: list[People] = []
    tally = People.tally
    monkeypatch.setattr(People, "tally", lambda table: reads.append(table) or tally(table))  # type: ignore[func-returns-value]
    seen = []
    for place, (row, value, other) in enumerate(((0, "7", "7"), (19, "7", "8"), (3, "9", "1"))):
        folder = tmp_path / str(place)
        folder.mkdir()
        given = sections(**with_measure(value="ill"))
        with serving(folder, given, with_value(row, value)) as served:
            course = []
            for epsilon in (0.1, 0.1, 0.05):
                reads.clear()
                done = served.ask({**ASK, "epsilon": epsilon})
                headers = {name: each for name, each in done.headers.items() if name not in ITS_OWN}
                course.append((done.status_code, done.content, headers, len(reads)))
                if epsilon == 0.1:  # the same again is told the same, whatever the cell is by then
                    (folder / "people.csv").write_text(with_value(row, other), encoding="utf-8")
            again = served.ask(ASK)
            course.append((again.status_code, again.content, {}, 0))
            seen.append((course[:2], course[3:], served.spent()))
    assert seen[0][0][0][0] == 502
    assert all(each[:2] == seen[0][:2] for each in seen)


def test_however_wrong_a_token_is_one_comparison_is_made(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of texts of one length, so that how long it takes says nothing of which tokens there are."""
    text, compared = served.tokens["ana@measles"], list[tuple[int, int]]()

    def counted(one: str, other: str) -> bool:
        compared.append((len(one), len(other)))
        return compare_digest(one, other)

    monkeypatch.setattr("dalenius.server.tokens.compare_digest", counted)
    _, made = served.made.make(Role.analyst, "ana", "measles")
    served.made.revoke(made.id)
    wrong = ["", "x", text[:-1], text[:-1] + "~", text[:-1] + "AB"[text[-1] == "A"]]
    wrong += ["dal_" + "0" * 12 + "_" + "A" * 43, f"dal_{made.id}_{'A' * 43}", text.upper()]
    for each in wrong:
        compared.clear()
        assert served.made.find(each) is None
        assert compared == [(64, 64)], each


def test_a_revoked_token_opens_nothing_again(served: Served) -> None:
    """Not with an older clock, not in a visit that it began, and a new one of the same analyst has no new budget."""
    assert served.ask().status_code == 200
    spent, (ana, *_) = served.spent(), [each for each in served.made.all() if each.name == "ana"]
    client, text = served.client, served.tokens["ana@measles"]
    served.made.revoke(ana.id)
    clock = Clock()
    clock.now = ana.made + 1e-3
    served.made._clock = clock  # before it was revoked
    for _ in range(3):
        assert served.ask().status_code == 401
        assert client.post("/login", data={"token": text}).status_code in (401, 403)
    clock.now = ana.made + 10
    served.tokens["ana@measles"], _ = served.made.make(Role.analyst, "ana", "measles")
    assert served.spent() == spent
    assert served.ask().json()["repeated"] is True


def test_a_clock_set_back_gives_no_budget(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import UTC, datetime, tzinfo

    class Back(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Back":
            return cls(1999, 1, 1, tzinfo=UTC)

    first = served.ask().json()
    monkeypatch.setattr("dalenius.curator.ledger_storage.datetime", Back)
    monkeypatch.setattr("dalenius.curator.recorded_answers.datetime", Back)
    spent = served.spent()
    again = served.ask().json()
    assert (again["entry"], again["repeated"], again["answers"]) == (first["entry"], True, first["answers"])
    assert served.ask({**ASK, "epsilon": 0.05}).json()["repeated"] is False
    assert served.spent() > spent
    assert served.ask({**ASK, "epsilon": 0.45}).status_code == 402
    times = [body["time"] for _, body in entries(served.folder / "ledger.sqlite")]
    assert times == sorted(times)


def answering(arguments: list[str]) -> None:
    """Two threads of a curator that answer, each ask another; what is told is printed once it is."""
    folder, number = Path(arguments[0]), int(arguments[1])
    made = Curator(policy_from(sections()), folder)

    def ask(place: int) -> None:
        session = made.session("ana", "measles")
        for step in range(1000):
            scale = round(5000 + 1000 * number + place / 4 + step / 10_000, 6)
            body = {"measure": "ill", "query": {"kind": "count"}, "noise": {"kind": "geometric", "scale": scale}}
            done = session.ask(read_ask(body))
            told = {"entry": done.entry, "answers": [str(each) for each in done.published.answers]}
            os.write(1, (json.dumps([body, told]) + "\n").encode())

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(ask, range(2)))


def asked_until_killed(folder: Path, number: int, random: Random) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What was told by a process that is killed while it answers: each ask and its answer."""
    out = folder / f"out {number}"
    process = warm.started(answering, [str(folder), str(number)], out, folder / "err")
    until = monotonic() + PATIENCE
    while monotonic() < until and process.exitcode is None and not (out.exists() and out.read_text()):
        sleep(0.01)
    sleep(random.uniform(0.0, 0.3))
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    lines = out.read_text().splitlines(keepends=True)
    return [tuple(json.loads(line)) for line in lines if line.endswith("\n")]


def check_ledger(folder: Path) -> None:
    """No answer without a debit of its own, none twice, and no more spent than there is."""
    with sqlite3.connect(folder / "ledger.sqlite") as rows:
        written = rows.execute("SELECT number, kind FROM entries ORDER BY number").fetchall()
    assert [number for number, _ in written] == list(range(1, len(written) + 1))
    debits = {
        n: body
        for (n, kind), (_, body) in zip(written, entries(folder / "ledger.sqlite"), strict=True)
        if kind == "debit"
    }
    answers = [body for kind, body in entries(folder / "ledger.sqlite") if kind == "answer"]
    assert len({each["debit"] for each in answers}) == len(answers)
    for each in answers:
        assert debits[each["debit"]]["request"] == each["request"]
    keys = [each["request"] for each in answers]
    assert len(set(keys)) == len(keys)
    spent = [body["spent"] for body in debits.values()]
    assert spent == sorted(spent)
    assert all(amount <= 10**9 for amount in spent)


@pytest.mark.parametrize("kills", [slow(20), slow(1000)])
def test_a_process_that_is_killed_while_it_answers_loses_and_doubles_nothing(kills: int, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    random, told = Random(1), []
    for number in range(kills):
        told += asked_until_killed(tmp_path, number % 50, random)
        check_ledger(tmp_path)
    assert len(told) >= kills
    with closing(Curator(policy_from(sections()), tmp_path)) as made:
        for body, first in told[-200:]:
            again = made.session("ana", "measles").ask(read_ask(body))
            found = {"entry": again.entry, "answers": [str(each) for each in again.published.answers]}
            assert again.repeated
            assert found == first


def resident() -> int:
    """Bytes of this process that are in memory."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def flood(served: Served, count: int) -> Iterator[int]:
    """Requests of many kinds, one after the other: their statuses."""
    for number in range(count):
        match number % 6:
            case 0:
                yield served.ask().status_code
            case 1:
                yield served.get("/api/v1/data/measles/budget", "ana@measles").status_code
            case 2:
                yield served.get(f"/nowhere/{number}").status_code
            case 3:
                yield served.client.get("/api/v1/data", headers={"Authorization": f"Bearer {number}"}).status_code
            case 4:
                yield served.ask({**ASK, "measure": f"none {number}"}).status_code
            case _:
                yield served.ask({**ASK, "query": {"kind": "count", "labels": [f"none {number}"]}}).status_code


@pytest.mark.parametrize("requests", [60, slow(5000)])
def test_a_flood_leaves_no_memory_behind(requests: int, tmp_path: Path) -> None:
    with serving(tmp_path, requests_per_minute=1_000_000) as served:
        served.ask()
        assert set(flood(served, min(requests, 300))) <= {200, 401, 404, 422, 429}
        before = resident()
        assert set(flood(served, requests)) <= {200, 401, 404, 422, 429}
        served.lines.truncate(0)
        assert resident() - before < 40 * 2**20
