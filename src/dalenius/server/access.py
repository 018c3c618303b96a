"""Access to one service, for all its routes: who is let in, how often, how much and how many at once.

At 120 requests a minute an analyst may send 120 at once, then one each half second; the 121st is told to wait 0.5
seconds, with any of her tokens.
"""

import asyncio
from collections.abc import Awaitable, Callable
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar, final

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool

from dalenius.curator import Curator, Policy
from dalenius.errors import InputError
from dalenius.server.answer_texts import AnswerTexts
from dalenius.server.asks import Asks, SaidQuestions, Submit
from dalenius.server.limits import BODY_SECONDS
from dalenius.server.log import Log
from dalenius.server.practice_answers import PracticeAnswers
from dalenius.server.problems import Problem, cause_fields, stopping
from dalenius.server.tokens import BEGINNING, Token, Tokens
from dalenius.server.work import Late, Work
from dalenius.server.worker_processes import Busy, Stopping

if TYPE_CHECKING:
    from dalenius.server.signed_tokens import SignedTokens

_Result = TypeVar("_Result")


@final
class Rates:
    """Buckets, one for each key: so many requests at once, filled again evenly within a minute. Safe for threads.

    >>> clock = iter([0.0, 0.0, 0.0, 30.0])
    >>> rates = Rates(2, clock=lambda: next(clock))
    >>> [rates.wait("ana") for _ in range(4)]  # two at once, the third too early, and half a minute later one more
    [0.0, 0.0, 30.0, 0.0]
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic, kept: int = 10_000) -> None:
        """Takes how many requests there may be; kept: buckets that are remembered."""
        self._most, self._clock, self._kept = float(per_minute), clock, kept
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = Lock()

    def wait(self, key: str) -> float:
        """Returns 0 where a request of this `key` may go on, and counts it; else the seconds until the next may."""
        with self._lock:
            now = self._clock()
            left, then = self._buckets.pop(key, (self._most, now))
            # So that a clock that went back takes none away.
            left = min(self._most, left + max(0.0, now - then) * self._most / 60)
            allowed = left >= 1
            self._buckets[key] = (left - 1 if allowed else left, now)
            # The one that was used longest ago goes first, such as addresses that came once, as somebody tries tokens
            # from very many.
            if len(self._buckets) > self._kept:
                del self._buckets[next(iter(self._buckets))]
            return 0.0 if allowed else (1 - left) * 60 / self._most


async def _failure(check: Callable[[], Any]) -> Exception | None:
    """Returns why the ledger, or the tables, do not answer within eight seconds; None where they do."""
    try:
        await asyncio.wait_for(asyncio.to_thread(check), 8.0)
    except Exception as error:
        return error
    return None


@final
class Serving:
    """One service: its curator, who may ask, its log, and the threads that answer.

    Attributes:
        asks: Questions on their way, which are computed and paid for.
        reads: What is looked up in the ledger.
        stopping: Whether new requests are refused.
        requests: How many are being answered.
        last_look: The last findings: whether ledger and tables answer.
        sign_on: The tokens of the policy's provider; None where it names none.
    """

    def __init__(self, curator: Curator, tokens: Tokens, log: Log, submit: Submit | None = None) -> None:
        """Takes its parts; submit: has noises found in other processes; None: in threads of this one."""
        self.curator, self.tokens, self.log = curator, tokens, log
        self.service = service = curator.policy.service
        self.sign_on = _signed_tokens(curator.policy)
        self.rates = Rates(service.requests_per_minute)
        self.work = Work(service.concurrent, service.timeout, "ask")
        self.asks = Asks(curator, self.work, submit)
        self.texts, self.questions, self.practised = AnswerTexts(), SaidQuestions(), PracticeAnswers()
        self.reads = Work(service.concurrent, service.timeout, "read")
        self.last_look = {"ledger": False, "tables": False}
        self._look_again, self._looking = float("-inf"), asyncio.Lock()
        self.stopping = False
        self.requests = 0

    @property
    def is_idle(self) -> bool:
        """Says whether nothing is being answered, computed or drawn."""
        return self.requests == 0 and not (self.asks.running or self.work.running or self.reads.running)

    @property
    def has_pages_of_sign_on(self) -> bool:
        """Says whether people may sign in on the pages at the policy's provider."""
        return self.sign_on is not None and self.sign_on.policy.client is not None

    async def looked(self) -> dict[str, bool]:
        """Looks at ledger and tables, one look at a time, whose findings are said again for ten seconds."""
        async with self._looking:
            if monotonic() >= self._look_again:
                parts = {"ledger": self.curator.ledger.history, "tables": self.curator.look}
                failures = await asyncio.gather(*map(_failure, parts.values()))
                for part, error in zip(parts, failures, strict=True):
                    if error is not None:  # the log says why, and the reply does not
                        self.log.write(part=part, **cause_fields(error))
                    self.last_look[part] = error is None
                self._look_again = monotonic() + 10.0
            return self.last_look

    def close(self) -> None:
        """Closes the service, after all that runs has ended."""
        self.work.close()
        self.reads.close()


