"""Ledgers that version 0.1.0 wrote: budgets of bytes, and no answers."""

from collections.abc import Iterable, Sequence
from math import isinf
from typing import Any

from dalenius.curator.chain import Link, linked


def inherited(budgets: Iterable[Sequence[Any]], releases: Iterable[Sequence[Any]]) -> tuple[Link, ...]:
    """The same as entries. budgets: rows of fingerprint and initial; releases: rows of fingerprint, spec, notion,
    leakage and group loss, in their order."""
    links: list[Link] = []

    def add(kind: str, body: dict[str, Any]) -> None:
        links.append(linked(links[-1] if links else None, kind, body))

    for fingerprint, initial in budgets:
        add("unnamed", {"fingerprint": fingerprint, "initial": amount(initial)})
    for fingerprint, spec, notion, leakage, group_loss in releases:
        paid = {"leakage": amount(leakage), "group_loss": amount(group_loss)}
        add("debit", {"data": None, "fingerprint": fingerprint, "request": None, "spec": spec, "notion": notion} | paid)
    return tuple(links)


def amount(nats: float) -> float | str:
    """As JSON holds it, which has no infinity."""
    return "inf" if isinf(nats) and nats > 0 else float(nats)
