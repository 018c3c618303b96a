"""What all pages have in common: who is signed in, how they are rendered, how errors are shown."""

from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from hmac import compare_digest, digest
from secrets import token_bytes, token_urlsafe
from threading import Lock
from time import monotonic
from typing import Any, Final, NamedTuple, TypeVar, final
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from dalenius.curator import Ask, Curator
from dalenius.server.access import address, counted, serving_of, within
from dalenius.server.errors_and_log import is_text, place, problem_of
from dalenius.server.tokens import Role, Token, Tokens

LONGEST: Final = 12 * 3600.0
MOST: Final = 10_000
"""Visits at once; the one that was idle longest goes first."""


@final
@dataclass(frozen=True)
class Priced:
    """A query whose price was shown: to ask it takes its key, which is the idempotency key of what is asked. fields: of
    the form that said it."""

    data: str
    ask: Ask
    fields: Mapping[str, str]


@final
@dataclass(frozen=True)
class Visit:
    """Somebody signed in. csrf: what every form of theirs must say; priced: by key."""

    token: Token
    csrf: str
    begun: float
    priced: "OrderedDict[str, Priced]" = field(default_factory=OrderedDict, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.token.name

    @property
    def role(self) -> str:
        return self.token.role.value


@final
class Visits:
    """Safe for threads. Of cookies only the SHA-256 is kept, and of tokens what they may do."""

    def __init__(self, tokens: Tokens, clock: Callable[[], float] = monotonic) -> None:
        self._tokens, self._clock = tokens, clock
        self._secret = token_bytes(32)
        self._lock = Lock()
        self._seen: OrderedDict[str, tuple[Visit, float]] = OrderedDict()

    def begin(self, text: str) -> str | None:
        """The cookie of a new visit of whoever holds the token with this text; None where there is no such token."""
        token = self._tokens.find(text)
        if token is None:
            return None
        cookie = token_urlsafe(32)
        with self._lock:
            now = self._clock()
            self._seen[_hashed(cookie)] = Visit(token, token_urlsafe(32), now), now
            while len(self._seen) > MOST:
                self._seen.popitem(last=False)
        return cookie

    def find(self, cookie: str) -> Visit | None:
        """None for a visit that there is not, or whose time or token has ended."""
        key = _hashed(cookie)
        with self._lock:
            visit, seen = self._seen.get(key, (None, 0.0))
            now = self._clock()
            # Seconds without a page after which a visit ends.
            if visit is None or now - seen > 3600.0 or now - visit.begun > LONGEST:
                self._seen.pop(key, None)
                return None
            self._seen[key] = visit, now
            self._seen.move_to_end(key)
        if self._tokens.again(visit.token.id) is None:
            self.end(cookie)
            return None
        return visit

    def end(self, cookie: str) -> None:
        with self._lock:
            self._seen.pop(_hashed(cookie), None)

    def price(self, visit: Visit, data: str, ask: Ask, fields: Mapping[str, str]) -> str:
        """A key with which this visit may ask it."""
        key = token_urlsafe(24)
        with self._lock:
            visit.priced[key] = Priced(data, ask, fields)
            # Of one visit so many queries are remembered whose price was shown.
            while len(visit.priced) > 50:
                visit.priced.popitem(last=False)
        return key

    def before(self, cookie: str) -> str:
        """What the form of signing in must say beside that cookie, which nobody is signed in by."""
        return digest(self._secret, cookie.encode(errors="surrogatepass"), "sha256").hex()

    def is_before(self, cookie: str, said: str) -> bool:
        return same_text(self.before(cookie), said)


def _hashed(cookie: str) -> str:
    return sha256(cookie.encode(errors="surrogatepass")).hexdigest()


Result = TypeVar("Result")

COOKIE: Final = "dalenius"
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
}
"""Beside those of every answer (`dalenius.server.app`)."""


class SignIn(Exception):
    """Nobody is signed in."""


