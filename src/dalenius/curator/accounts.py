"""Accounts: what each data set's entries in a ledger cost, and what is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from dalenius.curator.amounts import amount_of, nats_json
from dalenius.curator.budgets import budget_of
from dalenius.curator.cost_of_releases import Budget
from dalenius.curator.hash_chained_entries import History, Link
from dalenius.curator.recorded_answers import Recorded, is_failure, recorded_of
from dalenius.errors import InputError
from dalenius.sentences.recorded import phrase_of
from dalenius.sentences.sentence import Phrase, kind_name


@final
@dataclass(frozen=True)
class Paid:
    """A release that was paid for.

    Attributes:
        debit: The entry of its debit.
        recorded: What was drawn for it; None where that failed, was lost, or is not kept.
        failed: Whether it failed.
        recipients: The analysts who were told, the one who paid first.
    """

    debit: Link
    recorded: Recorded | None
    failed: bool = False
    recipients: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """The number of the debit's entry."""
        return self.debit.number

    @property
    def asked(self) -> str:
        """The question in words, as its certificate says it; the kind of promise where no answers are kept."""
        return str(self._certificate.get("asked", self.debit.body["notion"]))

    @property
    def question(self) -> Phrase:
        """The question as a phrase, which a page can say in another language."""
        if self._certificate:
            return phrase_of(self._certificate, "asked", self.asked)
        return kind_name("notion", str(self.debit.body["notion"]))

    @property
    def _certificate(self) -> Mapping[str, Any]:
        """The certificate; empty where no answers are kept."""
        return {} if self.recorded is None else self.recorded.published.certificate

    def as_json(self) -> dict[str, Any]:
        """Returns what was asked and paid for, when, and by which entry it was answered."""
        body = self.debit.body
        return {
            "entry": self.debit.number,
            "time": body.get("time"),
            "asked": None if self.recorded is None else self.asked,
            "notion": body["notion"],
            **{key: nats_json(amount_of(body[key])) for key in ("leakage", "group_loss")},
            "answered_by": None if self.recorded is None else self.recorded.entry,
            "failed": self.failed,
            "told": list(self.recipients),
        }


@final
@dataclass(frozen=True)
class Account:
    """The account of one data set.

    Attributes:
        name: The data set's name.
        fingerprints: Those of all bytes that were released from.
        budget: Its budget.
        paid: What was paid for.
        analysts: What each was told, as a budget whose initial is the cap.
    """

    name: str
    fingerprints: tuple[str, ...]
    budget: Budget
    paid: tuple[Paid, ...]
    analysts: tuple[tuple[str, Budget], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Returns the account without the fingerprints, which are its owner's."""
        releases = [each.as_json() for each in self.paid]
        return {"data": self.name, "budget": self.budget.as_json(), "releases": releases}


def accounts(history: History) -> tuple[Account, ...]:
    """Returns the accounts of all data sets of a `history`, in the order in which the ledger came to know them."""
    return tuple(account(history, name) for name in history.budgets)


def account(history: History, name: str) -> Account:
    """Returns the account of the data set called `name` in a `history`."""
    analysts = tuple((each, budget_of(history, name, each)) for each in history.analysts(name))
    paid = tuple(_paid(history, name, debit, None) for debit in history.debited(name))
    return Account(name, history.fingerprints(name), budget_of(history, name), paid, analysts)


def answers_learned(history: History, name: str, analyst: str) -> tuple[Paid, ...]:
    """Returns what an `analyst` was told of the data set `name` in a `history`, in the order in which it was told."""
    own = budget_of(history, name, analyst)
    return tuple(_paid(history, name, history.debits[each], own) for each in history.learned(name, analyst))


def paid_by_entry(history: History, entry: int) -> tuple[str, Paid]:
    """Returns the data set and the release whose answers are the `entry` of this number in a `history`.

    Raises:
        InputError: For an entry that has no answers; the message names those that have.
    """
    answers = {answer.number: debit for debit, answer in history.drawn.items() if not is_failure(answer)}
    if entry not in answers:
        raise InputError("--entry", entry, f"an entry with answers{f': {_numbered(sorted(answers))}' * bool(answers)}")
    debit = history.debits[answers[entry]]
    name = str(debit.body["data"])
    return name, _paid(history, name, debit, None)


def _numbered(entries: Sequence[int]) -> str:
    """Lists the numbers of entries, or the first and the last of them where they are many."""
    return (
        ", ".join(map(str, entries))
        if len(entries) <= 9
        else f"one of {len(entries):,} from {entries[0]} to {entries[-1]}"
    )


def _paid(history: History, name: str, debit: Link, own: Budget | None) -> Paid:
    """Returns what a debit paid for; own: the budget of the analyst who was told, None for the data set's own."""
    answer = history.drawn.get(debit.number)  # None: the process was killed in between, and what it drew is lost
    failed = answer is not None and is_failure(answer)
    recorded = None
    if answer is not None and not failed:
        since = history.since(name, debit.number)
        recorded = recorded_of(answer, budget_of(history, name), own=own, since=since)
    return Paid(debit, recorded, failed, history.whom(name, debit.number))
