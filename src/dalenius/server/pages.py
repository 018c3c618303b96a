"""The pages: signing in and out, a data set of an analyst, and the ledger for owners and auditors.

A page shows the JSON that the API answers, by a template: it computes nothing, so that it can say nothing else.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cache
from math import isinf
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Final, final
from urllib.parse import quote as quoted

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool

from dalenius.curator import Session, accounts
from dalenius.errors import InputError
from dalenius.notions import in_words
from dalenius.reports.page_building_blocks import as_sentence, down, near, up
from dalenius.server import api
from dalenius.server.access import address, check_rate, serving_of, within
from dalenius.server.browser_sessions import (
    COOKIE,
    SignIn,
    Visit,
    cookie,
    fields_of,
    own_fields,
    same_text,
    set_cookie,
    visit_of,
    visits_of,
)
from dalenius.server.offered_data import own_data_set_json
from dalenius.server.problems import Problem, logged_of, problem_of
from dalenius.server.question_form import fields_asking
from dalenius.server.tokens import Role
from dalenius.server.what_is_left import budgets_left

# The cookie of a visitor who is not signed in. The form of signing in must say the same, so no other site sends it.
_BEFORE: Final = "dalenius-before"
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
}
_FILES: Final = {"style.css": "text/css", "icon.svg": "image/svg+xml"}
_WRONG: Final = "This is no valid token: it may be incomplete, expired or revoked"
_ENDED: Final = "Your visit has ended. Sign in again to go on; what you asked is in your history."
_TITLES: Final = {
    402: "The budget does not allow it",
    403: "The policy does not allow it",
    404: "There is no such page",
    429: "Too many requests",
    502: "No answer, though it was paid for",
}
# Answers on a page, the newest: the API lists all of them.
_LISTED: Final = 500


@cache
def _templates() -> Environment:
    """Makes the templates with the first page. A misspelt name is an error, and all values are escaped."""
    loader = PackageLoader("dalenius.server", "web/templates")
    found = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    found.globals |= {"data_url": data_url, "asking": fields_asking}
    # So that no page says more than there is, spending is rounded up and what is left down.
    for each in (up, down, near):
        found.filters[each.__name__] = _of_json(each)
    found.filters |= {"sentence": as_sentence, "share": _share, "number": _number, "interval": _interval}
    return found


def _of_json(rounded: Callable[..., str]) -> Callable[..., str]:
    """Returns a rounding of a number as JSON has it, where one that has no bound is the text "inf"."""
    return lambda value, *digits: rounded(float(value), *digits)


def _share(budget: Mapping[str, Any]) -> int:
    """Returns the part of a bar 1000 wide that is spent: all of it where that has no bound.

    >>> _share({"initial": 2.0, "spent": 0.5}), _share({"initial": 2.0, "spent": "inf"})
    (250, 1000)
    >>> _share({"initial": 0.0, "spent": 0.0})  # an analyst whose cap is 0 has spent nothing
    0
    """
    initial, spent = float(budget["initial"]), float(budget["spent"])
    if spent == 0:
        return 0
    return 1000 if initial <= 0 or isinf(spent) else min(1000, max(0, round(1000 * spent / initial)))


def _number(value: float | str) -> str:
    """Writes an answer: with commas where it has thousands; a word as it is.

    >>> _number(12345), _number(1234.5), _number("yes")
    ('12,345', '1,234.5', 'yes')
    """
    return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


def _interval(ends: Sequence[float | str] | None) -> str:
    """Writes an interval as an answer is written; one whose end is open as at least or at most.

    >>> _interval([2912, 3112]), _interval(["-inf", 7.5]), _interval([1, "inf"]), _interval(None)
    ('2,912 to 3,112', 'at most 7.5', 'at least 1', 'none')
    """
    if ends is None:
        return "none"
    low, high = (float(end) for end in ends)
    if isinf(low) or isinf(high):
        return (
            "any number"
            if isinf(low) and isinf(high)
            else f"at {'most' if isinf(low) else 'least'} " + (_number(high if isinf(low) else low))
        )
    return f"{_number(low)} to {_number(high)}"


def data_url(name: str, *rest: str) -> str:
    """Returns the address of a page of that data set, whose name may hold anything."""
    return "/".join(["/data", quoted(name, safe=""), *rest])


def _links(visit: Visit | None) -> list[tuple[str, str]]:
    """Returns name and address of each page in the navigation, by role, the first page first."""
    if visit is None:
        return []
    if visit.token.role is not Role.analyst:
        return [("Ledger", "/ledger")]
    found = []
    for name in (names := visit.token.data_sets):
        more = f" {name}" if len(names) > 1 else ""
        found += [(f"Data set{more}", data_url(name)), (f"Ask{more}", data_url(name, "ask"))]
    return found


def page(
    request: Request, template: str, status: int = 200, visit: Visit | None = None, **context: Any
) -> HTMLResponse:
    """Returns the page that a template makes of the context.

    Args:
        request: The request that is answered.
        template: The file name of the template.
        status: The HTTP status.
        visit: The visit that looks; None for somebody who is not signed in.
        **context: The values that the template reads.
    """
    context = {"visit": visit, "links": _links(visit), "fault": None, "here": quoted(request.url.path), **context}
    return HTMLResponse(_templates().get_template(template).render(context), status, headers=_HEADERS)


def to_page(url: str) -> RedirectResponse:
    """Redirects to `url` after a form: reloading then loads the page, and not the form once more."""
    return RedirectResponse(url, 303, headers=_HEADERS)


@final
class PageRoute(APIRoute):
    """A route whose errors are pages, and not JSON; nobody who is not signed in sees more than the way in."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Returns the route's own page; the way in for nobody; else the page of the error."""
        own = super().get_route_handler()

        async def handler(request: Request) -> Response:
            try:
                return await own(request)
            except SignIn:
                # Because a browser with a cookie was signed in once, it is told that this has ended.
                return to_page(f"/login{'?ended=1' if cookie(request, COOKIE) else ''}")
            except Exception as error:
                return _refusal(request, error)

        return handler


