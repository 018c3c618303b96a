"""How the cost of an audit grows with the number of people."""

import csv
from dataclasses import dataclass
from math import log, log2
from pathlib import Path
from typing import Any, Final, final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section
from dalenius.plotting import save, write_atomically

PEOPLE: Final = (1_000, 10_000, 100_000, 1_000_000)
FIGURE: Final = "cost_by_people.png"
# Okabe–Ito colours, told apart in grey by their markers.
TIME, MEMORY = ("#0072B2", "o"), ("#D55E00", "s")


@final
@dataclass(frozen=True)
class Cost:
    people: int
    seconds: float
    mebibytes: float

    @property
    def nanoseconds_per_step(self) -> float:
        """Time over n·log2(n)."""
        return 1e9 * self.seconds / (self.people * log2(self.people))


def run() -> Section:
    seen = [(people, measured("benchmarks.cases:audited", people=people, noise="laplace")) for people in PEOPLE]
    costs = [Cost(people, cost.seconds, cost.mebibytes) for people, cost in seen]
    return Section(
        title="Cost by the number of people",
        about="The same audit for fewer people. The exponent is that of time ∝ n^exponent since the size above.",
        columns=("people", "time", "peak memory", "exponent", "time / (n·log2 n)"),
        rows=tuple(
            (
                f"{cost.people:,}",
                span(cost.seconds),
                size(cost.mebibytes),
                "" if before is None else f"{exponent(before, cost):.2f}",
                f"{cost.nanoseconds_per_step:.0f} ns",
            )
            for before, cost in zip([None, *costs], costs, strict=False)
        ),
        notes=(
            f"From {PEOPLE[0]:,} to {PEOPLE[-1]:,} people time grows as n^{exponent(costs[0], costs[-1]):.2f}; "
            "the import alone is part of every peak memory.",
        ),
        figure=FIGURE,
        draw=lambda folder: draw(costs, folder / FIGURE),
    )


def exponent(before: Cost, after: Cost) -> float:
    """The power of n by which time grew."""
    return log(after.seconds / before.seconds) / log(after.people / before.people)


def draw(costs: list[Cost], path: Path) -> None:
    """Write the picture, and beside it a CSV of its numbers."""
    write_atomically(path.with_suffix(".csv"), lambda draft: _write_rows(costs, draft))
    for picture in (path, path.with_suffix(".svg")):
        write_atomically(picture, lambda draft: save(_picture(costs), draft))


def _write_rows(costs: list[Cost], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["people", "seconds", "peak_memory_mib", "nanoseconds_per_n_log2_n"])
        for cost in costs:
            row = f"{cost.seconds:.4f}", f"{cost.mebibytes:.1f}", f"{cost.nanoseconds_per_step:.1f}"
            writer.writerow([cost.people, *row])


def _picture(costs: list[Cost]) -> Any:
    """Time above, memory below, each with an axis of its own."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 6.0), layout="constrained")
    time, memory = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    people = [cost.people for cost in costs]
    last = costs[-1].seconds / (people[-1] * log(people[-1]))
    reference = [last * n * log(n) for n in people]
    time.plot(people, reference, color="black", linestyle="--", linewidth=1.2, label="n log n")
    _draw_line(time, TIME, people, [cost.seconds for cost in costs], "an audit")
    _draw_line(memory, MEMORY, people, [cost.mebibytes for cost in costs], "an audit")
    time.set(xscale="log", yscale="log", ylabel="time (seconds)")
    time.legend(frameon=False, fontsize=9)
    memory.set(xlabel="people (households of four)", ylabel="peak memory (MiB)")
    memory.set_ylim(bottom=0)
    for axes in (time, memory):
        axes.grid(alpha=0.3)
    return figure


def _draw_line(axes: Any, style: tuple[str, str], people: list[int], values: list[float], label: str) -> None:
    colour, marker = style
    axes.plot(people, values, color=colour, marker=marker, linewidth=1.6, markersize=6, label=label)
