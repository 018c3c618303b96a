"""Release of a spec: read the table, ask the ledger, calibrate, debit, draw, certify; or say what it would cost.

`release("outbreak.toml")` reads `people.csv` and finds the ledger `people.csv.ledger.sqlite` beside it, or begins it
with the budget of the spec's promise; then it answers. The same call again gives the same answer, from the ledger, for
nothing. `quote("outbreak.toml")` says beforehand what that would cost and how wide the intervals would be. It writes
nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any, Final, TypeAlias, TypedDict, Unpack, final

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from dalenius.calibration import CONFIDENCE, Calibration
from dalenius.curator.amounts import nats_json, spending
from dalenius.curator.budgets import Request, new_name_advice, request_of
from dalenius.curator.certificate import ReleaseTerms
from dalenius.curator.cost_of_releases import Budget, Entry
from dalenius.curator.learned_release import Learned, learned
from dalenius.curator.learned_spec import LearnedSpec, read_any_spec
from dalenius.curator.ledger import Ledger
from dalenius.curator.ledger_of_request import ledger_of
from dalenius.curator.prepared_release import Prepared, Ready, prepared
from dalenius.curator.recorded_answers import Recorded
from dalenius.errors import InputError, Refused
from dalenius.frozen_section import Frozen
from dalenius.models import lawless
from dalenius.noise import AnyNoise
from dalenius.noise.error_law import missed
from dalenius.notions import Leakage
from dalenius.spec import Spec, check_derived
from dalenius.spec.results_as_json import noise_json
from dalenius.tables import WRITTEN, People, TableLike, true_answer
from dalenius.tables.binding import bound_to_table
from dalenius.tables.check import near_advice
from dalenius.theorems import INTERVALS_ONLY


@final
@dataclass(frozen=True)
class Quote:
    """The price of a release of which nothing is drawn or written.

    Attributes:
        free: Whether the same request has an answer already, which costs nothing.
        cost: What the release leaks by itself, and what it adds to others, in nats; None where it is free.
        budget: The budget of the data set, as it would be afterwards.
        calibration: The noise; None where an exact sum is rounded.
        advised: Advice where intervals would be wider than what the model expects, or where asking questions together
            would cost far less; None where there is none.
        own: The budget of the analyst, as it would be afterwards; None where there is no cap.
        confidence: The confidence of the intervals.
        half_widths: By the answer's name, how far the exact answer may be from what goes out, with that confidence, in
            the query's own unit; None where the noise does not say.
        risk: What it leaks in odds (`risk_json`).
        shared: Whether another analyst was told the answer. Then it costs the data set nothing, and this analyst's cap
            the same as ever.
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
        """Write all but the budgets and the half-widths for JSON; costs to a whole nano-nat, as they are debited."""
        chosen, cost = self.calibration, self.cost
        costs = None if cost is None else {"leakage": cost.leakage, "group_loss": cost.group_loss}
        return {
            "free": self.free,
            "cost": None if costs is None else {key: nats_json(spending(each)) for key, each in costs.items()},
            "noise": None if chosen is None else noise_json(chosen.noise),
            "expected_error": None if chosen is None else chosen.expected_error,
            "confidence": self.confidence,
            "risk": self.risk,
            "advice": self.advised,
        }


def quote_of(ready: Ready, free: bool, budget: Budget, own: Budget | None = None, shared: bool = False) -> Quote:
    """Quotes a release that is prepared.

    Args:
        ready: The release.
        free: Whether the same request has an answer already.
        budget: The data set's budget, as it would be afterwards.
        own: The analyst's budget, as it would be afterwards; None where there is no cap.
        shared: Whether another analyst was told the answer.
    """
    return Quote(
        free,
        None if free else ready.cost,
        budget,
        ready.calibration,
        "; ".join(filter(None, [ready.advised, None if free else saving_together(ready.cost)])) or None,
        own,
        ready.confidence,
        ready.widths(),
        ready.risk(),
        shared,
    )


_FAR_ABOVE: Final = 10.0
"""A charge beside others is worth a sentence from so many times what a release leaks alone."""


