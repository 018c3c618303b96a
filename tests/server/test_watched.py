"""Health and the log of a service.

What is in the log, and what is in no log.
"""

import io
import json
import logging
from errno import EMFILE, ENOSPC
from pathlib import Path

import pytest

from dalenius.server.log import LibraryLog, Log
from tests.server.served import ASK, Served, serving


@pytest.mark.parametrize("broken", ["ledger", "tables"])
def test_health_says_what_does_not_answer_and_no_more(tmp_path: Path, broken: str) -> None:
    with serving(tmp_path) as served:
        if broken == "ledger":
            (tmp_path / "ledger.sqlite").write_bytes(b"no ledger, and secret 17")
        else:
            (tmp_path / "people.csv").unlink()
        done = served.get("/health")
        assert done.status_code == 503
        assert done.json() == {"status": "failing", "ledger": True, "tables": True, broken: False}
        why, _ = served.log
        key = {"ledger": "ledger", "tables": "data.file"}[broken]
        assert (why["part"], why["error"], why["key"]) == (broken, "InputError", key)
        assert "secret" not in served.lines.getvalue()


def test_health_opens_a_table_again_that_does_not_answer(served: Served) -> None:
    served.ask()
    opened = served.curator.opened(served.curator.policy.data[0], served.curator.policy.data[0].measures[0])
    opened.close()  # as if the connection had gone
    assert served.get("/health").json() == {"status": "ok", "ledger": True, "tables": True}
    assert served.curator.opened(opened.data, opened.measure) is not opened


def test_health_looks_once_in_a_while(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setattr(type(served.curator), "look", lambda _: looks.append(1))
    for _ in range(20):
        served.get("/health")
    assert len(looks) == 1


def test_the_log_has_a_line_for_each_request(served: Served) -> None:
    done = served.get("/api/v1/data/measles/budget", "ana@measles", params={"secret": "17"})
    served.get("/nowhere/secret")
    first, second = served.log
    assert {key: first[key] for key in ("role", "method", "path", "status")} == {
        "role": "analyst",
        "method": "GET",
        "path": "/api/v1/data/{name}/budget",
        "status": 200,
    }
    assert first["id"] == done.headers["x-request-id"]
    assert set(first) == {"time", "id", "role", "token_id", "method", "path", "status", "seconds"}
    assert (second["path"], second["status"], "role" in second) == ("other", 404, False)
    assert "secret" not in served.lines.getvalue()


def test_no_secret_is_in_the_log(
    served: Served, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of requests of every kind: no token or part of one, no body, answer, query string or trace."""
    secret = "xyzzy-17"
    done = served.ask({**ASK, "epsilon": 0.0625}).json()
    served.ask({**ASK, "measure": secret})
    served.ask({**ASK, secret: 1}, X_Any=secret)
    served.post(f"/api/v1/data/{secret}/ask", ASK, "ana@measles")
    served.client.get(f"/api/v1/data/{served.tokens['olga']}", headers=served.headers("olga"))
    served.client.get("/api/v1/data", headers={"Authorization": f"Bearer {served.tokens['olga']}x"})
    served.client.get(f"/api/v1/data?token={served.tokens['olga']}")
    served.client.post("/api/v1/data/measles/ask", content=f'{{"{secret}', headers=served.headers("ana@measles"))
    said = served.lines.getvalue() + caplog.text + "".join(capfd.readouterr())
    for text in served.tokens.values():
        assert text not in said
        assert text[-43:] not in said
    for word in (secret, "0.0625", done["hash"], "Traceback", '"answers"'):
        assert word not in said


def test_an_error_that_nobody_expected_has_a_number_and_no_words(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError("secret 17")

    monkeypatch.setattr(type(served.curator), "session", breaks)
    done = served.get("/api/v1/data/measles/budget", "ana@measles")
    assert done.status_code == 500
    assert done.json() == {"error": {"message": "failed", "id": done.headers["x-request-id"]}}
    where, line = served.log
    assert (where["id"], where["error"]) == (line["id"], "ZeroDivisionError")
    assert where["at"].startswith(__name__)
    assert "secret" not in served.lines.getvalue() + caplog.text + "".join(capfd.readouterr())


def test_a_log_that_is_gone_stops_nothing() -> None:
    stream = io.StringIO()
    log = Log(stream)
    stream.close()
    log.write(id="a")


def test_a_second_has_one_line_of_each_cause_and_the_next_says_how_many_there_were() -> None:
    stream, now = io.StringIO(), [0.0]
    lines = LibraryLog(Log(stream), lambda: now[0])

    def said(errno: int) -> None:
        try:
            raise OSError(errno, "secret 17")
        except OSError as error:
            info = (OSError, error, error.__traceback__)
        lines.emit(logging.LogRecord("asyncio", logging.ERROR, "", 0, "accept failed: secret 17", (), info))

    for _ in range(1000):
        said(EMFILE)
    said(ENOSPC)
    now[0] = 1.0
    said(EMFILE)
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(line["reason"], line.get("left_out")) for line in found] == [
        ("Too many open files", None),
        ("No space left on device", None),
        ("Too many open files", 999),
    ]
    assert found[0]["error"] == "OSError"
    assert found[0]["at"].startswith(f"{__name__}:")
    assert "secret" not in stream.getvalue()


def test_the_log_says_in_our_words_what_failed_although_it_was_paid_for() -> None:
    stream = io.StringIO()
    lines = LibraryLog(Log(stream))
    said = "data measles: entry 4 failed, and is paid for: data.value, InputError at dalenius.tables.tally:12"
    for name in ("dalenius", "sqlalchemy"):
        lines.emit(logging.LogRecord(name, logging.ERROR, "", 0, said, (), None))
    assert [json.loads(line)["message"] for line in stream.getvalue().splitlines()] == [said, "a warning"]
