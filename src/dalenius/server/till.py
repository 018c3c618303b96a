"""The till, where answers of one data set are paid for: several at once, in one thread, while others wait.

While three answers are drawn, ten analysts ask. The next eight are paid for together: with one look at the table and
two commits, as one answer would be. An analyst has at most half of them, where others wait too.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final, final

from dalenius.curator import Attempt, Curator, Opened, Purchase, Recorded, pay
from dalenius.server.fair_queue import FairQueue
from dalenius.server.work import Work

# The owner of the threads in which answers are drawn is no analyst.
_TILL: Final = "till of"


@final
@dataclass(eq=False)
class _Sale:
    """A purchase that waits, and what comes of it."""

    opened: Opened
    purchase: Purchase
    future: "asyncio.Future[Recorded]"


@final
class Till:
    """The till of one data set, called from one event loop; engine: the lock of the thread that is in its tables."""

    def __init__(self, curator: Curator, work: Work, most: int) -> None:
        """Takes its parts; most: answers that are paid for together."""
        self._curator, self._work, self._most = curator, work, most
        self._waiting: FairQueue[_Sale] = FairQueue()
        self._selling: asyncio.Task[None] | None = None
        self.engine = asyncio.Lock()

    async def pay(self, opened: Opened, purchase: Purchase, whose: str) -> Recorded:
        """Returns the answer, once it is paid for and drawn; it raises what `Session.ask` does."""
        sale = _Sale(opened, purchase, asyncio.get_running_loop().create_future())
        self._waiting.add(whose, sale)
        if self._selling is None:
            self._selling = asyncio.create_task(self._sell())
        return await sale.future

    async def _sell(self) -> None:
        """Pays until nobody waits."""
        try:
            while len(self._waiting):
                async with self.engine:
                    for opened, sales in self._next().items():
                        await self._paid(opened, sales)
        finally:
            self._selling = None

    def _next(self) -> dict[Opened, list[_Sale]]:
        """Returns the next purchases, by the table that they are about."""
        taken, found = Counter[str](), dict[Opened, list[_Sale]]()
        while taken.total() < self._most:
            most = max(1, self._most // 2) if taken else self._most
            if (each := self._waiting.take(taken, most)) is None:
                break
            taken[each[0]] += 1
            found.setdefault(each[1].opened, []).append(each[1])
        return found

    async def _paid(self, opened: Opened, sales: list[_Sale]) -> None:
        """Pays for these in one thread, and tells each as soon as it is on the disk."""
        loop = asyncio.get_running_loop()

        def tell(place: int, found: Attempt[Recorded]) -> None:
            loop.call_soon_threadsafe(_hand_over, sales[place].future, found)

        def call() -> None:
            pay(self._curator.ledger, opened, [sale.purchase for sale in sales], tell)

        try:
            await self._work.begun(call, f"{_TILL} {opened.data.name}")
        except Exception as error:
            for sale in sales:
                _hand_over(sale.future, Attempt(error=error))


def _hand_over(future: "asyncio.Future[Any]", found: Attempt[Any]) -> None:
    """Hands over what was found, unless nobody waits any more."""
    if future.done():
        return
    try:
        future.set_result(found.result())
    except Exception as error:
        future.set_exception(error)
        future.exception()
