"""What all pages have in common: who is signed in, how a template is filled, how errors are shown.

A page shows the JSON that the API answers, by a template: it computes nothing, so that it can say nothing else.

Ana signs in with her token: her browser gets a cookie of 256 random bits, of which this process keeps the SHA-256, with
what her token may do. After an hour without a page, after twelve in any case, or once the token is revoked, the next
page is the way in again. A form that another site made her send lacks the word that only her pages have.
"""

from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from hmac import compare_digest
from math import isinf
from secrets import token_urlsafe
from threading import Lock
from time import monotonic
from typing import Any, Final, final
from urllib.parse import parse_qsl, quote

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined

from dalenius.curator import Curator
from dalenius.reports.page_parts import as_sentence, down, near, up
from dalenius.server.errors_and_log import Problem, error_fields, is_text, problem_of
from dalenius.server.serving import body_of, check_rate, serving_of
from dalenius.server.tokens import Role, Token, Tokens

# Visits at once; the one that was idle longest goes first.
_MOST: Final = 10_000
# Seconds without a page after which a visit ends.
_IDLE: Final = 3600.0
# Seconds after which it ends in any case.
_LONGEST: Final = 12 * 3600.0
# Of other statuses: That did not work.
_TITLES: Final = {
    402: "The budget does not allow it",
    403: "The policy does not allow it",
    404: "There is no such page",
    429: "Too many requests",
    502: "No answer, though it was paid for",
}
# Statuses where nothing was asked.
_NOTHING: Final = (402, 403, 409, 422)
COOKIE: Final = "dalenius"
# Beside those of every answer (`dalenius.server.app`).
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
}


@final
@dataclass(frozen=True)
class Visit:
    """Somebody signed in. csrf: what every form of theirs must say; begun: seconds of the visits' clock."""

    token: Token
    csrf: str
    begun: float

    @property
    def links(self) -> list[tuple[str, str]]:
        """Name and address of each page in the navigation, by role."""
        if self.token.role is Role.analyst:
            own = self.token.data
            return [
                ("Data set", data_url(own)),
                ("Ask", data_url(own, "ask")),
                ("Your answers", data_url(own, "answers")),
            ]
        exposed = [("Most exposed", "/exposed")] if self.token.role is Role.owner else []
        return [("Ledger", "/ledger"), *exposed]


@final
class Visits:
    """Who is signed in, in the memory of this process. Safe for threads. Of cookies only the SHA-256 is kept, and of
    tokens what they may do: whoever reads this memory signs in as nobody."""

    def __init__(self, tokens: Tokens, clock: Callable[[], float] = monotonic) -> None:
        self._tokens, self._clock = tokens, clock
        self._lock = Lock()
        self._last: OrderedDict[str, tuple[Visit, float]] = OrderedDict()

    def begin(self, text: str) -> str | None:
        """The cookie of a new visit of whoever holds the token with this text; None where there is no such token."""
        token = self._tokens.find(text)
        if token is None:
            return None
        cookie = token_urlsafe(32)
        with self._lock:
            now = self._clock()
            self._last[_hashed(cookie)] = Visit(token, token_urlsafe(32), now), now
            while len(self._last) > _MOST:
                self._last.popitem(last=False)
        return cookie

    def find(self, cookie: str) -> Visit | None:
        """None for a visit that there is not, or whose time or token has ended."""
        key = _hashed(cookie)
        with self._lock:
            visit, last = self._last.pop(key, (None, 0.0))
            now = self._clock()
            if visit is None or now - last > _IDLE or now - visit.begun > _LONGEST:
                return None
            self._last[key] = visit, now  # the newest at the end
        # The file of tokens is read for every page, so that one that is revoked ends its visits at once.
        if self._tokens.again(visit.token.id) is None:
            self.end(cookie)
            return None
        return visit

    def end(self, cookie: str) -> None:
        """Signs out; nothing where nobody was signed in."""
        with self._lock:
            self._last.pop(_hashed(cookie), None)


def _hashed(cookie: str) -> str:
    """By what a visit is kept."""
    return sha256(cookie.encode(errors="surrogatepass")).hexdigest()


class SignIn(Exception):
    """Nobody is signed in: the answer is the way in, and no page."""


