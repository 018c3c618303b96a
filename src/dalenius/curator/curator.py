"""A curator: a policy, its tables and its ledger; and one analyst before one data set.

An ask goes through five steps: the policy allows it; the table is open, of the people that it had; the noise is found
and priced, of what is public alone; the ledger has room, and is debited; only then the table's values are read, and
noise is drawn. Whoever is refused in the first four has paid nothing and learned nothing of the values.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from logging import getLogger
from pathlib import Path
from threading import Lock
from typing import Final, final

from dalenius.curator.accounts import Paid, answers_learned
from dalenius.curator.analyst_question import Ask, Compute, Inquiry, check_served, plain_spec, ready_of, source_of
from dalenius.curator.budgets import Request, new_name_advice
from dalenius.curator.cost_of_releases import Budget
from dalenius.curator.data_set_policy import DataSet, Measure
from dalenius.curator.distinct_tables import DistinctTables
from dalenius.curator.group_commit import Attempt
from dalenius.curator.ledger import Ledger, Stored
from dalenius.curator.opened_table import Opened, Remembered, TableChanged
from dalenius.curator.policy import Policy, read_policy
from dalenius.curator.prepared_release import Prepared
from dalenius.curator.purchases import Purchase, check_frozen, pay, reading_table
from dalenius.curator.recorded_answers import Recorded
from dalenius.curator.release_from_spec import Quote, free_quote, interruptible, quote_of
from dalenius.errors import InputError, Unreachable
from dalenius.spec import canonical
from dalenius.tables import TableLike
from dalenius.tables.check import check_source

_LOG: Final = getLogger("dalenius")
_COMPUTABLE: Final = "numbers that are neither too large nor too small to compute with"
STILL: Final = "a table whose people stay the same while it is asked: ask of a materialized view, or of a copy"


@final
@dataclass(frozen=True)
class Budgets:
    """own: of what this analyst was told, which starts with the cap, or without one with the data set's budget; data:
    the data set's, of all analysts together."""

    own: Budget
    data: Budget


