"""`dalenius audit`: what a release really leaks about one person."""

from collections.abc import Iterable
from math import isfinite
from time import perf_counter
from typing import Annotated, Final

import typer

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.cli.certificates import print_certificates
from dalenius.cli.options import AsJson, DataFile, Plugins, SpecFile, as_number
from dalenius.cli.output import print_json, print_table, working
from dalenius.cli.tradeoff import TradeoffFile, drawn, print_tradeoff
from dalenius.errors import InputError
from dalenius.notions import ALL_NOTIONS, Notion, audit as audit_release, leakage_in_words
from dalenius.reports import check_picture
from dalenius.spec import bound, read_spec
from dalenius.spec.results import delta_json, leakage_json, tradeoff_json
from dalenius.spec.words import enclosed, nats, where, whose

TIGHT: Final = 1e-6
"""The relative width of an enclosure that is shown as one number."""


def audit(
    spec: SpecFile,
    json: AsJson = False,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="Also report the least delta of every notion that has one.", parser=as_number, metavar="<float>"
        ),
    ] = None,
    engine: Annotated[str | None, typer.Option(help="enumeration, factor, convolution or tilting.")] = None,
    data: DataFile = None,
    tradeoff: TradeoffFile = None,
    plugin: Plugins = None,
) -> None:
    """Every notion's leakage of the given release, and about whom it is largest."""
    if epsilon is not None and not (isfinite(epsilon) and epsilon >= 0):
        raise InputError("--epsilon", epsilon, "a finite number of at least 0")
    if tradeoff is not None:
        check_picture(tradeoff)
    start = perf_counter()
    with working("auditing"):
        read = bound(read_spec(spec), spec.parent, data)[0]
        if read.moments is not None and tradeoff is not None:
            raise InputError("--tradeoff", str(tradeoff), "a model whose laws are known, not moments alone")
        if read.moments is not None:
            print_certificates(read, read.moments, epsilon, json)
            return
        release = read.audited(engine)
        notions = asked(read.notions)
        found = audit_release(release, notions)
        deltas = {} if epsilon is None else _deltas(release, [each for each in notions if each.kind in found], epsilon)
        tests = None if tradeoff is None else drawn(release, tradeoff)
    seconds = perf_counter() - start
    name, why = described(release)
    named = {notion.kind: notion for notion in notions}
    if json:
        shown = {kind: leakage_json(leakage, named.get(kind)) for kind, leakage in found.items()}
        shown |= {kind: shown[kind] | delta_json(delta) for kind, delta in deltas.items()}
        tested = {} if tests is None else tradeoff_json(tests)
        print_json({"engine": name, "why": why, "seconds": seconds, "leakage": shown, **tested})
        return
    rows = []
    for kind, leakage in found.items():
        rows.append([kind, enclosed(leakage), whose(leakage.witness), where(leakage)])
        rows += [[f"  {other}", nats(value.middle), "", ""] for other, value in leakage.companions.items()]
    print_table("What the release leaks (nats)", ["notion", "leakage", "about whom", "where"], rows)
    for kind, leakage in found.items():
        if kind in named and (said := leakage_in_words(named[kind], leakage)):
            print(f"{kind}: {said}")
    for kind, delta in deltas.items():
        print(f"{kind} delta at epsilon {epsilon:g}: {_said(delta)}")
    if tests is not None:
        print_tradeoff(tests)
    print(f"{name} engine ({why}), {seconds:.2f} s")


def _deltas(release: Release, notions: Iterable[Notion], epsilon: float) -> dict[str, Enclosure]:
    """The least delta of each notion that has one."""
    each = {notion.kind: notion.least_delta(release, epsilon) for notion in notions}
    return {kind: delta for kind, delta in each.items() if delta is not None}


def _said(delta: Enclosure) -> str:
    if delta.upper - delta.lower <= TIGHT * delta.upper:
        return f"{delta.middle:.6g}"
    return f"{delta.lower:.6g} to {delta.upper:.6g}"


def asked(notions: Iterable[Notion]) -> tuple[Notion, ...]:
    """The notions of every audit, and the spec's where they are others, or are not read from the channels alone."""
    named = {type(notion): notion for notion in notions}
    usual = [named.get(type(each), each) if not _plain(named.get(type(each))) else each for each in ALL_NOTIONS]
    return (*usual, *(notion for kind, notion in named.items() if kind not in map(type, ALL_NOTIONS)))


def _plain(notion: Notion | None) -> bool:
    return notion is None or notion.of_channels


def described(release: Release) -> tuple[str, str]:
    """The engine by its public name, and why it was chosen."""
    engines = release.engines()
    names = {"enumeration" if engine == "enumeration" else "factor" for engine, _ in engines}
    engine, why = engines[0] if engines else ("none", "nobody's record touches the answer")
    others = f", and {len(engines) - 1} more parts like it" if len(engines) > 1 else ""
    return " and ".join(sorted(names)) or "none", f"{engine}: {why}{others}"
