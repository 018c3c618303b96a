"""How the figures of DDP look: Okabe-Ito colours, every line also with its own marker or dashes."""

from collections.abc import Sequence
from typing import Any, Final

BLACK, ORANGE, BLUE, GREEN, PINK, SKY = "#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9"
GREY: Final = "0.45"


def panels(columns: int, width: float = 5.2, height: float = 4.4, **shared: Any) -> tuple[Any, Sequence[Any]]:
    """A figure and its axes, side by side."""
    return grid(1, columns, width, height, **shared)


def grid(rows: int, columns: int, width: float = 3.6, height: float = 3.4, **shared: Any) -> tuple[Any, Sequence[Any]]:
    """A figure and its axes, row by row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    found = tuple(figure.subplots(rows, columns, squeeze=False, **shared).ravel())
    for axes in found:
        axes.grid(alpha=0.3)
    return figure, found
