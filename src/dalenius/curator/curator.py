"""A curator: a policy, its tables and its ledger.

A hospital's service has one curator for all analysts. It opens each table once and remembers every noise that it found,
so that the same question gets the same answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, final

from dalenius.curator.analyst_question import source_of
from dalenius.curator.budgets import Request, new_name_advice
from dalenius.curator.cost_of_releases import Budget
from dalenius.curator.data_set_policy import DataSet, Measure
from dalenius.curator.distinct_tables import DistinctTables
from dalenius.curator.inquiry import Compute, Inquiry, PolicyAsk, Public, ready_of
from dalenius.curator.ledger import Ledger
from dalenius.curator.opened_table import Opened, Remembered, TableChanged
from dalenius.curator.policy import Policy
from dalenius.curator.prepared_release import Ready
from dalenius.curator.purchases import check_frozen
from dalenius.errors import InputError
from dalenius.tables import TableLike
from dalenius.tables.check import check_conditions, check_source

if TYPE_CHECKING:
    from dalenius.curator.session import Session


@final
@dataclass(frozen=True)
class Seen:
    """The public facts of a table, as they were read.

    Attributes:
        public: The facts.
        since: When the table was first read with just these facts. A write that changes none of them leaves it as it
            is, so that the time says nothing of anybody's values.
    """

    public: Public
    since: datetime


@final
class Curator:
    """A policy with its tables and its ledger, from which analysts get sessions.

    It is safe for threads; one in a process is enough. Each table is opened once, by `check` or when it is first asked
    about. The noise that was found (or the reason for a refusal) is cached under the inquiry. It depends on the policy,
    the ask and public facts alone, so the same ask gets the same noise.

    Args:
        policy: What analysts may ask, and of which data sets.
        folder: The folder that the policy's paths are relative to; by default the current one.
        people: The tables that you hold, by the data set's name. None, the default, and every name that is not in it,
            means the place that the policy says.
        ledger: The path or the URL of the ledger. None, the default, means the policy's.
        compute: The function by which noises are found and priced; by default they are computed in place.

    Raises:
        InputError: For a name in `people` that is no data set's, and for a `ledger` that is no path and no such URL.

    Example:
        >>> from dalenius.curator.policy import Policy
        >>> homes = {"kind": "households", "by": "home", "epidemic": {"community": 0.06, "household": 0.35}}
        >>> ill = {"name": "ill", "value": {"column": "ill", "equals": 1}, "model": homes}
        >>> town = {"name": "town", "source": {"file": "people.csv"}, "measures": [ill], "analysts": [{"name": "ana"}]}
        >>> policy = Policy(data=[{**town, "notion": {"kind": "inferential", "epsilon": 1.0}}])
        >>> curator = Curator(policy)
        >>> [each.name for each in curator.session("ana", "town").measures]
        ['ill']
    """

    def __init__(
        self,
        policy: Policy,
        folder: Path | str = Path(),
        people: Mapping[str, TableLike] | None = None,
        ledger: str | None = None,
        compute: Compute = ready_of,
    ) -> None:
        folder = Path(folder)
        self.policy, self._folder = policy, folder
        address = ledger if ledger is not None else policy.ledger
        self.ledger = Ledger(address if "://" in address else folder / address)
        self._people = dict(people or {})
        for name in self._people:
            policy.data_set(name)
        self._engines = {data.name: Lock() for data in policy.data}
        self._distinct = DistinctTables(policy, folder, self._people)
        self._opened: dict[tuple[str, str], Opened] = {}
        self._seen: dict[tuple[str, str], Seen] = {}
        self._compute, self._found = compute, Remembered()

    def session(self, analyst: str, data: str) -> "Session":
        """Begin a session of an analyst with a data set.

        Args:
            analyst: The analyst's name in the policy.
            data: The data set's name in the policy.

        Returns:
            The session, in which the analyst asks.

        Raises:
            InputError: For a data set that the policy does not have.
            NotAllowed: For an analyst who may not ask about it.
        """
        # A session makes a curator of its own where it is given none: each needs the other.
        from dalenius.curator.session import Session

        return Session.at(self, analyst, data)

    def check(self) -> None:
        """Open every table. InputError, for the curator and not for analysts, names what is not as the policy says."""
        for data in self.policy.data:
            self.check_data(data)

    def check_data(self, data: DataSet) -> None:
        """Open the tables of a data set, and check everything that decides whether they can be asked.

        Args:
            data: A data set of the policy.

        Raises:
            InputError: For the curator, not for analysts: it names what is not as the policy says.
            Refused: Where the ledger knows its table as another data set's.
        """
        for measure in data.measures:
            opened = self.opened(data, measure)
            opened.check_values()
            if measure is data.measures[0]:  # one look is enough: all measures are of one table
                opened.check_learned()
        self.check_owner(opened)
        self.budget(data.name)

    def check_owner(self, opened: Opened) -> None:
        """Raise OthersBytes where the ledger knows a table as another data set's.

        Args:
            opened: The open table.
        """
        data = opened.data
        with suppress(TableChanged), opened.at_once():
            fingerprint, others = opened.fingerprint, opened.other_names()
            self.ledger.check_owner(Request(data.name, fingerprint, "", data.epsilon, others=others))

    def advice_on_new_names(self, names: Sequence[str] | None = None) -> Iterator[str]:
        """Advise the curator of data sets that are new to the ledger, where it knows some that the policy lacks.

        They may be the same people under another name, who would have another budget.

        Args:
            names: The names of the data sets to advise about. None, the default, means all.

        Returns:
            The advice, one line for each such data set.
        """
        there, history = [data.name for data in self.policy.data], self.ledger.history()
        for name in there if names is None else names:
            # A data set that was given another name in the policy, say with the year in it.
            if advice := new_name_advice(history, name, there):
                yield advice

    def advice_on_tables(self) -> Iterator[str]:
        """Advise the curator alone of what is doubtful in the tables, in lines (`tables.check`).

        Examples are names that are likely misspelt, people with several rows, and cells that are not like the others.
        """
        for data in self.policy.data:
            table = self._people.get(data.name)
            first, *others = (source_of(data, measure) for measure in data.measures)
            said = list(check_source(first, self._folder, table=table).warnings)
            for source in others:
                said += (each.line for each in check_conditions(source, self._folder, table))
            for line in dict.fromkeys(said):
                yield f"data {data.name}: {line.removeprefix('warning: ')}"

    def look(self) -> None:
        """Ask every table for a row; raise an error where one does not answer, or is not as the policy says."""
        for data in self.policy.data:
            for measure in data.measures:
                self.opened(data, measure).look()

    def budget(self, name: str) -> Budget:
        """Look up the budget of a data set.

        Args:
            name: The data set's name.

        Returns:
            What there was, what all analysts together have spent, and what is left, in nats.

        Raises:
            InputError: Where the ledger gave the data set another budget than the policy says.
        """
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
        """Open a measure's table, again where its public facts have changed.

        Questions about another data set need not wait while it is opened.

        Args:
            data: A data set of the policy.
            measure: One of its measures.

        Returns:
            The open table.

        Raises:
            InputError: Where the table is not what the policy says, or another data set has the same table. Also where
                a version that is said to be frozen has changed: then it stays closed.
        """
        key = data.name, measure.name
        if (known := self.opened_now(data, measure)) is not None:
            return known
        engine = self._engines[data.name]
        with engine:
            # Only questions about another measure of this data set wait, and none about another data set.
            there = self._opened.get(key)
            if there is None or not there.is_current():  # readers of the old one go on
                self._distinct.check(data.name)
                table = self._people.get(data.name)
                there = self._opened[key] = Opened(data, measure, self._folder, table, engine)
                before = self._seen.get(key)
                if before is None or before.public != there.public:
                    self._seen[key] = Seen(there.public, datetime.now(UTC))
            check_frozen(self.ledger, there)
            return there

    def seen(self, data: DataSet, measure: Measure) -> Seen | None:
        """Look up the public facts of a measure's table, as they were last read; nothing is read for it.

        Args:
            data: A data set of the policy.
            measure: One of its measures.

        Returns:
            The facts and since when they hold; None where the table was not opened yet.
        """
        return self._seen.get((data.name, measure.name))

    def opened_now(self, data: DataSet, measure: Measure) -> Opened | None:
        """Find a measure's table without waiting for anybody, if it is open and nobody has written to its file.

        Args:
            data: A data set of the policy.
            measure: One of its measures.

        Returns:
            The open table; None where that is not certain, or where its bytes are to be compared.
        """
        there = self._opened.get((data.name, measure.name))
        return there if there is not None and not data.frozen and there.is_unwritten() else None

    def ready(self, opened: Opened, ask: PolicyAsk, analyst: str) -> Ready:
        """Prepare an ask: find its noise and its price, without a look at the values of the table.

        Args:
            opened: The open table.
            ask: The ask.
            analyst: The name of the analyst who has it computed.

        Returns:
            The prepared release. Nothing of it is drawn. For the same ask an earlier error is raised again.
        """
        inquiry = Inquiry(opened.data, opened.measure, opened.public, ask, analyst)
        return self._found.of(inquiry.key, lambda: self._compute(inquiry))

    def known(self, inquiry: Inquiry) -> Ready | None:
        """Look up a release that was prepared before.

        Args:
            inquiry: The ask with everything that decides its noise.

        Returns:
            The prepared release; None where it was not found before.
        """
        return self._found.known(inquiry.key)

    def keep(self, inquiry: Inquiry, found: Ready | Exception) -> None:
        """Remember what was found elsewhere, such as in another process.

        Args:
            inquiry: The ask with everything that decides its noise.
            found: The prepared release, or the error that says why there is none.
        """
        self._found.keep(inquiry.key, found)

    def close(self) -> None:
        """Close the tables and the ledger. A table is opened again when something is asked."""
        while self._opened:
            _, opened = self._opened.popitem()
            opened.close()
        self.ledger.close()
