"""A curator: a policy, its tables and its ledger; and one analyst before one data set."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from logging import getLogger
from pathlib import Path
from typing import Final, final

from dalenius.curator.ask import Ask, Compute, check_served, ready_of, source_of, spec_text
from dalenius.curator.data_set import Measure, NotOpen
from dalenius.curator.desk import TRIES, Desk, Moved, Opened
from dalenius.curator.ledger import Budget, Ledger, Recorded
from dalenius.curator.noised import Prepared
from dalenius.curator.policy import Policy, read_policy
from dalenius.curator.publication import Paid, told
from dalenius.curator.request import Request
from dalenius.curator.workflow import Quote, interruptible, quote_of
from dalenius.errors import InputError, Unreachable
from dalenius.tables import Held

LOG: Final = getLogger("dalenius")
COMPUTABLE: Final = "a number that is neither too large nor too small to compute with"
LATER: Final = "a database that answers, and a table that nobody has locked: the same question may be answered later"
STILL: Final = "a table whose people stay the same while it is asked: ask of a materialized view, or of a copy"


@final
@dataclass(frozen=True)
class Budgets:
    """own: of what this analyst was told, which starts with the cap, or without one with the data set's budget; data:
    the data set's, of all analysts together."""

    own: Budget
    data: Budget


