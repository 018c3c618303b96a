"""From a spec to answers in the ledger: read the table, ask the ledger, calibrate, debit, draw, certify; or what
it would cost."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Final, final

from dalenius.calibration import CONFIDENCE, Calibration, half_widths
from dalenius.certificates import INTERVALS_ONLY, Rounding
from dalenius.certificates.command import certified_grid, exact_answer, moments_of
from dalenius.certificates.model import Moments
from dalenius.channel import Release
from dalenius.curator.amounts import shown, spending
from dalenius.curator.budgets import Budget, risk_json
from dalenius.curator.certificate import GridCertificate, NoiseCertificate
from dalenius.curator.certified_release import Certify, Prepared, cost_rounded, prepared, release_rounded
from dalenius.curator.ledger import SUFFIX, Ledger
from dalenius.curator.publication import Recorded
from dalenius.curator.request import Request, beside_others, request_of
from dalenius.curator.spending import Entry
from dalenius.errors import InputError, Refused
from dalenius.noise.answer_intervals import missed
from dalenius.notions import Notion
from dalenius.spec import Spec, check_derived, read_spec
from dalenius.spec.results import noise_json
from dalenius.tables import WRITTEN, Held, Mark, People, true_answer
from dalenius.tables.binding import bound_to_table


def ledger_beside(file: Path, request: Request) -> Path:
    """The ledger of the data set or its bytes in the file's folder, else FILE.ledger.sqlite.

    InputError where several record them: what was spent is split among ledgers.
    """
    near = sorted(path for path in file.parent.iterdir() if path.name.endswith(SUFFIX) and path.is_file())
    found = [path for path in near if Ledger(path).knows(request.name, request.fingerprint)]
    if len(found) > 1:
        which = f"one of {', '.join(path.name for path in found)}, which all know data set {request.name!r}"
        raise InputError("ledger", "missing", which)
    return found[0] if found else file.with_name(file.name + SUFFIX)


@final
@dataclass(frozen=True)
class Quote:
    """What a release would cost, of which nothing is drawn or written: free where the same request has an answer.

    shared: where another analyst was told the answer, so that it costs the data set nothing, and this one's cap
    the same.

    cost: what it leaks by itself, and what it adds to others, in nats; budget: as it would be afterwards, of the data
    set, and own that of the analyst, None where there is no cap; calibration: its noise, None where an exact sum is
    rounded; advised: where intervals would be wider than what the model expects. half_widths: by answer's name how far
    the exact one may be away from what goes out, with that confidence; None where the noise does not say. risk: what
    it leaks in odds (`risk_json`).
    """

    free: bool
    cost: Entry | None
    budget: Budget
    calibration: Calibration | None
    advised: str | None
    own: Budget | None = None
    confidence: float | None = None
    half_widths: Mapping[str, float | None] = field(default_factory=dict)
    risk: Mapping[str, Any] | None = None
    shared: bool = False

    def as_json(self) -> dict[str, Any]:
        """All but the budgets and the half-widths; costs to a whole nano-nat, as they would be debited."""
        chosen, cost = self.calibration, self.cost
        costs = None if cost is None else {"leakage": cost.leakage, "group_loss": cost.group_loss}
        return {
            "free": self.free,
            "cost": None if costs is None else {key: shown(spending(each)) for key, each in costs.items()},
            "noise": None if chosen is None else noise_json(chosen.noise),
            "expected_error": None if chosen is None else chosen.expected_error,
            "confidence": self.confidence,
            "risk": self.risk,
            "advice": self.advised,
        }


def quote_of(ready: Prepared, free: bool, budget: Budget, own: Budget | None = None, shared: bool = False) -> Quote:
    """Of a release that is prepared."""
    kept = ready.calibration.promises[0]
    return Quote(
        free,
        None if free else ready.cost,
        budget,
        ready.calibration,
        ready.advised,
        own,
        ready.confidence,
        half_widths(ready.chosen, ready.calibration.noise, ready.confidence),
        risk_json(kept.notion, kept.leakage.upper),
        shared,
    )


@contextmanager
def interruptible() -> Iterator[None]:
    """KeyboardInterrupt for what DuckDB and pydantic make of it: they call Python from their own languages."""
    try:
        yield
    except Exception as error:
        if _is_interrupt(error):
            raise KeyboardInterrupt from None
        raise


def _is_interrupt(error: Exception) -> bool:
    if isinstance(error, RuntimeError) and str(error) == "Query interrupted":
        return True
    return type(error).__name__ == "PydanticSerializationError" and "KeyboardInterrupt" in str(error)


_OF_RECORDS: Final = (
    "a model of records: a table of everybody does not say who is absent from it, and the ledger adds up losses of "
    "records (dalenius calibrate finds the noise, dalenius.composition.Accountant adds up answers)"
)


@interruptible()
def release(
    spec: Spec | Path | str | Mapping[str, Any],
    folder: Path | None = None,
    *,
    data: Held | None = None,
    ledger: Path | str | None = None,
    budget: float | None = None,
    budget_delta: float | None = None,
    allow_exact: bool = False,
    new_data: bool = False,
    confidence: float = CONFIDENCE,
    advise: Callable[[str], None] = lambda _: None,
) -> Recorded:
    """Answer the spec's query from its table at the promised privacy, and record what it cost.

    spec: or what `read_spec` reads; folder: where the spec's files are, by default beside a spec that is read
    here, else the current folder; data: the table, instead of the spec's own: whatever is held of it
    (`tables.Held`), a path, a URL, a frame, a connection; ledger: where spending and answers are recorded, by default
    next to the data; budget: of the data set in nats, once for all its releases, by default the first promise's;
    budget_delta: its delta, by default the largest promised; allow_exact: whether an answer may go out without noise
    although the spec does not say so;
    new_data: whether bytes new to the ledger may be asked under a name that it knows; confidence: of the interval of
    each answer, in the certificate; advise: is told, before anything is spent, where these intervals will be wider than
    what the model expects, or the data set is new to a ledger of others.

    All that is read of a database is of one state. The same request again gets the answers that the ledger keeps, free.
    InputError for a spec or a table that is not what was wanted, or is written to meanwhile; Refused where the promise
    or the budget would be broken.
    """
    with ExitStack() as until:
        opened = _opened(spec, folder, data, ledger, (budget, budget_delta, new_data), confidence, until)
        request, record, grid = opened.request, opened.ledger, opened.grid
        done = record.earlier(request)
        if done is not None:
            return done
        # The same people sorted anew, or with one more column, are other bytes: their owner may not know it.
        if others := beside_others(record.history(), request):
            advise(others)
        if grid is None:
            asked, answer, certify = opened.question()
        else:
            exact = exact_answer(opened.spec, opened.moments, opened.people)
        opened.check_unwritten()
    if grid is not None:
        kept = GridCertificate(opened.promises, opened.moments.n, opened.spec, grid)
        return release_rounded(grid, exact, record, request, kept)
    ready = prepared(asked, opened.promises, request.spec, certify, allow_exact, confidence)

    def before() -> None:
        if ready.advised is not None:
            advise(ready.advised)

    return record.release(request, ready.cost, lambda: ready.drawn(answer), before)


@interruptible()
def quote(
    spec: Spec | Path | str | Mapping[str, Any],
    folder: Path | None = None,
    *,
    data: Held | None = None,
    ledger: Path | str | None = None,
    budget: float | None = None,
    budget_delta: float | None = None,
    allow_exact: bool = False,
    new_data: bool = False,
    confidence: float = CONFIDENCE,
) -> Quote:
    """What `release` would cost with the same arguments; InputError and Refused where it would raise them."""
    with ExitStack() as until:
        opened = _opened(spec, folder, data, ledger, (budget, budget_delta, new_data), confidence, until)
        request, record = opened.request, opened.ledger
        done = record.earlier(request)
        if done is not None:
            return Quote(True, None, done.budget, None, None)
        if opened.grid is not None:
            cost = cost_rounded(opened.grid, request, opened.promises)
            return Quote(False, cost, record.afterwards(request, cost)[1], None, None)
        asked, _, certify = opened.question()
        opened.check_unwritten()
    ready = prepared(asked, opened.promises, request.spec, certify, allow_exact, confidence)
    return quote_of(ready, False, record.afterwards(request, ready.cost)[1])


@final
@dataclass(frozen=True)
class _Opened:
    """A spec with its table and its ledger; grid: on which an exact sum is rounded, None where noise is added."""

    spec: Spec
    filled: Spec
    people: People
    marks: tuple[Mark, ...]
    promises: tuple[Notion, ...]
    request: Request
    ledger: Ledger
    grid: Rounding | None

    @property
    def moments(self) -> Moments:
        """Where there is a grid."""
        return moments_of(self.spec)

    def check_unwritten(self) -> None:
        """InputError where a table has been written since it was opened: what was read is of no one state."""
        if not self.people.unwritten(self.marks):
            raise InputError("data", self.people.shown, WRITTEN)

    def question(self) -> tuple[Release, tuple[int, ...], Certify]:
        """What is asked, the exact answer, and what certifies a noise for it. Whoever releases a table of their own is
        told what is wrong with it before anything is paid for."""
        asked = self.filled.calibrated()
        check_derived(self.spec.derived or (), asked.names)

        def certify(calibration: Calibration) -> NoiseCertificate:
            size = sum(stratum.people for stratum in asked.worlds[0].strata)
            return NoiseCertificate(self.promises, size, self.spec, calibration)

        return asked, true_answer(asked, self.people), certify


def _opened(
    spec: Spec | Path | str | Mapping[str, Any],
    folder: Path | None,
    data: Held | None,
    ledger: Path | str | None,
    terms: tuple[float | None, float | None, bool],
    confidence: float,
    until: ExitStack,
) -> _Opened:
    """terms: the budget, its delta, and whether bytes may be new; until: as long as it is open, what is read is of one
    state."""
    missed(confidence)
    if folder is None:
        folder = Path(spec).parent if isinstance(spec, Path | str) else Path()
    spec, (budget, delta, new_data) = read_spec(spec), terms
    if budget is not None and (isinstance(budget, str) or not (isfinite(budget) and budget > 0)):
        raise InputError("budget", budget, "a finite number above 0")
    if delta is not None and not 0 <= delta < 1:
        raise InputError("budget delta", delta, "a number of at least 0 and below 1")
    if spec.model.lawless and not (spec.of_moments and spec.rounding is not None):
        raise Refused(f"model moments certifies {INTERVALS_ONLY}; an exact sum is not released on moments alone")
    if not spec.of_moments and spec.model.reveals_answers:
        raise InputError("model.kind", spec.model.kind, _OF_RECORDS)
    spec.secrets.check_of_records("the ledger")
    promises = spec.all_promises()
    # Before the table is read: a promise that no grid keeps is refused whatever is in it.
    grid = certified_grid(spec, moments_of(spec)) if spec.of_moments else None
    filled, people = bound_to_table(spec, folder, data, until)
    if people is None:
        raise InputError("data", "missing", "a section [data] that names the columns to read")
    marks = people.marks(first=True)
    request = request_of(spec, people, budget, new_data, delta)
    if ledger is None:
        if people.path is None:
            raise InputError("ledger", "missing", "where spending is recorded, as the data are in no file")
        ledger = ledger_beside(people.path, request)
    return _Opened(spec, filled, people, marks, promises, request, Ledger(ledger), grid)
