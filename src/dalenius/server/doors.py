"""Who is let in: a token in the header, looked up in its file each time."""

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool

from dalenius.server.limits import Busy, Late, Stopping, Work
from dalenius.server.problems import Problem, stopping, unauthorised
from dalenius.server.serving import Serving
from dalenius.server.tokens import Token

Result = TypeVar("Result")

SCHEME: Final = HTTPBearer(
    auto_error=False, bearerFormat="dal_…", description="A token that `dalenius token make` has shown."
)
FORWARDED: Final = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""Headers of a proxy: what comes through one is of another machine, whatever address it has."""


def serving_of(request: Request) -> Serving:
    """Of the service that answers this request."""
    found: Serving = request.app.state.serving
    return found


async def holder(request: Request, _: Annotated[Any, Depends(SCHEME)] = None) -> Token:
    """The valid token of the request, which is counted. Problem 401, or 429 for more than it may ask; addresses that
    come without a valid one are counted too."""
    token = await token_of(request)
    if token is None:
        counted(request, f"address {address(request)}")
        raise unauthorised()
    counted(request, token.id)
    return token


Holder = Annotated[Token, Depends(holder)]


async def token_of(request: Request) -> Token | None:
    """The valid token in the header, which the log then names; None for any other header."""
    given = request.headers.getlist("authorization")
    scheme, _, text = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    if scheme.lower() != "bearer":
        return None
    token = await run_in_threadpool(serving_of(request).tokens.find, text)
    request.state.token = token
    return token


def counted(request: Request, key: str) -> None:
    """Problem 429 where this one is too many."""
    wait = serving_of(request).rates.wait(key)
    if wait:
        raise Problem(429, f"too many requests: the next one may come in {wait:.1f} s", "rate", wait=wait)


async def within(work: Work, call: Callable[[], Result], token: Token) -> Result:
    """What it returns, computed in a thread of that pool. Problem 503 where there is no place, or it takes too long."""
    try:
        return await work.run(call, token.id)
    except Busy:
        raise Problem(503, "too much is being computed at once: ask again", "busy", wait=1) from None
    except Stopping:
        raise stopping() from None
    except Late:
        later = "it is still being computed: the same request later gets its answer, and pays no more"
        raise Problem(503, later, "late", wait=30) from None


def address(request: Request) -> str:
    return request.client.host if request.client is not None else "unknown"


def is_local(request: Request) -> bool:
    """Whether it comes from this machine, and not through a proxy that says so."""
    local = address(request) in ("127.0.0.1", "::1")
    return local and not any(name in request.headers for name in FORWARDED)