def saving_together(cost: Entry) -> str | None:
    """Advises what to do where a release costs far more beside others than it leaks alone; None where it does not.

    Other releases may tell everything but this person's record: then the loss of a whole group is added. For answers
    that are asked at once the joint law is known. cost: of the release.
    """
    if not 0 < cost.leakage * _FAR_ABOVE < cost.group_loss < inf:
        return None
    return (
        f"beside other releases this counts up to {cost.group_loss:.6g} nats, though alone it leaks "
        f"{cost.leakage:.6g}: ask these questions at once, in one query of kind several: their common leakage is "
        "then computed"
    )


class _Drawn(Frozen):
    noise: AnyNoise


def free_quote(done: Recorded) -> Quote:
    """Quotes an answer that the ledger has, `done`: it costs nothing, and is as precise as its certificate says.

    No table is read, and no noise is calibrated.
    """
    published, found = done.published, done.published.certificate
    widths = {
        label: None if each is None else (float(each[1]) - float(each[0])) / 2
        for label, each in zip(published.labels, found.get("interval", [None] * len(published.labels)), strict=True)
    }
    return Quote(
        True,
        None,
        done.budget,
        _calibration_of_certificate(found),
        found.get("advice"),
        done.own,
        found.get("confidence"),
        widths,
        found.get("risk"),
    )