@final
class Curator:
    """Safe for threads; one in a process is enough. Tables are opened when they are first asked about, each once, or by
    `check`.

    A noise that was found, or why there is none, is kept by what is inquiry: it depends on the policy, the ask and what
    is public, so whoever asks the same is told the same.
    """

    def __init__(
        self,
        policy: Policy,
        folder: Path = Path(),
        people: Mapping[str, TableLike] | None = None,
        ledger: str | None = None,
        compute: Compute = ready_of,
    ) -> None:
        """folder: what the policy's paths are relative to; people: by data set what is held of it, instead of where the
        policy says; ledger: instead of the policy's; compute: by which noises are found and priced, in place by
        default."""
        self.policy, self._folder = policy, folder
        address = ledger if ledger is not None else policy.ledger
        self.ledger = Ledger(address if "://" in address else folder / address)
        self._people = dict(people or {})
        for name in self._people:
            policy.data_set(name)
        self._engines = {data.name: Lock() for data in policy.data}
        self._distinct = DistinctTables(policy, folder, self._people)
        self._opened: dict[tuple[str, str], Opened] = {}
        self._compute, self._found = compute, Remembered()

    def session(self, analyst: str, data: str) -> "Session":
        """InputError for a data set that there is not, NotAllowed for an analyst who is none of its own."""
        return Session.at(self, analyst, data)

    def check(self) -> None:
        """Opens every table. InputError names what is not as the policy says: for the curator, not for analysts."""
        for data in self.policy.data:
            self.check_data(data)

    def check_data(self, data: DataSet) -> None:
        """Opens all its tables, and looks at everything that decides whether they can be asked: likewise. Refused where
        the ledger knows its table as another data set's."""
        for measure in data.measures:
            opened = self.opened(data, measure)
            opened.check_values()
        with suppress(TableChanged), opened.at_once():
            fingerprint, others = opened.fingerprint, opened.other_names()
            self.ledger.check_owner(Request(data.name, fingerprint, "", data.epsilon, others=others))
        self.budget(data.name)

    def advice_on_new_names(self, names: Sequence[str] | None = None) -> Iterator[str]:
        """Advice for the curator, of these data sets, by default all, that the ledger does not know, where it knows
        some that the policy does not have: the same people under another name have another budget."""
        there, history = [data.name for data in self.policy.data], self.ledger.history()
        for name in there if names is None else names:
            # A data set that was given another name in the policy, say with the year in it.
            if advice := new_name_advice(history, name, there):
                yield advice

    def advice_on_tables(self) -> Iterator[str]:
        """What is doubtful in the tables, for the curator alone: likely misspelt names, people with several rows, cells
        that are not like the others (`tables.check`)."""
        for data in self.policy.data:
            source = source_of(data, data.measures[0])
            for said in check_source(source, self._folder, table=self._people.get(data.name)).warnings:
                yield f"data {data.name}: {said.removeprefix('warning: ')}"

    def look(self) -> None:
        """Asks every table for a row: it raises where one does not answer, or is not as the policy says."""
        for data in self.policy.data:
            for measure in data.measures:
                self.opened(data, measure).look()

    def budget(self, name: str) -> Budget:
        """Of a data set: what there was, what all analysts together have spent, and what is left. InputError where the
        ledger gave it another budget than the policy says."""
        data = self.policy.data_set(name)
        delta = data.notion.promised_delta or 0.0
        found = self.ledger.budget(data.name)
        if not found.initial:
            return Budget(data.epsilon, 0.0, delta=delta)
        if found.initial != data.epsilon or found.delta != delta:
            given = f"{found.initial!r} at delta {found.delta!r}, what it was given in the ledger"
            raise InputError(f"data {data.name!r} notion", f"epsilon {data.epsilon!r} at delta {delta!r}", given)
        return found

    def opened(self, data: DataSet, measure: Measure) -> Opened:
        """The measure's table, opened again where what is public of it has changed. Who asks about another data set
        need not wait while it is opened. InputError where it is not what the policy says, or another data set has the
        same table; or where a version that is said to be frozen has changed: then it stays closed."""
        key = data.name, measure.name
        if (known := self.opened_now(data, measure)) is not None:
            return known
        engine = self._engines[data.name]
        with engine:
            # Whoever asks about another measure of the same data set waits; of another data set, nobody.
            there = self._opened.get(key)
            if there is None or not there.is_current():  # whoever is reading the old one goes on
                self._distinct.check(data.name)
                table = self._people.get(data.name)
                there = self._opened[key] = Opened(data, measure, self._folder, table, engine)
            check_frozen(self.ledger, there)
            return there

    def opened_now(self, data: DataSet, measure: Measure) -> Opened | None:
        """The same, without waiting for anybody: a table that is open, in a file to which nobody has written. None
        where that is not certain, or its bytes are to be compared."""
        there = self._opened.get((data.name, measure.name))
        return there if there is not None and not data.frozen and there.is_unwritten() else None

    def ready(self, opened: Opened, ask: Ask, analyst: str) -> Prepared:
        """What is asked, with its noise and what it costs; nothing of it looks at the values of the table. It raises
        again what it raised before, of the same ask. analyst: who has it computed."""
        inquiry = Inquiry(opened.data, opened.measure, opened.public, ask, analyst)
        return self._found.of(inquiry.key, lambda: self._compute(inquiry))

    def known(self, inquiry: Inquiry) -> Prepared | None:
        """The same where it was found before; None where it was not."""
        return self._found.known(inquiry.key)

    def keep(self, inquiry: Inquiry, found: Prepared | Exception) -> None:
        """Remembers what was found of an inquiry elsewhere, or why nothing was."""
        self._found.keep(inquiry.key, found)

    def close(self) -> None:
        """Lets go of the tables. They are opened again where something is asked."""
        while self._opened:
            _, opened = self._opened.popitem()
            opened.close()
        self.ledger.close()


