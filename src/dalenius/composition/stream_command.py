"""`dalenius stream`: what answers about one person, one a step, leak of each step and of all."""

from pathlib import Path
from time import perf_counter
from typing import Annotated, Final

import typer

from dalenius.bounds import Enclosure
from dalenius.cli.options import AsJson, DataFile, Plugins, Quiet, number_option, option
from dalenius.cli.output import print_json, print_table, say, working
from dalenius.composition import Stream, stream as streamed
from dalenius.composition.streams_shown import in_words, stream_json, worst_step
from dalenius.drawing import check_picture
from dalenius.errors import InputError
from dalenius.reports.guarantees import draw_by_step
from dalenius.schema import RecordValue
from dalenius.spec import bound, read_model

SHOWN: Final = 16
"""Steps up to which every one is shown."""


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
