"""The earlier releases of a table in a ledger, before a release is signed, and what becomes of this release there.

Take a count of 0.4 nats, about people with a budget of 1. Of this budget 0.7 are spent. The page says that one release
went out, and that this one would be refused. Nothing is written, and no answer is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from dalenius.calibration import Calibration
from dalenius.channel import Release
from dalenius.curator.accounts import Paid, account
from dalenius.curator.amounts import amount_of, as_nats
from dalenius.curator.budgets import Request, request_of
from dalenius.curator.cost_of_releases import Budget, cost_of
from dalenius.curator.ledger import Ledger
from dalenius.curator.ledger_of_request import ledger_path
from dalenius.errors import DaleniusError, InputError, Refused
from dalenius.notions import Notion
from dalenius.sentences.sentence import Phrase
from dalenius.spec import Spec, canonical
from dalenius.tables import People

COLUMNS: Final = ("entry", "released", "promise", "alone (nats)", "beside others (nats)", "what came of it")


@final
@dataclass(frozen=True)
class EarlierReleases:
    """The earlier releases of one data set in a ledger.

    Attributes:
        name: The data set.
        shown: The ledger's address.
        budget: Its budget; None where the data set is new to the ledger.
        rows: A table with `COLUMNS`, one row for each release.
        sentences: What becomes of the release that is asked about.
        refused: Whether the ledger refuses it.
        asked: The question of each row, in words; its promise where its answers are not kept.
        elsewhere: How many answers of other data sets the ledger holds.
    """

    name: str
    shown: str
    budget: Budget | None
    rows: tuple[tuple[str, ...], ...]
    sentences: tuple[str, ...]
    refused: bool
    asked: tuple[Phrase, ...] = ()
    elsewhere: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the rows' cells."""
        return COLUMNS

    @property
    def spent(self) -> str:
        """The spending of all of them, in words."""
        if self.budget is None:
            return "nothing"
        return f"{self.budget.spent:.6g} of {self.budget.initial:.6g} nats"


def earlier_releases(
    spec: Spec,
    people: People | None,
    release: Release,
    calibration: Calibration,
    promises: Sequence[Notion],
    address: str | None = None,
) -> EarlierReleases | None:
    """Returns what the ledger holds of the table; None where there is no ledger.

    Args:
        spec: The spec of the release.
        people: The table; None where there is none.
        release: The release.
        calibration: Its noise.
        promises: The promises that are kept.
        address: The ledger's address; None for the one beside the table.

    Raises:
        InputError: For a ledger that is named and not there, or of which no table is known.
    """
    if people is None or (address is None and people.path is None):
        if address is not None:
            raise InputError("--ledger", "given", "a section [data], or --data: a ledger is of one table's releases")
        return None
    request = _request(spec, people)
    nearest = None if people.path is None else ledger_path(people.path, request)
    book = Ledger(str(nearest) if address is None else address)
    # Because the page goes to others, it does not say in which folder the table's own ledger is.
    shown = book.shown if address is not None or nearest is None else nearest.name
    if not book.is_there():
        if address is not None:
            raise InputError("--ledger", book.shown, "a ledger that is there")
        return None
    history = book.history()
    # Because a copy under another name has the budget of the table, its releases are told too.
    name = history.owners.get(request.fingerprint, request.name)
    found = account(history, name)
    known = name in history.budgets
    said, refused = _becomes(book, request, spec, release, calibration, promises)
    rows = tuple(_row(each) for each in found.paid)
    asked = tuple(each.question for each in found.paid)
    budget, elsewhere = found.budget if known else None, history.answers_elsewhere(name)
    return EarlierReleases(name, shown, budget, rows, said, refused, asked, elsewhere)


def _request(spec: Spec, people: People) -> Request:
    """Returns the request as `release` would make it; for a spec that promises nothing, what is known of the table."""
    if spec.notions and all(notion.epsilon is not None for notion in spec.notions):
        return request_of(spec, people)
    return Request(people.name, people.fingerprint(), canonical(spec), 0.0)


def _becomes(
    book: Ledger,
    request: Request,
    spec: Spec,
    release: Release,
    calibration: Calibration,
    promises: Sequence[Notion],
) -> tuple[tuple[str, ...], bool]:
    """Returns sentences on what the ledger does with this release, and whether it refuses it."""
    if not promises:
        return ("This release promises nothing, so that the ledger would not take it.",), True
    try:
        done = book.earlier(request)
        if done is not None:
            return (f"This release was published, as entry {done.entry}: the same answers again are free.",), False
        cost = cost_of(release, promises, canonical(spec), calibration.leakage.upper)
        _, after = book.afterwards(request, cost)
    except Refused as error:
        return (f"The ledger refuses this release: {error}.",), True
    except DaleniusError as error:
        return (f"What this release costs beside the others is not known: {error}.",), False
    spent = f"{after.spent:.6g} of {after.initial:.6g} nats"
    return (f"With this release, all releases together would have spent {spent}.",), False


def _row(paid: Paid) -> tuple[str, ...]:
    body = paid.debit.body
    own, with_others = (f"{as_nats(amount_of(body[key])):.6g}" for key in ("leakage", "group_loss"))
    came = "failed" if paid.failed else "nothing that is kept" if paid.recorded is None else "answers were released"
    time = str(body.get("time", "")).partition(".")[0].replace("T", " ").removesuffix("Z")
    return str(paid.debit.number), f"{time} UTC" if time else "", str(body["notion"]), own, with_others, came
