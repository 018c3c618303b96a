"""The form of a question: what it would cost, the most that still fits, a practice answer, and the answer.

Ana writes 0,25 as epsilon: her form comes back with "a number, such as 0.25 (with a point, not a comma)" at that field.
With 0.25 it comes back with the price, and a button that asks. A second click is the same question, which is free.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from dalenius.curator import Ask, Measure, PolicyAsk, Quote, Recorded, Session, Stored, read_ask
from dalenius.errors import DaleniusError, InputError
from dalenius.notions import in_words
from dalenius.server import api
from dalenius.server.access import Serving, serving_of, within
from dalenius.server.answer_pages import shown_answer
from dalenius.server.asks import SentQuestion
from dalenius.server.browser_sessions import Visit, own_fields
from dalenius.server.json_values import NotJson, parsed
from dalenius.server.limits import TICKED
from dalenius.server.offered_data import own_data_set_json
from dalenius.server.pages import PageRoute, analyst_of, data_url, page, to_page
from dalenius.server.practice_answers import PracticeAnswer
from dalenius.server.problems import Problem, problem_of
from dalenius.server.question_form import KEYS, ask_of, filled, kinds_to_tick, labels_as_fields, ticked

ASK_PAGES: Final = APIRouter(route_class=PageRoute, include_in_schema=False)


@ASK_PAGES.get("/data/{name}/ask")
async def compose(request: Request, name: str) -> Response:
    """Returns the form of a question, filled in as the address says: a link may hold a whole question."""
    visit, session = analyst_of(request, name)
    return await _form(request, visit, session, dict(request.query_params))


@ASK_PAGES.post("/data/{name}/ask")
async def ask(request: Request, name: str) -> Response:
    """Serves each button of the form: what it would cost, the most that fits, a practice answer, or the answer."""
    visit, session = analyst_of(request, name)
    fields = await own_fields(request, visit)
    wanted = fields.get("do")
    # Because the first buttons say what it would cost, only the page that says so has the one that asks.
    if wanted == "ask":
        return await _paid(request, visit, session, fields.get("ask", ""))
    try:
        measure = _measure(session, fields.get("measure", ""))
        if wanted == "practise":
            return await _practised(request, visit, session, ask_of(fields, measure))
        if wanted == "largest":
            return await _largest(request, visit, session, fields, measure)
        question = ask_of(fields, measure)
        quote = await within(serving_of(request).asks.quote(SentQuestion(session, question)))
        return await _priced(request, visit, session, fields, question, quote)
    except DaleniusError as error:
        return await _wrong(request, visit, session, fields, error)


async def _wrong(
    request: Request, visit: Visit, session: Session, fields: Mapping[str, str], error: DaleniusError
) -> Response:
    """Returns the form with what is wrong, said at the field that it is about."""
    problem = problem_of(error)
    # Because a table that cannot be reached, or a mistake of ours, is no field's.
    if problem is None or problem.status_code == 503:  # its words are for the keeper of the service
        raise error
    parts = error.key.replace(" ", ".").split(".") if isinstance(error, InputError) else []
    field = next((part for part in parts if part in KEYS), "")
    # Because the query was ticked where nobody wrote it.
    if field == "query" and not fields.get("query", "").strip():
        field = "kind"
    # Because a budget that is not enough for this may be enough for a little less.
    fault = {"field": field, "said": problem.message, "hint": problem.status_code == 402}
    return await _form(request, visit, session, fields, problem.status_code, fault=fault)


async def _largest(
    request: Request, visit: Visit, session: Session, fields: Mapping[str, str], measure: Measure | None
) -> Response:
    """Returns the page of the price of the largest epsilon that still fits."""
    question = ask_of(fields, measure, {"epsilon": api.LEAST})
    found = await within(serving_of(request).asks.largest(SentQuestion(session, question)))
    if found is None:
        raise Problem(402, "nothing fits in what is left of the budget")
    best, quote = found
    fields = {**fields, "epsilon": f"{best.share:g}", "within": ""}
    return await _priced(request, visit, session, fields, best, quote, largest=best.share)


async def _priced(
    request: Request,
    visit: Visit,
    session: Session,
    fields: Mapping[str, str],
    question: PolicyAsk,
    quote: Quote,
    largest: float | None = None,
) -> Response:
    """Returns the page of what it would cost; largest: the epsilon, where it is the largest that fits."""
    serving = serving_of(request)
    budgets = await within(serving.reads.run(session.budget, visit.token.whose))
    shown = {
        **api.quote_json(quote),
        "ask": question.model_dump_json(exclude_none=True),
        "question": question.words,
        "added": None if quote.calibration is None else quote.calibration.noise.words,
        "means": None if quote.cost is None else in_words(session.data.notion, quote.cost.leakage),
        "now": api.budgets_json(budgets),
        "largest": largest,
        "fewer": None if quote.free else await _advice(serving, session, question),
    }
    return await _form(request, visit, session, fields, quote=shown)


async def _advice(serving: Serving, session: Session, question: PolicyAsk) -> str | None:
    """Returns what the precision would be without the few people in the largest households; None for nothing to say."""
    # Because a price is worth showing without this advice, whatever keeps it from being computed.
    with suppress(DaleniusError, Problem):
        return await within(serving.asks.advice(SentQuestion(session, question)))
    return None


async def _practised(request: Request, visit: Visit, session: Session, question: PolicyAsk) -> Response:
    """Keeps a new practice answer, and leads to its page."""
    serving = serving_of(request)
    done = await within(serving.asks.practise(SentQuestion(session, question)))
    assert isinstance(question, Ask)  # nothing else can be practised
    key = serving.practised.keep(PracticeAnswer(visit.token.whose, session.data.name, question, done))
    return to_page(data_url(session.data.name, "practice", key))


async def _paid(request: Request, visit: Visit, session: Session, text: str) -> Response:
    """Returns the answer to what a price was shown of; a second click is the same question, whose answer is free."""
    try:
        question = read_ask(parsed(text.encode()))
    except (NotJson, InputError):
        raise Problem(409, "this form is out of date: look at the price again, and ask then") from None
    serving = serving_of(request)
    done = await within(serving.asks.answer(SentQuestion(session, question)))
    entry = str(done.recorded().entry if isinstance(done, Stored) else done.entry)
    place = data_url(session.data.name, "answers", entry)
    if isinstance(done, Stored) or not done.repeated:
        return to_page(place)
    # Because intervals of another confidence are kept nowhere, they are shown at once.
    known: Recorded | None = await within(serving.reads.run(lambda: session.repeated(question), visit.token.whose))
    return await shown_answer(request, visit, session, entry, done) if known is None else to_page(place)


def _measure(session: Session, name: str) -> Measure | None:
    """Returns the measure of that name; None where the analyst may ask about none of that name."""
    return next((each for each in session.measures if each.name == name), None)


async def _form(
    request: Request, visit: Visit, session: Session, fields: Mapping[str, str], status: int = 200, **context: Any
) -> Response:
    """Returns the form with what was typed; context: the price, or the fault and at which field it is shown."""
    # So that what was typed stays, whatever is wrong with it.
    form = filled(fields)
    chosen = _measure(session, form["measure"]) or (session.measures[0] if session.measures else None)
    if chosen is not None and session.curator.seen(session.data, chosen) is None:
        # Because the labels are shown where the table can be read; where not, the question says so.
        with suppress(DaleniusError, Problem):
            opening = partial(session.curator.opened, session.data, chosen)
            await within(serving_of(request).reads.run(opening, visit.token.whose))
    offered = own_data_set_json(session.data, session)
    measures = offered["measures"]
    about = {
        "title": "Ask",
        "visit": visit,
        "name": session.data.name,
        "measures": measures,
        "learned": offered["learned"],
        "form": form,
        "ticked": ticked(form),
        "kinds": [] if chosen is None else kinds_to_tick(chosen, session.data.kinds_for(session.analyst, chosen)),
        "chosen": None if chosen is None else next(each for each in measures if each["name"] == chosen.name),
        "most": int(TICKED),
    }
    about["fields"] = labels_as_fields((about["chosen"] or {}).get("labels") or [])
    return page(request, "ask.html", status, **about, **{"quote": None, **context})
