"""A durable record of what was released from which data set, what is left of its budget, and what the answers were.

People with a budget of 1 nat are asked something that leaks 0.25: the ledger gets their budget, their bytes and the
debit as entries 1 to 3, the noise is drawn, and the answer is entry 4; 0.75 are left. The same question gets entry 4
again, for nothing. Somebody who pulls the plug after entry 3 has paid for nothing: to draw again for that debit would
be to choose among draws.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from logging import getLogger
from math import inf
from secrets import token_hex
from time import monotonic, sleep
from typing import Any, Final, final

from dalenius.curator import budgets
from dalenius.curator.amounts import DebitSums, state_of
from dalenius.curator.budgets import Budget, Failed
from dalenius.curator.history import GivenBudget, History
from dalenius.curator.ledger_storage import Book, Storage, Unbroken
from dalenius.curator.publication import Publication, Recorded, body_of, recorded_of, sealed, with_spending
from dalenius.curator.request import (
    NewEntries,
    Request,
    StoredAnswer,
    answer_to,
    changed,
    check_budget,
    close_version,
    is_pending,
    payer,
    with_key,
)
from dalenius.curator.spending import Entry, Spent, spent_after

_LOG: Final = getLogger("dalenius")
SUFFIX: Final = ".ledger.sqlite"
# Seconds to wait for the answer of another process that has paid for the same request.
OTHERS_MAY_TAKE: Final = 2.0
_PAUSE: Final = 0.02


@final
@dataclass(frozen=True)
class _Costs:
    """What a release would come to. entries: what makes its data set known; body: of its debit, but for what is random;
    own, budget: of the analyst (None of who asks without a name) and of the data set, after it."""

    entries: NewEntries
    body: dict[str, Any]
    own: Budget | None
    budget: Budget


@final
@dataclass(frozen=True)
class _Debit:
    """It was paid for, and is to be drawn. number: of its entry; seal: of the data's fingerprint."""

    number: int
    costs: _Costs
    seal: str


@final
class _Wait(Exception):
    """The same request is being drawn, or was lost: whoever asks looks again in a moment."""


