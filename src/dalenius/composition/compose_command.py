"""`dalenius compose`: what several releases of the same records leak together, and by which route that is known."""

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from dalenius.channel import Release
from dalenius.channel.leakage import Leakage
from dalenius.cli.options import AsJson, DataFile, Plugins, ProgressLines, Quiet, number_option, option
from dalenius.cli.output import print_json, print_table, say, working
from dalenius.composition import Bound, Composed, Releases, Tried, compose as composed
from dalenius.errors import InputError
from dalenius.notions import InferentialPrivacy, Notion
from dalenius.spec import Spec, bound, read_spec
from dalenius.spec.results import leakage_json, notion_json, number
from dalenius.spec.words import nats

SpecFiles = Annotated[
    list[Path],
    typer.Argument(
        help="The specs: one release each, in order; the same one may be repeated.",
        show_default=False,
    ),
]


def compose(
    spec: SpecFiles,
    route: Annotated[
        str | None,
        option(
            "Only this: joint, parallel, conditional_independence, conversion, weak_dependence, group or "
            "addition (differential)."
        ),
    ] = None,
    adaptive: Annotated[bool, option("Later releases may depend on earlier outputs.", name="--adaptive")] = False,
    delta: Annotated[float | None, number_option("The delta of the answer [default: the notion's].")] = None,
    json: AsJson = False,
    data: DataFile = None,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
) -> None:
    """What several releases of the same records leak together, by the tightest sound route."""
    start = perf_counter()
    with working("composing"):
        read = [bound(read_spec(each), each.parent, data)[0] for each in spec]
        releases = Releases(tuple(_audited(each, path) for each, path in zip(read, spec, strict=True)), adaptive)
        found = composed(releases, _notion(read, spec), route, delta)
    if json:
        print_json({**composed_json(found), "seconds": perf_counter() - start})
        return
    at = f", delta {found.bound.delta:g}" if found.bound.delta else ""
    said = "1 release leaks" if len(releases) == 1 else f"{len(releases)} releases leak together"
    title = f"What {said}, {found.notion.kind}{at}"
    print_table(title, ["route", "nats", "rests on, or why not"], composed_rows(found))
    say(f"rule: {found.rule}; {perf_counter() - start:.2f} s")


def _audited(spec: Spec, path: Path) -> Release:
    try:
        return spec.audited()
    except InputError as error:
        raise InputError(f"{path}: {error.key}", error.value, error.wanted) from None


def _notion(specs: list[Spec], paths: list[Path]) -> Notion:
    """The one notion that the specs name, whatever its epsilon; inferential where they name none."""
    named = [(path, notion) for spec, path in zip(specs, paths, strict=True) for notion in spec.notions]
    if not named:
        return InferentialPrivacy()
    _, first = named[0]
    for path, other in named[1:]:
        if other.altered(UNSAID) != first.altered(UNSAID):
            raise InputError(f"{path}: notion.kind", other.kind, f"{first.kind}, as before: one notion is composed")
    return first


UNSAID = {"epsilon": None, "factor": None, "odds": None, "from_": None, "to": None, "advantage": None}
"""What makes a promise of a notion, which is left aside."""


def composed_json(found: Composed) -> dict[str, Any]:
    """The tightest bound with its route, and every route's own."""
    value = found.bound.value
    leakage = leakage_json(Leakage(value.lower, value.upper, found.bound.witness))
    return {
        "notion": notion_json(found.notion),
        "rule": found.rule,
        "adaptive": found.releases.adaptive,
        "releases": [
            {"query": each.query.words, "noise": each.noise.model_dump(mode="json", exclude_none=True)}
            for each in found.releases.each
        ],
        "route": found.route,
        "delta": found.bound.delta,
        "epsilon": leakage["upper"],
        **{key: leakage[key] for key in ("lower", "upper", "witness")},
        "hypotheses": list(found.bound.hypotheses),
        "routes": {tried.route: _tried_json(tried) for tried in found.tried},
    }


def _tried_json(tried: Tried) -> dict[str, Any]:
    if tried.bound is None:
        return {"applies": False, "why": tried.reason}
    bound = tried.bound
    ends = {"lower": number(bound.value.lower), "upper": number(bound.value.upper)}
    return {"applies": True, **ends, "hypotheses": list(bound.hypotheses)}


def composed_rows(found: Composed) -> list[list[str]]:
    """Per route: its name, the nats, and what it rests on or why it does not apply."""
    return [
        [
            f"{tried.route} (the least)" if tried.route == found.route else tried.route,
            "" if tried.bound is None else _shown(tried.bound),
            str(tried.reason) if tried.bound is None else "; ".join(tried.bound.hypotheses),
        ]
        for tried in found.tried
    ]


def _shown(bound: Bound) -> str:
    exact = bound.value.upper - bound.value.lower <= 1e-6 * bound.value.upper or bound.value.lower == bound.value.upper
    return nats(bound.upper) if exact else f"at most {nats(bound.upper)}"
