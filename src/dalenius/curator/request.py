"""What is asked of which data, and when it is the same again."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, final

from dalenius.curator.sums import state_of
from dalenius.notions import Notion
from dalenius.spec import Spec, canonical
from dalenius.tables import People


@final
@dataclass(frozen=True)
class Request:
    """The same data set, the same bytes and the same spec are the same request, whatever its terms; under a policy the
    same version instead of the same bytes, so that nobody learns for nothing whether the bytes have changed.

    name: of the data set, whose budget pays; fingerprint: of its bytes; version: under a policy, and frozen: whether
    its owner says that the bytes of that version never change; spec: what is asked, in one canonical text. Its terms:
    budget: in nats, and delta: at which, where the name is new to the ledger; insisted, insisted_delta: whether they
    must also be those of a name that is known; new_data: whether bytes that are new to the ledger may be asked under a
    name that it knows. once: it equals no other, and is paid for each time. analyst: who asks, None where nobody else
    does; cap: what that analyst may be told of the data set, in nats; idempotency: the asker's own key, with which
    nothing else may be asked; question: what is, in the asker's words.
    most_of_record: what is promised, beside the first promise, against whoever knows all other records, in nats.
    """

    name: str
    fingerprint: str
    spec: str
    budget: float
    insisted: bool = False
    new_data: bool = False
    once: bool = False
    delta: float = 0.0
    insisted_delta: bool = False
    analyst: str | None = None
    cap: float | None = None
    idempotency: str | None = None
    question: str | None = None
    version: str | None = None
    frozen: bool = False
    most_of_record: float | None = None

    @property
    def key(self) -> str | None:
        """SHA-256 of what makes it the same request; None where no other is."""
        return None if self.once else self.digest

    @property
    def digest(self) -> str:
        """The same, whether or not it is paid for each time."""
        which = [self.fingerprint] if self.version is None else ["version", self.version]
        return _digest("request", self.name, *which, self.spec)

    @property
    def asked(self) -> str:
        """SHA-256 of what an idempotency key stands for: neither version nor bytes change it."""
        return self.digest if self.question is None else _digest("question", self.name, self.question)

    @property
    def state(self) -> str | None:
        """Of the records, as `sums.state_of` has it of the debit."""
        return state_of(self.as_body())

    def as_body(self) -> dict[str, Any]:
        """What a debit says of whose records it read, and who asked."""
        body: dict[str, Any] = {"data": self.name, "fingerprint": self.fingerprint, "request": self.key}
        if self.version is not None:
            body |= {"version": self.version} | ({"frozen": True} if self.frozen else {})
        return body | self.asker()

    def asker(self) -> dict[str, Any]:
        """Who asked, with which key."""
        who = {} if self.analyst is None else {"analyst": self.analyst}
        return who | ({} if self.idempotency is None else {"idempotency": self.idempotency, "asked": self.asked})


def _digest(*parts: str) -> str:
    return sha256(json.dumps(parts).encode()).hexdigest()


def request_of(
    spec: Spec, people: People, budget: float | None = None, new_data: bool = False, delta: float | None = None
) -> Request:
    """A spec asked of a table. budget: of the data set in nats, by default what the first promise says; delta: of the
    budget, by default the largest that is promised."""
    promises = spec.all_promises()
    return Request(
        people.name,
        people.fingerprint(),
        canonical(spec),
        budget if budget is not None else promises[0].epsilon or 0.0,
        budget is not None,
        new_data,
        delta=delta if delta is not None else max(notion.promised_delta or 0.0 for notion in promises),
        insisted_delta=delta is not None,
        most_of_record=min((each.epsilon or 0.0 for each in promises[1:] if _of_record(each)), default=None),
    )


def _of_record(notion: Notion) -> bool:
    return notion.implied_by == "record" and not notion.promised_delta
