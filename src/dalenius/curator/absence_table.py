"""A table of everybody whom the adversary knows, for questions about any of its columns, and who is absent from it."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, final

from dalenius.absent.rounded_answers import RoundedAnswers, rounded
from dalenius.arrays import IntArray
from dalenius.curator.budgets import Request
from dalenius.curator.hash_chained_entries import History
from dalenius.curator.ledger import Ledger
from dalenius.curator.ledger_of_request import ledger_path
from dalenius.errors import InputError, Refused
from dalenius.households_left_out import candidates_of, without_households
from dalenius.queries import AnyQuery
from dalenius.spec.condition import Condition, Conditions
from dalenius.spec.data_section import Source
from dalenius.tables import WRITTEN, People, TableLike, open_people
from dalenius.tables.who_is_absent import absent_rows, households_in_order, in_order

_ONE = "one row that says who is absent"


@final
class AbsenceTable:
    """The table, opened anew for each column that is asked; it must stay as it was when it was first opened.

    Attributes:
        source: The `[data]` section, with `absent`.
        name: The name of the data set.
        people: How many people the table has, the absent one included.
        households: The households, or members, who may be absent; None where any one person may be.
        candidates: How many people, or households, may be absent.
        absent: The number, from 0, of the candidate who is absent.
        fingerprint: A hash of the table's content and of who is absent: together they decide every answer.
        others: The fingerprint of the content alone, and those that it has under other names.
        path: The file; None where the table is in none.
    """

    def __init__(self, source: Source, folder: Path, table: TableLike | None, whole: float) -> None:
        """Opens the table, and reads who is absent.

        Args:
            source: The `[data]` section.
            folder: The folder that paths are relative to.
            table: A table instead of the one that the section names; None for the section's own.
            whole: The probability that a whole household is absent, if the section names a column of households.
        """
        # Because a table of everybody does not hold the answer: without this, nobody knows which one is true.
        if source.absent is None:
            raise InputError("data.absent", "missing", "the column, or the condition, that says who is absent")
        self.source, self._folder, self._table = source, folder, table
        self._content: str | None = None
        with self._opened(source.absent) as people:
            self.name, self.people, self.path, self.shown = people.name, people.size, people.path, people.shown
            rows = absent_rows(people)
            self.households = None if source.household is None else candidates_of(households_in_order(people), whole)
            self.absent = self._candidate(rows)
            self.candidates = self.people if self.households is None else self.households.count
            self._content = people.fingerprint()
            self.others = (self._content, *people.other_names())
        self.fingerprint = sha256(f"absent {rows.tolist()} of {self._content}".encode()).hexdigest()
        self.answers = lru_cache(64)(self._answers)

    def _candidate(self, rows: IntArray) -> int:
        """Returns the number of the candidate who is absent; InputError unless the rows are one candidate."""
        if self.households is not None:
            return self.households.named(rows)
        if len(rows) != 1:
            raise InputError("data.absent", f"{len(rows)} rows", _ONE)
        return int(rows[0])

    def _answers(self, query: AnyQuery, value: str | Condition | Conditions) -> RoundedAnswers:
        """Returns the answers without each person, in steps of a lattice.

        Args:
            query: The query.
            value: The column that is asked, or a condition on one.
        """
        with self._opened(value) as people:
            tally = in_order(people)
            if self.households is None:
                return rounded(query.left_out(tally))
            return rounded(without_households(tally, self.households, query.left_out).left_out)

    @contextmanager
    def _opened(self, value: str | Condition | Conditions) -> Iterator[People]:
        """Opens the table with the column `value`; InputError where it is not the table that it was."""
        changes: dict[str, Any] = {"absent": None}
        if value != self.source.value:
            changes |= {"value": value, "lower": None, "upper": None, "step": None}
        source = self.source.altered(changes)
        with ExitStack() as until:
            people = open_people(source, self._folder, self._table, until, marked=True)
            mark = people.first_mark()
            yield people
            # Because beliefs are about one table: the next answer would be about another.
            if not people.unwritten(mark) or self._content not in (None, people.fingerprint()):
                raise InputError("data", people.shown, WRITTEN)

    def asked(self, value: str | Condition | Conditions | Mapping[str, Any]) -> Source:
        """Returns the `[data]` section of a question about a column, without who is absent and the table's place.

        The section's own column keeps its range and step.

        Args:
            value: The column, or a condition on one.
        """
        found = Source(name=self.source.name, value=value)
        keys = ("lower", "upper", "step") if found.value == self.source.value else ()
        return found.altered({key: getattr(self.source, key) for key in ("label", "household", *keys)})

    def check_known(self, history: History) -> None:
        """Raises Refused where the ledger knows answers about another table of this name, or another absent person.

        Args:
            history: The entries of the ledger.
        """
        known = history.fingerprints(self.name)
        if known and self.fingerprint not in known:
            said = "its table, or who is absent from it, is not that of the answers in the ledger"
            raise Refused(f'data set "{self.name}": {said}; other data have another [data] name')

    def request(self, spec: str, budget: float, after: int) -> Request:
        """Makes the ledger's request of a question.

        Args:
            spec: The question, in one canonical text.
            budget: The promise, in nats.
            after: How many debits the price takes into account.
        """
        return Request(self.name, self.fingerprint, spec, budget, True, others=self.others, after=after)

    def ledger(self, given: Path | str | None) -> Ledger:
        """Returns the ledger: the one that is given, or the one beside the file."""
        if given is not None:
            return Ledger(given)
        if self.path is None:
            raise InputError("ledger", "missing", "where spending is recorded, as the data are in no file")
        return Ledger(ledger_path(self.path, self.request("", 0.0, 0)))
