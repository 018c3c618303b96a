"""The pages: the way in and out; an analyst's, who asks by a form, sees what it would cost, and the answers; those of
owners and auditors: the ledger, what was promised, every answer; of owners alone: who is most exposed.

The form has the keys of an ask (`dalenius.curator.Ask`), each as JSON writes it, and one that is left blank is left
out: a query of any kind, and any noise, are asked in a browser as they are over the API.

Ana writes 0,25 as epsilon: her form comes back with "a number, such as 0.25 (with a point, not a comma)" at that field,
and all else that she typed. With 0.25 it comes back with the price, and a second button, which asks for the answer. If
she clicks it twice, the second click is the same question, which is free:

>>> _value("epsilon", "0.25"), _value("measure", "ill"), _value("query", '{"kind": "count"}')
(0.25, 'ill', {'kind': 'count'})
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from dalenius.curator import Ask, Curator, DataSet, Paid, Session, accounts, read_ask
from dalenius.errors import DaleniusError, InputError
from dalenius.notions import in_words
from dalenius.server import json_forms
from dalenius.server.errors_and_log import NotJson, Problem, json_value, parsed, problem_of
from dalenius.server.serving import address, answered, check_rate, serving_of, within
from dalenius.server.site import (
    COOKIE,
    HEADERS,
    Site,
    Visit,
    cookie,
    cookie_name,
    data_url,
    fields_of,
    page_route,
    same_text,
)
from dalenius.server.tokens import Role, Tokens

# The cookie of whoever is not signed in: the form of signing in must say the same, so that no other site sends it.
_BEFORE: Final = "dalenius-before"
_FILES: Final = {"style.css": "text/css", "icon.svg": "image/svg+xml"}
_WRONG: Final = "This is no valid token: it may be incomplete, expired or revoked"
_ENDED: Final = "Your visit has ended. Sign in again to go on; what you asked is in your history."


def _entrance(site: Site) -> APIRouter:
    """The routes that somebody may take who is not signed in: the way in, and what pages load."""
    router = APIRouter(route_class=page_route(site), include_in_schema=False)

    @router.get("/style.css")
    @router.get("/icon.svg")
    async def loaded(request: Request) -> Response:
        """What pages load; the same for everybody, so that browsers may keep it for a day."""
        name = request.url.path.removeprefix("/")
        content = (Path(__file__).parent / "web" / name).read_bytes()
        return Response(content, media_type=_FILES[name], headers={"Cache-Control": "public, max-age=86400"})

    @router.get("/")
    async def home(request: Request) -> Response:
        """The first page of whoever is signed in, by their role."""
        return _to(site.visit(request).links[0][1])

    @router.get("/login")
    async def login(request: Request) -> Response:
        """The form of signing in."""
        return _login(site, request, said=_ENDED if "ended" in request.query_params else "")

    @router.post("/login")
    async def sign_in(request: Request) -> Response:
        """A visit begins with a cookie of its own; with a wrong token the form comes back, with what is wrong."""
        fields, before = await fields_of(request), cookie(request, _BEFORE)
        if not before or not same_text(before, fields.get("csrf", "")):
            raise Problem(403, "this form is out of date: open the page again, and sign in there")
        # Of two people at one browser the second is not the first.
        site.visits.end(cookie(request, COOKIE))
        text = "".join(fields.get("token", "").split())
        begun = await run_in_threadpool(site.visits.begin, text)
        if begun is None:
            check_rate(request, f"address {address(request)}")  # whoever tries tokens is slowed
            return _login(site, request, 401, fault={"field": "token", "said": _WRONG if text else "paste your token"})
        response = _to("/")
        response.set_cookie(cookie_name(request, COOKIE), begun, **_terms(request))
        response.delete_cookie(cookie_name(request, _BEFORE), **_terms(request))
        return response

    @router.post("/logout")
    async def sign_out(request: Request) -> Response:
        """Of a form, so that no link of another site ends a visit."""
        await site.fields(request, site.visit(request))
        site.visits.end(cookie(request, COOKIE))
        response = _to("/login")
        response.delete_cookie(cookie_name(request, COOKIE), **_terms(request))
        return response

    return router


def _to(url: str) -> RedirectResponse:
    """After a form: what is loaded again then is the page, and not the form once more."""
    return RedirectResponse(url, 303, headers=HEADERS)


def _login(site: Site, request: Request, status: int = 200, said: str = "", **context: Any) -> Response:
    """The form of signing in, with a new word in it and in a cookie; said: above it, as that a visit has ended."""
    before = token_urlsafe(24)
    response = site.page(request, "login.html", status, title="Sign in", said=said, csrf=before, **context)
    response.set_cookie(cookie_name(request, _BEFORE), before, **_terms(request))
    return response


def _terms(request: Request) -> dict[str, Any]:
    """No script reads a cookie, no other site sends it, and behind HTTPS it never travels without."""
    return {"path": "/", "httponly": True, "samesite": "strict", "secure": request.url.scheme == "https"}


_LATEST: Final = 3
_KEYS: Final = ("measure", "query", "epsilon", "within", "noise", "confidence")
_NUMBERS: Final = ("epsilon", "within", "confidence")


def _analyst(site: Site) -> APIRouter:
    """The routes below `/data/`."""
    router = APIRouter(route_class=page_route(site), include_in_schema=False)

    def sitting(request: Request, name: str) -> tuple[Visit, Session]:
        """Who looks, before that data set. Problem 404 for one that is not theirs, 403 where the policy names them no
        more."""
        visit = site.visit(request, Role.analyst)
        if not visit.token.reaches(name):
            raise Problem(404, "there is no such data set, at least none that your token is of")
        try:
            return visit, site.curator.session(visit.token.name, name)
        except InputError as error:
            raise Problem(403, str(error), "policy") from None

    async def listed(request: Request, name: str, title: str, first: int) -> Response:
        """The newest answers first; first: from which on, of the oldest, or the newest so many where it is negative."""
        visit, session = sitting(request, name)

        def found() -> dict[str, Any]:
            paid = [json_forms.shown_answer_json(each) for each in reversed(session.history()[first:])]
            return {"latest": paid, "budgets": json_forms.budgets_json(session.budget())}

        context = await within(serving_of(request).reads, found, visit.token)
        data = json_forms.own_data_set_json(session.data, session)
        about: dict[str, Any] = {"title": title, "visit": visit, "name": name, "data": data, "all": first == 0}
        return site.page(request, "data.html", **about, **context)

    @router.get("/data/{name}")
    async def data(request: Request, name: str) -> Response:
        """What is promised, what is left, and the latest answers."""
        return await listed(request, name, name, -_LATEST)

    @router.get("/data/{name}/answers")
    async def answers(request: Request, name: str) -> Response:
        """All answers, the newest first."""
        return await listed(request, name, "Your answers", 0)

    @router.get("/data/{name}/answers/{entry}")
    async def answer(request: Request, name: str, entry: str) -> Response:
        """One answer with its certificate; entry: its number in the ledger."""
        visit, session = sitting(request, name)

        def found() -> dict[str, Any]:
            if (paid := json_forms.of_entry(session.history(), entry)) is None:
                raise Problem(404, "there is no such answer, at least none of yours")
            return {"answer": json_forms.shown_answer_json(paid), "budgets": json_forms.budgets_json(session.budget())}

        context = await within(serving_of(request).reads, found, visit.token)
        return site.page(request, "answer.html", title=f"Answer {entry}", visit=visit, name=name, **context)

    @router.get("/data/{name}/ask")
    async def compose(request: Request, name: str) -> Response:
        """The form of a question, filled in as the address says: a link may hold a whole question."""
        visit, session = sitting(request, name)
        return _form(site, request, visit, session, dict(request.query_params))

    @router.post("/data/{name}/ask")
    async def ask(request: Request, name: str) -> Response:
        """Either button of the form: what it would cost, or the answer."""
        visit, session = sitting(request, name)
        fields = await site.fields(request, visit)
        # The first button says what it would cost; only the page that says so has the second.
        if fields.get("do") == "ask":
            return await _paid(request, visit, session, fields.get("ask", ""))
        return await _priced(site, request, visit, session, fields)

    return router


def _ask_of(fields: Mapping[str, str]) -> Ask:
    """The ask that a form says. InputError names the key, the value and what was wanted."""
    return read_ask({key: _value(key, text) for key in _KEYS if (text := fields.get(key, "").strip())})


def _value(key: str, text: str) -> Any:
    """What a field says: a measure's name as it is, all else as JSON. InputError, in words for the field."""
    if key == "measure":
        return text
    try:
        return json_value(text.encode())
    except NotJson as error:
        number = "a number, such as 0.25 (with a point, not a comma)"
        raise InputError(key, text, number if key in _NUMBERS else str(error)) from None


