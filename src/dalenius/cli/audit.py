"""`dalenius audit`: what a release really leaks about one person."""

from math import isfinite
from time import perf_counter
from typing import Annotated

import typer

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.cli.certificates import print_certificates
from dalenius.cli.options import AsJson, DataFile, Plugins, SpecFile, as_number
from dalenius.cli.output import print_json, print_table, working
from dalenius.errors import InputError
from dalenius.notions import ALL_NOTIONS, Notion, audit as audit_release, delta_of, noiseless_delta
from dalenius.spec import bound, read_spec
from dalenius.spec.results import delta_json, leakage_json
from dalenius.spec.words import enclosed, nats, where, whose


def audit(
    spec: SpecFile,
    json: AsJson = False,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="Also report the least delta of inferential(epsilon, delta).", parser=as_number, metavar="<float>"
        ),
    ] = None,
    engine: Annotated[str | None, typer.Option(help="enumeration, factor, convolution or tilting.")] = None,
    data: DataFile = None,
    plugin: Plugins = None,
) -> None:
    """Every notion's leakage of the given release, and about whom it is largest."""
    if epsilon is not None and not (isfinite(epsilon) and epsilon >= 0):
        raise InputError("--epsilon", epsilon, "a finite number of at least 0")
    start = perf_counter()
    with working("auditing"):
        read = bound(read_spec(spec), spec.parent, data)[0]
        if read.moments is not None:
            print_certificates(read, read.moments, epsilon, json)
            return
        release = read.audited(engine)
        found = audit_release(release, asked(read.notion))
        delta = None if epsilon is None else delta_of(release, epsilon)
        partly = None if epsilon is None else _noiseless(release, read.notion, epsilon)
    seconds = perf_counter() - start
    name, why = described(release)
    if json:
        shown = {kind: leakage_json(leakage) for kind, leakage in found.items()}
        if delta is not None:
            shown["inferential"] |= delta_json(delta)
        if partly is not None:
            shown["noiseless"] |= delta_json(partly)
        print_json({"engine": name, "why": why, "seconds": seconds, "leakage": shown})
        return
    rows = []
    for kind, leakage in found.items():
        rows.append([kind, enclosed(leakage), whose(leakage.witness), where(leakage)])
        rows += [[f"  {other}", nats(value.middle), "", ""] for other, value in leakage.companions.items()]
    print_table("What the release leaks (nats)", ["notion", "leakage", "about whom", "where"], rows)
    if delta is not None:
        print(f"inferential delta at epsilon {epsilon:g}: {delta.middle:.6g}")
    if partly is not None:
        print(f"noiseless delta at epsilon {epsilon:g}: {partly.lower:.6g} to {partly.upper:.6g}")
    print(f"{name} engine ({why}), {seconds:.2f} s")


def _noiseless(release: Release, notion: Notion | None, epsilon: float) -> Enclosure | None:
    """The noiseless δ at the background fraction of the spec's notion; None where it has none."""
    if notion is None or notion.background_fraction is None:
        return None
    return noiseless_delta(release, epsilon, notion.background_fraction, notion.background_values)


def asked(notion: Notion | None) -> tuple[Notion, ...]:
    """The notions of every audit, and the spec's where it is another, or is not read from the channels alone."""
    if notion is None or (notion.of_channels and type(notion) in map(type, ALL_NOTIONS)):
        return ALL_NOTIONS
    if type(notion) in map(type, ALL_NOTIONS):
        return tuple(notion if type(each) is type(notion) else each for each in ALL_NOTIONS)
    return (*ALL_NOTIONS, notion)


def described(release: Release) -> tuple[str, str]:
    """The engine by its public name, and why it was chosen."""
    engines = release.engines()
    names = {"enumeration" if engine == "enumeration" else "factor" for engine, _ in engines}
    engine, why = engines[0] if engines else ("none", "nobody's record touches the answer")
    others = f", and {len(engines) - 1} more parts like it" if len(engines) > 1 else ""
    return " and ".join(sorted(names)) or "none", f"{engine}: {why}{others}"
