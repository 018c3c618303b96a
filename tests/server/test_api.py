"""What the routes answer to whom.

What the API says of itself is so: of requests that follow its description, and of requests that do not
(schemathesis).

Every key that the service answers is on its page, and so are its routes.

A body means one thing; an answer is JSON.
"""

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import inf, nan
from pathlib import Path
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import integers
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from dalenius.server.json_values import NotJson, parsed, plain
from dalenius.server.limits import DEPTH
from tests.cli.command import here
from tests.docs.page import REPOSITORY
from tests.docs.test_json_keys import documented
from tests.server.process import policy_in, running
from tests.server.served import ASK, Served

OF_DATA = ("", "/budget", "/history", "/estimate", "/ask")


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
    for found in (again, kept["release"]):
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
        assert found["verified"]
        (kept,) = served.get("/api/v1/data/measles/history", who).json()["releases"]
        assert kept["release"]["answers"] == done["answers"]
    assert served.get("/api/v1/data/measles/budget", "olga").json()["data"] == done["budget"]
    assert served.get("/api/v1/ledger", "owner@mumps").json()["data_sets"] == []
    assert served.get("/api/v1/ledger", "ana@measles").status_code == 403


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


EXAMPLES: Final = 10
"""Of each route, of each sort of request, for each of two tokens."""
ROUTES: Final = 10
PATIENCE: Final = settings(
    max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_every_route_is_as_described(standing: Served, mode: GenerationMode) -> None:
    host = standing.client.base_url.netloc.decode()
    schema = schemathesis.openapi.from_asgi("/openapi.json", standing.client.app, headers={"host": host})
    operations = [each.ok() for each in schema.get_all_operations()]  # type: ignore[union-attr]
    assert len(operations) == ROUTES
    for operation in operations:
        if mode is GenerationMode.NEGATIVE and not (operation.body or operation.query or operation.path_parameters):
            continue

        @PATIENCE
        @given(case=operation.as_strategy(generation_mode=mode))
        def check(case: Any) -> None:
            if mode is GenerationMode.POSITIVE and "name" in case.path_parameters:
                case.path_parameters["name"] = "measles"  # no other is drawn by chance
                if isinstance(case.body, dict):
                    case.body["measure"] = "ill"
            for who in ("ana@measles", "olga"):
                # What of an ask is refused a schema cannot say: which kinds there are, that exactly one key is given.
                case.call_and_validate(
                    headers={**standing.headers(who), "host": host}, excluded_checks=[positive_data_acceptance]
                )

        check()


KINDS: Final = (
    {"kind": "count"},
    {"kind": "count", "values": [1]},
    {"kind": "sum"},
    {"kind": "count", "per_label": True},
    {"kind": "several", "queries": [{"kind": "count"}, {"kind": "sum"}]},
    {"kind": "mean"},
)


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_a_service_on_a_port_is_as_described(tmp_path: Path, mode: GenerationMode) -> None:
    """A thousand requests and more of either sort over HTTP, most of which get as far as the ledger: nothing is
    answered 500, and every answer is as described."""
    many = settings(PATIENCE, max_examples=120)
    with running(tmp_path) as service:
        schema = schemathesis.openapi.from_url(f"{service.url}/openapi.json")
        answered = []
        for operation in [each.ok() for each in schema.get_all_operations()]:  # type: ignore[union-attr]
            if mode is GenerationMode.NEGATIVE and not (operation.body or operation.query or operation.path_parameters):
                continue

            @many
            @given(case=operation.as_strategy(generation_mode=mode), place=integers(0, 2 * len(KINDS)))
            def check(case: Any, place: int) -> None:
                if "name" in case.path_parameters and place:
                    case.path_parameters["name"] = "measles"
                if mode is GenerationMode.POSITIVE and isinstance(case.body, dict) and place:
                    # What an ask needs that is drawn by no chance: a measure that there is, and a query.
                    case.body |= {"measure": "ill", "query": KINDS[place % len(KINDS)]}
                headers = {"Authorization": f"Bearer {service.token}"}
                done = case.call(headers=headers)
                assert done.status_code < 500, done.text
                # A parameter of another service's, behind a question mark, is passed over; in a body it is refused.
                lenient = [] if case.operation.body else [negative_data_rejection]
                case.validate_response(done, excluded_checks=[positive_data_acceptance, *lenient])
                answered.append(done.status_code)

            check()
    assert len(answered) > 400
    assert mode is GenerationMode.NEGATIVE or answered.count(200) > 200


PAGE: Final = REPOSITORY / "docs/reference/service.md"
ELSEWHERE: Final = ("certificate", "notion", "noise")
"""Keys whose value has a page of its own."""


def keys(found: Any) -> Iterator[str]:
    if isinstance(found, list):
        for each in found:
            yield from keys(each)
    if isinstance(found, dict):
        for key, value in found.items():
            yield key
            if key not in ELSEWHERE:
                yield from keys(value)


def everything(served: Served) -> Iterator[Any]:
    """What every route answers, also where it refuses."""
    ana = "ana@measles"
    yield served.post("/api/v1/data/measles/estimate", ASK, ana).json()
    yield served.ask().json()
    yield served.ask({**ASK, "epsilon": 0.9}).json()
    yield served.ask({**ASK, "epsilon": -1}).json()
    for who in (ana, "olga", None):
        for path in ("", "/measles", "/measles/budget", "/measles/history"):
            yield served.get(f"/api/v1/data{path}", who).json()
        for path in ("/api/v1/ledger", "/health", "/nowhere"):
            yield served.get(path, who).json()


def test_every_key_is_documented(served: Served) -> None:
    found = {key for answer in everything(served) for key in keys(answer)}
    assert len(found) > 40
    assert sorted(found - documented("service.md")) == []


def test_every_route_is_documented(standing: Served) -> None:
    page = PAGE.read_text(encoding="utf-8")
    described = standing.get("/openapi.json").json()["paths"]
    for path, methods in described.items():
        assert all(f"`{method.upper()} {path}`" in page for method in methods)


def test_the_keys_of_tokens_are_documented(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, own = policy_in(tmp_path), documented("commands.md", ["token"])
    made = here(capsys, monkeypatch, "token", "make", policy, "--owner", "olga", "--json").json
    listed = here(capsys, monkeypatch, "token", "list", policy, "--json").json
    assert sorted({*keys(made), *keys(listed)} - own) == []


def test_an_object_is_read_and_anything_else_is_not() -> None:
    text = '{"a": [1, -2.5, true, null, "é", {"b": 9223372036854775807}]}'
    assert parsed(text.encode()) == json.loads(text)
    for raw, wanted in (
        (b"{", "JSON"),
        (b"\xff\xfe", "text in UTF-8"),
        (b"[1]", "an object of keys and values"),
        (b'{"a": NaN}', "finite numbers"),
        (b'{"a": 1e999}', "finite numbers"),
        (b'{"a": 9223372036854775808}', "whole numbers of at most 64 bits"),
        (b'{"a": ' + b"9" * 5000 + b"}", "JSON"),
        (b'{"a": {"b": 1, "\\u0062": 2}}', "each key once"),
        (b'{"\\ud800": 1}', "texts of whole characters, without NUL"),
        (b'{"a": "x\\u0000"}', "texts of whole characters, without NUL"),
        (b'{"a": ' * DEPTH + b"1" + b"}" * DEPTH, f"at most {DEPTH} levels of nesting"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "JSON"),
        (b'{"a": 1} x', "JSON"),
    ):
        with pytest.raises(NotJson) as refused:
            parsed(raw)
        assert str(refused.value) == wanted


def test_what_json_cannot_hold() -> None:
    given = {"a": (inf, -inf, nan, 0.5), 2: Fraction(3, 2), "c": {"d": Fraction(4)}}
    assert plain(given) == {"a": ["inf", "-inf", None, 0.5], "2": 1.5, "c": {"d": 4}}
    json.dumps(plain(given), allow_nan=False)
