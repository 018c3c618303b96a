"""All that the routes of one service have in common: who is let in, how often, how much and how many at once.

At 120 requests a minute a token may send 120 at once, then one each half second; the 121st is told to wait 0.5 seconds.
Of 8 threads that answer asks one token has at most 4, however many it sends, so that others always find one.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Lock
from time import monotonic
from typing import Annotated, Any, Final, TypeVar, final
from weakref import WeakValueDictionary

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool

from dalenius.curator import Ask, Curator, Recorded, Session
from dalenius.server.log import Log
from dalenius.server.problems import Problem, stopping
from dalenius.server.tokens import Token, Tokens
from dalenius.server.worker_processes import Busy, Stopping

_Result = TypeVar("_Result")


class Late(Exception):
    """It takes longer than anybody waits; it goes on, and the same request later gets its answer."""


@final
class Rates:
    """A bucket for each key: so many requests at once, filled again evenly within a minute. Safe for threads.

    >>> clock = iter([0.0, 0.0, 0.0, 30.0])
    >>> rates = Rates(2, clock=lambda: next(clock))
    >>> [rates.wait("ana") for _ in range(4)]  # two at once, the third too early, and half a minute later one more
    [0.0, 0.0, 30.0, 0.0]
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic, kept: int = 10_000) -> None:
        """kept: buckets that are remembered."""
        self._most, self._clock, self._kept = float(per_minute), clock, kept
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = Lock()

    def wait(self, key: str) -> float:
        """0 where a request may go on, which is then counted; else the seconds until the next one may."""
        with self._lock:
            now = self._clock()
            left, then = self._buckets.pop(key, (self._most, now))
            # A clock that went back takes none away.
            left = min(self._most, left + max(0.0, now - then) * self._most / 60)
            allowed = left >= 1
            self._buckets[key] = (left - 1 if allowed else left, now)
            # The one that was used longest ago goes first: of addresses that came once, as somebody tries tokens from
            # very many.
            if len(self._buckets) > self._kept:
                del self._buckets[next(iter(self._buckets))]
            return 0.0 if allowed else (1 - left) * 60 / self._most


@final
class Work:
    """A pool of threads for what takes long. As many calls as there are threads may wait for one; nobody may have more
    than half of the threads, so that there is always one for somebody else. Called from one event loop."""

    def __init__(self, threads: int, seconds: float, name: str, placeless: bool = False) -> None:
        """placeless: whether any number of calls may wait, of what is short."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._threads, self._seconds, self._placeless = threads, seconds, placeless
        self._taken: Counter[str] = Counter()

    @property
    def running(self) -> int:
        """How many calls have not ended, those that nobody waits for any more too."""
        return self._taken.total()

    async def run(self, call: Callable[[], _Result], whose: str = "") -> _Result:
        """What the call returns or raises. Busy where there is no place, or none for whose it is; Late after so many
        seconds: the call itself goes on to its end, and keeps its place until then."""
        if not self._placeless and (self.running >= 2 * self._threads or 2 * self._taken[whose] >= self._threads):
            raise Busy
        self._taken[whose] += 1
        future = asyncio.get_running_loop().run_in_executor(self._pool, copy_context().run, call)
        future.add_done_callback(lambda ended: self._ended(ended, whose))
        await asyncio.wait([future], timeout=self._seconds)
        if not future.done():
            raise Late
        return future.result()

    def _ended(self, future: "asyncio.Future[_Result]", whose: str) -> None:
        """A call has ended, and its place is free."""
        future.cancelled() or future.exception()  # looked at, so that asyncio does not print what nobody waits for
        self._taken[whose] -= 1
        self._taken += Counter()  # without those who have none

    def close(self) -> None:
        """After all calls have ended."""
        self._pool.shutdown()


async def _answers(check: Callable[[], Any]) -> bool:
    """Whether the ledger, or the tables, answer within eight seconds and without an error."""
    try:
        await asyncio.wait_for(asyncio.to_thread(check), 8.0)
    except Exception:  # whatever is wrong: what it is has its place elsewhere
        return False
    return True


# Seconds within which a body must have come.
BODY_MAY_TAKE: Final = 20.0


@final
class Serving:
    """One service: its curator, who may ask, its log, and the threads that answer.

    asks: what is computed and paid for; reads: what is in the ledger already, which needs no place. stopping: whether
    new requests are refused; requests: how many are being answered. last_look: what was found last: ledger, tables,
    whether it answers.
    """

    def __init__(self, curator: Curator, tokens: Tokens, log: Log) -> None:
        self.curator, self.tokens, self.log = curator, tokens, log
        self.service = service = curator.policy.service
        self.rates = Rates(service.requests_per_minute)
        self.asks = Work(service.concurrent, service.timeout, "ask")
        self.reads = Work(service.concurrent, service.timeout, "read", placeless=True)
        self.last_look = {"ledger": False, "tables": False}
        self._look_again, self._looking = float("-inf"), asyncio.Lock()
        # By question, the lock of who asks it; one that nobody holds is forgotten by itself.
        self._questions: WeakValueDictionary[tuple[str, str], Any] = WeakValueDictionary()
        self._lock = Lock()
        self.stopping = False
        self.requests = 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being answered, computed or drawn."""
        return self.requests == 0 and not (self.asks.running or self.reads.running)

    async def looked(self) -> dict[str, bool]:
        """Looks at ledger and tables, one look at a time, whose findings are said again for ten seconds."""
        async with self._looking:
            if monotonic() >= self._look_again:
                parts = {"ledger": self.curator.ledger.history, "tables": self.curator.look}
                answers = await asyncio.gather(*map(_answers, parts.values()))
                self.last_look = dict(zip(parts, answers, strict=True))
                self._look_again = monotonic() + 10.0
            return self.last_look

    def ask(self, session: Session, ask: Ask) -> Recorded:
        """What the session answers.

        Who asks what is being answered waits for that, as somebody who clicks twice: the ledger, which does not know
        whether another process is still at it, would let it be paid for again after a while.
        """
        with self._lock:
            own = self._questions.setdefault((session.data.name, ask.model_dump_json()), Lock())
        with own:
            return session.ask(ask)

    def close(self) -> None:
        """After all that runs has ended."""
        self.asks.close()
        self.reads.close()