@final
class Ledger(Storage):
    """A SQLite file, or a table of a PostgreSQL database. A release is written down, durably, before its noise is
    drawn: a crash costs budget, not privacy. Its answers are written down before they go out, so that they cannot be
    lost: the same request gets them again.

    One release spends its own leakage. Several spend the least that a rule for adaptive sequences proves: the sum of
    their group losses, or converted sums of their differential ones (`spending`); their own leakages do not add.
    An analyst's cap is spent likewise by what that analyst is told; what another one was answered before is told again,
    and costs the data set nothing (Theory §19).

    Safe for threads and for processes. What the entries say is kept in memory, so that one ledger serves a whole
    process best.
    """

    def earlier(self, request: Request) -> Recorded | None:
        """The answers that the same request got, if the analyst who asks was told any. Failed where it failed."""

        def told(history: History) -> StoredAnswer | None:
            found = answer_to(history, request)
            if found is None or not found.told:
                return None
            check_budget(history, request)  # an owner who insists on another budget is told so, answer or not
            return found

        found = self._look(told)
        return None if found is None else found.recorded()

    def with_key(self, request: Request) -> Recorded | None:
        """The answer that came with the request's idempotency key, if there is one: whatever has become of the table,
        and of its version. Conflict where something else was asked with it; Failed where that failed."""
        found = self._look(lambda history: with_key(history, request))
        return None if found is None else found.recorded()

    def check_frozen(self, name: str, version: str, fingerprint: str) -> None:
        """InputError where that version of a data set was said to be frozen and was asked in other bytes, now or once
        before: it is closed, for good and for everybody."""

        def is_kept(history: History) -> bool:
            """Whether the version was never asked, or in these bytes alone."""
            which = name, version
            return which not in history.closed and history.frozen.get(which) in (None, fingerprint)

        # Somebody has edited a table that its owner said would never change; or put it back after that was found.
        if not self._look(is_kept):
            self._write(lambda book: close_version(book, name, version))
            raise changed(name, version)

    def knows(self, name: str, fingerprint: str) -> bool:
        """Whether it holds the budget of that data set, or of one that has these bytes."""
        return self._look(lambda history: name in history.budgets or fingerprint in history.owners)

    def budget(self, name: str, analyst: str | None = None, cap: float | None = None) -> Budget:
        """Of a data set, or of what an analyst was told of it; of one that nothing was asked of, nothing at all. cap:
        of the analyst in nats; by default the last one there was, else the budget of the data set."""
        return self._look(lambda history: budgets.budget_of(history, name, analyst, cap))

    def release(
        self, request: Request, entry: Entry, draw: Callable[[], Publication], before: Callable[[], None] | None = None
    ) -> Recorded:
        """Debit, draw, record, each done for good before the next; or what the same request got before, for nothing.
        before: called once it is known that the budget allows it, and nothing is written yet.

        Refused (and nothing recorded) where it would overspend: Overspent says by how much. Failed where the draw
        raised; that is recorded as the answer. Conflict where the idempotency key was used for another request.
        Whoever stops between the debit and the record has paid for nothing: to draw again for the same debit would be
        to choose among draws. Of two at once with the same request one waits for the other's answer.
        """
        # Advice is for who is going to pay: not where there is an answer, nor where the budget refuses.
        if before is not None and self._foreseen(request, entry) is not None:
            before()
        with Unbroken() as end:
            paid = self._paid(request, entry, end)
            if isinstance(paid, StoredAnswer):
                return paid.recorded()
            end.begin()
            try:
                what = body_of(with_spending(draw(), paid.costs.budget, paid.seal, request.name))
            # A value that no model has, a table that was dropped: whatever it was, it may say something of the data.
            except Exception as error:
                _LOG.error(
                    "data %s: entry %d failed, and is paid for: %s", request.name, paid.number, budgets.cause_of(error)
                )
                what = {"failed": True}
            body = {"debit": paid.number, "request": request.key} | what
            link = self._write(lambda book: book.add("answer", body))
        if "failed" in what:
            raise Failed
        return recorded_of(link, paid.costs.budget, own=paid.costs.own)

    def afterwards(self, request: Request, entry: Entry) -> tuple[Budget | None, Budget]:
        """What the budgets of the analyst who asks (None without a name) and of the data set would be after that
        release; nothing is written. Refused where one would be overspent."""
        costs = self._foreseen(request, entry)
        if costs is not None:
            return costs.own, costs.budget
        # Somebody was answered this between two looks, or an analyst asks what another one was told.
        found = self._look(lambda history: self._answered(history, request, entry, []))
        assert found is not None
        return found.own, found.budget

    def _paid(self, request: Request, entry: Entry, end: Unbroken) -> "_Debit | StoredAnswer":
        """A debit of its own, or the answer that there is by then. It is tried again while another process draws for
        the same request."""
        until = monotonic() + OTHERS_MAY_TAKE
        # A conversion takes long, and is computed before anybody else has to wait: in the transaction it is looked up,
        # but where somebody has paid in between.
        if entry.convert is not None:
            with suppress(Exception):
                self._foreseen(request, entry)
        while True:
            late = monotonic() >= until
            try:
                return self._write(lambda book: self._step(book, request, entry, late, end))  # noqa: B023
            except _Wait:
                sleep(_PAUSE)

    def _foreseen(self, request: Request, entry: Entry) -> _Costs | None:
        """What it would cost now; None where there is an answer. Refused where it would be overspent."""
        # Others go on writing meanwhile: this is what it costs about now, and `_step` finds out what it costs.
        history = self._look(lambda history: history)
        if answer_to(history, request) is not None:
            return None
        return self._costs(history, request, entry)

    def _step(self, book: Book, request: Request, entry: Entry, late: bool, end: Unbroken) -> "_Debit | StoredAnswer":
        """Within a transaction: adds either nothing or all."""
        added: list[tuple[str, dict[str, Any]]] = []
        found = self._answered(book.history, request, entry, added)
        if found is not None:
            for kind, body in added:
                book.add(kind, body)
            return found
        # Two browsers, or two processes, that ask the same at once: the second waits for the first one's answer, and
        # pays again only where that does not come, as its process was killed.
        if not late and is_pending(book.history, request):
            raise _Wait
        paid = self._debited(book, request, entry)
        end.begin()
        return paid

    def _answered(
        self, history: History, request: Request, entry: Entry, added: list[tuple[str, dict[str, Any]]]
    ) -> StoredAnswer | None:
        """The answer there is. added: gets what is to be written: that the analyst was told, or has used the key."""
        found = answer_to(history, request)
        if found is None:
            return None
        check_budget(history, request)
        name, analyst = request.name, request.analyst
        what = {"data": name, "debit": found.debit, "request": request.key} | request.asker()
        if not found.told:
            # Another analyst paid for it: this one's cap pays for being told, and the data set nothing.
            paid, given = history.debits[found.debit].body, history.given(name)
            own = self._own(history, request, entry, paid, state_of(paid), given.delta)
            added.append(("shared", what | _own_json(own, request)))
            return replace(found, own=_own_budget(own, request, given))
        # Another key for a question that has its answer: it is used up too, so that it stands for nothing else later.
        if request.idempotency is not None and (name, analyst, request.idempotency) not in history.keys:
            added.append(("key", what))
        return found

    def _debited(self, book: Book, request: Request, cost: Entry) -> _Debit:
        """Writes down what is paid, before anything is drawn: all of it, or nothing where it is refused."""
        costs = self._costs(book.history, request, cost)
        for kind, body in costs.entries:
            book.add(kind, body)
        # All hashes from here on hang on these random bytes, so that those that go out say nothing of the fingerprint.
        salt = token_hex(32)
        link = book.add("debit", request.as_body() | {"salt": salt} | costs.body)
        return _Debit(link.number, costs, sealed(request.fingerprint, salt))

    def _costs(self, history: History, request: Request, cost: Entry) -> _Costs:
        """What the debit would be, of the data set and of the analyst who asks. Refused where the data set's budget or
        the analyst's cap would be overspent, or what is promised of one record beside the first promise broken."""
        entries, given = payer(history, request)
        body, before = cost.as_body(), history.sums(request.name)
        spent = spent_after(before, body, request.state, given.delta, cost.convert)
        loses = cost.leakage >= 0 and cost.group_loss >= 0  # so that NaN is no loss
        spent = budgets.fitted(spent, cost, given.nats) if loses else Spent(inf, spent.route)
        of = f"this release, after {before.count} earlier of the same data, " if before.count else "this release "
        after = before.with_debit(body, request.state)
        why = _why_infinite(spent, after, given.delta, cost.notion)
        budgets.check_spent(
            spent, budgets.spent_of(history, request.name), given.nats, of, "data set", given.delta, why
        )
        budgets.check_record(after, request.most_of_record, of)
        budget, body = budgets.as_budget(given.nats, spent, given.delta), body | budgets.spent_json(spent)
        if request.analyst is None:
            return _Costs(entries, body, None, budget)
        own = self._own(history, request, cost, cost.as_body(), request.state, given.delta)
        return _Costs(entries, body | _own_json(own, request), _own_budget(own, request, given), budget)

    def _own(
        self, history: History, request: Request, cost: Entry, body: Any, state: str | None, delta: float
    ) -> Spent:
        """Of the analyst, after being told of that debit. Overspent where it is above the cap."""
        name, analyst = request.name, request.analyst
        assert analyst is not None
        told = history.own(name, analyst)
        spent = spent_after(told, body, state, delta, cost.convert)
        if request.cap is None:
            return spent
        spent = budgets.fitted(spent, cost, request.cap)
        earlier = f", after {told.count} earlier," if told.count else ""
        why = _why_infinite(spent, told.with_debit(body, state), delta, cost.notion)
        of = f'this answer to "{analyst}"{earlier} '
        budgets.check_spent(spent, budgets.spent_of(history, name, analyst), request.cap, of, "analyst", delta, why)
        return spent


def _why_infinite(spent: Spent, after: DebitSums, delta: float, notion: str) -> str:
    """Words for whoever is refused as the loss is infinite: of Gaussian noise, whose losses add up at a delta only.
    Nothing of any other."""
    if isinstance(spent.amount, int) or not after.gaussian:
        return ""
    if not delta:
        return "; Gaussian noise adds up at a delta only, and the budget of this data set has none"
    if after.keep_delta:
        return ""
    return f"; Gaussian noise adds up at a delta only, and not all of what was promised ({notion}) has one"


def _own_budget(own: Spent, request: Request, given: GivenBudget) -> Budget:
    """Of the analyst: without a cap of their own they may be told all that the data set has."""
    return budgets.as_budget(given.nats if request.cap is None else request.cap, own, given.delta)


def _own_json(own: Spent, request: Request) -> dict[str, Any]:
    """What an entry says of what the analyst was told, with the cap under which."""
    return {"own": budgets.spent_json(own) | ({} if request.cap is None else {"cap": request.cap})}
