"""The command `compose`: what several releases of the same records leak together, and by which route that is known.

And `stream`: what answers about one person, one a step, leak of each step and of all.

A value is kept with .9 from step to step, and there are three answers of ε = .1. `dalenius stream --persistence .9
--epsilon .1 --steps 3` prints backward losses of .1, .189986 and .270889 nats. It prints a total of .279971 at step 2,
the worst, and suprema of .89586 nats on either side and 1.69172 together.
"""

from math import exp, inf, isinf
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Final

import typer

from dalenius.bounds import Enclosure, from_below
from dalenius.channel import Release
from dalenius.channel.leakage import Leakage
from dalenius.cli.options import (
    AsJson,
    DataFile,
    Encoding,
    Memory,
    Plugins,
    ProgressLines,
    Quiet,
    number_option,
    option,
)
from dalenius.cli.output import print_json, print_table, say, say_omitted, working
from dalenius.cli.reading import bound
from dalenius.composition import (
    Composed,
    LeakedOverTime,
    Releases,
    RouteBound,
    Stream,
    Tried,
    compose as composed,
    stream as streamed,
)
from dalenius.composition.losses_over_time import StepLosses
from dalenius.composition.plot import draw_by_step
from dalenius.errors import InputError
from dalenius.notions import InferentialPrivacy, Notion
from dalenius.omitted import omitted_json
from dalenius.plotting import check_picture
from dalenius.spec import Spec, read_model, read_spec
from dalenius.spec.results_as_json import leakage_json, notion_json, number, printed
from dalenius.spec.results_in_words import nats

SpecFiles = Annotated[
    list[Path],
    typer.Argument(help="The specs: one release each, in order. You may repeat a spec.", show_default=False),
]


def compose(
    spec: SpecFiles,
    route: Annotated[
        str | None, option("Try only this route: joint, conversion, weak_dependence, group or addition (differential).")
    ] = None,
    adaptive: Annotated[bool, option("Later releases may depend on earlier outputs.", name="--adaptive")] = False,
    delta: Annotated[float | None, number_option("The delta of the answer [default: the notion's].")] = None,
    json: AsJson = False,
    data: DataFile = None,
    encoding: Encoding = None,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> None:
    """Bound what several releases of the same records leak together, by the tightest sound route."""
    start = perf_counter()
    with working("composing"):
        read = [_bound(read_spec(each).in_encoding(encoding), each.parent, data) for each in spec]
        releases = Releases(tuple(_audited(each, path) for each, path in zip(read, spec, strict=True)), adaptive)
        found = composed(releases, _notion(read, spec), route, delta)
    omitted = tuple(dict.fromkeys(each for release in releases.each for each in release.omitted))
    if json:
        print_json({**_composed_json(found), "seconds": perf_counter() - start, **omitted_json(omitted)})
        return
    # Because most promises have no delta, the title speaks of one only where there is one.
    at = f", delta {found.bound.delta:g}" if found.bound.delta else ""
    said = "1 release leaks" if len(releases) == 1 else f"{len(releases)} releases leak together"
    title = f"What {said}, {found.notion.called}{at}"
    print_table(title, ["route", "nats", "rests on, or why not"], _composed_rows(found))
    say_omitted(omitted)
    say(f"rule: {found.rule}; {perf_counter() - start:.2f} s")


def _bound(spec: Spec, folder: Path, data: str | None) -> Spec:
    """Returns the spec with what its model reads from the table; who is absent, with everybody's own answers."""
    read, people = bound(spec, folder, data)
    # Because several answers are those of the same people, and counts of values do not say who has which.
    if people is None or read.query is None or read.model.gives != "answers" or read.model.household_columns:
        return read
    from dalenius.absent.one_absent_model import Absent
    from dalenius.tables.who_is_absent import in_order

    assert isinstance(spec.model, Absent)  # as no other model is read from answers
    return read.altered({"model": spec.model.with_left_out(read.query.left_out(in_order(people)))})


def _audited(spec: Spec, path: Path) -> Release:
    """Returns the spec's release.

    InputError, of which the key begins with the file.
    """
    try:
        return spec.audited()
    # Because only one of several specs is wrong, its name is what the reader looks for.
    except InputError as error:
        raise InputError(f"{path}: {error.key}", error.value, error.wanted) from None


def _notion(specs: list[Spec], paths: list[Path]) -> Notion:
    """Returns the one notion that the specs name, whatever its epsilon; inferential where they name none."""
    named = [(path, notion) for spec, path in zip(specs, paths, strict=True) for notion in spec.notions]
    if not named:
        return InferentialPrivacy()
    _, first = named[0]
    for path, other in named[1:]:
        # Because last year's release may promise 1 nat and this year's .5: that is one notion. Another kind, or delta,
        # is not.
        if other.altered(_UNSAID) != first.altered(_UNSAID):
            raise InputError(f"{path}: notion.kind", other.kind, f"{first.kind}, as before: one notion is composed")
    return first


_UNSAID = {"epsilon": None, "factor": None, "odds": None, "from_": None, "to": None, "advantage": None}
"""The values that make a promise of a notion, which are left aside."""


def _composed_json(found: Composed) -> dict[str, Any]:
    """Returns the tightest bound with its route, and every route's own, ready for JSON."""
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
        **{key: leakage[key] for key in ("lower", "upper", "is_bound", "witness")},
        "hypotheses": list(found.bound.hypotheses),
        "routes": {tried.route: _tried_json(tried) for tried in found.tried},
    }


