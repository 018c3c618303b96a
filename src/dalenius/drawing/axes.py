"""Axes that show what there is to see: a floor below logarithms, and lines named at their ends."""

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEEP: Final = 1e-3
"""Of the largest value shown: what is below stands at this floor, and is said to."""
APART: Final = 0.04
"""What a line of a name takes, as a share of the axes' height."""


def given_axes(ax: "Axes | None") -> "Axes":
    """These, or new ones of a figure of their own."""
    import matplotlib.pyplot as plt

    return ax if ax is not None else plt.subplots(layout="constrained")[1]


def floored(values: Iterable[float], deep: float = DEEP) -> float:
    """Where a logarithmic axis for these ends: a thousandth of the largest (or another share: deep), unless all are
    above it; 0 where none is above 0."""
    positive = [value for value in values if isfinite(value) and value > 0]
    return max(min(positive, default=0.0), deep * max(positive, default=0.0))


def with_floor(axes: "Axes", floor: float) -> None:
    """Where values stand that are too small for the axis, said below it."""
    axes.set_ylim(bottom=floor / 2.2)
    axes.axhline(floor, color="0.4", linewidth=0.8, linestyle=(0, (2, 2)), zorder=1)
    axes.annotate(
        f"at this line: {floor:.1g} or less",
        (0.015, floor),
        xycoords=("axes fraction", "data"),
        xytext=(0, -3),
        textcoords="offset points",
        va="top",
        fontsize=8,
        color="0.2",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
    )


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Places between 0 and 1, as near to these as they can be while each is `gap` from the next, in the same order; of
    equal ones the first is the lowest. Where there is no room, as even as there is."""
    if not places:
        return []
    gap = min(gap, 1.0 / max(1, len(places) - 1))
    order = sorted(range(len(places)), key=places.__getitem__)
    blocks: list[tuple[float, int]] = []  # the sum of places less their own distance, and how many they are
    for rank, place in enumerate(order):
        total, count = places[place] - rank * gap, 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / count:
            total, count = total + blocks[-1][0], count + blocks[-1][1]
            blocks.pop()
        blocks.append((total, count))
    room = max(0.0, 1.0 - (len(places) - 1) * gap)
    lowest = [min(max(total / count, 0.0), room) for total, count in blocks for _ in range(count)]
    found = [0.0] * len(places)
    for rank, place in enumerate(order):
        found[place] = lowest[rank] + rank * gap
    return found


def with_ends(axes: "Axes", ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Names lines at their right ends, beside the axes: each end's x and y, the name, its colour. The axes' limits must
    be final."""
    to_share = axes.transData + axes.transAxes.inverted()
    shares = [to_share.transform((x, y)) for x, y, _, _ in ends]
    lines = max((name.count("\n") + 1 for _, _, name, _ in ends), default=1)
    heights = spread([min(max(float(y), 0.0), 1.0) for _, y in shares], APART * (lines + 0.3))
    for (x, y, name, colour), height in zip(ends, heights, strict=True):
        thin: dict[str, Any] = {"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4}
        axes.annotate(
            name,
            (x, y),
            xytext=(1.05, height),
            textcoords="axes fraction",
            va="center",
            fontsize=8.5,
            color=colour,
            arrowprops=thin | {"relpos": (0.0, 0.5)},
            annotation_clip=False,
        )
