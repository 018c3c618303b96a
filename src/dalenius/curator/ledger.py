"""The ledger: a durable record of releases from data sets, what is left of budgets, and what the answers were.

Say people with a budget of 1 nat are asked something that leaks 0.25. The ledger gets their budget, their bytes and the
debit as entries 1 to 3, the noise is drawn, and the answer is entry 4; 0.75 are left. The same question gets entry 4
again, for nothing. If the process stops after entry 3, it has paid for nothing: to draw again for that debit would be
to choose among draws.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from logging import getLogger
from time import monotonic, sleep
from typing import Any, Final, final

from dalenius.curator import budgets
from dalenius.curator.budgets import Request
from dalenius.curator.cost_of_releases import Budget, Entry
from dalenius.curator.group_commit import Attempt
from dalenius.curator.hash_chained_entries import Link
from dalenius.curator.ledger_storage import Book, Storage, Unbroken
from dalenius.curator.recorded_answers import (
    Publication,
    Recorded,
    body_of,
    recorded_of,
    sealed,
    with_spending,
)
from dalenius.curator.request_key import Lost
from dalenius.curator.request_outcome import Outcome, debit_of_key, outcome_of, recorded_outcome, stored_outcome
from dalenius.errors import InputError

_LOG: Final = getLogger("dalenius")
SUFFIX: Final = ".ledger.sqlite"
# Seconds to wait for the answer of another process that has paid for the same request.
OTHERS_MAY_TAKE: Final = 2.0
# Seconds of drawing after which what was drawn by then is recorded and told, before more is drawn.
DRAWN_TOGETHER: Final = 0.1


@final
@dataclass(frozen=True)
class Stored:
    """An answer that the ledger has, not yet read from its entry."""

    outcome: Outcome

    @property
    def key(self) -> tuple[object, ...]:
        """Returns a key that is equal for the same answer with the same words about it, which is read once."""
        found = self.outcome
        assert found.link is not None
        return found.link.hash, found.own, found.own and found.own.route, found.budget, found.budget.route, found.since

    def states(self, confidence: float) -> bool:
        """Says whether its intervals hold with that confidence, or it has none."""
        assert self.outcome.link is not None
        certificate = self.outcome.link.body.get("certificate", {})
        return bool(certificate.get("confidence", confidence) == confidence)

    def recorded(self) -> Recorded:
        """Returns the answer; Failed where that is what its entry says."""
        return recorded_outcome(self.outcome)


@final
@dataclass(frozen=True)
class Order:
    """A release that is to be paid for: what is asked, what it costs, and how its answer is drawn once it is paid."""

    request: Request
    cost: Entry
    draw: Callable[[], Publication]

    def of_bytes(self, fingerprint: str, others: tuple[str, ...]) -> "Order":
        """Returns the order for a table with this `fingerprint`; others: as in `Request`."""
        return replace(self, request=replace(self.request, fingerprint=fingerprint, others=others))


@final
class _Wait(Exception):
    """The signal that the same request is being drawn, or was lost: its asker looks again in a moment."""


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
        """Returns the answers that the same request got, if its analyst was told any; Failed where it failed."""
        found = self._look(lambda history: stored_outcome(history, request))
        return None if found is None else recorded_outcome(found)

    def glanced(self, request: Request) -> Stored | None:
        """Returns the place of the answer to `request` that `earlier` finds, without waiting for anybody.

        None where there is none, or others would have to be waited for.
        """
        found = self._glance(lambda history: stored_outcome(history, request))
        return None if found is None else Stored(found)

    def may_have(self, request: Request) -> bool:
        """Says whether `request` may have an answer, as far as this process knows; true where it knows nothing."""
        known = self._known
        return known is None or request.key in known.answers or debit_of_key(known, request) is not None

    def check_frozen(self, name: str, version: str, fingerprint: str) -> None:
        """Raises InputError where that version was said to be frozen and was asked in other bytes, now or once before.

        It is then closed, for good and for everybody. Where losses are converted together, the law must be one of the
        same records. That they are cannot be looked up for an analyst, who would learn for nothing whether anything has
        changed. So the owner declares it, and where it does not hold the whole data set is closed, whatever is asked,
        until the policy names another version.

        Args:
            name: The data set.
            version: The version of its table.
            fingerprint: That of the bytes it has now.
        """
        which, wanted = (name, version), "the bytes it was first asked in, as it is frozen"
        changed = InputError(
            f"data {name!r} version", version, f"{wanted}; it is closed until the policy gives it another version"
        )

        def close(book: Book) -> None:
            # Because several may find it at once, and one entry, and one line in the log, are enough.
            if which not in book.history.closed:
                book.add("closed", {"data": name, "version": version})
                _LOG.error("%s", changed)

        # The table, which its owner said would never change, was edited, or put back after that was found.
        if self._look(lambda known: which in known.closed or known.frozen.get(which, fingerprint) != fingerprint):
            self._write(close)
            raise changed

    def check_owner(self, request: Request) -> None:
        """Raises OthersBytes where the ledger knows the bytes of `request` as another data set's."""
        self._look(lambda history: budgets.check_owner(history, request))

    def knows(self, name: str, fingerprint: str) -> bool:
        """Says whether it holds the budget of data set `name`, or of one with the bytes of this `fingerprint`."""
        return self._look(lambda history: name in history.budgets or fingerprint in history.owners)

    def budget(self, name: str, analyst: str | None = None, cap: float | None = None) -> Budget:
        """Returns the budget of a data set, or of what an analyst was told of it; nothing if nothing was asked of it.

        Args:
            name: The data set.
            analyst: The analyst; None for the data set itself.
            cap: The analyst's cap in nats; None for the last one there was, else the budget of the data set.
        """
        return self._look(lambda history: budgets.budget_of(history, name, analyst, cap))

    def release(self, request: Request, entry: Entry, draw: Callable[[], Publication]) -> Recorded:
        """Debits, draws and records, each done for good before the next; or returns what the same request got before.

        If the process stops between the debit and the record, it has paid for nothing: to draw again for the same debit
        would be to choose among draws. Of two at once with the same request one waits for the other's answer.

        Args:
            request: What is asked.
            entry: What it costs.
            draw: Draws the answer.

        Raises:
            Refused: If it would overspend, and nothing is recorded; Overspent says by how much.
            Failed: If the draw raised; that is recorded as the answer.
        """
        # So that nobody has to wait for a conversion, which takes long, it is computed before the transaction, where it
        # is looked up, unless somebody has paid in between.
        if entry.convert is not None:
            with suppress(Exception):
                self.afterwards(request, entry)
        attempts: list[Attempt[Recorded]] = []
        self.release_each([Order(request, entry, draw)], lambda _, found: attempts.append(found))
        return attempts[0].result()

    def release_each(self, orders: Sequence[Order], tell: Callable[[int, Attempt[Recorded]], None]) -> None:
        """Does several releases, with one commit for all debits and another for all answers that were drawn by then.

        Args:
            orders: In their order each is paid for, drawn and recorded as by `release`.
            tell: Called once for each order, with its place and with what `release` returns or raises, as soon as its
                answer is on the disk.
        """
        until, places = monotonic() + OTHERS_MAY_TAKE, list(range(len(orders)))
        while places:
            with Unbroken() as end:
                places = self._released(orders, places, tell, monotonic() >= until, end)
            if places:
                sleep(0.02)

    def refusals(self, orders: Sequence[Order]) -> list[Exception | None]:
        """Returns, for each of the `orders` alone, the refusal that `release` would raise now; None if it can be paid.

        The conversions that it takes are computed by then.
        """
        history, found = self._look(lambda history: history), list[Exception | None]()
        for order in orders:
            try:
                outcome_of(history, order.request, order.cost)
            except Lost:  # or another process is drawing it: this payment waits for that
                found.append(None)
            except Exception as error:
                found.append(error)
            else:
                found.append(None)
        return found

    def _released(
        self,
        orders: Sequence[Order],
        places: Sequence[int],
        tell: Callable[[int, Attempt[Recorded]], None],
        late: bool,
        end: Unbroken,
    ) -> list[int]:
        """Returns the places of those that wait for another process, which is drawing for the same request."""

        def paying(order: Order) -> Callable[[Book], tuple[Outcome, Link | None]]:
            return lambda book: _step(book, order.request, order.cost, late, end)

        waiting, drawn, since = [], [], monotonic()
        paid = self._write_each([paying(orders[place]) for place in places])
        for place, attempt in zip(places, paid, strict=True):
            try:
                found, debit = attempt.result()
                if debit is None:
                    tell(place, Attempt([recorded_outcome(found)]))
                    continue
            except _Wait:
                waiting.append(place)
                continue
            except Exception as error:
                tell(place, Attempt(error=error))
                continue
            end.begin()
            drawn.append((place, found, _answer_body(orders[place], found, debit)))
            # So that nobody's answer waits long for that of another, which takes long to draw.
            if monotonic() - since > DRAWN_TOGETHER:
                self._recorded_each(drawn, tell)
                drawn, since = [], monotonic()
        self._recorded_each(drawn, tell)
        return waiting

    def _recorded_each(
        self, drawn: Sequence[tuple[int, Outcome, dict[str, Any]]], tell: Callable[[int, Attempt[Recorded]], None]
    ) -> None:
        """Writes down what was drawn, and tells it."""
        if not drawn:
            return

        def adding(body: dict[str, Any]) -> Callable[[Book], Link]:
            return lambda book: book.add("answer", body)

        written = self._write_each([adding(body) for _, _, body in drawn])
        for (place, paid, _), attempt in zip(drawn, written, strict=True):
            try:
                tell(place, Attempt([recorded_of(attempt.result(), paid.budget, own=paid.own)]))
            except Exception as error:
                tell(place, Attempt(error=error))

    def afterwards(self, request: Request, entry: Entry) -> tuple[Budget | None, Budget]:
        """Returns the budgets of the analyst (None without a name) and of the data set after a release; writes nothing.

        Refused where one would be overspent.

        Args:
            request: What is asked.
            entry: What it costs.
        """
        # Because others go on writing meanwhile, this is what it costs about now; `_step` finds the final cost.
        found = outcome_of(self._look(lambda history: history), request, entry)
        return found.own, found.budget