async def _priced(site: Site, request: Request, visit: Visit, session: Session, fields: Mapping[str, str]) -> Response:
    """What it would cost; what is wrong with it is said at the field that it is about."""

    def found() -> dict[str, Any]:
        asked = _ask_of(fields)
        quote = session.estimate(asked)
        return {
            **json_forms.quote_json(quote),
            "ask": asked.model_dump_json(exclude_none=True),
            "question": f"{asked.measure}: {asked.query.words}",
            "added": None if quote.calibration is None else quote.calibration.noise.words,
            "means": None if quote.cost is None else in_words(session.data.notion, quote.cost.leakage),
            "now": json_forms.budgets_json(session.budget()),
        }

    try:
        quote = await within(serving_of(request).asks, found, visit.token)
    except DaleniusError as error:
        problem = problem_of(error)
        # A table that cannot be reached, or a mistake of ours, is no field's.
        if problem is None or problem.status_code == 503:  # its words are for whoever runs the service
            raise
        parts = error.key.replace(" ", ".").split(".") if isinstance(error, InputError) else []
        fault = {"field": next((part for part in parts if part in _KEYS), ""), "said": problem.message}
        return _form(site, request, visit, session, fields, problem.status_code, fault=fault)
    return _form(site, request, visit, session, fields, quote=quote)


