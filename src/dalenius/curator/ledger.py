"""A durable record of what was released from which data set, what is left of its budget, and what the answers were."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, final

from dalenius.composition import together
from dalenius.curator.chain import Link
from dalenius.curator.history import History
from dalenius.curator.inherited import amount
from dalenius.curator.naming import check_budget, named
from dalenius.curator.request import Request
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
    """In nats: what the data set had at first, what all releases together may have leaked, and what is left."""

    initial: float
    spent: float

    @property
    def remaining(self) -> float:
        return max(0.0, self.initial - self.spent)


@final
@dataclass(frozen=True)
class Entry:
    """What a release costs: leakage, its own exact one; group_loss, what it adds when others join it."""

    spec: str
    notion: str
    leakage: float
    group_loss: float


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

    One release spends its own leakage. Several spend the sum of their group losses, the only rule that holds for every
    notion here without looking at the answers jointly (Theory §9); their own leakages do not add.
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

    def debit(self, data: str, initial: float, entry: Entry) -> Budget:
        """Record a release of the data set of that name that is drawn elsewhere. Refused (and nothing recorded) where
        it would overspend.

        initial: the budget, where the data are new to the ledger; afterwards the first one stands.
        """
        with self._storage.writing() as book:
            return self._debited(book, Request(data, data, entry.spec, initial, once=True), entry)[1]

    def release(
        self, request: Request, entry: Entry, draw: Callable[[], Publication], before: Callable[[], None] = lambda: None
    ) -> Recorded:
        """Debit, draw, record, each done for good before the next; or what the same request got before, for nothing.
        before: called once it is known that the budget allows it, and nothing is written yet.

        Refused (and nothing recorded) where it would overspend. Whoever stops between the debit and the record has paid
        for nothing: to draw again for the same debit would be to choose among draws. Of two at once with the same
        request one waits for the other's answer.
        """
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
        body = {"debit": number, "request": request.key} | _body(draw())
        with self._storage.writing() as book:
            return _recorded(book.add("answer", body), budget, False)

    def _debited(self, book: Book, request: Request, cost: Entry) -> tuple[int, Budget]:
        name = request.name
        own = self._storage.path.name == request.file + SUFFIX
        for kind, body in named(book.history, request, own):
            book.add(kind, body)
        initial, before = book.history.initial(name) or 0.0, book.history.group_losses(name)
        spent = cost.leakage if not before else together([*before, cost.group_loss])
        if not (cost.leakage >= 0 and cost.group_loss >= 0 and spent <= initial):  # so that NaN is refused
            earlier = f"after {len(before)} earlier of the same data, " if before else ""
            raise Refused(f"this release, {earlier}would spend {spent:.6g} of a budget of {initial:.6g} nats")
        paid = {"leakage": amount(cost.leakage), "group_loss": amount(cost.group_loss)}
        what = {"data": name, "fingerprint": request.fingerprint, "request": request.key, "spec": cost.spec}
        return book.add("debit", what | {"notion": cost.notion} | paid).number, Budget(initial, spent)


def _earlier(history: History, request: Request) -> Recorded | None:
    link = history.answer(request.key)
    if link is None:
        return None
    check_budget(history, request)
    losses = history.group_losses(request.name)
    spent = history.leakages(request.name)[0] if len(losses) == 1 else together(losses)
    return _recorded(link, Budget(history.initial(request.name) or 0.0, spent), True)


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
