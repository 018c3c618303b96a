"""Visits: who is signed in at a browser, and which forms are theirs.

Ana signs in with her token: her browser gets a cookie of 256 random bits. This process keeps its SHA-256, and what her
token may do. After an hour without a page, after twelve in any case, or once the token is revoked, the next page is the
way in again. A form that another site made her send lacks the word that only her pages have.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hmac import compare_digest
from secrets import token_urlsafe
from threading import Lock
from time import monotonic, time
from typing import Final, Literal, final
from urllib.parse import parse_qsl

from fastapi import Request
from fastapi.responses import Response

from dalenius.server.access import check_rate, request_body
from dalenius.server.json_values import is_text
from dalenius.server.limits import IDLE_SECONDS, MOST_VISITS, TICKED, VISIT_SECONDS
from dalenius.server.problems import Problem
from dalenius.server.tokens import Role, Token, Tokens, hashed

COOKIE: Final = "dalenius"


@final
@dataclass(frozen=True)
class Visit:
    """A visit of somebody signed in; csrf: what every form of theirs must say; begun: seconds of the visits' clock."""

    token: Token
    csrf: str
    begun: float


@final
class Visits:
    """All visits, in the memory of this process. Safe for threads.

    Only the SHA-256 of cookies is kept, and what tokens may do: nobody who reads this memory can sign in by it.
    """

    def __init__(self, tokens: Tokens, clock: Callable[[], float] = monotonic) -> None:
        self._tokens, self._clock = tokens, clock
        self._lock = Lock()
        self._last: OrderedDict[str, tuple[Visit, float]] = OrderedDict()

    def begin(self, text: str) -> str | None:
        """Returns the cookie of a new visit for the token with this text; None where there is no such token."""
        token = self._tokens.find(text)
        return None if token is None else self.begin_for(token)

    def begin_for(self, token: Token) -> str:
        """Returns the cookie of a new visit with the rights of a `token`."""
        cookie = token_urlsafe(32)
        with self._lock:
            now = self._clock()
            self._last[hashed(cookie)] = Visit(token, token_urlsafe(32), now), now
            # The one that was idle longest goes first.
            while len(self._last) > MOST_VISITS:
                self._last.popitem(last=False)
        return cookie

    def find(self, cookie: str) -> Visit | None:
        """Returns the visit of a `cookie`; None for one that there is not, or whose time or token has ended."""
        key = hashed(cookie)
        with self._lock:
            visit, last = self._last.pop(key, (None, 0.0))
            now = self._clock()
            if visit is None or now - last > IDLE_SECONDS or now - visit.begun > VISIT_SECONDS:
                return None
            self._last[key] = visit, now  # the newest at the end
        # So that a revoked token ends its visits at once, the file of tokens is read for every page.
        token = visit.token
        if not (token.is_valid(time()) if token.signed_on else self._tokens.again(token.id)):
            self.end(cookie)
            return None
        return visit

    def end(self, cookie: str) -> None:
        """Signs out the visit of a `cookie`; nothing where nobody was signed in."""
        with self._lock:
            self._last.pop(hashed(cookie), None)


class SignIn(Exception):
    """The signal that nobody is signed in: the answer is the way in, and no page."""


def visits_of(request: Request) -> Visits:
    """Returns the visits of the service that answers this `request`."""
    found: Visits = request.app.state.visits
    return found


def visit_of(request: Request, *roles: Role) -> Visit:
    """Returns the visit that looks at the page of a `request`; SignIn for nobody, Problem 403 for another role."""
    visit = visits_of(request).find(cookie(request, COOKIE))
    if visit is None:
        raise SignIn
    request.state.token = visit.token  # for the log
    check_rate(request, visit.token.whose)
    if roles and visit.token.role not in roles:
        raise Problem(403, f"this page is for {' and '.join(f'an {each.value}' for each in roles)}")
    return visit


async def own_fields(request: Request, visit: Visit) -> Mapping[str, str]:
    """Returns the fields of a form of that `visit`, sent in a `request`; Problem 403 for a form that is not ours."""
    found = await fields_of(request)
    if not same_text(found.get("csrf", ""), visit.csrf):
        raise Problem(403, "this form is out of date: open the page again, and send it from there")
    return found


async def fields_of(request: Request) -> Mapping[str, str]:
    """Returns the texts of a form; Problem 403 for one that another site sends, 400 for what is no text.

    A browser says in a header whether the form is of this site; one too old to say so has the words of the form.
    """
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Problem(403, "this form came from another site, so nothing was done")
    try:
        text = (await request_body(request)).decode()
        found = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=40 + TICKED, errors="strict"))
    except ValueError:
        found = {"": "\0"}
    # Because no ask and no token has NUL, or half of a surrogate pair.
    if not all(map(is_text, found.values())):
        raise Problem(400, "a field holds what is no text")
    return found


def same_text(one: str, other: str) -> bool:
    """Compares `one` with the `other` text in a time that does not depend on where they differ."""
    return compare_digest(one.encode(errors="surrogatepass"), other.encode(errors="surrogatepass"))


def _cookie_name(request: Request, name: str) -> str:
    """Returns the cookie's name: over HTTPS one that only this host over HTTPS can set (RFC 6265bis §4.1.3)."""
    return f"__Host-{name}" if request.url.scheme == "https" else name


def cookie(request: Request, name: str) -> str:
    """Returns what the cookie called `name` holds in a `request`; an empty text where it is not there."""
    return request.cookies.get(_cookie_name(request, name), "")


def set_cookie(
    request: Request, response: Response, name: str, value: str, sent: Literal["strict", "lax"] = "strict"
) -> None:
    """Sets the cookie called `name` in a `response` to a `request`; without a value it is deleted.

    No script reads a cookie, no other site sends it, and behind HTTPS it never travels without. sent: `lax` for one
    that must be there when another site sends the browser here.
    """
    secure, known = request.url.scheme == "https", _cookie_name(request, name)
    if value:
        response.set_cookie(known, value, path="/", httponly=True, samesite=sent, secure=secure)
    else:
        response.delete_cookie(known, path="/", httponly=True, samesite=sent, secure=secure)
