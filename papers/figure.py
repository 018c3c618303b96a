"""How the pictures look, and their files: Okabe-Ito colours, every line also with its own dashes or marker."""

from collections.abc import Sequence
from typing import Any, Final

from matplotlib.figure import Figure

from dalenius.plotting import save_with_vector
from papers import numbers

BLACK, ORANGE, BLUE, GREEN, PINK = "#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7"
GREY: Final = "0.45"


def panels(rows: int, columns: int, size: tuple[float, float], **shared: Any) -> tuple[Any, Sequence[Any]]:
    """A figure of that size in inches and its axes, row by row."""
    figure = Figure(figsize=size, layout="constrained")
    found = tuple(figure.subplots(rows, columns, squeeze=False, **shared).ravel())
    for axes in found:
        axes.grid(alpha=0.3)
    return figure, found


def save(name: str, figure: Any) -> None:
    """As PNG, and for print as SVG."""
    numbers.OUT.mkdir(parents=True, exist_ok=True)
    save_with_vector(figure, numbers.OUT / f"{name}.png")
