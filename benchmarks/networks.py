"""Graphs of people at size: sums over their edges in the user's engine, and who is like whom."""

from typing import Final

from benchmarks.measuring import Measured, measured, size, span
from benchmarks.section import Section, Target

EDGES: Final = 10_000_000
PEOPLE: Final = 30_000
RATIO: Final = 1.5
SECONDS: Final = 60.0
MEBIBYTES: Final = 2048.0


def run() -> Section:
    sums = _case("summed", edges=EDGES)
    untidy = _case("whole", edges=EDGES)
    alike = _case("alike", people=PEOPLE)
    steps = sums.result
    edges, most = alike.result
    memory = size(sums.mebibytes)
    ratio = steps["ours"] / steps["bare"]
    rows = (
        ("sums of 10,000,000 edges at both ends, DuckDB alone", span(steps["bare"]), memory, "1"),
        (
            "the same at one end, DuckDB alone",
            span(steps["one_end"]),
            memory,
            f"{steps['one_end'] / steps['bare']:.2f}",
        ),
        ("dependent sensitivity, the same edges", span(steps["ours"]), memory, f"{ratio:.2f}"),
        ("opening, cleaning and adding them up", span(steps["whole"]), memory, f"{steps['whole'] / steps['bare']:.2f}"),
        ("untidy edges, opened, cleaned and added up", span(untidy.seconds), size(untidy.mebibytes), ""),
        ("affinity of 30,000 Adult profiles", span(alike.seconds), size(alike.mebibytes), ""),
    )
    return Section(
        title="Graphs of people",
        about="Dependent sensitivity over ten million edges between a million people, each with a coefficient of its "
        "own, in DuckDB by way of Ibis, beside DuckDB's own sums of the same coefficients by person, in turn in one "
        "process; the least of three runs. Untidy edges are drawn, opened, cleaned and added up in one call. The "
        "affinity graph is that of the first 30,000 complete people of UCI Adult, with a column for each value of an "
        "attribute: its degrees, of all 450 million pairs.",
        columns=("graph", "time", "peak memory", "times the bare sums"),
        rows=rows,
        notes=(f"The affinity graph has {edges:,.0f} edges, and at most {most:,.0f} at one person.",),
        targets=(
            Target("dependent sensitivity, times a bare group-by at both ends", RATIO, ratio, "times"),
            Target("affinity graph, time", SECONDS, alike.seconds, "s"),
            Target("affinity graph, memory", MEBIBYTES, alike.mebibytes, "MiB"),
        ),
    )


def _case(name: str, **given: object) -> Measured:
    return measured(f"benchmarks.network_cases:{name}", **given)
