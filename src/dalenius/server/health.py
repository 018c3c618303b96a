"""Whether the ledger and the tables answer: looked at once in a while, however often it is asked."""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Any, Final, final

from dalenius.curator import Curator

KEPT: Final = 10.0
"""Seconds for which what was found is said again."""
PATIENCE: Final = 8.0
"""Seconds after which who has not answered does not answer."""


@final
class Health:
    """One look at a time; called from one event loop. last: what was found last."""

    def __init__(self, curator: Curator, kept: float = KEPT, clock: Callable[[], float] = monotonic) -> None:
        self._curator, self._kept, self._clock = curator, kept, clock
        self._until = float("-inf")
        self.last: dict[str, bool] = {"ledger": False, "tables": False}
        self._lock = asyncio.Lock()

    async def found(self) -> dict[str, bool]:
        """ledger, tables: whether it answers."""
        async with self._lock:
            if self._clock() >= self._until:
                parts = {"ledger": self._curator.ledger.history, "tables": self._curator.look}
                answers = await asyncio.gather(*map(_answers, parts.values()))
                self.last = dict(zip(parts, answers, strict=True))
                self._until = self._clock() + self._kept
            return self.last


async def _answers(check: Callable[[], Any]) -> bool:
    try:
        await asyncio.wait_for(asyncio.to_thread(check), PATIENCE)
    except Exception:  # whatever is wrong: what it is has its place elsewhere
        return False
    return True
