"""Draws what answers leak step by step over time, and writes the table beside the picture."""

from pathlib import Path
from typing import Final

import numpy as np

from dalenius.composition import Stream
from dalenius.plotting import COLOURS, DrawnLine, Look, line_figure, write_both

_STEPS: Final = ("step", "epsilon", "backward", "forward", "total", "sum")


def draw_by_step(stream: Stream, path: Path) -> tuple[Path, Path]:
    """Writes the picture and, next to it, a CSV of its numbers, in nats; returns both paths.

    Args:
        stream: The stream of answers.
        path: The picture's path, whose suffix is its format.
    """
    worst = stream.worst
    known = {"backward": worst.backward.upper, "forward": worst.forward.upper, "total": worst.total.upper}
    columns = {"epsilon": stream.epsilons, **known, "sum": np.cumsum(stream.epsilons)}
    rows = [[step + 1, *(f"{columns[name][step]:.6g}" for name in _STEPS[1:])] for step in range(len(stream))]
    labels = {"total": "by all answers", "backward": "by those so far", "forward": "by those from then on"}
    looks = zip(labels.items(), COLOURS, ("-", "--", "-."), strict=False)
    shown = [
        DrawnLine(label, enumerate(known[name], 1), Look(colour, ".", dashes))
        for (name, label), colour, dashes in looks
    ]
    shown.append(DrawnLine("ε of the step", enumerate(stream.epsilons, 1), Look("0.4", "")))
    upright = "what leaks of the step's value (nats)"
    return write_both(path, _STEPS, rows, lambda: line_figure(shown, "step", upright))
