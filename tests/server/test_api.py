"""What the routes answer to whom."""

from itertools import product
from typing import Any

from tests.server.served import ASK, Served

OF_DATA = ("", "/budget", "/history", "/releases/4", "/estimate", "/ask")


def requested(served: Served, path: str, who: str | None) -> Any:
    """As its method is."""
    return served.post(path, ASK, who) if path.endswith(("/ask", "/estimate")) else served.get(path, who)


def test_an_answer_is_paid_for_kept_and_found_again(served: Served) -> None:
    quoted = served.post("/api/v1/data/measles/estimate", ASK, "ana@measles").json()
    assert served.spent() == 0
    done = served.ask().json()
    assert (quoted["free"], done["repeated"], len(done["answers"])) == (False, False, 1)
    assert served.spent() == quoted["budget"]["data"]["spent"] == done["budget"]["spent"] > 0.09
    assert quoted["half_widths"] == [{"label": "", "half_width": done["interval"][0][1] - done["answers"][0]}]
    again = served.ask().json()
    assert again["repeated"]
    assert served.post("/api/v1/data/measles/estimate", ASK, "ana@measles").json()["free"]
    (kept,) = served.get("/api/v1/data/measles/history", "ana@measles").json()["releases"]
    one = served.get(f"/api/v1/data/measles/releases/{done['entry']}", "ana@measles").json()
    for found in (again, kept["release"], one):
        assert {**found, "repeated": False} == {**done, "budget": found["budget"]}
    assert served.spent() == done["budget"]["spent"]


def test_who_sees_which_data_sets(standing: Served) -> None:
    def names(who: str) -> list[str]:
        return [each["name"] for each in standing.get("/api/v1/data", who).json()["data"]]

    found = {who: names(who) for who in standing.tokens}
    assert found == {
        "ana@measles": ["measles"],
        "bob@measles": ["measles"],
        "bob@mumps": ["mumps"],
        "olga": ["measles", "mumps"],
        "otto": ["measles", "mumps"],
        "owner@mumps": ["mumps"],
    }


def test_what_may_be_asked_of_it(standing: Served) -> None:
    own = standing.get("/api/v1/data/measles", "ana@measles").json()
    assert own["analyst"] == {"name": "ana", "cap": 0.5}
    assert (own["notion"]["kind"], own["notion"]["epsilon"]) == ("inferential", 1.0)
    assert [(each["name"], each["queries"]) for each in own["measures"]] == [("ill", ["count", "sum"])]
    assert "analysts" not in own
    whole = standing.get("/api/v1/data/measles", "olga").json()
    assert whole["analysts"] == [{"name": "ana", "cap": 0.5}, {"name": "bob", "cap": None}]


def test_what_is_not_theirs_is_as_if_it_were_not(standing: Served) -> None:
    """Word for word but for the name, and whether or not the rest of the request is right."""
    for who, path in product(("ana@measles", "owner@mumps"), OF_DATA):
        other = "mumps" if who == "ana@measles" else "measles"
        foreign, unknown = (requested(standing, f"/api/v1/data/{name}{path}", who) for name in (other, "unheard"))
        assert (foreign.status_code, unknown.status_code) == (404, 404)
        assert foreign.text.replace(other, "unheard") == unknown.text
        kept = ("x-request-id", "content-length")
        heads = [{key: each for key, each in found.headers.items() if key not in kept} for found in (foreign, unknown)]
        assert heads[0] == heads[1]
    for name in ("mumps", "unheard"):
        broken = standing.client.post(f"/api/v1/data/{name}/ask", content=b"{", headers=standing.headers("ana@measles"))
        assert broken.status_code == 404


def test_only_analysts_ask(standing: Served) -> None:
    for who, path in product(("olga", "otto"), ("estimate", "ask")):
        done = standing.post(f"/api/v1/data/measles/{path}", ASK, who)
        assert done.status_code == 403
        assert "a token of an analyst is wanted" in done.json()["error"]["message"]


def test_the_ledger_is_for_owners_and_auditors(served: Served) -> None:
    done = served.ask().json()
    for who in ("olga", "otto"):
        found = served.get("/api/v1/ledger", who).json()
        assert found["hash"] == done["hash"]
        assert [each["data"] for each in found["data_sets"]] == ["measles"]
        (paid,) = found["data_sets"][0]["releases"]
        assert (paid["answered_by"], paid["notion"], paid["told"]) == (done["entry"], "inferential", ["ana"])
        seen = served.get("/api/v1/ledger/verify", who).json()
        assert seen == {"verified": True, "entries": found["entries"], "hash": done["hash"]}
        (kept,) = served.get("/api/v1/data/measles/history", who).json()["releases"]
        assert kept["release"]["answers"] == done["answers"]
    assert served.get("/api/v1/data/measles/budget", "olga").json()["data"] == done["budget"]
    assert served.get("/api/v1/ledger", "owner@mumps").json()["data_sets"] == []
    for path in ("/api/v1/ledger", "/api/v1/ledger/verify"):
        assert served.get(path, "ana@measles").status_code == 403


def test_history_comes_in_pages(served: Served) -> None:
    for epsilon in (0.05, 0.06, 0.07):
        assert served.ask({**ASK, "epsilon": epsilon}).status_code == 200
    path = "/api/v1/data/measles/history"
    first = served.get(path, "ana@measles", params={"limit": 2}).json()
    assert (len(first["releases"]), first["more"]) == (2, True)
    after = first["releases"][-1]["debit"]
    rest = served.get(path, "ana@measles", params={"after": after}).json()
    assert (len(rest["releases"]), rest["more"]) == (1, False)
    for wrong in ({"limit": 0}, {"after": -1}, {"limit": "x"}, {"after": 2**70}):
        assert served.get(path, "ana@measles", params=wrong).status_code == 422
    missing = served.get("/api/v1/data/measles/releases/4000", "ana@measles")
    assert (missing.status_code, missing.json()["error"]["key"]) == (404, "entry")


def test_every_answer_has_its_headers(standing: Served) -> None:
    for path, who in (("/health", None), ("/api/v1/data", "olga"), ("/api/v1/data", None), ("/nowhere", None)):
        found = standing.get(path, who).headers
        assert found["x-content-type-options"] == "nosniff"
        assert found["x-frame-options"] == "DENY"
        assert found["cache-control"] == "no-store"
        assert "default-src 'none'" in found["content-security-policy"]
        assert len(found["x-request-id"]) == 16
        assert "server" not in found
        assert not any(name.startswith("access-control") for name in found)
    assert standing.get("/docs").status_code == standing.get("/redoc").status_code == 404  # they load from elsewhere
