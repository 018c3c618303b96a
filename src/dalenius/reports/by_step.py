"""What a stream of answers leaks of each step's value: a picture and its numbers."""

from pathlib import Path
from typing import Any, Final

import numpy as np

from dalenius.composition import Stream
from dalenius.drawing import COLOURS, check_picture
from dalenius.drawing.written import write_both, write_rows

NAMES: Final = ("step", "epsilon", "backward", "forward", "total", "additive", "sum")


def draw_by_step(stream: Stream, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers, in nats; both paths.

    additive: the total with noise of scale Δ/ε_t, empty where no answer is known; sum: of the ε so far.
    """
    check_picture(path)
    return write_both(path, lambda draft: write_rows(draft, NAMES, _rows(stream)), lambda: _picture(stream))


def _rows(stream: Stream) -> list[list[object]]:
    any_, added = stream.worst, stream.additive
    sides = (any_.backward.upper, any_.forward.upper, any_.total.upper)
    sums = np.cumsum(stream.epsilons)
    return [
        [
            step + 1,
            f"{stream.epsilons[step]:.6g}",
            *(f"{side[step]:.6g}" for side in sides),
            "" if added is None else f"{added.total.upper[step]:.6g}",
            f"{sums[step]:.6g}",
        ]
        for step in range(len(stream))
    ]


def _picture(stream: Stream) -> Any:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(7.2, 4.6), layout=ConstrainedLayoutEngine(w_pad=0.12))
    axes = figure.subplots()
    steps = np.arange(1, len(stream) + 1)
    marker = "." if len(stream) <= 60 else ""
    lines = [
        (stream.worst.total.upper, "-", COLOURS[0], "by all answers"),
        (stream.worst.backward.upper, "--", COLOURS[1], "by those so far"),
        (stream.worst.forward.upper, "-.", COLOURS[2], "by those from then on"),
    ]
    if stream.additive is not None:
        lines.append((stream.additive.total.upper, ":", COLOURS[3], "by all, with noise of scale Δ/ε"))
    for numbers, style, colour, label in lines:
        axes.plot(steps, numbers, style, marker=marker, color=colour, linewidth=1.6, label=label)
    axes.plot(steps, stream.epsilons, color="0.4", linewidth=1.0, label="ε of the step")
    axes.set(xlabel="step", ylabel="what leaks of the step's value (nats)")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=8)
    return figure
