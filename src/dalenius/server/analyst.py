"""An analyst's pages: what may be asked, the form that asks it, what it would cost, the answers.

The form has the keys of an ask (`dalenius.curator.Ask`), each as JSON writes it, and one that is left blank is left
out: a query of any kind, and any noise, are asked in a browser as they are over the API.
"""

from collections.abc import Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from dalenius.curator import Ask, Session, read_ask
from dalenius.errors import DaleniusError, InputError
from dalenius.notions import in_words
from dalenius.server import json_forms
from dalenius.server.access import answered, serving_of, within
from dalenius.server.errors_and_log import NotJson, json_value, parsed, problem_of
from dalenius.server.site import HEADERS, Shown, Site, Visit, data_url, page_route
from dalenius.server.tokens import Role

_LATEST: Final = 3
_KEYS: Final = ("measure", "query", "epsilon", "within", "noise", "confidence")
_NUMBERS: Final = ("epsilon", "within", "confidence")


def analyst(site: Site) -> APIRouter:
    """The routes below `/data/`."""
    router = APIRouter(route_class=page_route(site), include_in_schema=False)

    def sitting(request: Request, name: str) -> tuple[Visit, Session]:
        visit = site.visit(request, Role.analyst)
        if not visit.token.reaches(name):
            raise Shown(404, "There is no such data set", "At least none that your token is of.")
        try:
            return visit, site.curator.session(visit.token.name, name)
        except InputError as error:
            raise Shown(403, "The policy does not let you ask", str(error)) from None

    async def listed(request: Request, name: str, title: str, first: int) -> Response:
        visit, session = sitting(request, name)

        def found() -> dict[str, Any]:
            paid = [json_forms.told(each) for each in reversed(session.history()[first:])]
            return {"latest": paid, "budgets": json_forms.budgets(session.budget())}

        context = await within(serving_of(request).reads, found, visit.token)
        data = json_forms.own_data_set(session.data, session)
        about: dict[str, Any] = {"title": title, "visit": visit, "name": name, "data": data, "all": first == 0}
        return site.page(request, "data.html", **about, **context)

    @router.get("/data/{name}")
    async def data(request: Request, name: str) -> Response:
        return await listed(request, name, name, -_LATEST)

    @router.get("/data/{name}/answers")
    async def answers(request: Request, name: str) -> Response:
        return await listed(request, name, "Your answers", 0)

    @router.get("/data/{name}/answers/{entry}")
    async def answer(request: Request, name: str, entry: str) -> Response:
        visit, session = sitting(request, name)

        def found() -> dict[str, Any]:
            for each in session.history():
                if each.recorded is not None and str(each.recorded.entry) == entry:
                    return {"answer": json_forms.told(each), "budgets": json_forms.budgets(session.budget())}
            raise Shown(404, "There is no such answer", "At least none of yours.")

        context = await within(serving_of(request).reads, found, visit.token)
        return site.page(request, "answer.html", title=f"Answer {entry}", visit=visit, name=name, **context)

    @router.get("/data/{name}/ask")
    async def compose(request: Request, name: str) -> Response:
        visit, session = sitting(request, name)
        return _form(site, request, visit, session, dict(request.query_params))

    @router.post("/data/{name}/ask")
    async def ask(request: Request, name: str) -> Response:
        visit, session = sitting(request, name)
        fields = await site.fields(request, visit)
        if fields.get("do") == "ask":
            return await _paid(request, visit, session, fields.get("ask", ""))
        return await _priced(site, request, visit, session, fields)

    return router


def _ask_of(fields: Mapping[str, str]) -> Ask:
    """The ask that a form says. InputError names the key, the value and what was wanted."""
    return read_ask({key: _value(key, text) for key in _KEYS if (text := fields.get(key, "").strip())})


def _value(key: str, text: str) -> Any:
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
            **json_forms.quote(quote),
            "ask": asked.model_dump_json(exclude_none=True),
            "question": f"{asked.measure}: {asked.query.words}",
            "added": None if quote.calibration is None else quote.calibration.noise.words,
            "means": None if quote.cost is None else in_words(session.data.notion, quote.cost.leakage),
            "now": json_forms.budgets(session.budget()),
        }

    try:
        quote = await within(serving_of(request).asks, found, visit.token)
    except DaleniusError as error:
        problem = problem_of(error)
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
        said = "Nothing was asked: look at the price again, and ask then."
        raise Shown(409, "This form is out of date", said) from None
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
    measures = json_forms.own_data_set(session.data, session)["measures"]
    form = dict.fromkeys(_KEYS, "") | {"query": '{"kind": "count"}', "confidence": "0.95"} | dict(fields)
    about = {"title": "Ask", "visit": visit, "name": session.data.name, "measures": measures, "form": form}
    return site.page(request, "ask.html", status, **about, **{"quote": None, **context})
