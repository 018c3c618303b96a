"""What the service counts, in the text that Prometheus reads: requests and how long they took, debits, refusals. Never
a value of an answer, a name or a data set."""

from typing import Final, final

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


@final
class Metrics:
    """A registry of its own: nothing else of the process is in it."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram

        self._registry = CollectorRegistry()
        self._requests = Counter(
            "dalenius_requests",
            "Requests by method, route and status.",
            ["method", "route", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "dalenius_request_seconds",
            "How long requests took, by route.",
            ["route"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._debits = Counter(
            "dalenius_debits", "Debits, by whether an answer came of them.", ["outcome"], registry=self._registry
        )
        self._refusals = Counter("dalenius_refusals", "Refusals, by why.", ["why"], registry=self._registry)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """route: as it is declared, not as it was asked for."""
        known = method if method in METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def debit(self, outcome: str) -> None:
        """outcome: answered, or failed."""
        self._debits.labels(outcome).inc()

    def refusal(self, why: str) -> None:
        """why: one of few words."""
        self._refusals.labels(why).inc()

    def text(self) -> tuple[bytes, str]:
        """And its media type."""
        from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

        return generate_latest(self._registry), CONTENT_TYPE_LATEST
