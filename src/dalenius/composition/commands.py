"""`dalenius compose`: what several releases of the same records leak together, and by which route that is known.

`dalenius stream`: what answers about one person, one a step, leak of each step and of all.
"""

from math import exp, isinf
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.channel.leakage import Leakage
from dalenius.cli.options import AsJson, DataFile, Plugins, ProgressLines, Quiet, number_option, option
from dalenius.cli.output import print_json, print_table, say, working
from dalenius.composition import (
    Bound,
    Composed,
    Leaked,
    Releases,
    Stream,
    Tried,
    compose as composed,
    stream as streamed,
)
from dalenius.drawing import check_picture
from dalenius.errors import InputError
from dalenius.notions import InferentialPrivacy, Notion
from dalenius.reports.guarantees import draw_by_step
from dalenius.schema import RecordValue
from dalenius.spec import Spec, bound, read_model, read_spec
from dalenius.spec.results import leakage_json, notion_json, number, printed
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
        print_json({**_composed_json(found), "seconds": perf_counter() - start})
        return
    at = f", delta {found.bound.delta:g}" if found.bound.delta else ""
    said = "1 release leaks" if len(releases) == 1 else f"{len(releases)} releases leak together"
    title = f"What {said}, {found.notion.kind}{at}"
    print_table(title, ["route", "nats", "rests on, or why not"], _composed_rows(found))
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
        if other.altered(_UNSAID) != first.altered(_UNSAID):
            raise InputError(f"{path}: notion.kind", other.kind, f"{first.kind}, as before: one notion is composed")
    return first


_UNSAID = {"epsilon": None, "factor": None, "odds": None, "from_": None, "to": None, "advantage": None}
"""What makes a promise of a notion, which is left aside."""


def _composed_json(found: Composed) -> dict[str, Any]:
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


def _composed_rows(found: Composed) -> list[list[str]]:
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


def stream(
    spec: Annotated[
        Path | None,
        typer.Argument(help="A TOML or JSON file with a [model] of kind chain, a record a step.", show_default=False),
    ] = None,
    epsilon: Annotated[
        str, typer.Option(help="Of every answer; or one a step, with commas between.", metavar="<floats>")
    ] = "1",
    steps: Annotated[int | None, option("How many answers [default: the model's n].")] = None,
    persistence: Annotated[
        float | None,
        number_option(
            "Instead of a spec: the probability that a value is kept from step to step; otherwise it is drawn "
            "anew, all values alike."
        ),
    ] = None,
    values: Annotated[int, typer.Option(help="With --persistence: how many values there are.")] = 2,
    count: Annotated[str | None, option("The answers count this value [default: they add values up].")] = None,
    reversed: Annotated[
        bool, option("The model begins with the last step: rows are the later value's.", name="--reversed")
    ] = False,
    plot: Annotated[Path | None, option("Draw the losses by step; a CSV goes beside it.")] = None,
    json: AsJson = False,
    data: DataFile = None,
    plugin: Plugins = None,
    quiet: Quiet = False,
) -> None:
    """What answers about one person's values leak over time, each of them private alone."""
    start = perf_counter()
    if (spec is None) == (persistence is None):
        raise InputError("spec", "missing" if spec is None else str(spec), "one of a spec and a --persistence")
    if plot is not None:
        check_picture(plot)
    with working("following the stream"):
        model = None if spec is None else bound(read_model(spec), spec.parent, data)[0].model
        found = streamed(
            model,
            _numbers(epsilon),
            steps=steps,
            reversed=reversed,
            count=None if count is None else _value(count),
            persistence=persistence,
            values=values,
        )
        shown = _stream_json(found)
    if plot is not None:
        draw_by_step(found, plot)
    if json:
        print_json({**shown, "seconds": perf_counter() - start})
        return
    print_table("What leaks of each step's value (nats, at most)", _columns(found), _rows(found))
    print_table("In all", ["", "nats"], _summary(found))
    say(f"{in_words(found)} Results 9.8 to 9.11, {perf_counter() - start:.2f} s")


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError("--epsilon", text, "a number above 0, or one a step with commas between") from None


