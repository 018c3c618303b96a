"""The service, put together: routes, what every request passes, how errors are said.

From outside in, a request passes four layers: `Guard`, which numbers and logs it, the check of the host that it asks
for, FastAPI, and the route. `problem_of` makes the reply of an error. An unexpected error is 500 {"error": {"message":
"failed", "id": …}}, and under that id the log has the class and the line, and nothing else of it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from time import perf_counter
from typing import Final, final
from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dalenius.curator import Curator, Service
from dalenius.errors import DaleniusError
from dalenius.server.access import Serving, serving_of
from dalenius.server.answer_pages import ANSWER_PAGES
from dalenius.server.api import API, RESPONSES
from dalenius.server.ask_pages import ASK_PAGES
from dalenius.server.asks import Submit
from dalenius.server.browser_sessions import Visits
from dalenius.server.log import Log
from dalenius.server.meaning_route import MEANING
from dalenius.server.pages import PAGES
from dalenius.server.problems import HTTP_METHODS, Problem, logged_of, problem_of, stopping
from dalenius.server.sign_on_pages import SIGN_ON_PAGES, SignOns
from dalenius.server.tokens import Tokens

# Where a page has said nothing else.
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
_HTTPS: Final = (b"strict-transport-security", b"max-age=31536000")


@final
class Guard:
    """The outermost layer of our own, which every request and every answer passes.

    Each has its number, its headers and a line in the log, whatever becomes of it.
    """

    def __init__(self, app: ASGIApp, serving: Serving) -> None:
        self._app, self._serving = app, serving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request from begin to end, as ASGI calls it; nothing that is raised within gets out."""
        if scope["type"] != "http":  # the server's begin and end
            await self._app(scope, receive, send)
            return
        begun, status, id = perf_counter(), None, uuid4().hex[:16]
        scope.setdefault("state", {})["id"] = id
        # Because monitors and load balancers ask with HEAD, it is answered wherever GET is, without the body.
        head = scope["method"] == "HEAD"
        as_get = {**scope, "method": "GET"} if head else scope

        async def answer(message: Message) -> None:
            """Sends a part of the answer; the first one has the status and the headers."""
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": _headers(scope, list(message.get("headers", [])))}
            elif head:
                message = {**message, "body": b""}
            await send(message)

        self._serving.requests += 1
        try:
            # Because a balancer asks for /health until the end, to send nobody here any more.
            if self._serving.stopping and scope["path"] != "/health":
                raise stopping()
            await self._app(as_get, receive, answer)
        except Exception as error:  # nothing of an unexpected one goes out; its place in the code is in the log
            found = problem_of(error)
            if why := logged_of(error, found):
                self._serving.log.write(id=id, **why)
            found = found or Problem(500, "failed", id=id)
            if status is None:
                await found.response()(scope, receive, answer)
        finally:
            self._serving.requests -= 1
            # Without a status the client went away.
            self._log(as_get, str(scope["method"]), status if status is not None else 499, perf_counter() - begun)

    def _log(self, scope: Scope, sent: str, status: int, seconds: float) -> None:
        """Writes the request's line. The route as it is declared, never what was sent, which may hold names.

        sent: the method of the request; status: 499 if the client went away before the answer; seconds: from its
        begin to its end.
        """
        route = getattr(scope.get("route"), "path", "other")
        method = sent if sent in HTTP_METHODS else "other"
        token = scope["state"].get("token")
        who = {} if token is None else {"role": token.role.value, "token_id": token.id}
        fields = {"id": scope["state"]["id"], **who, "method": method, "path": route}
        self._serving.log.write(**fields, status=status, seconds=round(seconds, 4))


def _headers(scope: Scope, given: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Returns the headers of the answer, ours where it says nothing else, and the request's number, for complaints."""
    there = {name.lower() for name, _ in given}
    given = [(name, _with_head(value) if name.lower() == b"allow" else value) for name, value in given]
    more = [(name, value) for name, value in HEADERS.items() if name not in there]
    more += [_HTTPS] if scope.get("scheme") == "https" else []
    return [*given, *more, (b"x-request-id", scope["state"]["id"].encode())]


def _with_head(methods: bytes) -> bytes:
    """Returns the methods that a route allows, HEAD beside GET."""
    found = [each.strip() for each in methods.split(b",")]
    return b", ".join([*found, b"HEAD"] if b"GET" in found and b"HEAD" not in found else found)


_LOCAL: Final = ("localhost", "127.0.0.1", "[::1]")


def make_app(curator: Curator, tokens: Tokens, log: Log | None = None, submit: Submit | None = None) -> FastAPI:
    """Returns the service of a curator: its API and its pages.

    The order of the layers is that of the module's docstring: what is added last stands outermost.

    Args:
        curator: The curator, which its maker closes.
        tokens: The tokens, whose holders may ask.
        log: The log; None for standard error.
        submit: Has noises found in other processes; None: in threads of this one.
    """
    serving = Serving(curator, tokens, log if log is not None else Log(), submit)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        """As long as the service runs; its threads end with it."""
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
    app.state.serving, app.state.visits = serving, Visits(tokens)
    app.add_api_route("/health", health, responses=RESPONSES)
    app.include_router(API)
    app.include_router(MEANING)
    for pages in (PAGES, ASK_PAGES, ANSWER_PAGES):
        app.include_router(pages)
    if serving.has_pages_of_sign_on:
        app.state.sign_ons = SignOns()
        app.include_router(SIGN_ON_PAGES)
    for kind in (Problem, DaleniusError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _refused)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=_hosts(curator.policy.service), www_redirect=False)
    app.add_middleware(Guard, serving=serving)
    return app


def _hosts(service: Service) -> list[str]:
    """Returns the names by which it may be asked for.

    A page of elsewhere whose name was made to stand for this machine asks for its own name, and is to read nothing that
    needs no token.
    """
    host = f"[{service.host}]" if ":" in service.host else service.host
    return [*_LOCAL, host, *service.hosts]


async def health(request: Request) -> JSONResponse:
    """Tell whether the ledger and the tables answer; 503 where one does not, or the service is stopping."""
    serving = serving_of(request)
    parts = serving.last_look if serving.stopping else await serving.looked()
    well = all(parts.values()) and not serving.stopping
    status = "stopping" if serving.stopping else "ok" if well else "failing"
    return JSONResponse({"status": status, **parts}, 200 if well else 503)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    """Returns the answer to the kinds of error that FastAPI catches. All of them are refusals."""
    found = problem_of(error)
    assert found is not None
    if why := logged_of(error, found):
        serving_of(request).log.write(id=request.state.id, **why)
    return found.response()
