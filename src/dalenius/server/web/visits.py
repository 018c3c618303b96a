"""Who is signed in: a random text in a cookie stands for a token, which is looked up again with each page."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest, digest
from secrets import token_bytes, token_urlsafe
from threading import Lock
from time import monotonic
from typing import Final, final

from dalenius.curator import Ask
from dalenius.server.tokens import Token, Tokens

IDLE: Final = 3600.0
"""Seconds without a page after which a visit ends."""
LONGEST: Final = 12 * 3600.0
MOST: Final = 10_000
"""Visits at once; the one that was idle longest goes first."""
PRICED: Final = 50
"""Of one visit so many queries are remembered whose price was shown."""


@final
@dataclass(frozen=True)
class Priced:
    """A query whose price was shown: to ask it takes its key, which is the idempotency key of what is asked. fields: of
    the form that said it."""

    data: str
    ask: Ask
    fields: Mapping[str, str]


@final
@dataclass(frozen=True)
class Visit:
    """Somebody signed in. csrf: what every form of theirs must say; priced: by key."""

    token: Token
    csrf: str
    begun: float
    priced: "OrderedDict[str, Priced]" = field(default_factory=OrderedDict, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.token.name

    @property
    def role(self) -> str:
        return self.token.role.value


@final
class Visits:
    """Safe for threads. Of cookies only the SHA-256 is kept, and of tokens what they may do."""

    def __init__(self, tokens: Tokens, clock: Callable[[], float] = monotonic) -> None:
        self._tokens, self._clock = tokens, clock
        self._secret = token_bytes(32)
        self._lock = Lock()
        self._seen: OrderedDict[str, tuple[Visit, float]] = OrderedDict()

    def begin(self, text: str) -> str | None:
        """The cookie of a new visit of whoever holds the token with this text; None where there is no such token."""
        token = self._tokens.find(text)
        if token is None:
            return None
        cookie = token_urlsafe(32)
        with self._lock:
            now = self._clock()
            self._seen[_hashed(cookie)] = Visit(token, token_urlsafe(32), now), now
            while len(self._seen) > MOST:
                self._seen.popitem(last=False)
        return cookie

    def find(self, cookie: str) -> Visit | None:
        """None for a visit that there is not, or whose time or token has ended."""
        key = _hashed(cookie)
        with self._lock:
            visit, seen = self._seen.get(key, (None, 0.0))
            now = self._clock()
            if visit is None or now - seen > IDLE or now - visit.begun > LONGEST:
                self._seen.pop(key, None)
                return None
            self._seen[key] = visit, now
            self._seen.move_to_end(key)
        if self._tokens.again(visit.token.id) is None:
            self.end(cookie)
            return None
        return visit

    def end(self, cookie: str) -> None:
        with self._lock:
            self._seen.pop(_hashed(cookie), None)

    def price(self, visit: Visit, data: str, ask: Ask, fields: Mapping[str, str]) -> str:
        """A key with which this visit may ask it."""
        key = token_urlsafe(24)
        with self._lock:
            visit.priced[key] = Priced(data, ask, fields)
            while len(visit.priced) > PRICED:
                visit.priced.popitem(last=False)
        return key

    def before(self, cookie: str) -> str:
        """What the form of signing in must say beside that cookie, which nobody is signed in by."""
        return digest(self._secret, cookie.encode(errors="surrogatepass"), "sha256").hex()

    def is_before(self, cookie: str, said: str) -> bool:
        return compare_digest(self.before(cookie).encode(), said.encode(errors="surrogatepass"))


def _hashed(cookie: str) -> str:
    return sha256(cookie.encode(errors="surrogatepass")).hexdigest()
