"""A durable record of what was released from which data set, what is left of its budget, and what the answers were."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isfinite
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, final

from dalenius.composition import together
from dalenius.curator.chain import Link
from dalenius.curator.history import History
from dalenius.curator.inherited import amount
from dalenius.curator.naming import check_budget, named
from dalenius.curator.request import Request
from dalenius.curator.spending import Entry, SpentBy, gaussian_noise, in_words, spent_by
from dalenius.curator.storage import Book, Storage
from dalenius.errors import Refused
from dalenius.tables import stem

SUFFIX: Final = ".ledger.sqlite"
PATIENCE: Final = 2.0
"""Seconds to wait for the answer of another process that has paid for the same request."""
PAUSE: Final = 0.02


@final
@dataclass(frozen=True)
class Budget:
    """In nats: what the data set had at first, what all releases together may have leaked, and what is left; route: by
    what rule that is known (`spending`). delta: of the budget; spent_delta: at which spent is counted, at most that."""

    initial: float
    spent: float
    route: SpentBy = field(default="alone", compare=False)
    delta: float = 0.0
    spent_delta: float = 0.0

    @property
    def remaining(self) -> float:
        return max(0.0, self.initial - self.spent)


@final
@dataclass(frozen=True)
class Publication:
    """What goes out: the answers and their labels; the certificate as JSON, and its rows in words."""

    answers: tuple[Fraction | str, ...]
    labels: tuple[str, ...]
    certificate: Mapping[str, Any]
    words: Sequence[Sequence[str]]


@final
@dataclass(frozen=True)
class Recorded:
    """What the ledger keeps of a release; entry and hash: of the answer in its chain; repeated: it was there before."""

    published: Publication
    budget: Budget
    entry: int
    hash: str
    repeated: bool


@final
class Ledger:
    """A SQLite file. A release is written down, durably, before its noise is drawn: a crash costs budget, not privacy.
    Its answers are written down before they go out, so that they cannot be lost: the same request gets them again.

    One release spends its own leakage. Several spend the least that a rule for adaptive sequences proves: the sum of
    their group losses, or the converted sum of their differential ones (`spending`); their own leakages do not add.
    """

    def __init__(self, path: Path) -> None:
        self._storage = Storage(path)

    def earlier(self, request: Request) -> Recorded | None:
        """The answers that the same request got, if it got any."""
        return _earlier(self._storage.read(), request)

    def knows(self, name: str, fingerprint: str) -> bool:
        """Whether it holds the budget of that data set, or whatever else these bytes have spent."""
        history, file = self._storage.read(), Path(self._storage.path.name.removesuffix(SUFFIX))
        nameless = history.unnamed()
        known = history.initial(name) is not None or history.owner(fingerprint) is not None or fingerprint in nameless
        return known or (bool(nameless) and stem(file) == name)

    def debit(self, data: str, initial: float, entry: Entry, delta: float = 0.0) -> Budget:
        """Record a release of the data set of that name that is drawn elsewhere. Refused (and nothing recorded) where
        it would overspend.

        initial, delta: the budget, where the data are new to the ledger; afterwards the first one stands.
        """
        with self._storage.writing() as book:
            return self._debited(book, Request(data, data, entry.spec, initial, once=True, delta=delta), entry)[1]

    def release(
        self, request: Request, entry: Entry, draw: Callable[[], Publication], before: Callable[[], None] = lambda: None
    ) -> Recorded:
        """Debit, draw, record, each done for good before the next; or what the same request got before, for nothing.
        before: called once it is known that the budget allows it, and nothing is written yet.

        Refused (and nothing recorded) where it would overspend. Whoever stops between the debit and the record has paid
        for nothing: to draw again for the same debit would be to choose among draws. Of two at once with the same
        request one waits for the other's answer.
        """
        # What takes long is computed before anybody else has to wait; within, it is looked up.
        history = self._storage.read()
        spent_by(history.debits(request.name), entry, request.fingerprint, _delta(history, request))
        until = monotonic() + PATIENCE
        while True:
            with self._storage.writing() as book:
                found = _earlier(book.history, request)
                if found is not None:
                    return found
                if not book.history.is_pending(request.key) or monotonic() >= until:
                    number, budget = self._debited(book, request, entry)
                    before()
                    break
            sleep(PAUSE)
        body = {"debit": number, "request": request.key} | _body(_saying(draw(), budget))
        with self._storage.writing() as book:
            return _recorded(book.add("answer", body), budget, False)

    def _debited(self, book: Book, request: Request, cost: Entry) -> tuple[int, Budget]:
        name = request.name
        own = self._storage.path.name == request.file + SUFFIX
        for kind, body in named(book.history, request, own):
            book.add(kind, body)
        before = book.history.debits(name)
        delta = book.history.delta(name)
        spent = spent_by(before, cost, request.fingerprint, delta)
        budget = Budget(book.history.initial(name) or 0.0, spent.nats, spent.route, delta, spent.delta)
        _check(cost, before, budget)
        what = {"data": name, "fingerprint": request.fingerprint, "request": request.key}
        known = {"spent": amount(spent.nats), "spent_delta": spent.delta, "route": spent.route}
        return book.add("debit", what | cost.as_body() | known).number, budget


def _delta(history: History, request: Request) -> float:
    """Of the budget that will pay."""
    return history.delta(request.name) if history.initial(request.name) is not None else request.delta


def _check(cost: Entry, before: Sequence[Mapping[str, Any]], budget: Budget) -> None:
    """Refused where the budget would be overspent."""
    if cost.leakage >= 0 and cost.group_loss >= 0 and budget.spent <= budget.initial:  # so that NaN is refused
        return
    earlier = f"after {len(before)} earlier of the same data, " if before else ""
    at = f" at delta {budget.delta:g}" if budget.delta else ""
    said = f"this release, {earlier}would spend {budget.spent:.6g} of a budget of {budget.initial:.6g} nats{at}"
    raise Refused(said + _why_infinite(cost, before, budget))


def _why_infinite(cost: Entry, before: Sequence[Mapping[str, Any]], budget: Budget) -> str:
    """Of Gaussian noise, whose losses add up at a delta only."""
    if isfinite(budget.spent) or not gaussian_noise([*before, cost.as_body()]):
        return ""
    if not budget.delta:
        return ": Gaussian noise adds up at a delta only, and the budget of this data set has none"
    if cost.keeps_delta and all(body.get("keeps_delta", False) for body in before):
        return ""
    return f": Gaussian noise adds up at a delta only, and not all of what was promised ({cost.notion}) has one"


def _earlier(history: History, request: Request) -> Recorded | None:
    link = history.answer(request.key)
    if link is None:
        return None
    check_budget(history, request)
    return _recorded(link, _budget(history, request.name), True)


def _budget(history: History, name: str) -> Budget:
    """What the last debit says of all; of debits from before it did, the sum of the group losses."""
    debits, initial, delta = history.debits(name), history.initial(name) or 0.0, history.delta(name)
    if "spent" in debits[-1]:
        last = debits[-1]
        return Budget(initial, float(last["spent"]), last["route"], delta, float(last.get("spent_delta", 0.0)))
    if len(debits) == 1:
        return Budget(initial, float(debits[0]["leakage"]), "alone", delta)
    return Budget(initial, together(float(body["group_loss"]) for body in debits), "group", delta)


def _saying(published: Publication, budget: Budget) -> Publication:
    """The same, with what all releases of the data have spent by now in its certificate, if it has one."""
    if not published.certificate:
        return published
    at = {"delta": budget.spent_delta} if budget.spent_delta else {}
    spending = {"nats": amount(budget.spent), "route": budget.route} | at
    words = [*published.words, ["spent by", in_words(budget.route, budget.spent_delta)]]
    return replace(published, certificate={**published.certificate, "spending": spending}, words=words)


def _body(published: Publication) -> dict[str, Any]:
    """As JSON: numbers as numerator and denominator, so that they come back as they were."""
    answers = [each if isinstance(each, str) else [each.numerator, each.denominator] for each in published.answers]
    rest = {"labels": list(published.labels), "certificate": dict(published.certificate)}
    return {"answers": answers, **rest, "words": [list(row) for row in published.words]}


def _recorded(link: Link, budget: Budget, repeated: bool) -> Recorded:
    body = link.body
    answers = tuple(each if isinstance(each, str) else Fraction(*each) for each in body["answers"])
    published = Publication(answers, tuple(body["labels"]), body["certificate"], body["words"])
    return Recorded(published, budget, link.number, link.hash, repeated)
