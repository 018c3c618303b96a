"""What is refused, with which status and which words; and that nothing was paid for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.served import ASK, Served, serving


def test_what_cannot_be_asked_costs_nothing(served: Served) -> None:
    laplace = {"kind": "laplace", "scale": 0.01}
    for change, status, message in (
        ({"measure": "age"}, 422, "measure: age, wanted one of ill"),
        ({"query": {"kind": "median"}}, 403, "query.kind: median, wanted a kind that may be asked about 'ill'"),
        ({"query": {"kind": "count", "secret": 1}}, 422, "ask.query.secret: 1, wanted one of the keys of ask.query"),
        ({"epsilon": "much"}, 422, "ask.epsilon: much, wanted a number"),
        ({"within": 3}, 422, "wanted exactly one of epsilon, within, and noise with its scale"),
        ({"epsilon": 5e-324}, 422, "ask.epsilon: 5e-324, wanted a number of nats from 1e-06 to 1000"),
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
    for key in ("", "a b", "x" * 201, "é"):
        named = {b"Authorization": served.headers("ana@measles")["Authorization"].encode()}
        named[b"Idempotency-Key"] = key.encode()
        done = served.client.post("/api/v1/data/measles/ask", json=ASK, headers=named)
        assert (done.status_code, done.json()["error"]["key"]) == (422, "Idempotency-Key")
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


def test_a_key_is_of_one_request(served: Served) -> None:
    first = served.ask(Idempotency_Key="monday-1")
    assert first.status_code == 200
    spent = served.spent()
    again = served.ask(Idempotency_Key="monday-1")
    assert (again.json()["repeated"], again.json()["answers"]) == (True, first.json()["answers"])
    other = served.ask({**ASK, "epsilon": 0.2}, Idempotency_Key="monday-1")
    assert other.status_code == 409
    assert "wanted a key of its own" in other.json()["error"]["message"]
    assert served.spent() == spent
    assert served.ask({**ASK, "epsilon": 0.2}, "bob@measles", Idempotency_Key="monday-1").status_code == 200


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
    with serving(tmp_path, requests_per_minute=3) as served:
        found = [served.get("/api/v1/data", "ana@measles") for _ in range(4)]
        assert [each.status_code for each in found] == [200, 200, 200, 429]
        assert 15 <= int(found[3].headers["retry-after"]) <= 20
        assert served.get("/api/v1/data", "bob@measles").status_code == 200


def test_whoever_guesses_tokens_is_slowed_and_nobody_else(tmp_path: Path) -> None:
    with serving(tmp_path, requests_per_minute=3) as served:
        wrong = {"Authorization": f"Bearer dal_{'0' * 12}_{'A' * 43}"}
        found = [served.client.get("/api/v1/data", headers=wrong) for _ in range(4)]
        assert [each.status_code for each in found] == [401, 401, 401, 429]
        assert int(found[3].headers["retry-after"]) > 0
        assert served.get("/api/v1/data", "ana@measles").status_code == 200


def test_a_ledger_that_cannot_be_read(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        (tmp_path / "ledger.sqlite").write_bytes(b"no ledger, and secret 17")
        for done in (served.ask(), served.get("/api/v1/data/measles/budget", "ana@measles")):
            assert done.status_code == 503
            assert "cannot be reached now" in done.json()["error"]["message"]
            assert str(tmp_path) not in done.text
            assert "retry-after" in done.headers
        assert served.get("/api/v1/ledger/verify", "otto").status_code == 503


def test_a_table_that_is_not_what_the_policy_says(tmp_path: Path) -> None:
    """What is wrong with it may be a secret: it is said to nobody who asks."""
    with serving(tmp_path) as served:
        (tmp_path / "people.csv").write_text("home,place,ill,age\nh1,x,17,3\nh2,y,,3\n")
        done = served.ask()
        assert done.status_code == 503
        assert set(done.json()["error"]) == {"message"}
        assert "17" not in done.text
        (tmp_path / "people.csv").unlink()
        assert (served.ask().status_code, "people.csv" in served.ask().text) == (503, False)
        assert not (tmp_path / "ledger.sqlite").exists()


def test_tokens_that_cannot_be_read(served: Served) -> None:
    served.made.path.chmod(0o644)
    done = served.get("/api/v1/data", "ana@measles")
    assert done.status_code == 503
    assert "tokens.sqlite" not in done.text


def test_what_fails_on_the_data_is_paid_for_and_says_nothing(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    from dalenius.curator.opened import Opened

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
    assert 'dalenius_debits_total{outcome="failed"}' in served.get("/metrics", "olga").text
