"""The JSON API, version 1: who may ask what, in which threads, and what the routes answer. Pages show the same.

POST /api/v1/data/measles/ask with {"measure": "ill", "query": {"kind": "count"}, "epsilon": 0.2} and an analyst's token
is checked in this order: the token, how often it asks, the data set, the body, the policy, the ledger. A request that
fails in one of them is told nothing of the later ones.
"""

from collections.abc import Callable, Coroutine, Sequence
from typing import Annotated, Any, Final, TypeAlias, final

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute

from dalenius.calibration import Calibration
from dalenius.curator import (
    Budgets,
    Curator,
    DataSet,
    Ledger,
    Paid,
    PolicyAsk,
    Quote,
    Session,
    account,
    accounts,
    read_ask,
)
from dalenius.errors import InputError
from dalenius.server.access import Holder, Serving, holder, request_body, serving_of, within
from dalenius.server.answer_texts import release_json
from dalenius.server.asks import SentQuestion
from dalenius.server.json_values import NotJson, parsed, plain
from dalenius.server.limits import MOST_LISTED
from dalenius.server.offered_data import analyst_json, data_set_json, full_data_set_json, own_data_set_json
from dalenius.server.problems import Problem, unknown_data
from dalenius.server.tokens import Role, Token

After: TypeAlias = Annotated[int, Query(ge=0, le=2**53, description="Entries up to that number are left out.")]
Limit: TypeAlias = Annotated[int, Query(ge=1, le=MOST_LISTED, description="So many releases at most.")]
LEAST: Final = 1e-6
"""An epsilon for asks whose own does not matter, in nats."""
_JSON: Final = {"application/json": {"schema": {"type": "object"}}}
# Every route speaks in objects of JSON, whose keys and statuses are on the page of the service.
RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "The answer.", "content": _JSON},
    "default": {"description": "A refusal.", "content": _JSON},
}
API: Final = APIRouter(prefix="/api/v1", responses=RESPONSES)
# The two routes that take an ask read its body strictly, without the framework: it would accept a key that is there
# twice, or a number that no double holds.
_REQUEST_BODY: Final[dict[str, Any]] = {"requestBody": {"required": True, "content": _JSON}}


@API.get("/data")
async def data_sets(request: Request, token: Holder) -> JSONResponse:
    """List the data sets of the token."""
    found = [each for each in serving_of(request).curator.policy.data if token.reaches(each.name)]
    return JSONResponse({"data": [data_set_json(each) for each in found]})


@API.get("/data/{name}")
async def data_set(request: Request, name: str, token: Holder) -> JSONResponse:
    """Tell what is promised about a data set, and what may be asked."""
    serving = serving_of(request)
    found = _known(serving, token, name)
    if token.role is not Role.analyst:
        return JSONResponse(plain(full_data_set_json(found)))
    return await _read(serving, token, lambda: own_data_set_json(found, _session(serving, token, name)))


@API.post("/data/{name}/estimate", openapi_extra=_REQUEST_BODY)
async def estimate(request: Request, name: str, token: Holder) -> JSONResponse:
    """Tell what an answer would cost, and how precise it would be. Nothing is released, and nothing paid."""
    serving = serving_of(request)
    _known(serving, token, name)
    question = _question(serving, token, name, await _body(request))
    return JSONResponse(plain(quote_json(await within(serving.asks.quote(question)))))


@API.post("/data/{name}/largest", openapi_extra=_REQUEST_BODY)
async def largest(request: Request, name: str, token: Holder) -> JSONResponse:
    """Tell the largest epsilon that still fits, and what it would buy. Nothing is released, and nothing paid."""
    serving = serving_of(request)
    _known(serving, token, name)
    body = await _body(request)
    question = _question(serving, token, name, body | {"epsilon": body.get("epsilon", LEAST)})
    return JSONResponse(plain(largest_json(await within(serving.asks.largest(question)))))


@API.post("/data/{name}/practise", openapi_extra=_REQUEST_BODY)
async def practise(request: Request, name: str, token: Holder) -> JSONResponse:
    """Answer a question from a table drawn from the model. It is about nobody; nothing is paid or written."""
    serving = serving_of(request)
    _known(serving, token, name)
    question = _question(serving, token, name, await _body(request))
    return JSONResponse(plain((await within(serving.asks.practise(question))).as_json()))