@final
class Site:
    """The pages of one curator: who is signed in, and how a page is made of a template and JSON."""

    def __init__(self, curator: Curator, tokens: Tokens) -> None:
        self.curator, self.visits = curator, Visits(tokens)

    @cached_property
    def _templates(self) -> Environment:
        """Made with the first page. A name that a template misspells is an error, and all values are escaped."""
        loader = PackageLoader("dalenius.server", "web/templates")
        found = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        found.globals["data_url"] = data_url
        # What was spent is rounded up and what is left down, so that no page says more than there is.
        for each in (up, down, near):
            found.filters[each.__name__] = _of_json(each)
        found.filters |= {"sentence": as_sentence, "share": _share, "number": _number}
        return found

    def page(self, request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
        """The page that a template makes of the context; visit and fault may be left out."""
        context = {"visit": None, "fault": None, "here": quote(request.url.path), **context}
        return HTMLResponse(self._templates.get_template(template).render(context), status, headers=HEADERS)

    def refusal(self, request: Request, error: Exception) -> Response:
        """The page of an error, of the same status as over the API. Of one that nobody expected its place in the code
        goes to the log, and nothing of it to whoever looks."""
        serving, found = serving_of(request), problem_of(error)
        more = ""
        if found is None:  # a mistake of ours
            serving.log.write(id=request.state.id, **error_fields(error))
            found = Problem(500, f"whoever runs the service finds it in the log as {request.state.id}")
            more = "If you were asking: what was paid for is in your history, and the same question again is free."
        elif found.status_code in _NOTHING:
            more = "Nothing was asked, and nothing was paid."
        serving.refused(found)
        about = {"title": _TITLES.get(found.status_code, "That did not work"), "said": found.message, "more": more}
        visit = self.visits.find(cookie(request, COOKIE))
        response = self.page(request, "error.html", found.status_code, visit=visit, **about)
        response.headers.update(found.headers or {})
        return response

    def visit(self, request: Request, *roles: Role) -> Visit:
        """Who looks at the page. SignIn for nobody, Problem 403 for another role."""
        visit = self.visits.find(cookie(request, COOKIE))
        if visit is None:
            raise SignIn
        request.state.token = visit.token  # for the log
        check_rate(request, visit.token.id)
        if roles and visit.token.role not in roles:
            raise Problem(403, f"this page is for {' and '.join(f'an {each.value}' for each in roles)}", "role")
        return visit

    async def fields(self, request: Request, visit: Visit) -> Mapping[str, str]:
        """Of a form of that visit. Problem 403 for a form that is not ours."""
        found = await fields_of(request)
        if not same_text(found.get("csrf", ""), visit.csrf):
            raise Problem(403, "this form is out of date: open the page again, and send it from there")
        return found


async def fields_of(request: Request) -> Mapping[str, str]:
    """The texts of a form. Problem 403 for one that another site sends, 400 for what is no text.

    A browser says in a header whether the form is of this site; one too old to say so has the words of the form.
    """
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Problem(403, "this form came from another site, so nothing was done")
    try:
        text = (await body_of(request)).decode()
        found = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=40, errors="strict"))
    except ValueError:
        found = {"": "\0"}
    # NUL, or half of a surrogate pair, which no ask and no token has.
    if not all(map(is_text, found.values())):
        raise Problem(400, "a field holds what is no text")
    return found


def same_text(one: str, other: str) -> bool:
    """In a time that does not depend on where they differ."""
    return compare_digest(one.encode(errors="surrogatepass"), other.encode(errors="surrogatepass"))


def cookie_name(request: Request, name: str) -> str:
    """Over HTTPS one that no other host, and nobody without HTTPS, can set (RFC 6265bis §4.1.3)."""
    return f"__Host-{name}" if request.url.scheme == "https" else name


def cookie(request: Request, name: str) -> str:
    """What it holds; nothing where it is not there."""
    return request.cookies.get(cookie_name(request, name), "")


def data_url(name: str, *rest: str) -> str:
    """The address of a page of that data set, whose name may hold anything."""
    return "/".join(["/data", quote(name, safe=""), *rest])


def _of_json(rounded: Callable[..., str]) -> Callable[..., str]:
    """The same of a number as JSON has it, where one that has no bound is the text "inf"."""
    return lambda value, *digits: rounded(float(value), *digits)


def _share(budget: Mapping[str, Any]) -> int:
    """Of a bar 1000 wide, what is spent: all of it where that has no bound.

    >>> _share({"initial": 2.0, "spent": 0.5}), _share({"initial": 2.0, "spent": "inf"})
    (250, 1000)
    """
    initial, spent = float(budget["initial"]), float(budget["spent"])
    return 1000 if initial <= 0 or isinf(spent) else min(1000, max(0, round(1000 * spent / initial)))


def _number(value: float | str) -> str:
    """An answer: with commas where it has thousands; a word as it is.

    >>> _number(12345), _number(1234.5), _number("yes")
    ('12,345', '1,234.5', 'yes')
    """
    return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


def page_route(site: Site) -> type[APIRoute]:
    """Of routes whose refusals are pages; nobody who is not signed in sees more than the way in."""

    class PageRoute(APIRoute):
        """A route whose errors are pages, and not JSON."""

        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            found = super().get_route_handler()

            async def handler(request: Request) -> Response:
                """The route's own page; the way in for nobody; else the page of the error."""
                try:
                    return await found(request)
                except SignIn:
                    # Whoever has a cookie was signed in once, and is told that this has ended.
                    ended = "?ended=1" if cookie(request, COOKIE) else ""
                    return RedirectResponse(f"/login{ended}", 303, headers=HEADERS)
                except Exception as error:
                    return site.refusal(request, error)

            return handler

    return PageRoute
