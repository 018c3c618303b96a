"""`dalenius audit`: what a release really leaks about one person."""

from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from dalenius.bounds import Enclosure
from dalenius.channel import Release, largest_tail
from dalenius.channel.witness import NEAR
from dalenius.cli.certificates import print_certificates
from dalenius.cli.options import AsJson, DataFile, Plugins, SpecFile, as_number
from dalenius.cli.output import print_json, print_table, working
from dalenius.errors import InputError
from dalenius.notions import ALL_NOTIONS, Notion, audit as audit_release, delta_of, noiseless_delta
from dalenius.reports import check_picture, draw_tail, tail_curve
from dalenius.spec import bound, read_spec
from dalenius.spec.results import delta_json, leakage_json, tail_json
from dalenius.spec.words import enclosed, how_likely as how_chancy, nats, tail_words, where, whose


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
    how_likely: Annotated[
        bool, typer.Option("--how-likely", help="Also report how likely outputs are that leak much.")
    ] = False,
    tail: Annotated[
        Path | None,
        typer.Option(help="Draw how likely outputs are that leak more than each epsilon, and write a CSV beside it."),
    ] = None,
) -> None:
    """Every notion's leakage of the given release, and about whom it is largest."""
    if epsilon is not None and not (isfinite(epsilon) and epsilon >= 0):
        raise InputError("--epsilon", epsilon, "a finite number of at least 0")
    if tail is not None:
        check_picture(tail, "--tail")
    start = perf_counter()
    with working("auditing"):
        read = bound(read_spec(spec), spec.parent, data)[0]
        if read.moments is not None:
            _check_no_tail(how_likely or tail is not None)
            print_certificates(read, read.moments, epsilon, json)
            return
        release = read.audited(engine)
        found = audit_release(release, asked(read.notion), how_likely=True)
        delta = None if epsilon is None else delta_of(release, epsilon)
        partly = None if epsilon is None else _noiseless(release, read.notion, epsilon)
        likely = None
        if how_likely or tail is not None:
            likely = largest_tail(channel.tail() for channel in release.all_channels())
        chances = None if likely is None else tail_json(likely)
        written = None if likely is None or tail is None else draw_tail(tail_curve(likely), tail)
    seconds = perf_counter() - start
    name, why = described(release)
    if json:
        shown = {kind: leakage_json(leakage) for kind, leakage in found.items()}
        if delta is not None:
            shown["inferential"] |= delta_json(delta)
        if partly is not None:
            shown["noiseless"] |= delta_json(partly)
        extra = {"tail": chances} if how_likely or tail is not None else {}
        print_json({"engine": name, "why": why, "seconds": seconds, "leakage": shown, **extra})
        return
    rows = []
    for kind, leakage in found.items():
        rows.append([kind, enclosed(leakage), whose(leakage.witness), where(leakage), how_chancy(leakage)])
        rows += [[f"  {other}", nats(value.middle), "", "", ""] for other, value in leakage.companions.items()]
    print_table(
        "What the release leaks (nats)", ["notion", "leakage", "about whom", "where", "probability, near"], rows
    )
    if any(leakage.witness is not None and leakage.witness.log_near is not None for leakage in found.values()):
        print(f"near: the probability that an output leaks at least {NEAR:.0%} of the leakage")
    if delta is not None:
        print(f"inferential delta at epsilon {epsilon:g}: {delta.middle:.6g}")
    if partly is not None:
        print(f"noiseless delta at epsilon {epsilon:g}: {partly.lower:.6g} to {partly.upper:.6g}")
    if chances is not None:
        print("\n".join(tail_words(chances)))
    if written is not None:
        print(f"wrote {written[0]} and {written[1]}")
    print(f"{name} engine ({why}), {seconds:.2f} s")


def _check_no_tail(asked_for: bool) -> None:
    """InputError where the laws of the answer, which tails are read from, are not computed."""
    if asked_for:
        raise InputError("--how-likely", "model moments", "a model whose laws are known")


def _noiseless(release: Release, notion: Notion | None, epsilon: float) -> Enclosure | None:
    """The noiseless δ at the background fraction of the spec's notion; None where it has none."""
    if notion is None or notion.background_fraction is None:
        return None
    return noiseless_delta(release, epsilon, notion.background_fraction)


def asked(notion: Notion | None) -> tuple[Notion, ...]:
    """The notions of every audit, and the spec's where it is another."""
    if notion is None or type(notion) in map(type, ALL_NOTIONS):
        return ALL_NOTIONS
    return (*ALL_NOTIONS, notion)


def described(release: Release) -> tuple[str, str]:
    """The engine by its public name, and why it was chosen."""
    engines = release.engines()
    names = {"enumeration" if engine == "enumeration" else "factor" for engine, _ in engines}
    engine, why = engines[0] if engines else ("none", "nobody's record touches the answer")
    others = f", and {len(engines) - 1} more parts like it" if len(engines) > 1 else ""
    return " and ".join(sorted(names)) or "none", f"{engine}: {why}{others}"