def _tried_json(tried: Tried) -> dict[str, Any]:
    """Returns a route ready for JSON: its ends in nats and what they rest on, or why it does not apply."""
    if tried.bound is None:
        return {"applies": False, "why": tried.reason}
    bound = tried.bound
    ends = {"lower": number(bound.value.lower), "upper": number(bound.value.upper)}
    return {"applies": True, **ends, "hypotheses": list(bound.hypotheses)}


def _composed_rows(found: Composed) -> list[list[str]]:
    """Returns a row for each route: its name, the nats, and what it rests on or why it does not apply."""
    return [
        [
            f"{tried.route} (the least)" if tried.route == found.route else tried.route,
            "" if tried.bound is None else _shown(tried.bound),
            str(tried.reason) if tried.bound is None else "; ".join(tried.bound.hypotheses),
        ]
        for tried in found.tried
    ]


def _shown(bound: RouteBound) -> str:
    """Writes the upper end in nats; "at most" before it where the lower end is further off than the digits printed."""
    if bound.value.half_open:
        return from_below(bound.value, nats)
    exact = bound.value.upper - bound.value.lower <= 1e-6 * bound.value.upper or bound.value.lower == bound.value.upper
    return nats(bound.upper) if exact else f"at most {nats(bound.upper)}"


def stream(
    spec: Annotated[
        Path | None,
        typer.Argument(
            help="A TOML or JSON file with a [model] of kind chain, one record per step.", show_default=False
        ),
    ] = None,
    epsilon: Annotated[
        str, typer.Option(help="The epsilon of every answer; or one per step, with commas between.", metavar="<floats>")
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
    reversed: Annotated[
        bool, option("The model begins with the last step: its rows belong to the later value.", name="--reversed")
    ] = False,
    plot: Annotated[Path | None, option("Also draw the losses by step: PNG, SVG or PDF, and a CSV.")] = None,
    json: AsJson = False,
    data: DataFile = None,
    encoding: Encoding = None,
    plugin: Plugins = None,
    quiet: Quiet = False,
) -> None:
    """Bound what answers about one person's values leak over time, if each answer is private alone."""
    start = perf_counter()
    # Where both are given, or neither, it is not said which law the person's values have.
    if (spec is None) == (persistence is None):
        raise InputError("spec", "missing" if spec is None else str(spec), "one of a spec and a --persistence")
    # So that a folder that is not there is said before the losses are computed, not after.
    if plot is not None:
        check_picture(plot)
    with working("following the stream"):
        model = None if spec is None else bound(read_model(spec).in_encoding(encoding), spec.parent, data)[0].model
        found = streamed(
            model, _numbers(epsilon), steps=steps, reversed=reversed, persistence=persistence, values=values
        )
        shown = _stream_json(found)
    if plot is not None:
        draw_by_step(found, plot)
    if json:
        print_json({**shown, "seconds": perf_counter() - start})
        return
    print_table(
        "What leaks of each step's value (nats, at most)",
        ["step", "epsilon", *_SIDES],
        [_row(shown["steps"][step - 1]) for step in _chosen(len(found), shown["worst_step"])],
    )
    print_table("In all", ["", "nats"], _summary(shown))
    say(f"{shown['in_words']} Results 9.8 to 9.11, {perf_counter() - start:.2f} s")


_SIDES: Final = ("backward", "forward", "total")


def _numbers(text: str) -> list[float]:
    """Reads numbers with commas between; InputError for anything else."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError("--epsilon", text, "a number above 0, or one a step with commas between") from None


def _stream_json(stream: Stream) -> dict[str, Any]:
    """Returns a stream's losses ready for JSON; any: by whatever private mechanisms, at most."""
    upper = stream.worst.total.upper
    # Because steps may be equal but for rounding, the first step, from 1, about which as much leaks as about any.
    worst = int((upper >= upper.max() * (1 - 1e-6)).argmax()) + 1
    steps = [
        {"step": step + 1, "epsilon": float(epsilon), "any": _sides(stream.worst, step)}
        for step, epsilon in enumerate(stream.epsilons)
    ]
    return {
        "naive": stream.naive,
        "sum": _ends(stream.summed),
        "worst_step": worst,
        "any": {**_sides(stream.worst), "process": _ends(stream.worst.process)},
        "supremum": {name: None if value is None else _ends(value) for name, value in stream.limits.items()},
        "in_words": _in_words(stream, worst),
        "steps": steps,
    }


def _sides(found: LeakedOverTime, step: int | None = None) -> dict[str, Any]:
    """Returns the losses of one step, counted from 0, or of that about which most leaks."""
    sides: dict[str, StepLosses] = {side: getattr(found, side) for side in _SIDES}
    return {side: _ends(each.largest if step is None else each[step]) for side, each in sides.items()}


def _row(step: dict[str, Any]) -> list[str]:
    """Returns a line of the table: the step, its ε, and the losses in nats."""
    return [str(step["step"]), f"{step['epsilon']:g}", *(_shown_ends(step["any"][side]) for side in _SIDES)]


def _chosen(steps: int, worst: int) -> list[int]:
    """Returns the steps that are printed: all, or the first and last ones and those at round distances between."""
    # So that a short stream is seen whole, all of its steps are shown.
    if steps <= 16:
        return list(range(1, steps + 1))
    near = {place * 10**power for power in range(len(str(steps))) for place in (1, 2, 3, 5)}
    ends = near | {steps + 1 - each for each in near} | {worst, (steps + 1) // 2}
    return sorted(each for each in ends if 1 <= each <= steps)


def _summary(shown: dict[str, Any]) -> list[list[str]]:
    """Returns the second table: what is claimed of one step, what leaks of one and of all, and of an endless stream."""
    rows = [["claimed: ε of one step", f"{shown['naive']:.6g}"]]
    for said, key in (("of one step's value, by all answers", "total"), ("of all values together", "process")):
        rows.append([said, _shown_ends(shown["any"][key])])
    rows.append(["sum of all ε", _shown_ends(shown["sum"])])
    for name, ends in shown["supremum"].items():
        rows.append([f"supremum, {name}", "none known: steps differ" if ends is None else _shown_ends(ends)])
    return rows


def _shown_ends(ends: dict[str, Any]) -> str:
    """Writes one number where the ends agree to the six digits printed, else both."""
    if ends["upper"] == "inf" != ends["lower"]:
        return from_below(Enclosure(ends["lower"], inf))
    lower, upper = ("∞" if end == "inf" else f"{end:.6g}" for end in (ends["lower"], ends["upper"]))
    close = upper != "∞" and ends["upper"] - ends["lower"] <= 1e-6 * ends["upper"]
    return upper if close or lower == upper else f"{lower} to {upper}"


def _in_words(stream: Stream, worst: int) -> str:
    """Says what was promised, and how far odds move; worst: the step about which most leaks, from 1."""
    found, naive = stream.worst, stream.naive
    most = found.total.largest.upper
    one_answer = f"One answer alone moves the odds between two values of its step by a factor of up to {_fold(naive)}"
    if len(stream) == 1:  # one answer is no stream: nothing adds up
        return f"{one_answer}."
    return (
        f"{one_answer}; all {len(stream)} together those at step {worst} by up to {_fold(most)}, "
        f"{most / naive:.3g} times ε, and those between two whole histories by up to {_fold(found.process.upper)}."
    )


def _fold(nats: float) -> str:
    """Writes e^nats, as a factor by which odds move."""
    # So that no factor is above about a million, larger ones are written as powers of e.
    return f"{exp(nats):.4g}" if nats < 14.0 else f"e^{nats:.4g}"


def _ends(value: Enclosure) -> dict[str, Any]:
    """Returns the two ends, rounded outwards to the digits that are reliable."""
    lower, upper = value if isinf(value.upper) else printed(value)[::2]
    return {"lower": number(lower), "upper": number(upper)}
