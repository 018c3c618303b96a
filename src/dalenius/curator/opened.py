"""A measure with its table, and an ask of it as far as it may go before it is paid for: that hangs on what is public
alone, so that it may be found anywhere, in another process too."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final, TypeAlias, final

from dalenius.calibration import Calibration
from dalenius.channel import Release
from dalenius.curator.certificate import NoiseCertificate, PolicyCertificate, without_witness
from dalenius.curator.noised import Prepared, noise_within, prepared
from dalenius.curator.policy import Ask, DataSet, Measure
from dalenius.curator.policy.ask import TOGETHER, too_many
from dalenius.curator.policy.measure import check_model
from dalenius.curator.policy.named import parts_of
from dalenius.errors import InputError, Unreachable
from dalenius.models import Model
from dalenius.models.model import Composition, Readable
from dalenius.spec import Spec, canonical, check_labels, check_values, slots_of, true_answer
from dalenius.tables import WRITTEN, Held, People, Source, from_here, open_people
from dalenius.tallies import LeftOut

TRIES: Final = 3
"""How often a table is read where it is written to meanwhile, or its connection is lost."""


@final
class Moved(Exception):
    """What is public of the table is another by now: what was computed for it may hold no more."""


@final
@dataclass(frozen=True)
class Public:
    """What the policy takes for public of a table, and all that prices may hang on: how many people there are, of which
    labels, and, of models that read it, who lives with whom; and the model of these people."""

    size: int
    labels: Mapping[str, int]
    homes: Mapping[Composition, int]
    model: Model = field(compare=False)

    @cached_property
    def digest(self) -> str:
        """SHA-256."""
        found = self.size, sorted(self.labels.items()), sorted(self.homes.items())
        return sha256(repr(found).encode()).hexdigest()


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


def source_of(data: DataSet, measure: Measure) -> Source:
    """The data set's, with the measure as its value."""
    source = measure.source_in(data.source)
    household = next(iter(measure.belief.household_columns), source.household)
    return source.altered({"name": data.name, "household": household})


@final
@dataclass(frozen=True)
class Asked:
    """All that decides it. source: with the measure as its value; public: of the table; analyst: who has it computed,
    on whom nothing of it hangs."""

    data: DataSet
    measure: Measure
    source: Source
    public: Public
    ask: Ask
    analyst: str


@final
@dataclass(frozen=True)
class Ready:
    """spec: what is asked, in one canonical text; prepared: its noise and its cost."""

    spec: str
    prepared: Prepared


Compute: TypeAlias = Callable[[Asked], Ready]


def ready_of(asked: Asked) -> Ready:
    """InputError and Refused where it cannot be asked; OverflowError or ZeroDivisionError where its numbers are too
    large or too small to compute with."""
    data, measure, ask = asked.data, asked.measure, asked.ask
    spec = _spec(asked)
    text, promises = canonical(spec), spec.all_promises()

    def certify(calibration: Calibration) -> PolicyCertificate:
        shown = calibration if {"people", "households"} <= set(data.public) else without_witness(calibration)
        own = NoiseCertificate(promises, asked.public.size, spec, shown)
        return PolicyCertificate(promises, asked.public.size, spec, own, data, measure, ask.query)

    release, terms = _release(asked, spec), (data.accept_unsound, data.method)
    return Ready(text, prepared(release, promises, text, certify, False, ask.confidence, *terms))


def spec_text(data: DataSet, measure: Measure, source: Source, ask: Ask) -> str | None:
    """What is asked, as `Ready` says it, where nothing has to be computed for it; else None."""
    return None if ask.within is not None else canonical(_plain(data, measure, source, ask))


def _plain(data: DataSet, measure: Measure, source: Source, ask: Ask) -> Spec:
    share = data.epsilon if ask.epsilon is None else ask.epsilon
    return Spec(model=measure.belief, query=ask.query, noise=ask.noise, notion=data.promised(share), data=source)


def _spec(asked: Asked) -> Spec:
    """Its noise is complete unless its share of the budget is to find it."""
    spec, ask = _plain(asked.data, asked.measure, asked.source, asked.ask), asked.ask
    if ask.within is None:
        return spec
    return spec.altered({"noise": noise_within(_release(asked, spec), ask.within, ask.confidence)})


def _release(asked: Asked, spec: Spec) -> Release:
    """InputError for more answers at once than are computed: how many of several queries hangs on the labels too."""
    found = spec.altered({"model": asked.public.model}).calibrated()
    if parts_of(asked.ask.query) > 1 and len(found.names) > TOGETHER:
        raise InputError("ask.query", asked.ask.query.kind, too_many(len(found.names)))
    return found
