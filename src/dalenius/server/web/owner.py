"""The pages of owners and auditors: the ledger; of owners alone: who is most exposed, and what was promised."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from dalenius.server.tokens import ALL, Role
from dalenius.server.web import books
from dalenius.server.web.site import Site, page_route


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
            if visit.token.role is Role.owner and checked.whole:
                mine = (each for each in site.curator.policy.data if visit.token.reaches(each.name))
                spending = books.spending(books.by_name(history), mine)
            more = leaf.first + len(leaf.rows) < leaf.total
            older = f"/ledger?page={number + 1}" if more and leaf.rows else None
            newer = f"/ledger?page={number - 1}" if number > 1 else None
            return {"checked": checked, "leaf": leaf, "accounts": spending, "older": older, "newer": newer}

        context = await site.read(request, visit, found)
        return site.page(request, "ledger.html", title="Ledger", visit=visit, **context)

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
        visit = site.visit(request, Role.owner)

        def found() -> list[books.Meaning]:
            known = books.by_name(ledger_of.history())
            mine = [each for each in site.curator.policy.data if visit.token.reaches(each.name)]
            return [books.meaning(each, known.get(each.name)) for each in mine]

        listed = await site.read(request, visit, found)
        return site.page(request, "promises.html", title="What each promise means", visit=visit, promises=listed)

    return router


def _page_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 7 and int(text) else 1
