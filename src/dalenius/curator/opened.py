"""A measure with its table: what is read of it at once, and what only after it is paid for."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import final

from dalenius.channel import Release
from dalenius.curator.policy import DataSet, Measure
from dalenius.curator.policy.values import check_model
from dalenius.errors import InputError
from dalenius.models import Model
from dalenius.models.model import Composition, Readable
from dalenius.spec import true_answer
from dalenius.tables import WRITTEN, Held, People, Source, from_here, open_people
from dalenius.tallies.leave_one_out import LeftOut


@final
class Opened:
    """On opening only what the policy takes for public is kept of the table: how many people there are, and who lives
    with whom, of models that read it. The values are read by `answer`, which is for what has been paid for. Both are of
    one state of the table: where others write to it meanwhile there is no answer.

    One thread at a time is in the engine of a data set.
    """

    def __init__(self, data: DataSet, measure: Measure, folder: Path, held: Held | None, engine: Lock) -> None:
        """engine: held by whoever makes it."""
        self.data, self.measure = data, measure
        self.source = _source(data, measure)
        self._engine = engine
        with ExitStack() as until:
            self._people = open_people(self.source, folder, None if held is None else from_here(held), until)
            try:
                self._marks = self._people.marks(first=True)
                self.size = self._people.count()
                self.fingerprint = self._people.fingerprint()
                self.model = measure.belief.bound(_Public(self._people))
                _check(self.model, measure, self.size)
            except BaseException:
                self._people.close()
                raise

    def is_current(self) -> bool:
        """Whether its tables are as they were opened: another's people may live together otherwise, and what is paid
        would be written down for the wrong ones. Not where one does not answer. For whoever holds the engine."""
        try:
            return self._people.unwritten(self._marks)
        except InputError:
            return False

    def answer(self, release: Release) -> tuple[int, ...]:
        """The exact answer, in lattice steps. InputError where the table is not what the model describes, or has been
        written since it was opened."""
        with self._engine, self._people.at_once():
            found = true_answer(release, self._people)
            if not self._people.unwritten(self._marks):
                raise InputError("data", self.data.name, WRITTEN)
        return found

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


@final
class _Public(Readable):
    """What a model may read of the table before anything is paid for."""

    def __init__(self, people: People) -> None:
        self._people = people

    def compositions(self) -> Mapping[Composition, int]:
        return self._people.compositions()

    def left_out(self, one_by_one: bool) -> LeftOut:
        raise InputError("model.kind", "absent", "a model that reads no answers: nothing is read before it is paid for")


def _source(data: DataSet, measure: Measure) -> Source:
    source = measure.source_in(data.source)
    household = next(iter(measure.belief.household_columns), source.household)
    return source.altered({"name": data.name, "household": household})


def _check(model: Model, measure: Measure, size: int) -> None:
    """InputError where the model is of other people, or of other values than what is declared allows."""
    key = f"measure {measure.name!r} model"
    check_model(model, measure, key)
    for belief in model.joints():
        people = sum(stratum.people for stratum in belief.strata())
        if people != size:
            raise InputError(key, f"of {people} people", f"{size}, as many as the table has")