async def _paid(request: Request, visit: Visit, session: Session, text: str) -> Response:
    """The answer to what a price was shown of. A second click, or the page sent again, is the same question, whose
    answer the ledger has: it is free."""
    try:
        asked = read_ask(parsed(text.encode()))
    except (NotJson, InputError):
        raise Problem(409, "this form is out of date: look at the price again, and ask then") from None
    done = await answered(serving_of(request), session, asked, None, visit.token)
    return RedirectResponse(data_url(session.data.name, "answers", str(done.entry)), 303, headers=HEADERS)


def _form(
    site: Site,
    request: Request,
    visit: Visit,
    session: Session,
    fields: Mapping[str, str],
    status: int = 200,
    **context: Any,
) -> Response:
    """The form of a question with what was typed; context: the price, or the fault and at which field it is shown."""
    # What was typed stays, whatever is wrong with it; an empty form has a count in it, to begin with.
    measures = json_forms.own_data_set_json(session.data, session)["measures"]
    form = dict.fromkeys(_KEYS, "") | {"query": '{"kind": "count"}', "confidence": "0.95"} | dict(fields)
    about = {"title": "Ask", "visit": visit, "name": session.data.name, "measures": measures, "form": form}
    return site.page(request, "ask.html", status, **about, **{"quote": None, **context})


# Debits of a data set on its page, the newest: the API lists all of them.
_LISTED: Final = 500


