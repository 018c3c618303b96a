"""A data set opened under its policy: its people, its model, what it may be asked, and what was found of it.

Say a hospital's table of 200 people in 70 households is opened. The 200, the sizes of households and how many people
each label has are public, and are kept. Illness is not, and is read when somebody has paid for an answer. While the
table is open a nurse adds a patient: the next look finds 201 people, and what was computed of 200 is computed anew.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from fractions import Fraction
from functools import cached_property
from math import inf
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, Final, final

from dalenius.channel import Release
from dalenius.curator.analyst_question import source_of
from dalenius.curator.cost_of_releases import Convert, Converting
from dalenius.curator.data_set_policy import DataSet, Measure, TooHeavy
from dalenius.curator.inquiry import Public
from dalenius.curator.learned_release import cells_of
from dalenius.curator.limits import HEAVY
from dalenius.curator.modelled_values import check_model
from dalenius.curator.practice import PracticeTable
from dalenius.curator.prepared_release import Ready
from dalenius.errors import DaleniusError, InputError
from dalenius.households_left_out import HouseholdsLeftOut
from dalenius.joints import count_people
from dalenius.left_out import LeftOut
from dalenius.models.model import Composition, Readable
from dalenius.noise import Geometric
from dalenius.queries import Query
from dalenius.tables import (
    WRITTEN,
    People,
    TableLike,
    check_labels,
    check_table_values,
    from_here,
    open_people,
    slots_of,
    true_answer,
)

# Queries of which the scores of these people are kept.
QUERIES_KEPT: Final = 256


@final
class TableChanged(Exception):
    """The signal that the public facts of the table have changed: what was computed for it may hold no more.

    Nothing was paid; the catching code opens the table anew.
    """


@final
class Opened:
    """An opened table. Only its public parts are kept.

    The values are read by `answer`, which is for what has been paid for, within `at_once`: from before the debit on all
    is of one state of a database, whatever is written to it. One thread at a time is in the engine of a data set.
    """

    def __init__(self, data: DataSet, measure: Measure, folder: Path, people: TableLike | None, engine: Lock) -> None:
        """Opens the table; engine: the lock that the calling thread holds."""
        self.data, self.measure = data, measure
        self._engine = engine
        self._fingerprint: str | None = None
        self._tally: Mapping[tuple[str, Fraction | str], int] | None = None
        self._bare: dict[str, Release] = {}
        self._closed = False
        self._lock = Lock()
        read = None if people is None else from_here(people)
        # So that all that is public is read of one state, however many queries that takes.
        with ExitStack() as until:
            self._people = open_people(source_of(data, measure), folder, read, until, True, data.read_to_learn)
            try:
                self._mark = self._people.first_mark()
                self.public = self._found(self._people.size)
            except BaseException:
                self._people.close()
                raise

    @property
    def fingerprint(self) -> str:
        """Returns the fingerprint of the table, as its mark is; for the thread that holds the engine."""
        if self._fingerprint is None:
            self._fingerprint = self._people.fingerprint()
        return self._fingerprint

    def is_unwritten(self) -> bool:
        """Says whether it is in a file, or a copy, to which nobody has written: told without the engine."""
        return not self._closed and not self._people.in_database and self._people.unwritten(self._mark)

    def other_names(self) -> tuple[str, ...]:
        """Returns the fingerprints of the same people under other names of a DuckDB file; for the engine's thread."""
        return self._people.other_names()

    def is_current(self) -> bool:
        """Says whether what is public is as it was opened; not where the table does not answer.

        Other people may live together otherwise, and another price be due. It is for the thread that holds the engine.
        """
        try:
            with self._people.at_once():
                self._look_again()
        except (InputError, TableChanged):
            return False
        return True

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Makes all that is read until it is left be of one state of the table, in databases that have transactions.

        TableChanged where what is public is not as it was opened; InputError where a row is none, or the table is
        locked.
        """
        with self._engine, self._people.at_once():
            self._forget_values()
            try:
                self._look_again()
                yield
            finally:
                self._forget_values()

    def answer(self, release: Release) -> tuple[int, ...]:
        """Returns the exact answer to `release`, in lattice steps, within `at_once`.

        The values are counted for the first answer: of a database until `at_once` is left, of a file, or a copy, as
        long as nobody has written to it. InputError where the table is not what the model describes, has been written
        since, or is not reached any more.
        """
        if self._tally is None or not self._people.in_database:
            tally = self._people.tally() if self._tally is None else self._tally
            if not self._people.unwritten(self._mark):
                raise InputError("data", self.data.name, WRITTEN)
            self._tally = tally
        return true_answer(release, self._people, self._tally)

    def cells(self, columns: Sequence[str]) -> Mapping[str, Sequence[Any]]:
        """Returns the cells of the columns, in the order of the rows, within `at_once`.

        InputError where a column or a cell is missing, and where the table has been written since.
        """
        found = cells_of(self._people.part, columns)
        if not (self._people.in_database or self._people.unwritten(self._mark)):
            raise InputError("data", self.data.name, WRITTEN)
        return found

    def check_learned(self) -> None:
        """Raises InputError, for the curator alone, where the table is not what can be learned from."""
        largest = max((size for size in map(_size, self.public.homes)), default=1)
        for each in self.data.learned:
            said = each.dependence.size
            if said is not None and said < largest:
                wanted = f"at least {largest}, as many as the largest household has"
                raise InputError(f"learned {each.name!r} dependence.size", said, wanted)
            with self._engine:
                each.query.arguments(self.cells(each.query.read))

    def bare(self, query: Query) -> Release:
        """Returns the query of these people, with noise that is to be replaced.

        What was computed of it is shared by all releases that are made of it.
        """
        key = query.model_dump_json()
        with self._lock:
            found = self._bare.pop(key, None)
        if found is None:
            found = Release(self.public.model, query, Geometric())
        with self._lock:
            self._bare[key] = found
            while len(self._bare) > QUERIES_KEPT:
                del self._bare[next(iter(self._bare))]
        return found

    @cached_property
    def convert(self) -> Convert:
        """Returns the conversion of losses under the model of these people; what it found is remembered."""
        return Converting(self.public.model)

    @cached_property
    def practice(self) -> PracticeTable:
        """Returns a table to practise on, of as many people as this one: none of its values is in it."""
        return PracticeTable(self.public.model, f"{self.data.name}/{self.measure.name}/{self.data.version}")

    def check_values(self) -> None:
        """Raises InputError, for the curator alone, where rows have values that no model has: answers would fail."""
        with self._engine:
            tally = self._people.tally()
        for belief in self.public.model.joints():
            check_table_values(self._people, tally, slots_of(belief.strata()))

    def look(self) -> None:
        """Asks the engine for one row and keeps nothing of it; does nothing if somebody is in the engine anyway.

        It raises what the engine does.
        """
        if self._engine.acquire(blocking=False):
            try:
                self._people.rows.limit(1).to_pyarrow()
            finally:
                self._engine.release()

    def close(self) -> None:
        """Closes the table, after other threads have left the engine."""
        with self._engine:
            self._closed = True
            self._people.close()

    def _forget_values(self) -> None:
        """Forgets the values of a database, which may hold others when it is next asked."""
        if self._people.in_database:
            self._tally = None

    def _look_again(self) -> None:
        """Raises TableChanged where what is public has changed since, or what was read of a file; no more matters."""
        mark = self._people.mark()
        # An equal mark is of a file that nobody has written to; tables that do not say when they were have none.
        if mark != () and mark == self._mark:
            return
        if not self._people.in_database or self._found(self._people.count_again()) != self.public:
            raise TableChanged
        self._mark, self._fingerprint, self._tally = mark, None, None

    def _found(self, size: int) -> Public:
        """Returns the public facts; InputError where the model is of other people, or of other values than declared."""
        people, measure = self._people, self.measure
        key = f"measure {measure.name!r} model"
        # Because the model is of the people that there are, homes are read from the table, and labels must be those of
        # the model.
        reading, labels = _Reading(people), dict(people.labelled())
        model = measure.model.bound(reading)
        check_model(model, measure, key)
        if self.data.schedule is not None:
            self.data.schedule.check_model(model, key)
        for belief in model.joints():
            modelled = count_people(belief)
            # If a policy says n = 40 for a table of 41, every answer would be paid for, and then fail.
            if modelled != size:
                raise InputError(key, f"of {modelled} people", f"{size}, as many as the table has")
            check_labels(belief.strata(), labels)
        return Public(size, labels, reading.homes, model)


def _size(home: Composition) -> int:
    """Returns how many members a household has."""
    return sum(members for _, members in home)


@final
class _Reading(Readable):
    """The table as a model may read it before anything is paid for."""

    def __init__(self, people: People) -> None:
        self._people = people
        self.homes: Mapping[Composition, int] = {}

    def compositions(self) -> Mapping[Composition, int]:
        self.homes = self._people.compositions()
        return self.homes

    def left_out(self, one_by_one: bool) -> LeftOut:
        raise InputError("model.kind", "absent", "a model that reads no answers: nothing is read before it is paid for")

    def households_left_out(self, whole: float) -> HouseholdsLeftOut:
        raise InputError("model.kind", "absent", "a model that reads no answers: nothing is read before it is paid for")


@final
class Remembered:
    """Noises that were found, or why there is none; safe for threads. What was asked last is kept longest.

    A question that is estimated and then asked has its noise found once; and one that takes too long is refused at once
    if it is repeated, for ten minutes.
    """

    def __init__(self, most: int = 4096, clock: Callable[[], float] = monotonic) -> None:
        self._most, self._clock, self._lock = most, clock, Lock()
        self._kept: dict[Hashable, tuple[Ready | Exception | None, float]] = {}

    def of(self, key: Hashable, find: Callable[[], Ready]) -> Ready:
        """Returns what `find` returns, or raises for the ask; for a `key` that it was called for, what it was then."""
        known = self.known(key)
        if known is not None:
            return known
        try:
            found = find()
        except (DaleniusError, ArithmeticError) as error:
            self.keep(key, error)
            raise
        self.keep(key, found)
        return found

    def known(self, key: Hashable) -> Ready | None:
        """Returns what was found for that `key`, or raises what was raised then; None where nothing was."""
        with self._lock:
            found, until = self._kept.pop(key, (None, inf))
            if found is None or self._clock() >= until:
                return None
            self._kept[key] = found, until  # the last one asked for at the end
        if isinstance(found, Exception):
            raise copy(found)  # each with a trace of its own
        return found

    def keep(self, key: Hashable, found: Ready | Exception) -> None:
        """Remembers what was `found` for a `key`; of errors those that are of the ask, and not of the machine."""
        if isinstance(found, Exception):
            if not isinstance(found, DaleniusError | ArithmeticError):
                return
            found = copy(found).with_traceback(None)  # which would keep all that it was computed from
        until = self._clock() + HEAVY if isinstance(found, TooHeavy) else inf
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = found, until
            while len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
