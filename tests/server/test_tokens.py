"""A token opens what it is of, until it ends; its text is nowhere on the disk.

What is refused, with which status and which words; and that nothing was paid for it.
"""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from dalenius.errors import InputError
from dalenius.server import Role, Tokens, tokens_path
from dalenius.server.limits import LONGEST_TOKEN
from tests.curator.asking import Clock
from tests.server.served import ASK, Served, serving


@pytest.fixture
def clock() -> Clock:
    found = Clock()
    found.now = 1_000_000.0
    return found


@pytest.fixture
def tokens(tmp_path: Path, clock: Clock) -> Tokens:
    return Tokens(tokens_path(tmp_path / "policy.toml"), clock)


def test_what_was_made_is_found(tokens: Tokens) -> None:
    text, made = tokens.make(Role.analyst, "ana", "measles")
    assert tokens.find(text) == made == tokens.again(made.id)
    assert (made.role, made.name, made.data, made.revoked) == (Role.analyst, "ana", "measles", None)
    assert tokens.path.name == "policy.tokens.sqlite"
    assert (made.reaches("measles"), made.reaches("mumps")) == (True, False)
    assert Tokens(tokens.path, lambda: made.made).find(text) == made  # another process


def test_the_file_has_no_text_of_a_token_and_is_of_its_owner_alone(tokens: Tokens) -> None:
    before = os.umask(0)
    try:
        text, made = tokens.make(Role.owner, "olga", "*")
    finally:
        os.umask(before)
    secret = text.removeprefix(f"dal_{made.id}_")
    assert len(secret) == 43
    assert secret.encode() not in tokens.path.read_bytes()
    assert tokens.path.stat().st_mode & 0o777 == 0o600
    tokens.path.chmod(0o604)
    with pytest.raises(InputError, match=r"^tokens: .*policy\.tokens\.sqlite, wanted a file that nobody else may read"):
        tokens.find(text)


def test_it_ends_when_it_is_revoked(tokens: Tokens, clock: Clock) -> None:
    text, made = tokens.make(Role.owner, "olga", "*")
    other, _ = tokens.make(Role.owner, "otto", "*")
    clock.now += 5
    assert Tokens(tokens.path, clock).revoke(made.id).revoked == clock.now  # another process
    assert tokens.find(text) is None
    assert tokens.again(made.id) is None
    assert tokens.find(other) is not None
    assert [token.revoked for token in tokens.all()] == [clock.now, None]
    clock.now += 5
    assert tokens.revoke(made.id).revoked == clock.now - 5


def test_it_ends_at_its_term_and_is_of_no_time_before_it_was_made(tokens: Tokens, clock: Clock) -> None:
    text, made = tokens.make(Role.owner, "olga", "*", days=1)
    clock.now += 86400 - 1
    assert tokens.find(text) == made
    clock.now += 1
    assert tokens.find(text) is None
    assert tokens.again(made.id) is None
    clock.now -= 86401
    assert tokens.find(text) is None


def test_nobody_is_let_in_where_the_file_is_gone(tokens: Tokens) -> None:
    text, _ = tokens.make(Role.owner, "olga", "*")
    tokens.path.unlink()
    assert tokens.find(text) is None
    assert not tokens.path.exists()


def test_nothing_like_a_token_is_one(tokens: Tokens) -> None:
    text, made = tokens.make(Role.owner, "olga", "*")
    other, _ = tokens.make(Role.owner, "otto", "*")
    swapped = f"dal_{made.id}_{other[-43:]}"
    last = text[:-1] + ("A" if text[-1] != "A" else "B")
    odd = ["", "dal_", made.id, text[4:], text.upper(), f"{text}\n", f" {text}", text + "A", swapped, last, "\udcff"]
    assert [tokens.find(each) for each in odd] == [None] * len(odd)