@final
class Shown(Exception):
    """An error that is a page of its own."""

    def __init__(
        self, status: int, title: str, said: str, more: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(title)
        self.status, self.title, self.said, self.more = status, title, said, more
        self.headers = dict(headers or {})


class Link(NamedTuple):
    name: str
    url: str


@final
class Site:
    """The pages of one curator."""

    def __init__(self, curator: Curator, tokens: Tokens) -> None:
        self.curator, self.visits = curator, Visits(tokens)

    @cached_property
    def _templates(self) -> Environment:
        loader = PackageLoader("dalenius.server", "web/templates")
        found = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        found.globals["data_url"] = data_url
        return found

    def page(self, request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
        """context: what the template shows; visit and faults may be left out."""
        visit = context.setdefault("visit", None)
        context.setdefault("faults", ())
        links = () if visit is None else links_of(visit)
        text = self._templates.get_template(template).render(here=quote(request.url.path), links=links, **context)
        return HTMLResponse(text, status, headers=HEADERS)

    def refusal(self, request: Request, shown: Shown) -> Response:
        visit = self.visits.find(cookie(request, COOKIE))
        context = {"title": shown.title, "said": shown.said, "more": shown.more, "visit": visit}
        response = self.page(request, "error.html", shown.status, back="/", back_name="Back to the start", **context)
        response.headers.update(shown.headers)
        return response

    async def sign_in(self, request: Request, text: str) -> str | None:
        """The cookie of whoever holds the token with this text; addresses that come without are counted."""
        cookie = await run_in_threadpool(self.visits.begin, text)
        if cookie is None:
            counted(request, f"address {address(request)}")
        return cookie

    def visit(self, request: Request, *roles: Role) -> Visit:
        """Who looks at the page. SignIn for nobody, a page of status 403 for another role."""
        visit = self.visits.find(cookie(request, COOKIE))
        if visit is None:
            raise SignIn
        request.state.token = visit.token  # for the log
        counted(request, visit.token.id)
        if roles and visit.token.role not in roles:
            raise Shown(403, "Not for you", f"This page is for {' and '.join(f'an {each.value}' for each in roles)}.")
        return visit

    async def said(self, request: Request, visit: Visit) -> Mapping[str, str]:
        """The fields of a form of that visit. A page of status 403 for one that is not ours."""
        fields = await written(request)
        if not same_text(fields.get("csrf", ""), visit.csrf):
            raise Shown(
                403, "This form is out of date", "Nothing was asked: open the page again, and send it from there."
            )
        return fields

    async def ask(self, request: Request, visit: Visit, call: Callable[[], Result]) -> Result:
        """What may take long, in one of the threads there are for it."""
        return await within(serving_of(request).asks, call, visit.token)

    async def repeat(self, request: Request, visit: Visit, call: Callable[[], Result]) -> Result:
        """What the ledger has: it needs no place."""
        return await within(serving_of(request).repeats, call, visit.token)

    async def read(self, request: Request, visit: Visit, call: Callable[[], Result]) -> Result:
        """What is looked up."""
        return await within(serving_of(request).reads, call, visit.token)


async def written(request: Request) -> Mapping[str, str]:
    """The texts of a form. A page of status 403 for one that another site sends, 400 for what is no text."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Shown(403, "Sent from elsewhere", "This form came from another site, so nothing was done.")
    form = await request.form(max_files=0, max_fields=40)
    found = {name: value for name, value in form.items() if not isinstance(value, UploadFile)}
    if not all(map(is_text, found.values())):
        raise Shown(400, "Not a text", "A field holds what is no text.")
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
    return "/".join(["/data", quote(name, safe=""), *rest])


def links_of(visit: Visit) -> tuple[Link, ...]:
    """Of the navigation."""
    ledger, promises = Link("Ledger", "/ledger"), Link("Promises", "/promises")
    if visit.token.role is Role.owner:
        return ledger, Link("Most exposed", "/exposed"), promises
    if visit.token.role is Role.auditor:
        return ledger, promises
    name = visit.token.data
    return (
        Link("Data set", data_url(name)),
        Link("Ask", data_url(name, "ask")),
        Link("Your answers", data_url(name, "answers")),
    )


TITLES: Final = {
    401: "Sign in first",
    402: "The budget does not allow it",
    403: "The policy does not allow it",
    404: "There is no such page",
    405: "That did not work",
    409: "This was asked already",
    413: "Too much was sent",
    422: "That cannot be asked",
    429: "Too many requests",
    502: "No answer, though it was paid for",
    503: "Not now",
}
NOTHING: Final = (402, 403, 409, 422)
"""Where nothing was asked."""


def shown_of(error: Exception) -> Shown | None:
    """The page of an error, of the same status as over the API; None for one that nobody expected."""
    if isinstance(error, Shown):
        return error
    found = problem_of(error)
    if found is None:
        return None
    said = f"{found.message[:1].upper()}{found.message[1:]}".rstrip(".") + "."
    more = "Nothing was asked, and nothing was paid." if found.status_code in NOTHING else ""
    return Shown(found.status_code, TITLES.get(found.status_code, "That did not work"), said, more, found.headers)


def _unexpected(request: Request, error: Exception) -> Shown:
    """Its place in the code goes to the log, and nothing of it to whoever looks."""
    serving_of(request).log.write(id=request.state.id, **place(error))
    more = "If you were asking: what was paid for is in your history, and the same question again is free."
    return Shown(500, "Something failed", f"Whoever runs the service finds it in the log as {request.state.id}.", more)


def page_route(site: Site) -> type[APIRoute]:
    """Of routes whose refusals are pages; nobody who is not signed in sees more than the way in."""

    class PageRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            found = super().get_route_handler()

            async def handler(request: Request) -> Response:
                try:
                    return await found(request)
                except SignIn:
                    ended = "?ended=1" if cookie(request, COOKIE) else ""
                    return RedirectResponse(f"/login{ended}", 303, headers=HEADERS)
                except Exception as error:
                    if (problem := problem_of(error)) is not None:
                        serving_of(request).refused(problem)
                    return site.refusal(request, shown_of(error) or _unexpected(request, error))

            return handler

    return PageRoute
