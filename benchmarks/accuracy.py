"""How far apart the two ends of an answer lie, by the number of people."""

from typing import Final

from benchmarks.measuring import measured
from benchmarks.section import Section, Target

PEOPLE: Final = (1_000, 10_000, 100_000, 1_000_000)
WIDTH: Final = 1e-9
"""Nats of inferential leakage: finer than anyone reads, coarser than what rounding leaves."""


def run() -> Section:
    rows, widths = [], []
    for people in PEOPLE:
        found = measured("benchmarks.cases:enclosed", people=people).result
        worst, average = found["inferential"], found["mutual_information"]
        widths.append(width(worst))
        shown = f"{worst[0]:.9f}", f"{width(worst):.1e}", f"{average[0]:.6e}", f"{width(average):.1e}"
        rows.append((f"{people:,}", *shown, f"{width(average) / average[1]:.1e}"))
    return Section(
        title="Accuracy at size",
        about="The enclosure, lower ≤ truth ≤ upper, of the audit's worst leakage and of its average one, in nats.",
        columns=("people", "inferential", "width", "mutual information", "width", "width, relatively"),
        rows=tuple(rows),
        targets=(Target("widest inferential enclosure", WIDTH, max(widths), "nats"),),
    )


def width(ends: tuple[float, float]) -> float:
    lower, upper = ends
    return upper - lower
