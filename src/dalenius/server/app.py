"""The service, put together: routes, what every request passes, how errors are said."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from time import perf_counter
from typing import Any, Final, final
from uuid import uuid4

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dalenius.curator import Curator, Service
from dalenius.errors import DaleniusError
from dalenius.server.access import Serving, holder, is_local, no_analyst, serving_of
from dalenius.server.api import API
from dalenius.server.errors_and_log import Log, Problem, place, problem_of, stopping
from dalenius.server.json_forms import HEALTH, TEXT, ask_schema, responses
from dalenius.server.tokens import Tokens

PATIENCE: Final = 20.0
"""Seconds within which a body must have come."""
NO_ROUTE: Final = "other"
HEADERS: Final = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
}
"""Where a page has said nothing else."""
HTTPS: Final = (b"strict-transport-security", b"max-age=31536000")


@final
class Guard:
    """The outermost layer of our own."""

    def __init__(self, app: ASGIApp, serving: Serving) -> None:
        self._app, self._serving = app, serving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = _Request(scope, send, self._serving)
        self._serving.requests += 1
        try:
            await self._passed(request, receive)
        finally:
            self._serving.requests -= 1
            self._said(request)

    async def _passed(self, request: "_Request", receive: Receive) -> None:
        most = self._serving.service.body_bytes
        try:
            if self._serving.stopping and request.scope["path"] != "/health":
                raise stopping()
            if _announced(request.scope) > most:
                raise _too_large(most)
            await self._app(request.scope, _Limited(receive, most), request.send)
        except Exception as error:
            await self._failed(request, error)

    async def _failed(self, request: "_Request", error: Exception) -> None:
        """Nothing of an unexpected error goes out; its place in the code is in the log."""
        found = problem_of(error)
        if found is None:
            self._serving.log.write(id=request.id, **place(error))
            found = Problem(500, "failed")
        if request.status is None:
            self._serving.refused(found)
            response = found.response(id=request.id if found.status_code == 500 else None)
            await response(request.scope, _nothing, request.send)

    def _said(self, request: "_Request") -> None:
        route = getattr(request.scope.get("route"), "path", NO_ROUTE)
        token = request.scope["state"].get("token")
        seconds = perf_counter() - request.begun
        status = request.status if request.status is not None else 499  # whoever asked went away
        method = str(request.scope["method"])
        self._serving.metrics.request(method, route, status, seconds)
        who = {} if token is None else {"role": token.role.value, "token_id": token.id}
        known = method if method.isalpha() and len(method) <= 10 else NO_ROUTE
        fields = {"id": request.id, **who, "method": known, "path": route}
        self._serving.log.write(**fields, status=status, seconds=round(seconds, 4))


@final
class _Request:
    """A request on its way; status: None until its answer has begun."""

    def __init__(self, scope: Scope, send: Send, serving: Serving) -> None:
        self._serving = serving
        self.id, self.begun = uuid4().hex[:16], perf_counter()
        self.status: int | None = None
        self.scope, self._send = scope, send
        scope.setdefault("state", {})["id"] = self.id

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.status == 429:
                await self._serving.slowed()
            message = {**message, "headers": self._headers(list(message.get("headers", [])))}
        await self._send(message)

    def _headers(self, given: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        there = {name.lower() for name, _ in given}
        more = [(name, value) for name, value in HEADERS.items() if name not in there]
        more += [HTTPS] if self.scope.get("scheme") == "https" else []
        return [*given, *more, (b"x-request-id", self.id.encode())]


@final
class _Limited:
    """A body as it comes, no larger and no slower than is allowed."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most = receive, most
        self._size, self._complete = 0, False
        self._until = perf_counter() + PATIENCE

    async def __call__(self) -> Message:
        if self._complete:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), max(0.0, self._until - perf_counter()))
        except TimeoutError:
            raise Problem(408, f"the body did not come within {PATIENCE:g} seconds", "slow") from None
        self._size += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._size > self._most:
            raise _too_large(self._most)
        return message


def _too_large(most: int) -> Problem:
    return Problem(413, f"the body is too large: at most {most} bytes are wanted", "size")


def _announced(scope: Scope) -> int:
    """The length that the headers say, 0 where they say none."""
    found = [value for name, value in scope["headers"] if name == b"content-length"]
    return max((int(value) for value in found if value.isdigit()), default=0)


async def _nothing() -> Any:
    return {"type": "http.disconnect"}


PUBLIC: Final = APIRouter()
LOCAL: Final = ("localhost", "127.0.0.1", "[::1]")


def make_app(curator: Curator, tokens: Tokens, web: APIRouter | None = None, log: Log | None = None) -> FastAPI:
    """The service of that curator, for whoever holds one of these tokens. web: the routes of its pages; log: by default
    on standard error. Whoever made the curator closes it."""
    serving = Serving(curator, tokens, log if log is not None else Log())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        serving.close()

    app = FastAPI(
        title="Dalenius",
        summary="Privacy guarantees for people whose data depend on each other: ask a curator.",
        version=version("dalenius"),
        docs_url=None,  # these pages load what they show from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.serving = serving
    app.include_router(PUBLIC)
    app.include_router(API)
    if web is not None:
        app.include_router(web)
    for kind in (Problem, DaleniusError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _refused)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=_hosts(curator.policy.service), www_redirect=False)
    app.add_middleware(Guard, serving=serving)
    described = app.openapi
    app.openapi = lambda: _with_asks(described())  # type: ignore[method-assign]
    return app


def _hosts(service: Service) -> list[str]:
    """By which it may be asked for: a page of elsewhere whose name was made to stand for this machine asks for its own,
    and is to read nothing that needs no token."""
    host = f"[{service.host}]" if ":" in service.host else service.host
    return [*LOCAL, host, *service.hosts]


def _with_asks(found: dict[str, Any]) -> dict[str, Any]:
    """The description of the API, with the schema of what is asked."""
    found.setdefault("components", {}).setdefault("schemas", {}).update(ask_schema())
    return found


@PUBLIC.get("/health", responses=responses(HEALTH))
async def health(request: Request) -> JSONResponse:
    """Whether the ledger and the tables answer; 503 where one does not, or the service is stopping."""
    serving = serving_of(request)
    parts = serving.health.last if serving.stopping else await serving.health.found()
    well = all(parts.values()) and not serving.stopping
    status = "stopping" if serving.stopping else "ok" if well else "failing"
    return JSONResponse({"status": status, **parts}, 200 if well else 503)


@PUBLIC.get("/metrics", responses=responses(TEXT, 401, 403, 429, media="text/plain"))
async def metrics(request: Request) -> Response:
    """Counts for Prometheus: for this machine, and for tokens of owners and auditors."""
    if not (is_local(request) and "authorization" not in request.headers):
        no_analyst(await holder(request))
    content, media = serving_of(request).metrics.text()
    return Response(content, media_type=media)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    found = problem_of(error)
    assert found is not None
    serving_of(request).refused(found)
    return found.response()
