"""The way in and out, what every page loads, and all pages of a curator, for whoever mounts them."""

from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from dalenius.curator import Curator
from dalenius.server.analyst import analyst
from dalenius.server.form import Fault
from dalenius.server.owner import owner
from dalenius.server.site import COOKIE, HEADERS, Shown, Site, cookie, cookie_name, data_url, page_route, written
from dalenius.server.tokens import Role, Tokens

BEFORE: Final = "dalenius-before"
HERE: Final = Path(__file__).parent / "web"
DAY: Final = {"Cache-Control": "public, max-age=86400"}
WRONG: Final = "This is no valid token: it may be incomplete, expired or revoked"
ENDED: Final = "Your visit has ended. Sign in again to go on; what you asked is in your history."


def entrance(site: Site) -> APIRouter:
    router = APIRouter(route_class=page_route(site), include_in_schema=False)

    @router.get("/style.css")
    async def style() -> Response:
        return Response((HERE / "style.css").read_bytes(), media_type="text/css", headers=DAY)

    @router.get("/icon.svg")
    async def icon() -> Response:
        return Response((HERE / "icon.svg").read_bytes(), media_type="image/svg+xml", headers=DAY)

    @router.get("/")
    async def home(request: Request) -> Response:
        visit = site.visit(request)
        token = visit.token
        return _to(data_url(token.data) if token.role is Role.analyst else "/ledger")

    @router.get("/login")
    async def login(request: Request) -> Response:
        return _login(site, request, ENDED if "ended" in request.query_params else "")

    @router.post("/login")
    async def sign_in(request: Request) -> Response:
        fields = await written(request)
        before = cookie(request, BEFORE)
        if not before or not site.visits.is_before(before, fields.get("csrf", "")):
            raise Shown(403, "This form is out of date", "Nobody was signed in: open the page again.")
        site.visits.end(cookie(request, COOKIE))
        text = "".join(fields.get("token", "").split())
        begun = await site.sign_in(request, text)
        if begun is None:
            return _login(site, request, "", Fault("token", WRONG if text else "paste your token here"))
        response = _to("/")
        _set(response, request, COOKIE, begun)
        _unset(response, request, BEFORE)
        return response

    @router.post("/logout")
    async def sign_out(request: Request) -> Response:
        visit = site.visit(request)
        await site.said(request, visit)
        site.visits.end(cookie(request, COOKIE))
        response = _to("/login")
        _unset(response, request, COOKIE)
        return response

    return router


def _to(url: str) -> RedirectResponse:
    return RedirectResponse(url, 303, headers=HEADERS)


def _login(site: Site, request: Request, said: str, *faults: Fault) -> Response:
    begun = token_urlsafe(24)
    context = {"title": "Sign in", "said": said, "csrf": site.visits.before(begun), "faults": faults}
    response = site.page(request, "login.html", 401 if faults else 200, **context)
    _set(response, request, BEFORE, begun)
    return response


def _set(response: Response, request: Request, name: str, value: str) -> None:
    response.set_cookie(cookie_name(request, name), value, **_terms(request))


def _unset(response: Response, request: Request, name: str) -> None:
    response.delete_cookie(cookie_name(request, name), **_terms(request))


def _terms(request: Request) -> dict[str, Any]:
    return {"path": "/", "httponly": True, "samesite": "strict", "secure": request.url.scheme == "https"}


def make_router(curator: Curator, tokens: Tokens) -> APIRouter:
    """The pages, at the root: `/`, `/login`, `/data/…`, `/ledger` and what they load. Nothing is asked of the curator
    before somebody is signed in."""
    site = Site(curator, tokens)
    router = APIRouter(include_in_schema=False)
    for part in (entrance, analyst, owner):
        router.include_router(part(site))
    return router