@final
class _AskRoute(APIRoute):
    """The route that is asked most, whose parameters are read by hand.

    The framework takes longer for them than the answer of a repeated question takes.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Returns the route itself, with the token and the name of the data set."""

        async def handler(request: Request) -> Response:
            token = await holder(request)
            return await ask(request, str(request.path_params["name"]), token)

        return handler


async def ask(request: Request, name: str, token: Holder) -> Response:
    """Answer a question, with a certificate, after it was paid for; free where the same was asked before."""
    serving = serving_of(request)
    _known(serving, token, name)
    _check_json(request)
    raw = await request_body(request)
    said = (token.whose, name, raw)
    # Because the same text means the same for as long as the service runs, a repeated question is not read again.
    if (known := serving.questions.get(said)) is None:
        known = _question(serving, token, name, _parsed(raw))
        serving.questions.keep(said, known)
    if (key := _key(request)) is not None:
        known = SentQuestion(known.session, known.ask, known.session.key(known.ask, key))
    done = await within(serving.asks.answer(known))
    return Response(serving.texts.json_of(done), media_type="application/json")


def _key(request: Request) -> str | None:
    """Returns the key under which a question is sent; None without one, InputError for several."""
    given = request.headers.getlist("idempotency-key")
    if len(given) > 1:
        raise InputError("key", "several", "one header Idempotency-Key")
    return given[0] if given else None


API.add_api_route(
    "/data/{name}/ask", ask, methods=["POST"], openapi_extra=_REQUEST_BODY, route_class_override=_AskRoute
)


@API.get("/data/{name}/budget")
async def budget(request: Request, name: str, token: Holder) -> JSONResponse:
    """Tell what is left: of the analyst's own share, and of the data set's."""
    serving = serving_of(request)
    found = _known(serving, token, name)
    if token.role is Role.analyst:
        return await _read(serving, token, lambda: budgets_json(_session(serving, token, name).budget()))
    return await _read(serving, token, lambda: all_budgets_json(found, serving.curator))


@API.get("/data/{name}/history")
async def history(request: Request, name: str, token: Holder, after: After = 0, limit: Limit = 100) -> JSONResponse:
    """List the analyst's own answers with their certificates, in their order; for an owner or auditor, everybody's."""
    serving = serving_of(request)
    _known(serving, token, name)
    return await _read(serving, token, lambda: releases_json(_paid(serving, token, name), after, limit))


@API.get("/ledger")
async def ledger(request: Request, token: Holder) -> JSONResponse:
    """Tell what was released from which data set and what it spent, once every entry was checked against its hash.

    For owners and auditors.
    """
    serving = serving_of(request)
    if token.role is Role.analyst:
        raise Problem(403, "this needs a token of an owner or auditor; yours is an analyst's token")
    return await _read(serving, token, lambda: ledger_json(serving.curator.ledger, token.reaches))


def _known(serving: Serving, token: Token, name: str) -> DataSet:
    """Returns the data set of that name.

    Problem 404 where there is none, in the same words where it is not this token's.
    """
    found = {each.name: each for each in serving.curator.policy.data if token.reaches(each.name)}
    if name not in found:
        raise unknown_data(name)
    return found[name]


def _session(serving: Serving, token: Token, name: str) -> Session:
    """Returns the session of the analyst and that data set; Problem 403 for anybody else.

    An owner who wants to ask is named as an analyst in the policy, with a cap.
    """
    if token.role is not Role.analyst:
        raise Problem(403, f"a token of an analyst is wanted; this one is of an {token.role.value}")
    return serving.curator.session(token.name, name)


def _paid(serving: Serving, token: Token, name: str) -> Sequence[Paid]:
    """Returns an analyst's own answers of that data set; for an owner or auditor, everybody's.

    Problem 403 as in `_session`.
    """
    if token.role is Role.analyst:
        return _session(serving, token, name).history()
    return account(serving.curator.ledger.history(), name).paid


def _question(serving: Serving, token: Token, name: str, body: dict[str, Any]) -> SentQuestion:
    """Returns who asks, and what; Problem 403 as in `_session`, InputError for what is wrong with the ask."""
    return SentQuestion(_session(serving, token, name), read_ask(body))


