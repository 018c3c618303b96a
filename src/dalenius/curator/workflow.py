"""From a spec to answers in the ledger: read the table, ask the ledger, calibrate, debit, draw, certify."""

from collections.abc import Callable
from pathlib import Path

from dalenius.calibration import CONFIDENCE, Calibration
from dalenius.certificates import INTERVALS_ONLY
from dalenius.curator.beside import ledger_beside
from dalenius.curator.certificate import GridCertificate, NoiseCertificate
from dalenius.curator.grid import release_rounded
from dalenius.curator.ledger import Ledger, Recorded
from dalenius.curator.noised import release_asked
from dalenius.curator.request import request_of
from dalenius.errors import InputError, Refused
from dalenius.noise.intervals import missed
from dalenius.spec import Spec, bound, certified_grid, check_derived, exact_answer, true_answer


def release(
    spec: Spec,
    folder: Path = Path(),
    *,
    data: Path | None = None,
    ledger: Path | None = None,
    budget: float | None = None,
    budget_delta: float | None = None,
    allow_exact: bool = False,
    new_data: bool = False,
    confidence: float = CONFIDENCE,
    advise: Callable[[str], None] = lambda _: None,
) -> Recorded:
    """Answer the spec's query from its table at the promised privacy, and record what it cost.

    folder: where the spec's files are; data: the table, instead of the spec's own; ledger: where spending and answers
    are recorded, by default next to the data; budget: of the data set in nats, once for all its releases, by default
    the first epsilon; budget_delta: its delta, by default the largest promised; allow_exact: whether an answer may go
    out without noise although the spec does not say so;
    new_data: whether bytes new to the ledger may be asked under a name that it knows; confidence: of the interval of
    each answer, in the certificate; advise: is told, before anything is spent, where these intervals will be wider than
    what the model expects.

    The same request again gets the answers that the ledger keeps, free. InputError for a spec or a table that is not
    what was wanted; Refused where the promise or the budget would be broken.
    """
    missed(confidence)
    _refuse_moments(spec)
    spec.secrets.check_of_records("the ledger")
    promises = spec.all_promises()
    moments = spec.moments
    # Before the table is read: a promise that no grid keeps is refused whatever is in it.
    grid = None if moments is None else certified_grid(spec, moments)
    filled, people = bound(spec, folder, data)
    if people is None:
        raise InputError("data", "missing", "a section [data] that names the columns to read")
    request = request_of(spec, people, budget, new_data, budget_delta)
    record = Ledger(ledger if ledger is not None else ledger_beside(people.path, request))
    done = record.earlier(request)
    if done is not None:
        return done
    if grid is not None and moments is not None:
        kept = GridCertificate(promises, moments.n, request.fingerprint, grid)
        return release_rounded(grid, exact_answer(spec, moments, people), record, request, kept)
    asked = filled.calibrated()
    check_derived(spec.derived or (), asked.names)

    def certify(calibration: Calibration) -> NoiseCertificate:
        size = sum(stratum.people for stratum in asked.finite_worlds[0].joint.strata())
        return NoiseCertificate(promises, size, request.fingerprint, spec, calibration)

    answer = true_answer(asked, people)
    return release_asked(asked, promises, answer, record, request, certify, allow_exact, confidence, advise).recorded


def _refuse_moments(spec: Spec) -> None:
    """Refused where the model gives only moments of some records, unless of all of them and the answer is rounded."""
    if spec.moments is not None and spec.rounding is not None:
        return
    if spec.model.lawless:
        raise Refused(f"model moments certifies {INTERVALS_ONLY}; an exact sum is not released on moments alone")
