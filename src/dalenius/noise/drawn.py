"""Pictures of what a noise adds, or of how its outputs are spread."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from dalenius.laws.law import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE: Final = "#0072B2"
ADDED: Final = "what is added (the query's unit)"
MOST: Final = 60
"""Outputs from which on a line is drawn in place of stems."""
MOST_DRAWN: Final = 2**16
"""Points whose masses are drawn."""
TICKS: Final = 8
CELLS: Final = 512
"""Answers and outputs of a matrix that is shown."""


def draw_density(axes: "Axes", places: Array, heights: Array, words: str) -> None:
    """Of what is added, per unit of the query."""
    axes.fill_between(places, heights, color=BLUE, alpha=0.15, linewidth=0)
    axes.plot(places, heights, color=BLUE, linewidth=1.6)
    _dress(axes, words, ADDED, "density (per unit)")


def draw_masses(axes: "Axes", places: Array, heights: Array, words: str, across: str) -> None:
    """Probabilities of points."""
    if len(places) <= MOST:
        axes.vlines(places, 0, heights, color=BLUE, linewidth=1.2)
        axes.plot(places, heights, "o", color=BLUE, markersize=4)
    else:
        axes.plot(places, heights, color=BLUE, linewidth=1.4, drawstyle="steps-mid")
    _dress(axes, words, across, "probability")


def draw_matrix(axes: "Axes", matrix: Array, answers: Sequence[Any], outputs: Sequence[Any], words: str) -> None:
    """Pr[output | answer]: a column for each answer, the darker the likelier."""
    image = axes.imshow(matrix.T, origin="lower", aspect="auto", cmap="Blues", vmin=0.0, interpolation="nearest")
    axes.figure.colorbar(image, ax=axes, label="probability of the output, given the answer")
    for axis, names in ((axes.xaxis, answers), (axes.yaxis, outputs)):
        shown = range(0, len(names), -(-len(names) // TICKS))
        axis.set_ticks(shown, [_named(names[place]) for place in shown])
    axes.set(xlabel="exact answer (the query's unit)", ylabel="output")
    axes.set_title(words.partition(" (")[0], fontsize=10)


def _named(value: Any) -> str:
    return value if isinstance(value, str) else f"{float(value):g}"


def _dress(axes: "Axes", words: str, across: str, up: str) -> None:
    axes.set(xlabel=across, ylabel=up)
    axes.set_ylim(bottom=0)
    axes.set_title(words, fontsize=10)
    axes.grid(alpha=0.3)