def _calibration_of_certificate(certificate: Mapping[str, Any]) -> Calibration | None:
    """Read the noise of a certificate; None where it names none, or one whose kind is not plugged in now."""
    try:
        noise = _Drawn(noise=certificate["noise"]).noise
    except (InputError, ValidationError, KeyError, AttributeError):
        return None
    leakage, error = certificate["leakage"], certificate["expected_error"]
    ends = Leakage(float(leakage["lower"]), float(leakage["upper"]), None)
    method, sound, why = certificate["method"], certificate["sound"], certificate["why"]
    return Calibration(method, sound, why, noise, nan if error is None else float(error), ends)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for what DuckDB and pydantic make of it: they call Python from their own languages."""
    try:
        yield
    except Exception as error:
        # Because this is DuckDB's word for a Ctrl-C while it reads a table; pydantic has one for a plug-in's field.
        of_duckdb = isinstance(error, RuntimeError) and str(error) == "Query interrupted"
        if of_duckdb or (isinstance(error, PydanticSerializationError) and "KeyboardInterrupt" in str(error)):
            raise KeyboardInterrupt from None
        raise


# Of a supplier of energy who knows moments of consumption: they may round the sum to a grid that has a certificate.
_OF_MOMENTS: Final = (
    f"model moments certifies {INTERVALS_ONLY}; no exact sum is released on moments alone "
    "(dalenius.theorems.most_thresholds says how many thresholds a grid may have)"
)
_OF_RECORDS: Final = "a model of records (for who is absent: dalenius identify --cost, IdentifiabilitySession.estimate)"


class Terms(TypedDict, total=False):
    """Further keyword arguments of `release` and `quote`.

    Args:
        data: The table, instead of the spec's: a path, a URL, a frame or a connection (`tables.TableLike`).
        ledger: Where spending and answers are recorded, by default next to the data.
        budget: The budget of the data set in nats, once for all its releases; by default the first promise's epsilon.
        budget_delta: The delta of that budget; by default the largest that is promised.
        allow_exact: Whether an answer may go out without noise although the spec does not say so; False by default.
        new_data: Whether bytes that are new to the ledger may be asked under a name that it knows; False by default.
        confidence: The confidence of each answer's interval in the certificate; 0.95 by default.
    """

    data: TableLike | None
    ledger: Path | str | None
    budget: float | None
    budget_delta: float | None
    allow_exact: bool
    new_data: bool
    confidence: float


AnySpec: TypeAlias = Spec | LearnedSpec | Path | str | Mapping[str, Any]


@interruptible()
def release(
    spec: AnySpec, folder: Path | None = None, *, advise: Callable[[str], None] = lambda _: None, **terms: Unpack[Terms]
) -> Recorded:
    """Answer a spec's query from its table at the promised privacy, and record what it cost.

    Everything that is read of a database is of one state. The same request again gets the answers that the ledger
    keeps, for nothing.

    Args:
        spec: The spec, or what `read_spec` reads: a path or nested dictionaries.
        folder: The folder of the spec's files. None, the default, means that of a spec file, else the current one.
        advise: Is called with one line of advice, before anything is spent: where intervals will be wider than what the
            model expects, where the data set is new to a ledger of others, or where the table has likely mistakes.
        terms: Further keyword arguments: `data`, the table instead of the spec's (a path, a URL, a frame, a
            connection); `ledger`, by default next to the data; `budget` in nats and `budget_delta`, by default those
            promised; `allow_exact`, `new_data` and `confidence` (see `Terms`).

    Returns:
        The answers and their certificate in `published`, the budget, and the entry of the ledger.

    Raises:
        InputError: For a spec or a table that is not what was wanted, or is written to meanwhile.
        Refused: Where the promise or the budget would be broken.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> coins = {"kind": "independent", "n": 2, "probabilities": [[0.5, 0.5]]}
        >>> count = {"model": coins, "query": {"kind": "count"}}
        >>> spec = {**count, "notion": {"kind": "inferential", "epsilon": 1}, "data": {"name": "two", "value": "ill"}}
        >>> with TemporaryDirectory() as place:
        ...     _ = Path(place, "two.csv").write_text("ill\\n0\\n1\\n")
        ...     done = release(spec, data=Path(place, "two.csv"))
        >>> len(done.published.answers), done.repeated, done.budget.spent
        (1, False, 1.0)
    """
    if isinstance(asked := read_any_spec(spec), LearnedSpec):
        made, book = _learned(asked, spec, folder, terms)
        return book.release(made.request, made.entry, made.draw)
    if asked.model.gives == "answers":
        return _of_absence(asked, _folder(spec, folder), terms)
    found = _opened(asked, _folder(spec, folder), advise, terms)
    ready = found.ready
    if isinstance(ready, Recorded):
        return ready
    if ready.advised is not None:
        found.ledger.afterwards(found.request, ready.cost)  # advice is for who is going to pay
        advise(ready.advised)
    return found.ledger.release(found.request, ready.cost, lambda: ready.drawn(found.answer))


def _of_absence(spec: Spec, folder: Path, terms: Terms) -> Recorded:
    """Answer one question about who is absent, with all that is left of the promise."""
    # So that nothing about absences is imported for releases of records.
    from dalenius.curator.identifiability_session import IdentifiabilitySession

    given = {key: value for key, value in terms.items() if value}
    for key in ("budget", "budget_delta", "new_data", "allow_exact"):
        if key in given:
            raise InputError(key, str(given[key]), "nothing with model absent, whose promise is the budget")
    session = IdentifiabilitySession.of_spec(spec, folder, terms.get("data"), terms.get("ledger"))
    return session.ask_spec(spec, None, terms.get("confidence", CONFIDENCE))


@interruptible()
def quote(spec: AnySpec, folder: Path | None = None, **terms: Unpack[Terms]) -> Quote:
    """Say what `release` would cost with the same arguments; nothing is drawn or written.

    Args:
        spec: The spec, or what `read_spec` reads: a path or nested dictionaries.
        folder: The folder of the spec's files. None, the default, means that of a spec file, else the current one.
        terms: Further keyword arguments, as of `release`.

    Returns:
        The price in nats, the budget as it would be afterwards, and how precise the answers would be.

    Raises:
        InputError: Where `release` would raise it.
        Refused: Where `release` would raise it.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> coins = {"kind": "independent", "n": 2, "probabilities": [[0.5, 0.5]]}
        >>> count = {"model": coins, "query": {"kind": "count"}}
        >>> spec = {**count, "notion": {"kind": "inferential", "epsilon": 1}, "data": {"name": "two", "value": "ill"}}
        >>> with TemporaryDirectory() as place:
        ...     _ = Path(place, "two.csv").write_text("ill\\n0\\n1\\n")
        ...     found = quote(spec, data=Path(place, "two.csv"), budget=3)
        >>> found.free, round(found.cost.leakage, 6), round(found.budget.remaining, 6)
        (False, 1.0, 2.0)
    """
    if isinstance(asked := read_any_spec(spec), LearnedSpec):
        made, book = _learned(asked, spec, folder, terms)
        done = book.earlier(made.request)
        if done is not None:
            return Quote(True, None, done.budget, None, None)
        return Quote(False, made.entry, book.afterwards(made.request, made.entry)[1], None, None)
    found = _opened(asked, _folder(spec, folder), lambda _: None, terms)
    if isinstance(found.ready, Recorded):
        return Quote(True, None, found.ready.budget, None, None)
    return quote_of(found.ready, False, found.ledger.afterwards(found.request, found.ready.cost)[1])


@final
@dataclass(frozen=True)
class _Opened:
    """A request of a ledger, and what there is for it: the earlier answer; or its release, and the exact answer."""

    ledger: Ledger
    request: Request
    ready: Recorded | Prepared
    answer: tuple[int, ...] = ()


def _folder(spec: AnySpec, folder: Path | None) -> Path:
    """Returns the folder of the spec's files."""
    if folder is not None:
        return folder
    return Path(spec).parent if isinstance(spec, Path | str) else Path()


