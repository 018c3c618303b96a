"""What a ledger's entries say: each data set's budget and bytes, what was spent and answered.

| kind | body |
|---|---|
| `budget` | `data`, `initial`: a data set and what it may spend, in nats; `delta`, at which, left out where it is 0 |
| `fingerprint` | `data`, `fingerprint`: these bytes are of that data set, and what they spent without a name |
| `unnamed` | `fingerprint`, `initial`: from version 0.1.0, where budgets belonged to bytes |
| `debit` | `data` (null where unnamed), `fingerprint`, `request`, `spec`, `notion`, `leakage`, `group_loss` |
| `answer` | `debit` (the number of its entry), `request`, `answers`, `labels`, `certificate`, `words` |

A debit also has `spent`, `spent_delta` and `route`, what all debits up to it spend, at which delta and by which rule,
and, where they are known, `differential`, `pure`, `gaussian`, `records`, `identity`, `implied_by`, `delta` and
`keeps_delta` (see `spending.Entry`). Older ones lack them: their deltas count as 0.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

from dalenius.curator.chain import Link


@final
@dataclass(frozen=True)
class History:
    """All entries, in their order."""

    links: tuple[Link, ...]

    @property
    def last(self) -> Link | None:
        return self.links[-1] if self.links else None

    def initial(self, name: str) -> float | None:
        """The budget of a data set; None where the name is not known."""
        return next((float(body["initial"]) for body in self._bodies("budget") if body["data"] == name), None)

    def delta(self, name: str) -> float:
        """The delta of a data set's budget; 0 where the name is not known."""
        return next((float(body.get("delta", 0.0)) for body in self._bodies("budget") if body["data"] == name), 0.0)

    def owner(self, fingerprint: str) -> str | None:
        """The data set that has these bytes."""
        return next((b["data"] for b in self._bodies("fingerprint") if b["fingerprint"] == fingerprint), None)

    def fingerprints(self, name: str) -> tuple[str, ...]:
        """All bytes that were ever released from under that name, in their order."""
        return tuple(body["fingerprint"] for body in self._bodies("fingerprint") if body["data"] == name)

    def unnamed(self) -> Mapping[str, float]:
        """The bytes that still have no name, and their budgets."""
        named = {body["fingerprint"] for body in self._bodies("fingerprint")}
        found = {body["fingerprint"]: float(body["initial"]) for body in self._bodies("unnamed")}
        return {fingerprint: initial for fingerprint, initial in found.items() if fingerprint not in named}

    def debits(self, name: str) -> list[Mapping[str, Any]]:
        """The data set's debits, in their order."""
        own = set(self.fingerprints(name))
        return [
            b for b in self._bodies("debit") if b["data"] == name or (b["data"] is None and b["fingerprint"] in own)
        ]

    def answer(self, request: str | None) -> Link | None:
        """The first answer to the request with that key."""
        if request is None:
            return None
        return next((link for link in self._of("answer") if link.body["request"] == request), None)

    def is_pending(self, request: str | None) -> bool:
        """Whether the request was paid for and its answer is not there: it is being drawn, or was lost."""
        if request is None:
            return False
        answered = {body["debit"] for body in self._bodies("answer")}
        return any(link.number not in answered and link.body["request"] == request for link in self._of("debit"))

    def _bodies(self, kind: str) -> Iterator[Mapping[str, Any]]:
        return (link.body for link in self._of(kind))

    def _of(self, kind: str) -> Iterator[Link]:
        return (link for link in self.links if link.kind == kind)