def test_bad_terms_are_named(tokens: Tokens, tmp_path: Path) -> None:
    for role, name, data, days, message in (
        (Role.owner, "a\nb", "*", 1, "name: a b, wanted a name of printable characters"),
        (Role.owner, "olga", " x", 1, "data: x, wanted a name of printable characters"),
        (Role.owner, "olga", "*", LONGEST_TOKEN + 1, "days: 3651, wanted a number above 0"),
        (Role.owner, "olga", "*", float("nan"), "days: nan, wanted a number above 0"),
        (Role.analyst, "ana", "*", 1, "data: *, wanted the name of one data set"),
    ):
        with pytest.raises(InputError) as refused:
            tokens.make(role, name, data, days)
        assert str(refused.value).startswith(message)
    assert not tokens.path.exists()
    with pytest.raises(InputError, match=r"wanted a file that can be written \(No such file"):
        Tokens(tmp_path / "none" / "t.sqlite").make(Role.owner, "olga", "*")
    tokens.path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 200)
    tokens.path.chmod(0o600)
    with pytest.raises(InputError, match=r"wanted a file of tokens"):
        tokens.all()


def test_a_role_that_there_is_not_opens_nothing(tokens: Tokens) -> None:
    text, made = tokens.make(Role.auditor, "otto", "*")
    with sqlite3.connect(tokens.path) as file:
        file.execute("UPDATE tokens SET role = 'root'")
    file.close()
    for look, given in ((tokens.find, text), (tokens.again, made.id)):
        with pytest.raises(InputError, match=r"^tokens: root, wanted one of analyst, owner, auditor"):
            look(given)


def test_what_cannot_be_asked_costs_nothing(served: Served) -> None:
    laplace = {"kind": "laplace", "scale": 0.01}
    for change, status, message in (
        ({"measure": "age"}, 422, "measure: age, wanted one of ill"),
        ({"query": {"kind": "median"}}, 403, "query.kind: median, wanted a kind that may be asked about 'ill'"),
        ({"query": {"kind": "count", "secret": 1}}, 422, "ask.query.secret: 1, wanted one of the keys of ask.query"),
        ({"epsilon": "much"}, 422, "ask.epsilon: much, wanted a number"),
        ({"within": 3}, 422, "wanted exactly one of epsilon, within, and noise with its scale"),
        ({"epsilon": 5e-324}, 422, "ask.epsilon: 5e-324, wanted a number of at least 1e-06"),
        ({"noise": laplace, "epsilon": None}, 403, "leaks"),
    ):
        for path in ("estimate", "ask"):
            done = served.post(f"/api/v1/data/measles/{path}", {**ASK, **change}, "ana@measles")
            assert (done.status_code, message in done.json()["error"]["message"]) == (status, True), done.text
            assert "\n" not in done.json()["error"]["message"]
    for content, kind, status, wanted in (
        (b'{"epsilon": NaN}', "application/json; charset=utf-8", 400, "finite numbers"),
        (b"measure=ill", "application/x-www-form-urlencoded", 415, None),
        (b"{}", "", 415, None),
    ):
        headers = served.headers("ana@measles") | ({"Content-Type": kind} if kind else {})
        done = served.client.post("/api/v1/data/measles/ask", content=content, headers=headers)
        assert (done.status_code, done.json()["error"].get("wanted")) == (status, wanted)
    assert served.spent() == 0


def test_what_would_be_overspent(served: Served) -> None:
    first = served.ask({**ASK, "epsilon": 0.4})
    assert first.status_code == 200
    spent = served.spent()
    for path in ("estimate", "ask"):
        done = served.post(f"/api/v1/data/measles/{path}", {**ASK, "epsilon": 0.9}, "ana@measles")
        error = done.json()["error"]
        assert done.status_code == 402, error
        assert set(error) == {"message", "requested", "remaining", "difference", "whose"}
        assert error["requested"] - error["remaining"] == pytest.approx(error["difference"])
        assert error["difference"] > 0
    assert served.spent() == spent


