"""What a ledger says of each data set: its budget, what was released to whom, and what is left."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from dalenius.curator.budgets import Budget, budget_of, own_budget_of
from dalenius.curator.chain import Link
from dalenius.curator.history import History
from dalenius.curator.publication import Recorded, is_failure, recorded_of


@final
@dataclass(frozen=True)
class Paid:
    """A release that was paid for: its debit, and what was drawn for it; None where that failed, was lost, or is not
    kept. told: the analysts who were told, the one who paid first."""

    debit: Link
    recorded: Recorded | None
    failed: bool = False
    told: tuple[str, ...] = ()


@final
@dataclass(frozen=True)
class Account:
    """One data set. fingerprints: of all bytes that were released from; analysts: what each was told, as a budget whose
    initial is the cap."""

    name: str
    fingerprints: tuple[str, ...]
    budget: Budget
    paid: tuple[Paid, ...]
    analysts: tuple[tuple[str, Budget], ...] = ()


def accounts(history: History) -> tuple[Account, ...]:
    """Of all data sets, in the order in which the ledger came to know them."""
    return tuple(account(history, name) for name in history.names())


def account(history: History, name: str) -> Account:
    """Of one data set."""
    analysts = tuple((each, own_budget_of(history, name, each, None)) for each in history.analysts(name))
    budget = budget_of(history, name)
    return Account(name, history.fingerprints(name), budget, tuple(_paid(history, name, budget)), analysts)


def told(history: History, name: str, analyst: str) -> tuple[Paid, ...]:
    """What an analyst was told of a data set, in the order in which it was told."""
    budget, own = budget_of(history, name), own_budget_of(history, name, analyst, None)
    return tuple(
        _one(history, name, history.debit(each), budget, history.since(name, each), own)
        for each in history.told(name, analyst)
    )


def _paid(history: History, name: str, budget: Budget) -> Iterator[Paid]:
    debits = history.debited(name)
    return (_one(history, name, debit, budget, len(debits) - place) for place, debit in enumerate(debits, 1))


def _one(history: History, name: str, debit: Link, budget: Budget, since: int = 0, own: Budget | None = None) -> Paid:
    """budget: as it is after so many more; own: of the analyst who was told."""
    answer = history.drawn(debit.number)
    failed = answer is not None and is_failure(answer)
    recorded = None if answer is None or failed else recorded_of(answer, budget, own=own, since=since)
    return Paid(debit, recorded, failed, history.whom(name, debit.number))
