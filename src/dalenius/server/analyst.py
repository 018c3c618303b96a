"""An analyst's pages: what may be asked, the form that composes it, what it would cost, the answers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from dalenius.curator import Failed, Session
from dalenius.errors import DaleniusError, InputError
from dalenius.reports.page_parts import down
from dalenius.server import analyst_view
from dalenius.server.access import serving_of
from dalenius.server.analyst_view import promise
from dalenius.server.form import (
    NAMES,
    NOISES,
    Entry,
    Fault,
    Faulty,
    Form,
    entries,
    fault_of,
    inner,
    part_prefix,
    within,
)
from dalenius.server.site import HEADERS, Shown, Site, Visit, data_url, page_route, shown_of
from dalenius.server.tokens import Role


class Field(NamedTuple):
    """One as it was filled in."""

    id: str
    text: str
    entry: Entry


class Part(NamedTuple):
    """A question within the question. id: of the field that chooses its kind, which is "" where there is none yet."""

    id: str
    name: str
    kind: str
    fields: Sequence[Field]


@final
class Asking:
    """The state of the page that composes a query. form: as it was sent; quoted: its price, None until it was asked
    for; measure: the name of what is asked about, the first unless another is named."""

    def __init__(self, session: Session, form: Form, quoted: analyst_view.Seen | None = None) -> None:
        self.session, self.form, self.quoted = session, form, quoted
        self._measures = analyst_view.measures_of(session)
        named = [each for each in self._measures if each.name == form.measure]
        self._measure = next(iter((*named, *self._measures)), None)
        self.measure = self._measure.name if self._measure is not None else form.measure
        self._kinds = () if self._measure is None else self._measure.kinds
        self._kind = form.kind if form.kind in self._kinds else self._kinds[0] if self._kinds else ""
        self._fields, self._parts = self._fields_of(self._kind, ""), tuple(self._asked_within())

    @property
    def labelled(self) -> bool:
        """Whether what is asked can tell people apart by label."""
        measure = next((each for each in self.session.measures if each.name == self.measure), None)
        return analyst_view.labelled(self.session.data, measure)

    @property
    def names(self) -> Mapping[str, str]:
        """Of the fields of this kind of query."""
        found = {field.id: field.entry.name for field in self._fields or ()}
        for part in self._parts:
            found |= {part.id: part.name} | {each.id: f"{part.name}, {each.entry.name}" for each in part.fields}
        return found

    def context(self) -> dict[str, Any]:
        budgets = self.session.budget()
        least = min(budgets.own.remaining, budgets.data.remaining)
        return {
            "form": Form({**self.form.given, "kind": self._kind, "measure": self.measure}),
            "measure": self._measure,
            "measures": self._measures,
            "kinds": self._kinds,
            "fields": self._fields,
            "parts": self._parts,
            "within": within(self._kinds),
            "noises": NOISES,
            "quoted": self.quoted,
            "left_hint": f"{down(least)} nats are left to you.",
        }

    def _asked_within(self) -> Iterator[Part]:
        for number in range(1, inner(self._kind)[1] + 1):
            prefix = part_prefix(number)
            kind = self.form.given.get(f"{prefix}kind", "")
            kind = kind if kind in within(self._kinds) else ""
            yield Part(f"{prefix}kind", f"Question {number}", kind, self._fields_of(kind, prefix) or ())

    def _fields_of(self, kind: str, prefix: str) -> Sequence[Field] | None:
        """None where there is no such form."""
        found = entries(kind, self.labelled) if kind else None
        given = self.form.given
        if found is None:
            return None
        return [Field(prefix + name, given.get(prefix + name, ""), entry) for name, entry in found.items()]


LATEST: Final = 3
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

    async def listed(request: Request, name: str, template: str, title: str, first: int) -> Response:
        visit, session = sitting(request, name)

        def found() -> dict[str, Any]:
            latest = reversed(session.history()[first:])
            return {
                "bars": analyst_view.bars_of(session.budget(), name),
                "latest": [analyst_view.paid(each, name) for each in latest],
            }

        context = await site.read(request, visit, found)
        about: dict[str, Any] = {"promise": promise(session.data.notion), "measures": analyst_view.measures_of(session)}
        return site.page(request, template, title=title, visit=visit, name=name, **about, **context)

    @router.get("/data/{name}")
    async def data(request: Request, name: str) -> Response:
        return await listed(request, name, "data.html", name, -LATEST)

    @router.get("/data/{name}/answers")
    async def answers(request: Request, name: str) -> Response:
        return await listed(request, name, "history.html", "Your answers", 0)

    @router.get("/data/{name}/answers/{entry}")
    async def answer(request: Request, name: str, entry: str) -> Response:
        visit, session = sitting(request, name)

        def found() -> dict[str, Any]:
            for each in session.history():
                if each.recorded is not None and str(each.recorded.entry) == entry:
                    budgets = session.budget()
                    shown = analyst_view.answer(each, session.data, budgets.data.spent)
                    return {"answer": shown, "bars": analyst_view.bars_of(budgets, name)}
            raise Shown(404, "There is no such answer", "At least none of yours.")

        context = await site.read(request, visit, found)
        return site.page(request, "answer.html", title=f"Answer {entry}", visit=visit, name=name, **context)

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


async def _priced(site: Site, request: Request, visit: Visit, session: Session, fields: Mapping[str, str]) -> Response:
    """What it would cost."""
    asking = Asking(session, Form(fields))
    try:
        asked = asking.form.ask(asking.labelled)
        quote = await site.ask(request, visit, lambda: session.estimate(asked))
    except Faulty as error:
        return await _page(site, request, visit, asking, 422, *error.faults)
    except DaleniusError as error:
        return await _refused(site, request, visit, asking, error)
    key = site.visits.price(visit, session.data.name, asked, fields)
    question = f"{asked.measure}: {asked.query.words}."
    quoted = await site.read(request, visit, lambda: analyst_view.quoted(quote, session, key, question))
    return await _page(site, request, visit, Asking(session, asking.form, quoted))


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
    context = await site.read(request, visit, asking.context)
    return site.page(
        request,
        "ask.html",
        status,
        title="Compose a query",
        visit=visit,
        name=name,
        faults=faults,
        names={**NAMES, **asking.names},
        **context,
    )
