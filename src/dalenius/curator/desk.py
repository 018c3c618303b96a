"""What all sessions of a curator share: the policy, the ledger, the tables that are open, the noises found."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import copy
from math import inf
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final, final

from dalenius.curator.ledger import Budget, Ledger
from dalenius.curator.opened import Asked, Compute, Opened, Ready, ready_of
from dalenius.curator.policy import Ask, DataSet, Measure, Policy, TooHeavy
from dalenius.curator.request import said_beside
from dalenius.errors import DaleniusError, InputError
from dalenius.tables import Held

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
