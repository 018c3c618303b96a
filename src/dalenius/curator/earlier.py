"""Whether a request was answered before: the same one, or one that came with the same idempotency key."""

from dataclasses import dataclass
from typing import final

from dalenius.curator.budgets import Budget, budget_of, own_budget_of
from dalenius.curator.chain import Link
from dalenius.curator.history import History
from dalenius.curator.naming import check_budget
from dalenius.curator.publication import Recorded, recorded_of
from dalenius.curator.refusals import Conflict
from dalenius.curator.request import Request


@final
@dataclass(frozen=True)
class Answer:
    """There is one, and the analyst may have it. own, budget: of the analyst and of the data set, as they are now;
    since: how many debits came after the one that paid for it."""

    link: Link
    own: Budget | None
    budget: Budget
    since: int

    def told(self) -> Recorded:
        """Failed where that is what the answer says."""
        return recorded_of(self.link, self.budget, True, self.own, self.since)


def earlier(history: History, request: Request) -> Answer | None:
    """The answer to the same request, where the analyst who asks was told it."""
    link = answer_to(history, request)
    if link is None:
        return None
    name, analyst = request.name, request.analyst
    if analyst is not None and not history.was_told(name, analyst, int(link.body["debit"])):
        return None
    check_budget(history, request)
    return _answer(history, request, link)


def with_key(history: History, request: Request) -> Answer | None:
    """The answer that came with its idempotency key. Conflict where something else was asked with it."""
    used = _used(history, request)
    link = None if used is None else history.drawn(used)
    return None if link is None else _answer(history, request, link)


def answer_to(history: History, request: Request) -> Link | None:
    """The answer to the same request, or to what came with the same idempotency key. Conflict where that was another
    question."""
    used = _used(history, request)
    found = history.answer(request.key)
    return found if found is not None or used is None else history.drawn(used)


def is_pending(history: History, request: Request) -> bool:
    """Whether it was paid for and its answer is not there: it is being drawn, or was lost."""
    used = _used(history, request)
    return history.is_pending(request.key) or (used is not None and history.drawn(used) is None)


def counts(history: History, request: Request) -> tuple[int, int]:
    """How many debits there are of the data set, and of what the analyst was told."""
    return history.sums(request.name).count, history.own(request.name, request.analyst).count


def _answer(history: History, request: Request, link: Link) -> Answer:
    name, analyst = request.name, request.analyst
    own = None if analyst is None else own_budget_of(history, name, analyst, request.cap)
    return Answer(link, own, budget_of(history, name), history.since(name, int(link.body["debit"])))


def _used(history: History, request: Request) -> int | None:
    """The debit that the request with this idempotency key led to."""
    if request.idempotency is None:
        return None
    found = history.key(request.name, request.analyst, request.idempotency)
    if found is None:
        return None
    asked, debit = found
    if asked != request.asked:
        raise Conflict(request.idempotency)
    return debit
