"""The pages of owners and auditors: the ledger, every answer, what was promised; of owners alone: exposure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from dalenius.curator import Account, Budget, DataSet, History, Ledger, Link, Paid, accounts
from dalenius.curator.amounts import amount_of, nats
from dalenius.curator.budgets import notion_of
from dalenius.curator.publication import is_failure
from dalenius.errors import InputError
from dalenius.reports.page_parts import near, up
from dalenius.server.analyst_view import (
    Seen,
    answer as answer_seen,
    bar,
    believed,
    leaked,
    of_odds,
    promise,
    question_words,
    when_of,
)
from dalenius.server.site import Shown, Site, Visit, page_route
from dalenius.server.tokens import ALL, Role

PAGE: Final = 50


def owner(site: Site) -> APIRouter:
    router = APIRouter(route_class=page_route(site), include_in_schema=False)
    ledger_of = site.curator.ledger

    def reached(visit: Visit) -> list[DataSet]:
        return [each for each in site.curator.policy.data if visit.token.reaches(each.name)]

    @router.get("/ledger")
    async def ledger(request: Request) -> Response:
        visit = site.visit(request, Role.owner, Role.auditor)
        number = _page_number(request.query_params.get("page", "1"))

        def found() -> Seen:
            checked, history = _checked(ledger_of)
            links: Sequence[Link] = tuple(reversed(history.links))
            if visit.token.data != ALL:  # else no other page's entries are read
                links = tuple(link for link in links if visit.token.reaches(_debited(link, history).get("data") or ""))
            first = (number - 1) * PAGE
            rows = [_entry(link, history) for link in links[first : first + PAGE]]
            known = _by_name(history)
            return {
                "checked": checked,
                "rows": rows,
                "caption": _caption(first, len(rows), len(links)),
                "accounts": [_spending(each, known.get(each.name)) for each in reached(visit)],
                "older": f"/ledger?page={number + 1}" if rows and first + len(rows) < len(links) else None,
                "newer": f"/ledger?page={number - 1}" if number > 1 else None,
            }

        context = await site.read(request, visit, found)
        return site.page(request, "ledger.html", title="Ledger", visit=visit, **context)

    @router.get("/ledger/{entry}")
    async def answer(request: Request, entry: str) -> Response:
        visit = site.visit(request, Role.owner, Role.auditor)

        def found() -> dict[str, Any]:
            known = _by_name(ledger_of.history())
            for data, account in ((each, known[each.name]) for each in reached(visit) if each.name in known):
                for paid in account.paid:
                    if paid.recorded is not None and str(paid.recorded.entry) == entry:
                        shown = answer_seen(paid, data, account.budget.spent)
                        return {"answer": shown, "name": data.name, "bars": (bar(data.name, account.budget),)}
            raise Shown(404, "There is no such answer", "At least none that your token is of.")

        context = await site.read(request, visit, found)
        return site.page(request, "answer.html", title=f"Answer {entry}", visit=visit, **context)

    @router.get("/exposed")
    async def exposed(request: Request) -> Response:
        visit = site.visit(request, Role.owner)

        def found() -> list[Seen]:
            known = _by_name(ledger_of.history())
            return [_exposure(each) for name, each in known.items() if visit.token.reaches(name)]

        accounts = await site.read(request, visit, found)
        return site.page(request, "exposed.html", title="Who is most exposed", visit=visit, accounts=accounts)

    @router.get("/promises")
    async def promises(request: Request) -> Response:
        visit = site.visit(request, Role.owner, Role.auditor)

        def found() -> list[Seen]:
            known = _by_name(ledger_of.history())
            return [_meaning(each, known.get(each.name)) for each in reached(visit)]

        listed = await site.read(request, visit, found)
        return site.page(request, "promises.html", title="What each promise means", visit=visit, promises=listed)

    return router


def _page_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 7 and int(text) else 1


def _checked(ledger: Ledger) -> tuple[Seen, History]:
    """Whether each entry is as it was written. Of a ledger that is not whole nothing is shown."""
    try:
        history = ledger.verified()
    except InputError as error:
        said = f"{error.wanted[:1].upper()}{error.wanted[1:]} was wanted; this ledger is none. Nothing of it is shown."
        return {"whole": False, "said": said, "hash": None}, History(())
    if history.last is None:
        return {"whole": True, "said": "It has no entries yet.", "hash": None}, history
    said = f"All {len(history.links):,} entries are as they were written: each hash was computed again."
    return {"whole": True, "said": said, "hash": history.last.hash}, history


def _caption(first: int, count: int, total: int) -> str:
    whole = f"{total:,} entries, newest first"
    return whole if count == total else f"{first + 1:,} to {first + count:,} of {whole}"


def _debited(link: Link, history: History) -> Mapping[str, Any]:
    """The body of the debit that an entry is about, or its own."""
    return history.debits[link.body["debit"]].body if "debit" in link.body else link.body


def _entry(link: Link, history: History) -> Seen:
    """url: of the answer, where it is one."""
    body, debit = link.body, _debited(link, history)
    data = debit.get("data") or ""
    return {
        "number": link.number,
        "kind": link.kind,
        "data": data,
        "analyst": body.get("analyst") or debit.get("analyst") or "",
        "amount": _amount(body),
        "when": when_of(body),
        "hash": link.hash,
        "url": f"/ledger/{link.number}" if link.kind == "answer" and not is_failure(link) and data else None,
    }


def _amount(body: Mapping[str, Any]) -> str:
    """What a debit leaks by itself, or a data set may spend."""
    if "leakage" in body:
        return up(leaked(body))
    return near(nats(amount_of(body["initial"]))) if "initial" in body else ""


def _spending(data: DataSet, found: Account | None) -> Seen:
    """By analyst."""
    spent = {} if found is None else dict(found.analysts)
    caps = {each.name: each.epsilon or data.epsilon for each in data.analysts}
    bars = [bar(name, replace(spent.get(name, Budget(cap, 0.0)), initial=cap)) for name, cap in caps.items()]
    return {"name": data.name, "bar": bar("All analysts together", _whole(data, found)), "analysts": bars}


def _whole(data: DataSet, found: Account | None) -> Budget:
    """The data set's own budget."""
    return found.budget if found is not None else Budget(data.epsilon, 0.0, delta=data.notion.promised_delta or 0.0)


