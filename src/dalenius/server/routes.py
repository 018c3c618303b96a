"""The way in and out, what every page loads, and all pages of a curator, for whoever mounts them."""

from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from dalenius.curator import Curator
from dalenius.server.access import address, counted
from dalenius.server.analyst import analyst
from dalenius.server.errors_and_log import Problem
from dalenius.server.owner import owner
from dalenius.server.site import COOKIE, HEADERS, Site, cookie, cookie_name, fields_of, page_route, same_text
from dalenius.server.tokens import Tokens

# The cookie of whoever is not signed in: the form of signing in must say the same, so that no other site sends it.
_BEFORE: Final = "dalenius-before"
_FILES: Final = {"style.css": "text/css", "icon.svg": "image/svg+xml"}
_WRONG: Final = "This is no valid token: it may be incomplete, expired or revoked"
_ENDED: Final = "Your visit has ended. Sign in again to go on; what you asked is in your history."


def _entrance(site: Site) -> APIRouter:
    """The routes that somebody may take who is not signed in."""
    router = APIRouter(route_class=page_route(site), include_in_schema=False)

    @router.get("/style.css")
    @router.get("/icon.svg")
    async def loaded(request: Request) -> Response:
        name = request.url.path.removeprefix("/")
        content = (Path(__file__).parent / "web" / name).read_bytes()
        return Response(content, media_type=_FILES[name], headers={"Cache-Control": "public, max-age=86400"})

    @router.get("/")
    async def home(request: Request) -> Response:
        return _to(site.visit(request).links[0][1])

    @router.get("/login")
    async def login(request: Request) -> Response:
        return _login(site, request, said=_ENDED if "ended" in request.query_params else "")

    @router.post("/login")
    async def sign_in(request: Request) -> Response:
        fields, before = await fields_of(request), cookie(request, _BEFORE)
        if not before or not same_text(before, fields.get("csrf", "")):
            raise Problem(403, "this form is out of date: open the page again, and sign in there")
        site.visits.end(cookie(request, COOKIE))
        text = "".join(fields.get("token", "").split())
        begun = await run_in_threadpool(site.visits.begin, text)
        if begun is None:
            counted(request, f"address {address(request)}")  # whoever tries tokens is slowed
            return _login(site, request, 401, fault={"field": "token", "said": _WRONG if text else "paste your token"})
        response = _to("/")
        response.set_cookie(cookie_name(request, COOKIE), begun, **_terms(request))
        response.delete_cookie(cookie_name(request, _BEFORE), **_terms(request))
        return response

    @router.post("/logout")
    async def sign_out(request: Request) -> Response:
        await site.fields(request, site.visit(request))
        site.visits.end(cookie(request, COOKIE))
        response = _to("/login")
        response.delete_cookie(cookie_name(request, COOKIE), **_terms(request))
        return response

    return router


def _to(url: str) -> RedirectResponse:
    return RedirectResponse(url, 303, headers=HEADERS)


def _login(site: Site, request: Request, status: int = 200, said: str = "", **context: Any) -> Response:
    before = token_urlsafe(24)
    response = site.page(request, "login.html", status, title="Sign in", said=said, csrf=before, **context)
    response.set_cookie(cookie_name(request, _BEFORE), before, **_terms(request))
    return response


def _terms(request: Request) -> dict[str, Any]:
    """No script reads a cookie, no other site sends it, and behind HTTPS it never travels without."""
    return {"path": "/", "httponly": True, "samesite": "strict", "secure": request.url.scheme == "https"}


def make_router(curator: Curator, tokens: Tokens) -> APIRouter:
    """The pages, at the root: `/`, `/login`, `/data/…`, `/ledger` and what they load. Nothing is asked of the curator
    before somebody is signed in."""
    site = Site(curator, tokens)
    router = APIRouter(include_in_schema=False)
    for part in (_entrance, analyst, owner):
        router.include_router(part(site))
    return router
