"""Counts of ten million people in DuckDB, beside the bare query."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target
from benchmarks.table_cases import TIMES

PEOPLE: Final = 10_000_000
RATIO: Final = 1.3


def run() -> Section:
    cost = measured("benchmarks.table_cases:counted", people=PEOPLE)
    found = cost.result
    rows = [
        (name, *(span(each[step]) for step in ("bare", "count", "opening")), f"{each['count'] / each['bare']:.2f}")
        for name, each in found.items()
    ]
    ratio = found["one count"]["count"] / found["one count"]["bare"]
    return Section(
        title="Counts of ten million people",
        about="A DuckDB file with age, ward and income of ten million people, drawn at random: counted by Dalenius, "
        f"and by the query in SQL that finds the same numbers; medians of {TIMES} runs in turn, with the file read.",
        columns=("asked", "bare query", "count", "opening", "count / bare"),
        rows=tuple(rows),
        notes=(
            "Opening, once before all counts, looks for cells that are missing or no numbers.",
            f"Peak memory: {size(cost.mebibytes)}.",
        ),
        targets=(Target("one count, times the bare query", RATIO, ratio, "times"),),
    )