@final
class Session:
    """What the policy lets an analyst do with a data set; many threads may use it at once.

    Everything that is decided before an answer is paid for depends on the policy, the ask, the ledger, and what is
    public of the table alone; its values are read afterwards (Theory, Result 9.13).
    """

    def __init__(
        self,
        people: TableLike | Mapping[str, TableLike] | None,
        policy: Policy | Path | str,
        analyst: str | None = None,
        data: str | None = None,
        ledger: str | None = None,
    ) -> None:
        """people: what the user holds of the data set, by name where there are several; None where the policy says
        where they are. policy: or the file it is in. analyst, data: may be left out where there is one. ledger: instead
        of the policy's. Paths are relative to the policy's file, or to the current folder.

        InputError where the tables are not what the policy says.
        """
        folder = Path() if isinstance(policy, Policy) else Path(policy).parent
        if not isinstance(policy, Policy):
            policy = read_policy(Path(policy))
        data = _only("data", data, [each.name for each in policy.data])
        tables = people if isinstance(people, Mapping) else {} if people is None else {data: people}
        self._sit(Curator(policy, folder, tables, ledger), analyst, data)
        self._curator.check_data(self.data)
        if self._curator.ledger.history().last is None:
            _LOG.warning("ledger %s is new: nothing was ever spent in it", self._curator.ledger.shown)
        for advice in self._curator.advice_on_new_names((data,)):
            _LOG.warning("%s", advice)

    @classmethod
    def at(cls, curator: Curator, analyst: str, data: str) -> "Session":
        """One of several of that curator."""
        found = cls.__new__(cls)
        found._sit(curator, analyst, data)
        return found

    def _sit(self, curator: Curator, analyst: str | None, data: str) -> None:
        self._curator = curator
        self.data = curator.policy.data_set(data)
        self.analyst = self.data.analyst(_only("analyst", analyst, [each.name for each in self.data.analysts]))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What this analyst may ask about."""
        return self.data.measures_of(self.analyst)

    @interruptible()
    def estimate(self, ask: Ask) -> Quote:
        """What asking would cost, and how precise the answer would be; nothing is written, and no value is read. Of an
        answer that the ledger has, neither the table is looked at nor anything computed.

        InputError, NotAllowed and Refused where `ask` would raise them.
        """
        done = self.repeated(ask)
        return self.quote(self._ready(ask)[1]) if done is None else free_quote(done)

    def quote(self, ready: Prepared) -> Quote:
        """The same of what is prepared already."""
        request = self.request(ready.cost.spec)
        done = self._curator.ledger.earlier(request)
        if done is not None:  # somebody who looks at the price of what they were told already
            return free_quote(replace(done, published=ready.restated(done.published)))
        own, budget = self._curator.ledger.afterwards(request, ready.cost)
        # As if asked without a name: whether some other analyst was answered this, so that the data set pays nothing.
        anyone = replace(request, analyst=None, cap=None)
        return quote_of(ready, False, budget, own, shared=self._curator.ledger.earlier(anyone) is not None)

    @interruptible()
    def ask(self, ask: Ask) -> Recorded:
        """The answer: it is debited first, and only then the table is read, in the state that it had before; or the one
        that the same question got before, for nothing.

        InputError for what cannot be asked, NotAllowed for what the policy does not allow, Overspent where a budget or
        a cap would be, Unreachable where the table cannot be read now: nothing is paid then. Failed where an answer
        could not be drawn: that is paid for.
        """
        for _ in range(3):
            with suppress(TableChanged):
                return self._paid(ask)
        # A table that is written to all the time, whose people are never the same for long enough.
        raise Unreachable("data", self.data.name, STILL)

    def repeated(self, ask: Ask) -> Recorded | None:
        """The answer that `ask` would give for nothing, where the ledger alone says it: neither the table is looked at
        nor anything computed. None where more than that is to be done. It raises what `ask` does."""
        request = self.plain_request(ask)
        found = None if request is None else self._curator.ledger.earlier(request)
        # Intervals of another confidence are computed, from the noise.
        return found if found is not None and found.states(ask.confidence) else None

    def plain_request(self, ask: Ask) -> Request | None:
        """What the ledger knows the ask by, where that hangs on nothing else; None of a distance, whose noise is part
        of what is asked, and hangs on the table's own people. It raises what the policy does not allow."""
        measure = self.data.allowed(self.analyst, ask.measure, ask.query)
        if ask.within is not None:
            return None
        return self.request(canonical(plain_spec(self.data, measure, ask)))

    def may_be_answered(self, request: Request) -> bool:
        """Whether the ledger may have an answer to it, as far as this process knows without a look at it."""
        return self._curator.ledger.may_have(request)

    def glanced(self, request: Request, confidence: float) -> Stored | None:
        """The answer of `repeated`, where nobody has to be waited for to see it; None elsewhere."""
        found = self._curator.ledger.glanced(request)
        return found if found is not None and found.states(confidence) else None

    def budget(self) -> Budgets:
        """What there was, what is spent, and what is left."""
        budget = self._curator.budget(self.data.name)
        return Budgets(self._curator.ledger.budget(self.data.name, self.analyst.name, self._cap), budget)

    def history(self) -> tuple[Paid, ...]:
        """The answers that this analyst got, with their certificates."""
        return answers_learned(self._curator.ledger.history(), self.data.name, self.analyst.name)

    @property
    def _cap(self) -> float:
        """Without one of their own an analyst may be told all that the data set has."""
        return self.data.epsilon if self.analyst.epsilon is None else self.analyst.epsilon

    def inquiry(self, ask: Ask) -> tuple[Opened, Inquiry]:
        """The table that is asked, opened, and all that its noise hangs on. It raises what `ask` does before anything
        is computed; what is refused hangs on what is public alone."""
        measure = self._served(ask)
        with reading_table(self.data.name):
            opened = self._curator.opened(self.data, measure)
        return opened, Inquiry(self.data, measure, opened.public, ask, self.analyst.name)

    def inquiry_now(self, ask: Ask) -> tuple[Opened, Inquiry] | None:
        """The same, without waiting for anybody; None where the table would have to be asked."""
        measure = self._served(ask)
        opened = self._curator.opened_now(self.data, measure)
        return None if opened is None else (opened, Inquiry(self.data, measure, opened.public, ask, self.analyst.name))

    def _served(self, ask: Ask) -> Measure:
        """The measure that is asked about. NotAllowed and InputError for what may not be asked."""
        measure = self.data.allowed(self.analyst, ask.measure, ask.query)
        check_served(self.data, measure, ask)
        return measure

    def _ready(self, ask: Ask) -> tuple[Opened, Prepared]:
        """All that can be refused is refused here, before anything is paid for."""
        opened, _ = self.inquiry(ask)
        try:
            return opened, self._curator.ready(opened, ask, self.analyst.name)
        except (OverflowError, ZeroDivisionError):  # before anything is paid for, whatever is in the table
            raise not_computable(ask) from None

    def _paid(self, ask: Ask) -> Recorded:
        """TableChanged where what is public of the table changes meanwhile: nothing is paid then."""
        opened, ready = self._ready(ask)
        attempts: list[Attempt[Recorded]] = []
        purchase = Purchase(self.request(ready.cost.spec), ready)
        pay(self._curator.ledger, opened, [purchase], lambda _, found: attempts.append(found))
        return attempts[0].result()

    def request(self, spec: str) -> Request:
        """Without the bytes, of which nothing is to depend before it is paid for."""
        # The budget is the name's: the same people saved again are asked on the same one.
        return Request(
            self.data.name,
            "",
            spec,
            self.data.epsilon,
            insisted=True,
            new_data=True,
            delta=self.data.notion.promised_delta or 0.0,
            insisted_delta=True,
            analyst=self.analyst.name,
            cap=self._cap,
            version=self.data.version,
            frozen=self.data.frozen,
        )


def not_computable(ask: Ask) -> InputError:
    """The refusal of an ask whose numbers are beyond doubles."""
    return InputError("ask", ask.model_dump_json(exclude_none=True), _COMPUTABLE)


def _only(key: str, name: str | None, names: Sequence[str]) -> str:
    """InputError where it is left out and there are several."""
    if name is None and len(names) > 1:
        raise InputError(key, "missing", f"one of {', '.join(names)}")
    return names[0] if name is None else name
