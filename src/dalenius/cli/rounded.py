"""`dalenius release` where only moments of the records are known: on a grid, or not at all."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

from dalenius.certificates import Rounding
from dalenius.cli.certificates import ONLY
from dalenius.cli.output import print_json, print_table, working
from dalenius.curator import Budget, Ledger, release_rounded
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
) -> None:
    """Which cell of the finest grid that keeps the promise the table's exact answer is in."""
    notion = spec.promise()
    grid = certified_grid(spec, moments)
    with working("releasing"):
        people = _table(spec, folder, data)
        answer = exact_answer(spec, moments, people)
        fingerprint = people.fingerprint()
        record = Ledger(ledger if ledger is not None else people.path.with_name(people.path.name + ".ledger.sqlite"))
        limit = budget if budget is not None else (notion.epsilon or 0.0)
        written = spec.model_dump_json()
        released, left = release_rounded(grid, notion.kind, answer, record, fingerprint, limit, written)
    if json:
        print_json(_shown(grid, notion, released, left, moments.n, fingerprint))
        return
    print_table("Released", ["", "middle of the answer's cell"], [["answer", f"{released:.12g}"]])
    rows = [
        ["promise", f"{notion.kind} privacy, ({notion.epsilon:g}, {grid.certificate.delta:.6g}), all events"],
        ["rounded", f"to {grid.thresholds + 1:,} cells, {grid.width:.6g} wide, from {grid.lower:g} to {grid.upper:g}"],
        *[["rests on", hypothesis] for hypothesis in grid.certificate.hypotheses],
        ["rests on", "the moments and the grid were chosen without looking at these data"],
        ["budget", f"{left.spent:.6g} of {left.initial:.6g} nats spent, and nothing else may be released from them"],
    ]
    print_table("Certificate", ["", ""], rows)


def _table(spec: Spec, folder: Path, data: Path | None) -> People:
    people = bound(spec, folder, data)[1]
    if people is None:
        raise InputError("data", "missing", "a section [data] that names the columns to read")
    return people


def _shown(
    grid: Rounding, notion: Notion, released: float, left: Budget, people: int, fingerprint: str
) -> dict[str, Any]:
    certificate = grid.certificate
    told = {
        "notion": notion.model_dump(mode="json"),
        "certificate": certificate.name,
        "sound": certificate.sound,
        "epsilon": certificate.epsilon,
        "delta": certificate.delta,
        "events": certificate.events,
        "source": certificate.source,
        "rounding": {"lower": grid.lower, "upper": grid.upper, "thresholds": grid.thresholds, "width": grid.width},
        "hypotheses": [*certificate.hypotheses, "the moments and the grid were chosen without looking at these data"],
        "people": people,
        "data": fingerprint,
        "dalenius": version("dalenius"),
    }
    money = {"initial": left.initial, "spent": left.spent, "remaining": left.remaining}
    return {"answers": [released], "labels": [""], "certificate": told, "budget": money}
