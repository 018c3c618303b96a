"""One question on its way: to the answer that the ledger has, or to its noise, and then to the till.

Ana asks for a count. If the ledger has her answer, that is all. Otherwise the table is checked, if it was written to.
The noise is found in another process, or remembered. Then the answer is paid for and drawn at the till of the data set.
At each of these she waits her turn among the analysts, and holds no thread. Bob, who asks the same meanwhile, waits for
what comes of hers.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias, TypeVar, final
from weakref import WeakValueDictionary

from dalenius.curator import (
    Curator,
    Inquiry,
    Opened,
    PolicyAsk,
    Practised,
    Priced,
    Purchase,
    Quote,
    Ready,
    Recorded,
    Request,
    Session,
    Stored,
    TableChanged,
    advice_on_fewer,
    free_quote,
    not_computable,
    of_fewer,
    prepared_from,
    priced_of,
    shares,
)
from dalenius.curator.request_key import RequestKey
from dalenius.curator.session import STILL
from dalenius.errors import DaleniusError, Refused, Unreachable
from dalenius.server.limits import ON_THEIR_WAY
from dalenius.server.till import Till
from dalenius.server.work import Work, awaited
from dalenius.server.worker_processes import Busy

_Result = TypeVar("_Result")
Submit: TypeAlias = Callable[[Inquiry], "Future[Priced | Ready]"]

# Texts of questions whose meaning is kept, and bytes of the longest that is.
SAID: Final = 4096
LONGEST_SAID: Final = 2048


@final
@dataclass(frozen=True)
class SentQuestion:
    """A question that was sent, and its key; request: what the ledger knows it by (`Session.plain_request`)."""

    session: Session
    ask: PolicyAsk
    key: RequestKey | None = None

    @cached_property
    def request(self) -> Request | None:
        return self.session.plain_request(self.ask, self.key)

    def glanced(self) -> Stored | None:
        """Returns the ledger's answer, where nobody has to be waited for to see it; None elsewhere."""
        return None if self.request is None else self.session.glanced(self.request, self.ask.certainty)

    @cached_property
    def whose(self) -> str:
        """The data set and the analyst, whichever of their tokens it came with: their names hold no slash."""
        return f"{self.session.data.name}/{self.session.analyst.name}"


