"""What the worst leakage of a count of carriers costs in hundreds of families, no two alike."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

FAMILIES: Final = 426
MOST: Final = 400
SECONDS: Final = 30.0


def run() -> Section:
    cost = measured("benchmarks.pedigree_cases:leaks", count=FAMILIES, most=MOST)
    people, *ends = cost.result
    return Section(
        title="Pedigrees",
        about=f"Inferential and information privacy of everybody, for a count of carriers with Laplace noise of scale "
        f"20, in {FAMILIES} families of up to {MOST} people, drawn with marriages between relatives. From nothing. "
        "Processor seconds are of all threads.",
        columns=("people", "processor", "time", "peak memory", "inferential (nats)", "information (nats)"),
        rows=(
            (
                f"{people:,.0f}",
                span(cost.processor),
                span(cost.seconds),
                size(cost.mebibytes),
                "{:.9g} to {:.9g}".format(*ends[:2]),
                "{:.9g} to {:.9g}".format(*ends[2:]),
            ),
        ),
        targets=(Target(f"{FAMILIES} families, processor", SECONDS, cost.processor, "s"),),
    )
