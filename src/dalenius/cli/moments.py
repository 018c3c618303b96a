"""`dalenius release` where only moments of the records are known: on a grid, or not at all."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

from dalenius.certificates import Rounding
from dalenius.cli.certificates import ONLY
from dalenius.cli.output import print_json, print_table, working
from dalenius.cli.recorded import print_certificate, recorded_json
from dalenius.curator import Ledger, ledger_beside, release_rounded, request_of
from dalenius.errors import InputError, Refused
from dalenius.models import Moments
from dalenius.notions import Notion
from dalenius.spec import Spec, bound, certified_grid, exact_answer
from dalenius.tables import People


def refuse_moments(spec: Spec) -> None:
    """Refused where moments are all that is known of some records, unless of all of them and the answer is rounded."""
    if spec.moments is not None and spec.rounding is not None:
        return
    if spec.model.lawless:
        raise Refused(f"model moments certifies {ONLY}; an exact sum is not released on moments alone")


def release_moments(
    spec: Spec,
    moments: Moments,
    folder: Path,
    json: bool,
    data: Path | None,
    ledger: Path | None,
    budget: float | None,
    new_data: bool,
) -> None:
    """Which cell of the finest grid that keeps the promise the table's exact answer is in."""
    notion = spec.promise()
    grid = certified_grid(spec, moments)
    with working("releasing"):
        people = _table(spec, folder, data)
        request = request_of(spec, people, budget, new_data)
        record = Ledger(ledger if ledger is not None else ledger_beside(people.path, request))
        done = record.earlier(request)
        if done is None:
            answer = exact_answer(spec, moments, people)
            told = _certificate(grid, notion, moments.n, request.fingerprint)
            done = release_rounded(grid, notion.kind, answer, record, request, told, _words(grid, notion))
    if json:
        print_json(recorded_json(done))
        return
    shown = [["answer", each if isinstance(each, str) else f"{float(each):.12g}"] for each in done.told.answers]
    print_table("Released", ["", "middle of the answer's cell"], shown)
    print_certificate(done, "and nothing else may be released from them")


def _words(grid: Rounding, notion: Notion) -> list[list[str]]:
    return [
        ["promise", f"{notion.kind} privacy, ({notion.epsilon:g}, {grid.certificate.delta:.6g}), all events"],
        ["rounded", f"to {grid.thresholds + 1:,} cells, {grid.width:.6g} wide, from {grid.lower:g} to {grid.upper:g}"],
        *[["rests on", hypothesis] for hypothesis in _hypotheses(grid)],
    ]


def _hypotheses(grid: Rounding) -> list[str]:
    return [*grid.certificate.hypotheses, "the moments and the grid were chosen without looking at these data"]


def _table(spec: Spec, folder: Path, data: Path | None) -> People:
    people = bound(spec, folder, data)[1]
    if people is None:
        raise InputError("data", "missing", "a section [data] that names the columns to read")
    return people


def _certificate(grid: Rounding, notion: Notion, people: int, fingerprint: str) -> dict[str, Any]:
    certificate = grid.certificate
    return {
        "notion": notion.model_dump(mode="json"),
        "certificate": certificate.name,
        "sound": certificate.sound,
        "epsilon": certificate.epsilon,
        "delta": certificate.delta,
        "events": certificate.events,
        "source": certificate.source,
        "rounding": {"lower": grid.lower, "upper": grid.upper, "thresholds": grid.thresholds, "width": grid.width},
        "hypotheses": _hypotheses(grid),
        "people": people,
        "data": fingerprint,
        "dalenius": version("dalenius"),
    }
