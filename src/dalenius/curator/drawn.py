"""Released answers as a picture."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any, Final

from dalenius.drawing import given_axes
from dalenius.errors import Meaningless

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE: Final = "#0072B2"
LONG: Final = 40
"""Labels from which on no label is written out, but every so many-th."""


def draw_answers(
    labels: Sequence[str], answers: Sequence[Fraction | str], certificate: Mapping[str, Any], ax: "Axes | None" = None
) -> "Axes":
    """A row for each answer, in their order; see `Publication.plot`."""
    if any(isinstance(answer, str) for answer in answers):
        raise Meaningless("answers", "words", "numbers, for a picture")
    axes, values = given_axes(ax), [float(answer) for answer in answers]
    intervals = [ends_of(each) for each in certificate.get("interval", [None] * len(values))]
    finite = [end for pair in intervals for end in pair or () if abs(end) < inf] + values
    margin = 0.08 * ((max(finite) - min(finite)) or 1.0)
    left, right = min(finite) - margin, max(finite) + margin
    for place, (value, pair) in enumerate(zip(values, intervals, strict=True)):
        for end, edge, mark in zip(pair or (), (left, right), "<>", strict=False):
            axes.plot([value, end if abs(end) < inf else edge], [place, place], color=BLUE, linewidth=1.4)
            axes.plot(end if abs(end) < inf else edge, place, "|" if abs(end) < inf else mark, color=BLUE, markersize=6)
        axes.plot(value, place, "o", color=BLUE, markersize=5)
    step = -(-len(labels) // LONG)
    axes.set_yticks(range(0, len(labels), step), [label or "answer" for label in labels[::step]])
    axes.set(xlim=(left, right), ylim=(len(labels) - 0.5, -0.5), xlabel=_words(certificate))
    axes.grid(alpha=0.3, axis="x")
    return axes


def ends_of(interval: Sequence[float | str] | None) -> tuple[float, float] | None:
    """The two ends as numbers; None where there is no interval."""
    return None if interval is None else (float(interval[0]), float(interval[1]))


def _words(certificate: Mapping[str, Any]) -> str:
    unit = "released answer (the query's unit)"
    if not any(each is not None for each in certificate.get("interval", ())):
        return unit
    share = f"{100 * float(certificate['confidence']):.10g} %"
    return f"{unit}\nbars hold the exact one {share} of the time, each for itself"
