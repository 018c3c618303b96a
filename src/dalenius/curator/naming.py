"""Whose budget pays: bytes, and the name they are released under."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, final

from dalenius.curator import amounts
from dalenius.curator.history import History
from dalenius.curator.request import Request
from dalenius.curator.sums import Sums
from dalenius.errors import InputError, Refused

Wanted = tuple[tuple[str, dict[str, Any]], ...]
"""Entries to be written: kinds and bodies."""


@final
@dataclass(frozen=True)
class Payer:
    """The data set that pays: the entries that make its name and bytes known; its budget, in nats as it was given, and
    the delta of it; what it has spent."""

    entries: Wanted
    given: float
    delta: float
    before: Sums


def payer(history: History, request: Request) -> Payer:
    """Refused where the bytes are another data set's, or are not those known by the name and may not be new. Under a
    policy no price and no number of an entry hangs on bytes, of which analysts are to learn nothing."""
    name, bytes_of = request.name, () if request.version is not None else _bytes(history, request)
    check_budget(history, request)
    before = history.sums(name)
    if history.initial(name) is not None:
        if bytes_of and not request.new_data:
            raise Refused(_other_bytes(name, request.fingerprint, history.fingerprints(name)))
        return Payer(bytes_of, history.given(name), history.delta(name), before)
    budget = "budget", _budget(name, request.budget, request.delta)
    return Payer((budget, *bytes_of), request.budget, request.delta, before)


def _bytes(history: History, request: Request) -> Wanted:
    """The entry that makes new bytes known."""
    name, fingerprint = request.name, request.fingerprint
    owner = history.owner(fingerprint)
    if owner is not None and owner != name:
        raise Refused(
            f'data set "{name}": its ledger knows the same bytes as "{owner}", and they have no second budget'
        )
    return () if owner == name else (("fingerprint", {"data": name, "fingerprint": fingerprint}),)


def _budget(name: str, given: float, delta: float) -> dict[str, Any]:
    initial = amounts.budget(given)
    exactly = {} if amounts.nats(initial) == given else {"given": given}
    return {"data": name, "initial": amounts.written(initial)} | exactly | ({"delta": delta} if delta else {})


def check_budget(history: History, request: Request) -> None:
    """InputError where a budget is insisted on that is not the one the data set has."""
    if history.initial(request.name) is not None:
        _insist(request, history.given(request.name), history.delta(request.name))


def _insist(request: Request, given: float, delta: float) -> None:
    whose = f'what data set "{request.name}" was given in this ledger'
    if request.insisted and request.budget != given:
        raise InputError("budget", request.budget, f"{given!r}, {whose}")
    if request.insisted_delta and request.delta != delta:
        raise InputError("budget delta", request.delta, f"{delta!r}, {whose}")


def beside_others(history: History, request: Request) -> str | None:
    """The advice that one who asks of data new to a ledger of others is given: the same people sorted anew, or with one
    more column, are other bytes."""
    name = request.name
    others = [each for each in history.names() if each != name]
    if not others or history.initial(name) is not None or history.owner(request.fingerprint) is not None:
        return None
    return said_beside(name, others)


def said_beside(name: str, others: Sequence[str]) -> str:
    """That advice: of a data set whose name is new in a ledger that has these others."""
    listed = ", ".join(f'"{each}"' for each in others[:3]) + (", .." if len(others) > 3 else "")
    return (
        f'data set "{name}" is new in this ledger, with a budget of its own; if it holds people of {listed}, '
        "give both the same [data] name"
    )


def _other_bytes(name: str, fingerprint: str, known: Iterable[str]) -> str:
    before = ", ".join(each[:12] for each in known) or "none"
    return (
        f'data set "{name}": its bytes ({fingerprint[:12]}) are not those of earlier releases ({before}); if they are '
        "of the same people, --new-data asks them on the same budget, and if of others, [data] name is another"
    )
