"""`dalenius release`: noised answers from a table, with their certificate."""

from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from dalenius.cli.options import AsJson, DataFile, SpecFile, as_number
from dalenius.cli.output import added, nats, print_json, print_table, whose, working
from dalenius.cli.rounded import refuse_moments, release_moments
from dalenius.curator import Ledger, Released, release_once
from dalenius.errors import InputError
from dalenius.notions import NoiselessPrivacy, Notion
from dalenius.spec import Spec, bound, read_spec, true_answer
from dalenius.spec.results import answer_json, calibration_json


def release(
    spec: SpecFile,
    json: AsJson = False,
    data: DataFile = None,
    ledger: Annotated[
        Path | None, typer.Option(help="Where spending is recorded [default: beside the data].", show_default=False)
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            help="The data's budget in nats, if new to the ledger [default: the epsilon].",
            show_default=False,
            parser=as_number,
            metavar="<float>",
        ),
    ] = None,
) -> None:
    """Answer the query from the table at the promised privacy, and record what it cost."""
    if budget is not None and not (isfinite(budget) and budget > 0):
        raise InputError("--budget", budget, "a finite number above 0")
    read = read_spec(spec)
    refuse_moments(read)
    notion = read.promise()
    if read.moments is not None:
        release_moments(read, read.moments, spec.parent, json, data, ledger, budget)
        return
    with working("releasing"):
        told, people = bound(read, spec.parent, data)
        if people is None:
            raise InputError("data", "missing", "a section [data] that names the columns to read")
        chosen = told.calibrated()
        answer = true_answer(chosen, people)
        fingerprint = people.fingerprint()
        record = Ledger(ledger if ledger is not None else _beside(people.path))
        limit = budget if budget is not None else (notion.epsilon or 0.0)
        done = release_once(chosen, notion, answer, record, fingerprint, limit, read.model_dump_json())
    certificate = _certificate(read, notion, done, fingerprint, sum(s.people for s in chosen.joints[0].strata()))
    money = {"initial": done.budget.initial, "spent": done.budget.spent, "remaining": done.budget.remaining}
    if json:
        answers = [answer_json(each) for each in done.answers]
        print_json({"answers": answers, "labels": list(done.names), "certificate": certificate, "budget": money})
        return
    _show(done, notion, certificate)


def _beside(file: Path) -> Path:
    return file.with_name(file.name + ".ledger.sqlite")


def _certificate(spec: Spec, notion: Notion, done: Released, fingerprint: str, people: int) -> dict[str, Any]:
    return {
        "notion": notion.model_dump(mode="json"),
        **calibration_json(done.calibration),
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


def _show(done: Released, notion: Notion, certificate: dict[str, Any]) -> None:
    shown = [
        [name or "answer", a if isinstance(a, str) else f"{float(a):g}"]
        for name, a in zip(done.names, done.answers, strict=True)
    ]
    print_table("Released", ["", "noised answer"], shown)
    calibration = done.calibration
    rows = [
        ["promise", f"{notion.kind} privacy, {notion.epsilon:g} nats"],
        ["leakage", f"{nats(calibration.leakage.epsilon)} nats, most about {whose(calibration.leakage.witness)}"],
        ["noise", f"{added(calibration.noise)}; expected error {calibration.expected_error:.4g} per answer"],
        ["why sound", calibration.why],
        *[["rests on", hypothesis] for hypothesis in certificate["hypotheses"]],
        [
            "budget",
            f"{done.budget.spent:.6g} of {done.budget.initial:.6g} nats spent, {done.budget.remaining:.6g} left",
        ],
    ]
    print_table("Certificate", ["", ""], rows)