@final
class Session:
    """What the policy lets an analyst do with a data set; many threads may use it at once.

    Everything that is decided before an answer is paid for depends on the policy, the ask, the ledger, and what is
    public of the table alone; its values are read afterwards (Theory, Result 9.13).
    """

    def __init__(
        self,
        people: Held | Mapping[str, Held] | None,
        policy: Policy | Path | str,
        analyst: str | None = None,
        data: str | None = None,
        ledger: str | None = None,
        folder: Path | None = None,
    ) -> None:
        """people: what the user holds of the data set, by name where there are several; None where the policy says
        where they are. policy: or the file it is in. analyst, data: may be left out where there is one. ledger: instead
        of the policy's; folder: what paths are relative to, by default that of the policy's file.

        InputError where the tables are not what the policy says.
        """
        if not isinstance(policy, Policy):
            folder = Path(policy).parent if folder is None else folder
            policy = read_policy(Path(policy))
        data = _only("data", data, [each.name for each in policy.data])
        held = people if isinstance(people, Mapping) else {} if people is None else {data: people}
        self._sit(Desk(policy, folder or Path(), held, ledger), analyst, data)
        self._desk.check(self.data)
        if self._desk.ledger.history().last is None:
            LOG.warning("ledger %s is new: nothing was ever spent in it", self._desk.ledger.shown)
        for advice in self._desk.new_beside_others((data,)):
            LOG.warning("%s", advice)

    @classmethod
    def at(cls, desk: Desk, analyst: str, data: str) -> "Session":
        """One of several at a desk."""
        found = cls.__new__(cls)
        found._sit(desk, analyst, data)
        return found

    def _sit(self, desk: Desk, analyst: str | None, data: str) -> None:
        self._desk = desk
        self.data = desk.policy.data_set(data)
        self.analyst = self.data.analyst(_only("analyst", analyst, [each.name for each in self.data.analysts]))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What this analyst may ask about."""
        return self.data.measures_of(self.analyst)

    @interruptible()
    def estimate(self, ask: Ask) -> Quote:
        """What asking would cost, and how precise the answer would be; nothing is written, and no value is read.

        InputError, NotAllowed and Refused where `ask` would raise them.
        """
        _, spec, ready = self._ready(ask)
        request = self._request(ask, spec)
        done = self._desk.ledger.earlier(request)
        if done is not None:
            return quote_of(ready, True, done.budget, done.own)
        own, budget = self._desk.ledger.afterwards(request, ready.cost)
        anyone = replace(request, analyst=None, cap=None)
        return quote_of(ready, False, budget, own, shared=self._desk.ledger.earlier(anyone) is not None)

    @interruptible()
    def ask(self, ask: Ask, key: str | None = None) -> Recorded:
        """The answer: it is debited first, and only then the table is read, in the state that it had before; or the one
        that the same question got before, for nothing. key: the same key again is the same request, and gets its answer
        whatever has become of the table.

        InputError for what cannot be asked, NotAllowed for what the policy does not allow, Overspent where a budget or
        a cap would be, Unreachable where the table cannot be read now: nothing is paid then. Failed where an answer
        could not be drawn: that is paid for.
        """
        self.data.allowed(self.analyst, ask.measure, ask.query)
        done = None if key is None else self._desk.ledger.with_key(self._request(ask, "", key))
        for _ in range(TRIES if done is None else 0):
            with suppress(Moved):
                return self._paid(ask, key)
        if done is None:
            raise Unreachable("data", self.data.name, STILL)
        return done

    def repeated(self, ask: Ask, key: str | None = None) -> Recorded | None:
        """The answer that `ask` would give for nothing, where the ledger alone says it: neither the table is looked at
        nor anything computed. None where more than that is to be done. It raises what `ask` does."""
        measure, ledger = self.data.allowed(self.analyst, ask.measure, ask.query), self._desk.ledger
        if key is not None:
            return ledger.with_key(self._request(ask, "", key))
        spec = spec_text(self.data, measure, source_of(self.data, measure), ask)
        spec = self._desk.known(self.data, measure, ask) if spec is None else spec
        return None if spec is None else ledger.earlier(self._request(ask, spec))

    def budget(self) -> Budgets:
        """What there was, what is spent, and what is left."""
        budget = self._desk.budget(self.data)
        return Budgets(self._desk.ledger.budget(self.data.name, self.analyst.name, self._cap), budget)

    def history(self) -> tuple[Paid, ...]:
        """The answers that this analyst got, with their certificates."""
        return told(self._desk.ledger.history(), self.data.name, self.analyst.name)

    @property
    def _cap(self) -> float:
        """Without one of their own an analyst may be told all that the data set has."""
        return self.data.epsilon if self.analyst.epsilon is None else self.analyst.epsilon

    @property
    def _delta(self) -> float:
        return self.data.notion.promised_delta or 0.0

    def _ready(self, ask: Ask) -> tuple[Opened, str, Prepared]:
        measure = self.data.allowed(self.analyst, ask.measure, ask.query)
        check_served(self.data, measure, ask)
        opened = self._opened(measure)
        try:
            ready = self._desk.ready(opened, ask, self.analyst.name)
        except (OverflowError, ZeroDivisionError):  # before anything is paid for, whatever is in the table
            raise InputError(f"ask.{ask.given}", str(getattr(ask, ask.given)), COMPUTABLE) from None
        return opened, ready.spec, ready.prepared

    def _opened(self, measure: Measure) -> Opened:
        with self._reading():
            return self._desk.opened(self.data, measure)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """What is wrong with the table, or with what the policy says of it, is for its owner."""
        try:
            yield
        except Unreachable:
            raise Unreachable("data", self.data.name, LATER) from None
        except InputError as error:
            if re.split(r"[ .]", error.key)[0] in ("data", "measure"):
                raise NotOpen(self.data.name) from None
            raise

    def _paid(self, ask: Ask, key: str | None) -> Recorded:
        """Moved where what is public of the table changes meanwhile: nothing is paid then."""
        opened, spec, ready = self._ready(ask)
        ledger, request = self._desk.ledger, self._request(ask, spec, key)
        if ledger.earlier(request) is None:
            ledger.afterwards(request, ready.cost)  # who cannot pay keeps nobody waiting for the table
        with ExitStack() as until:
            with self._reading():
                until.enter_context(opened.at_once())
                self._desk.check_frozen(opened)
                request = replace(request, fingerprint=opened.fingerprint)
            return ledger.release(request, ready.cost, lambda: ready.drawn(opened.answer(ready.chosen)))

    def _request(self, ask: Ask, spec: str, key: str | None = None) -> Request:
        """Without the bytes, of which nothing is to depend before it is paid for."""
        # The budget is the name's: the same people saved again are asked on the same one.
        return Request(
            self.data.name,
            "",
            spec,
            self.data.epsilon,
            insisted=True,
            new_data=True,
            delta=self._delta,
            insisted_delta=True,
            analyst=self.analyst.name,
            cap=self._cap,
            idempotency=key,
            question=ask.model_dump_json(),
            version=self.data.version,
            frozen=self.data.frozen,
        )


def _only(key: str, name: str | None, names: Sequence[str]) -> str:
    """InputError where it is left out and there are several."""
    if name is None and len(names) > 1:
        raise InputError(key, "missing", f"one of {', '.join(names)}")
    return names[0] if name is None else name


@final
class Curator:
    """Safe for threads; one in a process is enough. Tables are opened when first asked about, or by `check`."""

    def __init__(
        self,
        policy: Policy,
        folder: Path = Path(),
        people: Mapping[str, Held] | None = None,
        ledger: str | None = None,
        compute: Compute = ready_of,
    ) -> None:
        """folder: what the policy's paths are relative to; people: by data set what is held of it, instead of where the
        policy says; ledger: instead of the policy's; compute: by which noises are found, in place by default."""
        self.policy = policy
        self._desk = Desk(policy, folder, people, ledger, compute)

    def session(self, analyst: str, data: str) -> Session:
        """InputError for a data set that there is not, NotAllowed for an analyst who is none of its own."""
        return Session.at(self._desk, analyst, data)

    @property
    def ledger(self) -> Ledger:
        """Of all its data sets."""
        return self._desk.ledger

    def check(self) -> None:
        """Opens every table. InputError names what is not as the policy says: for the curator, not for analysts."""
        for data in self.policy.data:
            self._desk.check(data)
        self._check_bytes()

    def new_beside_others(self) -> Iterator[str]:
        """Advice for the curator, of data sets whose names are new in a ledger of others."""
        return self._desk.new_beside_others([data.name for data in self.policy.data])

    def look(self) -> None:
        """Asks every table for a row: it raises where one does not answer, or is not as the policy says."""
        for data in self.policy.data:
            for measure in data.measures:
                self._desk.opened(data, measure).look()

    def _check_bytes(self) -> None:
        """InputError where two data sets are of the same bytes: their people would have two budgets. Only those are
        compared that have as many people."""
        opened = {data.name: self._desk.opened(data, data.measures[0]) for data in self.policy.data}
        sizes = Counter(each.size for each in opened.values())
        known: dict[str, str] = {}
        for name, each in opened.items():
            if sizes[each.size] > 1:
                with suppress(Moved), each.at_once():
                    other = known.setdefault(each.fingerprint, name)
                    if other != name:
                        wanted = f"people of its own: {other!r} has the same bytes, and they have no second budget"
                        raise InputError("data", name, wanted)

    def budget(self, data: str) -> Budget:
        """Of a data set: what there was, what all analysts together have spent, and what is left."""
        return self._desk.budget(self.policy.data_set(data))

    def close(self) -> None:
        """Lets go of the tables. They are opened again where something is asked."""
        self._desk.close()
