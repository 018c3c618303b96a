"""The service, put together: routes, what every request passes, how errors are said."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from dalenius.curator import Curator, Service
from dalenius.errors import DaleniusError
from dalenius.server.api import API
from dalenius.server.doors import holder, is_local, serving_of
from dalenius.server.guard import Guard
from dalenius.server.logs import Log
from dalenius.server.problems import Problem, problem_of
from dalenius.server.schemas import HEALTH, TEXT, asked, responses
from dalenius.server.serving import Serving
from dalenius.server.tokens import Role, Tokens

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
    for kind, handler in HANDLERS.items():
        app.add_exception_handler(kind, handler)
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
    found.setdefault("components", {}).setdefault("schemas", {}).update(asked())
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
        token = await holder(request)
        if token.role is Role.analyst:
            raise Problem(403, "a token of an owner or auditor is wanted; this one is of an analyst", "role")
    content, media = serving_of(request).metrics.text()
    return Response(content, media_type=media)


async def _of_ours(request: Request, error: Exception) -> JSONResponse:
    found = problem_of(error)
    assert found is not None
    serving_of(request).refused(found)
    return found.response()


async def _of_http(request: Request, error: Exception) -> JSONResponse:
    """Of the framework: no such route, or not with this method."""
    assert isinstance(error, HTTPException)
    found = Problem(error.status_code, str(error.detail).lower())
    found.headers = dict(error.headers or {})
    return found.response()


async def _of_parameters(_: Request, error: Exception) -> JSONResponse:
    """A parameter of the path, the query or a header that is not what is wanted; its value is not said again."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    key, wanted = str(first["loc"][-1]), str(first["msg"]).removeprefix("Input should be ").lower()
    return Problem(422, f"{key}: wanted {wanted}", key=key, wanted=wanted).response()


HANDLERS: Final[dict[Any, Callable[[Request, Exception], Any]]] = {
    Problem: _of_ours,
    DaleniusError: _of_ours,
    HTTPException: _of_http,
    RequestValidationError: _of_parameters,
}
