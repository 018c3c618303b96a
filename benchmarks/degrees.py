"""Degree distributions of a graph of a million edges."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

SIZE: Final = {"people": 100_000, "pairs": 1_010_000}
CASES: Final[tuple[tuple[str, dict[str, object]], ...]] = (
    ("one edge, all degrees in order", {"mode": "sequence"}),
    ("one edge, cumulative counts", {}),
    ("one edge, histogram to 5,000", {"mode": "histogram", "max_degree": 5_000}),
    ("one person, cumulative counts to 100", {"neighbours": "node", "mode": "cumulative", "max_degree": 100}),
)
LIMIT: Final = 2.0


def run() -> Section:
    rows, targets = [], []
    for what, asked in CASES:
        found = measured("benchmarks.degree_cases:released", **SIZE, **asked)
        seconds, near, edges = found.result
        rows.append((what, f"{edges:,}", span(seconds), size(found.mebibytes), f"{near:.3f}"))
        targets.append(Target(what, LIMIT, seconds, "s"))
    return Section(
        title="Degree distributions",
        about="The degrees of 100,000 people in a graph of a million edges, with discrete Laplace noise for one edge, "
        "or for all edges of one person, at ε = 0.9, drawn exactly, and constrained inference. Accuracy is that of "
        "DDP §VII: 1 where the published distribution is the true one.",
        columns=("release", "edges", "time", "peak memory", "accuracy"),
        rows=tuple(rows),
        targets=tuple(targets),
    )