async def _read(serving: Serving, token: Token, call: Callable[[], Any]) -> JSONResponse:
    """Returns what the call finds in the policy or the ledger, in a reading thread: no ask has to wait for it."""
    return JSONResponse(plain(await within(serving.reads.run(call, token.whose))))


async def _body(request: Request) -> dict[str, Any]:
    """Returns what is sent, strictly read; Problem 415 and 400 as in the two below."""
    _check_json(request)
    return _parsed(await request_body(request))


def _check_json(request: Request) -> None:
    """Raises Problem 415 for what is not declared to be JSON, as a form of another site cannot be."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem(415, "a body of JSON is wanted: Content-Type: application/json")


def _parsed(raw: bytes) -> dict[str, Any]:
    """Returns what the JSON says; Problem 400 for what is none."""
    try:
        return parsed(raw)
    except NotJson as error:
        raise Problem(400, f"body, wanted {error}", key="body", wanted=str(error)) from None


def largest_json(found: tuple[PolicyAsk, Quote] | None) -> dict[str, Any]:
    """Returns the largest epsilon that fits and its price; Problem 402 where nothing fits. found: both."""
    if found is None:
        raise Problem(402, "nothing fits in what is left of the budget")
    return {"epsilon": found[0].share, **quote_json(found[1])}


def quote_json(found: Quote) -> dict[str, Any]:
    """Returns what an answer would cost, in nats, and its precision, in the query's unit; found: the quote."""
    widths = [{"label": name, "half_width": width} for name, width in found.half_widths.items()]
    return {
        **found.as_json(),
        "shared": found.shared,
        "method": None if found.calibration is None else _chosen_by(found.calibration),
        "half_widths": widths,
        "budget": {"own": None if found.own is None else found.own.as_json(), "data": found.budget.as_json()},
    }


def _chosen_by(found: Calibration) -> dict[str, Any]:
    """Returns the method that chose a noise, as its certificate will have it, and the most that the answer leaks."""
    return {"name": found.method, "sound": found.sound, "why": found.why, "leakage": found.leakage.upper}


def shown_answer_json(found: Paid) -> dict[str, Any]:
    """Returns, for pages alone, a debit, the release that came of it, and its certificate's rows in words.

    Rows of one name stand together. found: the debit.
    """
    words: dict[str, list[str]] = {}
    if (done := found.recorded) is not None:
        for name, key in done.words:
            words.setdefault(name.strip(), []).append(key)
    release = None if done is None else release_json(done)
    if release is not None:
        del release["exact"]  # pairs of numbers, for programs; on pages the exact answer is that of a practice table
    return {
        **found.as_json(),
        "debit": found.debit.number,
        "release": release,
        "words": words,
    }


def budgets_json(found: Budgets) -> dict[str, Any]:
    """Returns what is left: of the analyst's own share, and of the data set's; found: both budgets."""
    return {"own": found.own.as_json(), "data": found.data.as_json()}


def all_budgets_json(found: DataSet, curator: Curator) -> dict[str, Any]:
    """Returns the budget of the data set `found`, and what each analyst has had of it, by the `curator`'s ledger."""
    # Because an analyst whom the policy names no more has spent too, which is in the data set's budget.
    had = [(each, curator.ledger.budget(found.name, each.name, each.epsilon)) for each in found.analysts]
    shares = [analyst_json(each) | {"budget": budget.as_json()} for each, budget in had]
    return {"own": None, "data": curator.budget(found.name).as_json(), "analysts": shares}


def releases_json(found: Sequence[Paid], after: int, limit: int) -> dict[str, Any]:
    """Returns the releases of `found` with debits beyond entry `after`, at most `limit`, and whether there are more."""
    later = [each for each in found if each.debit.number > after]
    shown = [
        {
            "debit": each.debit.number,
            "failed": each.failed,
            "release": None if each.recorded is None else release_json(each.recorded),
        }
        for each in later[:limit]
    ]
    return {"releases": shown, "more": len(later) > limit}


def ledger_json(kept: Ledger, reaches: Callable[[str], bool]) -> dict[str, Any]:
    """Returns the ledger, `kept`, with the accounts of the data sets that the token may see; each entry has its hash.

    reaches: whether a name is among them. InputError for any other ledger.
    """
    history = kept.verified()
    found = [each for each in accounts(history) if reaches(each.name)]
    return {"verified": True, **history.as_json(), "data_sets": [each.as_json() for each in found]}