def _answer_body(order: Order, paid: Outcome, debit: Link) -> dict[str, Any]:
    """Returns the body of an answer's entry: the answer, drawn now; or that it failed."""
    request = order.request
    try:
        seal = sealed(request.fingerprint, debit.body["salt"])
        what = body_of(with_spending(order.draw(), paid.budget, seal, request.name))
    # Because any error, as for a value that no model has, or a dropped table, may say something about the data.
    except Exception as error:
        cause = budgets.cause_of(error)
        _LOG.error("data %s: entry %d failed, and is paid for: %s", request.name, debit.number, cause)
        what = {"failed": True}
    return {"debit": debit.number, "request": request.key} | what


def _step(book: Book, request: Request, entry: Entry, late: bool, end: Unbroken) -> tuple[Outcome, Link | None]:
    """Adds all that the request comes to, within a transaction, or nothing; returns the debit, where there is one."""
    # If two browsers, or two processes, ask the same at once, the second waits for the first one's answer, and pays
    # again only where that does not come, as its process was killed.
    if not late and request.key not in book.history.answers and book.history.pending.get(request.key):
        raise _Wait
    try:
        found = outcome_of(book.history, request, entry)
    except Lost:
        if late:
            raise
        raise _Wait from None
    written = [book.add(kind, body) for kind, body in found.entries]
    if found.link is not None:
        return found, None
    end.begin()
    return found, written[-1]