def _learned(spec: LearnedSpec, given: AnySpec, folder: Path | None, terms: Terms) -> tuple[Learned, Ledger]:
    """Prepares what is learned, and finds its ledger."""
    made = learned(spec, _folder(given, folder), terms)
    return made, ledger_of(made.request, made.path, terms.get("ledger"))


def _opened(spec: Spec, folder: Path, advise: Callable[[str], None], terms: Terms) -> _Opened:
    """Prepare a release, and advise of likely mistakes in the table before anything is paid for.

    InputError where the table has been written since it was opened: then what was read is of no one state.
    """
    confidence = terms.get("confidence", CONFIDENCE)
    missed(confidence)
    if lawless(spec.model):
        raise Refused(_OF_MOMENTS)
    if spec.model.gives != "laws":
        raise InputError("model.kind", spec.model.kind, _OF_RECORDS)
    spec.secrets.check_of_records("the ledger")
    # So that what is read is of one state as long as it is open.
    with ExitStack() as until:
        filled, people = bound_to_table(spec, folder, terms.get("data"), until, marked=True)
        if people is None:
            raise InputError("data", "missing", "a section [data] that names the columns to read")
        mark = people.first_mark()
        request, ledger = _request(spec, people, terms)
        done = ledger.earlier(request)
        if done is not None and done.states(confidence):
            return _Opened(ledger, request, done)
        # Because the same people sorted anew, or with one more column, are other bytes, which their owner may not know.
        if done is None and (others := new_name_advice(ledger.history(), request.name)):
            advise(others)
        for said in near_advice(people):
            advise(said)
        noiseless = filled.calibrated()
        check_derived(spec.derived or (), noiseless.names)
        answer = true_answer(noiseless, people)
        if not people.unwritten(mark):
            raise InputError("data", people.shown, WRITTEN)
    # Because the noise takes long, the table is closed by then.
    promises, size = spec.all_promises(), sum(stratum.people for stratum in noiseless.worlds[0].strata)
    promised = ReleaseTerms(promises, size, spec.noting(filled.omitted))
    ready = prepared(noiseless, promises, request.spec, promised, terms.get("allow_exact", False), confidence)
    # Because how sure an interval is to be is no part of the question, an earlier answer gets a new one for nothing.
    again = None if done is None else replace(done, published=ready.restated(done.published))
    return _Opened(ledger, request, again or ready, answer)


def _request(spec: Spec, people: People, terms: Terms) -> tuple[Request, Ledger]:
    """Make the request of a spec to its table, and find the ledger that it is made to."""
    budget, delta = terms.get("budget"), terms.get("budget_delta")
    # Because a Python program may hand over anything; pydantic has checked such things of a spec.
    if budget is not None and (isinstance(budget, str) or not (isfinite(budget) and budget > 0)):
        raise InputError("budget", budget, "a finite number above 0")
    if delta is not None and not 0 <= delta < 1:
        raise InputError("budget delta", delta, "a number of at least 0 and below 1")
    request = request_of(spec, people, budget, terms.get("new_data", False), delta)
    return request, ledger_of(request, people.path, terms.get("ledger"))
