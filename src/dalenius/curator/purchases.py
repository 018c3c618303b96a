"""Answers that are paid for together: one look at the table, one commit for all debits, one for all answers.

Three analysts ask for a count at the same moment. The table is checked once, and is as its noises were computed for.
One commit writes the three debits to the disk. Then the table's values are counted, once, and three noises are drawn.
Another commit writes the three answers, and they go out. Each is paid for as if it were alone: who cannot pay is
refused, and the others are answered.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from logging import getLogger
from typing import Final, final

from dalenius.curator.budgets import OthersBytes, Request
from dalenius.curator.data_set_policy import NotOpen
from dalenius.curator.group_commit import Attempt
from dalenius.curator.ledger import Ledger, Order
from dalenius.curator.opened_table import Opened
from dalenius.curator.prepared_release import Ready
from dalenius.curator.recorded_answers import Publication, Recorded
from dalenius.errors import InputError, Unreachable

_LOG: Final = getLogger("dalenius")
_LATER: Final = "a database that answers, and a table that nobody has locked: the same question may be answered later"


@final
@dataclass(frozen=True)
class Purchase:
    """An answer that is to be paid for: what the ledger knows it by, and its noise and what it costs."""

    request: Request
    ready: Ready


def pay(
    ledger: Ledger, opened: Opened, purchases: Sequence[Purchase], tell: Callable[[int, Attempt[Recorded]], None]
) -> None:
    """Pays for several answers of one opened table and draws them, all in one state of the table.

    Args:
        ledger: Where they are debited, and recorded.
        opened: The table that all of them are about.
        purchases: What is bought.
        tell: Called once for each, with its place and with its answer, or the error that `Session.ask` raises; with
            TableChanged where what is public of the table is another by now: that is paid for by nobody.
    """
    wanted = [Order(each.request, each.ready.cost, _drawing(opened, each.ready)) for each in purchases]
    orders: dict[int, Order] = {}
    # So that an analyst who cannot pay keeps nobody waiting for the table.
    for place, (order, refusal) in enumerate(zip(wanted, ledger.refusals(wanted), strict=True)):
        if refusal is None:
            orders[place] = order
        else:
            tell(place, Attempt(error=refusal))
    left = list(orders)

    def hand_on(number: int, found: Attempt[Recorded]) -> None:
        place = places[number]
        left.remove(place)
        tell(place, _restated(purchases[place], found))

    places = tuple(orders)
    try:
        with ExitStack() as until:
            if orders:
                with reading_table(opened.data.name):
                    until.enter_context(opened.at_once())
                    check_frozen(ledger, opened)
                    fingerprint, others = opened.fingerprint, opened.other_names()
                ledger.release_each([each.of_bytes(fingerprint, others) for each in orders.values()], hand_on)
    except Exception as error:
        for place in left:
            tell(place, Attempt(error=error))


def _drawing(opened: Opened, ready: Ready) -> Callable[[], Publication]:
    """Returns a function that draws the answer: for what has been paid for."""
    return lambda: ready.drawn_from(opened)


def _restated(purchase: Purchase, found: Attempt[Recorded]) -> Attempt[Recorded]:
    """Returns the answer with intervals of the confidence that was asked for: it may have been drawn for another one.

    The owner alone is told which data set has the same bytes.
    """
    try:
        done = found.result()
        return Attempt([replace(done, published=purchase.ready.restated(done.published))])
    except OthersBytes as error:
        _LOG.error("%s", error)
        return Attempt(error=NotOpen(purchase.request.name))
    except Exception as error:
        return Attempt(error=error)


def check_frozen(ledger: Ledger, opened: Opened) -> None:
    """Raises InputError where the table `opened` should be frozen, and is not what the `ledger` was asked before.

    It is for the thread that holds the engine.
    """
    if opened.data.frozen:
        ledger.check_frozen(opened.data.name, opened.data.version, opened.fingerprint)


@contextmanager
def reading_table(data: str) -> Iterator[None]:
    """Raises NotOpen, or Unreachable, in words that say nothing of the table; data: the name of the data set.

    What is wrong with it, or with what the policy says of it, is for its owner.
    """
    try:
        yield
    except Unreachable:
        raise Unreachable("data", data, _LATER) from None
    except InputError as error:
        # Because analysts are told about the ask itself, and must not learn what is of the table or the policy.
        if re.split(r"[ .]", error.key)[0] in ("data", "measure"):
            raise NotOpen(data) from None
        raise