@final
class SaidQuestions:
    """Questions by what was sent: who asked, the data set, and the text. For one thread at a time."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, bytes], SentQuestion] = OrderedDict()

    def get(self, said: tuple[str, str, bytes]) -> SentQuestion | None:
        """Returns the question that was `said`; None where that was not sent lately."""
        found = self._kept.get(said)
        if found is not None:
            self._kept.move_to_end(said)
        return found

    def keep(self, said: tuple[str, str, bytes], question: SentQuestion) -> None:
        """Remembers which `question` was `said`, unless it is long."""
        if len(said[2]) <= LONGEST_SAID:
            self._kept[said] = question
            if len(self._kept) > SAID:
                self._kept.popitem(last=False)


@final
class Asks:
    """All questions on their way. Called from one event loop."""

    def __init__(self, curator: Curator, work: Work, submit: Submit | None) -> None:
        """Takes its parts; submit: has a noise found in another process; None: in a thread of this one."""
        self._curator, self._work, self._submit = curator, work, submit
        service = curator.policy.service
        self._seconds = service.timeout
        self._tills = {data.name: Till(curator, work, service.concurrent) for data in curator.policy.data}
        # The lock of each question's asker; one that nobody holds is forgotten by itself.
        self._questions: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._taken: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def running(self) -> int:
        """Counts the questions that have not ended, those that nobody waits for any more too."""
        return len(self._tasks)

    async def answer(self, question: SentQuestion) -> Recorded | Stored:
        """Returns what `Session.ask` answers; Stored where the ledger has it already.

        Busy where too many of the analyst's are on their way; Late where it takes longer than anybody waits: it goes
        on.
        """
        if (stored := question.glanced()) is not None:
            return stored
        return await self._on_its_way(question, self._paid_answer(question))

    async def quote(self, question: SentQuestion) -> Quote:
        """Returns what `Session.estimate` says; Busy and Late as in `answer`."""
        return await self._on_its_way(question, self._quoted(question))

    async def largest(self, question: SentQuestion) -> tuple[PolicyAsk, Quote] | None:
        """Returns what `Session.largest` does; Busy and Late as in `answer`."""
        found = dict[float, Quote]()
        search = shares(*(await self._work.begun(question.session.budget, question.whose)).room)
        try:
            share = next(search)
            while True:
                with suppress(Refused):
                    found[share] = await self.quote(SentQuestion(question.session, _for(question.ask, share)))
                share = search.send(share in found)
        except StopIteration as end:
            return None if end.value is None else (_for(question.ask, end.value), found[end.value])

    async def practise(self, question: SentQuestion) -> Practised:
        """Returns what `Session.practise` does; Busy and Late as in `answer`."""
        return await self._on_its_way(question, self._practised(question))

    async def advice(self, question: SentQuestion) -> str | None:
        """Returns what the precision would be without the few people in the largest households; None where no less.

        Busy and Late as in `answer`.
        """
        return await self._on_its_way(question, self._advised(question))

    async def _on_its_way(self, question: SentQuestion, going: Coroutine[Any, Any, _Result]) -> _Result:
        whose = question.whose
        if self._taken[whose] >= ON_THEIR_WAY:
            going.close()
            raise Busy
        self._taken[whose] += 1
        task = asyncio.create_task(going)
        self._tasks.add(task)
        task.add_done_callback(lambda ended: self._ended(ended, whose))
        return await awaited(task, self._seconds)

    def _ended(self, task: "asyncio.Task[Any]", whose: str) -> None:
        self._tasks.discard(task)
        self._taken[whose] -= 1
        if not self._taken[whose]:
            del self._taken[whose]
        task.cancelled() or task.exception()  # looked at, so that asyncio does not print what nobody waits for

    async def _paid_answer(self, question: SentQuestion) -> Recorded | Stored:
        session = question.session
        # So that an analyst who asks what is being answered, as by clicking twice, waits for that: the ledger, which
        # does
        # not know whether another process is still at it, would let it be paid for again after a while.
        key = session.data.name, question.ask.model_dump_json()
        own = self._questions.get(key) or self._questions.setdefault(key, asyncio.Lock())
        async with own:
            if (stored_answer := await self._stored_answer(question)) is not None:
                return stored_answer
            for _ in range(3):
                opened, ready = await self._ready(question)
                purchase = Purchase(session.request(ready.cost.spec, question.key), ready)
                try:
                    return await self._tills[session.data.name].pay(opened, purchase, question.whose)
                except TableChanged:
                    continue
        # The table is written to all the time, and its people are never the same for long enough.
        raise Unreachable("data", session.data.name, STILL)

    async def _quoted(self, question: SentQuestion) -> Quote:
        if (stored_answer := await self._stored_answer(question)) is not None:
            return free_quote(stored_answer.recorded() if isinstance(stored_answer, Stored) else stored_answer)
        _, ready = await self._ready(question)
        return await self._work.begun(lambda: question.session.quote(ready), question.whose)

    async def _stored_answer(self, question: SentQuestion) -> Recorded | Stored | None:
        """Returns the answer that the ledger has; None where it has none."""
        session, request = question.session, question.request
        if (stored := question.glanced()) is not None:
            return stored
        if request is None or not session.may_be_answered(request):
            return None  # another process may have written it meanwhile: then the till finds it
        return await self._work.begun(lambda: session.repeated(question.ask, question.key), question.whose)

    async def _ready(self, question: SentQuestion) -> tuple[Opened, Ready]:
        """Returns the table, opened, and the release with its noise and its price."""
        session, ask = question.session, question.ask
        found = session.inquiry_now(ask)
        if found is None:
            async with self._tills[session.data.name].engine:
                found = await self._work.begun(lambda: session.inquiry(ask), question.whose)
        opened, inquiry = found
        try:
            return opened, self._curator.known(inquiry) or await self._found(opened, inquiry, question.whose)
        except (OverflowError, ZeroDivisionError):  # before anything is paid for, whatever is in the table
            raise not_computable(ask) from None

    async def _practised(self, question: SentQuestion) -> Practised:
        session, ask = question.session, question.ask
        ask.check_practised(session.data, session.analyst)
        opened, ready = await self._ready(question)
        return await self._work.begun(lambda: opened.practice.answer(ready), question.whose)

    async def _advised(self, question: SentQuestion) -> str | None:
        opened, ready = await self._ready(question)
        session = question.session
        inquiry = Inquiry(session.data, opened.measure, opened.public, question.ask, session.analyst.name)
        found = await self._work.begun(lambda: of_fewer(inquiry), question.whose)
        if found is None:
            return None
        fewer, smaller = found
        # Because without these people a label may be nobody's, or the noise take too long: then there is no advice.
        try:
            priced = await self._priced(fewer, question.whose)
            return await self._work.begun(lambda: advice_on_fewer(ready, fewer, priced, smaller), question.whose)
        except (DaleniusError, ArithmeticError):
            return None

    async def _priced(self, inquiry: Inquiry, whose: str) -> Priced | Ready:
        """Has the noise of an inquiry found: in another process, where there are any."""
        if self._submit is None:
            return await self._work.begun(lambda: priced_of(inquiry), whose)
        return await asyncio.wrap_future(self._submit(inquiry))

    async def _found(self, opened: Opened, inquiry: Inquiry, whose: str) -> Ready:
        """Has the noise found, and remembers it, or why there is none."""
        if self._submit is None:
            return await self._work.begun(lambda: self._curator.ready(opened, inquiry.ask, inquiry.analyst), whose)
        try:
            priced = await asyncio.wrap_future(self._submit(inquiry))
        except Exception as error:
            self._curator.keep(inquiry, error)
            raise

        def made() -> Ready:
            return prepared_from(priced, inquiry, opened.bare, opened.convert)

        ready = await self._work.begun(made, whose)
        self._curator.keep(inquiry, ready)
        return ready


def _for(ask: PolicyAsk, epsilon: float) -> PolicyAsk:
    """Returns the question with another epsilon."""
    return ask.altered({"epsilon": epsilon})