def test_a_body_that_is_too_large(tmp_path: Path) -> None:
    with serving(tmp_path, body_bytes=1000) as served:
        path, headers = "/api/v1/data/measles/ask", served.headers("ana@measles")
        big = served.client.post(path, json={**ASK, "measure": "x" * 1000}, headers=headers)

        def pieces() -> Iterator[bytes]:
            for _ in range(1000):
                sent.append(1)
                yield b'{"measure": "' + b"x" * 100

        sent: list[int] = []
        kind = {"Content-Type": "application/json"}
        streamed = served.client.post(path, content=pieces(), headers={**headers, **kind})
        lied = served.client.post(path, content=b"x" * 1001, headers={**headers, **kind, "Content-Length": "3"})
        for done in (big, streamed, lied):
            assert done.status_code == 413
            assert done.json()["error"]["message"] == "the body is too large: at most 1000 bytes are wanted"
        assert served.spent() == 0


def test_too_many_requests(tmp_path: Path) -> None:
    """And whoever guesses tokens is slowed, and nobody else."""
    with serving(tmp_path, requests_per_minute=3) as served:
        guessed = {"Authorization": f"Bearer dal_{'0' * 12}_{'A' * 43}"}
        for headers, usual in ((served.headers("ana@measles"), 200), (guessed, 401)):
            found = [served.client.get("/api/v1/data", headers=headers) for _ in range(4)]
            assert [each.status_code for each in found] == [usual] * 3 + [429]
            assert 15 <= int(found[3].headers["retry-after"]) <= 20
        assert served.get("/api/v1/data", "bob@measles").status_code == 200


def test_a_ledger_that_cannot_be_read(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        (tmp_path / "ledger.sqlite").write_bytes(b"no ledger, and secret 17")
        for done in (served.ask(), served.get("/api/v1/data/measles/budget", "ana@measles")):
            assert done.status_code == 503
            assert "cannot be reached now" in done.json()["error"]["message"]
            assert str(tmp_path) not in done.text
            assert "retry-after" in done.headers
        assert served.get("/api/v1/ledger", "otto").status_code == 503
        why = [line for line in served.log if "error" in line]
        assert [(line["error"], line["key"]) for line in why] == [("InputError", "ledger")] * 3
        assert "secret" not in served.lines.getvalue()


def test_a_table_that_is_not_what_the_policy_says(tmp_path: Path) -> None:
    """What is wrong with it may be a secret: it is said to nobody who asks."""
    with serving(tmp_path) as served:
        (tmp_path / "people.csv").write_text("home,place,ill,age\nh1,x,17,3\nh2,y,,3\n")
        done = served.ask()
        assert done.status_code == 503
        assert set(done.json()["error"]) == {"message"}
        assert "17" not in done.text
        why, line = served.log
        assert (why["id"], why["error"], why["key"]) == (line["id"], "InputError", "data.value")
        assert why["at"].startswith("dalenius.tables.")
        assert '"17"' not in served.lines.getvalue()
        (tmp_path / "people.csv").unlink()
        assert (served.ask().status_code, "people.csv" in served.ask().text) == (503, False)
        assert not (tmp_path / "ledger.sqlite").exists()


def test_tokens_that_cannot_be_read(served: Served) -> None:
    served.made.path.chmod(0o644)
    done = served.get("/api/v1/data", "ana@measles")
    assert done.status_code == 503
    assert "tokens.sqlite" not in done.text


def test_what_fails_on_the_data_is_paid_for_and_says_nothing(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    from dalenius.curator.opened_table import Opened

    words = iter(["secret 17", "secret 18", "secret 19"])

    def breaks(*_: object) -> None:
        raise ValueError(next(words))

    with monkeypatch.context() as patched:
        patched.setattr(Opened, "answer", breaks)
        first, other = served.ask(), served.ask({**ASK, "epsilon": 0.2})
    assert (first.status_code, other.status_code) == (502, 502)
    assert first.json() == other.json()
    assert "secret" not in first.text + served.lines.getvalue()
    spent = served.spent()
    assert spent > 0.2
    assert served.ask().json() == first.json()  # the same again fails again, free
    assert served.spent() == spent
    failures = served.get("/api/v1/data/measles/history", "olga").json()["releases"]
    assert [(each["failed"], each["release"]) for each in failures] == [(True, None)] * 2
