"""The pages of owners and auditors: the ledger, what was promised, every answer; of owners alone: exposure."""

from collections.abc import Callable
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from dalenius.curator import DataSet, accounts
from dalenius.errors import InputError
from dalenius.notions import in_words
from dalenius.server import json_forms
from dalenius.server.access import serving_of, within
from dalenius.server.errors_and_log import Problem
from dalenius.server.site import Site, Visit, page_route
from dalenius.server.tokens import Role

# Debits of a data set on its page, the newest: the API lists all of them.
_LISTED: Final = 500


def owner(site: Site) -> APIRouter:
    """The routes `/ledger` and `/exposed`."""
    router = APIRouter(route_class=page_route(site), include_in_schema=False)
    curator = site.curator

    def reached(visit: Visit) -> list[DataSet]:
        return [each for each in curator.policy.data if visit.token.reaches(each.name)]

    async def shown(
        request: Request, template: str, title: str, found: Callable[[Visit], dict[str, Any]], *roles: Role
    ) -> Response:
        visit = site.visit(request, Role.owner, *roles)
        context = await within(serving_of(request).reads, lambda: found(visit), visit.token)
        return site.page(request, template, title=title, visit=visit, **context)

    @router.get("/ledger")
    async def ledger(request: Request) -> Response:
        def found(visit: Visit) -> dict[str, Any]:
            try:
                history = curator.ledger.verified()
            except InputError as error:  # of a ledger that is not whole nothing is shown
                return {"broken": error.wanted, "checked": None, "accounts": []}
            paid = {each.name: each.paid[: -_LISTED - 1 : -1] for each in accounts(history)}
            listed = [
                {
                    "name": each.name,
                    **json_forms.all_budgets(each, curator),
                    "promised": in_words(each.notion),
                    "so_far": in_words(each.notion, curator.budget(each.name).spent),
                    "debits": [json_forms.told(one) for one in paid.get(each.name, ())],
                }
                for each in reached(visit)
            ]
            return {"broken": None, "checked": history.as_json(), "accounts": listed}

        return await shown(request, "ledger.html", "Ledger", found, Role.auditor)

    @router.get("/ledger/{entry}")
    async def answer(request: Request, entry: str) -> Response:
        def found(visit: Visit) -> dict[str, Any]:
            for data in reached(visit):
                for each in json_forms.paid(curator.ledger, data.name):
                    if each.recorded is not None and str(each.recorded.entry) == entry:
                        budgets = {"own": None, "data": curator.budget(data.name).as_json()}
                        return {"answer": json_forms.told(each), "name": data.name, "budgets": budgets}
            raise Problem(404, "there is no such answer, at least none that your token is of")

        return await shown(request, "answer.html", f"Answer {entry}", found, Role.auditor)

    @router.get("/exposed")
    async def exposed(request: Request) -> Response:
        def found(visit: Visit) -> dict[str, Any]:
            history = curator.ledger.history()
            known = [each for each in accounts(history) if each.name and visit.token.reaches(each.name)]
            listed = [[json_forms.told(one) for one in each.paid if _has_witness(one)] for each in known]
            for rows in listed:
                rows.sort(key=lambda row: (-float(row["release"]["certificate"]["leakage"]["upper"]), row["debit"]))
            return {"accounts": [(each.name, rows) for each, rows in zip(known, listed, strict=True)]}

        return await shown(request, "exposed.html", "Who is most exposed", found)

    return router


def _has_witness(paid: Any) -> bool:
    """Whether its certificate says about whom it says most: one with an answer, of a notion that is of one person."""
    certificate = {} if paid.recorded is None else paid.recorded.published.certificate
    return (certificate.get("leakage") or {}).get("witness") is not None
