"""A measure with its table, and what all sessions of a curator share: the policy, the ledger, the tables that are open,
the noises found."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from math import inf
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final, final

from dalenius.channel import Release
from dalenius.curator.ask import Ask, Asked, Compute, Public, Ready, ready_of, source_of
from dalenius.curator.data_set import DataSet, Measure, TooHeavy, check_model
from dalenius.curator.ledger import Budget, Ledger
from dalenius.curator.policy import Policy
from dalenius.curator.request import said_beside
from dalenius.errors import DaleniusError, InputError, Unreachable
from dalenius.models import Model
from dalenius.models.model import Composition, Readable
from dalenius.spec import check_labels, check_values, slots_of, true_answer
from dalenius.tables import WRITTEN, Held, People, from_here, open_people
from dalenius.tallies.leave_one_out import LeftOut

TRIES: Final = 3
"""How often a table is read where it is written to meanwhile, or its connection is lost."""


@final
class Moved(Exception):
    """What is public of the table is another by now: what was computed for it may hold no more."""


@final
class Opened:
    """On opening only what is public is kept of the table. The values are read by `answer`, which is for what has been
    paid for, within `at_once`: from before the debit on all is of one state of a database, whoever writes to it.

    One thread at a time is in the engine of a data set.
    """

    def __init__(self, data: DataSet, measure: Measure, folder: Path, held: Held | None, engine: Lock) -> None:
        """engine: held by whoever makes it."""
        self.data, self.measure = data, measure
        self.source = source_of(data, measure)
        self._engine, self._folder = engine, folder
        self._held = None if held is None else from_here(held)
        self._states = ExitStack()
        self._fingerprint: str | None = None
        with ExitStack() as until:
            self._people = open_people(self.source, folder, self._held, until)
            try:
                self._marks = self._people.marks(first=True)
                self.public = self._found(self._people.size)
            except BaseException:
                self._people.close()
                raise

    @property
    def size(self) -> int:
        """How many people there are."""
        return self.public.size

    @property
    def model(self) -> Model:
        """Of these people."""
        return self.public.model

    @property
    def fingerprint(self) -> str:
        """Of the table, as its marks are. For whoever holds the engine."""
        if self._fingerprint is None:
            self._fingerprint = self._people.fingerprint()
        return self._fingerprint

    def is_current(self) -> bool:
        """Whether what is public is as it was opened: other people may live together otherwise, and another price be
        due. Not where the table does not answer. For whoever holds the engine."""
        try:
            with self._people.at_once():
                self._look_again()
        except (InputError, Moved):
            return False
        return True

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Until it is left all that is read is of one state of the table, in databases that have transactions. Moved
        where what is public is not as it was opened; InputError where a row is none, or the table is locked."""
        with self._engine, ExitStack() as self._states:
            self._states.enter_context(self._people.at_once())
            self._look_again()
            yield

    def answer(self, release: Release) -> tuple[int, ...]:
        """The exact answer, in lattice steps, within `at_once`. InputError where the table is not what the model
        describes, or has been written since. Where its connection is lost, and it is the same, it is read again:
        nothing has been drawn by then."""
        for _ in range(TRIES):
            try:
                found = true_answer(release, self._people)
                if not self._people.unwritten(self._marks):
                    raise InputError("data", self.data.name, WRITTEN)
                return found
            except Unreachable:
                self._connect_again()
        raise Unreachable("data", self.data.name, f"a connection that holds; lost {TRIES} times")

    def check_values(self) -> None:
        """For the curator alone: InputError where rows have values that no model has: every answer would fail."""
        with self._engine:
            tally = self._people.tally()
        for belief in self.model.joints():
            check_values(self._people, tally, slots_of(belief.strata()))

    def look(self) -> None:
        """Asks the engine for one row, of which nothing is kept; nothing where somebody is in the engine anyway. It
        raises what the engine does."""
        if self._engine.acquire(blocking=False):
            try:
                self._people.rows.limit(1).to_pyarrow()
            finally:
                self._engine.release()

    def close(self) -> None:
        with self._engine:
            self._people.close()

    def _look_again(self) -> None:
        """Moved where what is public has changed since, or what was read of a file; what else has is no matter."""
        marks = self._people.marks()
        if () not in marks and marks == self._marks:
            return
        if not self._people.in_database or self._found(self._people.count_again()) != self.public:
            raise Moved
        self._marks, self._fingerprint = marks, None

    def _connect_again(self) -> None:
        """InputError where the table is another one by now."""
        before, self._people = self._people, open_people(self.source, self._folder, self._held, self._states)
        before.close()
        if self._people.fingerprint() != self.fingerprint:
            raise InputError("data", self.data.name, WRITTEN)
        self._marks = self._people.marks(first=True)

    def _found(self, size: int) -> Public:
        """InputError where the model is of other people, or of other values than what is declared allows."""
        people, measure = self._people, self.measure
        key = f"measure {measure.name!r} model"
        reading, labels = _Reading(people), dict(people.labelled())
        model = measure.belief.bound(reading)
        check_model(model, measure, key)
        for belief in model.joints():
            modelled = sum(stratum.people for stratum in belief.strata())
            if modelled != size:
                raise InputError(key, f"of {modelled} people", f"{size}, as many as the table has")
            check_labels(belief.strata(), labels)
        return Public(size, labels, reading.homes, model)


@final
class _Reading(Readable):
    """What a model may read of the table before anything is paid for."""

    def __init__(self, people: People) -> None:
        self._people = people
        self.homes: Mapping[Composition, int] = {}

    def compositions(self) -> Mapping[Composition, int]:
        self.homes = self._people.compositions()
        return self.homes

    def left_out(self, one_by_one: bool) -> LeftOut:
        raise InputError("model.kind", "absent", "a model that reads no answers: nothing is read before it is paid for")