_SCHEME: Final = HTTPBearer(
    auto_error=False, bearerFormat="dal_…", description="A token that `dalenius token make` has shown."
)


def serving_of(request: Request) -> Serving:
    """Of the service that answers this request."""
    found: Serving = request.app.state.serving
    return found


async def holder(request: Request, _: Annotated[Any, Depends(_SCHEME)] = None) -> Token:
    """The valid token of the request, which is counted. Problem 401, or 429 for more than it may ask; addresses that
    come without a valid one are counted too."""
    # Two headers mean one thing to a proxy and another to us: that is nobody.
    given = request.headers.getlist("authorization")
    scheme, _, text = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    bearer = scheme.lower() == "bearer"
    token = await run_in_threadpool(serving_of(request).tokens.find, text) if bearer else None
    request.state.token = token  # for the log
    if token is None:
        check_rate(request, f"address {address(request)}")
        # Whether there is no token, or it is malformed, unknown, expired or revoked: the same words.
        said = "a token of this service that is valid is wanted: Authorization: Bearer dal_…"
        raise Problem(401, said, headers={"WWW-Authenticate": 'Bearer realm="dalenius"'})
    check_rate(request, token.id)
    return token


Holder = Annotated[Token, Depends(holder)]


def check_rate(request: Request, key: str) -> None:
    """Counts it. Problem 429 where this one is too many of that key: a token's id, or an address."""
    wait = serving_of(request).rates.wait(key)
    if wait:
        raise Problem(429, f"too many requests: the next one may come in {wait:.1f} s", wait=wait)


async def within(work: Work, call: Callable[[], _Result], token: Token) -> _Result:
    """What it returns, computed in a thread of that pool. Problem 503 where there is no place, or it takes too long."""
    try:
        return await work.run(call, token.id)
    except Busy:
        raise Problem(503, "too much is being computed at once: ask again", wait=1) from None
    except Stopping:
        raise stopping() from None
    except Late:
        later = "it is still being computed: the same request later gets its answer, and pays no more"
        raise Problem(503, later, wait=30) from None


async def answered(serving: Serving, session: Session, ask: Ask, token: Token) -> Recorded:
    """What the ledger has already needs no place; anything else is paid for. Problem 503 as of `within`."""
    found = await within(serving.reads, lambda: session.repeated(ask), token)
    return found if found is not None else await within(serving.asks, lambda: serving.ask(session, ask), token)


async def request_body(request: Request) -> bytes:
    """The body, no larger and no slower than is allowed, counted as it comes, whatever its headers say. Problem 413 or
    408."""
    most, found = serving_of(request).service.body_bytes, bytearray()
    try:
        async with asyncio.timeout(BODY_MAY_TAKE):
            async for piece in request.stream():
                found += piece
                if len(found) > most:
                    raise Problem(413, f"the body is too large: at most {most} bytes are wanted")
    except TimeoutError:
        raise Problem(408, f"the body did not come within {BODY_MAY_TAKE:g} seconds") from None
    return bytes(found)


def address(request: Request) -> str:
    """From which it comes: of somebody without a valid token, all that they are counted by."""
    return request.client.host if request.client is not None else "unknown"