def _refusal(request: Request, error: Exception) -> Response:
    """Returns the page of an error, of the same status as over the API; the log says what the page must not."""
    found, more = problem_of(error), ""
    if why := logged_of(error, found):
        serving_of(request).log.write(id=request.state.id, **why)
    if found is None:  # a mistake of ours
        found = Problem(500, f"the keeper of the service finds it in the log as {request.state.id}")
        more = "If you asked a question: paid answers are in your history, and the same question again is free."
    elif found.status_code in (402, 403, 409, 422):
        more = "Nothing was asked, and nothing was paid."
    about = {"title": _TITLES.get(found.status_code, "That did not work"), "said": found.message, "more": more}
    visit = visits_of(request).find(cookie(request, COOKIE))
    response = page(request, "error.html", found.status_code, visit, **about)
    response.headers.update(found.headers or {})
    return response


PAGES: Final = APIRouter(route_class=PageRoute, include_in_schema=False)


@PAGES.get("/style.css")
@PAGES.get("/icon.svg")
async def loaded(request: Request) -> Response:
    """Returns what pages load; the same for everybody, so that browsers may keep it for a day."""
    name = request.url.path.removeprefix("/")
    content = (Path(__file__).parent / "web" / name).read_bytes()
    return Response(content, media_type=_FILES[name], headers={"Cache-Control": "public, max-age=86400"})


@PAGES.get("/")
async def home(request: Request) -> Response:
    """Returns the first page of the visit, by its role."""
    return to_page(_links(visit_of(request))[0][1])


@PAGES.get("/login")
async def login(request: Request) -> Response:
    """Returns the form of signing in."""
    return _login(request, said=_ENDED if "ended" in request.query_params else "")


