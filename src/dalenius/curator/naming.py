"""Whose budget pays: bytes, and the name they are released under."""

from collections.abc import Iterable
from typing import Any

from dalenius.curator.history import History
from dalenius.curator.request import Request
from dalenius.errors import InputError, Refused

Wanted = list[tuple[str, dict[str, Any]]]
"""Entries to be written: kinds and bodies."""


def named(history: History, request: Request, own: bool) -> Wanted:
    """What is to be written before the request can be paid for: nothing, where its name and bytes are known together.

    own: whether the ledger is that of the data's file, so that any bytes it holds without a name were once in that
    file. Refused where the bytes are another data set's, or are not those known by the name and may not be new.
    """
    name, fingerprint = request.name, request.fingerprint
    owner = history.owner(fingerprint)
    if owner is not None and owner != name:
        raise Refused(
            f'data set "{name}": its ledger knows the same bytes as "{owner}", and they have no second budget'
        )
    check_budget(history, request)
    if owner == name:
        return []
    nameless = history.unnamed()
    if history.initial(name) is not None:
        if not request.new_data:
            raise Refused(_other_bytes(name, fingerprint, history.fingerprints(name)))
        return _fingerprints(name, [fingerprint, *(nameless if own else ())])
    if nameless and fingerprint not in nameless and not request.new_data:
        raise Refused(_other_bytes(name, fingerprint, nameless))
    inherited = nameless if own or fingerprint not in nameless else {fingerprint: nameless[fingerprint]}
    initial = min(inherited.values(), default=request.budget)
    delta = 0.0 if inherited else request.delta
    _insist(request, initial, delta)
    budget = {"data": name, "initial": initial} | ({"delta": delta} if delta else {})
    return [("budget", budget), *_fingerprints(name, [fingerprint, *inherited])]


def check_budget(history: History, request: Request) -> None:
    """InputError where a budget is insisted on that is not the one the data set has."""
    initial = history.initial(request.name)
    if initial is not None:
        _insist(request, initial, history.delta(request.name))


def _insist(request: Request, initial: float, delta: float) -> None:
    given = f'what data set "{request.name}" was given in this ledger'
    if request.insisted and request.budget != initial:
        raise InputError("budget", request.budget, f"{initial!r}, {given}")
    if request.insisted_delta and request.delta != delta:
        raise InputError("budget delta", request.delta, f"{delta!r}, {given}")


def _fingerprints(name: str, fingerprints: Iterable[str]) -> Wanted:
    return [("fingerprint", {"data": name, "fingerprint": each}) for each in dict.fromkeys(fingerprints)]


def _other_bytes(name: str, fingerprint: str, known: Iterable[str]) -> str:
    before = ", ".join(each[:12] for each in known) or "none"
    return (
        f'data set "{name}": its bytes ({fingerprint[:12]}) are not those of earlier releases ({before}); if they are '
        "of the same people, --new-data asks them on the same budget, and if of others, [data] name is another"
    )
