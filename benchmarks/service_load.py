"""Clients of a service in one process: one event loop, plain sockets that are kept open, and nothing parsed twice."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, final

HEAD_END = b"\r\n\r\n"


@final
@dataclass
class Heard:
    """seconds: of every answer from its request on; statuses: how often each came."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)


@final
class Client(asyncio.Protocol):
    """Sends its requests one after another, the next as soon as the last was answered, as long as there are any."""

    def __init__(self, requests: Iterator[bytes], heard: Heard, over: "asyncio.Future[None]") -> None:
        self._requests, self._stored_answer, self._over = requests, heard, over
        self._found, self._wanted, self._begun = b"", 0, 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        self._found += data
        if not self._wanted and (end := self._found.find(HEAD_END)) >= 0:
            head = self._found[:end].lower()
            _, _, after = head.partition(b"\r\ncontent-length: ")
            self._wanted = end + len(HEAD_END) + int(after.split(b"\r\n", 1)[0])
        if self._wanted and len(self._found) >= self._wanted:
            self._stored_answer.seconds.append(perf_counter() - self._begun)
            self._stored_answer.statuses[int(self._found[9:12])] += 1
            self._found, self._wanted = b"", 0
            self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._over.done():
            self._over.set_result(None)

    def _send(self) -> None:
        request = next(self._requests, None)
        if request is None:
            self._transport.close()
            return
        self._begun = perf_counter()
        self._transport.write(request)


def request(token: str, path: str, body: Any) -> bytes:
    """A request as it is sent."""
    sent = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
    )
    return head.encode() + sent


def sent(port: int, clients: list[Iterator[bytes]]) -> tuple[Heard, float]:
    """What all clients together were told, and in how many seconds."""

    async def all_of_them() -> tuple[Heard, float]:
        loop, heard, ends = asyncio.get_running_loop(), Heard(), []
        begun = perf_counter()
        for each in clients:
            ends.append(loop.create_future())
            await loop.create_connection(lambda each=each, end=ends[-1]: Client(each, heard, end), "127.0.0.1", port)  # type: ignore[misc]
        await asyncio.gather(*ends)
        return heard, perf_counter() - begun

    return asyncio.run(all_of_them())
