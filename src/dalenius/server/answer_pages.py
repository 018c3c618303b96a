"""The pages of answers, paid for or practised, with their picture; and the same as CSV and as a sheet to sign."""

from dataclasses import replace
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from dalenius.curator import Paid, Recorded, Session
from dalenius.reports.language import Language, language
from dalenius.reports.sheet import html, sheet_of
from dalenius.reports.sheet_facts import SheetFacts, facts_of_entry, facts_of_practice
from dalenius.server import api
from dalenius.server.access import serving_of, within
from dalenius.server.answer_csv import csv_of
from dalenius.server.answer_picture import picture_of, unit_of
from dalenius.server.browser_sessions import Visit
from dalenius.server.pages import PageRoute, analyst_of, page
from dalenius.server.practice_answers import PracticeAnswer
from dalenius.server.problems import Problem

ANSWER_PAGES: Final = APIRouter(route_class=PageRoute, include_in_schema=False)
_LANGUAGES: Final = ("en", "de")
_UNKNOWN: Final = "there is no such answer, or it is not yours"
_FORGOTTEN: Final = "there is no such practice answer any more: practise again, it is free"


@ANSWER_PAGES.get("/data/{name}/answers/{entry}")
async def answer(request: Request, name: str, entry: str) -> Response:
    """Returns one answer with its certificate; entry: its number in the ledger."""
    return await shown_answer(request, *analyst_of(request, name), entry, None)


@ANSWER_PAGES.get("/data/{name}/answers/{entry}/csv")
async def answer_csv(request: Request, name: str, entry: str) -> Response:
    """Returns one answer as CSV."""
    paid = await _paid(request, *analyst_of(request, name), entry)
    assert paid.recorded is not None
    shown = paid.recorded.as_json()
    return _csv(csv_of(shown, str(shown["certificate"].get("asked", "")), entry), f"answer-{entry}")


@ANSWER_PAGES.get("/data/{name}/answers/{entry}/sheet/{code}")
async def answer_sheet(request: Request, name: str, entry: str, code: str) -> Response:
    """Returns one answer as a sheet; code: of its language.

    It lists what this analyst was told before, and counts the rest.
    """
    words = _language(code)
    visit, session = analyst_of(request, name)
    await _paid(request, visit, session, entry)
    ledger = serving_of(request).curator.ledger

    def found() -> SheetFacts:
        return facts_of_entry(ledger.history(), int(entry), session.analyst.name)

    facts = await within(serving_of(request).reads.run(found, visit.token.whose))
    return _sheet(facts, words, f"answer-{entry}-{code}")


@ANSWER_PAGES.get("/data/{name}/practice/{key}")
async def practice(request: Request, name: str, key: str) -> Response:
    """Returns one practice answer beside the exact one."""
    visit, kept = _practised(request, name, key)
    shown = kept.done.as_json()
    certificate = kept.done.published.certificate
    context: dict[str, Any] = {
        "release": shown,
        "words": _words(kept.done.published.words),
        "picture": picture_of(shown, unit_of(kept.ask.query.kind, kept.ask.measure)),
        "asked": str(certificate["asked"]),
        "ask": kept.ask.model_dump_json(exclude_none=True),
        "again": _as_fields(kept),
        "key": key,
    }
    return page(request, "practice.html", visit=visit, title="Practice", name=name, **context)


@ANSWER_PAGES.get("/data/{name}/practice/{key}/csv")
async def practice_csv(request: Request, name: str, key: str) -> Response:
    """Returns one practice answer as CSV, which says so in each row."""
    shown = _practised(request, name, key)[1].done.as_json()
    return _csv(csv_of(shown, str(shown["certificate"]["asked"]), ""), f"practice-{key}")


@ANSWER_PAGES.get("/data/{name}/practice/{key}/sheet/{code}")
async def practice_sheet(request: Request, name: str, key: str, code: str) -> Response:
    """Returns one practice answer as a sheet, which says so on top; code: of its language."""
    words = _language(code)
    kept = _practised(request, name, key)[1]
    return _sheet(facts_of_practice(kept.done.published, name), words, f"practice-{key}-{code}")


async def shown_answer(request: Request, visit: Visit, session: Session, entry: str, told: Recorded | None) -> Response:
    """Returns the page of an answer; told: it with intervals of another confidence, which no entry has."""
    paid = await _paid(request, visit, session, entry)
    if told is not None:
        paid = replace(paid, recorded=told)
    budgets = await within(serving_of(request).reads.run(session.budget, visit.token.whose))
    shown = api.shown_answer_json(paid)
    certificate = shown["release"]["certificate"]
    kind = str(certificate.get("query", {}).get("kind", ""))
    unit = unit_of(kind, str(certificate.get("measure", "the records")))
    context: dict[str, Any] = {
        "answer": shown,
        "budgets": api.budgets_json(budgets),
        # Because what is learned has answers in several units, such as ages and numbers of people, no axis is theirs.
        "picture": None if "learned_noise" in certificate else picture_of(shown["release"], unit),
        "downloads": told is None,
    }
    return page(request, "answer.html", visit=visit, title=f"Answer {entry}", name=session.data.name, **context)


async def _paid(request: Request, visit: Visit, session: Session, entry: str) -> Paid:
    """Returns what this analyst was told in that entry; Problem 404 for any other."""

    def found() -> Paid:
        for each in session.history():
            if each.recorded is not None and str(each.recorded.entry) == entry:
                return each
        raise Problem(404, _UNKNOWN)

    return await within(serving_of(request).reads.run(found, visit.token.whose))


def _practised(request: Request, name: str, key: str) -> tuple[Visit, PracticeAnswer]:
    """Returns who looks, and their practice answer; Problem 404 where it is forgotten, or is not theirs."""
    visit, _ = analyst_of(request, name)
    found = serving_of(request).practised.find(key, visit.token.whose, name)
    if found is None:
        raise Problem(404, _FORGOTTEN)
    return visit, found


def _as_fields(kept: PracticeAnswer) -> dict[str, str]:
    """Returns the fields of the form that ask the same again."""
    ask = kept.ask
    found = {"measure": ask.measure, "query": ask.query.model_dump_json(exclude_none=True)}
    found |= {key: f"{value!r}" for key in ("epsilon", "within") if (value := getattr(ask, key)) is not None}
    found |= {} if ask.noise is None else {"noise": ask.noise.model_dump_json(exclude_none=True)}
    return found | {"confidence": f"{ask.confidence!r}"}


def _words(rows: Any) -> dict[str, list[str]]:
    """Returns a certificate's rows of two, those of one name together."""
    found: dict[str, list[str]] = {}
    for name, said in rows:
        found.setdefault(name.strip(), []).append(said)
    return found


def _language(code: str) -> Language:
    """Returns the language of that code; Problem 404 for any other: a file of the machine is none."""
    if code not in _LANGUAGES:
        raise Problem(404, f"there are sheets in {' and '.join(_LANGUAGES)} only")
    return language(code)


def _csv(text: str, name: str) -> Response:
    """Returns a CSV file to be kept."""
    return Response(text, media_type="text/csv; charset=utf-8", headers=_kept(f"{name}.csv"))


def _sheet(facts: SheetFacts, words: Language, name: str) -> Response:
    """Returns a sheet to be kept: a page with a style of its own, which a browser does not show as one of ours."""
    return Response(html(sheet_of(facts, words)), media_type="text/html", headers=_kept(f"{name}.html"))


def _kept(name: str) -> dict[str, str]:
    """Returns the headers of what is kept as a file of that name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}
