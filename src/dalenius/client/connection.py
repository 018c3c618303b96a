"""Connection to a service: one request, sent again for as long as it may be and the patience lasts.

A count is asked for. The service answers 503 and `Retry-After: 10`, as it is being restarted: ten seconds later the
same request is sent again. Then the connection ends before the answer came, so that nobody knows whether it was paid
for. It is sent a third time under the same key, and gets the answer that is in the ledger.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import SystemRandom
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, final
from urllib.parse import urlsplit

from dalenius.client.refusals import refusal_of, unreachable
from dalenius.errors import DaleniusError, InputError

if TYPE_CHECKING:
    import httpx

PASSING: Final = frozenset({429, 502, 503, 504})
"""Statuses that say nothing of the request itself: it may be answered later."""
_FIRST_WAIT: Final = 0.5
_LONGEST_WAIT: Final = 30.0
# Beyond these a body is no answer of the service, as a page of a proxy is not.
_JSON: Final = "application/json"


@final
@dataclass(frozen=True)
class Clock:
    """The clock by which a connection waits: the time in seconds, a way to sleep, and numbers from 0 to 1."""

    now: Callable[[], float] = monotonic
    sleep: Callable[[float], None] = sleep
    jitter: Callable[[], float] = SystemRandom().random


@final
class Connection:
    """A connection to the service at one address, with one token; many threads may use it at once.

    Args:
        url: The address, such as https://statistics.example.org.
        token: The token's text.
        patience: How long a request is sent again, in seconds; 0 sends it once.
        timeout: How long the service may be silent, in seconds.
        transport: The way requests go, for tests; None, the default, means the network.
        clock: The clock by which it waits.

    Raises:
        InputError: For what is no address, for a token with blanks, or where httpx is not installed.
    """

    def __init__(
        self,
        url: str,
        token: str,
        patience: float,
        timeout: float,
        transport: "httpx.BaseTransport | None" = None,
        clock: Clock | None = None,
    ) -> None:
        try:
            import httpx
        except ModuleNotFoundError:
            wanted = "a package of the extra client: pip install 'dalenius[client]'"
            raise InputError("client", "httpx", wanted) from None
        self.url, self._patience, self._clock = _checked_url(url), patience, clock or Clock()
        if not token or not all("!" <= each <= "~" for each in token):
            raise InputError("token", "***", "the text of a token, in one piece, as dalenius token make shows it")
        headers = {"Authorization": f"Bearer {token}", "Accept": _JSON}
        self._http = httpx.Client(base_url=self.url, headers=headers, timeout=timeout, transport=transport)

    def close(self) -> None:
        """Close all connections that are kept open."""
        self._http.close()

    def get(self, path: str, **query: int) -> dict[str, Any]:
        """Read the resource at a `path`, with `query` as its parameters. It may always be read again."""
        return self._answered("GET", path, params=query)

    def post(self, path: str, body: Mapping[str, Any], key: str | None = None, again: bool = True) -> dict[str, Any]:
        """Send an ask.

        Args:
            path: The path of the resource.
            body: The ask.
            key: The key under which it is sent; None without one.
            again: Whether it may be sent again although it may have arrived.

        Returns:
            The answer.

        Raises:
            DaleniusError: The refusal of the service, in its own line.
        """
        headers = {} if key is None else {"Idempotency-Key": key}
        return self._answered("POST", path, again, key, json=body, headers=headers)

    def _answered(
        self, method: str, path: str, again: bool = True, key: str | None = None, **parts: Any
    ) -> dict[str, Any]:
        """Send a request until there is an answer, or a refusal that will stay, or no patience is left."""
        import httpx

        until, tried = self._clock.now() + self._patience, 0
        while True:
            wait, tried = self._backoff(tried), tried + 1
            try:
                response = self._http.request(method, path, **parts)
            except httpx.TransportError as error:
                # Because without a connection nothing was sent, this is safe for any request.
                sent = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
                problem: DaleniusError = unreachable(
                    self.url, str(error) or type(error).__name__, key if sent else None
                )
                if (sent and not again) or "CERTIFICATE_VERIFY_FAILED" in str(error):
                    raise problem from None
            else:
                found = _object(response)
                if response.status_code == 200 and found is not None:
                    return found
                problem = refusal_of(response.status_code, found, self.url, key)
                final = response.status_code not in PASSING or _is_paid(response.status_code, found)
                # Because behind a proxy's 502 or 504 the ask may have arrived.
                if final or not (again or _says_not_done(response.status_code, found)):
                    raise problem
                wait = max(wait, _retry_after(response.headers.get("retry-after")))
            if self._clock.now() + wait > until:
                raise problem
            self._clock.sleep(wait)

    def _backoff(self, tried: int) -> float:
        """Compute the seconds before the next try: twice as many each time, less a random half."""
        longest: float = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** min(tried, 10))
        return longest * (0.5 + 0.5 * self._clock.jitter())


def _checked_url(url: str) -> str:
    """Check an address, and take the slash from its end. InputError for any other text."""
    wanted = "an address, such as https://statistics.example.org"
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.username and parts.port != 0
    except ValueError:  # of a port that is no number
        fits = False
    if not fits or parts.query or parts.fragment:
        raise InputError("url", url, wanted)
    return url.rstrip("/")


def _object(response: "httpx.Response") -> dict[str, Any] | None:
    """Read the object of JSON that a response has; None where it has none."""
    if response.headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
        return None
    try:
        found = response.json()
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _is_paid(status: int, found: Mapping[str, Any] | None) -> bool:
    """Say whether the service itself says that the ask was paid for and failed: it fails again."""
    return status == 502 and found is not None and "error" in found


def _says_not_done(status: int, found: Mapping[str, Any] | None) -> bool:
    """Say whether the service itself refused the request before it did anything: for coming too often."""
    return status == 429 and found is not None and "error" in found


def _retry_after(text: str | None) -> float:
    """Read the seconds of a `Retry-After`, a number or a date; 0 without one.

    >>> _retry_after("10"), _retry_after(None), _retry_after("Thu, 01 Jan 2015 00:00:00 GMT")
    (10.0, 0.0, 0.0)
    """
    if text is None:
        return 0.0
    if text.strip().isdecimal():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())
