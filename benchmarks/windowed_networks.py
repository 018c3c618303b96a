"""What audits of large networks cost whose nodes all differ: by windows of the nodes that may leak most."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

CASES: Final[tuple[tuple[str, str, int, float | None], ...]] = (
    ("binary tree", "binary", 3_000, None),
    ("binary tree", "binary", 10_000, 10.0),
    ("random recursive tree", "recursive", 10_000, None),
    ("comb", "comb", 3_000, None),
    ("star", "star", 5_001, None),
)
"""What, the case, nodes, and the processor seconds that are wanted."""


def run() -> Section:
    cases = [
        (f"{what}, {nodes:,} bits", limit, measured(f"benchmarks.windowed_network_cases:{case}", nodes=nodes))
        for what, case, nodes, limit in CASES
    ]
    return Section(
        title="Large networks by windows",
        about="`dalenius.audit` of one count with Laplace noise of scale 2 over a tree of bits, each table its own: "
        "differential, inferential, information and relative entropy privacy and mutual information of all "
        "nodes (Results 20.45 and 20.46). From nothing. Processor seconds are of all threads.",
        columns=("network", "processor", "time", "peak memory", "inferential (nats)", "mutual information (nats)"),
        rows=tuple(
            (
                what,
                span(cost.processor),
                span(cost.seconds),
                size(cost.mebibytes),
                "{:.9g} to {:.9g}".format(*cost.result[:2]),
                "{:.7g} to {:.7g}".format(*cost.result[2:]),
            )
            for what, _, cost in cases
        ),
        notes=("Where messages go through many cliques, one after the other, each costs more by itself: a comb.",),
        targets=tuple(Target(f"{what}, processor", limit, cost.processor, "s") for what, limit, cost in cases if limit),
    )
