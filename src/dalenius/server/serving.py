"""All that the routes of one service have in common."""

import asyncio
from typing import Final, final

from dalenius.curator import Ask, Curator, DataSet, Failed, Recorded, Session
from dalenius.server.health import Health
from dalenius.server.limits import OneByOne, Rates, Work
from dalenius.server.logs import Log
from dalenius.server.metrics import Metrics
from dalenius.server.problems import Problem
from dalenius.server.tokens import Tokens

PAUSE: Final = 1.0
SLOWED: Final = 64


@final
class Serving:
    """stopping: whether new requests are refused; requests: how many are being answered."""

    def __init__(self, curator: Curator, tokens: Tokens, log: Log) -> None:
        self.curator, self.tokens, self.log = curator, tokens, log
        self.service = service = curator.policy.service
        self.metrics = Metrics()
        self.rates = Rates(service.requests_per_minute)
        self.asks = Work(service.concurrent, service.timeout, "ask")
        self.reads = Work(service.concurrent, service.timeout, "read")
        self.repeats = Work(service.concurrent, service.timeout, "repeat", placeless=True)
        self.health = Health(curator)
        self._asked = OneByOne()
        self.stopping = False
        self.requests = self._slow = 0

    @property
    def data_sets(self) -> tuple[DataSet, ...]:
        """All that the policy has."""
        return self.curator.policy.data

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being answered, computed or drawn."""
        return self.requests == 0 and not any(work.running for work in self._works)

    async def slowed(self) -> None:
        """Who asks too often waits for being told so, where few do: whoever does nothing but ask costs little then."""
        if self._slow < SLOWED:
            self._slow += 1
            try:
                await asyncio.sleep(PAUSE)
            finally:
                self._slow -= 1

    def refused(self, problem: Problem) -> None:
        if problem.why is not None:
            self.metrics.refusal(problem.why)

    def ask(self, session: Session, ask: Ask, key: str | None) -> Recorded:
        """What the session answers, and whether it was paid for is counted.

        Who asks what is being answered waits for that: the ledger, which does not know whether another process is
        still at it, would let it be paid for again after a while.
        """
        try:
            with self._asked.alone((session.data.name, ask.model_dump_json())):
                done = session.ask(ask, key)
        except Failed:
            self.metrics.debit("failed")
            raise
        if not done.repeated:
            self.metrics.debit("answered")
        return done

    def leave(self) -> None:
        """Who still waits is told to ask again later."""
        for work in self._works:
            work.leave()

    def close(self) -> None:
        """After all that runs has ended."""
        for work in self._works:
            work.close()

    @property
    def _works(self) -> tuple[Work, ...]:
        return self.asks, self.reads, self.repeats
