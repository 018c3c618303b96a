"""Pictures of a dependence graph: records on a circle, a line for each pair that tests link, and a CSV of all tests.

>>> [f"{x:.3f}" for x, _ in places_on_a_circle(6)]
['0.000', '0.866', '0.866', '0.000', '-0.866', '-0.866']
"""

from math import cos, pi, sin
from pathlib import Path
from typing import Any, Final

from dalenius.fitting.dependence import Dependence
from dalenius.plotting import new_axes, write_both

_MOST_NAMES: Final = 60
"""The most records whose names the picture writes: more would cover each other."""
_COLUMNS: Final = (
    *("first", "second", "statistic", "degrees_of_freedom", "p_value", "smallest_expected", "adjusted", "holm"),
    *("total_variation", "total_variation_upper", "linked"),
)


def places_on_a_circle(count: int) -> list[tuple[float, float]]:
    """Returns `count` places on a circle of radius 1, clockwise from the top."""
    return [(sin(2 * pi * place / count), cos(2 * pi * place / count)) for place in range(count)]


def dependence_figure(found: Dependence, path: Path) -> tuple[Path, Path]:
    """Writes the picture of the graph, and a CSV with a row for each pair; returns both paths.

    Args:
        found: The graph.
        path: Where the picture goes; the CSV has the suffix .csv.
    """
    rows = [[each.shown()[name] for name in _COLUMNS] for each in found.pairs]

    def drawn() -> Any:
        figure, (axes,) = new_axes(width=6.4, height=6.4)
        places = dict(zip(found.columns, places_on_a_circle(len(found.columns)), strict=True))
        for each in found.linked:
            ends = places[each.first], places[each.second]
            # So that one sees which links no chance made: those that Holm's method finds are drawn through.
            dashes = "-" if each.is_certain else ":"
            axes.plot(*zip(*ends, strict=True), color="tab:blue", linewidth=0.6 + 4 * each.variation, linestyle=dashes)
        axes.plot(*zip(*places.values(), strict=True), linestyle="none", marker="o", markersize=5, color="black")
        for name, (x, y) in places.items() if len(places) <= _MOST_NAMES else ():
            side = "left" if x > 0.01 else "right" if x < -0.01 else "center"
            axes.annotate(str(name), (1.06 * x, 1.06 * y), ha=side, va="center", fontsize=8)
        axes.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), aspect="equal")
        axes.set_axis_off()
        sure = f"{100 * found.confidence:.4g} %"
        axes.set_title(
            f"D = {found.neighbourhood}; at least {found.least_neighbourhood} with confidence {sure}", fontsize=10
        )
        return figure

    return write_both(path, _COLUMNS, rows, drawn)
