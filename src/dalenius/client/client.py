"""An analyst's client of a service: the methods of a session, over HTTP."""

from types import TracebackType
from typing import TYPE_CHECKING, Final, final
from urllib.parse import quote
from uuid import uuid4

from dalenius.client.connection import Clock, Connection
from dalenius.client.read_results import Told, budgets_from, quote_from, recorded_from, told_from
from dalenius.client.service_offer import Offer, OfferedMeasure, offer_from
from dalenius.curator import Budgets, PolicyAsk, Quote, Recorded
from dalenius.curator.answers_told import AnswersTold
from dalenius.errors import InputError

if TYPE_CHECKING:
    import httpx

_PAGE: Final = 1000
PATIENCE: Final = 300.0
TIMEOUT: Final = 120.0


@final
class Client:
    """One analyst before one data set of a service; many threads may use it at once.

    It has the methods of a `Session`, and returns the same classes. A request that gets no answer is sent again, with
    longer and longer pauses, or as long as the service asks for. Each ask has a key, under which it is paid for once.

    Args:
        url: The address of the service, such as `https://statistics.example.org`.
        token: The analyst's token, as `dalenius token make` shows it, or one of the provider of sign-on.
        data: The data set's name. None, the default, where the token has one data set.
        patience: How long a request is sent again before it is given up, in seconds, 300 by default; 0 for one try.
        timeout: How long the service may be silent, in seconds, 120 by default.
        transport: The way requests go, an `httpx` transport, as for tests. None, the default, means the network.
        clock: The clock by which it waits. None, the default, means this machine's.

    Raises:
        InputError: For what is no address or token; without the extra `client`, which has httpx.

    Example:
        >>> client = Client("http://127.0.0.1:8750", "dal_0123")
        >>> client
        Client('http://127.0.0.1:8750')
        >>> client.close()

    Notes:
        An ask is sent again only where it cannot be paid for twice: under its key, if the service takes keys; before
        it was sent; or where the service says that it did nothing.
    """

    def __init__(
        self,
        url: str,
        token: str,
        data: str | None = None,
        *,
        patience: float = PATIENCE,
        timeout: float = TIMEOUT,
        transport: "httpx.BaseTransport | None" = None,
        clock: Clock | None = None,
    ) -> None:
        self._connection = Connection(url, token, patience, timeout, transport, clock)
        self._data = data
        self._known: Offer | None = None

    def __repr__(self) -> str:
        return f"Client({self._connection.url!r}{'' if self._data is None else f', data={self._data!r}'})"

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._connection.close()

    @property
    def data(self) -> Offer:
        """The promise about the data set and the measures that may be asked about; looked up once."""
        if self._known is None:
            self._known = offer_from(self._connection.get(self._path()))
        return self._known

    @property
    def measures(self) -> tuple[OfferedMeasure, ...]:
        """The measures that this analyst may ask about."""
        return self.data.measures

    def estimate(self, ask: PolicyAsk) -> Quote:
        """Say what asking would cost, and how precise the answer would be. Nothing is paid or written.

        Args:
            ask: The ask.

        Returns:
            The price in nats, the budgets as they would be afterwards, and the precision. Its cost has no text of the
            question; the lower end of its leakage is 0.

        Raises:
            InputError: For what cannot be asked.
            NotAllowed: For what the policy does not allow.
            Overspent: Where a budget or a cap would be overspent.
            Unreachable: Where the service does not answer.
        """
        return quote_from(self._connection.post(self._path("/estimate"), _json(ask)))

    def ask(self, ask: PolicyAsk, key: str | None = None) -> Recorded:
        """Answer an ask, for which the ledger is debited once, however often it has to be sent.

        Args:
            ask: The ask.
            key: A text of yours for this question, of 1 to 200 visible characters of ASCII. Under the same key you get
                the same answer, also days later. None, the default, makes a new one.

        Returns:
            The answer with its certificate, and the budgets after it.

        Raises:
            InputError: For what cannot be asked; nothing is paid.
            NotAllowed: For what the policy does not allow; nothing is paid.
            Overspent: Where a budget or a cap would be overspent; nothing is paid.
            Failed: Where an answer could not be drawn, or was lost, which is paid for.
            Unreachable: Where the service does not answer. The message has the key with which to ask again.
        """
        key = uuid4().hex if key is None else key
        found = self._connection.post(self._path("/ask"), _json(ask), key, again=self.data.takes_keys)
        return recorded_from(found, self.budget().own)

    def budget(self) -> Budgets:
        """Look up this analyst's and the data set's budgets: what there was, what is spent, and what is left."""
        return budgets_from(self._connection.get(self._path("/budget")))

    def history(self) -> AnswersTold[Told]:
        """List the answers that this analyst got, with their certificates, in their order."""
        own, found, after, more = self.budget().own, list[Told](), 0, True
        while more:
            page = self._connection.get(self._path("/history"), after=after, limit=_PAGE)
            found += [told_from(each, own) for each in page["releases"]]
            more, after = bool(page["more"]) and bool(page["releases"]), found[-1].number if found else 0
        return AnswersTold(found)

    def _path(self, more: str = "") -> str:
        """Return the path of the data set; the service is asked for its name where none was given."""
        if self._data is None:
            names = [str(each["name"]) for each in self._connection.get("/api/v1/data")["data"]]
            if len(names) != 1:
                raise InputError("data", "missing", f"one of {', '.join(names)}" if names else "a token of a data set")
            (self._data,) = names
        return f"/api/v1/data/{quote(self._data, safe='')}{more}"


def _json(ask: PolicyAsk) -> dict[str, object]:
    """Write an ask as the service reads it."""
    found: dict[str, object] = ask.model_dump(mode="json", exclude_none=True)
    return found
