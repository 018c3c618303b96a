"""The JSON API, version 1: who may ask what, in which threads, and what of it is counted.

POST /api/v1/data/measles/ask with {"measure": "ill", "query": {"kind": "count"}, "epsilon": 0.2} and an analyst's token
is looked at in this order: the token, how often it asks, the data set, the body, the policy, the ledger. Whoever fails
in one of them is told nothing of the later ones.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, TypeAlias

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import JSONResponse

from dalenius.curator import Ask, DataSet, Paid, Session, read_ask
from dalenius.server import json_forms
from dalenius.server.errors_and_log import NotJson, Problem, parsed, plain, unknown_data
from dalenius.server.serving import Holder, Serving, answered, body_of, no_analyst, serving_of, within
from dalenius.server.tokens import Role, Token

_LARGEST: Final = 2**53
_WITHIN: Final = "#/components/schemas/"

_Key: TypeAlias = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        pattern=r"^[!-~]+$",
        description="None: it is refused (409). The same body again gets the same answer, free.",
    ),
]
After: TypeAlias = Annotated[int, Query(ge=0, le=_LARGEST, description="Entries up to that number are left out.")]
Limit: TypeAlias = Annotated[int, Query(ge=1, le=1000, description="So many releases at most.")]


def route_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What the description of the API says of a route's answers: their statuses, and that they are objects of JSON,
    whose keys are on the page of the service."""
    content = {"application/json": {"schema": {"type": "object"}}}
    own = {status: {"content": content} for status in sorted({200, *statuses, 500, 503})}
    return {status: {"description": "As documented.", **found} for status, found in own.items()}


def _ask_body() -> dict[str, Any]:
    """What is said of a route whose body is read strictly, and not by the framework: that it is an ask, in JSON.

    The framework would take a key that is there twice, or a number that no double holds.
    """
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": {"$ref": f"{_WITHIN}Ask"}}}}}


def ask_schema() -> dict[str, Any]:
    """The schema of an ask, and those it refers to, by name, as the description of the API has them."""
    found = Ask.model_json_schema(ref_template=_WITHIN + "{model}")
    return {**found.pop("$defs", {}), "Ask": found}


API: Final = APIRouter(prefix="/api/v1", responses=route_responses(401, 403, 404, 422, 429))
# Of the two routes to which an ask is sent.
_ASKED: Final[dict[str, Any]] = {
    "responses": route_responses(400, 402, 408, 409, 413, 415, 502),
    "openapi_extra": _ask_body(),
}


@API.get("/data")
async def data_sets(request: Request, token: Holder) -> JSONResponse:
    """The data sets that the token is of."""
    found = [each for each in serving_of(request).curator.policy.data if token.reaches(each.name)]
    return JSONResponse({"data": [json_forms.data_set_json(each) for each in found]})


@API.get("/data/{name}")
async def data_set(request: Request, name: str, token: Holder) -> JSONResponse:
    """What is promised of it, and what may be asked."""
    serving = serving_of(request)
    found = _known(serving, token, name)
    if token.role is not Role.analyst:
        return JSONResponse(plain(json_forms.full_data_set_json(found)))
    return await _read(serving, token, lambda: json_forms.own_data_set_json(found, _session(serving, token, name)))


@API.post("/data/{name}/estimate", **_ASKED)
async def estimate(request: Request, name: str, token: Holder) -> JSONResponse:
    """What an answer would cost, and how precise it would be. Nothing is released, and nothing paid."""
    serving = serving_of(request)
    _known(serving, token, name)
    asked = await _body(request)

    def call() -> Any:
        return json_forms.quote_json(_session(serving, token, name).estimate(read_ask(asked)))

    return JSONResponse(plain(await within(serving.asks, call, token)))


@API.post("/data/{name}/ask", **_ASKED)
async def ask(request: Request, name: str, token: Holder, idempotency_key: _Key = None) -> JSONResponse:
    """An answer with its certificate, after it was paid for; free where the same was asked before."""
    serving = serving_of(request)
    _known(serving, token, name)
    body = await _body(request)
    # What is wrong with the ask is said at once, and takes no place among those that are computed.
    session, asked = await within(serving.repeats, lambda: (_session(serving, token, name), read_ask(body)), token)
    done = await answered(serving, session, asked, idempotency_key, token)
    return JSONResponse(plain(json_forms.release_json(done)))