def _signed_tokens(policy: Policy) -> "SignedTokens | None":
    """Returns the tokens of the policy's provider; None where it names none."""
    if policy.service.sign_on is None:
        return None
    try:
        # Because a service without sign-on needs no cryptography.
        from dalenius.server.provider import Provider
        from dalenius.server.signed_tokens import SignedTokens
    except ModuleNotFoundError as error:
        raise InputError(
            "service.sign_on", str(error.name), "a package of the extra server: pip install 'dalenius[server]'"
        ) from None
    return SignedTokens(Provider(policy.service.sign_on), policy.data)


_SCHEME: Final = HTTPBearer(
    auto_error=False,
    bearerFormat="dal_…",
    description="A token that `dalenius token make` has shown, or an access token of the policy's provider.",
)


def serving_of(request: Request) -> Serving:
    """Returns the service that answers this `request`."""
    found: Serving = request.app.state.serving
    return found


async def holder(request: Request, _: Annotated[Any, Depends(_SCHEME)] = None) -> Token:
    """Returns the valid token of the request, which is counted.

    Problem 401, or 429 for more than it may ask; addresses that come without a valid token are counted too.
    """
    # Because two headers mean one thing to a proxy and another to us, they are of nobody.
    given = request.headers.getlist("authorization")
    scheme, _, text = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    bearer = scheme.lower() == "bearer"
    token = await _found(serving_of(request), text) if bearer else None
    request.state.token = token  # for the log
    if token is None:
        check_rate(request, f"address {address(request)}")
        # So that no token, and one that is malformed, unknown, expired or revoked, get the same words.
        questions = "a token of this service that is valid is wanted: Authorization: Bearer dal_…"
        raise Problem(401, questions, headers={"WWW-Authenticate": 'Bearer realm="dalenius"'})
    check_rate(request, token.whose)
    return token


async def _found(serving: Serving, text: str) -> Token | None:
    """Returns the valid token with that text: at once where the file is as it was when it was last read.

    Unreachable where a token of the provider cannot be checked now.
    """
    if serving.sign_on is not None and not text.startswith(BEGINNING):
        return await run_in_threadpool(serving.sign_on.find, text)
    return serving.tokens.find(text) if serving.tokens.is_read else await run_in_threadpool(serving.tokens.find, text)


Holder = Annotated[Token, Depends(holder)]


def check_rate(request: Request, key: str) -> None:
    """Counts the `request` for a `key`: a token's holder, or an address. Problem 429 where this one is too many."""
    wait = serving_of(request).rates.wait(key)
    if wait:
        raise Problem(429, f"too many requests: the next one may come in {wait:.1f} s", wait=wait)


async def within(answer: Awaitable[_Result]) -> _Result:
    """Returns what comes of the `answer`; Problem 503 where there is no place, or it takes too long."""
    try:
        return await answer
    except Busy:
        raise Problem(503, "too much is being computed at once: ask again", wait=1) from None
    except Stopping:
        raise stopping() from None
    except Late:
        later = "the answer is still being computed: send the same request later to get it, at no further cost"
        raise Problem(503, later, wait=30) from None


async def request_body(request: Request) -> bytes:
    """Returns the body, no larger and no slower than is allowed, counted as it comes, whatever its headers say.

    Problem 413 or 408.
    """
    most, found = serving_of(request).service.body_bytes, bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in request.stream():
                found += piece
                if len(found) > most:
                    raise Problem(413, f"the body is too large: at most {most} bytes are wanted")
    except TimeoutError:
        raise Problem(408, f"the body did not come within {BODY_SECONDS:g} seconds") from None
    return bytes(found)


def address(request: Request) -> str:
    """Returns the address of a `request`, by which it is counted where it has no valid token."""
    return request.client.host if request.client is not None else "unknown"
