"""Outcome of a request: the answer that the ledger has, or the entries that pay for one.

Ana asks for a count that nobody was told: the outcome is a debit. Bob asks the same: the outcome is her answer, and an
entry `shared` that counts against his cap. Ana asks again: the outcome is her answer, without an entry.
"""

from dataclasses import dataclass
from secrets import token_hex
from typing import Any, final

from dalenius.curator import budgets
from dalenius.curator.budgets import NewEntries, Request, check_budget, payer
from dalenius.curator.cost_of_releases import Budget, Entry, Spent
from dalenius.curator.hash_chained_entries import History, Link
from dalenius.curator.recorded_answers import Recorded, recorded_of
from dalenius.curator.request_key import Lost, other_ask


@final
@dataclass(frozen=True)
class Outcome:
    """The outcome of a request.

    Attributes:
        entries: What is to be written, the debit last where there is one.
        own: The analyst's budget after it; None for a request without a name.
        budget: The data set's budget after it.
        link: The answer that there is; None where it is to be paid for.
        since: How many debits came after that of the answer.
    """

    entries: NewEntries
    own: Budget | None
    budget: Budget
    link: Link | None = None
    since: int = 0


def recorded_outcome(found: Outcome) -> Recorded:
    """Returns the answer of an outcome that has one.

    Args:
        found: The outcome.

    Raises:
        Failed: For an answer that says that its release failed.
    """
    assert found.link is not None
    return recorded_of(found.link, found.budget, True, found.own, found.since)


def stored_outcome(history: History, request: Request) -> Outcome | None:
    """Returns the answer that the ledger has to a request; None where it has none, or its analyst was not told it.

    A request without an analyst's name counts as told.

    Args:
        history: The ledger's entries.
        request: The request.
    """
    name, analyst, paid = request.name, request.analyst, debit_of_key(history, request)
    link = None if paid is None else history.drawn.get(paid)
    link = history.answers.get(request.key) if link is None else link
    if link is None:
        return None
    debit = history.paid_by(link)
    if analyst is not None and not history.has_learned(name, analyst, debit):
        return None
    check_budget(history, request)  # an owner who insists on another budget is told so, answer or not
    own = None if analyst is None else budgets.budget_of(history, name, analyst, request.cap)
    return Outcome((), own, budgets.budget_of(history, name), link, history.since(name, debit))


def debit_of_key(history: History, request: Request) -> int | None:
    """Returns the number of the debit that the key of the request paid for, or was told of; None for a new key.

    Args:
        history: The ledger's entries.
        request: The request.

    Raises:
        InputError: For a key that was sent with another ask.
    """
    if request.sent is None:
        return None
    found = history.keys.get((request.name, request.analyst, request.sent.sent))
    if found is None:
        return None
    if found[0] != request.sent.asked:
        raise other_ask()
    return found[1]


def outcome_of(history: History, request: Request, cost: Entry) -> Outcome:
    """Returns the answer that there is, or what is paid for it, before anything is drawn.

    Args:
        history: The ledger's entries.
        request: The request.
        cost: What the release costs, in nats.

    Raises:
        Lost: For a key that paid for an answer that is not there: another process is drawing it, or it was lost.
        Outdated: For noise that was chosen before another answer went out.
        Refused: Where the data set's budget or the analyst's cap would be overspent. Likewise where what is promised
            about one record beside the first promise would be broken.
    """
    found, link, name = stored_outcome(history, request), history.answers.get(request.key), request.name
    if found is not None:
        return found
    if debit_of_key(history, request) is not None:
        raise Lost
    # Because noise for the belief of a moment ago is too little once another answer has gone out (E5).
    if request.after is not None and len(history.debited(name)) != request.after:
        raise budgets.Outdated(name)
    entries, given = payer(history, request)
    if link is not None:
        # Because another analyst paid for it, this one's cap pays for being told, and the data set nothing.
        debit = history.paid_by(link)
        own = budgets.spent_with(history, request, cost, history.debits[debit].body, given, request.analyst)
        body = {"data": name, "debit": debit, "request": request.key} | request.asker() | _own_json(own, request)
        budget = budgets.budget_of(history, name)
        return Outcome((("shared", body),), _own_budget(own, request, given), budget, link, history.since(name, debit))
    # So that hashes that go out say nothing of the fingerprint, all of them hang on these random bytes.
    body = request.as_body() | {"salt": token_hex(32)} | cost.as_body()
    spent, after = budgets.spent_with(history, request, cost, body, given, None), None
    debited = body | budgets.spent_json(spent)
    if request.analyst is not None:
        own = budgets.spent_with(history, request, cost, body, given, request.analyst)
        debited, after = debited | _own_json(own, request), _own_budget(own, request, given)
    return Outcome((*entries, ("debit", debited)), after, budgets.as_budget(given.initial, spent, given.delta))


def _own_budget(own: Spent, request: Request, given: Budget) -> Budget:
    """Returns the analyst's budget: without a cap of their own they may be told all that the data set has."""
    return budgets.as_budget(given.initial if request.cap is None else request.cap, own, given.delta)


def _own_json(own: Spent, request: Request) -> dict[str, Any]:
    """Returns what an entry says about what the analyst was told, with the cap under which."""
    return {"own": budgets.spent_json(own) | ({} if request.cap is None else {"cap": request.cap})}
