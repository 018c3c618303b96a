"""What is asked of which data and when it is the same again, and whose budget pays.

A nurse asks how many are ill under a policy whose table is at version "1": the key of the request is a hash of the data
set's name, of "version 1" and of the question. Whoever asks it again gets the same answer for nothing, be the table
changed or not, until the owner names version "2". Without a policy the hash is of the table's bytes in place of that.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, final

from dalenius.curator import amounts
from dalenius.curator.amounts import state_of
from dalenius.curator.history import GivenBudget, History
from dalenius.errors import InputError, Refused
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
    name that it knows. analyst: who asks, None where nobody else
    does; cap: what that analyst may be told of the data set, in nats.
    most_of_record: what is promised, beside the first promise, against whoever knows all other records, in nats.
    """

    name: str
    fingerprint: str
    spec: str
    budget: float
    insisted: bool = False
    new_data: bool = False
    delta: float = 0.0
    insisted_delta: bool = False
    analyst: str | None = None
    cap: float | None = None
    version: str | None = None
    frozen: bool = False
    most_of_record: float | None = None

    @property
    def key(self) -> str:
        """SHA-256 of what makes it the same request."""
        which = [self.fingerprint] if self.version is None else ["version", self.version]
        return sha256(json.dumps(["request", self.name, *which, self.spec]).encode()).hexdigest()

    @property
    def state(self) -> str | None:
        """Of the records, as `amounts.state_of` has it of the debit."""
        return state_of(self.as_body())

    def as_body(self) -> dict[str, Any]:
        """What a debit says of whose records it read, and who asked."""
        body: dict[str, Any] = {"data": self.name, "fingerprint": self.fingerprint, "request": self.key}
        if self.version is not None:
            body |= {"version": self.version} | ({"frozen": True} if self.frozen else {})
        return body | self.asker()

    def asker(self) -> dict[str, Any]:
        """Who asked: what an entry says beside whose records it read."""
        return {} if self.analyst is None else {"analyst": self.analyst}


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
        most_of_record=min(
            (each.epsilon or 0.0 for each in promises[1:] if each.implied_by == "record" and not each.promised_delta),
            default=None,
        ),
    )


# Entries to be written: kinds and bodies.
NewEntries = tuple[tuple[str, dict[str, Any]], ...]


def payer(history: History, request: Request) -> tuple[NewEntries, GivenBudget]:
    """The entries that make the data set's name and bytes known, and its budget. Refused where the bytes are another
    data set's, or are not those known by the name and may not be new. Under a policy no price and no number of an
    entry hangs on bytes, of which analysts are to learn nothing."""
    # Analysts are asked for a version: its bytes become known by the debit, which is written whatever they are.
    name, bytes_of = request.name, () if request.version is not None else _bytes(history, request)
    check_budget(history, request)
    given = history.budgets.get(name)
    if given is not None:
        # A file that was saved again, with one more row, or of other people who happen to have the same name.
        if bytes_of and not request.new_data:
            raise Refused(_other_bytes(name, request.fingerprint, history.fingerprints(name)))
        return bytes_of, given
    body = _budget(name, request.budget, request.delta)
    return (("budget", body), *bytes_of), GivenBudget.of(body)


def _bytes(history: History, request: Request) -> NewEntries:
    """The entry that makes new bytes known; none of known ones. Refused where they are another data set's: a copy of
    the file under another name would have a second budget."""
    name, fingerprint = request.name, request.fingerprint
    owner = history.owners.get(fingerprint)
    if owner is not None and owner != name:
        raise Refused(
            f'data set "{name}": its ledger knows the same bytes as "{owner}", and they have no second budget'
        )
    return () if owner == name else (("fingerprint", {"data": name, "fingerprint": fingerprint}),)


def _budget(name: str, given: float, delta: float) -> dict[str, Any]:
    """The entry of a budget: in whole nano-nats, and as it was given where that is no whole number of them."""
    initial = amounts.budget(given)
    exactly = {} if amounts.as_nats(initial) == given else {"given": given}
    return {"data": name, "initial": amounts.amount_json(initial)} | exactly | ({"delta": delta} if delta else {})


def check_budget(history: History, request: Request) -> None:
    """InputError where a budget is insisted on that is not the one the data set has."""
    given, whose = history.budgets.get(request.name), f'what data set "{request.name}" was given in this ledger'
    if given is not None and request.insisted and request.budget != given.nats:
        raise InputError("budget", request.budget, f"{given.nats!r}, {whose}")
    if given is not None and request.insisted_delta and request.delta != given.delta:
        raise InputError("budget delta", request.delta, f"{given.delta!r}, {whose}")


def new_data_advice(history: History, request: Request) -> str | None:
    """The advice that one who asks of data new to a ledger of others is given: the same people sorted anew, or with one
    more column, are other bytes."""
    name = request.name
    if not history.budgets or name in history.budgets or request.fingerprint in history.owners:
        return None
    return new_name_advice(name, history.names())


def new_name_advice(name: str, others: Sequence[str]) -> str:
    """That advice: of a data set whose name is new in a ledger that has these others."""
    listed = ", ".join(f'"{each}"' for each in others[:3]) + (", .." if len(others) > 3 else "")
    return (
        f'data set "{name}" is new in this ledger, with a budget of its own; if it holds people of {listed}, '
        "give both the same [data] name"
    )


def _other_bytes(name: str, fingerprint: str, known: Iterable[str]) -> str:
    """For whoever saved the table again, or named two tables alike."""
    before = ", ".join(each[:12] for each in known) or "none"
    return (
        f'data set "{name}": its bytes ({fingerprint[:12]}) are not those of earlier releases ({before}); if they are '
        "of the same people, --new-data asks them on the same budget, and if of others, [data] name is another"
    )
