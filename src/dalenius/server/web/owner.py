"""The pages of owners and auditors: the ledger, every answer, what was promised; of owners alone: exposure."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from dalenius.server.tokens import ALL, Role
from dalenius.server.web import books
from dalenius.server.web.bars import bar
from dalenius.server.web.seen import answer as answer_seen
from dalenius.server.web.site import Shown, Site, page_route


def owner(site: Site) -> APIRouter:
    router = APIRouter(route_class=page_route(site), include_in_schema=False)
    ledger_of = site.curator.ledger

    @router.get("/ledger")
    async def ledger(request: Request) -> Response:
        visit = site.visit(request, Role.owner, Role.auditor)
        number = _page_number(request.query_params.get("page", "1"))

        def found() -> dict[str, Any]:
            checked, history = books.checked(ledger_of)
            leaf = books.leaf(history, number, visit.token.reaches, visit.token.data == ALL)
            spending = None
            if checked.whole:
                mine = (each for each in site.curator.policy.data if visit.token.reaches(each.name))
                spending = books.spending(books.by_name(history), mine)
            more = leaf.first + len(leaf.rows) < leaf.total
            older = f"/ledger?page={number + 1}" if more and leaf.rows else None
            newer = f"/ledger?page={number - 1}" if number > 1 else None
            return {"checked": checked, "leaf": leaf, "accounts": spending, "older": older, "newer": newer}

        context = await site.read(request, visit, found)
        return site.page(request, "ledger.html", title="Ledger", visit=visit, **context)

    @router.get("/ledger/{entry}")
    async def answer(request: Request, entry: str) -> Response:
        visit = site.visit(request, Role.owner, Role.auditor)

        def found() -> dict[str, Any]:
            known = books.by_name(ledger_of.history())
            mine = [each for each in site.curator.policy.data if visit.token.reaches(each.name)]
            for data, account in ((each, known[each.name]) for each in mine if each.name in known):
                for paid in account.paid:
                    if paid.recorded is not None and str(paid.recorded.entry) == entry:
                        shown = answer_seen(paid, data, account.budget.spent)
                        return {"answer": shown, "name": data.name, "bars": (bar(data.name, account.budget),)}
            raise Shown(404, "There is no such answer", "At least none that your token is of.")

        context = await site.read(request, visit, found)
        urls: dict[str, Any] = {"data_url": None, "history_url": "/ledger", "ask_url": None}
        return site.page(request, "answer.html", title=f"Answer {entry}", visit=visit, **urls, **context)

    @router.get("/exposed")
    async def exposed(request: Request) -> Response:
        visit = site.visit(request, Role.owner)

        def found() -> list[books.Exposure]:
            known = books.by_name(ledger_of.history())
            return [books.exposure(each) for name, each in known.items() if visit.token.reaches(name)]

        accounts = await site.read(request, visit, found)
        return site.page(request, "exposed.html", title="Who is most exposed", visit=visit, accounts=accounts)

    @router.get("/promises")
    async def promises(request: Request) -> Response:
        visit = site.visit(request, Role.owner, Role.auditor)

        def found() -> list[books.Meaning]:
            known = books.by_name(ledger_of.history())
            mine = [each for each in site.curator.policy.data if visit.token.reaches(each.name)]
            return [books.meaning(each, known.get(each.name)) for each in mine]

        listed = await site.read(request, visit, found)
        return site.page(request, "promises.html", title="What each promise means", visit=visit, promises=listed)

    return router


def _page_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 7 and int(text) else 1