@PAGES.post("/login")
async def sign_in(request: Request) -> Response:
    """Begins a visit with a cookie of its own; with a wrong token the form comes back, with what is wrong."""
    fields, before, visits = await fields_of(request), cookie(request, _BEFORE), visits_of(request)
    if not before or not same_text(before, fields.get("csrf", "")):
        raise Problem(403, "this form is out of date: open the page again, and sign in there")
    # Because the second of two people at one browser is not the first.
    visits.end(cookie(request, COOKIE))
    text = "".join(fields.get("token", "").split())
    begun = await run_in_threadpool(visits.begin, text)
    if begun is None:
        check_rate(request, f"address {address(request)}")  # guesses of tokens are slowed
        return _login(request, 401, fault={"field": "token", "said": _WRONG if text else "paste your token"})
    response = to_page("/")
    set_cookie(request, response, COOKIE, begun)
    set_cookie(request, response, _BEFORE, "")
    return response


@PAGES.post("/logout")
async def sign_out(request: Request) -> Response:
    """Ends the visit by a form POST, so that a cross-site link cannot end it."""
    await own_fields(request, visit_of(request))
    visits_of(request).end(cookie(request, COOKIE))
    response = to_page("/login")
    set_cookie(request, response, COOKIE, "")
    return response


def _login(request: Request, status: int = 200, said: str = "", **context: Any) -> Response:
    """Returns the form of signing in, with a new word in it and in a cookie; said: above it, as that a visit ended."""
    before = token_urlsafe(24)
    about = {"title": "Sign in", "said": said, "csrf": before, "sign_on": serving_of(request).has_pages_of_sign_on}
    response = page(request, "login.html", status, None, **about, **context)
    set_cookie(request, response, _BEFORE, before)
    return response


def analyst_of(request: Request, name: str) -> tuple[Visit, Session]:
    """Returns the visit of an analyst, and their session before a data set.

    Args:
        request: The request that is answered.
        name: The name of the data set.

    Raises:
        Problem: 404 for a data set that is not theirs; 403 where the policy does not name them.
    """
    visit = visit_of(request, Role.analyst)
    if not visit.token.reaches(name):
        raise Problem(404, "there is no such data set, or your token is not for it")
    try:
        return visit, serving_of(request).curator.session(visit.token.name, name)
    except InputError as error:
        raise Problem(403, str(error)) from None


@PAGES.get("/data/{name}")
async def data(request: Request, name: str) -> Response:
    """Returns a data set: what is promised, what is left, what may be asked, and the answers, the newest first."""
    visit, session = analyst_of(request, name)

    def found() -> dict[str, Any]:
        paid = [api.shown_answer_json(each) for each in reversed(session.history()[-_LISTED:])]
        return {"answered": paid, **budgets_left(session)}

    context = await within(serving_of(request).reads.run(found, visit.token.whose))
    promised = own_data_set_json(session.data, session)
    return page(request, "data.html", visit=visit, title=name, name=name, data=promised, **context)


@PAGES.get("/ledger")
async def ledger(request: Request) -> Response:
    """Returns every data set with what is promised, what is spent and its debits, once each hash was checked."""
    visit, curator = visit_of(request, Role.owner, Role.auditor), serving_of(request).curator

    def found() -> dict[str, Any]:
        try:
            history = curator.ledger.verified()
        except InputError as error:  # of a ledger that is not whole nothing is shown
            return {"broken": error.wanted, "checked": None, "accounts": []}
        paid = {each.name: each.paid[: -_LISTED - 1 : -1] for each in accounts(history)}
        listed = [
            {
                "name": each.name,
                **api.all_budgets_json(each, curator),
                "promised": in_words(each.notion),
                "so_far": in_words(each.notion, curator.budget(each.name).spent),
                "debits": [api.shown_answer_json(one) for one in paid.get(each.name, ())],
            }
            for each in curator.policy.data
            if visit.token.reaches(each.name)
        ]
        return {"broken": None, "checked": history.as_json(), "accounts": listed}

    context = await within(serving_of(request).reads.run(found, visit.token.whose))
    return page(request, "ledger.html", visit=visit, title="Ledger", **context)
