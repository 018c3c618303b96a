"""What every method adds, promise by promise: scale and expected error against epsilon, a picture and its numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Final, final

from dalenius.calibration import Compared, least_possible
from dalenius.errors import InputError
from dalenius.notions import Notion
from dalenius.reports.by_group import COLOURS, MARKERS
from dalenius.reports.files import write_both, write_rows

NAMES: Final = (
    "epsilon_nats",
    "method",
    "sound",
    "noise",
    "scale",
    "expected_error",
    "lower_bound",
    "achieved_nats",
    "why",
)
FACTORS: Final = (0.25, 0.5, 0.7071067811865476, 1.0, 1.4142135623730951, 2.0, 4.0)
"""Of the promise: the epsilons the picture shows."""


@final
@dataclass(frozen=True)
class Promised:
    """Every method's outcome for one epsilon, in nats."""

    epsilon: float
    methods: tuple[Compared, ...]


def draw_by_promise(promised: Sequence[Promised], notion: Notion, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths."""
    check_picture(path)
    return write_both(path, lambda draft: write_rows(draft, NAMES, _rows(promised)), lambda: _picture(promised, notion))


def check_picture(path: Path, key: str = "plot") -> None:
    """InputError for a file that is no picture."""
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise InputError(key, str(path), "a file ending in .png, .svg or .pdf")


def _rows(promised: Sequence[Promised]) -> Iterator[list[object]]:
    for each in promised:
        bound = least_possible(each.methods)
        for found in each.methods:
            done = found.calibration
            if done is None:
                yield [each.epsilon, found.method, "", "", "", "", bound, "", f"does not apply: {found.why}"]
            else:
                numbers = done.noise.kind, done.noise.scale or 0.0, done.expected_error, bound, done.leakage.upper
                yield [each.epsilon, found.method, done.sound, *numbers, found.why]


def _picture(promised: Sequence[Promised], notion: Notion) -> Any:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(8.4, 5.8), layout=ConstrainedLayoutEngine(w_pad=0.12))
    scales, errors = figure.subplots(1, 2)
    methods = _drawn(promised)
    for place, ((name, sound), colour, marker) in enumerate(zip(methods, cycle(COLOURS), cycle(MARKERS), strict=False)):
        # Hollow and smaller one after the other, so that methods that agree are seen to.
        style = {"color": colour, "marker": marker, "linestyle": "-" if sound else ":", "linewidth": 1.4}
        style |= {"markerfacecolor": "none", "markersize": 11 - 7 * place / len(methods)}
        done = [
            (each.epsilon, found.calibration) for each in promised for found in each.methods if found.method == name
        ]
        known = [(epsilon, made) for epsilon, made in done if made is not None]
        scaled = [(epsilon, made.noise.scale) for epsilon, made in known if made.noise.scale]
        erring = [(epsilon, made.expected_error) for epsilon, made in known if made.expected_error > 0]
        scales.plot(*zip(*scaled, strict=True), **style) if scaled else None
        label = name if sound else f"{name} (not sound)"
        errors.plot(*(zip(*erring, strict=True) if erring else ([], [])), label=label, **style)
    bounds = [(each.epsilon, bound) for each in promised if (bound := least_possible(each.methods))]
    if bounds:
        label = "no mechanism is below"
        errors.plot(*zip(*bounds, strict=True), color="0.4", linestyle="--", linewidth=1.0, zorder=1, label=label)
    for axes, what in ((scales, "scale of the noise"), (errors, "expected error per answer")):
        axes.set(xscale="log", yscale="log", xlabel=f"promised {notion.kind} ε (nats)", ylabel=f"{what} (query's unit)")
        axes.set_xticks(shown := [each.epsilon for each in promised], [f"{epsilon:.3g}" for epsilon in shown])
        axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
        axes.tick_params(axis="x", labelsize=8)
        axes.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    return figure


def _drawn(promised: Sequence[Promised]) -> list[tuple[str, bool]]:
    """The methods that apply somewhere, and whether each is sound wherever it does."""
    sound: dict[str, bool] = {}
    for each in promised:
        for found in each.methods:
            if found.calibration is not None:
                sound[found.method] = sound.get(found.method, True) and found.calibration.sound
    return list(sound.items())