def _owner(site: Site) -> APIRouter:
    """The routes `/ledger` and `/exposed`."""
    router = APIRouter(route_class=page_route(site), include_in_schema=False)
    curator = site.curator

    def reached(visit: Visit) -> list[DataSet]:
        """The data sets that whoever looks may see, as the policy has them now."""
        return [each for each in curator.policy.data if visit.token.reaches(each.name)]

    async def shown(
        request: Request, template: str, title: str, found: Callable[[Visit], dict[str, Any]], *roles: Role
    ) -> Response:
        """A page of what is found in the ledger, in a thread of those that read. roles: who may see it beside
        owners."""
        visit = site.visit(request, Role.owner, *roles)
        context = await within(serving_of(request).reads, lambda: found(visit), visit.token)
        return site.page(request, template, title=title, visit=visit, **context)

    @router.get("/ledger")
    async def ledger(request: Request) -> Response:
        """Every data set with what is promised, what is spent and its debits, once each entry's hash was checked."""

        def found(visit: Visit) -> dict[str, Any]:
            try:
                history = curator.ledger.verified()
            except InputError as error:  # of a ledger that is not whole nothing is shown
                return {"broken": error.wanted, "checked": None, "accounts": []}
            paid = {each.name: each.paid[: -_LISTED - 1 : -1] for each in accounts(history)}
            listed = [
                {
                    "name": each.name,
                    **json_forms.all_budgets_json(each, curator),
                    "promised": in_words(each.notion),
                    "so_far": in_words(each.notion, curator.budget(each.name).spent),
                    "debits": [json_forms.shown_answer_json(one) for one in paid.get(each.name, ())],
                }
                for each in reached(visit)
            ]
            return {"broken": None, "checked": history.as_json(), "accounts": listed}

        return await shown(request, "ledger.html", "Ledger", found, Role.auditor)

    @router.get("/ledger/{entry}")
    async def answer(request: Request, entry: str) -> Response:
        """One answer of anybody's, of the data sets that whoever looks may see."""

        def found(visit: Visit) -> dict[str, Any]:
            for data in reached(visit):
                if (paid := json_forms.of_entry(json_forms.paid(curator.ledger, data.name), entry)) is not None:
                    budgets = {"own": None, "data": curator.budget(data.name).as_json()}
                    return {"answer": json_forms.shown_answer_json(paid), "name": data.name, "budgets": budgets}
            raise Problem(404, "there is no such answer, at least none that your token is of")

        return await shown(request, "answer.html", f"Answer {entry}", found, Role.auditor)

    @router.get("/exposed")
    async def exposed(request: Request) -> Response:
        """Of each data set the answers that say about whom they say most, the most exposing first."""

        def found(visit: Visit) -> dict[str, Any]:
            history = curator.ledger.history()
            known = [each for each in accounts(history) if each.name and visit.token.reaches(each.name)]
            listed = [[json_forms.shown_answer_json(one) for one in each.paid if _has_witness(one)] for each in known]
            for rows in listed:
                rows.sort(key=lambda row: (-float(row["release"]["certificate"]["leakage"]["upper"]), row["debit"]))
            return {"accounts": [(each.name, rows) for each, rows in zip(known, listed, strict=True)]}

        return await shown(request, "exposed.html", "Who is most exposed", found)

    return router


def _has_witness(paid: Paid) -> bool:
    """Whether its certificate says about whom it says most: one with an answer, of a notion that is of one person."""
    certificate = {} if paid.recorded is None else paid.recorded.published.certificate
    return (certificate.get("leakage") or {}).get("witness") is not None


def make_router(curator: Curator, tokens: Tokens) -> APIRouter:
    """The pages, at the root: `/`, `/login`, `/data/…`, `/ledger` and what they load. Nothing is asked of the curator
    before somebody is signed in."""
    site = Site(curator, tokens)
    router = APIRouter(include_in_schema=False)
    for part in (_entrance, _analyst, _owner):
        router.include_router(part(site))
    return router
