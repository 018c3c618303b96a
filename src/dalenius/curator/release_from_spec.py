"""Release of a spec: read the table, ask the ledger, calibrate, debit, draw, certify; or say what it would cost.

`release("outbreak.toml")` reads `people.csv` and finds the ledger `people.csv.ledger.sqlite` beside it, or begins it
with the budget of the spec's promise; then it answers. The same call again gives the same answer, from the ledger, for
nothing. `quote("outbreak.toml")` says beforehand what that would cost and how wide the intervals would be. It writes
nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any, Final, TypeAlias, TypedDict, Unpack, final

from pydantic_core import PydanticSerializationError

from dalenius.calibration import CONFIDENCE
from dalenius.curator.budgets import Request, new_name_advice, request_of
from dalenius.curator.certificate import ReleaseTerms
from dalenius.curator.drawn_output import check_reportable
from dalenius.curator.learned_release import Learned, learned
from dalenius.curator.learned_spec import LearnedSpec, read_any_spec
from dalenius.curator.ledger import Ledger
from dalenius.curator.ledger_of_request import ledger_of
from dalenius.curator.prepared_release import Prepared, prepared
from dalenius.curator.price_quote import Quote, quote_of
from dalenius.curator.recorded_answers import Recorded
from dalenius.errors import InputError, Refused
from dalenius.models import lawless
from dalenius.noise.error_law import missed
from dalenius.spec import Spec, check_derived
from dalenius.spec.practice import check_practice_ledger
from dalenius.tables import WRITTEN, People, TableLike, true_answer
from dalenius.tables.binding import bound_to_table
from dalenius.tables.check import near_advice, near_households
from dalenius.theorems import INTERVALS_ONLY


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


# For a supplier of energy who knows moments of consumption and may round the sum to a grid that has a certificate.
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
    spec: AnySpec,
    folder: Path | str | None = None,
    *,
    advise: Callable[[str], None] = lambda _: None,
    **terms: Unpack[Terms],
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
def quote(
    spec: AnySpec,
    folder: Path | str | None = None,
    *,
    advise: Callable[[str], None] = lambda _: None,
    **terms: Unpack[Terms],
) -> Quote:
    """Say what `release` would cost with the same arguments; nothing is drawn or written.

    Args:
        spec: The spec, or what `read_spec` reads: a path or nested dictionaries.
        folder: The folder of the spec's files. None, the default, means that of a spec file, else the current one.
        advise: Is called with one line of advice on what is doubtful in the table, or new to the ledger.
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
    found = _opened(asked, _folder(spec, folder), advise, terms)
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


def _folder(spec: AnySpec, folder: Path | str | None) -> Path:
    """Returns the folder of the spec's files."""
    if folder is not None:
        return Path(folder)
    return Path(spec).parent if isinstance(spec, Path | str) else Path()


def _learned(spec: LearnedSpec, given: AnySpec, folder: Path | str | None, terms: Terms) -> tuple[Learned, Ledger]:
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
        keys = near_households(people)
        noiseless = filled.calibrated()
        check_derived(spec.derived or (), noiseless.names)
        check_reportable(noiseless)
        answer = true_answer(noiseless, people)
        if not people.unwritten(mark):
            raise InputError("data", people.shown, WRITTEN)
    # Because the noise takes long, the table is closed by then.
    promises, size = spec.all_promises(), sum(stratum.people for stratum in noiseless.worlds[0].strata)
    promised = ReleaseTerms(promises, size, spec.noting(filled.omitted), of_table=keys)
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
    ledger = ledger_of(request, people.path, terms.get("ledger"))
    check_practice_ledger(spec.data, ledger.shown, ledger.history().budgets)
    return request, ledger
