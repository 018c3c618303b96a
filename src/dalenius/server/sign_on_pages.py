"""Signing in on the pages at the policy's provider: the authorization code flow of OpenID Connect, with PKCE.

Ana's browser goes to the provider with three random words: `state`, which must come back with it; `nonce`, which must
be in her ID token; and the SHA-256 of a third, which the service shows when it exchanges the code (RFC 7636). All three
are kept here under a cookie for ten minutes, and used once. So a code that somebody else got is of no use in her
browser, nor hers in theirs.
"""

from base64 import b64encode, urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, final
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from dalenius.server.access import address, check_rate, serving_of
from dalenius.server.browser_sessions import COOKIE, cookie, same_text, set_cookie, visits_of
from dalenius.server.limits import SIGN_ON_SECONDS, SIGN_ONS
from dalenius.server.pages import PageRoute, page
from dalenius.server.problems import Problem
from dalenius.server.tokens import Token, hashed

if TYPE_CHECKING:
    from dalenius.server.signed_tokens import SignedTokens

_AWAY: Final = "dalenius-sign-on"
_NOT_SIGNED_ON: Final = "the provider did not sign you in, or the policy names no analyst like you"
SIGN_ON_PAGES: Final = APIRouter(route_class=PageRoute, include_in_schema=False)


@final
@dataclass(frozen=True)
class Started:
    """The random words of one sign-on; begun: seconds of their clock."""

    state: str
    nonce: str
    verifier: str
    begun: float

    @property
    def challenge(self) -> str:
        """The SHA-256 of the verifier, as the provider gets it (RFC 7636 §4.2)."""
        return urlsafe_b64encode(sha256(self.verifier.encode()).digest()).rstrip(b"=").decode()


@final
class SignOns:
    """The browsers that are at the provider, in the memory of this process. Safe for threads."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._away: OrderedDict[str, Started] = OrderedDict()

    def begin(self) -> tuple[str, Started]:
        """Returns a cookie, and the words of a new sign-on."""
        text, state, nonce, verifier = (token_urlsafe(32) for _ in range(4))
        with self._lock:
            self._away[hashed(text)] = started = Started(state, nonce, verifier, self._clock())
            while len(self._away) > SIGN_ONS:
                self._away.popitem(last=False)
        return text, started

    def end(self, text: str) -> Started | None:
        """Returns the sign-on of a cookie's `text`, once; None where there is none, or it took too long."""
        with self._lock:
            found = self._away.pop(hashed(text), None)
            return None if found is None or self._clock() - found.begun > SIGN_ON_SECONDS else found


def _signed(request: Request) -> "SignedTokens":
    found = serving_of(request).sign_on
    assert found is not None
    return found


@SIGN_ON_PAGES.get("/sign-on")
async def leave(request: Request) -> Response:
    """Sends the browser to the provider."""
    check_rate(request, f"address {address(request)}")
    signed = _signed(request)
    place = await run_in_threadpool(signed.provider.address, "authorization_endpoint")
    sign_ons: SignOns = request.app.state.sign_ons
    text, started = sign_ons.begin()
    policy = signed.policy
    asked = {
        "response_type": "code",
        "client_id": str(policy.client),
        "redirect_uri": policy.returns_to,
        "scope": "openid email profile",
        "state": started.state,
        "nonce": started.nonce,
        "code_challenge": started.challenge,
        "code_challenge_method": "S256",
    }
    response = RedirectResponse(f"{place}{'&' if '?' in place else '?'}{urlencode(asked)}", 303)
    set_cookie(request, response, _AWAY, text, "lax")
    return response


@SIGN_ON_PAGES.get("/sign-on/back")
async def come_back(request: Request) -> Response:
    """Begins a visit of the analyst whom the provider has signed in; Problem 403 for anybody else."""
    check_rate(request, f"address {address(request)}")
    signed, given = _signed(request), request.query_params
    sign_ons: SignOns = request.app.state.sign_ons
    started = sign_ons.end(cookie(request, _AWAY))
    if started is None or not same_text(started.state, given.get("state", "")):
        raise Problem(403, "this sign-in is out of date: begin it again")
    issuer = given.get("iss")
    # Because a code of another provider must not be told to this one (RFC 9207).
    if issuer != signed.policy.issuer and (
        issuer is not None or signed.provider.says("authorization_response_iss_parameter_supported")
    ):
        raise Problem(403, _NOT_SIGNED_ON)
    code = given.get("code", "")
    token = await run_in_threadpool(_exchanged, signed, started, code) if code else None
    if token is None:
        raise Problem(403, _NOT_SIGNED_ON)
    visits = visits_of(request)
    visits.end(cookie(request, COOKIE))
    # Because a browser keeps strict cookies back while another site has sent it here, it goes on from a page of ours.
    response = page(request, "signed_on.html", title="Signed in")
    set_cookie(request, response, COOKIE, visits.begin_for(token))
    set_cookie(request, response, _AWAY, "", "lax")
    return response


def _exchanged(signed: "SignedTokens", started: Started, code: str) -> Token | None:
    """Returns the rights of the analyst for whom the provider gave the `code`; None where it refuses it."""
    policy = signed.policy
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": policy.returns_to,
        "client_id": str(policy.client),
        "code_verifier": started.verifier,
    }
    status, found = signed.provider.exchanged(form, _authorization(str(policy.client), policy.secret))
    text = found.get("id_token")
    return signed.visitor(text, started.nonce) if status == 200 and isinstance(text, str) else None


def _authorization(client: str, secret: str | None) -> Mapping[str, str]:
    """Returns the header by which a `client` with a `secret` shows that it is itself (RFC 6749 §2.3.1)."""
    if secret is None:
        return {}
    both = f"{quote(client, safe='')}:{quote(secret, safe='')}"
    return {"Authorization": f"Basic {b64encode(both.encode()).decode()}"}
