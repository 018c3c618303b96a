"""An analyst's pages: what may be asked, what it would cost, the answers."""

from collections.abc import Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from dalenius.curator import Failed, Session
from dalenius.errors import DaleniusError, InputError
from dalenius.server.doors import serving_of
from dalenius.server.tokens import Role
from dalenius.server.web import seen
from dalenius.server.web.asking import Asking, labelled_by
from dalenius.server.web.form import NAMES, Fault, Faulty, Form, fault_of
from dalenius.server.web.odds import promise
from dalenius.server.web.site import HEADERS, Shown, Site, data_url, page_route, shown_of
from dalenius.server.web.visits import Visit

LATEST: Final = 3
URLS: Final = (("data",), ("history", "answers"), ("ask", "ask"))
STALE: Final = "its price was shown too long ago, or to somebody else: look at the price again, and ask then"


def analyst(site: Site) -> APIRouter:
    router = APIRouter(route_class=page_route(site), include_in_schema=False)

    def sitting(request: Request, name: str) -> tuple[Visit, Session]:
        visit = site.visit(request, Role.analyst)
        if not visit.token.reaches(name):
            raise Shown(404, "There is no such data set", "At least none that your token is of.")
        try:
            return visit, site.curator.session(visit.token.name, name)
        except InputError as error:
            raise Shown(403, "The policy does not let you ask", str(error)) from None

    @router.get("/data/{name}")
    async def data(request: Request, name: str) -> Response:
        visit, session = sitting(request, name)

        def found() -> dict[str, Any]:
            paid = session.history()
            return {"bars": seen.bars_of(session.budget(), name), "latest": _latest(paid[-LATEST:], name)}

        return site.page(
            request,
            "data.html",
            title=name,
            visit=visit,
            name=name,
            promise=promise(session.data.notion),
            measures=seen.measures_of(session),
            caption="The latest of your answers, newest first",
            ask_url=data_url(name, "ask"),
            history_url=data_url(name, "answers"),
            **await site.read(request, visit, found),
        )

    @router.get("/data/{name}/answers")
    async def answers(request: Request, name: str) -> Response:
        visit, session = sitting(request, name)

        def found() -> dict[str, Any]:
            return {"bars": seen.bars_of(session.budget(), name), "latest": _latest(session.history(), name)}

        context = await site.read(request, visit, found)
        words: dict[str, Any] = {
            "title": "Your answers",
            "caption": "Your answers, newest first",
            "ask_url": data_url(name, "ask"),
        }
        return site.page(request, "history.html", visit=visit, name=name, **words, **context)

    @router.get("/data/{name}/answers/{entry}")
    async def answer(request: Request, name: str, entry: str) -> Response:
        visit, session = sitting(request, name)

        def found() -> dict[str, Any]:
            for each in session.history():
                if each.recorded is not None and str(each.recorded.entry) == entry:
                    budgets = session.budget()
                    shown = seen.answer(each, session.data, budgets.data.spent)
                    return {"answer": shown, "bars": seen.bars_of(budgets, name)}
            raise Shown(404, "There is no such answer", "At least none of yours.")

        urls: dict[str, Any] = {
            "data_url": data_url(name),
            "history_url": data_url(name, "answers"),
            "ask_url": data_url(name, "ask"),
        }
        context = await site.read(request, visit, found)
        return site.page(request, "answer.html", title=f"Answer {entry}", visit=visit, name=name, **urls, **context)

    @router.get("/data/{name}/ask")
    async def compose(request: Request, name: str) -> Response:
        visit, session = sitting(request, name)
        form = Form(dict(request.query_params))
        return await _page(site, request, visit, Asking(session, form))

    @router.post("/data/{name}/ask")
    async def ask(request: Request, name: str) -> Response:
        visit, session = sitting(request, name)
        fields = await site.said(request, visit)
        if fields.get("do") == "ask":
            return await _paid(site, request, visit, session, fields.get("key", ""))
        return await _priced(site, request, visit, session, fields)

    return router


def _latest(paid: Any, name: str) -> list[seen.PaidSeen]:
    return [seen.paid(each, name) for each in reversed(paid)]


async def _priced(site: Site, request: Request, visit: Visit, session: Session, fields: Mapping[str, str]) -> Response:
    """What it would cost."""
    asking = Asking(session, Form(fields))
    try:
        asked = asking.form.ask(labelled_by(session, asking.measure))
        quote = await site.ask(request, visit, lambda: session.estimate(asked))
    except Faulty as error:
        return await _page(site, request, visit, asking, 422, *error.faults)
    except DaleniusError as error:
        return await _refused(site, request, visit, asking, error)
    key = site.visits.price(visit, session.data.name, asked, fields)
    question = f"{asked.measure}: {asked.query.words}."
    quoted = await site.read(request, visit, lambda: seen.quoted(quote, session, key, question))
    return await _page(site, request, visit, asking.with_(quoted))


async def _paid(site: Site, request: Request, visit: Visit, session: Session, key: str) -> Response:
    """The answer. The key makes a second click, or the page sent again, the same request."""
    priced = visit.priced.get(key)
    if priced is None or priced.data != session.data.name:
        return await _page(
            site, request, visit, Asking(session, Form({})), 409, Fault("", f"Nothing was asked: {STALE}.")
        )
    try:
        done = await site.repeat(request, visit, lambda: session.repeated(priced.ask, key))
        if done is None:
            done = await site.ask(request, visit, lambda: serving_of(request).ask(session, priced.ask, key))
    except Failed:
        raise
    except DaleniusError as error:
        return await _refused(site, request, visit, Asking(session, Form(priced.fields)), error)
    return RedirectResponse(data_url(session.data.name, "answers", str(done.entry)), 303, headers=HEADERS)


async def _refused(site: Site, request: Request, visit: Visit, asking: Asking, error: DaleniusError) -> Response:
    """At the field that it is about, if it is about one: what is overspent is about how much is spent."""
    shown = shown_of(error)
    assert shown is not None
    if shown.status == 503:  # its words are for whoever runs the service
        raise error
    said = str(error)
    fault = Fault(asking.form.precise, f"{said[:1].upper()}{said[1:]}")
    if isinstance(error, InputError):
        fault = fault_of(error, asking.form.given)
    return await _page(site, request, visit, asking, shown.status, fault)


async def _page(
    site: Site, request: Request, visit: Visit, asking: Asking, status: int = 200, *faults: Fault
) -> Response:
    name = asking.session.data.name
    context = await site.read(request, visit, lambda: asking.context)
    return site.page(
        request,
        "ask.html",
        status,
        title="Compose a query",
        visit=visit,
        name=name,
        faults=faults,
        names={**NAMES, **asking.names},
        data_url=data_url(name),
        ask_url=data_url(name, "ask"),
        **context,
    )
