"""Whoever has no token, not this one, or one of something else; whoever sends what nobody expects."""

import json
from random import Random
from typing import Any, Final

import pytest

from dalenius.server import Role
from tests.curator.asking import kinds
from tests.pace import slow
from tests.server.served import ASK, Served

SQL: Final = (
    "' OR '1'='1",
    "x'; DROP TABLE entries; --",
    '"; SELECT pg_sleep(9)',
    "measles'/*",
    "%27%20OR%201=1",
    "\\'); --",
)
EXPECTED: Final = {200, 400, 402, 403, 404, 413, 415, 422}


def test_tokens_that_are_none(standing: Served) -> None:
    text = standing.tokens["ana@measles"]
    wrong = ["", "x", text[:-1], text + "x", text.swapcase(), "dal_" + "0" * 12 + "_" + "A" * 43, f"{text} {text}", "ü"]
    given = [f"Bearer {each}" for each in wrong] + [text, f"Basic {text}", f"Bearer\t{text}", "Bearer", ""]
    for header in given:
        done = standing.client.get("/api/v1/data", headers={b"Authorization": header.encode()})
        assert done.status_code == 401, header
        assert done.headers["www-authenticate"].startswith("Bearer")
        assert done.json() == standing.get("/api/v1/data").json()
    two = [("Authorization", f"Bearer {standing.tokens[who]}") for who in ("ana@measles", "olga")]
    assert standing.client.get("/api/v1/data", headers=two).status_code == 401
    assert standing.client.get("/api/v1/data", params={"token": text, "access_token": text}).status_code == 401
    cookies = {"Cookie": f"token={text}; session={text}; dalenius={text}"}
    assert standing.client.get("/api/v1/data", headers=cookies).status_code == 401


def test_revoked_and_expired_tokens_end_at_once(served: Served) -> None:
    made = {token.id: token for token in served.made.all()}
    (ana,) = (token for token in made.values() if token.name == "ana")
    assert served.get("/api/v1/data", "ana@measles").status_code == 200
    served.made.revoke(ana.id)
    assert served.get("/api/v1/data", "ana@measles").status_code == 401
    assert served.ask().status_code == 401
    served.tokens["late"], _ = served.made.make(Role.analyst, "ana", "measles", days=1e-9)
    assert served.get("/api/v1/data", "late").status_code == 401


def test_an_analyst_whom_the_policy_does_not_name(served: Served) -> None:
    """A token of a time when it did."""
    served.tokens["carl"], _ = served.made.make(Role.analyst, "carl", "measles")
    for path in ("/budget", "/history", ""):
        assert served.get(f"/api/v1/data/measles{path}", "carl").status_code == 403
    assert served.ask(who="carl").status_code == 403


def test_answers_of_others_are_not_shown(served: Served) -> None:
    done = served.ask(who="bob@measles").json()
    path = f"/api/v1/data/measles/releases/{done['entry']}"
    assert served.get(path, "bob@measles").status_code == 200
    assert served.get(path, "ana@measles").status_code == 404
    assert served.get("/api/v1/data/measles/history", "ana@measles").json()["releases"] == []


def test_sql_is_text(served: Served) -> None:
    for sql in SQL:
        for field in ({"measure": sql}, {"query": {"kind": "count", "labels": [sql]}}, {sql: 1}, {"epsilon": sql}):
            assert served.ask({**ASK, **field}).status_code in EXPECTED - {200, 404}
        for path in (f"/api/v1/data/{sql}", f"/api/v1/data/measles/releases/{sql}"):
            assert served.get(path, "ana@measles").status_code in (404, 422)
    assert served.spent() == 0
    assert served.ask(Idempotency_Key="".join(SQL[1].split())).status_code == 409
    assert not (served.folder / "ledger.sqlite").exists()


@pytest.mark.parametrize("bodies", [200, slow(2000)])
def test_whatever_is_sent(served: Served, bodies: int) -> None:
    """Never an error of ours, never a trace; only what was answered is paid for."""
    draws, answered = Random(bodies), set()
    for _ in range(bodies):
        content = fuzzed(draws)
        kind = draws.choice(["application/json"] * 9 + ["text/plain"])
        headers = {**served.headers("ana@measles"), "Content-Type": kind}
        done = served.client.post("/api/v1/data/measles/ask", content=content, headers=headers)
        assert done.status_code in EXPECTED, (content, done.text)
        assert "Traceback" not in done.text
        assert "dalenius/" not in done.text
        if done.status_code == 200:
            answered.add(done.json()["entry"])
        else:
            assert set(done.json()) == {"error"}
    ledger = served.folder / "ledger.sqlite"
    assert kinds(ledger).count("debit") == len(answered) if ledger.exists() else not answered
    assert "Traceback" not in served.lines.getvalue()
    assert not any("error" in line for line in served.log)


NUMBERS: Final[tuple[Any, ...]] = (0, -1, 1, 0.5, 1e308, -1e-308, 5e-324, 2**62, 10**30)
TEXTS: Final[tuple[Any, ...]] = (
    "",
    "ill",
    "count",
    "x" * 5000,
    "é\u202e",
    "\x00",
    "\ud800",
    SQL[1],
    "../../etc/passwd",
)
NESTED: Final[tuple[Any, ...]] = (
    [],
    {},
    [[]],
    [1, [2, [3]]],
    {"kind": "count"},
    {"kind": "laplace"},
    {"kind": "sum", "lower": 1e300},
    {"kind": "several", "queries": [{"kind": "several", "queries": []}]},
    ["ill"] * 50,
)
ODD: Final = (None, True, False, *NUMBERS, *TEXTS, *NESTED)
NAMES: Final = ("measure", "query", "epsilon", "noise", "within", "confidence", "kind", "scale", "values", "labels")


def fuzzed(draws: Random) -> bytes:
    """A body that is nearly right, or nothing like it."""
    shape = draws.random()
    if shape < 0.1:
        return draws.randbytes(draws.randrange(200))
    body: dict[str, Any] = json.loads(json.dumps(ASK))
    for _ in range(draws.randrange(1, 4)):
        where: Any = body if draws.random() < 0.6 or not isinstance(body.get("query"), dict) else body["query"]
        key = draws.choice(NAMES)
        if draws.random() < 0.2:
            where.pop(key, None)
        else:
            where[key] = draws.choice(ODD)
    text = json.dumps(body).encode()
    if shape < 0.3:
        place = draws.randrange(len(text))
        return text[:place] + draws.randbytes(draws.randrange(3)) + text[place + draws.randrange(4) :]
    return text