@API.get("/data/{name}/budget")
async def budget(request: Request, name: str, token: Holder) -> JSONResponse:
    """What is left of it: of the analyst's own share, and of the data set's."""
    serving = serving_of(request)
    found = _known(serving, token, name)
    if token.role is Role.analyst:
        return await _read(serving, token, lambda: json_forms.budgets_json(_session(serving, token, name).budget()))
    return await _read(serving, token, lambda: json_forms.all_budgets_json(found, serving.curator))


@API.get("/data/{name}/history")
async def history(request: Request, name: str, token: Holder, after: After = 0, limit: Limit = 100) -> JSONResponse:
    """The analyst's own answers with their certificates, in their order; of an owner or auditor, everybody's."""
    serving = serving_of(request)
    _known(serving, token, name)
    return await _read(serving, token, lambda: json_forms.releases_json(_paid(serving, token, name), after, limit))


@API.get("/data/{name}/releases/{entry}")
async def release(request: Request, name: str, entry: int, token: Holder) -> JSONResponse:
    """One of these, by the number of its entry in the ledger."""
    serving = serving_of(request)
    _known(serving, token, name)

    def call() -> Any:
        paid = json_forms.of_entry(_paid(serving, token, name), str(entry))
        if paid is not None and paid.recorded is not None:
            return json_forms.release_json(paid.recorded)
        wanted = "the number of the entry of one of your answers"
        raise Problem(404, f"entry: {entry}, wanted {wanted}", key="entry", value=str(entry), wanted=wanted)

    return await _read(serving, token, call)


@API.get("/ledger")
async def ledger(request: Request, token: Holder) -> JSONResponse:
    """What was released from which data set and what it spent; for owners and auditors."""
    serving = serving_of(request)
    no_analyst(token)
    return await _read(serving, token, lambda: json_forms.ledger_json(serving.curator.ledger, token.reaches))


@API.get("/ledger/verify")
async def verify(request: Request, token: Holder) -> JSONResponse:
    """Every entry of the ledger is checked against its hash; for owners and auditors."""
    serving = serving_of(request)
    no_analyst(token)
    return await _read(serving, token, lambda: json_forms.verified_json(serving.curator.ledger))


def _known(serving: Serving, token: Token, name: str) -> DataSet:
    """The data set of that name. Problem 404 where there is none, in the same words where it is not this token's."""
    found = {each.name: each for each in serving.curator.policy.data if token.reaches(each.name)}
    if name not in found:
        raise unknown_data(name)
    return found[name]


def _session(serving: Serving, token: Token, name: str) -> Session:
    """The analyst before that data set. Problem 403 for whoever is no analyst: an owner who wants to ask is named as
    one in the policy, with a cap."""
    if token.role is not Role.analyst:
        raise Problem(403, f"a token of an analyst is wanted; this one is of an {token.role.value}", "role")
    return serving.curator.session(token.name, name)


def _paid(serving: Serving, token: Token, name: str) -> Sequence[Paid]:
    """An analyst's own answers of that data set; of an owner or auditor, everybody's. Problem 403 as of `_session`."""
    if token.role is Role.analyst:
        return _session(serving, token, name).history()
    return json_forms.paid(serving.curator.ledger, name)


async def _read(serving: Serving, token: Token, call: Callable[[], Any]) -> JSONResponse:
    """What the call finds in the policy or the ledger, in a thread of those that read: no ask has to wait for it."""
    return JSONResponse(plain(await within(serving.reads, call, token)))


async def _body(request: Request) -> dict[str, Any]:
    """What is sent, strictly read. Problem 415 for what is not declared to be JSON, as a form of another site cannot
    be; 400 for what is none."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem(415, "a body of JSON is wanted: Content-Type: application/json")
    try:
        return parsed(await body_of(request))
    except NotJson as error:
        raise Problem(400, f"body, wanted {error}", key="body", wanted=str(error)) from None