MOST: Final = 512
"""So many asks are remembered: estimating one again is free, and so is asking what was estimated."""
HEAVY: Final = 600.0
"""Seconds for which an ask counts as too heavy: it may have been the load of the machine."""


@final
class Remembered:
    """Safe for threads. What was asked last is kept longest."""

    def __init__(self, most: int = MOST, clock: Callable[[], float] = monotonic) -> None:
        self._most, self._clock = most, clock
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, tuple[Ready | Exception, float]] = OrderedDict()

    def of(self, key: Hashable, find: Callable[[], Ready]) -> Ready:
        """What find returns, or raises of the ask itself; of a key that it was called for, what it was then."""
        found = self.known(key)
        if found is None:
            found = self._found(key, find)
        if isinstance(found, Exception):
            raise copy(found)  # each with a trace of its own
        return found

    def known(self, key: Hashable) -> Ready | Exception | None:
        """What was found, or raised, of that key; None where nothing was."""
        with self._lock:
            found, until = self._kept.get(key, (None, inf))
            if self._clock() >= until:
                del self._kept[key]
                return None
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def _found(self, key: Hashable, find: Callable[[], Ready]) -> Ready | Exception:
        try:
            found: Ready | Exception = find()
        except (DaleniusError, ArithmeticError) as error:
            found = error.with_traceback(None)
        until = self._clock() + HEAVY if isinstance(found, TooHeavy) else inf
        with self._lock:
            self._kept[key] = found, until
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return found


@final
class Desk:
    """Safe for threads. Tables are opened when they are first asked about, each once.

    A noise that was found, or why there is none, is kept by what is asked: it depends on the policy, the ask and what
    is public, so whoever asks the same is told the same.
    """

    def __init__(
        self,
        policy: Policy,
        folder: Path,
        people: Mapping[str, Held] | None = None,
        ledger: str | None = None,
        compute: Compute = ready_of,
    ) -> None:
        """compute: by which noises are found and priced; in place by default."""
        self.policy, self.folder = policy, folder
        address = ledger if ledger is not None else policy.ledger
        self.ledger = Ledger(address if "://" in address else folder / address)
        self._people = dict(people or {})
        for name in self._people:
            policy.data_set(name)
        self._engines = {data.name: Lock() for data in policy.data}
        self._opened: dict[tuple[str, str], Opened] = {}
        self._compute, self._found = compute, Remembered()

    def opened(self, data: DataSet, measure: Measure) -> Opened:
        """The measure's table, opened again where what is public of it has changed. Who asks about another data set
        need not wait while it is opened. InputError where it is not what the policy says; or where a version that is
        said to be frozen has changed: then it stays closed."""
        key = data.name, measure.name
        engine = self._engines[data.name]
        with engine:
            there = self._opened.get(key)
            if there is None or not there.is_current():  # whoever is reading the old one goes on
                held = self._people.get(data.name)
                there = self._opened[key] = Opened(data, measure, self.folder, held, engine)
            self.check_frozen(there)
            return there

    def check_frozen(self, opened: Opened) -> None:
        """InputError where it should be frozen, and is not what was asked before. For whoever holds the engine."""
        if opened.data.frozen:
            self.ledger.check_frozen(opened.data.name, opened.data.version, opened.fingerprint)

    def check(self, data: DataSet) -> None:
        """Opens all its tables, and looks at everything that decides whether they can be asked: for the curator, not
        for analysts. InputError names what is not as the policy says."""
        for measure in data.measures:
            self.opened(data, measure).check_values()
        self.budget(data)

    def budget(self, data: DataSet) -> Budget:
        """Of all its analysts together. InputError where the ledger gave it another budget than the policy says."""
        delta = data.notion.promised_delta or 0.0
        found = self.ledger.budget(data.name)
        if not found.initial:
            return Budget(data.epsilon, 0.0, delta=delta)
        if found.initial != data.epsilon or found.delta != delta:
            given = f"{found.initial!r} at delta {found.delta!r}, what it was given in the ledger"
            raise InputError(f"data {data.name!r} notion", f"epsilon {data.epsilon!r} at delta {delta!r}", given)
        return found

    def ready(self, opened: Opened, ask: Ask, analyst: str) -> Ready:
        """What is asked, with its noise and what it costs; nothing of it looks at the values of the table. It raises
        again what it raised before, of the same ask. analyst: who has it computed."""
        key = _key(opened, ask)
        asked = Asked(opened.data, opened.measure, opened.source, opened.public, ask, analyst)
        return self._found.of(key, lambda: self._compute(asked))

    def known(self, data: DataSet, measure: Measure, ask: Ask) -> str | None:
        """What is asked, as `ready` said it before of the table that is open; None where it did not."""
        opened = self._opened.get((data.name, measure.name))
        found = None if opened is None else self._found.known(_key(opened, ask))
        return found.spec if isinstance(found, Ready) else None

    def new_beside_others(self, names: Sequence[str]) -> Iterator[str]:
        """Advice for the curator, of data sets that the ledger does not know, where it knows some that the policy does
        not have: the same people under another name have another budget."""
        there, known = {data.name for data in self.policy.data}, self.ledger.history().names()
        others = [name for name in known if name not in there]
        for name in names:
            if others and name not in known:
                yield said_beside(name, others)

    def close(self) -> None:
        while self._opened:
            _, opened = self._opened.popitem()
            opened.close()
        self.ledger.close()


def _key(opened: Opened, ask: Ask) -> tuple[str, str, str, str]:
    return opened.data.name, opened.measure.name, opened.public.digest, ask.model_dump_json()
