"""What every request passes, whatever it asks for: its number, its size, its headers, its line in the log; nothing
that goes wrong within is shown outside."""

import asyncio
from time import perf_counter
from typing import Any, Final, final
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dalenius.server.logs import place
from dalenius.server.problems import Problem, problem_of, stopping
from dalenius.server.serving import Serving

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