def _value(text: str) -> RecordValue:
    """A number as one, as in a spec."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _columns(found: Stream) -> list[str]:
    added = ["total, Laplace"] if found.additive is not None else []
    return ["step", "epsilon", "backward", "forward", "total", *added]


def _rows(found: Stream) -> list[list[str]]:
    sides = [found.worst.backward, found.worst.forward, found.worst.total]
    if found.additive is not None:
        sides.append(found.additive.total)
    return [
        [str(step), f"{found.epsilons[step - 1]:g}", *(_shown_losses(side[step - 1]) for side in sides)]
        for step in _chosen(len(found), _worst_step(found))
    ]


def _chosen(steps: int, worst: int) -> list[int]:
    """All, or the first and last ones and those at round distances between."""
    # Steps up to which every one is shown.
    if steps <= 16:
        return list(range(1, steps + 1))
    near = {place * 10**power for power in range(len(str(steps))) for place in (1, 2, 3, 5)}
    ends = near | {steps + 1 - each for each in near} | {worst, (steps + 1) // 2}
    return sorted(each for each in ends if 1 <= each <= steps)


def _summary(found: Stream) -> list[list[str]]:
    limits = found.limits
    rows = [
        ["claimed: ε of one step", f"{found.naive:.6g}"],
        ["of one step's value, by all answers", _shown_losses(found.worst.total.largest)],
        *(
            [["the same, Laplace noise", _shown_losses(found.additive.total.largest)]]
            if found.additive is not None
            else []
        ),
        ["of all values together", _shown_losses(found.worst.process)],
        *([["the same, Laplace noise", _shown_losses(found.additive.process)]] if found.additive is not None else []),
        ["sum of all ε", _shown_losses(found.summed)],
    ]
    for name, value in limits.items():
        rows.append([f"supremum, {name}", "none known: steps differ" if value is None else _shown_losses(value)])
    return rows


def _shown_losses(value: Enclosure) -> str:
    if value.upper == float("inf"):
        return "∞" if value.lower == value.upper else f"{value.lower:.6g} to ∞"
    if value.upper - value.lower <= 1e-6 * value.upper:
        return f"{value.upper:.6g}"
    return f"{value.lower:.6g} to {value.upper:.6g}"


def _stream_json(stream: Stream) -> dict[str, Any]:
    """any: by whatever private mechanisms, at most; additive: by noise of scale Δ/ε_t, if values are numbers."""
    limits = {name: None if value is None else _ends(value) for name, value in stream.limits.items()}
    return {
        "naive": stream.naive,
        "sum": _ends(stream.summed),
        "worst_step": _worst_step(stream),
        "any": _largest(stream.worst),
        "additive": None if stream.additive is None else _largest(stream.additive),
        "supremum": limits,
        "in_words": in_words(stream),
        "steps": [_step(stream, step) for step in range(len(stream))],
    }


def _worst_step(stream: Stream) -> int:
    """The first step, from 1, about whose value as much as about any leaks."""
    upper = stream.worst.total.upper
    # Relative difference below which of two steps the first is named.
    return int((upper >= upper.max() * (1 - 1e-6)).argmax()) + 1


def in_words(stream: Stream) -> str:
    """What was promised, and what the odds are."""
    found = stream.additive or stream.worst
    most, naive = found.total.largest.upper, stream.naive
    noise = "with Laplace noise " if stream.additive is not None else ""
    alone = f"One answer alone moves the odds between two values of its step by a factor of up to {_fold(naive)}"
    if len(stream) == 1:
        return f"{alone}."
    return (
        f"{alone}; all {len(stream)} together {noise}those at step {_worst_step(stream)} by up to {_fold(most)}, "
        f"{most / naive:.3g} times ε, and those between two whole histories by up to {_fold(found.process.upper)}."
    )


def _fold(nats: float) -> str:
    # Nats above which a factor is said as a power of e.
    return f"{exp(nats):.4g}" if nats < 14.0 else f"e^{nats:.4g}"


def _largest(found: Leaked) -> dict[str, Any]:
    sides = {"backward": found.backward, "forward": found.forward, "total": found.total}
    return {**{name: _ends(losses.largest) for name, losses in sides.items()}, "process": _ends(found.process)}


def _step(stream: Stream, step: int) -> dict[str, Any]:
    shown: dict[str, Any] = {"step": step + 1, "epsilon": float(stream.epsilons[step])}
    for name, found in (("any", stream.worst), ("additive", stream.additive)):
        if found is not None:
            sides = {"backward": found.backward, "forward": found.forward, "total": found.total}
            shown[name] = {side: _ends(losses[step]) for side, losses in sides.items()}
    return shown


def _ends(value: Enclosure) -> dict[str, Any]:
    """The two ends, rounded outwards to the digits that are reliable."""
    if isinf(value.upper):
        return {"lower": number(value.lower), "upper": number(value.upper)}
    lower, _, upper = printed(value)
    return {"lower": number(lower), "upper": number(upper)}
