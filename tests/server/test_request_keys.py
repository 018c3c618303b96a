"""An ask under a key is answered once and paid for once, whatever happens to the table between."""

import json
import sqlite3
from pathlib import Path

import pytest

from dalenius.curator import Curator, Lost, Policy, RequestKey, policy_from
from dalenius.curator.ledger import Ledger
from dalenius.errors import InputError
from tests.curator.asking import COST, asked, drawn, kinds
from tests.curator.policies import ask, people, sections, with_measure
from tests.server.served import ASK, serving

ROOM = {"notion": {"kind": "inferential", "epsilon": 9.0}, "analysts": [{"name": "ana"}, {"name": "bob"}]}
SERVED = {**sections(**with_measure(queries=None), **ROOM), "service": {"requests_per_minute": 10_000}}
WITHIN = {"measure": "ill", "query": {"kind": "mean"}, "within": 0.5}


def moved(folder: Path) -> None:
    """A household of six moves in, by which the noise for a distance is found anew."""
    (folder / "people.csv").write_text(people() + "".join(f"new,x,0,{place}\n" for place in range(6)), encoding="utf-8")


def test_people_who_move_in_between_change_no_answer_under_a_key(tmp_path: Path) -> None:
    with serving(tmp_path, SERVED) as served:
        first = served.ask(WITHIN, Idempotency_Key="october-1")
        moved(tmp_path)
        again = served.ask(WITHIN, Idempotency_Key="october-1")
        assert (first.status_code, again.status_code) == (200, 200)
        assert (again.json()["hash"], again.json()["repeated"]) == (first.json()["hash"], True)
        assert kinds(tmp_path / "ledger.sqlite").count("debit") == 1


def test_a_key_of_another_ask_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert served.ask(Idempotency_Key="k").status_code == 200
        refused = served.ask({**ASK, "epsilon": 0.2}, Idempotency_Key="k")
        assert refused.status_code == 422
        wanted = "a key of its own for each question: this one was sent with another ask"
        assert refused.json()["error"]["message"] == f"key: given, wanted {wanted}"
        # Because each analyst has keys of their own, Bob's is another one.
        assert served.ask({**ASK, "epsilon": 0.2}, who="bob@measles", Idempotency_Key="k").status_code == 200


@pytest.mark.parametrize("key", ["", "a b", "x" * 201, "\x7f"])
def test_what_is_no_key_is_refused(tmp_path: Path, key: str) -> None:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    session = Curator(policy_from(sections()), tmp_path).session("ana", "measles")
    with pytest.raises(InputError, match=r"wanted 1 to 200 visible characters of ASCII \(limit curator.longest_key"):
        session.ask(ask(), key)


def test_two_keys_in_one_request_are_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        headers = [("idempotency-key", "a"), ("idempotency-key", "b"), *served.headers("ana@measles").items()]
        found = served.client.post("/api/v1/data/measles/ask", json=ASK, headers=headers)
        assert (found.status_code, found.json()["error"]["key"]) == (422, "key")


def test_a_shared_answer_is_told_again_under_its_key(tmp_path: Path) -> None:
    with serving(tmp_path, SERVED) as served:
        first = served.ask(WITHIN, who="bob@measles").json()
        told = served.ask(WITHIN, Idempotency_Key="k").json()
        moved(tmp_path)
        again = served.ask(WITHIN, Idempotency_Key="k").json()
        assert told["hash"] == again["hash"] == first["hash"]
    assert kinds(tmp_path / "ledger.sqlite").count("shared") == 1


def test_a_new_version_of_the_table_changes_no_answer_under_a_key(tmp_path: Path) -> None:
    def policy(version: str) -> Policy:
        return policy_from(sections(version=version, **ROOM))

    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    first = Curator(policy("1"), tmp_path).session("ana", "measles").ask(ask(), "k")
    session = Curator(policy("2"), tmp_path).session("ana", "measles")
    assert session.ask(ask(), "k").hash == first.hash
    assert session.ask(ask()).hash != first.hash


def test_an_answer_that_was_lost_is_not_paid_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process was killed between the debit and the draw."""
    monkeypatch.setattr("dalenius.curator.ledger.OTHERS_MAY_TAKE", 0.05)
    path = tmp_path / "ledger.sqlite"
    request = asked(analyst="ana", version="1", sent=RequestKey("sent", "asked"))
    Ledger(path).release(request, COST, drawn("a"))
    with sqlite3.connect(path) as opened:
        opened.execute("DELETE FROM entries WHERE kind = 'answer'")
    for head in tmp_path.glob("ledger.sqlite*head*"):
        head.unlink()
    with pytest.raises(Lost, match="this key has paid for one, and it was lost"):
        Ledger(path).release(request, COST, drawn("b"))
    assert kinds(path).count("debit") == 1
    Ledger(path).release(asked(analyst="ana", version="1", sent=RequestKey("other", "asked")), COST, drawn("b"))
    assert kinds(path).count("debit") == 2


def test_the_ledger_holds_no_text_of_a_key(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.ask(Idempotency_Key="my-secret-project")
    with sqlite3.connect(tmp_path / "ledger.sqlite") as opened:
        rows = [row for row in opened.execute("SELECT * FROM entries") if "debit" in row]
    assert rows
    assert not any("my-secret-project" in json.dumps(row) for row in rows)
