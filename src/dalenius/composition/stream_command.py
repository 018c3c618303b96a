"""`dalenius stream`: what answers about one person, one a step, leak of each step and of all."""

from math import exp, isinf
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Final

import typer

from dalenius.bounds import Enclosure
from dalenius.cli.options import AsJson, DataFile, Plugins, Quiet, number_option, option
from dalenius.cli.output import print_json, print_table, say, working
from dalenius.composition import Leaked, Stream, stream as streamed
from dalenius.drawing import check_picture
from dalenius.errors import InputError
from dalenius.reports.guarantees import draw_by_step
from dalenius.schema import RecordValue
from dalenius.spec import bound, read_model
from dalenius.spec.results import number, printed

SHOWN: Final = 16
"""Steps up to which every one is shown."""
LIKE: Final = 1e-6
"""Relative difference below which of two steps the first is named."""
SAYABLE: Final = 14.0
"""Nats above which a factor is said as a power of e."""


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
        shown = stream_json(found)
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
        [str(step), f"{found.epsilons[step - 1]:g}", *(_shown(side[step - 1]) for side in sides)]
        for step in _chosen(len(found), worst_step(found))
    ]


def _chosen(steps: int, worst: int) -> list[int]:
    """All, or the first and last ones and those at round distances between."""
    if steps <= SHOWN:
        return list(range(1, steps + 1))
    near = {place * 10**power for power in range(len(str(steps))) for place in (1, 2, 3, 5)}
    ends = near | {steps + 1 - each for each in near} | {worst, (steps + 1) // 2}
    return sorted(each for each in ends if 1 <= each <= steps)


def _summary(found: Stream) -> list[list[str]]:
    limits = found.limits
    rows = [
        ["claimed: ε of one step", f"{found.naive:.6g}"],
        ["of one step's value, by all answers", _shown(found.worst.total.largest)],
        *([["the same, Laplace noise", _shown(found.additive.total.largest)]] if found.additive is not None else []),
        ["of all values together", _shown(found.worst.process)],
        *([["the same, Laplace noise", _shown(found.additive.process)]] if found.additive is not None else []),
        ["sum of all ε", _shown(found.summed)],
    ]
    for name, value in limits.items():
        rows.append([f"supremum, {name}", "none known: steps differ" if value is None else _shown(value)])
    return rows


def _shown(value: Enclosure) -> str:
    if value.upper == float("inf"):
        return "∞" if value.lower == value.upper else f"{value.lower:.6g} to ∞"
    if value.upper - value.lower <= 1e-6 * value.upper:
        return f"{value.upper:.6g}"
    return f"{value.lower:.6g} to {value.upper:.6g}"


def stream_json(stream: Stream) -> dict[str, Any]:
    """any: by whatever private mechanisms, at most; additive: by noise of scale Δ/ε_t, if values are numbers."""
    limits = {name: None if value is None else _ends(value) for name, value in stream.limits.items()}
    return {
        "naive": stream.naive,
        "sum": _ends(stream.summed),
        "worst_step": worst_step(stream),
        "any": _largest(stream.worst),
        "additive": None if stream.additive is None else _largest(stream.additive),
        "supremum": limits,
        "in_words": in_words(stream),
        "steps": [_step(stream, step) for step in range(len(stream))],
    }


def worst_step(stream: Stream) -> int:
    """The first step, from 1, about whose value as much as about any leaks."""
    upper = stream.worst.total.upper
    return int((upper >= upper.max() * (1 - LIKE)).argmax()) + 1


def in_words(stream: Stream) -> str:
    """What was promised, and what the odds are."""
    found = stream.additive or stream.worst
    most, naive = found.total.largest.upper, stream.naive
    noise = "with Laplace noise " if stream.additive is not None else ""
    alone = f"One answer alone moves the odds between two values of its step by a factor of up to {_fold(naive)}"
    if len(stream) == 1:
        return f"{alone}."
    return (
        f"{alone}; all {len(stream)} together {noise}those at step {worst_step(stream)} by up to {_fold(most)}, "
        f"{most / naive:.3g} times ε, and those between two whole histories by up to {_fold(found.process.upper)}."
    )


def _fold(nats: float) -> str:
    return f"{exp(nats):.4g}" if nats < SAYABLE else f"e^{nats:.4g}"


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