def _exposure(account: Account) -> Seen:
    """About whom each release of a data set says most. grow: what the last column says, of chances, odds, or both."""
    rows = sorted(_exposed(account.paid), key=lambda row: (-row["most"], row["entry"]))
    if not rows:
        return {"name": account.name, "said": "No release says about whom it says most.", "rows": ()}
    worst = rows[0]
    times = "The only release says" if len(rows) == 1 else f"Of {len(rows)} releases the worst says"
    said = f"{times} most about {worst['who']}: at most {worst['nats']} nats{worst['words']}."
    return {"name": account.name, "said": said, "rows": rows, "grow": _grow(account.paid)}


def _grow(found: Sequence[Paid]) -> str:
    notions = [notion_of(each.recorded.published.certificate) for each in found if each.recorded is not None]
    odds = {of_odds(notion) for notion in notions if notion is not None and notion.phrases}
    return "Chances grow" if odds == {False} else "Odds change" if odds == {True} else "Chances grow, or odds change"


def _exposed(found: Sequence[Paid]) -> Iterator[Seen]:
    for each in found:
        certificate: Mapping[str, Any] = {} if each.recorded is None else each.recorded.published.certificate
        leakage = certificate.get("leakage")
        witness = None if leakage is None else leakage.get("witness")
        if each.recorded is None or leakage is None or witness is None:
            continue
        upper = float(leakage["upper"])
        person = f"person {witness['person']}, " if witness.get("person") else ""
        yield {
            "entry": each.recorded.entry,
            "asked": question_words(each.recorded),
            "who": f"{person}{witness['who']}",
            "where": _where(witness),
            "nats": up(upper),
            "folds": (certificate.get("risk") or {}).get("times", ""),
            "words": f", so that {leakage['in_words']}" if "in_words" in leakage else "",
            "most": upper,
        }


def _where(witness: Mapping[str, Any]) -> str:
    parts = []
    if "secret" in witness:
        against = f" against {witness['against']}" if "against" in witness else ""
        parts.append(f"record {witness['secret']}{against}")
    if "output" in witness:
        output = witness["output"] if isinstance(witness["output"], list) else [witness["output"]]
        parts.append(f"at output {', '.join(map(_output, output))}")
    return ", ".join(parts)


def _meaning(data: DataSet, account: Account | None) -> Seen:
    """What the promise of a data set means."""
    budget = _whole(data, account)
    table = believed(data.notion, budget.spent)
    return {"name": data.name, "promise": promise(data.notion), "bar": bar("Spent", budget), "table": table}


def _by_name(history: History) -> Mapping[str, Account]:
    return {each.name: each for each in accounts(history) if each.name is not None}


def _output(value: float | int | str) -> str:
    return value if isinstance(value, str) else near(value)
