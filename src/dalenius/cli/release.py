"""`dalenius release`: answers from a table, with their certificate."""

from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from dalenius.calibration import Calibration
from dalenius.channel import Release
from dalenius.cli.moments import refuse_moments, release_moments
from dalenius.cli.options import AsJson, DataFile, NewData, Plugins, SpecFile, as_number
from dalenius.cli.output import added, beside, error, nats, print_json, print_table, whose, working
from dalenius.cli.recorded import print_certificate, recorded_json
from dalenius.curator import Ledger, Recorded, Request, ledger_beside, release_asked, request_of
from dalenius.errors import InputError
from dalenius.notions import NoiselessPrivacy, Notion
from dalenius.spec import Spec, bound, read_spec, true_answer
from dalenius.spec.results import calibration_json
from dalenius.tables import People


def release(
    spec: SpecFile,
    json: AsJson = False,
    data: DataFile = None,
    ledger: Annotated[
        Path | None,
        typer.Option(help="Where spending and answers are recorded [default: beside the data].", show_default=False),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            help="The data set's budget in nats, once for all its releases [default: the first epsilon].",
            show_default=False,
            parser=as_number,
            metavar="<float>",
        ),
    ] = None,
    allow_exact: Annotated[
        bool, typer.Option("--allow-exact", help="Release even if an answer goes out exactly, without noise.")
    ] = False,
    new_data: NewData = False,
    plugin: Plugins = None,
) -> None:
    """Answer the query from the table at the promised privacy, and record what it cost."""
    if budget is not None and not (isfinite(budget) and budget > 0):
        raise InputError("--budget", budget, "a finite number above 0")
    read = read_spec(spec)
    refuse_moments(read)
    notion = read.promise()
    if read.moments is not None:
        release_moments(read, read.moments, spec.parent, json, data, ledger, budget, new_data)
        return
    with working("releasing"):
        told, people = bound(read, spec.parent, data)
        if people is None:
            raise InputError("data", "missing", "a section [data] that names the columns to read")
        request = request_of(read, people, budget, new_data)
        record = Ledger(ledger if ledger is not None else ledger_beside(people.path, request))
        done = record.earlier(request) or _release(
            told.calibrated(), notion, people, record, request, read, allow_exact
        )
    if json:
        print_json(recorded_json(done))
        return
    shown = [
        [name or "answer", a if isinstance(a, str) else f"{float(a):g}"]
        for name, a in zip(done.told.labels, done.told.answers, strict=True)
    ]
    print_table("Released", ["", str(done.told.certificate.get("outcome", "answer"))], shown)
    print_certificate(done, "left")


def _release(
    release: Release, notion: Notion, people: People, ledger: Ledger, request: Request, spec: Spec, allow_exact: bool
) -> Recorded:
    answer = true_answer(release, people)

    def certify(calibration: Calibration) -> tuple[dict[str, Any], list[list[str]]]:
        size = sum(stratum.people for stratum in release.joints[0].strata())
        certificate = _certificate(spec, notion, calibration, request.fingerprint, size)
        return certificate, _words(calibration, notion, certificate)

    return release_asked(release, notion, answer, ledger, request, certify, allow_exact).recorded


def _certificate(spec: Spec, notion: Notion, calibration: Calibration, fingerprint: str, people: int) -> dict[str, Any]:
    return {
        "notion": notion.model_dump(mode="json"),
        **calibration_json(calibration),
        "outcome": calibration.noise.outcome,
        "hypotheses": _hypotheses(spec),
        "people": people,
        "data": fingerprint,
        "dalenius": version("dalenius"),
    }


def _hypotheses(spec: Spec) -> list[str]:
    """What the promise rests on, in words."""
    found = ["what the adversary believes of the records is the spec's model, chosen without looking at these data"]
    if spec.model.household_columns:
        found.append("who lives with whom is public")
    if spec.data is not None and spec.data.label is not None:
        found.append(f"everybody's {spec.data.label} is public")
    if spec.adversary.known:
        found.append(f"of the records the adversary knows for certain those of {', '.join(spec.adversary.known)} only")
    if isinstance(spec.notion, NoiselessPrivacy):
        share = f"at most a fraction {spec.notion.known_fraction:g}" if spec.notion.known_fraction else "none"
        found.append(f"of everybody else's records the adversary knows {share}")
    if spec.model.kind == "any":
        found.append("it holds for each of the listed models")
    return [*found, "nothing else is released from the same data outside this ledger"]


def _words(calibration: Calibration, notion: Notion, certificate: dict[str, Any]) -> list[list[str]]:
    return [
        ["promise", f"{notion.kind} privacy, {notion.epsilon:g} nats"],
        ["leakage", f"{nats(calibration.leakage.epsilon)} nats, most about {whose(calibration.leakage.witness)}"],
        ["noise", f"{added(calibration.noise)}; expected error {error(calibration, 4)} per answer"],
        *beside(calibration),
        ["why sound", calibration.why],
        *[["rests on", hypothesis] for hypothesis in certificate["hypotheses"]],
    ]
